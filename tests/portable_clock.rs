//! Tests the operating system's clock, which replaces an unreliable timestamp counter. All guarantees about times must
//! hold with that clock.

#![cfg(feature = "enable")]

#[path = "support/measured.rs"]
mod measured;

use iprof::{ColumnId, Report, Threads, Timing};
use measured::{
    again_if_busy, alone, check_times, close, find, main_thread, ms, newest_frame, running, spin,
    value, view,
};
use std::collections::BTreeSet;
use std::sync::{MutexGuard, mpsc};
use std::time::{Duration, Instant};

/// Runs one test at a time, and selects the portable clock before anything is measured.
fn alone_with_the_portable_clock() -> MutexGuard<'static, ()> {
    assert!(iprof::__private::use_portable_clock());
    alone()
}

fn report(frame: u64) -> Report {
    view(Threads::One(main_thread()), frame).report(&iprof::profiler())
}

/// Works in the zone `work`, and in the zone `part` inside it. Returns the minimum and maximum self times of both
/// zones, in ms.
fn work(time: Duration) -> [[f64; 2]; 2] {
    let outer = Instant::now();
    let (mut at_least, part) = {
        iprof::zone!(work);
        let mut at_least = ms(spin(time));
        let start = Instant::now();
        let part = {
            iprof::zone!(part);
            ms(spin(time / 2))
        };
        let part = [part, ms(start.elapsed())];
        at_least += ms(spin(time));
        (at_least, part)
    };
    let all = ms(outer.elapsed());
    // If the thread is preempted between two clock reads, the preemption may be included in either zone's time.
    at_least = at_least.min(all - part[1]);
    [[at_least, all - part[0]], part]
}

#[test]
fn exact_times_are_exact() {
    let _alone = alone_with_the_portable_clock();
    // A frame lasts from one `update` to the next, including any reports built in between.
    let mut before = Instant::now();
    iprof::update(true);
    let (start, started) = mpsc::channel::<()>();
    let (send_spans, measured_spans) = mpsc::channel();
    let worker = std::thread::Builder::new().name("worker".into());
    let run = move || {
        for () in started {
            let _ = send_spans.send(work(Duration::from_millis(1)));
        }
    };
    let worker = worker.spawn(run).expect("failed to start a thread");
    let mut frames = BTreeSet::new();
    for _ in 0..50 {
        start.send(()).expect("the worker has ended");
        let mine = work(Duration::from_millis(2));
        let theirs = measured_spans.recv().expect("the worker has ended");
        let begun = std::mem::replace(&mut before, Instant::now());
        iprof::update(true);
        let at_most = ms(begun.elapsed());
        let frame = newest_frame();
        for (thread, spans) in [(main_thread(), mine), (running("worker"), theirs)] {
            let report = view(Threads::One(thread), frame).report(&iprof::profiler());
            for (zone, [at_least, at_most]) in ["work", "part"].into_iter().zip(spans) {
                // The tolerance covers the time for clock reads and the rounding of the clock's rate.
                let found = value(&report, zone, ColumnId::SelfTime);
                let is_right = at_least - 0.05 <= found && found <= at_most + 0.05;
                assert!(
                    is_right,
                    "{zone}: {found}, expected {at_least} to {at_most}"
                );
                assert_eq!(value(&report, zone, ColumnId::Count), 1.0);
            }
        }
        let frame_ms = measured::bars(main_thread())[&frame];
        assert!(
            frame_ms <= at_most + 0.05 && frame_ms >= 5.0,
            "frame took {frame_ms} ms, at most {at_most} passed"
        );
        frames.insert(frame);
    }
    check_times(&frames, main_thread());
    drop(start);
    worker.join().expect("the thread panicked");
    // There must be no warning about the clock's rate, because there is no other clock to compare it with.
    assert_eq!(iprof::report().warnings, [""; 0]);
}

#[test]
fn sampled_times_are_within_their_error() {
    again_if_busy(check_sampled_times);
}

fn check_sampled_times() {
    let _alone = alone_with_the_portable_clock();
    iprof::set_timing(Timing::SAMPLED);
    iprof::update(true);
    let mut frames = BTreeSet::new();
    let (mut found, mut truth, mut all) = (0.0, 0.0, 0.0);
    for _ in 0..100 {
        let [[_, whole], [_, part]] = work(Duration::from_millis(2));
        iprof::update(true);
        let frame = newest_frame();
        let report = report(frame);
        assert_eq!(value(&report, "work", ColumnId::Count), 1.0);
        assert!(
            find(&report, "part")
                .expect("the zone should have a row")
                .value(iprof::ColumnId::SelfTime)
                .unwrap()
                .standard_error
                > 0.0
        );
        found += value(&report, "part", ColumnId::SelfTime);
        truth += part;
        all += whole + part;
        frames.insert(frame);
    }
    check_times(&frames, main_thread());
    // If a zone takes a fifth of the time, 500 samples give a standard error of 0.02. The tolerance is four standard
    // errors for half as many samples, as on a busy machine.
    let (found, truth) = (found / all, truth / all);
    assert!((found - truth).abs() < 0.12, "{found}, expected {truth}");
    assert_eq!(iprof::report().warnings, [""; 0]);
}

#[test]
fn auto_stops_timing_hot_zones() {
    again_if_busy(take_the_clock);
}

fn take_the_clock() {
    let _alone = alone_with_the_portable_clock();
    iprof::set_timing(Timing::AUTO);
    let start = Instant::now();
    loop {
        let before = Instant::now();
        let [[_, _], [part, _]] = work(Duration::from_millis(1));
        for _ in 0..50_000 {
            iprof::zone!(hot);
            std::hint::black_box(before);
        }
        iprof::update(true);
        let report = report(newest_frame());
        assert_eq!(value(&report, "hot", ColumnId::Count), 50_000.0);
        // The zone `part` is long, so it keeps reading the clock and has an exact time.
        assert_eq!(
            find(&report, "part")
                .expect("the zone should have a row")
                .value(iprof::ColumnId::SelfTime)
                .unwrap()
                .standard_error,
            0.0
        );
        assert!(value(&report, "part", ColumnId::SelfTime) >= part - 0.05);
        let sum: f64 = report
            .rows
            .iter()
            .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
            .sum();
        assert!(
            close(
                sum,
                value(&report, "(outside zones)", ColumnId::HierarchicalTime)
            ),
            "{report:?}"
        );
        if find(&report, "hot")
            .expect("the zone should have a row")
            .value(iprof::ColumnId::SelfTime)
            .unwrap()
            .standard_error
            > 0.0
        {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{report:?}");
    }
    assert_eq!(iprof::report().warnings, [""; 0]);
}
