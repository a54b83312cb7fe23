//! Small rows, folded into one: which those are.
//!
//! Where numbers change, a row that was folded comes up again only when it is clearly large enough,
//! so that one at the limit does not come and go. Whether it was is seen in the report before.

use super::view::View;
use crate::report::{Record, RowKey, RowKind, Section};
use std::collections::HashSet;

/// A folded row comes up when it is larger than the limit by this factor.
const COME_UP: f64 = 1.25;
/// So many are folded at least: in the place of one stands better the row itself.
pub(super) const FEWEST: u32 = 2;

/// What is too small to be listed.
#[derive(Debug)]
pub(super) struct Fold {
    min_share: f64,
    /// What was listed by itself, rows of folded ones included; nothing if it does not matter.
    listed: HashSet<RowKey>,
}

impl Fold {
    /// None if nothing is too small: what is asked for by name is listed in any case.
    pub(super) fn new(view: &View, before: Option<&[Record]>) -> Option<Fold> {
        let folds = view.min_share > 0.0 && view.filter.is_empty();
        folds.then(|| Fold {
            min_share: view.min_share,
            listed: before.map_or(HashSet::new(), listed),
        })
    }

    /// Whether a row that has that share of the frame is to be among the folded ones of `others`.
    pub(super) fn is_small(&self, share: f64, row: RowKey, others: RowKey) -> bool {
        let was_folded = self.listed.contains(&others) && !self.listed.contains(&row);
        let factor = if was_folded { COME_UP } else { 1.0 };
        share < self.min_share * factor
    }
}

/// The rows that do not stand under folded ones.
fn listed(before: &[Record]) -> HashSet<RowKey> {
    let mut listed = HashSet::new();
    let is_caller = |record: &&Record| record.key.section == Section::Caller;
    // What stands under a caller comes before it and is moved in less.
    let mut folded_in = None;
    for record in before.iter().filter(is_caller).rev() {
        if folded_in.is_none_or(|indent| record.indent >= indent) {
            listed.insert(record.key);
            folded_in = (record.key.kind == RowKind::Others).then_some(record.indent);
        }
    }
    let mut folded_in = None;
    for record in before.iter().filter(|record| !is_caller(record)) {
        if folded_in.is_none_or(|indent| record.indent <= indent) {
            listed.insert(record.key);
            folded_in = (record.key.kind == RowKind::Others).then_some(record.indent);
        }
    }
    listed
}
