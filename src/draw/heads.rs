//! Where the heads of columns and the parts of the title were drawn that can be clicked.

use crate::report::{ColumnId, TitleChoice};

/// What is above the rows, under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadTarget {
    /// The head of a column, or of the names.
    Column(Option<ColumnId>),
    Title(TitleChoice),
}

/// The rectangles of heads, which do not overlap; left, top, right and bottom edge in px.
#[derive(Debug, Default)]
pub(super) struct Heads {
    all: Vec<(HeadTarget, [f32; 4])>,
}

impl Heads {
    /// Removes all and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.all.clear();
    }

    pub(super) fn push(&mut self, target: HeadTarget, rect: [f32; 4]) {
        self.all.push((target, rect));
    }

    pub(super) fn rect(&self, target: HeadTarget) -> Option<[f32; 4]> {
        let found = self.all.iter().find(|(other, _)| *other == target);
        found.map(|(_, rect)| *rect)
    }

    pub(super) fn hit(&self, x: f32, y: f32) -> Option<HeadTarget> {
        let is_over =
            |[left, top, right, bottom]: [f32; 4]| x >= left && x < right && y >= top && y < bottom;
        let found = self.all.iter().find(|(_, rect)| is_over(*rect));
        found.map(|(target, _)| *target)
    }
}
