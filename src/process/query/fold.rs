//! Decides whether a row is too small to be listed; `report_builder` folds those that are into one row.
//!
//! While numbers change, a folded row is listed again only when it is clearly large enough, so that a
//! row near the limit does not flicker. The previous report tells whether a row was folded. While its order
//! is held, rows stay folded or listed as they were.

use crate::process::query::previous::Previous;
use crate::process::view::View;
use crate::report::{Row, RowKey, RowKind, Section};
use std::collections::HashSet;

/// A folded row is listed again when its share exceeds the limit by this factor.
const UNFOLD_FACTOR: f64 = 1.25;
/// At least this many rows are folded: a single row is listed itself.
const MIN_FOLDED: u32 = 2;

/// The folding of a report.
#[derive(Debug)]
pub(crate) struct Fold {
    min_share: f64,
    /// The rows that the previous report listed, folded rows included; empty if values do not change.
    listed: HashSet<RowKey>,
    is_held: bool,
}

impl Fold {
    /// None if no row is folded: without a limit, or with a filter, whose matches are always listed.
    pub(crate) fn new(view: &View, previous: Option<&Previous<'_>>) -> Option<Fold> {
        let folds = view.min_share > 0.0 && view.filter.is_empty();
        folds.then(|| Fold {
            min_share: view.min_share,
            listed: previous.map_or(HashSet::new(), |previous| listed(&previous.report.rows)),
            is_held: previous.is_some_and(|previous| previous.is_held),
        })
    }

    /// Whether so many small rows are folded into `others`. While the order is held, a folded row stays.
    pub(crate) fn folds(&self, count: u32, others: RowKey) -> bool {
        let is_kept = self.is_held && self.listed.contains(&others);
        count >= if is_kept { 1 } else { MIN_FOLDED }
    }

    /// Whether a row with that share of the frame is folded into `others`.
    pub(crate) fn is_small(&self, share: f64, row: RowKey, others: RowKey) -> bool {
        let was_listed = self.listed.contains(&row);
        let was_folded = self.listed.contains(&others) && !was_listed;
        if self.is_held && (was_listed || was_folded) {
            return was_folded;
        }
        let factor = if was_folded { UNFOLD_FACTOR } else { 1.0 };
        share < self.min_share * factor
    }
}

/// The rows that do not stand under a folded row.
fn listed(before: &[Row]) -> HashSet<RowKey> {
    let mut listed = HashSet::new();
    let is_caller = |row: &&Row| row.key.section == Section::Caller;
    // A caller's own callers stand before it, less indented.
    let mut folded_in = None;
    for row in before.iter().filter(is_caller).rev() {
        if folded_in.is_none_or(|indent| row.indent >= indent) {
            listed.insert(row.key);
            folded_in = (row.key.kind == RowKind::Others).then_some(row.indent);
        }
    }
    let mut folded_in = None;
    for row in before.iter().filter(|row| !is_caller(row)) {
        if folded_in.is_none_or(|indent| row.indent <= indent) {
            listed.insert(row.key);
            folded_in = (row.key.kind == RowKind::Others).then_some(row.indent);
        }
    }
    listed
}
