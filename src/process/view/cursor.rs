//! The cursor of a view, and which row of a report it is on.

use super::View;
use crate::report::{Row, RowKey};

/// The cursor: on a row that it follows, or at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) position: usize,
    pub(super) row: Option<RowKey>,
}

impl View {
    /// Puts the cursor on a row, wherever it stands.
    pub(in crate::process) fn put_cursor_on(&mut self, row: RowKey) {
        self.cursor.row = Some(row);
    }

    /// Marks the row under the cursor, and no other.
    pub(in crate::process) fn mark_cursor(&self, rows: &mut [Row]) {
        if let Some(marked) = rows.iter_mut().find(|row| row.cursor) {
            marked.cursor = false;
        }
        let followed = self.cursor.row.and_then(|key| {
            // The key includes the section: a zone can be both caller and callee of itself.
            let is_followed = |at: &usize| rows.get(*at).is_some_and(|row| row.key == key);
            // Mostly there: then thousands of rows need not be searched.
            let near = Some(self.cursor.position).filter(is_followed);
            near.or_else(|| (0..rows.len()).find(is_followed))
        });
        let at = followed
            .unwrap_or(self.cursor.position)
            .min(rows.len().saturating_sub(1));
        if let Some(row) = rows.get_mut(at) {
            row.cursor = true;
        }
    }
}
