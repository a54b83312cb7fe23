//! Tests that reports for deep trees work in every mode on a small stack, and take time linear in the number of nodes.

use crate::heap::{check_is_linear, most_while, on_a_small_stack, processor_time};
use iprof::{
    Action, Baseline, ColumnId, FrameSnapshot, Frames, Recursion, Report, ReportMode, Sort,
    Threads, View, Zone,
};
use std::time::Duration;

const LONG: usize = 100_000;
const SHORT: usize = 10_000;
const SHORTER: usize = 1_000;

/// Whether every kind of report uses [`LONG`] trees. Otherwise, kinds after the first [`LONG_KINDS`] use [`SHORT`]
/// trees, which are still deep enough to overflow the stack or to expose quadratic time.
fn is_thorough() -> bool {
    std::env::var_os("IPROF_TEST_DEEP").is_some()
}

/// A kind of report: its name, and a function that prepares a view. A filter that matches all names expands the tree.
type Kind = (&'static str, fn(&mut View));

/// The number of kinds, from the start of the list, that always use [`LONG`] trees.
const LONG_KINDS: usize = 2;

const KINDS: [Kind; 10] = [
    ("as it is", |_| {}),
    ("found", |view| view.filter = "deep".to_owned()),
    ("average", |view| {
        view.show_frames(&iprof::profiler(), Frames::Live);
        view.filter = "deep".to_owned();
    }),
    ("found by name", |view| {
        view.filter = "deep".to_owned();
        view.set_sort(Sort::Name, true);
    }),
    ("folded", |view| {
        view.min_share = 0.5;
        view.set_sort(Sort::Column(ColumnId::Count), false);
    }),
    ("grouped", |view| {
        view.grouping = true;
        view.filter = "zone".to_owned();
    }),
    ("compared", |view| {
        view.set_baseline(Baseline::Average);
        view.filter = "deep".to_owned();
    }),
    ("compared with the median", |view| {
        view.set_baseline(Baseline::Median);
        view.filter = "deep".to_owned();
    }),
    ("with idle zones ranked", |view| {
        view.idle_ranked = true;
        view.filter = "deep".to_owned();
    }),
    ("of a range, net", |view| {
        view.act(&iprof::profiler(), iprof::Action::ExtendRange(1));
        view.set_column(ColumnId::NetTime, true);
        view.filter = "deep".to_owned();
    }),
];

/// Returns a zone, leaked so that it lives forever. Every third zone is idle.
fn zone(at: usize) -> &'static Zone {
    let name: &'static str = format!("deep::zone_{at}").leak();
    let zone = Zone::new(name, "deep.rs", 1, "deep");
    Box::leak(Box::new(if at % 3 == 1 { zone.idle() } else { zone }))
}

/// A thread, and the frame in which it recorded its zones.
#[derive(Clone, Copy)]
struct Recorded {
    threads: Threads,
    frame: u64,
}

/// Records three frames on a thread that enters the zones in turn, each nested in the previous one.
fn record(levels: usize, zones: usize) -> Recorded {
    let name = format!("{levels} levels of {zones} zones");
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let thread = thread.name(name.clone());
    let work = move || {
        let zones: Vec<&'static Zone> = (0..zones).map(zone).collect();
        for _ in 0..3 {
            for level in 0..levels {
                iprof::__site!(begin, zones[level % zones.len()]);
            }
            for _ in 0..levels {
                iprof::end!();
            }
            iprof::update(true);
        }
    };
    thread.spawn(work).unwrap().join().unwrap();
    let threads = iprof::threads();
    let found = threads.iter().find(|thread| thread.name == name);
    let mut view = View::default();
    view.show_frames(&iprof::profiler(), Frames::Back(1));
    let Frames::Number(frame) = view.frames() else {
        panic!("the newest frame should be remembered");
    };
    Recorded {
        threads: Threads::Group(found.expect("the thread should have entered a zone").id),
        frame,
    }
}

/// Returns a view in which the outermost or innermost zone is selected.
fn view(recorded: Recorded, recursion: Recursion, is_innermost: bool) -> View {
    let mut view = View::default();
    view.set_threads(recorded.threads);
    view.show_frames(&iprof::profiler(), Frames::Number(recorded.frame));
    view.recursion = recursion;
    view.report_mode = ReportMode::HierarchicalTime;
    view.filter = "deep".to_owned();
    let rows = view.report(&iprof::profiler()).rows.len();
    view.act(
        &iprof::profiler(),
        iprof::Action::SetCursor(if is_innermost { rows - 1 } else { 0 }),
    );
    view.act(&iprof::profiler(), iprof::Action::Select);
    view.filter = String::new();
    view
}

fn timed(view: &View) -> (Report, Duration) {
    let start = processor_time();
    let report = view.report(&iprof::profiler());
    (report, processor_time() - start)
}

fn check_time(long: &View, short: &View, what: &str) {
    let mut report = Report::default();
    let make_long = || {
        let time;
        (report, time) = timed(long);
        time
    };
    check_is_linear(what, make_long, || timed(short).1);
    println!("{what}: {} rows", report.rows.len());
    if what.ends_with("found") {
        check_text(&report, what);
    }
}

fn check_text(report: &Report, what: &str) {
    let (mut text, rows) = (Vec::new(), report.rows.len());
    report.write(&mut text, 2).unwrap();
    assert!(
        text.len() < 1_000 + 400 * rows,
        "{what}: {} bytes",
        text.len()
    );
}

fn check(zones: usize) {
    let [shorter, short, long] =
        [SHORTER, SHORT, LONG].map(|levels| record(levels, zones.min(levels)));
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        for is_innermost in [false, true] {
            let selected =
                [shorter, short, long].map(|recorded| view(recorded, recursion, is_innermost));
            for &mode in ReportMode::ALL {
                let is_graph = matches!(
                    mode,
                    ReportMode::CallGraph | ReportMode::CallGraphDescendants
                );
                if is_innermost && !is_graph {
                    continue;
                }
                let [shorter, short, long] = selected.each_ref().map(|view| {
                    let mut view = view.clone();
                    view.report_mode = mode;
                    view
                });
                // In list reports, the kinds differ only in their values, so one kind is enough.
                let kinds = match mode {
                    ReportMode::SelfTime => &KINDS[..1],
                    _ => &KINDS[..],
                };
                for (at, (kind, set)) in kinds.iter().enumerate() {
                    let (long, short) = match at < LONG_KINDS || is_thorough() {
                        true => (&long, &short),
                        false => (&short, &shorter),
                    };
                    let set = |view: &View| {
                        let mut view = view.clone();
                        set(&mut view);
                        view
                    };
                    let end = if is_innermost {
                        "innermost"
                    } else {
                        "outermost"
                    };
                    let what = format!("{zones} zones, {mode:?}, {recursion:?}, {end}, {kind}");
                    check_time(&set(long), &set(short), &what);
                }
            }
        }
    }
    check_moves(long);
    check_remembered_frame(long, short);
}

fn check_remembered_frame(long: Recorded, short: Recorded) {
    let copy = |recorded: Recorded| {
        let start = processor_time();
        let numbers = recorded.frame..=recorded.frame;
        let mut frames = Vec::new();
        let heap = most_while(|| {
            frames = iprof::frame_snapshots(numbers).collect();
            iprof::Format::TraceEvents
                .write_with_frames(&iprof::snapshot(), frames.iter().cloned(), std::io::sink())
                .unwrap();
        });
        let time = processor_time() - start;
        let nodes = |frame: &FrameSnapshot| {
            let threads = frame.recorded.threads.iter();
            threads.map(|thread| thread.nodes.len()).sum::<usize>()
        };
        (frames.iter().map(nodes).sum::<usize>(), heap, time)
    };
    let (mut nodes, mut heap) = (0, 0);
    let copy_long = || {
        let time;
        (nodes, heap, time) = copy(long);
        time
    };
    check_is_linear("remembered frame", copy_long, || copy(short).2);
    println!("remembered frame: {nodes} nodes, {heap} bytes");
    assert!(nodes > LONG, "{nodes} nodes");
    // The profiler first reserves more memory than a copy needs: 850 bytes per known call stack, including call stacks
    // from other tests.
    assert!(heap < 400 << 20, "{heap} bytes");
}

fn check_moves(recorded: Recorded) {
    let mut view = view(recorded, Recursion::Spread, false);
    view.report_mode = ReportMode::CallTree;
    view.filter = "deep".to_owned();
    let rows = view.report(&iprof::profiler()).rows.len();
    assert!(rows > LONG, "{rows} rows");
    for action in [
        Action::SetCursor(rows - 1),
        Action::MoveCursor(-1),
        Action::Collapse,
        Action::ToggleRow(rows / 2),
        Action::SelectParent,
        Action::Select,
        Action::GoBack,
    ] {
        assert!(view.act(&iprof::profiler(), action));
    }
    assert!(!view.report(&iprof::profiler()).rows.is_empty());
}

#[test]
fn one_zone_recursing_100_000_levels() {
    on_a_small_stack(|| check(1));
}

#[test]
fn three_zones_recursing_100_000_levels() {
    on_a_small_stack(|| check(3));
}

#[test]
fn distinct_zones_nested_100_000_levels() {
    on_a_small_stack(|| check(LONG));
}
