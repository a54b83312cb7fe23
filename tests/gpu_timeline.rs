//! Tests that GPU times provided by the program belong to the frame that submitted the zone, and that self times
//! exclude inner zones.

#![cfg(feature = "enable")]

use iprof::{ColumnId, Frames, GpuTimeline, GpuZone, Report, Threads, View};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Runs one test at a time, because frames are global.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn frame() -> u64 {
    // Let time pass, because times longer than the elapsed time are rejected.
    std::thread::sleep(Duration::from_millis(3));
    iprof::update(true);
    let graph = View::default().graph(&iprof::profiler());
    graph.bars.back().expect("a frame should be recorded").frame
}

/// Returns a report of the GPU's call tree in a frame.
fn gpu(frame: u64) -> Report {
    let threads = iprof::threads();
    let gpu = threads.iter().find(|thread| thread.name == "GPU");
    let mut view = View::default();
    view.set_threads(Threads::One(gpu.expect("the GPU should be listed").id));
    view.show_frames(&iprof::profiler(), Frames::Number(frame));
    view.report(&iprof::profiler())
}

fn value(report: &Report, name: &str, column: ColumnId) -> Option<f64> {
    let row = report.rows.iter().find(|row| &*row.name == name)?;
    row.value(column).map(|value| value.number)
}

fn self_us(report: &Report, name: &str) -> Option<f64> {
    value(report, name, ColumnId::SelfTime).map(|ms| (ms * 1_000.0).round())
}

/// Submits a zone that contains two other zones.
fn submit(timeline: &mut GpuTimeline) -> [GpuZone; 3] {
    let outer_on_cpu = iprof::open_zone!("outer");
    let outer = timeline.begin(&outer_on_cpu);
    let mut inner = || {
        let on_cpu = iprof::open_zone!("inner");
        let zone = timeline.begin(&on_cpu);
        timeline.end(zone);
        zone
    };
    let zones = [inner(), inner(), outer];
    timeline.end(outer);
    zones
}

const MS: u64 = 1_000_000;

#[test]
fn times_belong_to_the_frame_that_submitted_them() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    let mut in_flight = Vec::new();
    for _ in 0..4 {
        let zones = submit(&mut timeline);
        in_flight.push((frame(), zones));
    }
    // The times arrive a few frames later, and are different for each frame.
    for (at, (_, [first, second, outer])) in (1..).zip(&in_flight) {
        let start = 1_000 * MS * at;
        timeline.finish(*first, Some([start + 10_000, start + 10_000 + at * 20_000]));
        timeline.finish(*second, Some([start + MS, start + MS + 50_000]));
        timeline.finish(*outer, Some([start, start + 2 * MS]));
    }
    frame();
    for (at, (number, _)) in (1..).zip(&in_flight) {
        let report = gpu(*number);
        let inner = f64::from(at * 20 + 50);
        assert_eq!(self_us(&report, "inner"), Some(inner), "{report:?}");
        assert_eq!(value(&report, "inner", ColumnId::Count), Some(2.0));
        assert_eq!(self_us(&report, "outer"), Some(2_000.0 - inner));
        let outer = value(&report, "outer", ColumnId::HierarchicalTime).unwrap();
        assert!((outer - 2.0).abs() < 1e-6, "{outer}");
    }
}

#[test]
fn impossible_and_unknown_times_are_not_shown() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    let [first, second, outer] = submit(&mut timeline);
    let number = frame();
    timeline.finish(first, Some([MS, MS - 1]));
    timeline.finish(second, None);
    timeline.finish(outer, Some([MS, 2 * MS]));
    frame();
    let report = gpu(number);
    assert_eq!(self_us(&report, "outer"), Some(1_000.0), "{report:?}");
    assert_eq!(self_us(&report, "inner").unwrap_or_default(), 0.0);
    assert!(
        report
            .warnings
            .iter()
            .any(|warning| warning.contains("GPU")),
        "{report:?}"
    );
}

#[test]
fn unfinished_zone_of_dropped_timeline_is_discarded() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    let [first, ..] = submit(&mut timeline);
    let number = frame();
    timeline.finish(first, Some([MS, MS + 7_000]));
    drop(timeline);
    frame();
    assert_eq!(self_us(&gpu(number), "inner"), Some(7.0));
}

#[test]
fn repeated_and_unordered_ends_lose_no_times() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    let on_cpu = iprof::open_zone!("around");
    let around = timeline.begin(&on_cpu);
    let within_on_cpu = iprof::open_zone!("within");
    let within = timeline.begin(&within_on_cpu);
    drop(within_on_cpu);
    // Ending a zone also ends its inner zone.
    timeline.end(around);
    timeline.end(within);
    timeline.end(around);
    // The times arrive in a different order than the zones ended, and some of them arrive twice.
    timeline.finish(around, Some([MS, 2 * MS]));
    drop(on_cpu);
    let number = frame();
    timeline.finish(around, Some([MS, 2 * MS]));
    timeline.finish(within, Some([MS, MS + 5_000]));
    timeline.finish(within, None);
    frame();
    let report = gpu(number);
    assert_eq!(self_us(&report, "around"), Some(1_000.0), "{report:?}");
    assert_eq!(self_us(&report, "within"), Some(5.0), "{report:?}");
}

#[test]
fn unrecorded_zone_needs_no_time() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    iprof::set_recording(false);
    let on_cpu = iprof::open_zone!("unseen");
    let zone = timeline.begin(&on_cpu);
    assert!(!zone.is_recorded());
    timeline.end(zone);
    timeline.finish(zone, Some([1, 2]));
    drop(on_cpu);
    iprof::set_recording(true);
}

#[test]
fn zones_without_times_are_limited() {
    let _alone = alone();
    let mut timeline = GpuTimeline::new();
    let start = Instant::now();
    let on_cpu = iprof::open_zone!("forgotten");
    let mut recorded = 0;
    for _ in 0..70_000 {
        let zone = timeline.begin(&on_cpu);
        recorded += usize::from(zone.is_recorded());
        timeline.end(zone);
    }
    assert_eq!(recorded, 65_536);
    assert!(start.elapsed() < Duration::from_secs(20));
    drop((timeline, on_cpu));
    frame();
}
