//! Tests for sorting rows by column or by name, in either direction.

use super::scene::*;
use crate::report::{ColumnId, Expansion, Recursion, ReportMode, Sort};
use crate::view::{Baseline, View};
use iprof_process::Frames;

#[test]
fn rows_sort_by_any_column_in_both_directions() {
    let mut scene = typical_scene();
    scene.frame(&[
        (&SOLVE, 3, 600),
        (&COLLIDE, 7, 50),
        (&BROAD, 5, 40),
        (&ART, 2, 500),
    ]);
    let mut view = view();
    for baseline in [Baseline::None, Baseline::Frames(Frames::Number(1))] {
        view.set_baseline(baseline.clone());
        for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
            view.report_mode = mode;
            view.set_column(ColumnId::NetTime, baseline == Baseline::None);
            let columns = scene.report(&view).columns;
            assert_eq!(
                columns.len(),
                if baseline == Baseline::None { 4 } else { 6 }
            );
            for column in columns {
                view.set_sort(Sort::Column(column), false);
                for rising in [false, true] {
                    view.set_sort(view.sort().0, rising);
                    let report = scene.report(&view);
                    assert_eq!(report.sorted, Some((Sort::Column(column), rising)));
                    assert!(report.rows.len() > 5);
                    let values = report.rows.iter().map(|row| row.number(column));
                    assert!(values.is_sorted_by(|a, b| match rising {
                        false => a >= b,
                        true => a <= b,
                    }));
                }
            }
            view.set_sort(view.sort().0, false);
        }
    }
}

#[test]
fn names_are_sorted_ignoring_case_and_by_depth() {
    let scene = typical_scene();
    let mut view = view();
    view.set_sort(Sort::Name, false);
    let mut expected = [
        " +(outside zones)",
        "  Art",
        "  physics::collide",
        "  physics::phase::broad",
        "  physics::phase::narrow",
        "  physics::solve",
        " +step",
    ]
    .map(|name| name[1..].to_owned());
    let report = scene.report(&view);
    assert_eq!(names(&report), expected);
    assert_eq!(report.sorted, Some((Sort::Name, true)));
    view.set_sort(view.sort().0, true);
    expected.reverse();
    let report = scene.report(&view);
    assert_eq!(names(&report), expected);
    assert!(!report.sorted.unwrap().1);

    // Recursion depth 11 comes after depth 2.
    let mut scene = Scene::new();
    for depth in 0..12 {
        scene.thread.enter(&ART, scene.now);
        scene.now += 1_000 * (depth + 1);
    }
    for _ in 0..12 {
        scene.thread.leave(scene.now);
    }
    scene.frame(&[]);
    view.recursion = Recursion::Spread;
    view.set_sort(view.sort().0, false);
    view.filter = "art".to_owned();
    let rows = names(&scene.report(&view));
    assert_eq!(rows[0], "+Art");
    for (at, row) in rows.iter().enumerate().skip(1) {
        assert_eq!(row[1..], format!("Art ({})", at + 1));
    }
}

#[test]
fn hidden_sort_column_falls_back_to_default_order() {
    let scene = typical_scene();
    let mut view = view();
    let plain = scene.report(&view);
    assert_eq!(plain.sorted, None);
    for column in [
        ColumnId::StandardError,
        ColumnId::NetTime,
        ColumnId::Difference,
        ColumnId::BaselineCount,
    ] {
        view.set_sort(Sort::Column(column), false);
        assert_eq!(scene.report(&view), plain, "report sorted by {column:?}");
    }
    // The default order is marked when it is reversed.
    view.set_sort(view.sort().0, true);
    assert_eq!(
        scene.report(&view).sorted,
        Some((Sort::Column(ColumnId::SelfTime), true))
    );
    // Equal rows, which here take no time, stay in place.
    let mut rows = names(&scene.report(&view)).split_off(2);
    rows.reverse();
    assert_eq!(rows, names(&plain)[..5]);
}

#[test]
fn callers_sort_toward_the_zone_and_callees_away() {
    let mut scene = Scene::new();
    for (zone, calls, us) in [(&SOLVE, 1, 300), (&COLLIDE, 5, 100), (&BROAD, 3, 200)] {
        scene.thread.enter(zone, scene.now);
        for _ in 0..calls {
            scene.thread.enter(&ART, scene.now);
            scene.now += us * 1_000 / calls;
            scene.thread.enter(zone, scene.now);
            scene.now += us * 100 / calls;
            scene.thread.leave(scene.now);
            scene.thread.leave(scene.now);
        }
        scene.thread.leave(scene.now);
    }
    scene.frame(&[]);
    let mut view = view();
    scene.act_on_row(&mut view, "Art", |view, shown| view.select(shown));
    let values = |view: &View, column| -> (Vec<f64>, Vec<f64>) {
        let report = scene.report(view);
        let selected = report
            .rows
            .iter()
            .position(|r| r.expansion == Expansion::Expanded);
        let value = |rows: &[crate::report::Row]| rows.iter().map(|r| r.number(column)).collect();
        let selected = selected.unwrap();
        assert_eq!(selected, 3);
        (value(&report.rows[..3]), value(&report.rows[4..]))
    };
    assert_eq!(values(&view, ColumnId::Count).0, [5.0, 3.0, 1.0]);
    view.set_sort(Sort::Column(ColumnId::Count), false);
    assert_eq!(
        values(&view, ColumnId::Count),
        (vec![1.0, 3.0, 5.0], vec![5.0, 3.0, 1.0])
    );
    view.set_sort(view.sort().0, true);
    assert_eq!(
        values(&view, ColumnId::Count),
        (vec![5.0, 3.0, 1.0], vec![1.0, 3.0, 5.0])
    );

    // The costliest caller is found even if it is folded, in any order.
    view.min_share = 1.0;
    view.select_parent(&scene.profiler, &scene.report(&view));
    assert_eq!(cursor(&scene.report(&view)), "physics::solve (2)");
}

#[test]
fn each_mode_keeps_its_sort_order() {
    let mut view = view();
    for (at, mode) in ReportMode::ALL.iter().enumerate() {
        assert_eq!(*mode as usize, at);
        view.report_mode = *mode;
        assert_eq!(view.sort(), (Sort::Mode, false));
        view.set_sort(Sort::Column(ColumnId::ALL[at]), at % 2 == 0);
    }
    let kept = |view: &mut View| {
        ReportMode::ALL.iter().enumerate().all(|(at, mode)| {
            view.report_mode = *mode;
            let order = view.sort();
            order == (Sort::Column(ColumnId::ALL[at]), at % 2 == 0)
        })
    };
    assert!(kept(&mut view));
    view.set_baseline(Baseline::Average);
    assert!(!kept(&mut view));
    view.set_baseline(Baseline::None);
    assert!(kept(&mut view));
}

#[test]
fn sorted_column_is_marked_in_text() {
    let scene = typical_scene();
    let mut view = view();
    let head = |view: &View| {
        let mut text = Vec::new();
        scene.report(view).write(&mut text, 2).unwrap();
        let text = String::from_utf8(text).unwrap();
        let head = text.lines().find(|line| line.starts_with("  ")).unwrap();
        head.to_owned()
    };
    let plain = head(&view);
    view.set_sort(Sort::Column(ColumnId::HierarchicalTime), false);
    assert_eq!(head(&view), plain.replace(" hier ms", "\u{25bc}hier ms"));
    view.set_sort(view.sort().0, true);
    assert_eq!(head(&view), plain.replace(" hier ms", "\u{25b2}hier ms"));
    view.set_sort(Sort::Name, true);
    assert_eq!(head(&view), plain.replace("zone ", "\u{25bc}zone"));
}
