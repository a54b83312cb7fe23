//! Tests for the folded row, `others`, which represents rows that are too small to be listed.

use super::scene::*;
use crate::query;
use crate::report::{ColumnId, Report, ReportMode, Sort};
use crate::view::View;
use iprof_process::Frames;

#[test]
fn folded_row_stays_folded_while_order_is_held() {
    let mut scene = Scene::new();
    let mut view = view();
    view.min_share = 0.1;
    scene.frame(&[(&SOLVE, 1, 90), (&ART, 1, 910)]);
    let first = scene.report(&view);
    scene.frame(&[(&SOLVE, 1, 910), (&ART, 1, 90)]);
    let after = |is_held| names(&scene.report_after(&view, &first, is_held));
    assert_eq!(after(true), names(&first));
    assert_eq!(after(false), [" physics::solve", "+others (3)"]);
}

#[test]
fn row_at_the_fold_limit_does_not_flicker() {
    let mut scene = Scene::new();
    let mut view = view();
    view.min_share = 0.1;
    view.filter = String::new();
    // Times are fractions of a 1,000 us frame. `step` and `(outside zones)` have no self time.
    let frame = |scene: &mut Scene, solve: u64| {
        scene.frame(&[(&SOLVE, 1, solve), (&ART, 1, 1_000 - solve)]);
    };
    let is_listed = |report: &Report| report.rows.iter().any(|r| r.name.contains("solve"));
    let mut shown = Report::default();
    let mut after = |solve: u64| {
        frame(&mut scene, solve);
        shown = scene.report_after(&view, &shown, false);
        let exact = query::report(&scene.profiler, &view, None);
        (is_listed(&shown), is_listed(&exact))
    };
    assert_eq!(
        after(110),
        (true, true),
        "with no row folded before, none should be held"
    );
    assert_eq!(after(101), (true, true));
    assert_eq!(after(99), (false, false));
    assert_eq!(after(101), (false, true));
    assert_eq!(after(124), (false, true));
    assert_eq!(after(126), (true, true));
    assert_eq!(after(101), (true, true));
    // The same rows are folded whether or not the folded row is expanded.
    view.toggle(crate::report::RowKey::top_others(
        crate::report::Section::Flat,
    ));
    let indent = |report: &Report| {
        let row = report.rows.iter().find(|r| r.name.contains("solve"));
        row.map(|row| row.indent)
    };
    let mut after = |solve: u64| {
        frame(&mut scene, solve);
        shown = scene.report_after(&view, &shown, false);
        indent(&shown)
    };
    assert_eq!(after(99), Some(1));
    assert_eq!(after(124), Some(1));
    assert_eq!(after(126), Some(0));
    assert_eq!(after(101), Some(0));
    // If a report's values do not change, rows are folded exactly at the limit.
    view.frame = Frames::Number(4);
    assert!(is_listed(&scene.report_after(&view, &shown, false)));
}

#[test]
fn callers_and_callees_at_the_limit_do_not_flicker() {
    let mut scene = Scene::new();
    let mut view = view();
    scene.frame(TYPICAL_FRAME);
    scene.act_on_row(&mut view, "step", |view, shown| view.select(shown));
    view.min_share = 0.1;
    let mut shown = Report::default();
    let mut after = |solve: u64| {
        scene.frame(&[
            (&SOLVE, 1, solve),
            (&COLLIDE, 1, 20),
            (&ART, 1, 980 - solve),
        ]);
        shown = scene.report_after(&view, &shown, false);
        shown.rows.iter().any(|r| r.name.contains("solve"))
    };
    let listed = [110, 99, 124, 126, 101, 99].map(&mut after);
    assert_eq!(listed, [true, false, false, true, true, false]);
}

#[test]
fn folded_rows_expand_in_place_but_are_unselectable() {
    let scene = typical_scene();
    let mut view = view();
    view.min_share = 0.2;
    // `step` and `(outside zones)` have no self time, so they count as small.
    let folded = ["  Art", "  physics::solve", " +others (5)"].map(|name| name[1..].to_owned());
    assert_eq!(names(&scene.report(&view)), folded);
    let others = scene.report(&view).rows[2].clone();
    assert!((others.number(ColumnId::SelfTime) - 0.22).abs() < 1e-9);
    // `(outside zones)` is open for the entire frame.
    assert!((others.number(ColumnId::HierarchicalTime) - 1.0).abs() < 1e-9);
    assert_eq!(others.number(ColumnId::Count), 39.0);

    scene.act_on_row(&mut view, "others (5)", View::select);
    let open = scene.report(&view);
    assert_eq!(
        names(&open)[2..5],
        [
            "-others (5)",
            "   physics::collide",
            "   physics::phase::narrow"
        ]
    );
    assert_eq!(cursor(&open), "others (5)");
    assert_eq!(view.report_mode, ReportMode::SelfTime);
    scene.act_on_row(&mut view, "physics::phase::narrow", View::collapse);
    assert_eq!(cursor(&scene.report(&view)), "others (5)");
    view.collapse(&scene.report(&view));
    assert_eq!(names(&scene.report(&view)), folded);
    // The folded row comes last in every sort order.
    for sort in [
        Sort::Name,
        Sort::Column(ColumnId::Count),
        Sort::Column(ColumnId::HierarchicalTime),
    ] {
        view.set_sort(sort, false);
        for reversed in [false, true] {
            view.set_sort(view.sort().0, reversed);
            assert_eq!(names(&scene.report(&view))[2], "+others (5)");
        }
    }
    view.set_sort(Sort::Mode, true);

    // The costliest caller is found even if it is folded.
    scene.act_on_row(&mut view, "physics::solve", View::select);
    view.min_share = 1.0;
    view.filter = "solve".to_owned();
    view.select_parent(&scene.profiler, &scene.report(&view));
    view.filter = String::new();
    assert_eq!(cursor(&scene.report(&view)), "step");
    let graph = names(&scene.report(&view));
    assert_eq!(graph, [" (outside zones)", "  -step", "    +others (5)"]);
    view.report_mode = ReportMode::CallGraphDescendants;
    assert_eq!(names(&scene.report(&view)), graph);
    scene.act_on_row(&mut view, "others (5)", View::expand);
    assert_eq!(names(&scene.report(&view)).len(), 8);
    // A listed descendant has no rows below it, so expanding it selects its zone.
    scene.act_on_row(&mut view, "physics::solve", View::expand);
    assert_eq!(cursor(&scene.report(&view)), "physics::solve");
    let selected = names(&scene.report(&view));
    assert!(
        selected.contains(&"  -physics::solve".to_owned()),
        "{selected:?}"
    );
    view.go_back();
    assert_eq!(names(&scene.report(&view)).len(), 8);
}

#[test]
fn single_small_row_is_not_folded_but_groups_are() {
    let scene = typical_scene();
    let mut view = view();
    view.report_mode = ReportMode::HierarchicalTime;
    view.min_share = 0.05;
    // Only one zone is small enough to be folded.
    assert!(
        !names(&scene.report(&view))
            .iter()
            .any(|name| name.contains("others"))
    );
    view.grouping = true;
    view.min_share = 0.53;
    assert_eq!(
        names(&scene.report(&view)),
        ["+(outside zones)", "+step", "+others (2)"]
    );
    scene.act_on_row(&mut view, "others (2)", View::expand);
    scene.act_on_row(&mut view, "physics::", View::expand);
    assert_eq!(
        names(&scene.report(&view))[2..],
        [
            "-others (2)",
            "  -physics::",
            "     physics::solve",
            "    +physics::phase::",
            "     physics::collide",
            "   Art",
        ]
    );
    // In a listed group that is expanded, small rows are folded.
    view.min_share = 0.2;
    assert_eq!(
        names(&scene.report(&view))[2..],
        ["-physics::", "   physics::solve", "  +others (2)", " Art"]
    );
}

#[test]
fn shares_are_clamped_and_nan_folds_nothing() {
    let mut scene = Scene::new();
    scene.frame(&[(&SOLVE, 1, 90), (&ART, 1, 910)]);
    for (share, is) in [
        (0.25, 0.25),
        (-1.0, 0.0),
        (7.0, 1.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 1.0),
        (f64::NEG_INFINITY, 0.0),
    ] {
        let rows = |min_share| {
            let mut view = view();
            view.min_share = min_share;
            names(&scene.report(&view))
        };
        assert_eq!(rows(share), rows(is), "rows with minimum share {share}");
    }
}
