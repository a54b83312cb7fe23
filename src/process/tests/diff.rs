//! Tests of diffs: every row's difference between two frames, and its two parts.

use super::programs::{self, Run};
use super::sums::{THREADS, close};
use crate::process::query;
use crate::process::view::{Baseline, FrameChoice, View};
use crate::process::zone_key::ZoneKey;
use crate::report::{ColumnId, Report, ReportMode, Row, RowKey};
use crate::threads::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Time and entries by row.
fn costs(report: &Report, time: ColumnId) -> BTreeMap<String, (f64, f64)> {
    let name = |key: RowKey| format!("{key:?}");
    let rows = report.rows.iter();
    let cost = |row: &Row| (row.number(time), row.number(ColumnId::Count));
    rows.map(|r| (name(r.key), cost(r))).collect()
}

type Costs = BTreeMap<String, (f64, f64)>;

/// The main time and the entries of the view's report, by row.
fn costs_in(run: &Run, view: &View) -> Costs {
    let time = match view.report_mode() {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    costs(&query::report(&run.profiler, view, None), time)
}

/// The mean of the frames.
fn mean(frames: &[&Costs]) -> Costs {
    let mut mean = Costs::new();
    for (key, (time, count)) in frames.iter().copied().flatten() {
        let sum = mean.entry(key.clone()).or_default();
        sum.0 += time / frames.len() as f64;
        sum.1 += count / frames.len() as f64;
    }
    mean
}

/// The median of the frames, for rows that have more than zeros.
fn median(frames: &[&Costs]) -> Costs {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let at = values.len() / 2;
        match values.len() % 2 {
            0 => (values[at - 1] + values[at]) / 2.0,
            _ => values[at],
        }
    };
    let keys = frames.iter().flat_map(|frame| frame.keys());
    let medians = keys.map(|key| {
        let values = frames.iter().map(|frame| frame.get(key).copied());
        let (times, counts) = values.map(Option::unwrap_or_default).unzip();
        (key.clone(), (middle(times), middle(counts)))
    });
    let mut medians: Costs = medians.collect();
    medians.retain(|_, cost| *cost != (0.0, 0.0));
    medians
}

fn check(run: &Run, view: &View, baseline: Baseline, before: &Costs) {
    let now = costs_in(run, view);
    let mut view = view.clone();
    let threads = view.threads();
    view.set_baseline(baseline.clone());
    view.set_threads(threads);
    let compared = query::report(&run.profiler, &view, None);
    let is_frame = matches!(baseline, Baseline::Frame(_));
    assert!(compared.whole_counts && compared.baseline_whole_counts == is_frame);
    let get = |costs: &BTreeMap<String, (f64, f64)>, key: &str| {
        costs.get(key).copied().unwrap_or_default()
    };
    let mut keys: Vec<String> = Vec::new();
    for row in &compared.rows {
        let key = format!("{:?}", row.key);
        let columns: [ColumnId; 6] = compared.columns.clone().try_into().unwrap();
        let [time, difference, by_count, by_cost, count, baseline_count] = row.numbers(columns);
        let (now, before) = (get(&now, &key), get(before, &key));
        // A row that has faded from an average is missing.
        assert!((time - now.0).abs() < 1e-6 && (count - now.1).abs() < 1e-3);
        assert!((difference - (now.0 - before.0)).abs() < 1e-6, "{row:?}");
        assert!((baseline_count - before.1).abs() < 1e-3);
        assert!(close(by_count + by_cost, difference), "{row:?}");
        keys.push(key);
    }
    let shown = |key: &String| keys.contains(key);
    assert!(now.keys().all(shown) && before.keys().all(shown));
    if view.report_mode() == ReportMode::SelfTime {
        let differences = compared
            .rows
            .iter()
            .map(|row| row.number(ColumnId::Difference));
        let sum = differences.sum::<f64>();
        let total = |costs: &BTreeMap<_, (f64, f64)>| costs.values().map(|c| c.0).sum::<f64>();
        assert!((sum - (total(&now) - total(before))).abs() < 1e-4);
        let slower = sum >= 0.0;
        if view.threads() == Threads::One(ThreadId(0)) {
            let difference = |row: &Row| row.number(ColumnId::Difference);
            let by_part = |a: &Row, b: &Row| match slower {
                true => difference(a) >= difference(b) - 1e-9,
                false => difference(a) <= difference(b) + 1e-9,
            };
            // The sum of medians is not the median of the frames.
            assert!(baseline == Baseline::Median || compared.rows.is_sorted_by(by_part));
        }
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn differences_are_those_of_the_two_reports(program in programs::program(THREADS)) {
        let run = programs::run(THREADS, &program);
        let numbers = || (1..=run.frames.len() as u64).map(|at| run.forgotten as u64 + at);
        for threads in [Threads::All, Threads::One(ThreadId(0))] {
            for mode in [
                ReportMode::SelfTime,
                ReportMode::HierarchicalTime,
                ReportMode::CallGraph,
                ReportMode::CallGraphDescendants,
                ReportMode::CallTree,
            ] {
                let mut view = View::new();
                view.set_threads(threads);
                view.set_report_mode(mode);
                view.selected = ZoneKey { zone: (program.len() % 3) as u32, level: 0 };
                let now = costs_in(&run, &view);
                let frames: BTreeMap<u64, Costs> = numbers().map(|number| {
                    view.frame = FrameChoice::Number(number);
                    (number, costs_in(&run, &view))
                }).collect();
                for number in numbers() {
                    view.frame = FrameChoice::Number(number);
                    let last = if frames.contains_key(&(number - 1)) { number - 1 } else { number };
                    check(&run, &view, Baseline::Frame(last), &frames[&last]);
                    let around = frames.range(number.saturating_sub(30)..=number + 30);
                    let around = around.filter(|(other, _)| **other != number);
                    let around: Vec<&Costs> = around.map(|(_, costs)| costs).collect();
                    let (usual, middle) = match around.is_empty() {
                        true => (now.clone(), now.clone()),
                        false => (mean(&around), median(&around)),
                    };
                    check(&run, &view, Baseline::Average, &usual);
                    check(&run, &view, Baseline::Median, &middle);
                }
            }
        }
    }
}
