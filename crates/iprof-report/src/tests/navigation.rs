//! Tests for navigation: expanding and collapsing rows, selecting zones, and going back.

use crate::query;
use crate::report::{Report, ReportMode};
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;

static DAY: Zone = Zone::new("day", "", 0, "");
static NIGHT: Zone = Zone::new("night", "", 0, "");
static PLAN: Zone = Zone::new("plan", "", 0, "");
static LOOK: Zone = Zone::new("look", "", 0, "");
static CAST: Zone = Zone::new("cast", "", 0, "");

/// Records a frame in which `day` and `night` both call `plan` and `look`, which both call `cast`.
fn profiler() -> Profiler {
    let mut now = 1_000;
    let thread = ScriptedThread::begin("main", now);
    let mut profiler = Profiler::new(Pair::both(now));
    for (outer, inner, us) in [
        (&DAY, &PLAN, 500),
        (&DAY, &LOOK, 400),
        (&NIGHT, &PLAN, 300),
        (&NIGHT, &LOOK, 100),
    ] {
        for zone in [outer, inner, &CAST] {
            thread.enter(zone, now);
        }
        now += us * 1_000;
        for _ in 0..3 {
            thread.leave(now);
        }
    }
    let pair = Pair::both(now);
    profiler.end_frame(&[thread.record()], thread.record(), pair, true);
    profiler
}

fn names(report: &Report) -> Vec<String> {
    let line = |row: &crate::report::Row| {
        let indent = "  ".repeat(row.indent as usize);
        format!("{indent}{}{}", row.expansion.as_char(), row.name)
    };
    report.rows.iter().map(line).collect()
}

/// Moves the cursor to the row with this name and index, counted from 0, and acts on that row.
#[track_caller]
fn act_on_row(
    profiler: &Profiler,
    view: &mut View,
    (name, which): (&str, usize),
    act: impl FnOnce(&mut View, &Report),
) {
    let report = query::report(profiler, view, None);
    let rows = report.rows.iter().enumerate();
    let mut rows = rows.filter(|(_, row)| &*row.name == name);
    let (at, _) = rows
        .nth(which)
        .unwrap_or_else(|| panic!("no row {name} in {report:#?}"));
    view.set_cursor(&report, at);
    act(view, &query::report(profiler, view, None));
}

/// Returns the index and name of the row under the cursor.
fn cursor(profiler: &Profiler, view: &View) -> (usize, String) {
    let report = query::report(profiler, view, None);
    let at = report.cursor().unwrap();
    (at, report.rows[at].name.to_string())
}

fn view() -> View {
    let mut view = View::default();
    view.average = crate::Average::Newest;
    view.report_mode = ReportMode::HierarchicalTime;
    view
}

#[test]
fn collapse_returns_to_the_row_expanded_from() {
    let profiler = profiler();
    let mut view = view();
    act_on_row(&profiler, &mut view, ("cast", 0), View::select);
    for caller in ["look", "plan"] {
        act_on_row(&profiler, &mut view, (caller, 0), View::expand);
    }
    let opened = [
        "+night",
        "+day",
        "  -look",
        "+night",
        "+day",
        "  -plan",
        "    -cast",
    ];
    assert_eq!(names(&query::report(&profiler, &view, None)), opened);
    for (row, opener) in [
        (("night", 0), (2, "look")),
        (("day", 0), (2, "look")),
        (("night", 1), (5, "plan")),
        (("day", 1), (5, "plan")),
    ] {
        act_on_row(&profiler, &mut view, row, View::collapse);
        assert_eq!(cursor(&profiler, &view), (opener.0, opener.1.to_owned()));
        assert_eq!(names(&query::report(&profiler, &view, None)), opened);
    }
    act_on_row(&profiler, &mut view, ("plan", 0), View::collapse);
    assert_eq!(
        names(&query::report(&profiler, &view, None))[3..],
        ["  +plan", "    -cast"]
    );
    // Below the selected row, each row's parent is above it.
    act_on_row(&profiler, &mut view, ("day", 0), View::select);
    act_on_row(&profiler, &mut view, ("plan", 0), View::expand);
    act_on_row(&profiler, &mut view, ("look", 0), View::expand);
    let below = [
        "  -day",
        "    -plan",
        "       cast",
        "    -look",
        "       cast",
    ];
    assert_eq!(names(&query::report(&profiler, &view, None))[1..], below);
    act_on_row(&profiler, &mut view, ("cast", 1), View::collapse);
    assert_eq!(cursor(&profiler, &view), (4, "look".to_owned()));
}

#[test]
fn parent_is_the_costliest_caller() {
    let profiler = profiler();
    let mut view = view();
    act_on_row(&profiler, &mut view, ("cast", 0), View::select);
    let up = |view: &mut View| {
        let shown = query::report(&profiler, view, None);
        view.select_parent(&profiler, &shown);
        cursor(&profiler, view).1
    };
    for caller in ["look", "plan"] {
        act_on_row(&profiler, &mut view, (caller, 0), View::expand);
    }
    assert_eq!(up(&mut view), "plan");
    assert_eq!(up(&mut view), "day");
    assert_eq!(up(&mut view), "(outside zones)");
    assert_eq!(up(&mut view), "(outside zones)");
}

#[test]
fn going_back_and_forward_steps_through_selections() {
    let profiler = profiler();
    let mut view = view();
    let list = cursor(&profiler, &view);
    for zone in ["cast", "plan", "day"] {
        act_on_row(&profiler, &mut view, (zone, 0), View::select);
    }
    let here = |view: &View| cursor(&profiler, view).1;
    let mut back = |wanted: &str| {
        view.go_back();
        assert_eq!(here(&view), wanted);
    };
    back("day"); // The cursor was there when `day` was selected, in the graph of `plan`.
    back("plan");
    view.go_back();
    assert_eq!(view.report_mode, ReportMode::HierarchicalTime);
    assert_eq!(cursor(&profiler, &view).1, "cast");
    assert_ne!(cursor(&profiler, &view), list);
    view.go_back();
    assert_eq!(
        cursor(&profiler, &view).1,
        "cast",
        "there should be no earlier selection"
    );
    for zone in ["cast", "plan", "day", "day"] {
        view.go_forward();
        assert_eq!(view.report_mode, ReportMode::CallGraph);
        let graph = names(&query::report(&profiler, &view, None));
        assert!(graph.iter().any(|row| row.trim() == format!("-{zone}")));
    }
    // A new selection discards the ones to go forward to.
    view.go_back();
    act_on_row(&profiler, &mut view, ("day", 0), View::select);
    let before = view.clone();
    view.go_forward();
    assert_eq!(view, before);
}

#[test]
fn history_keeps_256_selections() {
    let profiler = profiler();
    let mut view = view();
    act_on_row(&profiler, &mut view, ("cast", 0), View::select);
    for _ in 0..200 {
        act_on_row(&profiler, &mut view, ("plan", 0), View::select);
        act_on_row(&profiler, &mut view, ("cast", 0), View::select);
    }
    let mut steps = 0;
    loop {
        let before = view.clone();
        view.go_back();
        if view == before {
            break;
        }
        steps += 1;
    }
    assert_eq!(steps, 256);
}
