//! A range of frames beyond its sums: where it begins and ends, net times, ticks of other lengths.

use crate::gather::cost::ZoneCost;
use crate::gather::scripted::ScriptedThread;
use crate::process::core::Process;
use crate::process::view::{FrameChoice, View};
use crate::report::{Column, Report};
use crate::timing::Timing;
use crate::{Zone, clock::Pair};

static WORK: Zone = Zone::new("work", "", 0, "");

/// In ticks, which are nanoseconds.
const COST: ZoneCost = ZoneCost {
    timed: 20.0,
    inside: 8.0,
    counted: 1.0,
};

/// Frames of 1, 2, 3 … ms, half of each in `work`, which is entered once in the first frame, twice
/// in the second and so on.
fn process(frames: u64) -> Process {
    let thread = ScriptedThread::begin("range", 0);
    let mut process = Process::new(Pair::both(0));
    process.measured(Some(COST));
    let mut now = 0;
    for frame in 1..=frames {
        for _ in 0..frame {
            thread.enter(&WORK, now);
            now += 500_000;
            thread.leave(now);
            now += 500_000;
        }
        let pair = Pair::both(now);
        process.update(&[thread.record()], thread.record(), pair, true);
    }
    process
}

fn value(report: &Report, zone: &str, column: Column) -> f64 {
    let at = report.columns.iter().position(|head| *head == column);
    let record = report.records.iter().find(|row| &*row.name == zone);
    record.unwrap().values[at.unwrap()]
}

#[test]
fn values_are_means_per_frame_and_the_title_says_of_which() {
    let process = process(9);
    let mut view = View::new();
    view.set_net_times(true);
    view.set_range_in(&process, 6, 3);
    assert_eq!((view.range(), view.frame_number()), (Some((3, 6)), None));
    let report = process.report(&view, None);
    assert!(
        report.title[0].starts_with("4.50 ms/frame  222.2 fps")
            && report.title[0].ends_with("frames 3 to 6, mean of 4"),
        "{}",
        report.title[0]
    );
    assert!(!report.whole_counts);
    assert_eq!(value(&report, "work", Column::COUNT), 4.5);
    let close = |zone, column, wanted: f64| {
        let got = value(&report, zone, column);
        assert!((got - wanted).abs() < 1e-9, "{zone} {column:?}: {got}");
    };
    close("work", Column::SELF, 2.25);
    close("work", Column::NET, 2.25 - 4.5 * 8e-6);
    close("_global", Column::NET, 2.25 - 4.5 * 12e-6);
    // 4.5 zones of 20 ns in 4.5 ms.
    assert!(report.title[1].contains("profiler 0.00 %"));
}

#[test]
fn numbers_that_are_not_remembered_are_moved_and_one_frame_is_itself() {
    let mut process = process(20);
    process.history.set_worst(0);
    process.history.set_capacity(5);
    let mut view = View::new();
    view.set_range_in(&process, 1, 17);
    assert_eq!(view.range(), Some((16, 17)));
    view.set_range_in(&process, 19, u64::MAX);
    assert_eq!(view.range(), Some((19, 20)));
    view.set_range_in(&process, 18, 18);
    assert_eq!((view.range(), view.frame_number()), (None, Some(18)));
    // What of a range is forgotten later is no longer in it.
    view.frame = FrameChoice::Range(10, 17);
    let title = |view: &View| process.report(view, None).title[0].clone();
    assert!(title(&view).ends_with("frames 16 to 17, mean of 2"));
    view.frame = FrameChoice::Range(10, 16);
    assert!(title(&view).ends_with("  frame 16, 4 ago"));
    view.frame = FrameChoice::Range(10, 12);
    assert!(title(&view).ends_with("  frame 16, 4 ago"));
}

#[test]
fn a_range_grows_and_shrinks_at_the_end_that_is_moved() {
    let process = process(20);
    let mut view = View::new();
    let mut extend = |delta| {
        view.extend_range_in(&process, delta);
        (view.range(), view.frame_number())
    };
    // From now on: the newest frame is the end that stays.
    assert_eq!(extend(-3), (Some((17, 20)), None));
    assert_eq!(extend(-1), (Some((16, 20)), None));
    assert_eq!(extend(2), (Some((18, 20)), None));
    assert_eq!(extend(2), (None, Some(20)));
    assert_eq!(extend(-99), (Some((1, 20)), None));
    view.frame = FrameChoice::Number(10);
    let mut extend = |delta| {
        view.extend_range_in(&process, delta);
        view.range()
    };
    assert_eq!(extend(4), Some((10, 14)));
    assert_eq!(extend(-7), Some((7, 10)), "past the end that stays");
}

#[test]
fn a_step_from_a_range_goes_from_the_end_in_that_direction() {
    let process = process(20);
    let step = |delta| {
        let mut view = View::new();
        view.frame = FrameChoice::Range(12, 8);
        view.move_frame_in(&process, delta);
        view.frame_number()
    };
    assert_eq!((step(-1), step(1)), (Some(7), Some(13)));
}

/// In milliseconds, whatever a tick is: here the last frame's are twice as long.
#[test]
fn frames_with_ticks_of_different_lengths_are_averaged_in_milliseconds() {
    let mut process = process(2);
    let mut scaled = process.history.find(1).unwrap().clone();
    scaled.number = 3;
    scaled.ms_per_tick *= 2.0;
    process.history.push(scaled);
    let mut view = View::new();
    view.set_range_in(&process, 2, 3);
    let report = process.report(&view, None);
    assert!((value(&report, "work", Column::SELF) - 1.0).abs() < 1e-9);
    assert!(report.title[0].starts_with("2.00 ms/frame"));
}

/// Errors of one frame to the next are not independent: they add up. And a node that ran on
/// another one's clock in any of the frames is as uncertain as that one's part of both.
#[test]
fn errors_are_means_and_whoever_shared_a_clock_in_some_frame_shares_it_in_the_range() {
    let mut process = process(2);
    for frame in [1, 2] {
        let mut sampled = process.history.find(frame).unwrap().clone();
        sampled.number = 2 + frame;
        sampled.sampler_ns = 90_000;
        if frame == 2 {
            sampled.timing = Timing::SAMPLED;
        }
        for sample in &mut sampled.samples {
            // In ticks; below 0 for a clock of one's own, which `work` has in the last frame alone.
            let is_own = sample.node == 0 || frame == 2;
            sample.error = if is_own { -300_000.0 } else { 300_000.0 };
        }
        process.history.push(sampled);
    }
    let mut view = View::new();
    view.set_range_in(&process, 3, 4);
    view.set_net_times(true);
    let report = process.report(&view, None);
    let at = report.columns.iter().position(|head| *head == Column::SELF);
    let row = report.records.iter().find(|row| &*row.name == "work");
    // Two parts of an exact sum, each with 0.3 ms.
    let error = row.unwrap().errors[at.unwrap()];
    assert!((error - 0.3 * 0.5_f64.sqrt()).abs() < 1e-6, "{error}");
    // Only in the last frame did it read the clock, twice.
    let [own, net] = [Column::SELF, Column::NET].map(|column| value(&report, "work", column));
    assert!((own - net - 8e-6).abs() < 1e-9, "{own} - {net}");
    assert!(
        report.title[1].starts_with("sampled"),
        "the last frame's: {:?}",
        report.title
    );
    // 0.09 of 1.5 ms.
    assert!(
        report.title[1].contains("profiler 6.00 %"),
        "{:?}",
        report.title
    );
}
