//! Compares two views: whether a report for one of them can be kept, or its order, for the other.

use super::View;

impl View {
    /// Whether both views are the same apart from the cursor.
    pub(in crate::process) fn is_alike(&self, other: &View) -> bool {
        *self
            == View {
                cursor: self.cursor,
                ..other.clone()
            }
    }

    /// Whether both views have the cursor on the same row, and the same rows open.
    pub(in crate::process) fn points_as(&self, other: &View) -> bool {
        self.cursor == other.cursor && self.toggled == other.toggled
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
                view.baseline,
                view.filter.clone(),
                view.sorts[view.mode as usize],
                (view.min_share, view.grouping),
            )
        };
        list(self) == list(other)
    }
}
