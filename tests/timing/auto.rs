//! Tests `Timing::Auto`, in which hot zones stop reading the clock, so that recording stays within the overhead budget.

use crate::measured::*;
use crate::own_program::is_emulated;
use iprof::{ColumnId, Report, Threads, Timing};
use std::time::{Duration, Instant};

/// The number of hot zones entered per frame. It is low enough that they don't take up the whole frame even if a clock
/// read takes 40 ns. If they did, the costs with and without clocks would be too similar for a budget between them.
const HOT: u64 = 30_000;

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
    let report = view(Threads::One(main_thread()), frame).report(&iprof::profiler());
    find(&report, zone)
        .is_some_and(|row| row.value(iprof::ColumnId::SelfTime).unwrap().standard_error > 0.0)
}

fn count(zone: &str, frame: u64) -> f64 {
    let report = view(Threads::One(main_thread()), frame).report(&iprof::profiler());
    value(&report, zone, ColumnId::Count)
}

/// Returns the overhead shown in the title, as a fraction of the time. `Auto` shows the overhead of `update`
/// separately.
fn shown_part(report: &Report) -> f64 {
    let after = |word: &str| -> Option<f64> {
        let (_, rest) = report.title[1].split_once(word)?;
        let percent = rest
            .split(' ')
            .next()
            .and_then(|number| number.parse().ok());
        Some(percent.expect("the title should contain a number"))
    };
    let auto = after("measured ").zip(after("update "));
    let percent = auto.map(|(recording, update)| recording + update);
    percent
        .or_else(|| after("overhead "))
        .expect("the title should show the overhead")
        / 100.0
}

/// Returns a budget that [`HOT`] zones exceed with clocks and stay within without clocks. It is the geometric mean of
/// the two overheads shown in the title.
fn budget_between_costs() -> f64 {
    let part = |timing| {
        iprof::set_timing(timing);
        let parts = (0..31).map(|_| {
            let frame = auto_frame(HOT);
            let shown = shown_part(&view(Threads::All, frame).report(&iprof::profiler()));
            (bars(main_thread())[&frame], shown)
        });
        // Use the shortest frame, which is the least disturbed.
        parts
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("the range is not empty")
            .1
    };
    let (exact, counted) = (part(Timing::Exact), part(Timing::SAMPLED));
    assert!(0.0 < counted && counted < exact, "{counted} {exact}");
    iprof::set_timing(Timing::Exact);
    iprof::update(false);
    (exact * counted).sqrt()
}

#[test]
fn auto_stops_and_resumes_timing_hot_zones() {
    if is_emulated() {
        println!(
            "skipped: an emulator's costs waver too much to tell a budget between two of them"
        );
        return;
    }
    again_if_busy(check_clock_is_taken_and_returned);
}

fn check_clock_is_taken_and_returned() {
    let _alone = alone();
    let budget = budget_between_costs();
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
    // Hot zones stop reading the clock as soon as the costs have been measured.
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
    // On a busy machine, the budget may allow the clock now and then. The wait before the clock is given back doubles
    // each time: 1 s, 2 s, 4 s. The number of changes is therefore at most logarithmic in the elapsed time.
    let backs = (start.elapsed().as_secs_f64() + 1.0)
        .log2()
        .floor()
        .max(1.0);
    assert!(changes <= 2 * backs as u32, "{changes}, {backs}");
    let title = &iprof::report().title[1];
    assert!(title.starts_with("auto: budget "), "{title}");
    assert!(title.contains(" %, measured "), "{title}");
    assert!(title.ends_with(" call stacks sampled"), "{title}");
    // The time limit covers the wait of at least a second and the two seconds of averages. It also covers waits of two
    // and four seconds, in case the clock was taken away again in the meantime.
    wait_for(false, 5, 8);
    let frame = auto_frame(5);
    assert!(!is_sampled("hot", frame) && !is_sampled("long", frame));
    let title = &view(Threads::All, frame).report(&iprof::profiler()).title[1];
    assert!(title.contains("  0 of "), "{title}");
    // Hot zones must stop reading the clock again immediately.
    wait_for(true, HOT, 2);
    assert_eq!(faults(), [""; 0]);
}

/// Measures the cost of a zone with a clock and of a zone without a clock, in nanoseconds. The measurement doesn't use
/// the profiler: a loop is timed from outside. Returns the minimum of many runs, because other programs only add time.
fn cost_ns() -> [f64; 2] {
    const ZONES: u64 = 1_000;
    [Timing::Exact, Timing::SAMPLED].map(|timing| {
        iprof::set_timing(timing);
        let time = |_| {
            let start = Instant::now();
            hot(ZONES);
            start.elapsed()
        };
        let fastest = (0..300).map(time).min().expect("the range is not empty");
        fastest.as_secs_f64() * 1e9 / ZONES as f64
    })
}

#[inline(never)]
fn warm(times: u64) {
    for _ in 0..times {
        iprof::zone!(warm);
        std::hint::black_box(times);
    }
}

/// Records half a second of frames, in zones that are new on this thread. With clocks, the hot zones cost twice the
/// budget, and the warm zones cost a twentieth of it.
///
/// Returns the recording cost that is shown, the cost computed from [`cost_ns`], and the limit computed from it. All
/// three are taken from the median frame, because preempted frames may show any cost.
fn cost_shown([timed, counted]: [f64; 2], timing: Timing, budget: f64) -> [f64; 3] {
    const WORK: Duration = Duration::from_millis(10);
    let zones = |part: f64| (part * WORK.as_nanos() as f64 / timed) as u64;
    let (hots, warms) = (zones(2.0 * budget), zones(budget / 20.0));
    let frame_of = |_| {
        {
            iprof::zone!(long);
            spin(WORK);
        }
        hot(hots);
        warm(warms);
        iprof::update(true);
        newest_frame()
    };
    // `Auto` decides in the first frame, so skip it.
    let frames: Vec<u64> = (0..50).map(frame_of).skip(1).collect();
    let has_clocks = timing == Timing::Exact;
    let thread = main_thread();
    let mut parts = Vec::new();
    let mut as_it_should = 0;
    for frame in frames {
        let report = view(Threads::One(thread), frame).report(&iprof::profiler());
        let frame_ms = bars(thread)[&frame];
        let (mut counting, mut clocks) = (0.0, 0.0);
        for row in &report.rows {
            let entries = row.value(ColumnId::Count).unwrap().number;
            let part = |ns: f64| entries * ns * 1e-6 / frame_ms;
            counting += part(counted);
            if row.value(iprof::ColumnId::SelfTime).unwrap().standard_error == 0.0 {
                clocks += part(timed - counted);
            }
        }
        let limit = counting + (budget - counting).max(budget / 10.0);
        let is_right = is_sampled("hot", frame) != has_clocks;
        as_it_should += u32::from(is_right && (counting + clocks <= limit || has_clocks));
        for (zone, entries) in [("hot", hots), ("warm", warms), ("long", 1)] {
            assert_eq!(count(zone, frame), entries as f64);
            assert!(zone == "hot" || !is_sampled(zone, frame), "{report:?}");
        }
        // Subtract the cost of ending the frame, which has its own row in the report.
        let update = value(&report, "iprof_update", ColumnId::SelfTime) / frame_ms;
        parts.push([shown_part(&report) - update, counting + clocks, limit]);
    }
    // On an idle machine, the condition holds for all frames. If a clock is given back by mistake, it is taken away in
    // the next frame.
    assert!(as_it_should >= 40, "{timing:?}: {as_it_should}");
    parts.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    parts[parts.len() / 2]
}

/// Checks the computed cost. The program's actual slowdown can't be checked, because it depends on how busy the machine
/// is.
#[test]
fn clock_cost_is_within_the_overhead_limit() {
    let _alone = alone();
    let cost = cost_ns();
    // Give the profiler time to measure the costs undisturbed.
    iprof::set_timing(Timing::Exact);
    (0..100).for_each(|_| iprof::update(true));
    let auto = |budget| (Timing::Auto { budget }, budget);
    for (timing, budget) in [(Timing::Exact, 0.05), auto(0.05), auto(0.01), auto(0.002)] {
        iprof::set_timing(timing);
        let name = format!("{timing:?}");
        let thread = std::thread::Builder::new().name(name.clone());
        let thread = thread.spawn(move || cost_shown(cost, timing, budget));
        let result = thread.expect("failed to start a thread").join();
        let [shown, wanted, limit] = result.expect("the measuring thread panicked");
        // The two costs are measured in different loops. In debug builds, nothing is inlined into this test's loop, so
        // counting takes several times as long as in the library's loop. Clock reads take the same time in both.
        let is_alike = !cfg!(debug_assertions) || timing == Timing::Exact;
        assert!(
            shown >= 0.5 * wanted || !is_alike,
            "{name}: shown {shown}, expected {wanted}"
        );
        // The cost shown includes the sampler's cost, which is at most 0.5%.
        assert!(
            shown <= 2.0 * wanted + 0.005,
            "{name}: shown {shown}, expected {wanted}"
        );
        let is_within = shown <= 1.5 * limit + 0.005;
        assert!(
            is_within || timing == Timing::Exact,
            "{name}: shown {shown}, limit {limit}"
        );
    }
    let own = ["iprof cost", "iprof sampler"];
    let mut threads = iprof::threads().into_iter();
    assert!(threads.all(|thread| !own.contains(&&*thread.name)));
    assert!(find(&iprof::report(), "iprof_cost").is_none());
    assert_eq!(faults(), [""; 0]);
}
