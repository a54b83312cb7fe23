//! Chooses a report's columns from its view and rows, and computes a row's values in all columns from its totals.
//!
//! In a diff, the time difference is [split](iprof_process::split) by the number of calls. If the report shows a named
//! value and the row has added to it, the difference is split by units of that value instead.

use crate::query::sums::{FADED_MS, RowTotals};
use crate::report::{ColumnId, ColumnSet, Row, Value};
use crate::view::View;
use iprof_process::split;

/// The columns that need per-frame values.
pub const PER_FRAME: ColumnSet = TIMES.or(RESCUED).or(VALUES);
pub const RESCUED: ColumnSet = ColumnSet::of(&[ColumnId::Rescued]);
pub const TIMES: ColumnSet = ColumnSet::of(ColumnId::TIMES_PER_FRAME);
pub const VALUES: ColumnSet = ColumnSet::of(ColumnId::VALUES_PER_FRAME);

pub fn has_any(view: &View, columns: ColumnSet) -> bool {
    !view.columns.and(columns).is_empty()
}

/// Returns the columns of a diff of `time`, [self](ColumnId::SelfTime) or [hierarchical](ColumnId::HierarchicalTime),
/// which [`diff_row`] fills. Chosen columns come last.
pub fn with_baseline(time: ColumnId, chosen: ColumnSet, named: bool) -> Vec<ColumnId> {
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
    columns.extend(per_frame(chosen, named));
    columns
}

/// Returns the chosen columns that need per-frame values.
fn per_frame(chosen: ColumnSet, named: bool) -> impl Iterator<Item = ColumnId> {
    let columns = if named { PER_FRAME } else { TIMES.or(RESCUED) };
    chosen.and(columns).iter()
}

/// Returns the columns of a report without a baseline, including chosen ones.
pub fn without_baseline(chosen: ColumnSet, gpu: bool, named: bool, errors: bool) -> Vec<ColumnId> {
    let mut columns = vec![ColumnId::SelfTime];
    columns.extend(chosen.has(ColumnId::NetTime).then_some(ColumnId::NetTime));
    columns.push(ColumnId::HierarchicalTime);
    columns.extend(gpu.then_some(ColumnId::GpuTime));
    columns.push(ColumnId::Count);
    if named {
        columns.extend([ColumnId::NamedValue, ColumnId::TimePerUnit]);
    }
    columns.extend(per_frame(chosen, named));
    columns.extend(errors.then_some(ColumnId::StandardError));
    columns
}

pub fn has_error(row: &Row) -> bool {
    row.value(ColumnId::StandardError).is_some()
}

pub fn has_gpu(row: &Row) -> bool {
    row.number(ColumnId::GpuTime) >= FADED_MS
}

/// Returns whether anything was added to the shown value in a row, in its baseline, or in any frame of its
/// [values per frame](ColumnId#values-per-frame).
pub fn has_named(row: &Row) -> bool {
    let columns = [ColumnId::NamedValue, ColumnId::BaselineValue];
    columns.iter().any(|column| row.number(*column) != 0.0)
        || row.value(ColumnId::ValueMax).is_some()
}

/// Returns a row with all values, from totals in units of `ms` milliseconds and `steps` per unit of the shown value.
/// The row's standard error applies to `time`, the main time.
pub fn row_of_totals(totals: &RowTotals, ms: f64, steps: f64, time: ColumnId) -> Row {
    let error = |time| totals.variance(time).sqrt() * ms;
    let self_error = error(ColumnId::SelfTime);
    let hier_error = error(ColumnId::HierarchicalTime);
    let mut row = Row::default();
    for (column, value) in [
        (
            ColumnId::SelfTime,
            Value::sampled(totals.self_time * ms, self_error),
        ),
        (
            ColumnId::HierarchicalTime,
            Value::sampled(totals.hier * ms, hier_error),
        ),
        (ColumnId::Count, Value::exact(totals.entries)),
        (
            ColumnId::NetTime,
            Value::sampled(totals.net.max(0.0) * ms, self_error),
        ),
        (ColumnId::GpuTime, Value::exact(ms * totals.gpu(time))),
    ] {
        row.set_value(column, value);
    }
    let named = totals.named(time) / steps;
    if named != 0.0 {
        row.set_value(ColumnId::NamedValue, Value::exact(named));
        let per_unit = Value::sampled(totals.time(time) * ms / named, error(time) / named.abs());
        row.set_value(ColumnId::TimePerUnit, per_unit);
    }
    if error(time) > 0.0 {
        row.set_value(ColumnId::StandardError, Value::exact(error(time)));
    }
    row
}

/// Turns a row into a row of a diff, given its totals now and in the baseline, which are in units of `ms` milliseconds.
pub fn diff_row(
    mut row: Row,
    time: ColumnId,
    [totals, before]: &[RowTotals; 2],
    ms: f64,
    steps: f64,
) -> Row {
    let Value {
        number,
        standard_error: error,
        ..
    } = row.value(time).unwrap_or_default();
    let ms_before = ms * before.time(time);
    let calls = row.number(ColumnId::Count);
    let (units_before, units) = units(time, before, totals);
    let (by_count, by_cost) = split((ms_before, units_before), (number, units));
    row.clear_values();
    for (column, value) in [
        (time, Value::sampled(number, error)),
        (
            ColumnId::Difference,
            Value::sampled(number - ms_before, error),
        ),
        (ColumnId::ByCount, Value::exact(by_count)),
        (ColumnId::ByCost, Value::sampled(by_cost, error)),
        (ColumnId::Count, Value::exact(calls)),
        (ColumnId::BaselineCount, Value::exact(before.entries)),
        (
            ColumnId::NamedValue,
            Value::exact(totals.named(time) / steps),
        ),
        (
            ColumnId::BaselineValue,
            Value::exact(before.named(time) / steps),
        ),
    ] {
        row.set_value(column, value);
    }
    row
}

/// Sets the portion of the difference that is due to the count, and attributes the rest to the cost.
pub fn with_by_count(mut row: Row, by_count: f64) -> Row {
    let by_cost = row.number(ColumnId::Difference) - by_count;
    let error = row.standard_error(ColumnId::ByCost);
    row.set_value(ColumnId::ByCount, Value::exact(by_count));
    row.set_value(ColumnId::ByCost, Value::sampled(by_cost, error));
    row
}

/// Returns the counts, before and now, by which a difference of `time` is split. The counts are numbers of calls, or
/// steps of the shown value if any were added. Only their ratio matters.
pub fn units(time: ColumnId, before: &RowTotals, now: &RowTotals) -> (f64, f64) {
    match (before.named(time), now.named(time)) {
        (0.0, 0.0) => (before.entries, now.entries),
        units => units,
    }
}
