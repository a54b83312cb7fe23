//! Tests of the order of rows in any program: by their values, or held as in the previous report.

use super::programs;
use super::sums::THREADS;
use crate::average::Average;
use crate::process::frame::indices::Key;
use crate::process::query;
use crate::process::query::previous::Previous;
use crate::process::view::{Baseline, View};
use crate::report::{ColumnId, Report, ReportMode, Row, RowKey, Section, Sort};
use crate::threads::{ThreadId, Threads};
use proptest::prelude::*;

/// The values of a column among the rows of each parent, in the order in which they are listed.
fn levels(report: &Report, column: ColumnId) -> Vec<Vec<f64>> {
    let mut levels: Vec<(Section, u32, Vec<f64>)> = Vec::new();
    for row in &report.rows {
        // A row that is less indented ends the levels within it; callers stand above their row.
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

proptest! {
    #![proptest_config(programs::config())]

    /// Whatever was shown before: averages, other values, other orders.
    #[test]
    fn rows_stand_where_their_values_say_or_where_they_stood(
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
                let mut view = View::new();
                view.set_threads(Threads::One(ThreadId(0)));
                view.set_report_mode(*mode);
                view.set_average(average);
                view.set_baseline(baseline);
                view.selected = Key { zone: (program.len() % 3) as u32, level: 0 };
                let column = match (mode, baseline) {
                    (_, Baseline::Average) => ColumnId::Difference,
                    (ReportMode::SelfTime, _) => ColumnId::SelfTime,
                    _ => ColumnId::HierarchicalTime,
                };
                // Any other order than that of the values.
                let mut before = view.clone();
                before.set_sort(if seed % 2 == 0 { Sort::Name } else { Sort::Column(ColumnId::Count) });
                before.set_sort_reversed(seed % 3 == 0);
                let before = query::report(&run.profiler, &before, None);
                let after = |is_held| {
                    let previous = Previous { report: &before, is_held };
                    query::report(&run.profiler, &view, Some(previous))
                };
                let free = after(false);
                prop_assert!(!free.order_held);
                for values in levels(&free, column) {
                    let falls = values.is_sorted_by(|a, b| a >= b);
                    let rises = baseline != Baseline::None && values.is_sorted_by(|a, b| a <= b);
                    prop_assert!(falls || rises, "{values:?} in {mode:?}");
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
