//! Chooses the columns of a report, by the view and by what its rows have.

use crate::process::query::row_values::FADED_MS;
use crate::process::view::View;
use crate::report::{ColumnId, ColumnSet, Row};

/// The columns whose values need each frame by itself.
pub(crate) const OF_FRAMES: ColumnSet = TIMES.or(RESCUED).or(VALUES);
pub(crate) const RESCUED: ColumnSet = ColumnSet::of(&[ColumnId::Rescued]);
pub(crate) const TIMES: ColumnSet = ColumnSet::of(ColumnId::TIMES_PER_FRAME);
pub(crate) const VALUES: ColumnSet = ColumnSet::of(ColumnId::VALUES_PER_FRAME);

/// Whether a view has some of these columns.
pub(crate) fn has_any(view: &View, columns: ColumnSet) -> bool {
    !view.columns.and(columns).is_empty()
}

/// The columns of a report of `time`, [self](ColumnId::SelfTime) or
/// [hierarchical](ColumnId::HierarchicalTime); in a diff as [`compared`](crate::process::query::row_values::compared) fills them. Those that were chosen come last.
pub(crate) fn compared(time: ColumnId, chosen: ColumnSet, named: bool) -> Vec<ColumnId> {
    let mut columns = vec![
        time,
        ColumnId::Difference,
        ColumnId::ByCount,
        ColumnId::ByCost,
    ];
    columns.extend(match named {
        true => [ColumnId::NamedValue, ColumnId::BaselineValue],
        false => [ColumnId::Count, ColumnId::BaselineCount],
    });
    columns.extend(of_frames(chosen, named));
    columns
}

/// The chosen columns whose values need each frame by itself.
fn of_frames(chosen: ColumnSet, named: bool) -> impl Iterator<Item = ColumnId> {
    let columns = if named { OF_FRAMES } else { TIMES.or(RESCUED) };
    chosen.and(columns).iter()
}

/// The columns of a report that is not compared with a baseline: those that were chosen among them.
pub(crate) fn usual(chosen: ColumnSet, gpu: bool, named: bool, errors: bool) -> Vec<ColumnId> {
    let mut columns = vec![ColumnId::SelfTime];
    columns.extend(chosen.has(ColumnId::NetTime).then_some(ColumnId::NetTime));
    columns.push(ColumnId::HierarchicalTime);
    columns.extend(gpu.then_some(ColumnId::GpuTime));
    columns.push(ColumnId::Count);
    if named {
        columns.extend([ColumnId::NamedValue, ColumnId::TimePerUnit]);
    }
    columns.extend(of_frames(chosen, named));
    columns.extend(errors.then_some(ColumnId::StandardError));
    columns
}

/// Whether a row's time was sampled.
pub(crate) fn has_error(row: &Row) -> bool {
    row.value(ColumnId::StandardError).is_some()
}

/// Whether a row has GPU time.
pub(crate) fn has_gpu(row: &Row) -> bool {
    row.number(ColumnId::GpuTime) >= FADED_MS
}

/// Whether anything was added to the shown value in a row, or in its baseline, or in any frame of those in its
/// [values per frame](ColumnId#values-per-frame).
pub(crate) fn has_named(row: &Row) -> bool {
    let columns = [ColumnId::NamedValue, ColumnId::BaselineValue];
    columns.iter().any(|column| row.number(*column) != 0.0)
        || row.value(ColumnId::ValueMax).is_some()
}
