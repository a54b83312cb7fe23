//! Diff: by what a row's time difference from the baseline is [split](crate::cost_difference).
//!
//! Where the report shows a named value, and the row has added to it in either, its units stand for the calls: more
//! units, or dearer units.

pub(crate) use crate::cost_difference::split;
use crate::process::query::sums::RowTotals;
use crate::report::ColumnId;

/// The counts by which the difference of a row's `time` is split, before and now: of the units of the shown value (in
/// steps, for it is the ratio that matters), or of calls.
pub(crate) fn units(time: ColumnId, before: &RowTotals, now: &RowTotals) -> (f64, f64) {
    match (before.named(time), now.named(time)) {
        (0.0, 0.0) => (before.entries, now.entries),
        units => units,
    }
}
