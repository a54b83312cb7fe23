//! The threads of an input: real ones, which do what they are told and wait for the next order.

use super::calls::{Call, ZONES};
use crate::clock::mock;
use crate::{OpenZone, Timing, Zone, begin, counter, end, open_zone, relabel, scope};
use std::mem;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

crate::define_zone!(A, "a");
crate::define_zone!(B, "b");
crate::define_zone!(C, "c");
crate::define_zone!(D, "d");

/// Each is another place in the source for each zone, with what it remembers.
macro_rules! at_a_place_for_each_zone {
    ($zone:expr, $macro:ident) => {
        match $zone % ZONES {
            0 => $macro!(&A),
            1 => $macro!(&B),
            2 => $macro!(&C),
            _ => $macro!(&D),
        }
    };
}

fn open(zone: usize, place: usize) -> OpenZone {
    match place % 2 {
        0 => at_a_place_for_each_zone!(zone, open_zone),
        _ => at_a_place_for_each_zone!(zone, open_zone),
    }
}

fn begin(zone: usize, place: usize) {
    match place % 2 {
        0 => at_a_place_for_each_zone!(zone, begin),
        _ => at_a_place_for_each_zone!(zone, begin),
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
        // A site sees each zone that is passed to it.
        let _outer = outer;
        scope!(A);
        scope!(B);
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(panicked.is_err());
}

/// What a thread is told: at which time to do what.
pub(super) type Batch = Vec<(u64, Call)>;

pub(super) struct Worker {
    orders: Sender<Batch>,
    done: Receiver<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    pub(super) fn start(name: &str) -> Worker {
        let (orders, ordered) = channel();
        let (finish, done) = channel();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || run(&ordered, &finish));
        Worker {
            orders,
            done,
            thread: thread.expect("a thread can be started"),
        }
    }

    pub(super) fn tell(&self, batch: Batch) {
        // A thread that has panicked does not listen; `wait` says so.
        let _ = self.orders.send(batch);
    }

    pub(super) fn wait(&self) {
        self.done.recv().expect("a thread has panicked");
    }

    /// Returns when the thread has ended.
    pub(super) fn join(self) {
        drop(self.orders);
        self.thread.join().expect("a thread has panicked");
    }
}

fn run(orders: &Receiver<Batch>, finish: &Sender<()>) {
    let mut open: Vec<OpenZone> = Vec::new();
    while let Ok(batch) = orders.recv() {
        for (now, call) in batch {
            mock::set_both(now);
            perform(call, &mut open);
        }
        // The other side may have panicked.
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
        Call::EndZone(zone) => at_a_place_for_each_zone!(zone, end),
        Call::EndName(zone) => end_by_name(zone),
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
        // In the order of the list, or not at all.
        Call::End { forget: false } => open.clear(),
        Call::End { forget: true } => mem::take(open).into_iter().for_each(mem::forget),
        Call::Update(keep) => crate::update(keep),
        Call::Reset => crate::reset(),
        Call::SetTiming(timing) => crate::set_timing(timing),
        Call::Look => look(),
        // Checked by who gives the orders.
        Call::Snapshot => {}
    }
}

/// Everything that shows something, to see that it can.
fn look() {
    let timing = crate::timing();
    assert!(matches!(timing, Timing::Exact | Timing::Off) || timing == timing.clamped());
    let report = crate::report();
    let mut text = Vec::new();
    report.write(&mut text, 2).expect("memory takes it");
    crate::graph();
    assert!(!crate::dump().is_empty());
    crate::threads();
}
