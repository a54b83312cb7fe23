//! Click targets of a report: column headers and the clickable parts of the title.

use crate::report::{ColumnId, TitleChoice};

/// What a click above the rows is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderTarget {
    /// The header of a column, or of the names.
    Column(Option<ColumnId>),
    Title(TitleChoice),
}

/// The rectangles of click targets, which do not overlap; left, top, right and bottom edge in px.
#[derive(Debug, Default)]
pub(super) struct Headers {
    all: Vec<(HeaderTarget, [f32; 4])>,
}

impl Headers {
    /// Removes all and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    pub(super) fn push(&mut self, target: HeaderTarget, rect: [f32; 4]) {
        self.all.push((target, rect));
    }

    pub(super) fn rect(&self, target: HeaderTarget) -> Option<[f32; 4]> {
        let found = self.all.iter().find(|(other, _)| *other == target);
        found.map(|(_, rect)| *rect)
    }

    pub(super) fn hit(&self, x: f32, y: f32) -> Option<HeaderTarget> {
        let is_over =
            |[left, top, right, bottom]: [f32; 4]| x >= left && x < right && y >= top && y < bottom;
        let found = self.all.iter().find(|(_, rect)| is_over(*rect));
        found.map(|(target, _)| *target)
    }
}
