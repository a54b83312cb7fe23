//! The sums that must always hold, and everything shown against the oracle.

use super::oracle::{Moments, Row, Sums};
use super::programs::{self, MS_PER_TICK, Run, Step, ZONES};
use crate::process::average::FOLLOW_90;
use crate::process::view::{ThreadId, Threads, View};
use crate::process::zones::Key;
use crate::report::{Record, Recursion, Report, ReportMode, Section};
use proptest::prelude::*;
use std::collections::BTreeMap;

pub(super) const THREADS: usize = 3;
const RECURSIONS: [Recursion; 2] = [Recursion::Flatten, Recursion::Spread];

/// Zone numbers are given in the order of first sight; the oracle's are fixed. Names join them.
pub(super) fn oracle_zone(record: &Record) -> usize {
    match record.name.split(' ').next().unwrap() {
        "_global" => 0,
        name => usize::from(name.as_bytes()[0] - b'a') + 1,
    }
}

pub(super) fn row(record: &Record) -> Row {
    (oracle_zone(record), record.key.level as usize)
}

/// A record's times in ticks and its entries.
pub(super) fn sums(record: &Record) -> Sums {
    let [self_ms, hier_ms, entries, ..] = record.values;
    [self_ms / MS_PER_TICK, hier_ms / MS_PER_TICK, entries]
}

/// Compares with a tolerance of a thousandth of a tick and 1 in 10^9.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 + 1e-9 * a.abs().max(b.abs())
}

/// As [`close`], but for the rows of an average that have faded: a tenth of a tick each.
fn near(report: &Report, a: f64, b: f64) -> bool {
    const MOST_ROWS: f64 = 200.0;
    let faded = if report.whole_counts {
        0.0
    } else {
        0.101 * MOST_ROWS
    };
    close(a, b) || (a - b).abs() <= faded
}

fn total(report: &Report, section: Section, value: usize) -> f64 {
    let rows = report
        .records
        .iter()
        .filter(|record| record.key.section == section);
    rows.map(|record| sums(record)[value]).sum()
}

/// What is shown must be what the oracle has; what is not shown must be nothing (or, of averages,
/// have faded).
fn compare<K: Ord + std::fmt::Debug>(
    report: &Report,
    key: impl Fn(&Record) -> K,
    naive: &BTreeMap<K, Sums>,
) {
    let mut shown = BTreeMap::new();
    for record in &report.records {
        assert!(
            shown.insert(key(record), sums(record)).is_none(),
            "a row is there twice"
        );
    }
    for (key, wanted) in naive {
        match shown.get(key) {
            Some(got) => {
                assert!(
                    got.iter().zip(wanted).all(|(a, b)| close(*a, *b)),
                    "{key:?} {got:?} {wanted:?}"
                )
            }
            None if report.whole_counts => assert_eq!(wanted, &[0.0; 3], "{key:?} is missing"),
            None => assert!(
                wanted[1] * MS_PER_TICK < 1.01e-7 && wanted[2] < 1.01e-4,
                "{key:?}"
            ),
        }
    }
    for (key, got) in &shown {
        assert!(
            naive.contains_key(key) || got == &[0.0; 3],
            "{key:?} {got:?} is made up"
        );
    }
}

/// All modes, with recursion both ways, of one set of threads.
fn check(run: &Run, view: &View, naive: &Moments, frame_ticks: f64, threads: f64) {
    for recursion in RECURSIONS {
        let mut view = view.clone();
        view.set_recursion(recursion);
        for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
            view.set_report_mode(mode);
            let report = run.process.report(&view, None);
            compare(&report, row, &naive.flat(recursion));
            // Sum 4: no hierarchical time exceeds the frame.
            for record in &report.records {
                assert!(sums(record)[1] <= frame_ticks * threads + 1e-3);
            }
            // Sum 1, for what the threads were there.
            let self_times: f64 = report.records.iter().map(|record| sums(record)[0]).sum();
            assert!(near(&report, self_times, naive.total()));
            let by = usize::from(mode == ReportMode::HierarchicalTime);
            assert!(
                report
                    .records
                    .is_sorted_by(|a, b| a.values[by] >= b.values[by])
            );
        }
        view.set_report_mode(ReportMode::HierarchicalTime);
        let all = run.process.report(&view, None);
        view.set_report_mode(ReportMode::CallGraph);
        for record in &all.records {
            view.selected = Key {
                zone: record.key.zone,
                level: record.key.level,
            };
            let report = run.process.report(&view, None);
            let naive = naive.call_graph(recursion, row(record));
            compare(&report, |record| (record.key.section, row(record)), &naive);
            let [self_time, hier, entries] = sums(record);
            // Sum 2: callees are what is not self time.
            let callees = total(&report, Section::Callee, 1);
            assert!(near(&report, callees, hier - self_time));
            // Sum 3: callers are the zone.
            if oracle_zone(record) != 0 {
                for (value, of) in [self_time, hier, entries].into_iter().enumerate() {
                    assert!(near(&report, total(&report, Section::Caller, value), of));
                }
            }
        }
    }
}

/// All threads together, each by itself, and with each those of its name.
fn check_all_threads_and_each(run: &Run, view: &View, naive: &[Moments], frame_ticks: f64) {
    let mut merged = Moments::default();
    for (at, moments) in naive.iter().enumerate() {
        merged.merge(moments);
        let mut view = view.clone();
        view.set_threads(Threads::One(ThreadId(at as u32)));
        check(run, &view, moments, frame_ticks, 1.0);
        let alike = || (0..naive.len()).filter(|other| programs::are_named_alike(at, *other));
        let mut of_its_name = Moments::default();
        alike().for_each(|other| of_its_name.merge(&naive[other]));
        view.set_threads(Threads::SameName(ThreadId(at as u32)));
        check(
            run,
            &view,
            &of_its_name,
            frame_ticks,
            alike().count() as f64,
        );
    }
    check(run, view, &merged, frame_ticks, naive.len() as f64);
}

/// Everything there is to see after a program.
fn check_program(program: &[(usize, Step)]) {
    let run = programs::run(THREADS, program);
    // Every remembered frame, exactly.
    for (at, frame) in run.frames.iter().enumerate() {
        // Sum 1: the first thread is there all along, so its self times are the frame.
        assert_eq!(frame.threads[0].total(), frame.ticks as f64);
        let mut view = View::new();
        view.frame = crate::process::view::FrameChoice::Number((run.forgotten + at) as u64 + 1);
        check_all_threads_and_each(&run, &view, &frame.threads, frame.ticks as f64);
    }
    let last = run.frames.last().unwrap();
    let mut view = View::new();
    view.set_average(0);
    check_all_threads_and_each(&run, &view, &last.threads, last.ticks as f64);
    for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
        view.set_average(slot + 1);
        let naive = programs::average(&run.frames, t90);
        let longest = run.frames.iter().map(|frame| frame.ticks).max().unwrap();
        check_all_threads_and_each(&run, &view, &naive, longest as f64);
    }
    // Sum 5: frames, thrown away ones included, sum to everything.
    for (thread, naive) in run.process.threads.iter().zip(&run.all) {
        let record = thread.tree.record();
        let ticks: u64 = (0..record.node_count())
            .map(|index| record.node(index).unwrap().totals().0)
            .sum();
        let open = record
            .read()
            .map_or(0, |reading| run_end(&run) - reading.started);
        assert_eq!((ticks + open) as f64, naive.total());
    }
}

/// When the last frame of a program ended.
fn run_end(run: &Run) -> u64 {
    run.process.boundary_for_tests()
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn all_sums_hold_for_any_program(program in programs::program(THREADS)) {
        check_program(&program);
    }
}

#[test]
fn all_sums_hold_for_deep_mutual_recursion_with_open_zones_at_frames() {
    let mut program = Vec::new();
    for depth in 0..60 {
        program.push((depth % THREADS, Step::Enter(depth / THREADS % 2)));
        program.push((0, Step::Pass(100 + depth as u64)));
        if depth % 11 == 0 {
            program.push((0, Step::Frame(true)));
        }
    }
    for depth in 0..60 {
        program.push((depth % THREADS, Step::Leave));
        program.push((0, Step::Pass(7)));
        if depth % 13 == 0 {
            program.push((0, Step::Frame(true)));
        }
    }
    check_program(&program);
}

#[test]
fn a_zone_open_for_ten_frames_shows_in_ten_frames_with_one_entry() {
    let mut program = vec![(1, Step::Enter(ZONES - 1))];
    for _ in 0..10 {
        program.extend([(0, Step::Pass(16_000_000)), (0, Step::Frame(true))]);
    }
    let run = programs::run(2, &program);
    let mut entries = 0.0;
    for number in 1..=10 {
        let mut view = View::new();
        view.set_threads(Threads::One(ThreadId(1)));
        view.frame = crate::process::view::FrameChoice::Number(number);
        let report = run.process.report(&view, None);
        let record = report
            .records
            .iter()
            .find(|record| &*record.name == "d")
            .unwrap();
        assert!(close(sums(record)[0], 16e6));
        entries += record.values[2];
    }
    assert_eq!(entries, 1.0);
}

#[test]
fn the_first_frame_begins_with_the_first_thread() {
    use crate::clock::Pair;
    use crate::gather::scripted::ScriptedThread;
    let at = |ns| Pair { ticks: ns, ns };
    let worker = ScriptedThread::begin("worker", 1_000);
    let main = ScriptedThread::begin("main", 400_001_000);
    let records = [worker.record(), main.record()];
    let mut process = crate::process::core::Process::new(at(1_000));
    process.update(&records, records[1], at(410_001_000), true);
    process.update(&records, records[1], at(426_001_000), true);
    let sum = |frame, thread| {
        let mut view = View::new();
        view.frame = crate::process::view::FrameChoice::Number(frame);
        view.set_threads(Threads::One(ThreadId(thread)));
        let report = process.report(&view, None);
        report
            .records
            .iter()
            .map(|record| record.values[0])
            .sum::<f64>()
    };
    assert_eq!(process.history.nearest(1).unwrap().ms(), 410.0);
    assert!(close(sum(1, 0), 410.0) && close(sum(1, 1), 10.0));
    assert_eq!(process.history.nearest(2).unwrap().ms(), 16.0);
    assert!(close(sum(2, 0), 16.0) && close(sum(2, 1), 16.0));
}
