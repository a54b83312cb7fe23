//! Tests that `Timing::Off` records nothing and keeps the last report.

use crate::ON;
use crate::edges::{edges, edges_of};
use crate::measured::*;
use iprof::{ColumnId, Threads, Timing, View};
use std::sync::mpsc;

#[test]
fn off_records_nothing_and_keeps_the_report() {
    let _alone = alone();
    // The worker receives numbers, and runs that many rounds each time.
    let (start_rounds, requested_rounds) = mpsc::channel::<u64>();
    let (finish, finished) = mpsc::channel::<()>();
    let worker = std::thread::Builder::new().name("rounds".into());
    let run = move || {
        iprof::zone!(job);
        let mut round = |_| {
            iprof::zone!(round);
            iprof::counter!(things);
            iprof::begin!(part);
            iprof::end!(part);
        };
        for rounds in requested_rounds {
            (0..rounds).for_each(&mut round);
            let _ = finish.send(());
        }
    };
    let worker = worker.spawn(run).expect("failed to start a thread");
    let rounds = |count: u64| {
        start_rounds.send(count).expect("the worker has ended");
        finished.recv().expect("the worker has ended");
    };
    let expected = |count: u64| {
        edges_of(&[
            ("job", "round", count),
            ("round", "things", count),
            ("round", "part", count),
        ])
    };
    rounds(1);
    iprof::update(true);
    let id = running("rounds");
    for (at, on) in ON.into_iter().cycle().take(9).enumerate() {
        iprof::set_timing(on);
        // The frame in which timing was turned on is not recorded.
        iprof::update(true);
        rounds(5);
        let frame = recorded_frame().expect("the frame should be recorded");
        assert_eq!(edges(id, frame), expected(5));
        let shown = |average: &iprof::Average| {
            let mut view = View::default();
            view.average = *average;
            view.report(&iprof::profiler()).rows
        };
        let before: Vec<_> = iprof::Average::ALL.iter().map(shown).collect();

        // Turn timing off within a frame, for one frame, or for several frames.
        rounds(7);
        iprof::set_timing(Timing::Off);
        if at % 3 > 0 {
            rounds(3);
            assert_eq!(recorded_frame(), None);
        }
        if at % 3 > 1 {
            rounds(2);
            assert_eq!(recorded_frame(), None);
            assert_eq!(
                before,
                iprof::Average::ALL.iter().map(shown).collect::<Vec<_>>()
            );
        }
        let title = &iprof::report().title[1];
        assert!(title.starts_with("off (not recording)"), "{title}");
        iprof::set_timing(on);
        rounds(11);
        assert_eq!(
            recorded_frame(),
            None,
            "a frame with timing off should not be recorded"
        );
        assert_eq!(
            before,
            iprof::Average::ALL.iter().map(shown).collect::<Vec<_>>()
        );

        // The next recorded frame contains nothing from the time when timing was off.
        rounds(13);
        let frame = recorded_frame().expect("the frame should be recorded");
        assert_eq!(edges(id, frame), expected(13));
        let report = view(Threads::One(id), frame).report(&iprof::profiler());
        assert!(
            value(&report, "job", ColumnId::HierarchicalTime) > 0.0,
            "the open zone should have time"
        );
    }
    drop(start_rounds);
    worker.join().expect("the thread panicked");
    assert_eq!(faults(), [""; 0]);
}
