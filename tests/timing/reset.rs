//! Tests that `reset` discards all recorded data in every timing mode.

use crate::edges::{edges, edges_of};
use crate::measured::*;
use crate::sampled::work_in_three_zones;
use crate::{MODES, ON};
use iprof::{ColumnId, Threads, Timing, View};
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::time::{Duration, Instant};

#[test]
fn reset_forgets_the_past_and_keeps_zones_open() {
    let _alone = alone();
    for (at, timing) in MODES.into_iter().chain(ON).enumerate() {
        iprof::set_timing(timing);
        iprof::update(true);
        iprof::update(true);
        let gate = Barrier::new(2);
        let steps = || {
            iprof::zone!(open);
            iprof::begin!(begun);
            for _ in 0..5 {
                iprof::zone!(early);
            }
            gate.wait();
            gate.wait();
            for _ in 0..7 {
                iprof::zone!(later);
                iprof::counter!(things);
            }
            gate.wait();
            gate.wait();
            iprof::end!(begun);
        };
        let (frame, worker, seen) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("resets".into());
            let worker = thread
                .spawn_scoped(scope, steps)
                .expect("failed to start a thread");
            gate.wait();
            // Reset at the end of a frame or within it, on this thread or on a different one.
            if at % 2 == 0 {
                iprof::update(true);
            }
            if at % 3 == 0 {
                iprof::reset();
            } else {
                scope
                    .spawn(iprof::reset)
                    .join()
                    .expect("the thread panicked");
            }
            let after = (newest_frame(), iprof::report().rows.len());
            // If timing was off, turn it on to record later entries.
            iprof::set_timing(if timing == Timing::Off {
                Timing::Exact
            } else {
                timing
            });
            iprof::update(timing != Timing::Off);
            gate.wait();
            gate.wait();
            let frame = recorded_frame();
            let id = iprof::threads()
                .into_iter()
                .find(|t| t.running && t.name == "resets");
            gate.wait();
            worker.join().expect("the thread panicked");
            (frame, id, after)
        });
        assert_eq!(seen, (0, 0), "{timing:?}: nothing should be left");
        let frame = frame.expect("the frame should be recorded");
        let main = main_thread();
        let id = worker.expect("the worker should be listed").id;
        let top = if timing == Timing::Off {
            "(outside zones)"
        } else {
            "begun"
        };
        let wanted = edges_of(&[(top, "later", 7), ("later", "things", 7)]);
        assert_eq!(edges(id, frame), wanted, "{timing:?}");
        let frames: BTreeSet<u64> = bars(main).into_keys().collect();
        assert!(frames.contains(&frame) && frames.len() <= 2, "{frames:?}");
        check_times(&frames, main);
        for frame in frames {
            let report = view(Threads::One(id), frame).report(&iprof::profiler());
            assert_eq!(value(&report, "early", ColumnId::Count), 0.0);
            assert_eq!(value(&report, "open", ColumnId::Count), 0.0);
            if matches!(timing, Timing::Exact) {
                assert!(
                    value(&report, "open", ColumnId::HierarchicalTime) > 0.0,
                    "the open zone should have time"
                );
            }
        }
    }
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn exact_times_are_not_marked_sampled_after_a_reset() {
    let _alone = alone();
    let marked = || {
        let mut view = View::default();
        iprof::Average::ALL.iter().any(|&average| {
            view.average = average;
            view.report(&iprof::profiler())
                .columns
                .contains(&ColumnId::StandardError)
        })
    };
    let frame = || {
        work_in_three_zones([100, 100, 100]);
        iprof::update(true);
    };
    iprof::set_timing(Timing::SAMPLED);
    (0..5).for_each(|_| frame());
    assert!(marked());
    iprof::set_timing(Timing::Exact);
    (0..2).for_each(|_| frame());
    assert!(marked(), "averages still contain sampled times");
    // The report stays marked no matter for how long nothing is recorded.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2700) {
        spin(Duration::from_millis(100));
        iprof::update(false);
    }
    assert!(marked(), "the report should stay marked");
    iprof::reset();
    frame();
    assert!(!marked(), "{:?}", iprof::report());
}
