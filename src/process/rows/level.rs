//! Rows that stand under the same one.

use crate::process::outline::Branch;
use crate::report::{Prefix, Record};

/// The rows that are listed, and the small ones that are folded into one.
#[derive(Debug, Default)]
pub(super) struct Level {
    listed: Vec<Branch>,
    folded: Vec<Branch>,
    /// The row of the folded ones.
    pub(super) others: Option<Record>,
}

impl Level {
    pub(super) fn put(&mut self, branch: Branch, is_folded: bool) {
        if is_folded {
            self.folded.push(branch);
        } else {
            self.listed.push(branch);
        }
    }

    /// All rows; if the folded ones are shown, they stand under their row.
    pub(super) fn into_branches(mut self) -> Vec<Branch> {
        self.listed.extend(self.others.map(|record| Branch {
            under: match record.prefix {
                Prefix::Minus => self.folded,
                _ => Vec::new(),
            },
            record,
        }));
        self.listed
    }
}
