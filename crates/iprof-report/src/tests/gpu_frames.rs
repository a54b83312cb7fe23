//! Tests with GPU times: per-frame columns, and sets of frames.

use super::frame_sets::check_means_of_rows;
use super::gpu::run_to_the_end;
use super::gpu_model::*;
use super::programs::{self, MS_PER_TICK};
use super::sums::close;
use super::times_per_frame;
use crate::query;
use crate::report::{ColumnId, ReportMode, Row, RowKey};
use crate::tests::FRAME_BUDGET;
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::HashMap;

/// Checks per-frame columns and sets of frames in every mode.
fn check_frames_of(run: &Run, threads: Threads) {
    for frame in [Frames::Live, Frames::All, Frames::Slowest(2)] {
        let mut view = View::default();
        view.set_threads(threads);
        view.frame = frame;
        for &mode in ReportMode::ALL {
            view.report_mode = mode;
            check_rescued(run, &view);
            if view.frame.is_set() {
                check_means_of_rows(&run.profiler, &view);
            }
            times_per_frame::show_percentiles(&mut view);
            times_per_frame::check(&run.profiler, &view);
        }
    }
}

/// Checks rescued frames by definition on threads that do not end frames. The frame's thread may have been waiting for
/// them the whole time.
fn check_rescued(run: &Run, view: &View) {
    let Threads::One(_) = view.threads() else {
        return;
    };
    let mut view = view.clone();
    view.set_column(ColumnId::Rescued, true);
    let report = query::report(&run.profiler, &view, None);
    let time = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    let of_frames = times_per_frame::by_frame(&run.profiler, &view, time);
    let budget_ms = FRAME_BUDGET.as_secs_f64() * 1e3;
    let numbers: Vec<u64> = match &view.frame {
        set if set.is_set() => {
            let members = run.profiler.history().members(set);
            members.iter().map(|frame| frame.number).collect()
        }
        _ => run.frames.iter().map(|frame| frame.number).collect(),
    };
    let ms = |number: u64| {
        let frame = run.frames.iter().find(|frame| frame.number == number);
        frame.unwrap().ticks as f64 * MS_PER_TICK
    };
    // Skip the root, because its time includes idle time, which is never halved.
    let is_known = |row: &&Row| !row.is_idle && !row.name.starts_with("(outside zones");
    for row in report.rows.iter().filter(is_known) {
        let frames = numbers.iter().zip(&of_frames);
        let is_met = |(number, times): &(&u64, &HashMap<RowKey, f64>)| {
            let half = times.get(&row.key).copied().unwrap_or(0.0) / 2.0;
            let ms = ms(**number);
            ms > budget_ms && ms - half.min(ms) <= budget_ms
        };
        let wanted = frames.filter(is_met).count() as f64;
        assert_eq!(
            row.number(ColumnId::Rescued),
            wanted,
            "rescued frames of {row:?} in {view:#?}"
        );
    }
}

/// Programs whose frames take about as long as the frame budget.
fn slow_program() -> impl Strategy<Value = Vec<(usize, Step)>> {
    (program(), 2_000u64..8_000).prop_map(|(mut program, times)| {
        for (_, step) in &mut program {
            match step {
                Step::Pass(ticks) => *ticks *= times,
                Step::Work(ns) => *ns *= times,
                _ => {}
            }
        }
        program
    })
}

/// Returns each row's mean main time and mean count over a view's frames.
fn means(run: &Run, view: &View) -> HashMap<RowKey, [f64; 2]> {
    let time = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    let mut means = HashMap::<RowKey, [f64; 2]>::new();
    for (at, column) in [time, ColumnId::Count].into_iter().enumerate() {
        let frames = times_per_frame::by_frame(&run.profiler, view, column);
        for (key, number) in frames.iter().flatten() {
            means.entry(*key).or_default()[at] += number / frames.len() as f64;
        }
    }
    means
}

/// Checks that each row of a comparison shows the means of both sides, computed from single frames.
fn check_comparison(run: &Run, view: &View, baseline: Baseline, before: Frames) {
    let [mut compared, mut of_before] = [view.clone(), view.clone()];
    compared.set_baseline(baseline);
    compared.set_threads(view.threads());
    of_before.frame = before;
    let report = query::report(&run.profiler, &compared, None);
    let sides = [means(run, view), means(run, &of_before)];
    let same = |a: f64, b: f64| close(a / MS_PER_TICK, b / MS_PER_TICK);
    let mut keys = Vec::new();
    for row in &report.rows {
        keys.push(row.key);
        let [now, before] = sides
            .each_ref()
            .map(|side| side.get(&row.key).copied().unwrap_or_default());
        let columns: [ColumnId; 6] = report
            .columns
            .clone()
            .try_into()
            .expect("a diff should have all six columns");
        let [time, difference, _, _, count, count_before] = row.numbers(columns);
        let what = || format!("{row:?} {now:?} {before:?} in {compared:#?}");
        assert!(same(time, now[0]), "{}", what());
        assert!(same(difference, now[0] - before[0]), "{}", what());
        assert!(close(count, now[1]), "{}", what());
        assert!(close(count_before, before[1]), "{}", what());
    }
    for (key, numbers) in sides.iter().flatten() {
        assert!(
            keys.contains(key) || *numbers == [0.0; 2],
            "{key:?} should have a row"
        );
    }
}

/// Checks comparisons of sets, and of a frame with sets and with the rest, in every mode that compares rows.
fn check_comparisons_of(run: &Run, threads: Threads, pick: usize) {
    let frame = &run.frames[pick % run.frames.len()];
    let slowest = Frames::Slowest(1 + pick % 3);
    let one = Frames::Range {
        first: frame.number,
        last: frame.number,
    };
    for set in [slowest.clone(), slowest.clone().complement(), one] {
        let mut view = View::default();
        view.set_threads(threads);
        view.frame = set.clone();
        for &mode in ReportMode::ALL {
            view.report_mode = mode;
            check_comparison(run, &view, Baseline::Rest, set.clone().complement());
            let others = Frames::All;
            check_comparison(run, &view, Baseline::Frames(others.clone()), others);
            check_comparison(
                run,
                &view,
                Baseline::Frames(slowest.clone()),
                slowest.clone(),
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 10, ..programs::config() })]

    #[test]
    fn frames_and_sets_show_gpu_times(program in slow_program()) {
        let run = run_to_the_end(&program);
        for threads in [Threads::One(GPU), Threads::All, Threads::One(ThreadId(RECORDS[1]))] {
            check_frames_of(&run, threads);
        }
    }

    #[test]
    fn set_diffs_show_mean_gpu_times(
        program in slow_program(),
        pick in any::<u16>(),
    ) {
        let run = run_to_the_end(&program);
        for threads in [Threads::One(GPU), Threads::All, Threads::One(ThreadId(RECORDS[1]))] {
            check_comparisons_of(&run, threads, pick.into());
        }
    }
}
