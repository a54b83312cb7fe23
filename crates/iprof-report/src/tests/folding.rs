//! Tests that in any program, the totals of zone groups and folded rows match the oracle's totals for their zones.
//!
//! This file is long because it checks every rule for groups and folded rows, and all checks share a single run.

use super::call_paths::{open_all, open_all_from};
use super::oracle::{Moments, RowId};
use super::programs::{self, MS_PER_TICK, Run};
use super::sums::{THREADS, close, near, row_id, sums};
use crate::query;
use crate::report::{
    ColumnId, Expansion, Recursion, Report, ReportMode, Row, RowKey, RowKind, Section,
};
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::indices::ZoneKey;
use iprof_process::moving_average::FOLLOW_90;
use iprof_process::split;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};

struct Node<'r> {
    row: &'r Row,
    under: Vec<Node<'r>>,
}

impl Node<'_> {
    /// Returns the zones that the row represents, based on the rows listed below it.
    fn rows(&self) -> BTreeSet<RowId> {
        match self.row.key.kind {
            RowKind::Zone => [row_id(self.row)].into(),
            _ => self.under.iter().flat_map(Node::rows).collect(),
        }
    }

    fn is_others(&self) -> bool {
        self.row.key.kind == RowKind::Others
    }
}

/// Returns the tree of rows in a section, reconstructed from their indents.
fn tree(report: &Report, section: Section) -> Vec<Node<'_>> {
    fn take<'r>(rows: &mut Vec<&'r Row>, is_above: &dyn Fn(u32) -> bool) -> Vec<Node<'r>> {
        let mut level = Vec::new();
        while let Some(row) = rows.pop_if(|row| is_above(row.indent)) {
            let rising = row.key.section == Section::Caller;
            let under = take(rows, &|indent| match rising {
                true => indent < row.indent,
                false => indent > row.indent,
            });
            level.push(Node { row, under });
        }
        level
    }
    let rows = report.rows.iter();
    let mut rows: Vec<&Row> = rows.filter(|r| r.key.section == section).collect();
    // `take` takes rows from the end. Callers are listed above their row, so they are already in the right order.
    if section != Section::Caller {
        rows.reverse();
    }
    take(&mut rows, &|_| true)
}

fn assert_keys_are_unique(report: &Report) {
    let keys: HashSet<RowKey> = report.rows.iter().map(|row| row.key).collect();
    assert_eq!(keys.len(), report.rows.len(), "{report:#?}");
}

/// Returns a copy of a row without its position, expansion state and cursor.
fn bare(row: &Row) -> Row {
    let mut row = row.clone();
    (row.indent, row.expansion, row.cursor) = (0, Expansion::Leaf, false);
    row
}

/// Checks that groups and folded rows have the same values whether they are collapsed or expanded.
fn assert_same_when_closed(closed: &Report, open: &Report) {
    let open: HashMap<RowKey, &Row> = open.rows.iter().map(|r| (r.key, r)).collect();
    for row in &closed.rows {
        assert_eq!(bare(row), bare(open[&row.key]));
    }
}

/// Checks that there are at least two folded rows, that they are small and come last, and that no other row is small.
fn check_folding(level: &[Node<'_>], is_small: &dyn Fn(&Node<'_>) -> bool, is_under_folded: bool) {
    // The `(idle)` row comes after the folded row. The rows below the `(idle)` row are not folded again.
    let (level, idle) = match level.split_last() {
        Some((last, level)) if last.row.key.kind == RowKind::Idle => (level, Some(last)),
        _ => (level, None),
    };
    if let Some(idle) = idle {
        assert!(idle.row.is_idle && !is_under_folded);
        assert!(
            idle.under
                .iter()
                .all(|node| node.row.is_idle && node.under.is_empty())
        );
    }
    let folded: Vec<&Node<'_>> = level.iter().filter(|node| node.is_others()).collect();
    let small = level
        .iter()
        .filter(|node| !node.is_others() && is_small(node));
    if is_under_folded {
        assert!(
            folded.is_empty(),
            "rows below a folded row should not be folded again"
        );
        assert_eq!(small.count(), level.len());
    } else if let [others] = folded[..] {
        assert!(level.last().unwrap().is_others());
        assert_eq!(small.count(), 0);
        assert!(others.under.len() >= 2);
        assert_eq!(
            &*others.row.name,
            format!("others ({})", others.under.len())
        );
    } else {
        assert!(folded.is_empty());
        assert!(small.count() < 2);
    }
    for node in level {
        check_folding(&node.under, is_small, is_under_folded || node.is_others());
    }
}

/// Returns whether a row takes less than this many ticks.
fn is_below(ticks: f64, mode: ReportMode) -> impl Fn(&Node<'_>) -> bool {
    let main_time = usize::from(mode != ReportMode::SelfTime);
    move |node| sums(node.row)[main_time] < ticks
}

/// Checks a list's rows against the oracle, whatever they represent.
fn check_rows(report: &Report, level: &[Node<'_>], naive: &dyn Fn(&BTreeSet<RowId>) -> [f64; 3]) {
    for node in level {
        let (rows, got) = (node.rows(), sums(node.row));
        let wanted = naive(&rows);
        let same = got.iter().zip(wanted).all(|(a, b)| near(report, *a, b));
        assert!(same, "{} {rows:?}: {got:?}, not {wanted:?}", node.row.name);
        if !node.under.is_empty() {
            for value in [0, 2] {
                let sum: f64 = node.under.iter().map(|under| sums(under.row)[value]).sum();
                assert!(
                    near(report, sum, got[value]),
                    "rows sum to {sum} under {:?}",
                    node.row
                );
            }
        }
        check_rows(report, &node.under, naive);
    }
}

/// Checks that zone groups match the zones' names and contain the right zones.
fn check_zone_groups(level: &[Node<'_>], above: &str) {
    for node in level {
        let name = &*node.row.name;
        match node.row.key.kind {
            RowKind::ZoneGroup => {
                assert!(
                    name.starts_with(above) && name.ends_with("::"),
                    "{name} in {above}"
                );
                assert!(!node.under.is_empty());
                check_zone_groups(&node.under, name);
            }
            RowKind::Others => check_zone_groups(&node.under, above),
            RowKind::Idle => assert!(above.is_empty()),
            RowKind::Zone => {
                let rest = name.strip_prefix(above).unwrap();
                assert!(!rest.contains("::"), "{name} in {above}");
            }
        }
    }
}

/// Checks that everything idle is below the `(idle)` row, or that there is no `(idle)` row if idle rows are ranked.
fn check_idle(level: &[Node<'_>], ranked: bool) {
    for node in level {
        match node.row.key.kind {
            RowKind::Idle => assert!(!ranked && !node.under.is_empty()),
            RowKind::Zone => assert!(ranked || !node.row.is_idle),
            RowKind::ZoneGroup | RowKind::Others => {
                assert!(!node.row.is_idle);
                check_idle(&node.under, ranked);
            }
        }
    }
}

/// The oracle's data, both as recorded and as shown in lists of zones.
struct Naive {
    moments: Moments,
    in_lists: Moments,
}

impl Naive {
    fn of(threads: &[Moments]) -> Naive {
        let (mut moments, mut in_lists) = (Moments::default(), Moments::default());
        for (at, thread) in threads.iter().enumerate() {
            moments.merge(thread);
            in_lists.merge(&thread.in_lists(at));
        }
        Naive { moments, in_lists }
    }
}

fn check_list(run: &Run, view: &View, naive: &Naive, frame_ticks: Option<f64>) {
    let mut view = view.clone();
    let closed = query::report(&run.profiler, &view, None);
    let open = open_all_from(run, &mut view, &closed);
    assert_keys_are_unique(&open);
    assert_same_when_closed(&closed, &open);
    let rows = tree(&open, Section::Flat);
    if view.grouping {
        check_zone_groups(&rows, "");
    } else {
        let is_zone_group = |row: &&Row| row.key.kind == RowKind::ZoneGroup;
        assert_eq!(open.rows.iter().filter(is_zone_group).count(), 0);
    }
    let by_row = naive.in_lists.by_row(view.recursion);
    check_rows(&open, &rows, &|rows| {
        by_row.union(None, |row| rows.contains(&row))
    });
    check_idle(&rows, view.idle_ranked);
    let all: f64 = rows.iter().map(|node| sums(node.row)[0]).sum();
    assert!(near(&open, all, naive.in_lists.total()));
    if let Some(frame_ticks) = frame_ticks {
        let is_small = is_below(frame_ticks * view.min_share, view.report_mode);
        check_folding(&rows, &is_small, false);
    }
}

fn unfold(level: Vec<Node<'_>>) -> Vec<Node<'_>> {
    let (others, mut rows): (Vec<_>, Vec<_>) = level.into_iter().partition(Node::is_others);
    rows.extend(others.into_iter().flat_map(|others| others.under));
    rows.into_iter()
        .map(|node| Node {
            row: node.row,
            under: unfold(node.under),
        })
        .collect()
}

fn assert_same_rows(a: &[Node<'_>], b: &[Node<'_>]) {
    let by_key = |level: &[Node<'_>]| -> HashMap<RowKey, Row> {
        level
            .iter()
            .map(|node| (node.row.key, bare(node.row)))
            .collect()
    };
    assert_eq!(by_key(a), by_key(b));
    let under: HashMap<RowKey, &Node<'_>> = b.iter().map(|node| (node.row.key, node)).collect();
    for node in a {
        assert_same_rows(&node.under, &under[&node.row.key].under);
    }
}

/// Checks that small call path rows are folded into their sums, and that nothing else changes.
fn check_call_paths(run: &Run, view: &View, frame_ticks: f64) {
    let (mut folds, mut plain) = (view.clone(), view.clone());
    plain.min_share = 0.0;
    let closed = query::report(&run.profiler, view, None);
    let open = open_all_from(run, &mut folds, &closed);
    let plain = open_all(run, &mut plain);
    assert_keys_are_unique(&open);
    let all_open: HashMap<RowKey, &Row> = open.rows.iter().map(|r| (r.key, r)).collect();
    for row in &closed.rows {
        assert_eq!(sums(row), sums(all_open[&row.key]), "{row:?}");
    }
    let is_small = is_below(frame_ticks * view.min_share, view.report_mode);
    for section in [Section::Caller, Section::Callee, Section::Tree] {
        let rows = tree(&open, section);
        check_folding(&rows, &is_small, false);
        check_sums_of_others(&rows);
        assert_same_rows(&unfold(rows), &tree(&plain, section));
    }
}

fn check_sums_of_others(level: &[Node<'_>]) {
    for node in level {
        if node.is_others() {
            for (value, wanted) in sums(node.row).into_iter().enumerate() {
                let sum: f64 = node.under.iter().map(|under| sums(under.row)[value]).sum();
                assert!(close(sum, wanted), "rows sum to {sum} under {:?}", node.row);
            }
        }
        check_sums_of_others(&node.under);
    }
}

/// Checks every mode, with recursion both flattened and spread.
fn check(run: &Run, view: &View, naive: &Naive, frame_ticks: Option<f64>) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut view = view.clone();
        view.recursion = recursion;
        for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
            view.report_mode = mode;
            for grouping in [false, true] {
                view.grouping = grouping;
                check_list(run, &view, naive, frame_ticks);
            }
        }
        view.grouping = true;
        let Some(frame_ticks) = frame_ticks else {
            continue;
        };
        let by_row = naive.moments.by_row(recursion);
        view.report_mode = ReportMode::CallTree;
        check_call_paths(run, &view, frame_ticks);
        for (zone, level) in [(0, 0), (1, 0), (2, 1)] {
            // With flattened recursion, rows have no recursion depth.
            let level = if recursion == Recursion::Spread {
                level
            } else {
                0
            };
            view.set_selected(ZoneKey { zone, level });
            view.report_mode = ReportMode::CallGraph;
            check_call_paths(run, &view, frame_ticks);
            view.report_mode = ReportMode::CallGraphDescendants;
            let report = open_all(run, &mut view.clone());
            assert_keys_are_unique(&report);
            let selected = report.rows.iter();
            let mut selected = selected.filter(|r| r.key.section == Section::Selected);
            let Some(selected) = selected.next().map(row_id) else {
                continue;
            };
            let rows = tree(&report, Section::Descendant);
            check_rows(&report, &rows, &|rows| {
                by_row.union(Some(selected), |row| rows.contains(&row))
            });
            let is_small = is_below(frame_ticks * view.min_share, view.report_mode);
            check_folding(&rows, &is_small, false);
        }
    }
}

/// Checks a diff. Folded rows must be small in both frames, and each row must show its zones' totals in both. `frames`
/// holds the shown frame and its baseline, with their ticks.
fn check_comparison(run: &Run, view: &View, frames: [(&Naive, f64); 2]) {
    fn check_values(
        level: &[Node<'_>],
        main_time: ColumnId,
        naive: &dyn Fn(&Node<'_>) -> [(f64, f64); 2],
    ) {
        for node in level {
            let [(now, calls), (before, calls_before)] = naive(node);
            let [difference, by_count, by_cost, count, baseline_count] = node.row.numbers([
                ColumnId::Difference,
                ColumnId::ByCount,
                ColumnId::ByCost,
                ColumnId::Count,
                ColumnId::BaselineCount,
            ]);
            let time = node.row.number(main_time);
            assert_eq!((count, baseline_count), (calls, calls_before));
            assert!(close(time / MS_PER_TICK, now));
            assert!(close(difference / MS_PER_TICK, now - before));
            assert!(close((by_count + by_cost) / MS_PER_TICK, now - before));
            check_values(&node.under, main_time, naive);
        }
    }
    let mut view = view.clone();
    view.grouping = true;
    let by_row = frames.map(|(moments, _)| moments.in_lists.by_row(Recursion::Flatten));
    for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
        view.report_mode = mode;
        let report = open_all(run, &mut view);
        assert_keys_are_unique(&report);
        let main_time = usize::from(mode == ReportMode::HierarchicalTime);
        let naive = |node: &Node<'_>| {
            let rows = node.rows();
            by_row.each_ref().map(|moments| {
                let sums = moments.union(None, |row| rows.contains(&row));
                (sums[main_time], sums[2])
            })
        };
        let is_small = |node: &Node<'_>| {
            let mut sides = naive(node).into_iter().zip(frames);
            sides.all(|((time, _), (_, ticks))| time < ticks * view.min_share)
        };
        let rows = tree(&report, Section::Flat);
        check_values(&rows, report.columns[0], &naive);
        check_folding(&rows, &is_small, false);
        if main_time == 0 {
            check_by_count(&rows, &|row| {
                let [now, before] = by_row.each_ref().map(|moments| {
                    let sums = moments.union(None, |other| other == row);
                    (sums[0], sums[2])
                });
                split(before, now).0
            });
        }
    }
}

/// Checks that the portion by count in a row of several zones is the sum of the zones' portions.
fn check_by_count(level: &[Node<'_>], naive: &dyn Fn(RowId) -> f64) {
    for node in level {
        let more: f64 = node.rows().into_iter().map(naive).sum();
        assert!(close(
            node.row.number(ColumnId::ByCount) / MS_PER_TICK,
            more
        ));
        check_by_count(&node.under, naive);
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn groups_and_folded_rows_sum_their_zones(
        program in programs::program(THREADS),
        share in prop_oneof![Just(0.0), Just(0.02), 0.0..0.6],
        idle in any::<u8>(),
        ranked in any::<bool>(),
    ) {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        let mut view = View::default();
        view.idle_ranked = ranked;
        view.min_share = share;
        for (at, frame) in run.frames.iter().enumerate() {
            let number = (run.forgotten + at) as u64 + 1;
            view.frame = Frames::Number(number);
            let ticks = Some(frame.ticks as f64);
            view.set_threads(Threads::All);
            let all = Naive::of(&frame.threads);
            check(&run, &view, &all, ticks);
            if let Some(before) = at.checked_sub(1).map(|at| &run.frames[at]) {
                view.set_baseline(Baseline::Frames(Frames::Number(number - 1)));
                view.set_threads(Threads::All);
                let all_before = Naive::of(&before.threads);
                let frames = [(&all, frame.ticks as f64), (&all_before, before.ticks as f64)];
                check_comparison(&run, &view, frames);
                view.set_baseline(Baseline::None);
            }
            view.set_threads(Threads::One(ThreadId(0)));
            check(&run, &view, &Naive::of(&frame.threads[..1]), ticks);
        }
        view.frame = Frames::Live;
        let last = run.frames.last().unwrap();
        for (average, t90) in FOLLOW_90.into_iter().enumerate() {
            view.average = crate::Average::ALL[average + 1];
            let threads = programs::average(&run.frames, t90, |frame| &frame.threads);
            view.set_threads(Threads::All);
            check(&run, &view, &Naive::of(&threads), None);
            view.set_threads(Threads::One(ThreadId(0)));
            check(&run, &view, &Naive::of(&threads[..1]), None);
        }
        view.average = crate::Average::Newest;
        check(&run, &view, &Naive::of(&last.threads[..1]), Some(last.ticks as f64));
    }

    /// Folding and collapsed groups must not hide filter matches.
    #[test]
    fn filter_lists_same_zones_if_folded_or_collapsed(
        program in programs::program(THREADS),
        text in prop_oneof![Just("a"), Just("b"), Just("X::Y::C"), Just("y::c"), Just("d")],
        idle in any::<u8>(),
    ) {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        let zones = |view: &View| -> BTreeSet<(String, u32)> {
            let report = query::report(&run.profiler, view, None);
            let rows = report.rows.iter().filter(|r| r.key.kind == RowKind::Zone);
            rows.map(|r| (r.name.to_string(), r.key.level)).collect()
        };
        for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
            let mut view = View::default();
            view.average = crate::Average::Newest;
            view.report_mode = mode;
            view.filter = text.to_owned();
            let plain = zones(&view);
            view.min_share = 0.9;
            view.grouping = true;
            assert_eq!(zones(&view), plain);
            assert!(plain.iter().all(|(name, _)| {
                name.contains(&text.to_lowercase())
            }));
        }
    }
}
