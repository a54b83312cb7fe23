//! Tests of recording, frames, reports and exports in a browser.

use crate::Test;
use iprof::{ColumnId, Format, Report, ReportMode, Timing, View};
use wasm_bindgen::prelude::wasm_bindgen;

pub(crate) const TESTS: &[Test] = &[
    (
        "zones_record_counts_and_times",
        zones_record_counts_and_times,
    ),
    ("frames_sum_to_recorded_time", frames_sum_to_recorded_time),
    ("each_report_mode_is_written", each_report_mode_is_written),
    (
        "each_format_is_written_to_memory",
        each_format_is_written_to_memory,
    ),
    (
        "timing_that_needs_a_thread_falls_back_to_exact",
        timing_that_needs_a_thread_falls_back_to_exact,
    ),
    ("profiling_returns_an_error", profiling_returns_an_error),
    (
        "nothing_is_recorded_while_timing_is_off",
        nothing_is_recorded_while_timing_is_off,
    ),
    ("environment_is_empty", environment_is_empty),
    ("date_comes_from_the_page", date_comes_from_the_page),
    (
        "title_shows_the_clock_resolution",
        title_shows_the_clock_resolution,
    ),
    (
        "calls_below_clock_resolution_sum_correctly",
        calls_below_clock_resolution_sum_correctly,
    ),
    (
        "zone_cost_is_measured_with_a_coarse_clock",
        zone_cost_is_measured_with_a_coarse_clock,
    ),
];

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
    /// Returns milliseconds since 1970.
    #[wasm_bindgen(js_namespace = Date, js_name = now)]
    fn date_now() -> f64;
}

/// The resolution of a page's clock, in ms. A measured time may be off by one step at its start and by one step at its
/// end.
const STEP: f64 = 0.1;

/// Keeps the CPU busy for `ms`, and returns the actual duration.
fn spin(ms: f64) -> f64 {
    let start = performance_now();
    loop {
        let passed = performance_now() - start;
        if passed >= ms {
            return passed;
        }
    }
}

fn value(report: &Report, zone: &str, column: ColumnId) -> f64 {
    let row = report.rows.iter().find(|row| &*row.name == zone);
    let row = row.unwrap_or_else(|| panic!("no row for {zone}: {report:?}"));
    row.value(column).expect("the column is not shown").number
}

fn report() -> Report {
    let mut view = View::default();
    view.average = iprof::Average::Newest;
    view.report(&iprof::profiler())
}

/// Returns the number of entries of this program's own zones.
fn entries(snapshot: &iprof::Snapshot) -> u64 {
    let nodes = snapshot.threads.iter().flat_map(|thread| &thread.nodes);
    let is_own = |name: &str| ["outer", "inner"].contains(&name);
    nodes
        .filter(|node| is_own(&snapshot.zones[node.zone as usize].name))
        .map(|node| node.entries)
        .sum()
}

fn work() {
    iprof::zone!(outer);
    for _ in 0..5 {
        iprof::zone!(inner);
        spin(1.0);
    }
}

fn zones_record_counts_and_times() {
    iprof::update(true);
    for _ in 0..3 {
        let before = performance_now();
        let (mut outer, mut inner) = (0.0, 0.0);
        {
            iprof::zone!(outer);
            outer += spin(4.0);
            for _ in 0..5 {
                iprof::zone!(inner);
                inner += spin(2.0);
            }
        }
        iprof::update(true);
        let report = report();
        let frame = performance_now() - before;
        assert_eq!(value(&report, "outer", ColumnId::Count), 1.0);
        assert_eq!(value(&report, "inner", ColumnId::Count), 5.0);
        // If the page is preempted between two reads, either time may include the interruption.
        let unsure = 10.0 * STEP + (frame - outer - inner);
        for (zone, truth) in [("outer", outer), ("inner", inner)] {
            let found = value(&report, zone, ColumnId::SelfTime);
            let is_right = truth - 10.0 * STEP <= found && found <= truth + unsure;
            assert!(is_right, "{zone}: {found}, not {truth} of {frame}");
        }
        let both = ["outer", "inner"].map(|zone| value(&report, zone, ColumnId::SelfTime));
        let hier = value(&report, "outer", ColumnId::HierarchicalTime);
        assert!((both.iter().sum::<f64>() - hier).abs() < 1e-6, "{report:?}");
    }
    assert_eq!(iprof::report().warnings, [""; 0]);
}

fn frames_sum_to_recorded_time() {
    for _ in 0..20 {
        work();
        iprof::update(true);
    }
    let frames: u64 = iprof::frame_snapshots(..)
        .map(|frame| entries(&frame.recorded))
        .sum();
    assert_eq!(frames, 20 * 6);
    assert_eq!(entries(&iprof::snapshot()), 20 * 6);
    assert_eq!(iprof::threads().len(), 1);
}

fn each_report_mode_is_written() {
    for _ in 0..3 {
        work();
        iprof::update(true);
    }
    for &mode in ReportMode::ALL {
        iprof::set_report_mode(mode);
        let mut text = Vec::new();
        iprof::write_report(&mut text).expect("writing to a Vec cannot fail");
        let text = String::from_utf8(text).expect("the report is not UTF-8");
        assert!(
            text.contains("(outside zones)") && text.contains("outer"),
            "{mode:?}: {text}"
        );
    }
    assert!(iprof::dump().contains("inner"));
    assert_eq!(
        iprof::View::default().graph(&iprof::profiler()).bars.len(),
        3
    );
}

fn each_format_is_written_to_memory() {
    work();
    iprof::update(true);
    let snapshot = iprof::snapshot();
    let has = |out: Vec<u8>, wanted: &[u8]| out.windows(wanted.len()).any(|part| part == wanted);
    for (format, wanted) in [
        (Format::Tree, &b"inner"[..]),
        (Format::Folded, b"outer;inner"),
        (Format::Callgrind, b"inner"),
        (Format::Gprof, b"inner"),
        (Format::Html, b"inner"),
        (Format::Json, b"inner"),
        (Format::Csv, b"inner"),
        (Format::Speedscope, b"inner"),
        (Format::TraceEvents, b"inner"),
        // Gzip files begin with these bytes.
        (Format::Pprof, b"\x1f\x8b"),
    ] {
        let mut out = Vec::new();
        let written = format.write(&snapshot, &mut out);
        assert!(written.is_ok() && has(out, wanted), "{format}");
    }
    for format in [Format::Json, Format::Csv] {
        let mut out = Vec::new();
        let written = format.write_report(&report(), &mut out);
        assert!(written.is_ok() && has(out, b"inner"), "{format}");
    }
}

fn timing_that_needs_a_thread_falls_back_to_exact() {
    for timing in [Timing::SAMPLED, Timing::AUTO] {
        iprof::set_timing(timing);
        for _ in 0..100 {
            for _ in 0..1_000 {
                iprof::zone!(hot);
            }
            iprof::update(true);
        }
        let report = report();
        assert_eq!(value(&report, "hot", ColumnId::Count), 1_000.0);
        let is_sampled = |row: &iprof::Row| {
            let mut values = ColumnId::ALL.iter().filter_map(|column| row.value(*column));
            values.any(|value| value.is_sampled())
        };
        assert!(!report.rows.iter().any(is_sampled), "{report:?}");
        assert_eq!(iprof::timing(), Timing::Exact);
        let line = &report.title[1];
        // The page is not cross-origin isolated, so its clock is coarse.
        let start = "counts exact, ";
        assert!(line.starts_with(start), "{line}");
        assert!(line.contains(" ms clock (no sampler)  overhead "), "{line}");
    }
    let warnings = iprof::report().warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.starts_with("sampler could not start; using exact timing")),
        "{warnings:?}"
    );
}

fn profiling_returns_an_error() {
    assert!(iprof::SamplingSession::start(1_000.0).is_err());
    work();
    iprof::update(true);
    assert_eq!(value(&report(), "inner", ColumnId::Count), 5.0);
}

fn nothing_is_recorded_while_timing_is_off() {
    iprof::update(true);
    iprof::set_timing(Timing::Off);
    work();
    iprof::set_timing(Timing::Exact);
    // The frame in which timing was off is discarded.
    iprof::update(true);
    work();
    iprof::update(true);
    assert_eq!(entries(&iprof::snapshot()), 6);
}

fn environment_is_empty() {
    work();
    iprof::update(true);
    assert_eq!(iprof::timing(), Timing::Exact);
    assert_eq!(iprof::report().warnings, [""; 0]);
}

fn date_comes_from_the_page() {
    let taken = iprof::About::this_process()
        .taken
        .expect("failed to read the page's date");
    let taken = taken
        .duration_since(std::time::UNIX_EPOCH)
        .expect("the date should be after 1970");
    let now = date_now();
    assert!(
        (taken.as_secs_f64() * 1e3 - now).abs() < 60_000.0,
        "{taken:?}, not {now}"
    );
}

/// Returns the smallest step of the browser's clock, in ms.
fn clock_step() -> f64 {
    let steps = (0..20).map(|_| {
        let start = performance_now();
        loop {
            let now = performance_now();
            if now != start {
                return now - start;
            }
        }
    });
    steps.fold(f64::MAX, f64::min)
}

fn title_shows_the_clock_resolution() {
    work();
    iprof::update(true);
    work();
    iprof::update(true);
    let line = &report().title[1];
    let (_, step) = line
        .split_once("counts exact, ")
        .expect("the title should say that counts are exact");
    let step = step
        .split_once(" ms clock")
        .expect("no clock resolution in the title; is the page isolated?");
    let step_ms: f64 = step
        .0
        .parse()
        .expect("the clock resolution is not a number");
    assert!((step_ms - clock_step()).abs() < 0.05, "{line}");
}

/// Does a few microseconds of work per round, without reading the clock.
fn compute(rounds: u32) -> u32 {
    (0..1_000 * rounds).fold(7, |number: u32, step| {
        std::hint::black_box(number.wrapping_mul(31) ^ step)
    })
}

/// Measures two zones that alternate, where `single` does a third of the work of `tripled`, and each call is shorter
/// than a clock step. Returns the ratio of the time of `tripled` to the time of `single`, and the number of clock steps
/// that fell into either zone.
fn measured_ratio() -> (f64, f64) {
    iprof::update(true);
    for _ in 0..10_000 {
        {
            iprof::zone!(single);
            compute(5);
        }
        {
            iprof::zone!(tripled);
            compute(15);
        }
    }
    iprof::update(true);
    let report = report();
    let [single, tripled] =
        ["single", "tripled"].map(|zone| value(&report, zone, ColumnId::SelfTime));
    (tripled / single, (single + tripled) / clock_step())
}

fn calls_below_clock_resolution_sum_correctly() {
    // The measurement is repeated, because the machine may be busy while one of the two zones is open.
    let mut tries = Vec::new();
    while tries.len() < 6 {
        let (ratio, steps) = measured_ratio();
        assert!(steps > 1_000.0, "{steps}");
        // A quarter of the clock steps fall into `single`. The ratio's error follows from the numbers of steps in the
        // two zones.
        let error = 3.0 * (1.0 / (steps * 0.25) + 1.0 / (steps * 0.75)).sqrt();
        if (ratio - 3.0).abs() < 3.0 * error {
            return;
        }
        tries.push((ratio, error));
    }
    panic!("no ratio near 3: {tries:?}");
}

fn enter(times: u32) {
    for _ in 0..times {
        iprof::zone!(nothing);
    }
}

fn zone_cost_is_measured_with_a_coarse_clock() {
    // The measurement is repeated, because the machine may be busy while one of the two costs is measured.
    let mut parts = (0..8).map(|_| zone_cost_ratio());
    assert!(parts.any(|part| (0.3..3.0).contains(&part)));
}

/// Returns the ratio of a zone's reported cost to its measured cost.
fn zone_cost_ratio() -> f64 {
    const ZONES: u32 = 200_000;
    iprof::update(true);
    let start = performance_now();
    enter(ZONES);
    let each = (performance_now() - start) / f64::from(ZONES);
    for _ in 0..20 {
        iprof::update(true);
        enter(1);
    }
    enter(ZONES);
    iprof::update(true);
    let mut view = View::default();
    view.average = iprof::Average::Newest;
    view.set_column(ColumnId::NetTime, true);
    let report = view.report(&iprof::profiler());
    let cell = |column| value(&report, "nothing", column);
    // Half of a zone's cost is assumed to fall within the zone.
    let own = (cell(ColumnId::SelfTime) - cell(ColumnId::NetTime)) / f64::from(ZONES);
    2.0 * own / each
}
