//! Tests that snapshots and trace events of remembered frames agree with the frames' reports.
#![cfg(all(feature = "enable", feature = "export"))]

#[path = "support/measured.rs"]
mod measured;

use iprof::{ColumnId, FrameSnapshot, Frames, ReportMode, Threads, Timing, View};
use measured::{alone, find, spin};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

const SHORT: Duration = Duration::from_micros(200);

fn visit(depth: u32) {
    iprof::zone!(visit);
    spin(SHORT / 10);
    if depth > 0 {
        visit(depth - 1);
    }
}

/// Runs one frame of a program that waits for a worker.
fn frame(number: u64) {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("worker".into());
        let job = || {
            iprof::zone!(job);
            visit(1);
        };
        let worker = worker.spawn_scoped(scope, job);
        iprof::zone!(frame);
        visit((number % 4) as u32);
        let work = if number == 3 { 100 * SHORT } else { SHORT };
        spin(work);
        worker.unwrap().join().unwrap();
    });
}

/// Records frames 1 to 20 and discards two others. Five frames are remembered. Returns how long each frame took.
fn run() -> Vec<Duration> {
    let mut took = Vec::new();
    iprof::configure(|config| config.history = 3);
    iprof::configure(|config| config.longest_frames = 1);
    for number in 1..=20 {
        if number == 6 {
            iprof::mark("level loaded");
        }
        let start = Instant::now();
        frame(number);
        iprof::update(true);
        took.push(start.elapsed());
        if number == 19 {
            // This frame is discarded: it takes up time but has no number.
            spin(10 * SHORT);
            iprof::update(false);
        }
    }
    took
}

/// The self time in milliseconds and the entries, by zone.
type Sums = BTreeMap<String, (f64, f64)>;

fn reported(number: u64) -> Sums {
    let mut view = View::default();
    view.set_threads(Threads::All);
    view.show_frames(&iprof::profiler(), Frames::Number(number));
    view.report_mode = ReportMode::SelfTime;
    view.idle_ranked = true;
    assert_eq!(view.frames(), Frames::Number(number));
    let report = view.report(&iprof::profiler());
    assert!(find(&report, "frame").is_some());
    let mut sums = Sums::new();
    // Time outside zones has two rows: one for the frame's thread, and one for the idle time of other threads.
    for row in &report.rows {
        let name = row.name.split(" (").next().unwrap();
        let name = name.replace(", idle)", ")");
        let number = |column| row.value(column).unwrap().number;
        let sum = sums.entry(name).or_default();
        sum.0 += number(ColumnId::SelfTime);
        sum.1 += number(ColumnId::Count);
    }
    sums
}

/// A bar in the trace: its event, and its start and end in nanoseconds.
struct Bar {
    event: Value,
    begin: f64,
    end: f64,
}

fn bars(json: &[u8], category: &str) -> Vec<Bar> {
    let events: Vec<Value> = serde_json::from_slice(json).unwrap();
    let mut bars: Vec<Bar> = Vec::new();
    let mut open: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for event in events {
        let open = open.entry(event["tid"].as_u64().unwrap()).or_default();
        let at = (event["ts"].as_f64().unwrap() * 1e3).round();
        if event["ph"] == "B" {
            open.push(bars.len());
            bars.push(Bar {
                begin: at,
                end: f64::NAN,
                event,
            });
        } else if event["ph"] == "E" {
            let ended = &mut bars[open.pop().expect("every end should have a begin")];
            assert_eq!(ended.event["name"], event["name"]);
            ended.end = at;
        }
    }
    assert!(
        open.values().all(Vec::is_empty),
        "every bar should have an end"
    );
    bars.retain(|bar| bar.event["cat"] == category);
    bars
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn snapshot_of_each_frame_agrees_with_its_report() {
    let _alone = alone();
    let before = iprof::View::default().graph(&iprof::profiler()).bars.len() as u64;
    assert_eq!(before, 0);
    let took = run();
    let frames: Vec<FrameSnapshot> = iprof::frame_snapshots(..).collect();
    let first = frames.iter().find(|frame| !frame.marks.is_empty()).unwrap();
    // Frame numbers continue from earlier tests, so compute the offset.
    let offset = first.number - 6;
    let numbers: Vec<u64> = frames.iter().map(|frame| frame.number - offset).collect();
    assert_eq!(numbers[1..], [6, 18, 19, 20]);
    // The third frame is the longest, unless the system delayed another one just as much.
    let kept = numbers[0];
    let is_longest = took[kept as usize - 1] >= 100 * SHORT;
    assert!(kept == 3 || is_longest, "{kept}: {took:?}");
    assert_eq!(*first.marks, ["level loaded".into()]);
    let mut json = Vec::new();
    iprof::Format::TraceEvents
        .write_with_frames(&iprof::snapshot(), frames.iter().cloned(), &mut json)
        .unwrap();
    let whole = bars(&json, "frame");
    let zones = bars(&json, "zone");
    assert_eq!(whole.len(), frames.len());
    for (at, (bar, frame)) in whole.iter().zip(&frames).enumerate() {
        let expected = reported(frame.number);
        let mut found = Sums::new();
        let inside = |zone: &&Bar| bar.begin <= zone.begin && zone.end <= bar.end;
        for zone in zones.iter().filter(inside) {
            let name = zone.event["name"].as_str().unwrap().to_owned();
            let args = &zone.event["args"];
            let sums = found.entry(name).or_default();
            sums.0 += args["self_ns"].as_f64().unwrap() * 1e-6;
            sums.1 += args["entries"].as_f64().unwrap();
        }
        let names = |sums: &Sums| sums.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(names(&found), names(&expected));
        for (name, (ms, entries)) in &expected {
            let (got, count) = found[name];
            // Nanoseconds are rounded separately for each call stack.
            assert!(near(got, *ms, 20e-6), "{name}: {got} ms, expected {ms}");
            assert_eq!(count, *entries, "{name}");
        }
        // Consecutive frames touch, as measured by two clocks that agree to within a few percent. In each of the other
        // gaps, two frames of at least 0.2 ms are missing.
        let Some(next) = whole.get(at + 1) else {
            continue;
        };
        let (gap, length) = (next.begin - bar.end, bar.end - bar.begin);
        match numbers[at + 1] - numbers[at] == 1 && numbers[at] != 19 {
            true => assert!((0.0..1e3 + 0.05 * length).contains(&gap), "{gap}"),
            false => assert!(gap >= 0.4e6, "gap of {gap} ns after a frame of {length} ns"),
        }
    }
    // The discarded frame leaves a gap that is as long as that frame.
    assert!(whole[4].begin - whole[3].end >= 2e6);
    let name = |at: usize| whole[at].event["name"].as_str().unwrap().to_owned();
    assert_eq!(name(1), format!("frame {}: level loaded", offset + 6));
    assert_eq!(name(2), format!("frame {}", offset + 18));
}

fn numbers(frames: impl Iterator<Item = iprof::FrameSnapshot>) -> Vec<u64> {
    frames.map(|frame| frame.number).collect()
}

#[test]
fn frame_ranges_skip_forgotten_frames() {
    let _alone = alone();
    iprof::configure(|config| config.longest_frames = 0);
    for _ in 0..10 {
        iprof::update(true);
    }
    let all = numbers(iprof::frame_snapshots(..));
    let (first, last) = (all[0], all[9]);
    assert_eq!(all, (first..=last).collect::<Vec<_>>());
    assert_eq!(numbers(iprof::frame_snapshots(..=first)), [first]);
    assert_eq!(numbers(iprof::frame_snapshots(..first)), [] as [u64; 0]);
    assert_eq!(numbers(iprof::frame_snapshots(last..)), [last]);
    assert_eq!(numbers(iprof::frame_snapshots(last + 1..)), [] as [u64; 0]);
    let some = first + 2..first + 4;
    assert_eq!(
        numbers(iprof::frame_snapshots(some)),
        [first + 2, first + 3]
    );
    // One frame is forgotten during the iteration.
    let mut frames = iprof::frame_snapshots(..);
    assert_eq!(frames.next().unwrap().number, first);
    iprof::configure(|config| config.history = 2);
    assert_eq!(
        frames.map(|frame| frame.number).collect::<Vec<_>>(),
        [last - 1, last]
    );
}

#[test]
fn sampled_frame_has_standard_errors() {
    let _alone = alone();
    iprof::set_timing(Timing::Sampled { hz: 1000.0 });
    iprof::update(true);
    let mut newest = None;
    for number in 0..20 {
        frame(number);
        iprof::update(true);
        newest = iprof::frame_snapshots(..).last();
    }
    let frame = newest.unwrap();
    let nodes = frame
        .recorded
        .threads
        .iter()
        .flat_map(|thread| &thread.nodes);
    assert!(nodes.clone().any(|node| node.error > 0.0));
    let all = frame.recorded.threads.iter();
    for thread in all {
        let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
        assert!(ticks <= frame.recorded.ticks);
    }
    for node in nodes {
        assert!(node.error <= frame.recorded.ticks as f64);
    }
}
