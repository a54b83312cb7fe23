//! Tests for a zone's spikes: frames in which it took far more time than usual.

use crate::query;
use crate::query::zone_spikes::zone_spikes;
use crate::report::{ReportMode, RowKey};
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

static STEP: Zone = Zone::new("step", "", 0, "");
static NAV: Zone = Zone::new("nav", "", 0, "");
static FLOOD: Zone = Zone::new("flood", "", 0, "");

/// Records frames in which `step`, `nav` and `flood`, each nested in the one before, take this many microseconds.
fn profiler(frames: impl IntoIterator<Item = [u64; 3]>) -> Profiler {
    let mut now = 1_000;
    let thread = ScriptedThread::begin("main", now);
    let mut profiler = Profiler::new(Pair::both(now));
    for us in frames {
        for (zone, us) in [&STEP, &NAV, &FLOOD].into_iter().zip(us) {
            if us > 0 {
                thread.enter(zone, now);
                now += us * 1_000;
            }
        }
        for _ in us.iter().filter(|us| **us > 0) {
            thread.leave(now);
        }
        profiler.end_frame(&[thread.record()], thread.record(), Pair::both(now), true);
    }
    profiler
}

const NONE: [u64; 0] = [];

#[track_caller]
fn row(profiler: &Profiler, view: &View, name: &str) -> RowKey {
    let report = query::report(profiler, view, None);
    let mut rows = report.rows.iter();
    let row = rows.find(|row| &*row.name == name);
    row.unwrap_or_else(|| panic!("no row {name} in {report:?}"))
        .key
}

#[track_caller]
fn spikes(profiler: &Profiler, view: &View, name: &str) -> Vec<u64> {
    zone_spikes(profiler, view, row(profiler, view, name))
}

/// Returns the length of a frame on a busy machine, 16 to 55 ms, which doesn't depend on the zone.
fn noise(frame: u64) -> u64 {
    16_000 + (frame * 17 % 45).pow(2) * 20
}

#[test]
fn zone_spikes_ignore_frames_long_for_other_reasons() {
    let nav = |frame: u64| {
        if frame.is_multiple_of(50) {
            9_000
        } else {
            40 + frame % 9
        }
    };
    let profiler = profiler((1..=200).map(|frame| [noise(frame), nav(frame), 0]));
    let mut view = View::default();
    assert!(
        profiler.history().spikes().len() > 10,
        "noise should cause many frame spikes"
    );
    assert_eq!(spikes(&profiler, &view, "nav"), [50, 100, 150, 200]);
    assert_eq!(
        spikes(&profiler, &view, "step"),
        NONE,
        "a zone whose time always varies should have no spikes"
    );
    assert_eq!(spikes(&profiler, &view, "(outside zones)"), NONE);
    // Step back from the live view and forward again. The cursor stays on the zone.
    let nav = row(&profiler, &view, "nav");
    let mut step = |direction| {
        view.step_to_spike_of(&profiler, nav, direction);
        let report = query::report(&profiler, &view, None);
        let cursor = report.cursor().map(|at| report.rows[at].name.to_string());
        (view.frames(), cursor)
    };
    for (direction, frame) in [(-1, 200), (-1, 150), (-1, 100), (1, 150)] {
        let wanted = iprof_process::Frames::Number(frame);
        assert_eq!(step(direction), (wanted, Some("nav".into())));
    }
}

#[test]
fn callees_count_in_hierarchical_time_views() {
    let profiler =
        profiler((1..=60).map(|frame| [10_000, 500, if frame == 30 { 8_000 } else { 300 }]));
    let mut view = View::default();
    assert_eq!(spikes(&profiler, &view, "nav"), NONE);
    assert_eq!(spikes(&profiler, &view, "flood"), [30]);
    view.report_mode = ReportMode::HierarchicalTime;
    assert_eq!(spikes(&profiler, &view, "nav"), [30]);
    view.report_mode = ReportMode::CallTree;
    assert_eq!(spikes(&profiler, &view, "(outside zones)"), [30]);
    view.set_threads(Threads::One(ThreadId(7)));
    let nav = RowKey::top(crate::report::Section::Flat, 2, 0);
    assert_eq!(zone_spikes(&profiler, &view, nav), NONE);
}

#[test]
fn rare_zone_has_spikes_unless_it_is_small() {
    let of = |us: u64| {
        let profiler =
            profiler((1..=90).map(|frame| [10_000, if frame % 30 == 7 { us } else { 0 }, 0]));
        spikes(&profiler, &View::default(), "nav")
    };
    assert_eq!(of(600), [7, 37, 67]);
    assert_eq!(
        of(400),
        NONE,
        "a zone below 5 % of the frame should have no spikes"
    );
}

#[test]
fn longest_of_consecutive_frames_is_the_spike() {
    let nav = |frame: u64| match frame {
        20..=24 => 5_000 + 1_000 * (4 - frame.abs_diff(22)),
        40 | 41 => 5_000,
        _ => 100,
    };
    let profiler = profiler((1..=60).map(|frame| [5_000, nav(frame), 0]));
    assert_eq!(spikes(&profiler, &View::default(), "nav"), [22, 40]);
}

#[test]
fn rows_of_several_zones_have_no_spikes() {
    let profiler = profiler((1..=20).map(|frame| [5_000, if frame == 9 { 9_000 } else { 1 }, 0]));
    let view = View::default();
    let others = RowKey::top_others(crate::report::Section::Flat);
    assert_eq!(zone_spikes(&profiler, &view, others), NONE);
    assert_eq!(zone_spikes(&profiler, &view, RowKey::idle()), NONE);
    assert_eq!(
        zone_spikes(&profiler, &view, RowKey::idle_outside_zones(0)),
        NONE
    );
    assert_eq!(
        zone_spikes(&Profiler::new(Pair::both(1)), &view, others),
        NONE
    );
}
