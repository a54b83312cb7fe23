//! Chooses the parent of a row: its parent row, or the folded row if the row is too small to be
//! listed.

use crate::process::query::outline::Rows;
use crate::report::Row;

/// Where the rows of one parent go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// The parent row.
    above: u32,
    /// The folded row.
    others: Option<u32>,
}

impl Level {
    /// The level of the parent row `above`, with its folded row.
    pub(crate) fn new(rows: &mut Rows, above: u32, others: Option<Row>) -> Level {
        Level {
            above,
            others: others.map(|others| rows.push(others, above)),
        }
    }

    /// The parent of a row of this level: the folded row if the row is folded. None if the row is not
    /// listed because the folded row is closed.
    pub(crate) fn parent(self, rows: &Rows, is_folded: bool) -> Option<u32> {
        match is_folded {
            true => self.others.filter(|others| rows.is_open(*others)),
            false => Some(self.above),
        }
    }
}
