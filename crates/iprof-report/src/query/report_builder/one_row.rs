//! Builds single rows, for tooltips: a row of another average, the parts of a row, its distribution.

use super::Builder;
use crate::query::values::{Detail, NodeValues};
use crate::report::{ColumnId, ColumnSet, Distribution, ReportMode, Row, RowKey, RowKind};
use crate::view::{Baseline, View};
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};

/// One row of the report of `view`; the other rows are not built.
pub fn row(profiler: &Profiler, view: &View, key: RowKey) -> Option<Row> {
    let builder = Builder::new(
        profiler,
        view,
        NodeValues::of_view(profiler, view, Detail::All),
        None,
        Some(key),
    );
    let outline = builder.outline();
    let columns = builder.columns(&outline);
    let mut row = outline.find(key)?;
    Row::keep_columns([&mut row], &columns);
    Some(row)
}

/// The parts of a row, the largest first: in a view of several threads the same row of each thread, under the
/// thread's name; of the row of everything idle the rows that it stands for. None of a folded row, nor in a
/// comparison.
pub fn parts(profiler: &Profiler, view: &View, key: RowKey) -> Vec<Row> {
    let mut of = view.clone();
    of.columns = ColumnSet::default();
    if view.baseline() != Baseline::None || key.kind == RowKind::Others {
        return Vec::new();
    }
    let mut parts = Vec::new();
    if key.kind == RowKind::Idle {
        if !of.is_open(key) {
            of.toggle(key);
        }
        of.filter.clear();
        let values = NodeValues::of_view(profiler, &of, Detail::All);
        let rows = Builder::new(profiler, &of, values, None, None).outline();
        parts = rows.below.into_under(key);
    } else {
        let threads = profiler.threads_in_view(view.threads());
        // A row that is small on one thread is not folded there.
        of.min_share = 0.0;
        for at in threads.iter().filter(|_| threads.len() > 1) {
            let thread = ThreadId(*at as u32);
            of.set_threads(Threads::One(thread));
            if let (Some(part), Some(name)) =
                (row(profiler, &of, key), profiler.thread_title(thread))
            {
                let name = name.into();
                parts.push(Row { name, ..part });
            }
        }
    }
    let time = match view.report_mode {
        ReportMode::SelfTime => ColumnId::SelfTime,
        _ => ColumnId::HierarchicalTime,
    };
    parts.sort_by(|a, b| b.number(time).total_cmp(&a.number(time)));
    parts
}

/// The distribution of the times per frame of a row of the report of `view`; none if it has no time in any frame.
pub fn distribution(profiler: &Profiler, view: &View, key: RowKey) -> Option<Distribution> {
    let mut of = view.clone();
    for &column in ColumnId::TIMES_PER_FRAME {
        of.set_column(column, true);
    }
    let values = NodeValues::of_view(profiler, &of, Detail::All);
    let builder = Builder::new(profiler, &of, values, None, Some(key));
    let row = builder.outline().find(key)?;
    Distribution::new(row, builder.times.take().into_iter())
}
