//! Marks in the graph: gaps where frames were forgotten, mark names, and the shown frame, range or set.

use super::{BarsArea, MIN_TITLE, within};
use crate::draw::font::Font;
use iprof_report::{Graph, GraphStyle};

impl BarsArea {
    /// Draws a line where frames between two bars were forgotten, because only long or marked frames were kept.
    pub(super) fn gaps(&self, font: &mut Font, graph: &Graph) {
        if !self.buckets.is_empty() {
            // Buckets contain all frames, so there are no gaps.
            return;
        }
        let [left, top, _, foot] = self.bars;
        for pair in self.visible.windows(2) {
            let (newer, older) = (pair[0], pair[1]);
            // If several frames share a px, this checks between the frames that represent them.
            let is_gap =
                (older + 1..=newer).any(|at| graph.bars[at].frame > graph.bars[at - 1].frame + 1);
            if is_gap {
                let back = self.visible.iter().position(|at| *at == older).unwrap_or(0);
                let x = (self.bars[2] - back as f32 * self.step).round();
                if x > left {
                    font.fill([x - 1.0, top, x, foot], self.theme.guide);
                }
            }
        }
    }

    /// Returns whether a marked frame is in view. If so, the top line shows mark names.
    pub(super) fn has_marks(&self, graph: &Graph) -> bool {
        let mut marks = graph.marks.iter();
        marks.any(|mark| self.bar_of(mark.frame).is_some())
    }

    /// Draws a line at each marked frame, and its name if there is room.
    pub(super) fn marks(&self, font: &mut Font, graph: &Graph) {
        let [_, top, right, foot] = self.bars;
        for mark in &graph.marks {
            let Some(back) = self.bar_of(mark.frame) else {
                continue;
            };
            let x = (right - (back as f32 + 0.5) * self.step).floor();
            font.fill([x, top, x + 1.0, foot], self.theme.title);
            if right - x > MIN_TITLE * font.advance && foot - top > font.line {
                let end = (x + 5.0 + font.width(&mark.name)).min(right);
                let background = [x + 1.0, top, end, top + font.line];
                font.fill(background, self.theme.label_bar);
                font.cut([x + 3.0, right], top, &mark.name, self.theme.title);
            }
        }
    }

    /// Returns the bar of a frame, or of the bucket that contains it.
    pub(super) fn bar_of(&self, frame: u64) -> Option<usize> {
        match self.buckets.is_empty() {
            true => self.frames.iter().position(|(of, _)| *of == frame),
            false => {
                let is_in = |(first, last): &(u64, u64)| (*first..=*last).contains(&frame);
                self.groups.iter().position(is_in)
            }
        }
    }

    /// Draws lines on both sides of the shown frame's bar and lightens the column above the bar. The bar keeps its
    /// colors.
    pub(super) fn cursor(&self, font: &mut Font, graph: &Graph) {
        let Some(back) = graph.cursor.and_then(|frame| self.bar_of(frame)) else {
            return;
        };
        let [left, top, right, foot] = self.bars;
        let x = right - (back + 1) as f32 * self.step;
        let (x0, x1) = self.edges(x, 0.0);
        let bar_top = match graph.style {
            GraphStyle::Bars => {
                let ms = graph.bars[self.visible[back]].ms as f32;
                within(self.y(ms), top, foot).round()
            }
            GraphStyle::Lines => foot,
        };
        font.fill([x0, top, x1, bar_top], self.theme.cursor_column);
        for (from, to, color) in [
            (x0 - 2.0, x0 - 1.0, self.theme.cursor_edge),
            (x1 + 1.0, x1 + 2.0, self.theme.cursor_edge),
            (x0 - 1.0, x0, self.theme.cursor),
            (x1, x1 + 1.0, self.theme.cursor),
        ] {
            if from >= left && to <= right {
                font.fill([from, top, to, foot], color);
            }
        }
    }

    /// Returns the right edge of the column at index `back`, counted from the right.
    fn column_edge(&self, back: usize) -> f32 {
        let [left, _, right, _] = self.bars;
        (right - back as f32 * self.step).round().max(left)
    }

    /// Shades the columns of frames that are not in the set that the view shows.
    pub(super) fn set(&self, font: &mut Font, graph: &Graph) {
        let Some(set) = &graph.set else {
            return;
        };
        let [_, top, _, foot] = self.bars;
        let x = |back| self.column_edge(back);
        let is_outside = |(first, last): &(u64, u64)| {
            let at = set.frames.partition_point(|frame| frame < first);
            set.frames.get(at).is_none_or(|frame| frame > last)
        };
        let mut back = 0;
        while back < self.groups.len() {
            let run = self.groups[back..].iter().take_while(|at| is_outside(at));
            let run = run.count();
            if run > 0 {
                let rectangle = [x(back + run), top, x(back), foot];
                font.fill(rectangle, self.theme.outside);
            }
            back += run.max(1);
        }
    }

    /// Shades the columns outside the range of frames that the view shows, and marks the ends of the range.
    pub(super) fn range(&self, font: &mut Font, graph: &Graph) {
        let Some((from, to)) = graph.range else {
            return;
        };
        let is_in = |(first, last): &(u64, u64)| *first <= to && *last >= from;
        let newest = self.groups.iter().position(is_in);
        let oldest = self.groups.iter().rposition(is_in);
        let (Some(newest), Some(oldest)) = (newest, oldest) else {
            return;
        };
        let [_, top, _, foot] = self.bars;
        let x = |back| self.column_edge(back);
        let (x0, x1) = (x(oldest + 1), x(newest));
        let all = [x(self.groups.len()), x(0)];
        font.fill([all[0], top, x0, foot], self.theme.outside);
        font.fill([x1, top, all[1], foot], self.theme.outside);
        for x in [x0, (x1 - 1.0).max(x0)] {
            font.fill([x, top, x + 1.0, foot], self.theme.cursor);
        }
    }
}
