//! A view and the one before it: whether a report for one of them can be kept, or its order, for the other, and where the
//! cursor goes.

use super::View;

impl View {
    /// Puts the cursor where another view has it. Returns whether it was elsewhere.
    pub(in crate::process) fn take_cursor(&mut self, other: &View) -> bool {
        std::mem::replace(&mut self.cursor, other.cursor) != other.cursor
    }

    /// Whether both views have the cursor on the same row, and the same rows open.
    pub(in crate::process) fn points_as(&self, other: &View) -> bool {
        self.cursor == other.cursor && self.open_rows == other.open_rows
    }

    /// Whether both views have the same list, perhaps of other frames, so that an order can be held.
    pub(crate) fn lists_the_same_as(&self, other: &View) -> bool {
        let list = |view: &View| {
            (
                view.mode,
                view.selected,
                view.average,
                view.recursion,
                view.threads,
                view.sorts[view.mode as usize],
                (view.min_share, view.grouping),
            )
        };
        self.filter == other.filter && self.baseline == other.baseline && list(self) == list(other)
    }
}
