//! The rows of a view that the user has opened in place: reports list what is under them.

use super::View;
use crate::report::{RowKey, Section};
use std::collections::HashSet;

/// See the module's comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenRows {
    /// Opened rows; for the root of the call tree, whether it was closed.
    toggled: HashSet<RowKey>,
}

impl OpenRows {
    fn toggle(&mut self, row: RowKey) {
        if !self.toggled.remove(&row) {
            self.toggled.insert(row);
        }
    }

    fn has(&self, row: RowKey) -> bool {
        let is_root = row == RowKey::top(Section::Tree, row.zone, row.level);
        self.toggled.contains(&row) != is_root
    }

    /// Forgets rows whose keys depend on how recursive zones are shown: only those of lists do not.
    pub(super) fn keep_lists(&mut self) {
        self.toggled.retain(|row| row.section == Section::Flat);
    }
}

impl View {
    /// Opens a closed row in place, or closes an open one, and puts the cursor on it.
    pub(in crate::process) fn toggle(&mut self, row: RowKey) {
        self.open_rows.toggle(row);
        self.put_cursor_on(row);
    }

    /// Whether a row's children are shown.
    pub(in crate::process) fn is_open(&self, row: RowKey) -> bool {
        self.open_rows.has(row)
    }
}
