//! Rows that stand under the same one.

use crate::process::outline::Rows;
use crate::report::Record;

/// Where rows go that stand under the same one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// The row that they stand under.
    above: u32,
    /// The row of those that are folded.
    others: Option<u32>,
}

impl Level {
    /// What stands under the row `above`, with the row of what is folded of it.
    pub(super) fn new(rows: &mut Rows, above: u32, others: Option<Record>) -> Level {
        Level {
            above,
            others: others.map(|others| rows.push(others, above)),
        }
    }

    /// The row under which a row goes; none if it is not listed, since it is folded and the folded
    /// ones are not shown.
    pub(super) fn place(self, rows: &Rows, is_folded: bool) -> Option<u32> {
        match is_folded {
            true => self.others.filter(|others| rows.is_open(*others)),
            false => Some(self.above),
        }
    }
}
