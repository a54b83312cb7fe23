//! The values of a row, and the columns that show them.

use crate::process::query::diff;
use crate::process::query::rows::FADED_MS;
use crate::process::query::sums::RowTotals;
use crate::report::{Column, MAX_VALUES, Record};

/// Indices of a record's values before [`Columns::arrange`].
pub(crate) const BY_SELF: usize = 0;
pub(crate) const BY_HIER: usize = 1;
const ERROR: usize = 4;
const GPU: usize = 5;
/// Indices in a diff.
const BY_DIFFERENCE: usize = 1;
const BY_COUNT: usize = 2;
const BY_COST: usize = 3;

/// All columns, by index of their values.
const ALL: [Column; 6] = [
    Column::SELF,
    Column::HIER,
    Column::COUNT,
    Column::NET,
    Column::ERROR,
    Column::GPU,
];

/// The columns that are shown, in their order.
#[derive(Debug)]
pub(crate) struct Columns {
    /// Each with the index of its values.
    shown: Vec<(usize, Column)>,
    is_comparison: bool,
}

impl Columns {
    pub(crate) fn new(net_times: bool, gpu: bool, errors: bool) -> Columns {
        let mut order = vec![0];
        order.extend(net_times.then_some(3));
        order.push(1);
        order.extend(gpu.then_some(GPU));
        order.push(2);
        order.extend(errors.then_some(ERROR));
        Columns {
            shown: order.into_iter().map(|place| (place, ALL[place])).collect(),
            is_comparison: false,
        }
    }

    /// The columns of a diff of self or hierarchical times, as [`compare`] fills them.
    pub(crate) fn compared(main_time: usize) -> Columns {
        let columns = [
            ALL[main_time],
            Column::DIFFERENCE,
            Column::BY_COUNT,
            Column::BY_COST,
            Column::COUNT,
            Column::BASELINE_COUNT,
        ];
        Columns {
            shown: columns.into_iter().enumerate().collect(),
            is_comparison: true,
        }
    }

    /// Whether a record's time was sampled.
    pub(crate) fn has_error(record: &Record) -> bool {
        record.shown[ERROR]
    }

    /// Whether a record has GPU time.
    pub(crate) fn has_gpu(record: &Record) -> bool {
        record.values[GPU] >= FADED_MS
    }

    /// The index of the values that rows are sorted by unless the user chose a column.
    pub(crate) fn by_mode(&self, main_time: usize) -> usize {
        if self.is_comparison {
            BY_DIFFERENCE
        } else {
            main_time
        }
    }

    /// The position of a column, and the index of its values.
    pub(crate) fn find(&self, column: Column) -> Option<(usize, usize)> {
        let at = self.shown.iter().position(|(_, shown)| *shown == column)?;
        Some((at, self.shown[at].0))
    }

    /// The position of the column of the values at index `place`.
    pub(crate) fn position(&self, place: usize) -> Option<usize> {
        self.shown.iter().position(|(shown, _)| *shown == place)
    }

    pub(crate) fn heads(&self) -> Vec<Column> {
        self.shown.iter().map(|(_, column)| *column).collect()
    }

    /// Puts the shown values in the order of the columns.
    pub(crate) fn arrange(&self, records: &mut [Record]) {
        for record in records {
            let before = (record.values, record.shown, record.errors);
            record.values = [0.0; MAX_VALUES];
            record.shown = [false; MAX_VALUES];
            record.errors = [0.0; MAX_VALUES];
            for (at, (place, _)) in self.shown.iter().enumerate() {
                record.values[at] = before.0[*place];
                record.shown[at] = before.1[*place];
                record.errors[at] = before.2[*place];
            }
        }
    }
}

/// A record with all values, from totals in units of `ms` milliseconds. The error is that of the
/// report's main time.
pub(crate) fn record(totals: &RowTotals, ms: f64, main_time: usize) -> Record {
    let error = |variance: f64| variance.sqrt() * ms;
    let errors = [error(totals.self_variance), error(totals.hier_variance)];
    let gpu = ms * [totals.gpu_self, totals.gpu_hier][main_time];
    Record {
        values: [
            totals.self_time * ms,
            totals.hier * ms,
            totals.entries,
            totals.net.max(0.0) * ms,
            errors[main_time],
            gpu,
        ],
        shown: [true, true, true, true, errors[main_time] > 0.0, true],
        errors: [
            errors[BY_SELF],
            errors[BY_HIER],
            0.0,
            errors[BY_SELF],
            0.0,
            0.0,
        ],
        ..Record::default()
    }
}

/// The record of a diff: a row's record beside its totals in the baseline, in units of `ms`
/// milliseconds.
pub(crate) fn compare(record: Record, main_time: usize, before: &RowTotals, ms: f64) -> Record {
    let time = record.values[main_time];
    let time_before = ms * [before.self_time, before.hier][main_time];
    let calls = record.values[2];
    let (by_count, by_cost) = diff::split((time_before, before.entries), (time, calls));
    let error = record.errors[main_time];
    Record {
        values: [
            time,
            time - time_before,
            by_count,
            by_cost,
            calls,
            before.entries,
        ],
        shown: [true; MAX_VALUES],
        errors: [error, error, 0.0, error, 0.0, 0.0],
        ..record
    }
}

/// Sets the part of the difference caused by the count; the rest is caused by the cost.
pub(crate) fn with_by_count(mut record: Record, by_count: f64) -> Record {
    record.values[BY_COUNT] = by_count;
    record.values[BY_COST] = record.values[BY_DIFFERENCE] - by_count;
    record
}
