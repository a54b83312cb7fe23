//! Which values a row has, and which of them are shown in which column.

use super::compare;
use super::rows::FADED_MS;
use super::sums::Totals;
use crate::report::{Column, MAX_VALUES, Record};

/// Places of a record's values until they are [arranged](Columns::arrange).
pub(super) const BY_SELF: usize = 0;
pub(super) const BY_HIER: usize = 1;
const ERROR: usize = 4;
const GPU: usize = 5;
/// In a comparison.
const BY_DIFFERENCE: usize = 1;
const MORE: usize = 2;
const DEARER: usize = 3;

/// All there may be, by place.
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
pub(super) struct Columns {
    /// Each with the place of its values.
    shown: Vec<(usize, Column)>,
    is_comparison: bool,
}

impl Columns {
    pub(super) fn new(net_times: bool, gpu: bool, errors: bool) -> Columns {
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

    /// Those of a comparison of self or of hierarchical times, as [`compare`] makes them.
    pub(super) fn compared(about: usize) -> Columns {
        let columns = [
            ALL[about],
            Column::DIFFERENCE,
            Column::MORE_CALLS,
            Column::DEARER_CALLS,
            Column::COUNT,
            Column::COUNT_BEFORE,
        ];
        Columns {
            shown: columns.into_iter().enumerate().collect(),
            is_comparison: true,
        }
    }

    /// Whether a record's time was sampled.
    pub(super) fn has_error(record: &Record) -> bool {
        record.shown[ERROR]
    }

    /// Whether the GPU did anything for what a record stands for.
    pub(super) fn has_gpu(record: &Record) -> bool {
        record.values[GPU] >= FADED_MS
    }

    /// The place of the values that rows are sorted by unless something else is chosen.
    pub(super) fn by_mode(&self, about: usize) -> usize {
        if self.is_comparison {
            BY_DIFFERENCE
        } else {
            about
        }
    }

    /// The position of a column, and the place of its values.
    pub(super) fn find(&self, column: Column) -> Option<(usize, usize)> {
        let at = self.shown.iter().position(|(_, shown)| *shown == column)?;
        Some((at, self.shown[at].0))
    }

    /// The position of the column of the values at `place`.
    pub(super) fn position(&self, place: usize) -> Option<usize> {
        self.shown.iter().position(|(shown, _)| *shown == place)
    }

    pub(super) fn heads(&self) -> Vec<Column> {
        self.shown.iter().map(|(_, column)| *column).collect()
    }

    /// Brings the values that are to be shown in the order in which they are.
    pub(super) fn arrange(&self, records: &mut [Record]) {
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

/// A record with all values there are of totals in units of `ms` milliseconds; the error is that of
/// the time that the report is `about`.
pub(super) fn record(totals: &Totals, ms: f64, about: usize) -> Record {
    let error = |variance: f64| variance.sqrt() * ms;
    let errors = [error(totals.self_variance), error(totals.hier_variance)];
    let gpu = ms * [totals.gpu_self, totals.gpu_hier][about];
    Record {
        values: [
            totals.self_time * ms,
            totals.hier * ms,
            totals.entries,
            totals.net.max(0.0) * ms,
            errors[about],
            gpu,
        ],
        shown: [true, true, true, true, errors[about] > 0.0, true],
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

/// A record as it is to be shown beside what the row was `before`, in units of `ms` milliseconds.
pub(super) fn compare(record: Record, about: usize, before: &Totals, ms: f64) -> Record {
    let time = record.values[about];
    let time_before = ms * [before.self_time, before.hier][about];
    let calls = record.values[2];
    let (more, dearer) = compare::split((time_before, before.entries), (time, calls));
    let error = record.errors[about];
    Record {
        values: [
            time,
            time - time_before,
            more,
            dearer,
            calls,
            before.entries,
        ],
        shown: [true; MAX_VALUES],
        errors: [error, error, 0.0, error, 0.0, 0.0],
        ..record
    }
}

/// A compared record of which is known how much of the difference `more` calls make.
pub(super) fn with_more(mut record: Record, more: f64) -> Record {
    record.values[MORE] = more;
    record.values[DEARER] = record.values[BY_DIFFERENCE] - more;
    record
}
