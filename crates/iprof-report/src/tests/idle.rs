//! Tests that idle zones are not ranked and that sums remain correct. `folding.rs` checks the same for any program.

use crate::action::Action;
use crate::query;
use crate::report::{ColumnId, Expansion, Report, ReportMode, Row};
use crate::view::Average;
use crate::view::View;
use iprof_gather::ThreadRecord;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::builder::snapshot_of;
use iprof_process::{ThreadId, Threads};

static FRAME: Zone = Zone::new("frame", "", 0, "");
static PRESENT: Zone = Zone::new("present", "", 0, "").idle();
static JOB: Zone = Zone::new("job", "", 0, "");
static WAIT: Zone = Zone::new("wait_for_work", "", 0, "").idle();
static STOLEN: Zone = Zone::new("stolen_job", "", 0, "");

const MS: u64 = 1_000_000;

/// Records a frame of 100 ms. The frame's thread works for 60 ms, waits for 30 ms, and is outside zones for 10 ms. A
/// worker works for 20 ms, waits for 50 ms, does another job for 5 ms during the wait, and is outside zones for 25 ms.
fn profiler() -> Profiler {
    profiler_and_records().0
}

fn profiler_and_records() -> (Profiler, [&'static ThreadRecord; 2]) {
    let main = ScriptedThread::begin("main", 0);
    let worker = ScriptedThread::begin("worker", 0);
    let mut profiler = Profiler::new(Pair::both(0));
    main.enter(&FRAME, 0);
    main.enter(&PRESENT, 60 * MS);
    main.leave(90 * MS);
    main.leave(90 * MS);
    worker.enter(&JOB, 0);
    worker.leave(20 * MS);
    worker.enter(&WAIT, 20 * MS);
    worker.enter(&STOLEN, 40 * MS);
    worker.leave(45 * MS);
    worker.leave(75 * MS);
    let records = [main.record(), worker.record()];
    profiler.end_frame(&records, records[0], Pair::both(100 * MS), true);
    (profiler, records)
}

fn view(mode: ReportMode) -> View {
    let mut view = View::default();
    view.average = Average::Newest;
    view.report_mode = mode;
    view
}

/// Formats each row as its idle mark, indent, expansion, name, self time and hierarchical time.
fn lines(report: &Report) -> Vec<String> {
    let line = |row: &Row| {
        let idle = if row.is_idle { "idle " } else { "" };
        let indent = "  ".repeat(row.indent as usize);
        let times = [ColumnId::SelfTime, ColumnId::HierarchicalTime];
        let [own, hier] = times.map(|column| row.value(column).unwrap().number.round());
        let expansion = match row.expansion {
            Expansion::Leaf => "",
            Expansion::Collapsed => "+",
            Expansion::Expanded => "-",
        };
        format!("{idle}{indent}{expansion}{} {own} {hier}", row.name)
    };
    report.rows.iter().map(line).collect()
}

#[test]
fn last_row_sums_idle_zones_and_expands() {
    let profiler = profiler();
    let mut view = view(ReportMode::SelfTime);
    let working = [
        "frame 60 90",
        "job 20 20",
        "+(outside zones) 10 200",
        "stolen_job 5 5",
    ];
    let working = working.map(|line| line.replace("frame", "+frame"));
    let report = query::report(&profiler, &view, None);
    // The idle time is 30 ms in `present`, 50 ms in `wait_for_work` plus the job in it, and 25 ms outside zones.
    let (last, rest) = lines(&report)
        .split_last()
        .map(|(a, b)| (a.clone(), b.to_vec()))
        .unwrap();
    assert_eq!(rest, working);
    assert_eq!(last, "idle +(idle) 105 110");
    let all: f64 = report
        .rows
        .iter()
        .map(|row| row.number(ColumnId::SelfTime))
        .sum();
    assert!((all - 200.0).abs() < 1e-9, "{all}");

    view.set_cursor(&report, report.rows.len() - 1);
    view.expand(&query::report(&profiler, &view, None));
    let open = lines(&query::report(&profiler, &view, None));
    assert_eq!(open[..4], working);
    assert_eq!(
        open[4..],
        [
            "idle -(idle) 105 110",
            "idle   +wait_for_work 50 55",
            "idle   present 30 30",
            "idle   (outside zones) 25 25",
        ]
    );
    view.collapse(&query::report(&profiler, &view, None));
    assert_eq!(lines(&query::report(&profiler, &view, None)).len(), 5);
}

#[test]
fn ranked_idle_rows_are_sorted_by_value() {
    let profiler = profiler();
    let mut view = view(ReportMode::SelfTime);
    view.act(&profiler, Action::ToggleIdle);
    assert!(view.idle_ranked);
    let ranked = [
        "+frame 60 90",
        "idle +wait_for_work 50 55",
        "idle present 30 30",
        "idle (outside zones, idle) 25 25",
        "job 20 20",
        "+(outside zones) 10 200",
        "stolen_job 5 5",
    ];
    assert_eq!(lines(&query::report(&profiler, &view, None)), ranked);
    view.act(&profiler, Action::ToggleIdle);
    assert!(!view.idle_ranked);
}

#[test]
fn filter_expands_the_idle_row() {
    let profiler = profiler();
    let mut view = view(ReportMode::SelfTime);
    view.filter = "wait".to_owned();
    let found = lines(&query::report(&profiler, &view, None));
    assert_eq!(
        found,
        ["idle -(idle) 105 110", "idle   +wait_for_work 50 55"]
    );
}

#[test]
fn idle_rows_are_in_no_group_and_not_folded() {
    let profiler = profiler();
    let mut view = view(ReportMode::SelfTime);
    view.min_share = 0.25;
    view.grouping = true;
    let folded = lines(&query::report(&profiler, &view, None));
    assert_eq!(
        folded,
        ["+frame 60 90", "+others (3) 35 200", "idle +(idle) 105 110"]
    );
}

#[test]
fn idle_zones_come_last_in_trees_and_graphs() {
    let profiler = profiler();
    let mut view = view(ReportMode::CallTree);
    let tree = [
        "-(outside zones) 35 200",
        "  +frame 60 90",
        "  job 20 20",
        "idle   +wait_for_work 50 55",
    ];
    assert_eq!(lines(&query::report(&profiler, &view, None)), tree);
    view.idle_ranked = true;
    let report = query::report(&profiler, &view, None);
    assert_eq!(lines(&report)[2], "idle   +wait_for_work 50 55");
    view.idle_ranked = false;
    // Here the root's row is the parent of all others, so it includes all time outside zones.
    view.report_mode = ReportMode::CallGraph;
    let graph = lines(&query::report(&profiler, &view, None));
    assert_eq!(graph[0], "  -(outside zones) 35 200");
    assert_eq!(graph.last().unwrap(), "idle     +wait_for_work 50 55");
}

#[test]
fn time_outside_zones_is_idle_on_other_threads() {
    let profiler = profiler();
    let mut view = view(ReportMode::HierarchicalTime);
    view.set_threads(Threads::One(ThreadId(0)));
    let main = [
        "+(outside zones) 10 100",
        "+frame 60 90",
        "idle +(idle) 30 30",
    ];
    assert_eq!(lines(&query::report(&profiler, &view, None)), main);
    view.set_threads(Threads::One(ThreadId(1)));
    let worker = [
        "+(outside zones) 0 100",
        "job 20 20",
        "stolen_job 5 5",
        "idle +(idle) 75 80",
    ];
    assert_eq!(lines(&query::report(&profiler, &view, None)), worker);
}

#[test]
fn snapshots_mark_idle_zones() {
    let (mut profiler, records) = profiler_and_records();
    let snapshot = snapshot_of(&mut profiler, &records, Pair::both(100 * MS), false);
    let idle = snapshot.zones.iter().filter(|zone| zone.is_idle);
    let idle: Vec<&str> = idle.map(|zone| &*zone.name).collect();
    assert_eq!(idle, ["present", "wait_for_work"]);
    let outside: Vec<bool> = snapshot
        .threads
        .iter()
        .map(|thread| thread.is_idle_outside_zones)
        .collect();
    assert_eq!(outside, [false, true]);
}
