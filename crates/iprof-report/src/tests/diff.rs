//! Tests for diffs between two frames, sets of frames or parts of the session: each row's difference and its two
//! portions.

use super::comparisons::comparisons;
use super::programs::{self, MS_PER_TICK, Run, Step};
use super::sums::{THREADS, close};
use crate::query;
use crate::report::{ColumnId, Report, ReportMode, Row, RowKey};
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::indices::ZoneKey;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn costs(report: &Report, time: ColumnId) -> BTreeMap<String, (f64, f64)> {
    let name = |key: RowKey| format!("{key:?}");
    let rows = report.rows.iter();
    let cost = |row: &Row| (row.number(time), row.number(ColumnId::Count));
    rows.map(|r| (name(r.key), cost(r))).collect()
}

type Costs = BTreeMap<String, (f64, f64)>;

/// Returns each row's main time and entries in the view's report.
fn costs_in(run: &Run, view: &View) -> Costs {
    let time = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    costs(&query::report(&run.profiler, view, None), time)
}

fn mean(frames: &[&Costs]) -> Costs {
    let mut mean = Costs::new();
    for (key, (time, count)) in frames.iter().copied().flatten() {
        let sum = mean.entry(key.clone()).or_default();
        sum.0 += time / frames.len() as f64;
        sum.1 += count / frames.len() as f64;
    }
    mean
}

/// Returns the median.
pub(super) fn naive_median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = values.len() / 2;
    match values.len() % 2 {
        0 => (values[at - 1] + values[at]) / 2.0,
        _ => values[at],
    }
}

/// Returns each row's median over the frames, leaving out rows whose medians are all zero.
fn median(frames: &[&Costs]) -> Costs {
    let keys = frames.iter().flat_map(|frame| frame.keys());
    let medians = keys.map(|key| {
        let values = frames.iter().map(|frame| frame.get(key).copied());
        let (times, counts) = values.map(Option::unwrap_or_default).unzip();
        (key.clone(), (naive_median(times), naive_median(counts)))
    });
    let mut medians: Costs = medians.collect();
    medians.retain(|_, cost| *cost != (0.0, 0.0));
    medians
}

#[derive(Clone, Copy)]
struct Side<'a> {
    costs: &'a Costs,
    /// Whether the counts come from a single frame.
    is_whole: bool,
    /// Whether the costs may come from an average, which fades.
    fades: bool,
}

impl<'a> Side<'a> {
    fn of_frame(costs: &'a Costs) -> Side<'a> {
        Side {
            costs,
            is_whole: true,
            fades: false,
        }
    }

    fn get(&self, key: &str) -> (f64, f64) {
        self.costs.get(key).copied().unwrap_or_default()
    }

    fn total(&self) -> f64 {
        self.costs.values().map(|(time, _)| time).sum()
    }
}

/// Returns the portion of a difference that is due to the count, given `(time, count)` for both sides.
fn by_count((t0, n0): (f64, f64), (t, n): (f64, f64)) -> f64 {
    match n0 > 0.0 {
        true => t0 / n0 * n - t0,
        false if n > 0.0 && t0 == 0.0 => t,
        false => 0.0,
    }
}

/// Checks a comparison of `view` with a baseline against the expected sides.
fn check(run: &Run, view: &View, baseline: Baseline, [now, before]: [Side<'_>; 2]) {
    let mut view = view.clone();
    let threads = view.threads();
    view.set_baseline(baseline.clone());
    view.set_threads(threads);
    let compared = query::report(&run.profiler, &view, None);
    let is_whole = [compared.whole_counts, compared.baseline_whole_counts];
    assert_eq!(is_whole, [now, before].map(|side| side.is_whole));
    let fades = now.fades || before.fades;
    // A row that has faded from an average is missing.
    let is_same = |a: f64, b: f64| match fades {
        true => (a - b).abs() < 1e-6,
        false => close(a / MS_PER_TICK, b / MS_PER_TICK),
    };
    let is_same_count = |a: f64, b: f64| (a - b).abs() < if fades { 1e-3 } else { 1e-9 };
    let mut keys: Vec<String> = Vec::new();
    for row in &compared.rows {
        let key = format!("{:?}", row.key);
        let columns: [ColumnId; 6] = compared.columns.clone().try_into().unwrap();
        let [time, difference, more, dearer, count, baseline_count] = row.numbers(columns);
        let (now, before) = (now.get(&key), before.get(&key));
        assert!(is_same(time, now.0) && is_same_count(count, now.1));
        assert!(
            is_same(difference, now.0 - before.0),
            "wrong difference: {row:?}"
        );
        assert!(is_same_count(baseline_count, before.1));
        assert!(
            close(more + dearer, difference),
            "the portions should sum to the difference: {row:?}"
        );
        if !fades {
            let wanted = by_count(before, now);
            let what = || format!("{before:?} {now:?} {baseline:?} {row:?} in {view:#?}");
            assert!(is_same(more, wanted), "{}", what());
            assert!(is_same(dearer, now.0 - before.0 - wanted), "{}", what());
        }
        keys.push(key);
    }
    let shown = |key: &String| keys.contains(key);
    assert!(now.costs.keys().all(shown) && before.costs.keys().all(shown));
    if view.report_mode == ReportMode::SelfTime {
        let differences = compared
            .rows
            .iter()
            .map(|row| row.number(ColumnId::Difference));
        let sum = differences.sum::<f64>();
        assert!((sum - (now.total() - before.total())).abs() < 1e-4);
        let slower = sum >= 0.0;
        // If both means are equally long, either order is correct.
        let is_either = !before.is_whole && sum.abs() < 1e-9;
        if view.threads() == Threads::One(ThreadId(0)) && !is_either {
            let difference = |row: &Row| row.number(ColumnId::Difference);
            let by_part = |a: &Row, b: &Row| match slower {
                true => difference(a) >= difference(b) - 1e-9,
                false => difference(a) <= difference(b) + 1e-9,
            };
            // The sum of the rows' medians is not the median of the frames.
            assert!(baseline == Baseline::Median || compared.rows.is_sorted_by(by_part));
        }
    }
}

const MODES: [ReportMode; 5] = [
    ReportMode::SelfTime,
    ReportMode::HierarchicalTime,
    ReportMode::CallGraph,
    ReportMode::CallGraphDescendants,
    ReportMode::CallTree,
];

/// Returns views of the frame's thread and of all threads, in every mode, with a selected zone.
fn views(program: &[(usize, Step)]) -> Vec<View> {
    let threads = [Threads::All, Threads::One(ThreadId(0))];
    let all = threads.iter().flat_map(|threads| {
        MODES.map(|mode| {
            let mut view = View::default();
            view.set_threads(*threads);
            view.report_mode = mode;
            view.set_selected(ZoneKey {
                zone: (program.len() % 3) as u32,
                level: 0,
            });
            view
        })
    });
    all.collect()
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn diff_equals_the_difference_between_reports(program in programs::program(THREADS)) {
        let run = programs::run(THREADS, &program);
        let numbers = || (1..=run.frames.len() as u64).map(|at| run.forgotten as u64 + at);
        for mut view in views(&program) {
            let live = costs_in(&run, &view);
            let frames: BTreeMap<u64, Costs> = numbers().map(|number| {
                view.frame = Frames::Number(number);
                (number, costs_in(&run, &view))
            }).collect();
            for number in numbers() {
                view.frame = Frames::Number(number);
                let now = Side::of_frame(&frames[&number]);
                let last = if frames.contains_key(&(number - 1)) { number - 1 } else { number };
                let before = Side::of_frame(&frames[&last]);
                check(&run, &view, Baseline::Frames(Frames::Number(last)), [now, before]);
                let around = frames.range(number.saturating_sub(30)..=number + 30);
                let around = around.filter(|(other, _)| **other != number);
                let around: Vec<&Costs> = around.map(|(_, costs)| costs).collect();
                let fades = around.is_empty();
                let (means, medians) = match fades {
                    true => (live.clone(), live.clone()),
                    false => (mean(&around), median(&around)),
                };
                for (baseline, costs) in [(Baseline::Average, &means), (Baseline::Median, &medians)] {
                    let before = Side { costs, is_whole: false, fades };
                    check(&run, &view, baseline, [now, before]);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 4, ..programs::config() })]

    /// A set's report must be the mean of its frames' reports, even for sampled times.
    #[test]
    fn diff_of_sets_equals_the_difference_of_frame_means(
        program in prop_oneof![programs::program(THREADS), programs::timed_program(THREADS)],
        pick in any::<u16>(),
    ) {
        let run = programs::run(THREADS, &program);
        let comparisons = comparisons(&run, pick.into());
        for mut view in views(&program) {
            let frames: Vec<Costs> = (0..run.frames.len()).map(|at| {
                view.frame = Frames::Number((run.forgotten + at) as u64 + 1);
                costs_in(&run, &view)
            }).collect();
            let mean_of = |members: &[usize]| {
                mean(&members.iter().map(|at| &frames[*at]).collect::<Vec<_>>())
            };
            for compared in &comparisons {
                view.frame = compared.frame.clone();
                let of_session = compared.frame.is_session();
                let (now, before) = (mean_of(&compared.now), mean_of(&compared.before));
                let now = Side {
                    costs: &now,
                    is_whole: match compared.frame {
                        _ if of_session => compared.now.len() == 1,
                        Frames::Range { .. } => compared.now.len() == 1,
                        Frames::Number(_) => true,
                        _ => false,
                    },
                    fades: false,
                };
                let before = Side {
                    costs: &before,
                    is_whole: match compared.baseline {
                        Baseline::Rest => of_session && compared.before.len() == 1,
                        Baseline::Frames(Frames::Number(_)) => true,
                        Baseline::Frames(ref frames) if frames.is_session() => {
                            compared.before.len() == 1
                        }
                        _ => false,
                    },
                    fades: false,
                };
                check(&run, &view, compared.baseline.clone(), [now, before]);
            }
        }
    }
}
