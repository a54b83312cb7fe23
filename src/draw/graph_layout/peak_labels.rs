//! The times at bars: at the longest one, and at others that are cut.

use super::{BarsArea, OVER_HIGH, TIME_WIDTH};
use crate::draw::font::Font;
use crate::draw::list::DrawList;
use crate::draw::time_axis::write_time;
use crate::graph::{Graph, GraphMark};

/// Largest number of labels, and in how many rows they stand where these are close together.
const PEAKS: usize = 32;
const PEAK_ROWS: usize = 2;
/// Minimum height of a graph with as many rows of labels, in lines of text.
const PEAK_ROWS_FROM: f32 = 6.0;

impl BarsArea {
    /// The times of the longest bar and of others that are cut, the longer ones first, as far as there is room
    /// beside one another. The longest one is that of [`Graph::longest`] if it is in view, and times of the
    /// program's start are dimmed: they do not count. The longest of those has a label if it is higher than the first.
    pub(super) fn label_peaks(&mut self, font: &mut Font, list: &mut DrawList, graph: &Graph) {
        let [left, top, right, foot] = self.bars;
        let width = TIME_WIDTH * font.advance;
        let has_mark = |mark: &GraphMark| self.frames.iter().any(|(frame, _)| *frame == mark.frame);
        // Names of marks are at the top.
        let row = match graph.marks.iter().any(has_mark) {
            true => top + font.line,
            false => top + OVER_HIGH + 1.0,
        };
        if right - left < width || row + font.line > foot {
            return;
        }
        let rows = match foot - row >= PEAK_ROWS_FROM * font.line {
            true => PEAK_ROWS,
            false => 1,
        };
        // By label: its middle, and its row.
        let mut labels = [(0.0, 0); PEAKS];
        // The time of the first label, which one uncut bar may be longer than.
        let mut first_ms = f32::MAX;
        for label in 0..PEAKS {
            let middle = |back: usize| {
                let x = right - (back as f32 + 0.5) * self.step;
                x.max(left + 0.5 * width).min(right - 0.5 * width)
            };
            let free_row = |back: usize| {
                let is_free = |row: &usize| {
                    let others = labels[..label].iter().filter(|(_, other)| other == row);
                    let mut others = others.map(|(other, _)| other - middle(back));
                    others.all(|apart: f32| apart.abs() >= width)
                };
                (0..rows).find(is_free)
            };
            let mut longest: Option<(usize, f32)> = None;
            let is_start_up = |back: usize| self.groups[back].1 <= graph.last_of_start_up;
            let shown = |(first, last): &(u64, u64)| (*first..=*last).contains(&graph.longest);
            let known = self.groups.iter().position(shown).filter(|_| label == 0);
            for (back, ms) in self.peaks.iter().enumerate() {
                let is_first = match known {
                    Some(known) => back == known,
                    None => label == 0 && !is_start_up(back),
                };
                let is_other = || self.is_cut(*ms) || *ms > first_ms && is_start_up(back);
                let is_wanted = *ms > 0.0 && (is_first || label > 0 && is_other());
                // Of equals, the newest. Looks for a row last, since most bars are shorter.
                if is_wanted
                    && longest.is_none_or(|(_, other)| *ms > other)
                    && !self.labeled.contains(&back)
                    && free_row(back).is_some()
                {
                    longest = Some((back, *ms));
                }
            }
            let Some((back, ms)) = longest else {
                break;
            };
            let at = free_row(back).unwrap_or_default();
            labels[label] = (middle(back), at);
            self.labeled.push(back);
            self.label.clear();
            write_time(ms, &mut self.label);
            let text = font.width(&self.label);
            let x = (labels[label].0 - 0.5 * text).round();
            let [x, y] = match self.is_cut(ms) {
                true => [x, row + at as f32 * font.line],
                false => {
                    let y = (self.y(ms).round() - font.line).max(row);
                    self.beside_higher_bars(back, [x, y], [text, font.line], row)
                }
            };
            if label == 0 {
                first_ms = ms;
            } else if !self.is_cut(ms) {
                first_ms = f32::MAX;
            }
            let x = x.min(right - text).max(left);
            labels[label].0 = x + 0.5 * text;
            let ground = [
                (x - 2.0).max(left),
                y,
                (x + text + 2.0).min(right),
                y + font.line,
            ];
            font.fill(list, ground, self.theme.label_bar);
            let color = match self.groups[back].1 <= graph.last_of_start_up {
                true => self.theme.dimmed,
                false => self.theme.title,
            };
            font.cut(list, [x, right], y, &self.label, color);
        }
    }

    /// Moves the label of a bar away from bars that are higher, as those of the program's start may be: over them it
    /// would seem to be theirs. Beside them if all are on one side, else above them, as far as `top`.
    fn beside_higher_bars(
        &self,
        back: usize,
        [x, y]: [f32; 2],
        [text, line]: [f32; 2],
        top: f32,
    ) -> [f32; 2] {
        let right = self.bars[2];
        let edges = |other: usize| {
            let bar_right = right - other as f32 * self.step;
            (bar_right - self.step, bar_right)
        };
        let is_in_the_way = |(other, ms): &(usize, &f32)| {
            let (bar_left, bar_right) = edges(*other);
            let is_below = bar_left < x + text + 2.0 && bar_right > x - 2.0;
            is_below && *other != back && self.y(**ms) < y + line
        };
        let higher = || self.peaks.iter().enumerate().filter(is_in_the_way);
        let newest = higher().map(|(other, _)| other).min();
        let oldest = higher().map(|(other, _)| other).max();
        // Older bars stand on the left.
        match newest.zip(oldest) {
            None => [x, y],
            Some((newest, _)) if newest > back => [edges(newest).1.ceil() + 2.0, y],
            Some((_, oldest)) if oldest < back => [edges(oldest).0.floor() - 2.0 - text, y],
            Some(_) => {
                let tops = higher().map(|(_, ms)| self.y(*ms));
                [x, (tops.fold(y, f32::min).round() - line).max(top)]
            }
        }
    }
}
