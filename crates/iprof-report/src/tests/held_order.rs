//! Tests the row order in any program, whether by value or held from the previous report.

use super::programs::{self, Step};
use super::sums::THREADS;
use crate::query;
use crate::query::row_tree::Previous;
use crate::report::{ColumnId, Expansion, Report, ReportMode, Row, RowKey, RowKind, Section, Sort};
use crate::view::Average;
use crate::view::{Baseline, View};
use iprof_process::indices::ZoneKey;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;

/// Returns the values in a column, grouped by parent row, in display order.
fn levels(report: &Report, column: ColumnId) -> Vec<Vec<f64>> {
    let mut levels: Vec<(Section, u32, Vec<f64>)> = Vec::new();
    for row in &report.rows {
        // A row with less indentation ends the levels nested in it. Callers are listed above their row.
        let is_caller = row.key.section == Section::Caller;
        let value = row.number(column);
        let last = levels
            .iter_mut()
            .rev()
            .find(|(section, indent, _)| (*section, *indent) == (row.key.section, row.indent));
        match last {
            Some((_, _, values)) if is_caller => values.insert(0, value),
            Some((_, _, values)) => values.push(value),
            None => levels.push((row.key.section, row.indent, vec![value])),
        }
    }
    levels.into_iter().map(|(_, _, values)| values).collect()
}

fn keys(report: &Report) -> Vec<RowKey> {
    report.rows.iter().map(|row| row.key).collect()
}

/// Returns views in every mode, with everything expanded that can be, and with folding and groups.
fn views_of_everything(run: &programs::Run, seed: u64) -> Vec<View> {
    let mut views = Vec::new();
    for mode in ReportMode::ALL {
        let mut view = View::default();
        view.report_mode = *mode;
        view.average = if seed.is_multiple_of(2) {
            Average::Newest
        } else {
            Average::Fast
        };
        view.grouping = seed.is_multiple_of(3);
        view.idle_ranked = seed.is_multiple_of(5);
        view.min_share = [0.0, 0.05, 0.3][(seed % 7 % 3) as usize];
        view.set_selected(ZoneKey {
            zone: (seed % 4) as u32,
            level: 0,
        });
        for _ in 0..3 {
            let rows = query::report(&run.profiler, &view, None).rows;
            let closed = rows
                .iter()
                .filter(|row| row.expansion == Expansion::Collapsed);
            let of_a_list =
                |row: &&Row| row.key.section == Section::Flat && row.key.kind == RowKind::Zone;
            for row in closed.filter(|row| !of_a_list(row)) {
                view.toggle(row.key);
            }
        }
        views.push(view);
    }
    views
}

proptest! {
    #![proptest_config(programs::config())]

    /// The pointer is over a row, so no row may move, whichever rows are added or removed.
    #[test]
    fn no_row_moves_while_the_order_is_held(
        first in programs::program(THREADS),
        rest in programs::program(THREADS),
        seed in any::<u64>(),
        idle in 0u8..16,
    ) {
        let mut before = programs::run(THREADS, &first);
        let frame = [(0, Step::Pass(1)), (0, Step::Frame(true))];
        let all: programs::Program = first.into_iter().chain(frame).chain(rest).collect();
        let mut after = programs::run(THREADS, &all);
        programs::declare_idle(&mut before, idle);
        programs::declare_idle(&mut after, idle);
        for view in views_of_everything(&before, seed) {
            let shown = query::report(&before.profiler, &view, None);
            let previous = Previous { report: &shown, is_held: true, is_typing: false };
            let held = query::report(&after.profiler, &view, Some(previous));
            let places = |report: &Report| -> Vec<(RowKey, String)> {
                let rows = report.rows.iter().take(shown.rows.len());
                rows.map(|row| (row.key, row.name.to_string())).collect()
            };
            let lost = places(&held).iter().zip(places(&shown)).any(|(a, b)| a.0 != b.0);
            prop_assert!(
                !lost && held.rows.len() >= shown.rows.len(),
                "{:?}: {:#?} became {:#?}", view.report_mode, places(&shown), places(&held)
            );
        }
    }

    /// The previous report may show an average, different values, or a different order.
    #[test]
    fn rows_are_sorted_by_value_or_keep_their_place(
        program in programs::program(THREADS),
        seed in any::<u64>(),
    ) {
        let run = programs::run(THREADS, &program);
        for mode in ReportMode::ALL {
            for (average, baseline) in [
                (Average::Newest, Baseline::None),
                (Average::Fast, Baseline::None),
                (Average::Slow, Baseline::Average),
            ] {
                let mut view = View::default();
                view.set_threads(Threads::One(ThreadId(0)));
                view.report_mode = *mode;
                view.average = average;
                view.set_baseline(baseline.clone());
                view.set_selected(ZoneKey { zone: (program.len() % 3) as u32, level: 0 });
                let column = match (mode, &baseline) {
                    (_, Baseline::Average) => ColumnId::Difference,
                    (ReportMode::SelfTime, _) => ColumnId::SelfTime,
                    _ => ColumnId::HierarchicalTime,
                };
                // Use an order other than by the main value.
                let mut before = view.clone();
                before.set_sort(if seed.is_multiple_of(2) { Sort::Name } else { Sort::Column(ColumnId::Count) }, seed % 3 == 0);
                let before = query::report(&run.profiler, &before, None);
                let after = |is_held| {
                    let previous = Previous { report: &before, is_held, is_typing: false };
                    query::report(&run.profiler, &view, Some(previous))
                };
                let free = after(false);
                prop_assert!(!free.order_held);
                for values in levels(&free, column) {
                    let falls = values.is_sorted_by(|a, b| a >= b);
                    let rises = baseline != Baseline::None && values.is_sorted_by(|a, b| a <= b);
                    prop_assert!(falls || rises, "unsorted values {values:?} in {mode:?}");
                }
                prop_assert_eq!(&keys(&free), &keys(&query::report(&run.profiler, &view, None)));
                let held = after(true);
                prop_assert_eq!(&keys(&held), &keys(&before));
                prop_assert_eq!(held.order_held, keys(&held) != keys(&free));
                let sum = |report: &Report| -> f64 {
                    report.rows.iter().map(|row: &Row| row.number(column)).sum()
                };
                prop_assert!((sum(&held) - sum(&free)).abs() < 1e-9);
            }
        }
    }
}
