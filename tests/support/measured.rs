//! Helpers for tests of measured times. They run one test at a time from a fresh state, return reports for single
//! frames, and check that values are plausible and sum to the frame time.

#![allow(dead_code, reason = "each test program uses only part of this module")]
#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

#[path = "busy.rs"]
mod busy;

#[allow(
    unused_imports,
    reason = "each test program uses only part of this module"
)]
pub use busy::{BUSY, again_if_busy, lost_part, ms, spin};
use iprof::{ColumnId, Frames, Report, Row, ThreadId, ThreadInfo, Threads, Timing, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for other tests to finish and resets the profiler, because timing and measurements are global.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::set_timing(Timing::Exact);
    // End the previous test's frame, in which timing may have been off.
    iprof::update(true);
    iprof::reset();
    iprof::configure(|config| config.history = 100_000);
    guard
}

/// Returns the warnings about faults in the program. Warnings about an unsteady counter are not included.
pub fn faults() -> Vec<String> {
    let mut warnings = iprof::report().warnings;
    warnings.retain(|warning| !warning.starts_with("the processor's counter"));
    warnings
}

pub fn main_thread() -> ThreadId {
    let name = std::thread::current()
        .name()
        .unwrap_or("unnamed")
        .to_owned();
    running(&name)
}

pub fn running(name: &str) -> ThreadId {
    let is_it = |thread: &&ThreadInfo| thread.running && thread.name == name;
    iprof::threads()
        .iter()
        .find(is_it)
        .expect("no running thread has this name")
        .id
}

/// Returns a view of one frame.
pub fn view(threads: Threads, frame: u64) -> View {
    let mut view = View::default();
    view.set_threads(threads);
    view.show_frames(&iprof::profiler(), Frames::Number(frame));
    assert_eq!(view.frames(), Frames::Number(frame));
    view
}

/// Returns a thread's milliseconds in each remembered frame.
pub fn bars(thread: ThreadId) -> BTreeMap<u64, f64> {
    let mut view = View::default();
    view.set_threads(Threads::One(thread));
    let bars = view.graph(&iprof::profiler()).bars;
    bars.iter().map(|bar| (bar.frame, bar.ms)).collect()
}

pub fn newest_frame() -> u64 {
    iprof::View::default()
        .graph(&iprof::profiler())
        .bars
        .back()
        .map_or(0, |bar| bar.frame)
}

/// Ends the frame. Returns the frame's number if it was recorded.
pub fn recorded_frame() -> Option<u64> {
    let before = newest_frame();
    iprof::update(true);
    Some(newest_frame()).filter(|newest| *newest != before)
}

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// Returns a zone's row, regardless of its recursion depth.
pub fn find<'a>(report: &'a Report, zone: &str) -> Option<&'a Row> {
    let is_it = |row: &&Row| row.name.split(" (").next() == Some(zone);
    report.rows.iter().find(is_it)
}

pub fn value(report: &Report, zone: &str, column: ColumnId) -> f64 {
    find(report, zone).map_or(0.0, |row| {
        row.value(column).map_or(0.0, |value| value.number)
    })
}

/// Checks that no value in the report is negative, larger than `frame_ms`, or inconsistent with other values.
pub fn check_values(report: &Report, frame_ms: f64) {
    let limit = frame_ms * (1.0 + 1e-9) + 1e-9;
    for row in &report.rows {
        let number = |column| row.value(column).map_or(0.0, |value| value.number);
        let [self_ms, hier] = [ColumnId::SelfTime, ColumnId::HierarchicalTime].map(number);
        let [count, error] = [ColumnId::Count, ColumnId::StandardError].map(number);
        assert!(0.0 <= self_ms && self_ms <= hier + 1e-9, "{row:?}");
        assert!(hier <= limit, "{frame_ms}: {row:?}");
        assert!(0.0 <= count && 0.0 <= error, "{row:?}");
        assert!(error.is_finite() && count.is_finite(), "{row:?}");
        let values = ColumnId::ALL.iter().filter_map(|column| row.value(*column));
        for error in values.map(|value| value.standard_error) {
            assert!(error.is_finite() && 0.0 <= error, "{row:?}");
        }
    }
}

/// Checks that each thread's times are plausible and sum to the thread's portion of each frame.
pub fn check_times(frames: &BTreeSet<u64>, main: ThreadId) {
    let of_main = bars(main);
    for thread in iprof::threads() {
        for (frame, ms) in bars(thread.id) {
            if !frames.contains(&frame) {
                continue;
            }
            let report = view(Threads::One(thread.id), frame).report(&iprof::profiler());
            check_values(&report, ms);
            let sum: f64 = report
                .rows
                .iter()
                .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
                .sum();
            let name = &thread.name;
            assert!(close(sum, ms), "{name}, frame {frame}: {sum} of {ms}");
            let main = of_main[&frame];
            assert!(ms <= main || close(ms, main), "{name}: {ms} of {main}");
        }
    }
}
