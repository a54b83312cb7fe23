//! Tests for the names and order of a view's threads, and for the parts of a row.

use crate::query;
use crate::report::{ColumnId, ReportMode, RowKey, Section};
use crate::view::{Baseline, View};
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

static CAST: Zone = Zone::new("cast", "", 0, "");
static WAIT: Zone = Zone::new("wait", "", 0, "").idle();

/// Records a frame of 20 ms in which each named thread spends the given number of milliseconds in `cast` and the rest
/// in `wait`.
fn profiler(names: &[(&'static str, u64)]) -> Profiler {
    let begin = 1_000;
    let threads: Vec<ScriptedThread> = names
        .iter()
        .map(|(name, _)| ScriptedThread::begin(name, begin))
        .collect();
    let records: Vec<_> = threads.iter().map(ScriptedThread::record).collect();
    let mut profiler = Profiler::new(Pair::both(begin));
    let end = begin + 20_000_000;
    for (thread, (_, ms)) in threads.iter().zip(names) {
        let middle = begin + ms * 1_000_000;
        if *ms > 0 {
            thread.enter(&CAST, begin);
            thread.leave(middle);
        }
        thread.enter(&WAIT, middle);
        thread.leave(end);
    }
    let main = names.iter().position(|(name, _)| *name == "main").unwrap();
    profiler.end_frame(&records, records[main], Pair::both(end), true);
    profiler
}

#[test]
fn frames_thread_comes_first_then_names() {
    let names = ["pool 10", "pool 2", "main", "audio", "pool 1"].map(|name| (name, 0));
    let profiler = profiler(&names);
    let ordered = profiler.threads_in_order().into_iter();
    let ordered: Vec<String> = ordered.map(|thread| thread.name).collect();
    assert_eq!(ordered, ["main", "audio", "pool 1", "pool 2", "pool 10"]);
}

fn parts(profiler: &Profiler, view: &View, key: RowKey) -> Vec<(String, f64, f64)> {
    let parts = query::parts(profiler, view, key).into_iter();
    let ms = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    parts
        .map(|row| {
            (
                row.name.to_string(),
                row.number(ms),
                row.number(ColumnId::Count),
            )
        })
        .collect()
}

fn key(profiler: &Profiler, view: &View, name: &str) -> RowKey {
    let report = query::report(profiler, view, None);
    let mut rows = report.rows.iter();
    let row = rows.find(|row| &*row.name == name);
    row.unwrap_or_else(|| panic!("no row {name} in {report:?}"))
        .key
}

#[test]
fn multi_thread_row_has_a_part_per_thread() {
    let profiler = profiler(&[("main", 1), ("scanner", 2), ("scanner", 12), ("idler", 0)]);
    for mode in [
        ReportMode::SelfTime,
        ReportMode::HierarchicalTime,
        ReportMode::CallTree,
    ] {
        let mut view = View::default();
        view.report_mode = mode;
        let cast = key(&profiler, &view, "cast");
        let wanted = [
            ("scanner #2", 12.0, 1.0),
            ("scanner #1", 2.0, 1.0),
            ("main", 1.0, 1.0),
        ];
        let wanted = wanted.map(|(name, ms, count)| (name.to_owned(), ms, count));
        assert_eq!(parts(&profiler, &view, cast), wanted, "{mode:?}");
        // Parts are not folded, no matter how small they are.
        view.min_share = 0.5;
        assert_eq!(parts(&profiler, &view, cast), wanted, "{mode:?}");
        assert_eq!(
            parts(&profiler, &view, RowKey::top_others(Section::Flat)),
            []
        );
        view.min_share = 0.0;
        view.set_threads(Threads::One(ThreadId(1)));
        assert_eq!(
            parts(&profiler, &view, cast),
            [],
            "a row of a single thread should have no parts"
        );
        view.set_threads(Threads::Group(ThreadId(1)));
        assert_eq!(parts(&profiler, &view, cast), wanted[..2]);
        view.set_baseline(Baseline::Average);
        assert_eq!(parts(&profiler, &view, cast), []);
    }
}

#[test]
fn rows_for_the_profilers_own_zones_are_marked() {
    static DRAW: Zone = Zone::new("iprof_draw", "", 0, "iprof::overlay");
    let thread = ScriptedThread::begin("main", 1_000);
    thread.enter(&CAST, 1_000);
    thread.enter(&DRAW, 2_000);
    thread.leave(3_000);
    thread.leave(4_000);
    let mut profiler = Profiler::new(Pair::both(1_000));
    profiler.end_frame(&[thread.record()], thread.record(), Pair::both(5_000), true);
    for row in query::report(&profiler, &View::default(), None).rows {
        assert_eq!(row.is_own, &*row.name == "iprof_draw", "{row:?}");
    }
}

#[test]
fn idle_row_has_a_part_for_each_idle_zone() {
    let profiler = profiler(&[("main", 19), ("worker", 5)]);
    let mut view = View::default();
    let idle = key(&profiler, &view, "(idle)");
    let wanted = [("wait".to_owned(), 16.0, 2.0)];
    assert_eq!(parts(&profiler, &view, idle), wanted);
    view.report_mode = ReportMode::HierarchicalTime;
    assert_eq!(parts(&profiler, &view, idle), wanted);
    view.filter = "(idle)".to_owned();
    assert_eq!(parts(&profiler, &view, idle), wanted);
}
