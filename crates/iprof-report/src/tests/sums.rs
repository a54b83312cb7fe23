//! Tests the sum rules, and checks everything shown against the oracle.
//!
//! This file is long because one run checks all rules on every view and thread.

use super::flame::check_flame;
use super::oracle::{IDLE_OUTSIDE, Moments, RowId, Sums};
use super::programs::{self, MS_PER_TICK, NaiveFrame, Run, Step, ZONES};
use super::range::set_range;
use super::timed_ancestors::{self, Clocks};
use crate::query;
use crate::report::{ColumnId, Recursion, Report, ReportMode, Row, RowKey, Section};
use crate::view::View;
use iprof_gather::class;
use iprof_gather::mode::cutoff;
use iprof_process::Frames;
use iprof_process::indices::{GLOBAL, ZoneKey};
use iprof_process::moving_average::FOLLOW_90;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

pub(super) const THREADS: usize = 3;
const RECURSIONS: [Recursion; 2] = [Recursion::Flatten, Recursion::Spread];

/// Returns the oracle's number for a row's zone. The profiler numbers zones in the order in which it sees them, so
/// zones are matched by name.
pub(super) fn oracle_zone(row: &Row) -> usize {
    zone_of_name(&row.name)
}

pub(super) fn zone_of_name(name: &str) -> usize {
    let name = name.as_bytes();
    let end = name.iter().position(|byte| *byte == b' ');
    match &name[..end.unwrap_or(name.len())] {
        b"(outside" => 0,
        name => usize::from(name[name.len() - 1] - b'a') + 1,
    }
}

pub(super) fn row_id(row: &Row) -> RowId {
    if row.key == RowKey::idle_outside_zones(GLOBAL) {
        return (IDLE_OUTSIDE, 0);
    }
    (oracle_zone(row), row.key.level as usize)
}

/// The time columns, in the order of [`Sums`].
const TIMES: [ColumnId; 2] = [ColumnId::SelfTime, ColumnId::HierarchicalTime];

/// Returns a row's times in ticks, and its entries.
pub(super) fn sums(row: &Row) -> Sums {
    let columns = [
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
    ];
    let [self_ms, hier_ms, entries] = row.numbers(columns);
    [self_ms / MS_PER_TICK, hier_ms / MS_PER_TICK, entries]
}

/// Compares with a tolerance of 0.001 ticks and a relative tolerance of 1e-9.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 + 1e-9 * a.abs().max(b.abs())
}

/// Like [`close`], but tolerates an additional 0.1 ticks for each row that may have faded from an average.
pub(super) fn near(report: &Report, a: f64, b: f64) -> bool {
    const MOST_ROWS: f64 = 200.0;
    let faded = if report.whole_counts {
        0.0
    } else {
        0.101 * MOST_ROWS
    };
    close(a, b) || (a - b).abs() <= faded
}

fn total(report: &Report, section: Section, value: usize) -> f64 {
    let rows = report.rows.iter().filter(|row| row.key.section == section);
    rows.map(|row| sums(row)[value]).sum()
}

/// The true values for a view's threads.
#[derive(Clone, Debug)]
struct Truth {
    moments: Moments,
    /// The unknown portion of the times (see `timed_ancestors::doubts`). Empty if everything is timed.
    doubts: Moments,
    /// `moments` and `doubts` as shown in lists of zones, where idle time outside zones is separate.
    in_lists: [Moments; 2],
    /// Whether the values come from a single frame with unchanged clocks. If so, exactly the unknown times are
    /// marked as sampled.
    is_steady: bool,
}

impl Truth {
    fn new(thread: usize, moments: Moments, doubts: Moments, is_steady: bool) -> Truth {
        Truth {
            in_lists: [&moments, &doubts].map(|values| values.in_lists(thread)),
            moments,
            doubts,
            is_steady,
        }
    }

    fn merge(&mut self, other: &Truth) {
        self.moments.merge(&other.moments);
        self.doubts.merge(&other.doubts);
        for (values, others) in self.in_lists.iter_mut().zip(&other.in_lists) {
            values.merge(others);
        }
        self.is_steady &= other.is_steady;
    }
}

/// Checks that the shown values match the oracle's, as far as times can be known, and that missing rows have no values
/// or have faded from averages.
fn compare<K: Ord + std::fmt::Debug>(
    report: &Report,
    key: impl Fn(&Row) -> K,
    is_steady: bool,
    naive: &BTreeMap<K, Sums>,
    doubts: &BTreeMap<K, Sums>,
) {
    let is_known = |key: &K, value: usize| doubts.get(key).is_none_or(|doubt| doubt[value] == 0.0);
    let mut shown = BTreeMap::new();
    for row in &report.rows {
        assert!(
            shown.insert(key(row), row).is_none(),
            "each row should occur only once"
        );
    }
    for (key, wanted) in naive {
        let known = |value: usize| is_known(key, value);
        match shown.get(key) {
            Some(row) => {
                let got = sums(row);
                let what = || format!("{key:?} {got:?} {wanted:?} of {row:?}");
                assert!(close(got[2], wanted[2]), "{}", what());
                for (value, column) in TIMES.into_iter().enumerate() {
                    let is_marked = row.standard_error(column) > 0.0;
                    let is_exact = close(got[value], wanted[value]);
                    assert!(is_exact || !known(value), "{}", what());
                    assert!(is_exact || is_marked || !is_steady, "unmarked {}", what());
                    assert!(
                        !is_marked || !known(value) || !is_steady,
                        "marked {}",
                        what()
                    );
                }
            }
            None if report.whole_counts => {
                let is_nothing = |value| wanted[value] == 0.0 || !known(value);
                assert!(
                    wanted[2] == 0.0 && is_nothing(0) && is_nothing(1),
                    "{key:?} {wanted:?} is missing"
                );
            }
            None => assert!(
                (wanted[1] * MS_PER_TICK < 1.01e-7 || !known(1)) && wanted[2] < 1.01e-4,
                "{key:?}"
            ),
        }
    }
    for (key, row) in &shown {
        let got = sums(row);
        assert!(
            naive.contains_key(key) || got == [0.0; 3],
            "{key:?} {got:?} is not in the oracle"
        );
        let errors = TIMES.map(|column| row.standard_error(column));
        assert!(got.iter().all(|value| value.is_finite() && *value >= 0.0));
        assert!(
            errors
                .iter()
                .all(|error| error.is_finite() && *error >= 0.0)
        );
    }
}

type Shown = Vec<(RowKey, Sums)>;

fn shown(report: &Report) -> Shown {
    let rows = report.rows.iter();
    rows.map(|row| (row.key, sums(row))).collect()
}

/// Checks every mode, with recursion both flattened and spread, for one set of threads. Returns the lists by self time.
fn check(run: &Run, view: &View, truth: &Truth, frame_ticks: f64, threads: f64) -> [Shown; 2] {
    let Truth {
        moments: naive,
        doubts,
        in_lists,
        is_steady,
    } = truth;
    check_flame(run, view, &[&in_lists[0], naive], &[&in_lists[1], doubts]);
    RECURSIONS.map(|recursion| {
        let mut view = view.clone();
        view.idle_ranked = true;
        view.recursion = recursion;
        let [naive_rows, doubtful_rows] = in_lists
            .each_ref()
            .map(|values| values.by_row(recursion).flat());
        let [by_self_time, all] =
            [ReportMode::SelfTime, ReportMode::HierarchicalTime].map(|mode| {
                view.report_mode = mode;
                let report = query::report(&run.profiler, &view, None);
                compare(&report, row_id, *is_steady, &naive_rows, &doubtful_rows);
                // Rule 4: no hierarchical time exceeds the frame.
                for row in &report.rows {
                    assert!(sums(row)[1] <= frame_ticks * threads + 1e-3);
                    // The same applies to standard errors.
                    let errors = TIMES.map(|column| row.standard_error(column));
                    let least_sure = errors.into_iter().fold(0.0, f64::max);
                    assert!(least_sure / MS_PER_TICK <= frame_ticks * threads + 1e-3);
                }
                // Rule 1: self times sum to the total time during which the threads existed.
                let self_times: f64 = report.rows.iter().map(|row| sums(row)[0]).sum();
                assert!(near(&report, self_times, naive.total()));
                let by = TIMES[usize::from(mode == ReportMode::HierarchicalTime)];
                assert!(
                    report
                        .rows
                        .is_sorted_by(|a, b| a.number(by) >= b.number(by))
                );
                report
            });
        let by_row = [naive, doubts].map(|moments| moments.by_row(recursion));
        view.report_mode = ReportMode::CallGraph;
        let is_outside = |row: &&Row| row_id(row).0 == IDLE_OUTSIDE;
        let idle_outside = all.rows.iter().find(is_outside);
        let idle_outside = idle_outside.map_or(0.0, |row| sums(row)[0]);
        for row in all.rows.iter().filter(|row| !is_outside(row)) {
            // The root's row includes all time outside zones, idle or not.
            let self_time = match oracle_zone(row) {
                0 => sums(row)[0] + idle_outside,
                _ => sums(row)[0],
            };
            let [_, hier, entries] = sums(row);
            view.set_selected(ZoneKey {
                zone: row.key.zone,
                level: row.key.level,
            });
            let report = query::report(&run.profiler, &view, None);
            let [naive, doubts] = by_row
                .each_ref()
                .map(|moments| moments.call_graph(row_id(row)));
            let key = |row: &Row| (row.key.section, row_id(row));
            compare(&report, key, *is_steady, &naive, &doubts);
            for (value, wanted) in [self_time, hier, entries].into_iter().enumerate() {
                let selected = total(&report, Section::Selected, value);
                assert!(near(&report, selected, wanted));
            }
            // Rule 2: callees sum to the hierarchical time minus the self time.
            let callees = total(&report, Section::Callee, 1);
            assert!(near(&report, callees, hier - self_time));
            // Rule 3: callers sum to the zone.
            if oracle_zone(row) != 0 {
                for (value, of) in [self_time, hier, entries].into_iter().enumerate() {
                    assert!(near(&report, total(&report, Section::Caller, value), of));
                }
            }
        }
        shown(&by_self_time)
    })
}

/// Checks all threads together, each thread individually, and each thread's group. If a group was already checked for
/// an earlier thread, only checks that both show the same.
fn check_all_threads_and_each(run: &Run, view: &View, truths: &[Truth], frame_ticks: f64) {
    let nothing = Truth::new(0, Moments::default(), Moments::default(), true);
    let mut merged = nothing.clone();
    let of = |threads: Threads| {
        let mut view = view.clone();
        view.set_threads(threads);
        view
    };
    let mut groups: Vec<[Shown; 2]> = Vec::new();
    for (at, truth) in truths.iter().enumerate() {
        merged.merge(truth);
        let one = of(Threads::One(ThreadId(at as u32)));
        let of_one = check(run, &one, truth, frame_ticks, 1.0);
        let group = of(Threads::Group(ThreadId(at as u32)));
        let is_alike = |other: &usize| programs::are_named_alike(at, *other);
        let alike: Vec<usize> = (0..truths.len()).filter(is_alike).collect();
        let same = match alike[0] {
            _ if alike.len() == 1 => Some(&of_one),
            first => groups.get(first),
        };
        let of_group = match same {
            Some(same) => {
                let lists = lists(run, &group);
                assert_eq!(lists, *same);
                lists
            }
            None => {
                let mut of_its_name = nothing.clone();
                alike.iter().for_each(|&at| of_its_name.merge(&truths[at]));
                check(run, &group, &of_its_name, frame_ticks, alike.len() as f64)
            }
        };
        groups.push(of_group);
    }
    check(run, view, &merged, frame_ticks, truths.len() as f64);
}

fn lists(run: &Run, view: &View) -> [Shown; 2] {
    RECURSIONS.map(|recursion| {
        let mut view = view.clone();
        view.idle_ranked = true;
        view.recursion = recursion;
        view.report_mode = ReportMode::SelfTime;
        shown(&query::report(&run.profiler, &view, None))
    })
}

fn truths(frame: &NaiveFrame) -> Vec<Truth> {
    let threads = frame.threads.iter().zip(&frame.clocks).enumerate();
    let truth = |(at, (moments, clocks)): (usize, (&Moments, &Clocks))| {
        let doubts = timed_ancestors::doubts(at, [clocks].into_iter());
        Truth::new(at, moments.clone(), doubts, !clocks.has_changed())
    };
    threads.map(truth).collect()
}

fn average_truths(frames: &[NaiveFrame], t90: f64) -> Vec<Truth> {
    let threads = programs::average(frames, t90, |frame| &frame.threads)
        .into_iter()
        .enumerate();
    let truth = |(at, moments)| {
        let clocks = frames.iter().map(|frame| &frame.clocks[at]);
        Truth::new(at, moments, timed_ancestors::doubts(at, clocks), false)
    };
    threads.map(truth).collect()
}

fn mean_truths(frames: &[&NaiveFrame]) -> Vec<Truth> {
    let weight = 1.0 / frames.len() as f64;
    let truth = |at: usize| {
        let mut moments = Moments::default();
        for frame in frames {
            moments.blend(1.0, &frame.threads[at], weight);
        }
        let clocks = frames.iter().map(|frame| &frame.clocks[at]);
        Truth::new(at, moments, timed_ancestors::doubts(at, clocks), false)
    };
    (0..THREADS).map(truth).collect()
}

pub(super) fn check_means(run: &Run, view: &View, frames: &[&NaiveFrame]) {
    check_all_threads_and_each(run, view, &mean_truths(frames), mean_ticks(frames));
}

fn mean_ticks(frames: &[&NaiveFrame]) -> f64 {
    frames.iter().map(|frame| frame.ticks).sum::<u64>() as f64 / frames.len() as f64
}

/// Returns sets of these frames, each with its members' indices.
pub(super) fn sets(frames: &[NaiveFrame]) -> Vec<(Frames, Vec<usize>)> {
    let mut by_length: Vec<usize> = (0..frames.len()).collect();
    by_length.sort_by_key(|at| std::cmp::Reverse(frames[*at].ticks));
    let third = frames.len().div_ceil(3);
    let limit = Duration::from_nanos(frames[by_length[third - 1]].ticks);
    // Convert to milliseconds as the profiler does, so that rounding is the same.
    let ms = |at: usize| frames[at].ticks as f64 * MS_PER_TICK;
    let longer = |at: &usize| ms(*at) > limit.as_secs_f64() * 1e3;
    let sets = [
        (
            Frames::LongerThan(limit),
            by_length.iter().copied().filter(longer).collect::<Vec<_>>(),
        ),
        (Frames::Slowest(third), by_length[..third].to_vec()),
    ];
    let both = sets.into_iter().flat_map(|(set, members)| {
        let is_in = |at: usize| members.contains(&at);
        let is_other = |at: &usize| !is_in(*at);
        let others = (0..frames.len()).filter(is_other).collect();
        let members = (0..frames.len()).filter(|at| is_in(*at)).collect();
        [(set.clone(), members), (set.complement(), others)]
    });
    both.collect()
}

fn check_program(program: &[(usize, Step)]) {
    let mut run = programs::run(THREADS, program);
    // Any of the zones may be idle.
    programs::declare_idle(&mut run, program.len() as u8);
    for (at, frame) in run.frames.iter().enumerate() {
        // Rule 1: the first thread never ends, so its self times sum to the frame.
        assert_eq!(frame.threads[0].total(), frame.ticks as f64);
        let mut view = View::default();
        view.frame = iprof_process::Frames::Number((run.forgotten + at) as u64 + 1);
        check_all_threads_and_each(&run, &view, &truths(frame), frame.ticks as f64);
    }
    // Check ranges: all frames, the second half, and one in the middle. Each range is given with its last frame first.
    let count = run.frames.len();
    for (first, last) in [
        (0, count - 1),
        (count / 2, count - 1),
        (count / 3, count * 2 / 3),
    ] {
        let last = last.min(count - 1);
        let frames: Vec<&NaiveFrame> = run.frames[first..=last].iter().collect();
        let mut view = View::default();
        let number = |at: usize| (run.forgotten + at) as u64 + 1;
        set_range(&mut view, &run.profiler, number(last), number(first));
        check_all_threads_and_each(&run, &view, &mean_truths(&frames), mean_ticks(&frames));
    }
    for set in sets(&run.frames) {
        let frames: Vec<&NaiveFrame> = set.1.iter().map(|at| &run.frames[*at]).collect();
        let mut view = View::default();
        let selection = set.0;
        let has_frames = view.choose_frames(run.profiler.history(), &selection);
        assert_eq!(has_frames, !frames.is_empty());
        if has_frames {
            check_all_threads_and_each(&run, &view, &mean_truths(&frames), mean_ticks(&frames));
        }
    }
    let last = run.frames.last().unwrap();
    let mut view = View::default();
    view.average = crate::Average::Newest;
    check_all_threads_and_each(&run, &view, &truths(last), last.ticks as f64);
    for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
        view.average = crate::Average::ALL[slot + 1];
        let truths = average_truths(&run.frames, t90);
        let longest = run.frames.iter().map(|frame| frame.ticks).max().unwrap();
        check_all_threads_and_each(&run, &view, &truths, longest as f64);
    }
    // Rule 5: all frames, including discarded ones, sum to the totals.
    for ((thread, naive), clocks) in run.profiler.threads().iter().zip(&run.all).zip(&run.clocks) {
        let record = thread.tree().record();
        let nodes = 0..record.node_count();
        assert_eq!(nodes.len(), clocks.stacks().len());
        let totals = nodes.map(|index| record.node(index).unwrap().totals());
        let totals: Vec<(u64, u64)> = totals.collect();
        let ticks: u64 = totals.iter().map(|(ticks, _)| ticks).sum();
        let open = record
            .read()
            .map_or(0, |reading| run_end(&run) - reading.started);
        assert_eq!((ticks + open) as f64, naive.total());
        let given = |node| thread.tree().attributed_for_tests(node);
        let ticks: u64 = (0..totals.len()).map(|node| given(node).0).sum();
        assert_eq!(ticks as f64, naive.total());
        for (node, stack) in clocks.stacks().iter().enumerate() {
            let entries = naive.0.get(stack).map_or(0.0, |(_, entries)| *entries);
            assert_eq!(given(node).1 as f64, entries);
            assert_eq!(totals[node].1 as f64, entries);
        }
    }
}

fn run_end(run: &Run) -> u64 {
    run.profiler.boundary_for_tests()
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn all_sums_hold_for_any_program(program in programs::program(THREADS)) {
        check_program(&program);
    }

    #[test]
    fn all_sums_hold_for_deep_recursion(
        program in programs::deep_program(THREADS)
    ) {
        check_program(&program);
    }

    #[test]
    fn all_sums_hold_with_changing_clocks(
        program in programs::timed_program(THREADS)
    ) {
        check_program(&program);
    }
}

#[test]
fn sums_hold_for_recursion_across_frame_ends() {
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
fn sleeping_thread_is_marked_until_it_is_exact() {
    let mut program = vec![(1, Step::Enter(0)), (0, Step::Frame(true))];
    program.extend([
        (1, Step::Reclassify(0, class::UNTIMED_BY_AUTO)),
        (1, Step::Follow(cutoff::AUTO)),
    ]);
    // The thread enters no zone, so it doesn't notice the reclassification.
    program.extend([
        (1, Step::Reclassify(0, class::TIMED_BY_AUTO)),
        (1, Step::Announce),
    ]);
    for _ in 0..3 {
        program.extend([(0, Step::Pass(16_000_000)), (0, Step::Frame(true))]);
    }
    check_program(&program);
    // Once the thread enters a zone, it is exact again.
    program.extend([(1, Step::Enter(0)), (0, Step::Pass(16_000_000))]);
    program.extend([(0, Step::Frame(true)), (0, Step::Frame(true))]);
    check_program(&program);
}

#[test]
fn sampled_times_are_marked_in_very_short_frames() {
    let mut program = vec![(2, Step::Follow(cutoff::SAMPLED)), (2, Step::Enter(0))];
    program.extend([(2, Step::Hit), (0, Step::Pass(47_453_131))]);
    program.extend([(2, Step::Enter(0)), (0, Step::Frame(true))]);
    // The frame at the end of each program is one tick long.
    check_program(&program);
}

#[test]
fn no_standard_error_exceeds_the_frame() {
    let mut program = vec![(2, Step::Follow(cutoff::SAMPLED))];
    for frame in 1..5 {
        for zone in 0..3 {
            program.extend([(2, Step::Enter(zone)), (2, Step::Hit)]);
        }
        program.extend([(0, Step::Pass(45 * frame)), (0, Step::Frame(true))]);
    }
    check_program(&program);
}

#[test]
fn zone_open_for_ten_frames_has_one_entry() {
    let mut program = vec![(1, Step::Enter(ZONES - 1))];
    for _ in 0..10 {
        program.extend([(0, Step::Pass(16_000_000)), (0, Step::Frame(true))]);
    }
    let run = programs::run(2, &program);
    let mut entries = 0.0;
    for number in 1..=10 {
        let mut view = View::default();
        view.set_threads(Threads::One(ThreadId(1)));
        view.frame = iprof_process::Frames::Number(number);
        let report = query::report(&run.profiler, &view, None);
        let row = report.rows.iter().find(|row| &*row.name == "z::d").unwrap();
        assert!(close(sums(row)[0], 16e6));
        entries += row.number(ColumnId::Count);
    }
    assert_eq!(entries, 1.0);
}

#[test]
fn first_frame_begins_with_first_thread() {
    use iprof_gather::clock::Pair;
    use iprof_gather::scripted_thread::ScriptedThread;
    let at = |ns| Pair::both(ns);
    let worker = ScriptedThread::begin("worker", 1_000);
    let main = ScriptedThread::begin("main", 400_001_000);
    let records = [worker.record(), main.record()];
    let mut profiler = iprof_process::Profiler::new(at(1_000));
    profiler.end_frame(&records, records[1], at(410_001_000), true);
    profiler.end_frame(&records, records[1], at(426_001_000), true);
    let sum = |frame, thread| {
        let mut view = View::default();
        view.frame = iprof_process::Frames::Number(frame);
        view.set_threads(Threads::One(ThreadId(thread)));
        let report = query::report(&profiler, &view, None);
        report
            .rows
            .iter()
            .map(|row| row.number(ColumnId::SelfTime))
            .sum::<f64>()
    };
    assert_eq!(profiler.history().nearest(1).unwrap().ms(), 410.0);
    assert!(close(sum(1, 0), 410.0) && close(sum(1, 1), 10.0));
    assert_eq!(profiler.history().nearest(2).unwrap().ms(), 16.0);
    assert!(close(sum(2, 0), 16.0) && close(sum(2, 1), 16.0));
}
