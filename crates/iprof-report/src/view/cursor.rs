//! The cursor of a view, and the rows that are open in it.

use super::{View, is_call_graph};
use crate::report::{ReportMode, Row, RowKey, Section};

/// The cursor of a mode: on a row that it follows, or at a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) mode: ReportMode,
    pub(super) position: usize,
    pub(super) row: Option<RowKey>,
}

impl Cursor {
    /// The cursor after recursive zones were flattened or spread: rows of the same zone have other depths.
    pub(super) fn of_all_depths(mut self) -> Cursor {
        if let Some(row) = &mut self.row {
            row.level = 0;
        }
        self
    }
}

impl View {
    /// The cursor; at the top if it was put in another mode.
    pub(super) fn cursor(&self) -> Cursor {
        match self.cursor {
            cursor if cursor.mode != self.report_mode => self.top(),
            cursor if self.recursion_of_rows != self.recursion => cursor.of_all_depths(),
            cursor => cursor,
        }
    }

    /// A cursor at the top of this mode, or on the selected zone of its call graph.
    pub(super) fn top(&self) -> Cursor {
        let is_call_graph = is_call_graph(self.report_mode);
        Cursor {
            mode: self.report_mode,
            position: 0,
            row: is_call_graph.then(|| self.selected_row()),
        }
    }

    /// Puts the cursor on a row, wherever it stands.
    #[doc(hidden)]
    pub fn put_cursor_on(&mut self, row: RowKey) {
        self.settle();
        self.cursor.row = Some(row);
    }

    /// Marks the row under the cursor, and no other.
    #[doc(hidden)]
    pub fn mark_cursor(&self, rows: &mut [Row]) {
        if let Some(marked) = rows.iter_mut().find(|row| row.cursor) {
            marked.cursor = false;
        }
        let cursor = self.cursor();
        let followed = cursor.row.and_then(|key| {
            // The key includes the section: a zone can be both caller and callee of itself.
            let is_followed = |at: &usize| rows.get(*at).is_some_and(|row| row.key == key);
            // Mostly there: then thousands of rows need not be searched.
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

    /// Opens a closed row in place, or closes an open one, and puts the cursor on it.
    #[doc(hidden)]
    pub fn toggle(&mut self, row: RowKey) {
        self.settle();
        if !self.open_rows.remove(&row) {
            self.open_rows.insert(row);
        }
        self.put_cursor_on(row);
    }

    /// Whether a row's children are shown.
    #[doc(hidden)]
    pub fn is_open(&self, row: RowKey) -> bool {
        // Keys depend on how recursive zones are shown, but for those of lists.
        let is_of_list = row.section == Section::Flat;
        let is_kept = is_of_list || self.recursion_of_rows == self.recursion;
        let is_root = row == RowKey::top(Section::Tree, row.zone, row.level);
        (is_kept && self.open_rows.contains(&row)) != is_root
    }

    /// Puts the cursor where another view has it. Returns whether it was elsewhere.
    #[doc(hidden)]
    pub fn take_cursor(&mut self, other: &View) -> bool {
        std::mem::replace(&mut self.cursor, other.cursor) != other.cursor
    }

    /// Whether both views have the cursor on the same row, and the same rows open.
    #[doc(hidden)]
    pub fn points_as(&self, other: &View) -> bool {
        self.cursor == other.cursor && self.open_rows == other.open_rows
    }

    /// Whether both views have the same list, perhaps of other frames, so that an order can be held.
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
