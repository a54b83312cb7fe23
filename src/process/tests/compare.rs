//! One frame against another: every row's difference, and its two parts.

use super::programs::{self, Run};
use super::sums::{THREADS, close};
use crate::process::view::{Baseline, FrameChoice, ThreadId, Threads, View};
use crate::process::zones::Key;
use crate::report::{Column, Record, Report, ReportMode, RowKey};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Time and entries by row.
fn costs(report: &Report, time: Column) -> BTreeMap<String, (f64, f64)> {
    let at = |column| report.columns.iter().position(|c| *c == column).unwrap();
    let (time, count) = (at(time), at(Column::COUNT));
    let name = |key: RowKey| format!("{key:?}");
    let records = report.records.iter();
    let cost = |record: &Record| (record.values[time], record.values[count]);
    records.map(|r| (name(r.key), cost(r))).collect()
}

fn check(run: &Run, view: &View, baseline: Baseline, of_baseline: &View) {
    let time = match view.report_mode() {
        ReportMode::SelfTime => Column::SELF,
        _ => Column::HIER,
    };
    let now = costs(&run.process.report(view, None), time);
    let before = costs(&run.process.report(of_baseline, None), time);
    let mut view = view.clone();
    view.set_baseline(baseline);
    let compared = run.process.report(&view, None);
    let get = |costs: &BTreeMap<String, (f64, f64)>, key: &str| {
        costs.get(key).copied().unwrap_or_default()
    };
    let mut keys: Vec<String> = Vec::new();
    for record in &compared.records {
        let key = format!("{:?}", record.key);
        let [time, difference, more, dearer, count, was] = record.values;
        let (now, before) = (get(&now, &key), get(&before, &key));
        // What has faded from an average has no row there.
        assert!((time - now.0).abs() < 1e-6 && (count - now.1).abs() < 1e-3);
        assert!((difference - (now.0 - before.0)).abs() < 1e-6, "{record:?}");
        assert!((was - before.1).abs() < 1e-3);
        assert!(close(more + dearer, difference), "{record:?}");
        keys.push(key);
    }
    let shown = |key: &String| keys.contains(key);
    assert!(now.keys().all(shown) && before.keys().all(shown));
    if view.report_mode() == ReportMode::SelfTime {
        let sum = |at: usize| compared.records.iter().map(|r| r.values[at]).sum::<f64>();
        let total = |costs: &BTreeMap<_, (f64, f64)>| costs.values().map(|c| c.0).sum::<f64>();
        assert!((sum(1) - (total(&now) - total(&before))).abs() < 1e-4);
        let slower = sum(1) >= 0.0;
        if view.threads() == Threads::One(ThreadId(0)) {
            let by_part = |a: &Record, b: &Record| match slower {
                true => a.values[1] >= b.values[1] - 1e-9,
                false => a.values[1] <= b.values[1] + 1e-9,
            };
            assert!(compared.records.is_sorted_by(by_part));
        }
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn differences_are_those_of_the_two_reports(program in programs::program(THREADS)) {
        let run = programs::run(THREADS, &program);
        for at in 0..run.frames.len() as u64 {
            let number = run.forgotten as u64 + at + 1;
            let mut view = View::new();
            view.frame = FrameChoice::Number(number);
            for threads in [Threads::All, Threads::One(ThreadId(0))] {
                view.set_threads(threads);
                for mode in [
                    ReportMode::SelfTime,
                    ReportMode::HierarchicalTime,
                    ReportMode::CallGraph,
                    ReportMode::CallGraphDescendants,
                    ReportMode::CallTree,
                ] {
                    view.set_report_mode(mode);
                    view.selected = Key { zone: (number % 3) as u32, level: 0 };
                    let mut before = view.clone();
                    before.frame = FrameChoice::Number((number - 1).max(1));
                    let last = Baseline::Frame((number - 1).max(1));
                    check(&run, &view, last, &before);
                    before.frame = FrameChoice::Now;
                    check(&run, &view, Baseline::Average, &before);
                }
            }
        }
    }
}
