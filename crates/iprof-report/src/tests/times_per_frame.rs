//! Tests for the times-per-frame columns. Every number must be computed from the sorted times that reports of single
//! frames show, in every mode, for every selection of threads and frames.

use super::call_paths::open_all;
use super::programs::{self, Run};
use super::scene::*;
use super::sums::THREADS;
use crate::query;
use crate::query::row_plan::naive;
use crate::report::BINS;
use crate::report::{ColumnId, ColumnSet, Recursion, Report, ReportMode, Row, RowKey, Sort};
use crate::view::View;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::HashMap;
use std::time::Duration;

pub(super) fn show_percentiles(view: &mut View) {
    for &column in ColumnId::TIMES_PER_FRAME {
        view.set_column(column, true);
    }
}

fn main_time(mode: ReportMode) -> ColumnId {
    match mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    }
}

/// Returns, for each row, what the reports of the single frames in view show in a column.
pub(super) fn by_frame(
    profiler: &Profiler,
    view: &View,
    column: ColumnId,
) -> Vec<HashMap<RowKey, f64>> {
    let history = profiler.history();
    let numbers: Vec<u64> = match &view.frame {
        set if set.is_set() => history.members(set).iter().map(|at| at.number).collect(),
        Frames::Range {
            first: from,
            last: to,
        } => history.between(*from, *to).map(|at| at.number).collect(),
        _ => history
            .iter()
            .map(|frame| frame.number)
            .filter(|number| Some(*number) >= history.oldest_in_ring())
            .collect(),
    };
    let of_frame = |number| {
        let mut of = view.clone();
        (of.frame, of.columns) = (Frames::Number(number), ColumnSet::default());
        let rows = query::report(profiler, &of, None).rows.into_iter();
        let number = |row: Row| (row.key, row.number(column));
        rows.map(number).collect()
    };
    numbers.into_iter().map(of_frame).collect()
}

/// Checks a report with these columns against reports of single frames, and returns the report.
#[track_caller]
pub(super) fn check(profiler: &Profiler, view: &View) -> Report {
    let report = query::report(profiler, view, None);
    let frames = by_frame(profiler, view, main_time(view.report_mode));
    for row in &report.rows {
        let times = frames
            .iter()
            .map(|frame| frame.get(&row.key).copied().unwrap_or(0.0));
        let times: Vec<f64> = times.collect();
        if times.is_empty() {
            assert_eq!(row.value(ColumnId::P50), None);
            continue;
        }
        let wanted = naive(&times);
        for &column in ColumnId::TIMES_PER_FRAME {
            let got = row.value(column).map(|value| value.number);
            let what = || format!("{} {column:?} of {times:?} in {view:#?}", row.name);
            assert_eq!(got, wanted.value(column), "{}", what());
        }
    }
    // Check only some of the rows, since each takes as long as a report.
    for row in report.rows.iter().skip(frames.len() % 3).step_by(3) {
        let times = frames.iter().map(|frame| frame.get(&row.key));
        let times: Vec<f64> = times.map(|ms| ms.copied().unwrap_or(0.0)).collect();
        check_distribution(profiler, view, row, &times);
    }
    report
}

/// Checks the time distribution that a row's tooltip shows.
#[track_caller]
fn check_distribution(profiler: &Profiler, view: &View, row: &Row, times: &[f64]) {
    let most = times.iter().copied().fold(0.0, f64::max);
    let shown = query::distribution(profiler, view, row.key);
    let what = || format!("{shown:?} of {times:?} in {view:#?}");
    assert_eq!(shown.is_some(), most > 0.0, "{}", what());
    let Some(of) = &shown else {
        return;
    };
    assert_eq!((of.most, of.frames), (most, times.len()), "{}", what());
    assert_eq!(of.bins.iter().sum::<u32>() as usize, times.len());
    // Bin limits are rounded, so a time at a limit may fall into either bin.
    for bin in 1..BINS {
        let limit = most * bin as f64 / BINS as f64;
        let below = |limit: f64| times.iter().filter(|ms| **ms < limit).count();
        let found = of.bins[..bin].iter().sum::<u32>() as usize;
        let allowed = below(limit * (1.0 - 1e-12))..=below(limit * (1.0 + 1e-12));
        assert!(allowed.contains(&found), "below {limit}: {}", what());
    }
    assert_eq!((of.row.key, &of.row.name), (row.key, &row.name));
    for &column in ColumnId::TIMES_PER_FRAME {
        assert_eq!(of.row.value(column), row.value(column), "{}", what());
    }
}

fn check_all(run: &Run, zone: usize) {
    let threads = (0..THREADS as u32)
        .map(|at| Threads::One(ThreadId(at)))
        .chain([Threads::All, Threads::Frame, Threads::Group(ThreadId(1))]);
    let frames = [
        Frames::Live,
        Frames::All,
        Frames::LongerThan(Duration::from_millis(2)),
        Frames::Range {
            first: run.forgotten as u64 + 1,
            last: run.forgotten as u64 + 3,
        },
    ];
    for threads in threads {
        for (at, frame) in frames.iter().enumerate() {
            let mut view = View::default();
            show_percentiles(&mut view);
            view.set_threads(threads);
            view.frame = frame.clone();
            view.recursion = [Recursion::Flatten, Recursion::Spread][at % 2];
            view.grouping = at >= 2;
            view.select_zone_of((zone % run.profiler.indices().zone_count()) as u32);
            for &mode in ReportMode::ALL {
                view.report_mode = mode;
                view.idle_ranked = at % 2 == 1;
                check(&run.profiler, &view);
                open_all(run, &mut view);
                check(&run.profiler, &view);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 25, ..programs::config() })]

    #[test]
    fn percentiles_match_sorted_times_in_every_mode(
        program in programs::program(THREADS),
        zone in 0..programs::ZONES + 1,
        idle in any::<u8>(),
    ) {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        check_all(&run, zone);
    }

    #[test]
    fn percentiles_match_sorted_times_in_deep_recursion(
        program in programs::deep_program(1),
    ) {
        check_all(&programs::run(1, &program), 1);
    }
}

#[test]
fn percentiles_follow_changed_frames_and_zones() {
    let mut scene = Scene::new();
    scene.profiler.history_mut().set_capacity(9);
    scene.profiler.history_mut().set_longest(3);
    let mut views = [ReportMode::SelfTime, ReportMode::CallTree].map(|mode| {
        let mut view = view();
        show_percentiles(&mut view);
        view.report_mode = mode;
        view
    });
    let mut other = views[0].clone();
    other.frame = Frames::Slowest(4);
    let zones = [&SOLVE, &COLLIDE, &BROAD, &NARROW, &ART];
    for frame in 0..60u64 {
        let known = 1 + (frame as usize / 10).min(zones.len() - 1);
        let times = zones[..known].iter().zip(0..);
        let script: Vec<_> = times
            .map(|(zone, at)| (*zone, 1, frame * 7_919 % (13 + at)))
            .collect();
        scene.frame(&script);
        for view in &mut views {
            check(&scene.profiler, view);
        }
        if frame % 7 == 0 {
            check(&scene.profiler, &other);
        }
    }
}

/// A folded row is the sum of its rows in each frame, provided that no two of them overlap in time.
#[test]
fn folded_row_has_the_percentiles_of_its_rows() {
    let mut scene = Scene::new();
    for frame in 1..40u64 {
        let us = |prime: u64, most: u64| frame * prime % most;
        scene.frame(&[
            (&SOLVE, 1, 5_000),
            (&COLLIDE, 2, us(31, 60)),
            (&BROAD, 3, us(17, 40)),
            (&ART, 1, us(13, 50)),
        ]);
    }
    for mode in [ReportMode::SelfTime, ReportMode::CallTree] {
        let mut view = view();
        show_percentiles(&mut view);
        view.report_mode = mode;
        view.frame = Frames::All;
        view.min_share = 0.05;
        if mode == ReportMode::CallTree {
            scene.act_on_row(&mut view, "step", View::expand);
        }
        let is_folded = |row: &Row| row.name.starts_with("others");
        let closed = query::report(&scene.profiler, &view, None);
        let closed = closed.rows.iter().find(|row| is_folded(row)).unwrap();
        scene.act_on_row(&mut view, &closed.name, View::expand);
        let folded = query::report(&scene.profiler, &view, None);
        let others = folded.rows.iter().position(is_folded).unwrap();
        let parts = folded.rows[others + 1..].iter().map(|row| row.key);
        let parts: Vec<RowKey> = parts.collect();
        assert!(parts.len() >= 3, "{:?}", names(&folded));
        view.min_share = 0.0;
        let frames = by_frame(&scene.profiler, &view, main_time(mode));
        // A row below the folded row has the same key as when it is listed separately.
        let sum = |frame: &HashMap<RowKey, f64>| {
            parts
                .iter()
                .map(|key| frame.get(key).map_or(0.0, |ms| ms / 1e-6))
                .sum::<f64>()
        };
        let times: Vec<f64> = frames
            .iter()
            .map(|frame| sum(frame).round() * 1e-6)
            .collect();
        assert!(times.iter().any(|ms| *ms > 0.0));
        let wanted = naive(&times);
        for &column in ColumnId::TIMES_PER_FRAME {
            let (got, wanted) = (
                folded.rows[others].number(column),
                wanted.value(column).unwrap(),
            );
            assert!(
                (got - wanted).abs() < 1e-12,
                "{mode} {column:?}: got {got}, wanted {wanted}"
            );
        }
    }
}

#[test]
fn percentiles_are_sortable_and_shown_only_if_chosen() {
    let mut scene = Scene::new();
    for frame in 0..200u64 {
        // `ART` is rare and long. `SOLVE` is steady.
        let art = if frame % 20 == 0 { 9_000 } else { 0 };
        scene.frame(&[(&SOLVE, 1, 1_000), (&ART, 1, art)]);
    }
    let mut view = View::default();
    view.frame = Frames::All;
    let before = query::report(&scene.profiler, &view, None);
    assert_eq!(before.columns.len(), 3);
    show_percentiles(&mut view);
    let first = |view: &View, column| {
        let mut view = view.clone();
        view.set_sort(Sort::Column(column), false);
        let report = query::report(&scene.profiler, &view, None);
        assert_eq!(report.sorted.unwrap().0, Sort::Column(column));
        report.rows[0].name.to_string()
    };
    assert_eq!(first(&view, ColumnId::P50), "physics::solve");
    assert_eq!(first(&view, ColumnId::P99), "Art");
    assert_eq!(first(&view, ColumnId::Deviation), "Art");
    let report = query::report(&scene.profiler, &view, None);
    assert_eq!(
        report.title[2],
        "200 frames: p50 1.00 p95 1.00 p99 10.00 max 10.00 sd 1.96 ms  1 % low 100.0 fps"
    );
    let art = report.rows.iter().find(|row| &*row.name == "Art").unwrap();
    assert_eq!(art.number(ColumnId::MaxTime), 9.0);
    // The other columns must not have changed.
    view.columns = ColumnSet::default();
    assert_eq!(query::report(&scene.profiler, &view, None), before);
    // A column that every report includes cannot be added.
    view.set_column(ColumnId::Count, true);
    assert!(!view.column(ColumnId::Count) && !view.column(ColumnId::NetTime));
}
