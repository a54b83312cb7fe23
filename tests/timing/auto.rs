//! Auto: what is hot loses its clock.

use crate::measured::*;
use iprof::{Column, Threads, Timing};
use std::time::{Duration, Instant};

const HOT: u64 = 100_000;

#[inline(never)]
fn hot(times: u64) {
    for _ in 0..times {
        iprof::zone!(hot);
        std::hint::black_box(times);
    }
}

fn auto_frame(hots: u64) -> u64 {
    {
        iprof::zone!(long);
        spin(Duration::from_millis(1));
    }
    hot(hots);
    iprof::update(true);
    newest_frame()
}

/// Whether a zone's time in a frame of this thread was sampled.
fn is_sampled(zone: &str, frame: u64) -> bool {
    let report = view(Threads::One(main_thread()), frame).report();
    find(&report, zone).is_some_and(|record| record.errors[0] > 0.0)
}

fn count(zone: &str, frame: u64) -> f64 {
    let report = view(Threads::One(main_thread()), frame).report();
    value(&report, zone, Column::COUNT)
}

/// A budget that [`HOT`] zones exceed with clocks and keep without, by what the title says they
/// cost here: the geometric mean of both, as far from either as can be.
fn budget_between() -> f64 {
    let part = |timing| {
        iprof::set_timing(timing);
        let parts = (0..31).map(|_| {
            let frame = auto_frame(HOT);
            let title = &view(Threads::All, frame).report().title[1];
            let (_, profiler) = title.split_once("profiler ").expect("it says so");
            let percent = profiler.trim_end_matches(" %").parse::<f64>();
            (
                bars(main_thread())[&frame],
                percent.expect("a number") / 100.0,
            )
        });
        // Of the shortest frame: in the others the machine had other things to do.
        parts.min_by(|a, b| a.0.total_cmp(&b.0)).expect("some").1
    };
    let (exact, counted) = (part(Timing::Exact), part(Timing::SAMPLED));
    assert!(0.0 < counted && counted < exact, "{counted} {exact}");
    iprof::set_timing(Timing::Exact);
    iprof::update(false);
    (exact * counted).sqrt()
}

#[test]
fn auto_takes_the_clock_of_what_is_hot_and_gives_it_back() {
    let _alone = alone();
    let budget = budget_between();
    iprof::set_timing(Timing::Auto { budget });
    let wait_for = |sampled: bool, hots: u64, seconds: u64| {
        let start = Instant::now();
        loop {
            let frame = auto_frame(hots);
            assert_eq!(count("hot", frame), hots as f64);
            assert_eq!(count("long", frame), 1.0);
            if is_sampled("hot", frame) == sampled {
                break start.elapsed();
            }
            let in_time = start.elapsed() < Duration::from_secs(seconds);
            assert!(in_time, "{sampled}, budget {budget}: {:?}", iprof::report());
        }
    };
    // At once, but for what has to be measured first.
    wait_for(true, HOT, 5);
    let start = Instant::now();
    let mut changes = 0;
    let mut was = true;
    for _ in 0..200 {
        let frame = auto_frame(HOT);
        let is = is_sampled("hot", frame);
        changes += u32::from(is != was);
        was = is;
        assert_eq!(count("hot", frame), HOT as f64);
        assert_eq!(count("long", frame), 1.0);
        assert!(
            !is_sampled("long", frame),
            "budget {budget}: {:?}",
            iprof::report()
        );
    }
    // On a machine that has other things to do there is room now and then. But each time that the
    // clock comes back takes twice as long: 1 s, 2 s, 4 s. So it is as often as 1 s has doubled.
    let backs = (start.elapsed().as_secs_f64() + 1.0)
        .log2()
        .floor()
        .max(1.0);
    assert!(changes <= 2 * backs as u32, "{changes}, {backs}");
    let title = &iprof::report().title[1];
    assert!(title.starts_with("auto "), "{title}");
    assert!(title.contains(" stacks sampled  profiler "), "{title}");
    // Within the second that it has to wait at least, the two that averages take, and twice and
    // four times as long if it lost its clock again meanwhile.
    wait_for(false, 5, 8);
    let frame = auto_frame(5);
    assert!(!is_sampled("hot", frame) && !is_sampled("long", frame));
    let title = &view(Threads::All, frame).report().title[1];
    assert!(title.contains(": 0 of "), "{title}");
    // And again, at once.
    wait_for(true, HOT, 2);
    assert_eq!(faults(), [""; 0]);
}
