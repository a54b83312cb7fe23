//! Chooses the columns of a report, and computes a row's values in them from the row's totals.

use crate::process::query::diff;
use crate::process::query::report_builder::FADED_MS;
use crate::process::query::sums::RowTotals;
use crate::report::{ColumnId, Row, Value};

/// The columns of a report of `time`, [self](ColumnId::SelfTime) or
/// [hierarchical](ColumnId::HierarchicalTime); in a diff as [`compare`] fills them.
pub(crate) fn compared(time: ColumnId) -> Vec<ColumnId> {
    vec![
        time,
        ColumnId::Difference,
        ColumnId::ByCount,
        ColumnId::ByCost,
        ColumnId::Count,
        ColumnId::BaselineCount,
    ]
}

/// The columns of a report that is not compared with a baseline.
pub(crate) fn usual(net_times: bool, gpu: bool, errors: bool) -> Vec<ColumnId> {
    let mut columns = vec![ColumnId::SelfTime];
    columns.extend(net_times.then_some(ColumnId::NetTime));
    columns.push(ColumnId::HierarchicalTime);
    columns.extend(gpu.then_some(ColumnId::GpuTime));
    columns.push(ColumnId::Count);
    columns.extend(errors.then_some(ColumnId::StandardError));
    columns
}

/// Whether a record's time was sampled.
pub(crate) fn has_error(record: &Row) -> bool {
    record.value(ColumnId::StandardError).is_some()
}

/// Whether a record has GPU time.
pub(crate) fn has_gpu(record: &Row) -> bool {
    record.number(ColumnId::GpuTime) >= FADED_MS
}

/// A record with all values, from totals in units of `ms` milliseconds. The error is that of `time`, the
/// report's main time.
pub(crate) fn record(totals: &RowTotals, ms: f64, time: ColumnId) -> Row {
    let error = |time| totals.variance(time).sqrt() * ms;
    let self_error = error(ColumnId::SelfTime);
    let hier_error = error(ColumnId::HierarchicalTime);
    let mut record = Row::default();
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
        record.set_value(column, value);
    }
    if error(time) > 0.0 {
        record.set_value(ColumnId::StandardError, Value::exact(error(time)));
    }
    record
}

/// The record of a diff: a row's record beside its totals in the baseline, in units of `ms`
/// milliseconds.
pub(crate) fn compare(mut record: Row, time: ColumnId, before: &RowTotals, ms: f64) -> Row {
    let Value {
        number,
        standard_error: error,
        ..
    } = record.value(time).unwrap_or_default();
    let ms_before = ms * before.time(time);
    let calls = record.number(ColumnId::Count);
    let (by_count, by_cost) = diff::split((ms_before, before.entries), (number, calls));
    record.clear_values();
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
    ] {
        record.set_value(column, value);
    }
    record
}

/// Sets the part of the difference caused by the count; the rest is caused by the cost.
pub(crate) fn with_by_count(mut record: Row, by_count: f64) -> Row {
    let by_cost = record.number(ColumnId::Difference) - by_count;
    let error = record.standard_error(ColumnId::ByCost);
    record.set_value(ColumnId::ByCount, Value::exact(by_count));
    record.set_value(ColumnId::ByCost, Value::sampled(by_cost, error));
    record
}
