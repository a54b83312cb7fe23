//! Tests for diffs that include several threads. The cause of a long frame is on the frame's thread, and must not be
//! obscured by threads that merely worked longer because of it.

use crate::action::Action;
use crate::graph::Graph;
use crate::query;
use crate::query::graph::GraphWork;
use crate::report::{ColumnId, Report, ReportMode, Row};
use crate::view::{Baseline, View};
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

static FORCES: Zone = Zone::new("forces", "", 0, "");
static PRESENT: Zone = Zone::new("present", "", 0, "").idle();
static INTERSECT: Zone = Zone::new("intersect", "", 0, "");
static BRANCHES: Zone = Zone::new("branches", "", 0, "");

const MS: u64 = 1_000_000;
const SPIKE: u64 = 20;

/// Records forty frames of 10 ms. In each one, the frame's thread computes forces for 4 ms and waits for 5 ms. In one
/// frame the forces take 100 ms. Two workers are busy for 90% of each frame.
fn profiler() -> Profiler {
    let main = ScriptedThread::begin("main", 0);
    let workers = [0; 2].map(|now| ScriptedThread::begin("worker", now));
    let mut profiler = Profiler::new(Pair::both(0));
    let records = [main.record(), workers[0].record(), workers[1].record()];
    let mut now = 0;
    for frame in 1..=40 {
        let forces = if frame == SPIKE { 100 * MS } else { 4 * MS };
        let end = now + forces + 6 * MS;
        main.enter(&FORCES, now);
        main.leave(now + forces);
        main.enter(&PRESENT, now + forces);
        main.leave(end - MS);
        for worker in &workers {
            worker.enter(&INTERSECT, now);
            worker.count_as_counter(&BRANCHES);
            worker.leave(now + (end - now) / 10 * 9);
        }
        now = end;
        profiler.end_frame(&records, records[0], Pair::both(now), true);
    }
    profiler
}

fn spike() -> View {
    let mut view = View::default();
    view.frame = Frames::Number(SPIKE);
    view
}

fn report(profiler: &Profiler, view: &View) -> Report {
    query::report(profiler, view, None)
}

fn difference(row: &Row) -> f64 {
    row.number(ColumnId::Difference)
}

fn row<'a>(report: &'a Report, name: &str) -> &'a Row {
    let row = report.rows.iter().find(|row| &*row.name == name);
    row.unwrap_or_else(|| panic!("no row {name} in {report:#?}"))
}

#[test]
fn diff_shows_the_frames_thread_by_default() {
    let profiler = profiler();
    let mut view = spike();
    for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
        view.report_mode = mode;
        let all = report(&profiler, &view);
        assert!(all.title[0].contains("all 3 threads"), "{:?}", all.title);
        for baseline in [
            Baseline::Average,
            Baseline::Median,
            Baseline::Frames(Frames::Number(3)),
        ] {
            view.set_baseline(baseline);
            assert_eq!(view.threads(), Threads::Frame);
            let shown = report(&profiler, &view);
            assert!(
                shown.title[0].contains("  thread main only  "),
                "{:?}",
                shown.title
            );
            let first = shown
                .rows
                .iter()
                .find(|row| &*row.name != "(outside zones)");
            let first = first.unwrap();
            assert_eq!(&*first.name, "forces");
            assert!((difference(first) - 96.0).abs() < 1e-6);
        }
        // The rows' differences add up to the difference between the frames.
        let shown = report(&profiler, &view);
        let title = shown.title.last().unwrap();
        assert!(title.starts_with("+96.00 ms vs. "), "{title}");
        assert!(!title.contains(" threads "), "{title}");
        if mode == ReportMode::SelfTime {
            let sum: f64 = shown.rows.iter().map(difference).sum();
            assert!((sum - 96.0).abs() < 1e-6, "differences sum to {sum}");
        }
        view.set_baseline(Baseline::None);
        assert_eq!(view.threads(), Threads::All);
    }
}

#[test]
fn title_explains_sums_in_diff_of_all_threads() {
    let profiler = profiler();
    let mut view = spike();
    view.set_baseline(Baseline::Average);
    view.set_threads(Threads::All);
    view.set_baseline(Baseline::Median);
    view.report_mode = ReportMode::HierarchicalTime;
    view.report_mode = ReportMode::SelfTime;
    assert_eq!(
        view.threads(),
        Threads::All,
        "the chosen threads should be kept"
    );
    view.set_baseline(Baseline::Average);
    let shown = report(&profiler, &view);
    let title = shown.title.last().unwrap();
    assert!(title.starts_with("+96.00 ms vs. "), "{title}");
    assert!(title.ends_with("  3 threads +288.00"), "{title}");
    let sum: f64 = shown.rows.iter().map(difference).sum();
    assert!((sum - 288.0).abs() < 1e-6, "differences sum to {sum}");
    view.set_threads(Threads::One(ThreadId(1)));
    view.set_baseline(Baseline::None);
    assert_eq!(
        view.threads(),
        Threads::One(ThreadId(1)),
        "the chosen threads should be kept"
    );
    view.set_baseline(Baseline::Average);
    assert_eq!(view.threads(), Threads::One(ThreadId(1)));
}

#[test]
fn thread_key_shows_all_threads_next() {
    let mut view = spike();
    view.act(&Profiler::new(Pair::both(0)), Action::NextBaseline);
    assert_eq!(view.threads(), Threads::Frame);
    view.act(&Profiler::new(Pair::both(0)), Action::NextThreads);
    assert_eq!(view.threads(), Threads::All);
}

/// The zone of a call graph may be on a different thread.
#[test]
fn call_graph_keeps_its_threads_in_a_diff() {
    let profiler = profiler();
    let mut view = spike();
    let intersect = row(&report(&profiler, &view), "intersect").key;
    view.select_key(intersect);
    view.set_baseline(Baseline::Average);
    assert_eq!(view.threads(), Threads::All);
    assert!(difference(row(&report(&profiler, &view), "intersect")) > 100.0);
    view.go_back();
    assert_eq!(view.threads(), Threads::Frame);
    view.go_forward();
    assert_eq!(view.threads(), Threads::Frame);
}

#[test]
fn diff_emphasizes_rows_by_fraction_of_difference() {
    let profiler = profiler();
    let mut view = spike();
    assert!(
        report(&profiler, &view)
            .rows
            .iter()
            .all(|row| row.change == 0.0)
    );
    view.set_baseline(Baseline::Average);
    let shown = report(&profiler, &view);
    assert!(row(&shown, "forces").change > 0.99);
    for shown in shown.rows.iter().filter(|row| &*row.name != "forces") {
        assert!(shown.change.abs() < 0.01 && shown.heat == 0.0, "{shown:?}");
    }
    view.set_threads(Threads::All);
    let shown = report(&profiler, &view);
    // The expected change is the forces' fraction of the extra work on all three threads. The workers work for only 90%
    // of the extra time and wait for the rest.
    let part = 96.0 / (96.0 + 2.0 * 0.9 * 96.0);
    assert!((row(&shown, "forces").change - part).abs() < 0.001);
    // Rows that took less time have a negative change. If almost nothing differs, no row is highlighted.
    view.frame = Frames::Number(7);
    view.set_baseline(Baseline::Frames(Frames::Number(SPIKE)));
    assert!(row(&report(&profiler, &view), "forces").change < -0.3);
    view.set_baseline(Baseline::Frames(Frames::Number(8)));
    assert!(
        report(&profiler, &view)
            .rows
            .iter()
            .all(|row| row.change.abs() < 1e-6)
    );
}

#[test]
fn title_shows_idle_portion_of_diff() {
    let main = ScriptedThread::begin("main", 0);
    let mut profiler = Profiler::new(Pair::both(0));
    let mut now = 0;
    for wait in [5, 5, 5, 45] {
        main.enter(&PRESENT, now);
        now += wait * MS;
        main.leave(now);
        now += 10 * MS;
        profiler.end_frame(&[main.record()], main.record(), Pair::both(now), true);
    }
    let mut view = View::default();
    view.frame = Frames::Number(4);
    view.set_baseline(Baseline::Average);
    let shown = report(&profiler, &view);
    let title = shown.title.last().unwrap();
    let frame = "vs. mean of 3 surrounding frames  55.00 - 15.00";
    assert_eq!(*title, format!("+40.00 ms, idle +40.00 {frame}"));
    view.idle_ranked = true;
    let shown = report(&profiler, &view);
    let title = shown.title.last().unwrap();
    assert_eq!(*title, format!("+40.00 ms {frame}"));
}

/// The frame mostly waited longer, but it also worked longer.
#[test]
fn diff_emphasizes_work_more_than_waiting() {
    let main = ScriptedThread::begin("main", 0);
    let mut profiler = Profiler::new(Pair::both(0));
    let mut now = 0;
    for (wait, work) in [(5, 10), (5, 10), (5, 10), (205, 15)] {
        for (zone, took) in [(&PRESENT, wait), (&FORCES, work)] {
            main.enter(zone, now);
            now += took * MS;
            main.leave(now);
        }
        profiler.end_frame(&[main.record()], main.record(), Pair::both(now), true);
    }
    let mut view = View::default();
    view.frame = Frames::Number(4);
    view.set_baseline(Baseline::Average);
    assert_eq!(row(&report(&profiler, &view), "forces").change, 1.0);
    view.idle_ranked = true;
    let shown = report(&profiler, &view);
    assert!(row(&shown, "forces").change < 0.05, "{shown:?}");
    assert!(row(&shown, "present").change > 0.95, "{shown:?}");
}

#[test]
fn counted_zone_is_marked_as_counter() {
    let profiler = profiler();
    let mut view = spike();
    for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
        view.report_mode = mode;
        let shown = report(&profiler, &view);
        for row in &shown.rows {
            assert_eq!(row.is_counter, &*row.name == "branches", "{row:?}");
        }
        assert_eq!(row(&shown, "branches").number(ColumnId::Count), 2.0);
    }
    let intersect = row(&report(&profiler, &view), "intersect").key;
    view.select_key(intersect);
    assert!(row(&report(&profiler, &view), "branches").is_counter);
}

#[test]
fn report_counts_the_summed_threads() {
    let profiler = profiler();
    let mut view = spike();
    assert_eq!(report(&profiler, &view).threads, 3);
    view.set_threads(Threads::Group(ThreadId(1)));
    assert_eq!(report(&profiler, &view).threads, 2);
    view.set_threads(Threads::Frame);
    assert_eq!(report(&profiler, &view).threads, 1);
}

#[test]
fn graph_names_threads_and_stacks_idle_on_top() {
    let profiler = profiler();
    let (mut work, mut graph) = (GraphWork::default(), Graph::default());
    let mut view = View::default();
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.title, "frames of thread main");
    let names = |graph: &Graph| -> Vec<String> {
        let segments = graph.bars[5].segments.iter();
        let zone = |zone: u32| &graph.zones[zone as usize];
        segments
            .map(|segment| {
                let zone = zone(segment.zone);
                format!("{}{}", if zone.is_idle { "idle " } else { "" }, zone.name)
            })
            .collect()
    };
    assert_eq!(names(&graph), ["(outside zones)", "forces", "idle present"]);
    assert_eq!(graph.zone_at(6, 9.0).as_deref(), Some("present"));
    // On all other threads, time outside zones is idle.
    view.set_threads(Threads::One(ThreadId(1)));
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.title, "frames of thread worker #1");
    assert_eq!(names(&graph), ["intersect", "idle (outside zones)"]);
    view.set_threads(Threads::Frame);
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.title, "frames of thread main");
    assert_eq!(names(&graph), ["(outside zones)", "forces", "idle present"]);
}
