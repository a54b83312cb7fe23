//! Tests for baselines, the frames that a report is compared with.

use super::scene::*;
use crate::action::Action;
use crate::report::{ColumnId, Sort};
use crate::view::{Baseline, View};
use iprof_process::Frames;

#[test]
fn live_view_is_compared_with_shown_average() {
    let mut scene = typical_scene();
    for calls in 1..20 {
        scene.frame(&[(&ART, calls, calls * 10)]);
    }
    let mut view = view();
    view.set_baseline(Baseline::Average);
    for &average in crate::Average::ALL {
        view.average = average;
        let report = scene.report(&view);
        let moved = report
            .rows
            .iter()
            .any(|row| row.number(ColumnId::Difference).abs() > 1e-3);
        assert_eq!(moved, average == crate::Average::Newest, "{report:?}");
    }
}

#[test]
fn baseline_suspends_the_chosen_order() {
    let mut scene = typical_scene();
    scene.frame(&[(&SOLVE, 1, 700), (&ART, 9, 300)]);
    let mut view = view();
    view.set_sort(Sort::Column(ColumnId::Count), true);
    let alone = names(&scene.report(&view));
    let sorted = |view: &View| view.sort();
    view.set_baseline(Baseline::Frames(Frames::Number(1)));
    assert_eq!(sorted(&view), (Sort::Mode, false));
    let by_difference = scene.report(&view);
    assert_eq!(by_difference.sorted, None);
    assert_eq!(names(&by_difference)[0], " physics::solve");
    // A sort order chosen while comparing lasts as long as the baseline.
    view.set_sort(Sort::Column(ColumnId::ByCount), false);
    view.set_baseline(Baseline::Average);
    assert_eq!(sorted(&view), (Sort::Column(ColumnId::ByCount), false));
    assert_ne!(names(&scene.report(&view)), alone);
    view.set_baseline(Baseline::None);
    assert_eq!(sorted(&view), (Sort::Column(ColumnId::Count), true));
    assert_eq!(names(&scene.report(&view)), alone);
    // Cycling through the baselines with the key has the same effect.
    for _ in 0..3 {
        view.act(&scene.profiler, Action::NextBaseline);
    }
    assert_eq!(view.baseline(), Baseline::None);
    assert_eq!(names(&scene.report(&view)), alone);
}

#[test]
fn slow_frames_leave_median_baseline_unchanged() {
    let mut scene = Scene::new();
    let mut frame = |solve: u64, calls: u64| scene.frame(&[(&SOLVE, calls, solve)]);
    for _ in 0..5 {
        frame(300, 2);
    }
    frame(90_000, 70);
    frame(400, 2);
    let mut view = view();
    view.filter = "solve".to_owned();
    let mut was = |baseline: Baseline, frame| {
        view.set_baseline(baseline);
        view.frame = frame;
        let report = scene.report(&view);
        let row = &report.rows[0];
        let time = row.number(ColumnId::SelfTime) - row.number(ColumnId::Difference);
        let (_, of) = report.title[2].split_once(" vs. ").unwrap();
        let of = of.split("  ").next().unwrap().to_owned();
        (
            (time * 1e3).round(),
            row.number(ColumnId::BaselineCount),
            of,
        )
    };
    let spike = Frames::Number(6);
    let (last, live) = (Frames::Number(7), Frames::Live);
    let of = "median of 6 surrounding frames".to_owned();
    assert_eq!(was(Baseline::Median, spike), (300.0, 2.0, of.clone()));
    assert_eq!(was(Baseline::Median, last.clone()), (300.0, 2.0, of));
    let of = "median of 6 frames before".to_owned();
    assert_eq!(was(Baseline::Median, live), (300.0, 2.0, of));
    let (mean, _, _) = was(Baseline::Average, last);
    assert_eq!(mean, 15_250.0);
}

/// Each frame enters only one of three zones, so each zone's median is 0.
#[test]
fn title_explains_medians_that_do_not_sum() {
    let mut scene = Scene::new();
    for _ in 0..4 {
        scene.frame(&[(&SOLVE, 1, 2_000)]);
        scene.frame(&[(&ART, 1, 2_000)]);
        scene.frame(&[(&STEP, 1, 2_000)]);
    }
    scene.frame(&[(&SOLVE, 1, 4_000)]);
    let mut view = view();
    let mut of = |baseline| {
        view.set_baseline(baseline);
        view.frame = Frames::Number(13);
        let report = scene.report(&view);
        let differences = report.rows.iter();
        let sum: f64 = differences
            .map(|row| row.number(ColumnId::Difference))
            .sum();
        (report.title[2].clone(), sum)
    };
    let (title, sum) = of(Baseline::Median);
    assert_eq!(
        title,
        "+2.00 ms vs. median of 12 surrounding frames  4.00 - 2.00  rows +4.00"
    );
    assert!((sum - 4.0).abs() < 1e-6, "{sum}");
    let (title, sum) = of(Baseline::Average);
    assert_eq!(
        title,
        "+2.00 ms vs. mean of 12 surrounding frames  4.00 - 2.00"
    );
    assert!((sum - 2.0).abs() < 1e-6, "{sum}");
}

#[test]
fn title_reports_forgotten_neighbors() {
    let mut scene = Scene::new();
    scene.profiler.history_mut().set_capacity(8);
    scene.profiler.history_mut().set_longest(1);
    for number in 1..=30 {
        scene.frame(&[(&SOLVE, 1, if number == 6 { 90_000 } else { 300 })]);
    }
    let mut view = view();
    let mut of = |baseline: Baseline, frame| {
        view.set_baseline(baseline);
        view.frame = frame;
        let title = scene.report(&view).title[2].clone();
        let (_, of) = title.split_once(" vs. ").unwrap();
        of.split("  ").next().unwrap().to_owned()
    };
    let (kept, recent) = (Frames::Number(6), Frames::Number(27));
    let later = "8 later frames (nearer ones are no longer remembered)";
    assert_eq!(
        of(Baseline::Average, kept.clone()),
        format!("mean of {later}")
    );
    assert_eq!(of(Baseline::Median, kept), format!("median of {later}"));
    assert_eq!(
        of(Baseline::Average, recent),
        "mean of 7 surrounding frames"
    );
}
