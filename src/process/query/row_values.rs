//! Computes a row's values from the row's totals: those of all columns, whichever a report has.

use crate::process::query::diff;
use crate::process::query::sums::RowTotals;
use crate::report::{ColumnId, Row, Value};

/// Averages below both limits have faded and are hidden. An average never reaches zero; these limits
/// are so small that the shown rows still sum up, to a tenth of a nanosecond per row.
pub(crate) const FADED_MS: f64 = 1e-7;
pub(crate) const FADED_ENTRIES: f64 = 1e-4;

/// A row with all values, from totals in units of `ms` milliseconds, and of `steps` to a unit of the shown value. The
/// error is that of `time`, the report's main time.
pub(crate) fn of_totals(totals: &RowTotals, ms: f64, steps: f64, time: ColumnId) -> Row {
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
    // What has faded is nothing.
    let named = totals.named(time) / steps;
    if totals.named(time).abs() >= FADED_ENTRIES {
        row.set_value(ColumnId::NamedValue, Value::exact(named));
        let per_unit = Value::sampled(totals.time(time) * ms / named, error(time) / named.abs());
        row.set_value(ColumnId::TimePerUnit, per_unit);
    }
    if error(time) > 0.0 {
        row.set_value(ColumnId::StandardError, Value::exact(error(time)));
    }
    row
}

/// The row of a diff: a row of `totals` beside those in the baseline, in units of `ms` milliseconds.
pub(crate) fn compared(
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
    let (units_before, units) = diff::units(time, before, totals);
    let (by_count, by_cost) = diff::split((ms_before, units_before), (number, units));
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

/// Sets the part of the difference caused by the count; the rest is caused by the cost.
pub(crate) fn with_by_count(mut row: Row, by_count: f64) -> Row {
    let by_cost = row.number(ColumnId::Difference) - by_count;
    let error = row.standard_error(ColumnId::ByCost);
    row.set_value(ColumnId::ByCount, Value::exact(by_count));
    row.set_value(ColumnId::ByCost, Value::sampled(by_cost, error));
    row
}
