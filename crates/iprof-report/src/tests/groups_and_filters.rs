//! Tests for zone groups and filters, and for how rows with the same name are distinguished.

use super::scene::*;
use crate::graph::Graph;
use crate::query::graph::GraphWork;
use crate::report::{ColumnId, Recursion, Report, ReportMode};
use crate::view::View;
use iprof_gather::Zone;

#[test]
fn cursor_keeps_its_row_when_groups_toggle() {
    let scene = typical_scene();
    let mut view = view();
    view.grouping = true;
    assert_eq!(
        names(&scene.report(&view)),
        ["+physics::", " Art", "+(outside zones)", "+step"]
    );
    let totals = |view: &View| {
        let columns = [
            ColumnId::SelfTime,
            ColumnId::HierarchicalTime,
            ColumnId::Count,
        ];
        scene.report(view).rows[0].numbers(columns)
    };
    let [self_ms, hier_ms, count] = totals(&view);
    assert!((self_ms - 0.52).abs() < 1e-9 && (hier_ms - 0.52).abs() < 1e-9);
    assert_eq!(count, 40.0);

    scene.act_on_row(&mut view, "physics::", View::expand);
    let open = scene.report(&view);
    assert_eq!(
        names(&open),
        [
            "-physics::",
            "   physics::solve",
            "  +physics::phase::",
            "   physics::collide",
            " Art",
            "+(outside zones)",
            "+step",
        ]
    );
    assert_eq!(cursor(&open), "physics::");
    scene.act_on_row(&mut view, "physics::phase::", View::select);
    let open = scene.report(&view);
    assert_eq!(names(&open)[3], "     physics::phase::narrow");
    assert_eq!(
        cursor(&open),
        "physics::phase::",
        "a group should be expanded, not selected"
    );
    assert_eq!(view.report_mode, ReportMode::SelfTime);
    // Collapsing a leaf moves the cursor to its parent. Collapsing again collapses the parent.
    scene.act_on_row(&mut view, "physics::phase::broad", View::collapse);
    assert_eq!(cursor(&scene.report(&view)), "physics::phase::");
    view.collapse(&scene.report(&view));
    let closed = scene.report(&view);
    assert_eq!(names(&closed).len(), 7);
    assert_eq!(cursor(&closed), "physics::phase::");
    view.collapse(&closed);
    assert_eq!(cursor(&scene.report(&view)), "physics::");
    view.select(&scene.report(&view));
    assert_eq!(names(&scene.report(&view))[0], "+physics::");
    // A top-level row has no parent.
    scene.act_on_row(&mut view, "Art", View::collapse);
    assert_eq!(cursor(&scene.report(&view)), "Art");

    // A zone in a group can be selected like any other. Groups stay expanded after going back, and when recursion is
    // spread.
    scene.act_on_row(&mut view, "physics::", View::expand);
    scene.act_on_row(&mut view, "physics::solve", View::expand);
    assert_eq!(view.report_mode, ReportMode::CallGraph);
    let graph = names(&scene.report(&view));
    assert_eq!(graph, ["+step", "  -physics::solve"]);
    view.go_back();
    view.recursion = Recursion::Spread;
    let back = scene.report(&view);
    assert_eq!(
        (names(&back)[0].as_str(), cursor(&back)),
        ("-physics::", "physics::solve")
    );
    // When grouping is turned off, the cursor stays on its zone.
    view.grouping = false;
    assert_eq!(cursor(&scene.report(&view)), "physics::solve");
    // A group has no caller to move to.
    view.grouping = true;
    let before = view.clone();
    scene.act_on_row(&mut view, "physics::", |view, shown| {
        view.select_parent(&scene.profiler, shown);
    });
    assert_eq!(view.report_mode, before.report_mode);
}

#[test]
fn filter_expands_groups_with_matches() {
    let scene = typical_scene();
    let mut view = view();
    view.grouping = true;
    view.min_share = 0.5;
    view.filter = "BROAD".to_owned();
    let rows = [
        "-physics::",
        "  -physics::phase::",
        "     physics::phase::broad",
    ];
    assert_eq!(names(&scene.report(&view)), rows);
    // The filter keeps the group expanded.
    scene.act_on_row(&mut view, "physics::phase::", View::collapse);
    assert_eq!(names(&scene.report(&view)), rows);
    // If the group's own name matches, its expansion doesn't change.
    view.filter = "phase::".to_owned();
    assert_eq!(
        names(&scene.report(&view)),
        ["-physics::", "  +physics::phase::"]
    );
    scene.act_on_row(&mut view, "physics::phase::", View::expand);
    assert_eq!(names(&scene.report(&view)).len(), 4);
    view.filter = "physics".to_owned();
    assert_eq!(names(&scene.report(&view)), ["+physics::"]);
}

/// Two modules contain zones with the same name. A third is added later.
#[test]
fn same_name_zones_show_their_modules() {
    static RENDER: Zone = Zone::new("update", "src/render.rs", 3, "game::render");
    static SOUND: Zone = Zone::new("update", "src/sound/mod.rs", 9, "game::sound");
    static VOICE: Zone = Zone::new("update", "src/voice/mod.rs", 9, "game::voice");
    let mut scene = Scene::new();
    let mut view = view();
    view.filter = "update".to_owned();
    let mut work = GraphWork::default();
    let mut graph = Graph::default();
    let mut after = |script: Script<'_>| {
        scene.frame(script);
        work.update(&scene.profiler, &view, false, &mut graph);
        let in_graph = graph.zones.iter().map(|zone| zone.name.to_string());
        let in_graph: Vec<String> = in_graph.filter(|name| name.contains("update")).collect();
        let listed: Vec<String> = names(&scene.report(&view));
        assert_eq!(in_graph.len(), listed.len());
        assert!(
            listed
                .iter()
                .all(|row| in_graph.contains(&row.trim().to_owned()))
        );
        listed
    };
    assert_eq!(after(&[(&RENDER, 1, 500)]), [" update"]);
    assert_eq!(
        after(&[(&RENDER, 1, 500), (&SOUND, 1, 300)]),
        [" update (render.rs)", " update (sound/mod.rs)"]
    );
    assert_eq!(
        after(&[(&RENDER, 1, 500), (&SOUND, 1, 300), (&VOICE, 1, 100)]),
        [
            " update (render.rs)",
            " update (sound/mod.rs)",
            " update (voice/mod.rs)"
        ]
    );
}

#[test]
fn column_keeps_a_unit_that_nearly_fits() {
    let mut scene = Scene::new();
    let view = view();
    let mut shown = Report::default();
    let mut after = |us: u64| {
        scene.frame(&[(&SOLVE, 1, us)]);
        shown = scene.report_after(&view, &shown, false);
        let mut text = String::new();
        shown.push_header(ColumnId::SelfTime, &mut text);
        text.push(' ');
        shown.push_value(&shown.rows[0], ColumnId::SelfTime, 2, &mut text);
        text
    };
    assert_eq!(after(800), "self \u{b5}s 800.00");
    assert_eq!(after(1_500), "self ms 1.50");
    assert_eq!(after(800), "self ms 0.80");
    assert_eq!(after(400), "self ms 0.40");
    assert_eq!(after(90), "self \u{b5}s 90.00");
    assert_eq!(after(25_218_905), "self s 25.22");
}
