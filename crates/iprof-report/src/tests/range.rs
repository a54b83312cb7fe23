//! Tests for ranges of frames, except their sums: their ends, net times, and ticks of different lengths.

use crate::query;
use crate::report::{ColumnId, Report};
use crate::view::View;
use iprof_gather::cost::ZoneCost;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::Timing;

static WORK: Zone = Zone::new("work", "", 0, "");

/// The cost of recording a zone, in ticks. A tick is a nanosecond.
const COST: ZoneCost = ZoneCost {
    timed: 20.0,
    inside: 8.0,
    counted: 1.0,
};

/// Records frames of 1, 2, 3 … ms. Half of each frame is spent in `work`, which is entered once in the first frame,
/// twice in the second, and so on.
pub(super) fn profiler(frames: u64) -> Profiler {
    let thread = ScriptedThread::begin("range", 0);
    let mut profiler = Profiler::new(Pair::both(0));
    profiler.add_cost_measurement(Some(COST));
    let mut now = 0;
    for frame in 1..=frames {
        for _ in 0..frame {
            thread.enter(&WORK, now);
            now += 500_000;
            thread.leave(now);
            now += 500_000;
        }
        let pair = Pair::both(now);
        profiler.end_frame(&[thread.record()], thread.record(), pair, true);
    }
    profiler
}

pub(super) fn value(report: &Report, zone: &str, column: ColumnId) -> f64 {
    let row = report.rows.iter().find(|row| &*row.name == zone);
    row.unwrap().value(column).unwrap().number
}

/// Shows a range of frames, at least one of which is remembered.
pub(super) fn set_range(view: &mut View, profiler: &Profiler, first: u64, last: u64) {
    assert!(view.choose_frames(profiler.history(), &range(first, last)));
}

fn range(first: u64, last: u64) -> Frames {
    Frames::Range { first, last }
}

#[test]
fn range_shows_means_and_the_title_names_its_frames() {
    let profiler = profiler(9);
    let mut view = View::default();
    view.set_column(ColumnId::NetTime, true);
    set_range(&mut view, &profiler, 6, 3);
    assert_eq!(view.frames(), range(3, 6));
    let report = query::report(&profiler, &view, None);
    assert!(
        report.title[0].starts_with("4.50 ms/frame  222.2 fps")
            && report.title[0].ends_with("frames 3 to 6, mean of 4"),
        "{}",
        report.title[0]
    );
    assert!(!report.whole_counts);
    assert_eq!(value(&report, "work", ColumnId::Count), 4.5);
    let close = |zone, column, wanted: f64| {
        let got = value(&report, zone, column);
        assert!((got - wanted).abs() < 1e-9, "{zone} {column:?}: {got}");
    };
    close("work", ColumnId::SelfTime, 2.25);
    close("work", ColumnId::NetTime, 2.25 - 4.5 * 8e-6);
    close("(outside zones)", ColumnId::NetTime, 2.25 - 4.5 * 12e-6);
    // 4.5 zones cost 20 ns each, in 4.5 ms.
    assert!(report.title[1].contains("overhead 0.00 %"));
}

#[test]
fn range_is_clamped_to_remembered_frames() {
    let mut profiler = profiler(20);
    profiler.history_mut().set_longest(0);
    profiler.history_mut().set_capacity(5);
    let mut view = View::default();
    set_range(&mut view, &profiler, 1, 17);
    assert_eq!(view.frames(), range(16, 17));
    set_range(&mut view, &profiler, 19, u64::MAX);
    assert_eq!(view.frames(), range(19, 20));
    set_range(&mut view, &profiler, 18, 18);
    assert_eq!(view.frames(), Frames::Number(18));
    // Frames forgotten later are no longer in the range.
    view.frame = Frames::Range {
        first: 10,
        last: 17,
    };
    let title = |view: &View| query::report(&profiler, view, None).title[0].clone();
    assert!(title(&view).ends_with("frames 16 to 17, mean of 2"));
    view.frame = Frames::Range {
        first: 10,
        last: 16,
    };
    assert!(title(&view).ends_with("  frame 16, 4 frames ago"));
    view.frame = Frames::Range {
        first: 10,
        last: 12,
    };
    assert!(title(&view).ends_with("  frame 16, 4 frames ago"));
}

#[test]
fn range_grows_and_shrinks_at_its_moving_end() {
    let profiler = profiler(20);
    let mut view = View::default();
    let mut extend = |delta| {
        view.extend_range(profiler.history(), delta);
        view.frames()
    };
    // From the live view, the newest frame becomes the fixed end.
    assert_eq!(extend(-3), range(17, 20));
    assert_eq!(extend(-1), range(16, 20));
    assert_eq!(extend(2), range(18, 20));
    assert_eq!(extend(2), Frames::Number(20));
    assert_eq!(extend(-99), range(1, 20));
    view.frame = Frames::Number(10);
    let mut extend = |delta| {
        view.extend_range(profiler.history(), delta);
        view.frames()
    };
    assert_eq!(extend(4), range(10, 14));
    assert_eq!(
        extend(-7),
        range(7, 10),
        "the range should extend past its fixed end"
    );
}

#[test]
fn step_leaves_range_at_the_end_it_moves_toward() {
    let profiler = profiler(20);
    let step = |delta| {
        let mut view = View::default();
        view.frame = Frames::Range { first: 12, last: 8 };
        view.move_frame(profiler.history(), profiler.session(), delta);
        view.frames()
    };
    assert_eq!((step(-1), step(1)), (Frames::Number(7), Frames::Number(13)));
}

/// The last frame's ticks are twice as long as the others.
#[test]
fn range_averages_different_ticks_in_milliseconds() {
    let mut profiler = profiler(2);
    let mut scaled = profiler.history().find(1).unwrap().clone();
    scaled.number = 3;
    scaled.ms_per_tick *= 2.0;
    profiler.history_mut().push(scaled);
    let mut view = View::default();
    set_range(&mut view, &profiler, 2, 3);
    let report = query::report(&profiler, &view, None);
    assert!((value(&report, "work", ColumnId::SelfTime) - 1.0).abs() < 1e-9);
    assert!(report.title[0].starts_with("2.00 ms/frame"));
}

/// Errors of successive frames are not independent, so they add up. A node that was untimed in any of the frames has
/// the error of its portion of the range's timer group.
#[test]
fn range_forms_one_timer_group_and_averages_errors() {
    let mut profiler = profiler(2);
    for frame in [1, 2] {
        let mut sampled = profiler.history().find(frame).unwrap().clone();
        sampled.number = 2 + frame;
        sampled.sampler_ns = 90_000;
        if frame == 2 {
            sampled.timing = Timing::SAMPLED;
        }
        for delta in &mut sampled.deltas {
            // Errors are in ticks, and negative if the node has its own clock. `work` has its own clock only in the
            // last frame.
            let is_own = delta.node == 0 || frame == 2;
            delta.error = if is_own { -300_000.0 } else { 300_000.0 };
        }
        profiler.history_mut().push(sampled);
    }
    let mut view = View::default();
    set_range(&mut view, &profiler, 3, 4);
    view.set_column(ColumnId::NetTime, true);
    let report = query::report(&profiler, &view, None);
    let row = report.rows.iter().find(|row| &*row.name == "work");
    // The exact sum consists of two times, each with an error of 0.3 ms.
    let error = row.unwrap().standard_error(ColumnId::SelfTime);
    assert!((error - 0.3 * 0.5_f64.sqrt()).abs() < 1e-6, "{error}");
    // `work` read the clock only in the last frame, twice.
    let [own, net] =
        [ColumnId::SelfTime, ColumnId::NetTime].map(|column| value(&report, "work", column));
    assert!((own - net - 8e-6).abs() < 1e-9, "{own} - {net}");
    assert!(
        report.title[1].starts_with("sampled"),
        "the last frame's timing mode should be shown: {:?}",
        report.title
    );
    // The overhead is 0.09 ms out of 1.5 ms.
    assert!(
        report.title[1].contains("overhead 6.00 %"),
        "{:?}",
        report.title
    );
}
