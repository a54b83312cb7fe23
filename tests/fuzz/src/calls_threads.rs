//! The worker threads of the `calls` fuzz target, which run an input's calls in batches.

use super::calls::{Call, RUN_TIME, ZONES};
use crate::RunTimeZone;
use crate::clock::mock;
use crate::{OpenZone, Timing, Zone, begin, counter, end, open_zone, relabel, zone};
use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

crate::define_zone!(A, "a");
crate::define_zone!(B, "b");
crate::define_zone!(C, "c");
crate::define_zone!(D, "d", idle);

/// Expands the macro once per zone, so that each zone has a separate call site with a cache.
macro_rules! at_a_site_for_each_zone {
    ($zone:expr, $macro:ident) => {
        match $zone % ZONES {
            0 => $macro!(&A),
            1 => $macro!(&B),
            2 => $macro!(&C),
            _ => $macro!(&D),
        }
    };
}

/// Returns a run-time zone, which can be entered from anywhere.
fn at_run_time(zone: usize) -> RunTimeZone {
    RunTimeZone::of(match zone % ZONES {
        0 => &A,
        1 => &B,
        2 => &C,
        _ => &D,
    })
}

fn open(zone: usize, place: usize) -> OpenZone {
    match place {
        RUN_TIME => at_run_time(zone).enter(),
        0 => at_a_site_for_each_zone!(zone, open_zone),
        _ => at_a_site_for_each_zone!(zone, open_zone),
    }
}

fn begin(zone: usize, place: usize) {
    match place {
        RUN_TIME => at_run_time(zone).begin(),
        0 => at_a_site_for_each_zone!(zone, begin),
        _ => at_a_site_for_each_zone!(zone, begin),
    }
}

fn end_by_name(zone: usize) {
    match zone % ZONES {
        0 => end!(a),
        1 => end!(b),
        2 => end!(c),
        _ => end!(d),
    }
}

fn relabel(open: &mut OpenZone, zone: usize) {
    match zone % ZONES {
        0 => relabel!(*open, &A),
        1 => relabel!(*open, &B),
        2 => relabel!(*open, &C),
        _ => relabel!(*open, &D),
    }
}

fn unwind(outer: &'static Zone) {
    let panicked = std::panic::catch_unwind(|| {
        let _outer = outer;
        zone!(&A);
        zone!(&B);
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.is_err());
}

pub(super) type Batch = Vec<(u64, Call)>;

pub(super) struct Worker {
    batches: Sender<Batch>,
    done: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(super) fn start(name: &str) -> Worker {
        let (batches, received) = channel();
        let (finish, done) = channel();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || run(&received, &finish));
        Worker {
            batches,
            done,
            thread: thread.expect("failed to start a thread"),
        }
    }

    pub(super) fn send(&self, batch: Batch) {
        // If the thread has panicked, the receiver no longer exists, and `wait` reports the panic.
        let _ = self.batches.send(batch);
    }

    pub(super) fn wait(&self) {
        self.done.recv().expect("the thread panicked");
    }

    pub(super) fn join(self) {
        drop(self.batches);
        self.thread.join().expect("the thread panicked");
    }
}

fn run(batches: &Receiver<Batch>, finish: &Sender<()>) {
    let mut open: Vec<OpenZone> = Vec::new();
    while let Ok(batch) = batches.recv() {
        for (now, call) in batch {
            mock::set_both(now);
            perform(call, &mut open);
        }
        // The main thread may have panicked.
        let _ = finish.send(());
    }
}

fn perform(call: Call, open: &mut Vec<OpenZone>) {
    match call {
        Call::Open { zone, place } => open.push(self::open(zone, place)),
        Call::Begin { zone, place } => begin(zone, place),
        Call::Drop(at) => {
            if !open.is_empty() {
                drop(open.remove(at % open.len()));
            }
        }
        Call::Forget(at) => {
            if !open.is_empty() {
                mem::forget(open.remove(at % open.len()));
            }
        }
        Call::EndZone(zone) => at_a_site_for_each_zone!(zone, end),
        Call::EndName(zone) => end_by_name(zone),
        Call::EndRunTime(zone) => at_run_time(zone).end(),
        Call::EndInnermost => end!(),
        Call::Count(0) => counter!(e),
        Call::Count(_) => counter!(f),
        Call::Relabel { at, zone } => {
            if !open.is_empty() {
                let at = at % open.len();
                relabel(&mut open[at], zone);
            }
        }
        Call::Unwind => unwind(&A),
        Call::Record(on) => crate::set_recording(on),
        Call::Pass(_) => {}
        // The guards are either dropped in order or forgotten.
        Call::End { forget: false } => open.clear(),
        Call::End { forget: true } => mem::take(open).into_iter().for_each(mem::forget),
        Call::Update(is_recorded) => crate::update(is_recorded),
        Call::Reset => crate::reset(),
        Call::SetTiming(timing) => crate::set_timing(timing),
        Call::Inspect => inspect(),
        // The main thread takes and checks the snapshot.
        Call::Snapshot => {}
    }
}

/// Calls all functions that return or write recorded data.
fn inspect() {
    let timing = crate::timing();
    assert!(matches!(timing, Timing::Exact | Timing::Off) || timing == timing.clamped());
    let report = crate::report();
    let mut text = Vec::new();
    report
        .write(&mut text, 2)
        .expect("writing to memory cannot fail");
    let _ = crate::View::default().graph(&crate::profiler());
    assert!(!crate::dump().is_empty());
    let _ = crate::threads();
}
