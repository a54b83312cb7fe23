//! Tests for call paths: rows expanded to any depth, compared with the oracle.

use super::oracle::{IDLE_OUTSIDE, Moments, RowId, Sums};
use super::programs::{self, Run};
use super::range::set_range;
use super::sums::{THREADS, close, oracle_zone, row_id, sums};
use crate::query;
use crate::report::{Expansion, Recursion, Report, ReportMode, Row, RowKind, Section};
use crate::view::View;
use iprof_process::Frames;
use iprof_process::indices::ZoneKey;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Expands every row that has a `+`, from top to bottom, until none remains.
pub(super) fn open_all(run: &Run, view: &mut View) -> Report {
    let report = query::report(&run.profiler, view, None);
    open_all_from(run, view, &report)
}

/// Like [`open_all`], but starts with the view's current report.
pub(super) fn open_all_from(run: &Run, view: &mut View, report: &Report) -> Report {
    let closed = |row: &&Row| {
        let is_listed = matches!(row.key.section, Section::Flat | Section::Descendant);
        row.expansion == Expansion::Collapsed && !(is_listed && row.key.kind == RowKind::Zone)
    };
    let mut closed = report.rows.iter().filter(closed).peekable();
    if closed.peek().is_none() {
        return report.clone();
    }
    closed.for_each(|row| view.toggle(row.key));
    open_all(run, view)
}

pub(super) fn chains<'r>(report: &'r Report, section: Section) -> BTreeMap<Vec<RowId>, &'r Row> {
    let mut rows = BTreeMap::new();
    let mut chain: Vec<(u32, RowId)> = Vec::new();
    let mut add = |row: &'r Row| {
        let indent = &row.indent;
        chain.retain(|(above, _)| match section {
            Section::Caller => above > indent,
            _ => above < indent,
        });
        chain.push((*indent, row_id(row)));
        let path: Vec<RowId> = chain.iter().map(|(_, row)| *row).collect();
        assert!(
            rows.insert(path, row).is_none(),
            "each row should occur only once"
        );
    };
    let section_rows = || {
        let all = report.rows.iter();
        all.filter(|row| row.key.section == section)
    };
    if section == Section::Caller {
        // A caller's own callers are listed above it.
        section_rows().rev().for_each(&mut add);
    } else {
        section_rows().for_each(&mut add);
    }
    rows
}

fn compare(shown: &BTreeMap<Vec<RowId>, &Row>, naive: &BTreeMap<Vec<RowId>, Sums>) {
    for (chain, wanted) in naive {
        match shown.get(chain) {
            Some(row) => {
                let got = sums(row);
                let same = got.iter().zip(wanted).all(|(a, b)| close(*a, *b));
                assert!(same, "{chain:?}: got {got:?}, wanted {wanted:?}");
            }
            None => assert_eq!(wanted, &[0.0; 3], "{chain:?} should have a row"),
        }
    }
    for chain in shown.keys() {
        assert!(naive.contains_key(chain), "{chain:?} should have no row");
    }
}

/// Checks that children sum to their parent, or for callees, to their parent minus its self time.
fn check_branches(rows: &BTreeMap<Vec<RowId>, &Row>, section: Section) {
    for (chain, row) in rows {
        let under = rows
            .iter()
            .filter(|(other, _)| other.len() == chain.len() + 1 && other.starts_with(chain));
        let hier: f64 = under.map(|(_, row)| sums(row)[1]).sum();
        let [self_time, whole, _] = sums(row);
        match section {
            Section::Caller if oracle_zone(row) == 0 => assert_eq!(hier, 0.0),
            Section::Caller => assert!(
                close(hier, whole),
                "{chain:?}: children {hier}, parent {whole}"
            ),
            _ => assert!(
                close(hier, whole - self_time),
                "{chain:?}: children {hier}, parent {whole}"
            ),
        }
    }
}

fn check(run: &Run, view: &View, naive: &Moments) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut view = view.clone();
        view.recursion = recursion;
        view.report_mode = ReportMode::CallTree;
        let tree = open_all(run, &mut view);
        let shown = chains(&tree, Section::Tree);
        let naive = naive.by_row(recursion);
        compare(&shown, &naive.callee_paths(None));
        check_branches(&shown, Section::Tree);

        view.report_mode = ReportMode::HierarchicalTime;
        view.idle_ranked = true;
        for row in query::report(&run.profiler, &view, None).rows {
            let zone = row_id(&row);
            if zone.0 == IDLE_OUTSIDE {
                continue;
            }
            let mut view = view.clone();
            view.set_selected(ZoneKey {
                zone: row.key.zone,
                level: row.key.level,
            });
            view.report_mode = ReportMode::CallGraph;
            let graph = open_all(run, &mut view);
            let callers = chains(&graph, Section::Caller);
            compare(&callers, &naive.caller_paths(zone));
            check_branches(&callers, Section::Caller);
            let callees = chains(&graph, Section::Callee);
            compare(&callees, &naive.callee_paths(Some(zone)));
            check_branches(&callees, Section::Callee);

            view.report_mode = ReportMode::CallGraphDescendants;
            let report = query::report(&run.profiler, &view, None);
            let below = naive.descendants(zone);
            let below = below.into_iter().map(|(row, sums)| (vec![row], sums));
            let shown = chains(&report, Section::Descendant);
            compare(&shown, &below.collect());
            let is_selected = |row: &&Row| row.key.section == Section::Selected;
            let selected = report.rows.iter().find(is_selected).unwrap();
            let [self_time, hier, _] = sums(selected);
            let all: f64 = shown.values().map(|row| sums(row)[0]).sum();
            assert!(close(all, hier - self_time));
        }
    }
}

fn lines(report: &Report) -> Vec<(String, u32, [f64; 3])> {
    let line = |row: &Row| (row.name.to_string(), row.indent, sums(row));
    report.rows.iter().map(line).collect()
}

/// Checks that a filter keeps exactly the list rows that contain the text, and finds matches below collapsed rows.
fn check_filter(run: &Run, view: &View, text: &str) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut list = view.clone();
        list.recursion = recursion;
        list.idle_ranked = true;
        list.report_mode = ReportMode::SelfTime;
        let names = |list: &View| {
            let rows = query::report(&run.profiler, list, None).rows;
            rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
        };
        let mut matches = names(&list);
        matches.retain(|name| name.contains(text));
        list.filter = text.to_owned();
        assert_eq!(names(&list), matches);
        for mode in [ReportMode::CallTree, ReportMode::CallGraph] {
            let mut view = view.clone();
            view.recursion = recursion;
            view.report_mode = mode;
            let mut opened = view.clone();
            open_all(run, &mut opened);
            opened.filter = text.to_owned();
            view.filter = text.to_owned();
            let found = query::report(&run.profiler, &view, None);
            assert_eq!(
                lines(&found),
                lines(&query::report(&run.profiler, &opened, None))
            );
        }
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn filter_finds_matches_below_collapsed_rows(
        program in programs::program(THREADS),
        text in prop_oneof![Just("a"), Just("b"), Just("c"), Just("d"), Just("(outside zones)"), Just(" (2)"), Just("b (3")],
        selected in 0u32..4,
    ) {
        let run = programs::run(THREADS, &program);
        let mut view = View::default();
        view.average = crate::Average::Newest;
        view.set_selected(ZoneKey { zone: selected, level: 0 });
        check_filter(&run, &view, text);
        view.set_threads(Threads::One(ThreadId(0)));
        check_filter(&run, &view, text);
    }

    #[test]
    fn expanded_rows_sum_to_their_parents(program in programs::program(THREADS)) {
        let run = programs::run(THREADS, &program);
        for (at, frame) in run.frames.iter().enumerate() {
            let mut view = View::default();
            view.frame = Frames::Number((run.forgotten + at) as u64 + 1);
            let mut merged = Moments::default();
            frame.threads.iter().for_each(|thread| merged.merge(thread));
            check(&run, &view, &merged);
            view.set_threads(Threads::One(ThreadId(0)));
            check(&run, &view, &frame.threads[0]);
        }
        let (mut view, mut mean) = (View::default(), Moments::default());
        let count = run.frames.len();
        for thread in run.frames.iter().flat_map(|frame| &frame.threads) {
            mean.blend(1.0, thread, 1.0 / count as f64);
        }
        let first = run.forgotten as u64 + 1;
        set_range(&mut view, &run.profiler, first, first + count as u64 - 1);
        check(&run, &view, &mean);
    }
}
