//! Tests timing mode changes while zones are open.

use crate::edges::{Edges, edges, edges_of};
use crate::measured::*;
use crate::{MODES, ON};
use iprof::{ColumnId, Threads, Timing};
use std::cell::RefCell;
use std::sync::{Barrier, mpsc};
use std::time::{Duration, Instant};

/// Calls `meet` three times while several zones are open: zones with guards, zones closed by `end!`, and recursive
/// zones.
fn across(meet: &dyn Fn()) {
    iprof::zone!(outer);
    meet();
    iprof::begin!(pair);
    visit(3, meet);
    {
        iprof::zone!(next);
    }
    iprof::end!(pair);
    iprof::zone!(leaf);
}

fn visit(depth: u32, meet: &dyn Fn()) {
    iprof::zone!(visit);
    iprof::counter!(visits);
    if depth > 0 {
        visit(depth - 1, meet);
        return;
    }
    for _ in 0..3 {
        iprof::zone!(before);
    }
    meet();
    for _ in 0..2 {
        iprof::zone!(after);
        iprof::counter!(things);
    }
    iprof::begin!(late);
    meet();
    for _ in 0..4 {
        iprof::zone!(last);
    }
    iprof::end!(late);
}

/// Returns the edges that [`across`] enters before the first meeting, between meetings, and after the last meeting.
/// Timing is on at the start and at the end. The arguments specify whether it is on after the first meeting and after
/// the second.
fn entered(first_on: bool, second_on: bool) -> [Option<Edges>; 4] {
    let top = if first_on { "visit (4)" } else { "outer" };
    let pair = if first_on { "pair" } else { "outer" };
    let late = if second_on { "late" } else { top };
    let first = edges_of(&[
        ("outer", "pair", 1),
        ("pair", "visit", 1),
        ("visit", "visit (2)", 1),
        ("visit (2)", "visit (3)", 1),
        ("visit (3)", "visit (4)", 1),
        ("visit", "visits", 1),
        ("visit (2)", "visits", 1),
        ("visit (3)", "visits", 1),
        ("visit (4)", "visits", 1),
        ("visit (4)", "before", 3),
    ]);
    let second = edges_of(&[(top, "after", 2), ("after", "things", 2), (top, "late", 1)]);
    let last = edges_of(&[(late, "last", 4), (pair, "next", 1), ("outer", "leaf", 1)]);
    [
        Some(edges_of(&[("(outside zones)", "outer", 1)])),
        Some(first).filter(|_| first_on),
        Some(second).filter(|_| second_on),
        Some(last),
    ]
}

/// Changes the timing mode on this thread, on a thread without zones, or on a thread with zones.
fn change(timing: Timing, by: usize) {
    let elsewhere = |f: fn(Timing)| {
        let thread = std::thread::Builder::new().name("changer".into());
        let thread = thread
            .spawn(move || f(timing))
            .expect("failed to start a thread");
        thread.join().expect("the thread panicked");
    };
    match by % 3 {
        0 => iprof::set_timing(timing),
        1 => elsewhere(iprof::set_timing),
        _ => elsewhere(|timing| {
            iprof::zone!(changer);
            iprof::set_timing(timing);
            iprof::zone!("changed");
        }),
    }
}

const WORKERS: [&str; 2] = ["left", "right"];

/// Runs `across` on this thread and on two other threads, and changes the timing mode to each of `modes` in turn. Then
/// checks all frames: one between each pair of changes, and one around each change.
fn go_across(modes: [Timing; 4], by: usize) {
    iprof::set_timing(modes[0]);
    iprof::update(true);
    let gate = Barrier::new(WORKERS.len() + 1);
    let frames = RefCell::new((Vec::new(), Vec::new()));
    let rest = RefCell::new(modes[1..].iter());
    let ids = RefCell::new(Vec::new());
    // Don't assert anything while other threads wait for this one, because a panic would make them hang.
    std::thread::scope(|scope| {
        let spawn = |name: &&str| {
            let meet = || {
                gate.wait();
                gate.wait();
            };
            let thread = std::thread::Builder::new().name((*name).into());
            let run = move || across(&meet);
            thread
                .spawn_scoped(scope, run)
                .expect("failed to start a thread")
        };
        let workers: Vec<_> = WORKERS.iter().map(spawn).collect();
        across(&|| {
            gate.wait();
            let (between, around) = &mut *frames.borrow_mut();
            between.push(recorded_frame());
            if let Some(timing) = rest.borrow_mut().next() {
                change(*timing, by + around.len());
            }
            around.push(recorded_frame());
            *ids.borrow_mut() = iprof::threads();
            gate.wait();
        });
        // By now, all worker threads have ended and returned their records.
        workers.into_iter().for_each(|w| w.join().unwrap());
    });
    let (mut between, around) = frames.into_inner();
    between.push(recorded_frame());

    let is_on: Vec<bool> = modes.iter().map(|mode| *mode != Timing::Off).collect();
    let at = format!("{modes:?}, {by}: {between:?} {around:?}");
    for (step, frame) in around.iter().enumerate() {
        assert_eq!(frame.is_some(), is_on[step] && is_on[step + 1], "{at}");
    }
    let main = main_thread();
    let mut threads = ids.into_inner();
    threads.retain(|thread| thread.id == main || WORKERS.contains(&&*thread.name));
    assert_eq!(threads.len(), 1 + WORKERS.len(), "{at}");
    let wanted = entered(is_on[1], is_on[2]);
    for (frame, wanted) in between.iter().zip(&wanted) {
        assert_eq!(frame.is_some(), wanted.is_some(), "{at}");
        let (Some(frame), Some(wanted)) = (frame, wanted) else {
            continue;
        };
        for thread in &threads {
            assert_eq!(edges(thread.id, *frame), *wanted, "{}, {at}", thread.name);
        }
    }
    let recorded = between[1..3].iter().chain(&around).flatten();
    for frame in recorded {
        // All threads exist during the whole frame, so each one has open zones, even if it enters none in this frame.
        for thread in &threads {
            let report = view(Threads::One(thread.id), *frame).report(&iprof::profiler());
            let hier = |zone| value(&report, zone, ColumnId::HierarchicalTime);
            let (of_thread, of_main) = (bars(thread.id)[frame], bars(main)[frame]);
            assert!(close(of_thread, of_main), "{of_thread} {of_main} {at}");
            if modes.iter().all(|mode| *mode == Timing::Exact) {
                assert!(close(hier("outer"), of_thread), "{at}");
            }
        }
    }
    let recorded: Vec<u64> = between.iter().chain(&around).flatten().copied().collect();
    check_times(&recorded.into_iter().collect(), main);
    assert_eq!(faults(), [""; 0], "{at}");
}

#[test]
fn timing_mode_may_change_while_zones_are_open() {
    let _alone = alone();
    let mut by = 0;
    for first in ON {
        for from in MODES {
            for to in MODES {
                go_across([first, from, to, first], by);
                by += 1;
            }
        }
        // Forget the frames that have been checked, so that later checks don't search them.
        iprof::reset();
    }
}

#[test]
fn waiting_thread_keeps_its_time_across_mode_changes() {
    let _alone = alone();
    let main = |frame| bars(main_thread())[&frame];
    // The rate is so low that nothing is sampled before the mode changes.
    let seldom = Timing::Sampled { hz: 1.0 };
    for from in [Timing::Exact, seldom, Timing::AUTO] {
        for to in ON {
            iprof::set_timing(from);
            iprof::update(true);
            let (begun, wait) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            // With a new thread name, the report excludes the counts of earlier threads.
            let name = format!("stays {from:?} {to:?}");
            let worker = std::thread::Builder::new().name(name.clone());
            let run = move || {
                iprof::zone!(job);
                iprof::zone!(stays);
                let _ = begun.send(());
                let _ = ended.recv();
            };
            let worker = worker.spawn(run).expect("failed to start a thread");
            wait.recv().expect("the worker has ended");
            iprof::set_timing(to);
            iprof::update(true);
            let id = running(&name);
            // The sampler must be notified, wake up, and sample the thread. That takes a few frames at most, however
            // busy the machine is.
            let start = Instant::now();
            let mut right = 0;
            while right < 3 {
                spin(Duration::from_millis(5));
                iprof::update(true);
                let frame = newest_frame();
                let report = view(Threads::One(id), frame).report(&iprof::profiler());
                check_values(&report, main(frame));
                let in_zone = value(&report, "stays", ColumnId::SelfTime);
                if in_zone > 0.9 * main(frame) {
                    right += 1;
                }
                let late = start.elapsed() > Duration::from_secs(3);
                assert!(!late, "{from:?} to {to:?}: only {in_zone} ms in {report:?}");
            }
            drop(end);
            worker.join().expect("the thread panicked");
        }
    }
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn mode_change_keeps_earlier_and_later_times() {
    let _alone = alone();
    const WORK: Duration = Duration::from_millis(10);
    let follow = || {
        iprof::zone!(follow);
    };
    for sampled in [Timing::SAMPLED, Timing::Sampled { hz: 10_000.0 }] {
        // Zones are timed exactly until the mode changes, and sampled after that.
        iprof::set_timing(Timing::Exact);
        iprof::update(true);
        let before = {
            iprof::zone!(measured);
            let before = ms(spin(WORK));
            iprof::set_timing(sampled);
            follow();
            iprof::zone!(rest);
            spin(WORK);
            before
        };
        let frame = recorded_frame().expect("the frame should be recorded");
        let report = view(Threads::One(main_thread()), frame).report(&iprof::profiler());
        // Samples may add to the zone's time. The tolerance of 0.1 ms covers the difference between the clocks.
        let measured = value(&report, "measured", ColumnId::SelfTime);
        assert!(before - 0.1 < measured, "{before} {report:?}");

        // Zones are sampled until the mode changes, and timed exactly after that, while the same zones stay open.
        follow();
        iprof::update(true);
        {
            iprof::zone!(sampled);
            spin(WORK);
        }
        let start = Instant::now();
        let after = {
            iprof::zone!(measured);
            iprof::set_timing(Timing::Exact);
            follow();
            ms(spin(WORK))
        };
        // If the thread was preempted, this value is longer than the work.
        let at_most = ms(start.elapsed());
        let frame = recorded_frame().expect("the frame should be recorded");
        let report = view(Threads::One(main_thread()), frame).report(&iprof::profiler());
        let measured = find(&report, "measured").expect("the zone should have a row");
        // While the zone was sampled, it did nothing but change the mode.
        let measured = measured.value(ColumnId::SelfTime).unwrap();
        let (measured, unsure) = (measured.number, 4.0 * measured.standard_error + 0.1);
        assert!(after - 0.1 < measured, "{after} {report:?}");
        assert!(measured < at_most + unsure, "{at_most} {report:?}");
    }
    assert_eq!(faults(), [""; 0]);
}
