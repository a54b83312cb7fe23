//! Tests for named values. Their sums in frames, sets and averages must equal the oracle's, which adds them up by whole
//! stacks, as it does for times. Nothing else may change because of them.
//!
//! This file is long because frames, sets, parts of the session and averages are all checked against one naive sum.

use super::comparisons::{Comparison, comparisons};
use super::oracle::{Moments, RowId, Sums};
use super::programs::{self, MS_PER_TICK, NaiveFrame, Program, Run, Step, ZONES};
use super::range::set_range;
use super::session;
use super::sums::{THREADS, close, oracle_zone, row_id, sets};
use crate::graph::Graph;
use crate::query;
use crate::query::graph::GraphWork;
use crate::query::sums::FADED_ENTRIES;
use crate::report::{ColumnId, Recursion, Report, ReportMode, Row, Section, ShownValue};
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::Snapshot;
use iprof_process::builder::frame_snapshot;
use iprof_process::indices::ZoneKey;
use iprof_process::moving_average::FOLLOW_90;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The number of steps per unit of [`programs::VALUE`].
const STEPS: f64 = 4.0;

pub(super) fn with_values(
    program: impl Strategy<Value = Program>,
) -> impl Strategy<Value = Program> {
    let amount = prop_oneof![8 => 1i64..1_000, 2 => -500i64..0, 1 => Just(1 << 20)];
    let add = (any::<prop::sample::Index>(), 0..THREADS, amount);
    (program, prop::collection::vec(add, 1..30)).prop_map(|(mut program, adds)| {
        for (at, thread, amount) in adds {
            program.insert(at.index(program.len() + 1), (thread, Step::Add(amount)));
        }
        program
    })
}

/// Checks a row against its expected sum, in steps.
fn check_row(report: &Report, row: Option<&Row>, steps: f64, time: ColumnId) {
    let Some(row) = row else {
        assert!(steps.abs() < 1.01 * FADED_ENTRIES || !report.whole_counts);
        return;
    };
    let named = row.number(ColumnId::NamedValue);
    assert!(
        close(named * STEPS, steps) || steps.abs() < 1.01 * FADED_ENTRIES,
        "wanted {steps} steps in {row:?}"
    );
    if named == 0.0 {
        assert_eq!(row.value(ColumnId::TimePerUnit), None);
    } else {
        let per_unit = row.number(ColumnId::TimePerUnit);
        assert!(
            close(per_unit * named, row.number(time)),
            "wrong time per unit: {row:?}"
        );
    }
}

fn by_key<K>(report: &Report, key: impl Fn(&Row) -> K) -> Vec<(K, &Row)> {
    report.rows.iter().map(|row| (key(row), row)).collect()
}

fn find<'r, K: PartialEq>(rows: &[(K, &'r Row)], key: K) -> Option<&'r Row> {
    let row = rows.iter().find(|(of, _)| *of == key);
    row.map(|(_, row)| *row)
}

/// Checks the lists and call graphs in a view of threads with these values.
fn check(run: &Run, view: &View, naive: &Moments, in_lists: &Moments) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut view = view.clone();
        view.idle_ranked = true;
        view.recursion = recursion;
        let rows = in_lists.by_row(recursion).flat();
        for (mode, time, sum) in [
            (ReportMode::SelfTime, ColumnId::SelfTime, 0),
            (ReportMode::HierarchicalTime, ColumnId::HierarchicalTime, 1),
        ] {
            view.report_mode = mode;
            let report = query::report(&run.profiler, &view, None);
            let is_value = |row: &Row| row.name.contains("bodies");
            assert!(
                !report.rows.iter().any(is_value),
                "values should have no rows"
            );
            let shown = by_key(&report, row_id);
            for (id, sums) in &rows {
                check_row(&report, find(&shown, *id), sums[sum], time);
            }
            for (id, row) in &shown {
                let is_known = rows.contains_key(id);
                assert!(is_known || row.number(ColumnId::NamedValue) == 0.0);
            }
        }
        let by_row = naive.by_row(recursion);
        view.report_mode = ReportMode::CallGraph;
        let mut report = query::report(&run.profiler, &view, None);
        for zone in 0..=ZONES {
            // Select the zone in the previous zone's call graph.
            let Some(row) = report.rows.iter().find(|row| oracle_zone(row) == zone) else {
                continue;
            };
            view.set_selected(ZoneKey {
                zone: row.key.zone,
                level: row.key.level,
            });
            report = query::report(&run.profiler, &view, None);
            let of = report
                .rows
                .iter()
                .find(|row| row.key.section == Section::Selected);
            let wanted = by_row.call_graph(row_id(of.unwrap()));
            let shown = by_key(&report, |row| (row.key.section, row_id(row)));
            for (key, sums) in wanted {
                let row = find(&shown, key);
                check_row(&report, row, sums[1], ColumnId::HierarchicalTime);
            }
        }
    }
}

fn check_threads(run: &Run, view: &View, values: &[Moments]) {
    let (mut all, mut in_lists) = (Moments::default(), Moments::default());
    for (at, values) in values.iter().enumerate() {
        let mut view = view.clone();
        view.set_threads(Threads::One(ThreadId(at as u32)));
        check(run, &view, values, &values.in_lists(at));
        all.merge(values);
        in_lists.merge(&values.in_lists(at));
    }
    check(run, view, &all, &in_lists);
}

fn mean(frames: &[&NaiveFrame]) -> Vec<Moments> {
    let mut values = vec![Moments::default(); THREADS];
    for frame in frames {
        for (mean, values) in values.iter_mut().zip(&frame.values) {
            mean.blend(1.0, values, 1.0 / frames.len() as f64);
        }
    }
    values
}

fn of_frame(run: &Run, at: usize) -> View {
    let mut view = View::default();
    view.frame = Frames::Number((run.forgotten + at) as u64 + 1);
    view
}

fn check_program(program: &[(usize, Step)]) {
    let run = programs::run(THREADS, program);
    for (at, frame) in run.frames.iter().enumerate() {
        check_threads(&run, &of_frame(&run, at), &frame.values);
    }
    for (set, members) in sets(&run.frames) {
        let frames: Vec<&NaiveFrame> = members.iter().map(|at| &run.frames[*at]).collect();
        let mut view = View::default();
        if view.choose_frames(run.profiler.history(), &set) {
            check_threads(&run, &view, &mean(&frames));
        }
    }
    let count = run.frames.len();
    let frames: Vec<&NaiveFrame> = run.frames[count / 2..].iter().collect();
    let mut view = View::default();
    let [first, last] = [count / 2 + 1, count].map(|at| (run.forgotten + at) as u64);
    set_range(&mut view, &run.profiler, first, last);
    check_threads(&run, &view, &mean(&frames));
    for (part, frames) in session::parts(&run).into_iter().step_by(3) {
        view.frame = part;
        check_threads(&run, &view, &mean(&frames));
    }
    let mut view = View::default();
    view.average = crate::Average::Newest;
    check_threads(&run, &view, &run.frames.last().unwrap().values);
    for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
        view.average = crate::Average::ALL[slot + 1];
        let average = programs::average(&run.frames, t90, |frame| &frame.values);
        check_threads(&run, &view, &average);
    }
}

/// Returns everything in a report except the value columns, sorted by name, since values change the numbers of zones.
fn without_values(run: &Run, view: &View) -> Vec<String> {
    let mut view = view.clone();
    view.value = ShownValue::None;
    let report = query::report(&run.profiler, &view, None);
    assert!(!report.columns.contains(&ColumnId::NamedValue));
    let line = |row: &Row| {
        let values = report.columns.iter().map(|column| row.value(*column));
        // Averages are rounded in node order, and the nodes of values come in between.
        let rounded =
            values.map(|value| value.map(|v| format!("{:.6} {:.6}", v.number, v.standard_error)));
        format!(
            "{} {:?} {:?}",
            row.name,
            row.expansion,
            rounded.collect::<Vec<_>>()
        )
    };
    let mut lines: Vec<String> = report.rows.iter().map(line).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn values_sum_by_stack_like_times(program in with_values(programs::program(THREADS))) {
        check_program(&program);
    }

    #[test]
    fn values_are_exact_with_any_clock(
        program in with_values(programs::timed_program(THREADS))
    ) {
        check_program(&program);
    }

    #[test]
    fn values_change_nothing_else(program in with_values(programs::program(THREADS))) {
        let mut plain = program.clone();
        plain.retain(|(_, step)| !matches!(step, Step::Add(_)));
        let (run, plain) = (programs::run(THREADS, &program), programs::run(THREADS, &plain));
        for mode in ReportMode::ALL {
            for at in 0..run.frames.len() {
                let mut view = of_frame(&run, at);
                view.report_mode = *mode;
                assert_eq!(without_values(&run, &view), without_values(&plain, &view));
            }
            let mut view = View::default();
            view.report_mode = *mode;
            assert_eq!(without_values(&run, &view), without_values(&plain, &view));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 4, ..programs::config() })]

    #[test]
    fn diff_splits_into_unit_count_and_unit_cost(
        program in with_values(programs::program(THREADS)),
        pick in any::<u16>(),
    ) {
        let run = programs::run(THREADS, &program);
        for compared in comparisons(&run, pick.into()) {
            check_diff(&run, &compared);
        }
    }
}

/// Returns, for each row, means over some frames of all threads: time in milliseconds, value in units, and calls. `sum`
/// is the index of the time in the oracle's sums.
fn mean_rows(run: &Run, frames: &[usize], sum: usize) -> BTreeMap<RowId, [f64; 3]> {
    // Sum whole numbers before dividing, so that amounts that cancel sum to 0.
    let (mut times, mut values) = (Moments::default(), Moments::default());
    for frame in frames.iter().map(|at| &run.frames[*at]) {
        for thread in 0..THREADS {
            times.merge(&frame.threads[thread].in_lists(thread));
            values.merge(&frame.values[thread].in_lists(thread));
        }
    }
    let [times, values] = [times, values].map(|of| of.by_row(Recursion::Flatten).flat());
    let of =
        |rows: &BTreeMap<RowId, Sums>, row: &RowId, at: usize| rows.get(row).map_or(0.0, |s| s[at]);
    let each = 1.0 / frames.len().max(1) as f64;
    let row = |row: &RowId| {
        let numbers = [
            of(&times, row, sum) * MS_PER_TICK,
            of(&values, row, sum) / STEPS,
            of(&times, row, 2),
        ];
        (*row, numbers.map(|number| number * each))
    };
    times.keys().chain(values.keys()).map(row).collect()
}

/// Checks that a row's difference is split into the portion due to its number of units, at the old cost per unit, and
/// the rest. Rows without units are split by calls.
fn check_diff(run: &Run, compared: &Comparison) {
    for (mode, sum) in [(ReportMode::SelfTime, 0), (ReportMode::HierarchicalTime, 1)] {
        let mut view = View::default();
        view.report_mode = mode;
        view.idle_ranked = true;
        view.recursion = Recursion::Flatten;
        compared.show(&mut view, Threads::All);
        let diff = query::report(&run.profiler, &view, None);
        let [baseline, shown] =
            [&compared.before, &compared.now].map(|frames| mean_rows(run, frames, sum));
        let rows: BTreeMap<RowId, &Row> = diff.rows.iter().map(|row| (row_id(row), row)).collect();
        assert_eq!(rows.len(), diff.rows.len());
        for id in baseline.keys().chain(shown.keys()) {
            let [[t0, v0, c0], [t, v, c]] =
                [&baseline, &shown].map(|of| of.get(id).copied().unwrap_or_default());
            let Some(row) = rows.get(id) else {
                assert_eq!([t0, v0, c0, t, v, c], [0.0; 6], "row {id:?} is missing");
                continue;
            };
            let what = || format!("{row:?} {:?} {:?} in {compared:?}", [t0, v0, c0], [t, v, c]);
            let shown = [ColumnId::BaselineValue, ColumnId::NamedValue];
            let [got0, got] = shown.map(|column| row.number(column));
            assert!(close(got0, v0) && close(got, v), "{}", what());
            let (n0, n) = match (v0, v) {
                (0.0, 0.0) => (c0, c),
                units => units,
            };
            let more = match n0 > 0.0 {
                true => (n - n0) * t0 / n0,
                false if n > 0.0 && t0 == 0.0 => t,
                false => 0.0,
            };
            let close = |a: f64, b: f64| close(a / MS_PER_TICK, b / MS_PER_TICK);
            assert!(close(row.number(ColumnId::ByCount), more), "{}", what());
            let dearer = t - t0 - more;
            assert!(close(row.number(ColumnId::ByCost), dearer), "{}", what());
        }
        for (id, row) in rows {
            let is_known = baseline.contains_key(&id) || shown.contains_key(&id);
            assert!(
                is_known || row.number(ColumnId::Difference) == 0.0,
                "{row:?}"
            );
        }
    }
}

/// Rounding of means must not turn a baseline without units into one with a few units.
#[test]
fn diff_splits_by_calls_if_units_cancel() {
    let mut program = Vec::new();
    for amounts in [&[1][..], &[5], &[-6], &[0, 0]] {
        for amount in amounts {
            program.extend([
                (0, Step::Enter(0)),
                (0, Step::Add(*amount)),
                (0, Step::Pass(1_000)),
                (0, Step::Leave),
            ]);
        }
        program.push((0, Step::Frame(true)));
    }
    let run = programs::run(1, &program);
    let mut view = of_frame(&run, 3);
    view.set_baseline(Baseline::Frames(Frames::Range { first: 1, last: 3 }));
    let report = query::report(&run.profiler, &view, None);
    let row = report.rows.iter().find(|row| &*row.name == "a").unwrap();
    assert_eq!(row.number(ColumnId::BaselineValue), 0.0, "{row:?}");
    assert!(
        close(row.number(ColumnId::ByCount), 1_000.0 * MS_PER_TICK),
        "{row:?}"
    );
}

/// Tests one thread and all threads together.
#[test]
fn graph_shows_each_frames_sum() {
    let mut program = Vec::new();
    for frame in 0..5 {
        program.extend([
            (0, Step::Add(frame)),
            (0, Step::Enter(1)),
            (0, Step::Add(2)),
        ]);
        program.extend([
            (1, Step::Add(100)),
            (0, Step::Pass(7)),
            (0, Step::Frame(true)),
        ]);
    }
    let run = programs::run(2, &program);
    let (mut work, mut graph) = (GraphWork::default(), Graph::default());
    let mut view = View::default();
    let mut sums = |view: &View| {
        work.update(&run.profiler, view, false, &mut graph);
        let steps = graph.bars.iter().map(|bar| bar.value * STEPS);
        (graph.value.is_some(), steps.collect::<Vec<_>>())
    };
    assert_eq!(
        sums(&view),
        (true, vec![102.0, 103.0, 104.0, 105.0, 106.0, 0.0])
    );
    view.set_threads(Threads::One(ThreadId(0)));
    assert_eq!(sums(&view), (true, vec![2.0, 3.0, 4.0, 5.0, 6.0, 0.0]));
    view.value = ShownValue::None;
    assert_eq!(sums(&view), (false, vec![0.0; 6]));
}

/// Sums must be exact to the step, no matter how many frames there are.
#[test]
fn set_and_complement_sum_to_all_frames() {
    let mut program = Vec::new();
    for frame in 1..=23i64 {
        program.extend([
            (0, Step::Enter(0)),
            (0, Step::Add(frame * frame - 90)),
            (0, Step::Leave),
        ]);
        program.extend([
            (0, Step::Pass(1_000 * frame as u64)),
            (0, Step::Frame(true)),
        ]);
    }
    let run = programs::run(1, &program);
    let sum = |set: &Frames| {
        let frames = run.profiler.history().members(set).len() as f64;
        let mut view = View::default();
        view.frame = set.clone();
        let report = query::report(&run.profiler, &view, None);
        let row = report.rows.iter().find(|row| &*row.name == "a");
        row.map_or(0.0, |row| row.number(ColumnId::NamedValue)) * frames * STEPS
    };
    let all = sum(&Frames::All).round();
    assert_eq!(all, 4_324.0 - 23.0 * 90.0);
    for set in [
        Frames::Slowest(7),
        Frames::Range { first: 3, last: 11 },
        Frames::SlowestPercent(40.0),
    ] {
        assert_eq!(sum(&set).round() + sum(&set.complement()).round(), all);
    }
}

#[test]
fn report_names_value_and_unit() {
    let program = [
        (0, Step::Enter(0)),
        (0, Step::Add(10)),
        (0, Step::Pass(500)),
        (0, Step::Leave),
    ];
    let run = programs::run(1, &program);
    let mut view = of_frame(&run, 0);
    let report = query::report(&run.profiler, &view, None);
    let at = |report: &Report, column| {
        let (mut header, mut value) = (String::new(), String::new());
        report.push_header(column, &mut header);
        report.push_value(&report.rows[0], column, 2, &mut value);
        (header, value)
    };
    let text = |header: &str, value: &str| (header.to_owned(), value.to_owned());
    assert_eq!(&*report.rows[0].name, "a");
    assert_eq!(at(&report, ColumnId::NamedValue), text("bodies", "2.5"));
    assert_eq!(
        at(&report, ColumnId::TimePerUnit),
        text("ns/body", "200.00")
    );
    view.value = ShownValue::Named("others".into());
    let none = query::report(&run.profiler, &view, None);
    assert_eq!((none.value, none.columns.len()), (None, 3));
}

fn by_stack(snapshot: &Snapshot, thread: usize) -> BTreeMap<Vec<usize>, f64> {
    let mut sums = BTreeMap::new();
    let thread = &snapshot.threads[thread];
    for value in &thread.values {
        assert_eq!(&*snapshot.values[value.value as usize].name, "bodies");
        let number = |zone: u32| match zone {
            0 => 0,
            zone => {
                usize::from(
                    *snapshot.zones[zone as usize]
                        .name
                        .as_bytes()
                        .last()
                        .unwrap()
                        - b'a',
                ) + 1
            }
        };
        let stack = thread.stack(value.node as usize);
        let mut stack: Vec<usize> = stack.map(|node| number(node.zone)).collect();
        stack.reverse();
        assert!(sums.insert(stack, value.steps as f64).is_none());
    }
    sums.retain(|_, sum| *sum != 0.0);
    sums
}

fn check_snapshot(snapshot: &Snapshot, naive: &[Moments]) {
    snapshot.validate().unwrap();
    for (at, naive) in naive.iter().enumerate().take(snapshot.threads.len()) {
        let sums = naive
            .0
            .iter()
            .map(|(stack, (sum, _))| (stack.clone(), *sum));
        let mut sums: BTreeMap<_, _> = sums.collect();
        sums.retain(|_, sum| *sum != 0.0);
        assert_eq!(by_stack(snapshot, at), sums);
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn snapshots_contain_session_and_frame_values(
        program in with_values(programs::timed_program(THREADS))
    ) {
        let run = programs::run(THREADS, &program);
        for taken in &run.snapshots {
            check_snapshot(&taken.snapshot, &taken.values);
        }
        for (at, frame) in run.frames.iter().enumerate() {
            let number = (run.forgotten + at) as u64 + 1;
            let of_frame = frame_snapshot(&run.profiler, number, number).unwrap();
            check_snapshot(&of_frame.recorded, &frame.values);
        }
    }
}
