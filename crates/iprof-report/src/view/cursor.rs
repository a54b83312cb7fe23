//! A view's cursor, and its expanded rows.

use super::{View, is_call_graph};
use crate::report::{ReportMode, Row, RowKey, Section};

/// The cursor of a mode. It either follows a row or stays at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) mode: ReportMode,
    pub(super) position: usize,
    pub(super) row: Option<RowKey>,
}

impl Cursor {
    /// Returns the cursor to use after a change in how recursive zones are shown, which changes row depths.
    pub(super) fn without_level(mut self) -> Cursor {
        if let Some(row) = &mut self.row {
            row.level = 0;
        }
        self
    }
}

impl View {
    /// Returns the cursor, or the top if the cursor was set in a different mode.
    pub(super) fn cursor(&self) -> Cursor {
        match self.cursor {
            cursor if cursor.mode != self.report_mode => self.top(),
            cursor if self.settled_recursion != self.recursion => cursor.without_level(),
            cursor => cursor,
        }
    }

    /// Returns the top of the current mode, or in a call graph the selected zone.
    pub(super) fn top(&self) -> Cursor {
        let is_call_graph = is_call_graph(self.report_mode);
        Cursor {
            mode: self.report_mode,
            position: 0,
            row: is_call_graph.then(|| self.selected_row()),
        }
    }

    #[doc(hidden)]
    pub fn put_cursor_on(&mut self, row: RowKey) {
        self.settle();
        self.cursor.row = Some(row);
    }

    /// Marks the row under the cursor, and unmarks the previously marked row.
    #[doc(hidden)]
    pub fn mark_cursor(&self, rows: &mut [Row]) {
        if let Some(marked) = rows.iter_mut().find(|row| row.cursor) {
            marked.cursor = false;
        }
        let cursor = self.cursor();
        let followed = cursor.row.and_then(|key| {
            // The key includes the section, because a recursive zone can be its own caller and callee.
            let is_followed = |at: &usize| rows.get(*at).is_some_and(|row| row.key == key);
            // The row is usually still at its old position, which avoids a search through thousands of rows.
            let near = Some(cursor.position).filter(is_followed);
            near.or_else(|| (0..rows.len()).find(is_followed))
        });
        let at = followed
            .unwrap_or(cursor.position)
            .min(rows.len().saturating_sub(1));
        if let Some(row) = rows.get_mut(at) {
            row.cursor = true;
        }
    }

    /// Expands or collapses a row in place, and moves the cursor to it.
    #[doc(hidden)]
    pub fn toggle(&mut self, row: RowKey) {
        self.settle();
        if !self.open_rows.remove(&row) {
            self.open_rows.insert(row);
        }
        self.put_cursor_on(row);
    }

    #[doc(hidden)]
    pub fn is_open(&self, row: RowKey) -> bool {
        // Except in lists, row keys depend on how recursive zones are shown.
        let is_of_list = row.section == Section::Flat;
        let is_kept = is_of_list || self.settled_recursion == self.recursion;
        let is_root = row == RowKey::top(Section::Tree, row.zone, row.level);
        (is_kept && self.open_rows.contains(&row)) != is_root
    }

    /// Copies a different view's cursor. Returns whether this view's cursor changed.
    #[doc(hidden)]
    pub fn take_cursor(&mut self, other: &View) -> bool {
        std::mem::replace(&mut self.cursor, other.cursor) != other.cursor
    }

    #[doc(hidden)]
    pub fn has_same_cursor_and_expansion(&self, other: &View) -> bool {
        self.cursor == other.cursor && self.open_rows == other.open_rows
    }

    /// Returns whether two views show the same list, possibly for different frames, so that the row order can be held.
    #[doc(hidden)]
    pub fn lists_the_same_as(&self, other: &View) -> bool {
        let list = |view: &View| {
            (
                view.report_mode,
                view.selected(),
                view.average,
                view.recursion,
                view.threads(),
                view.sort(),
                (view.min_share, view.grouping),
            )
        };
        self.filter == other.filter && self.baseline == other.baseline && list(self) == list(other)
    }
}
