//! Labels bars with their times: the longest bar, and bars that are cut.

use super::{BarsArea, CUT_MARK_HEIGHT, TIME_WIDTH};
use crate::draw::font::Font;
use crate::draw::time_axis::write_time;
use iprof_report::Graph;

/// The maximum number of labels.
const PEAKS: usize = 32;
/// The maximum number of label rows where labels are close together.
const PEAK_ROWS: usize = 2;
/// The padding of a label's background on each side of its text, in px.
const EDGE: f32 = 2.0;
/// The minimum height of a graph with several label rows, in lines of text.
const PEAK_ROWS_FROM: f32 = 6.0;

impl BarsArea {
    /// Labels the longest bar and cut bars with their times, longest first, while there is room.
    ///
    /// The longest bar is the bar of the frame [`Graph::longest`], if that frame is in view. Times of start-up frames
    /// are dimmed, because start-up frames do not count as the longest. If start-up frames are taller than the longest
    /// bar, the tallest of them is labeled as well.
    pub(super) fn label_peaks(&mut self, font: &mut Font, graph: &Graph) {
        let [left, top, right, foot] = self.bars;
        let (width, line) = (TIME_WIDTH * font.advance, font.line);
        // Mark names, if there are any, take the top line.
        let row = match self.has_marks(graph) {
            true => top + font.line,
            false => top + CUT_MARK_HEIGHT + 1.0,
        };
        if right - left < width || row + font.line > foot {
            return;
        }
        let rows = match foot - row >= PEAK_ROWS_FROM * font.line {
            true => PEAK_ROWS,
            false => 1,
        };
        // Labels move below the named value's name if that name is in the way.
        let name = self.value_label;
        let below_name = name.map(|[_, _, _, bottom]| bottom);
        let below_name = below_name.filter(|y| y + line <= foot);
        let covers_name = |left: f32, right: f32, y: f32| {
            name.is_some_and(|[x, top, end, bottom]| {
                left - EDGE < end && right + EDGE > x && y < bottom && y + line > top
            })
        };
        // The horizontal center and the top of each label.
        let mut labels = [[0.0; 2]; PEAKS];
        let mut count = 0;
        let mut wanted = std::mem::take(&mut self.wanted);
        self.choose_labels(graph, &mut wanted);
        for (at, back) in wanted.iter().copied().enumerate() {
            let is_free = |middle: f32, y: f32| {
                let is_apart = |[other, top]: &[f32; 2]| {
                    (other - middle).abs() >= width || (top - y).abs() >= line
                };
                labels[..count].iter().all(is_apart)
            };
            let middle = right - (back as f32 + 0.5) * self.step;
            let middle = middle.max(left + 0.5 * width).min(right - 0.5 * width);
            let ms = self.peaks[back];
            let is_cut = self.is_cut(ms);
            self.label.clear();
            write_time(ms, &mut self.label);
            let text = font.width(&self.label);
            let x = (middle - 0.5 * text).round();
            let top = match is_cut {
                true => (0..rows)
                    .map(|at| row + at as f32 * line)
                    .chain(below_name)
                    .find(|y| is_free(middle, *y) && !covers_name(x, x + text, *y)),
                false => Some((self.y(ms).round() - font.line).max(row)),
            };
            let Some(y) = top else {
                continue;
            };
            let [x, y] = match is_cut {
                true => [x, y],
                false => self.beside_higher_bars(back, [x, y], [text, font.line], row),
            };
            let y = match covers_name(x, x + text, y) {
                true => below_name.unwrap_or(y),
                false => y,
            };
            let x = x.min(right - text).max(left);
            let middle = x + 0.5 * text;
            if !is_cut && !is_free(middle, y) {
                continue;
            }
            labels[count] = [middle, y];
            let background = [
                (x - EDGE).max(left),
                y,
                (x + text + EDGE).min(right),
                y + font.line,
            ];
            font.fill(background, self.theme.label_bar);
            let color = match self.is_start_up(back, graph) {
                true => self.theme.dimmed,
                false => self.theme.title,
            };
            font.cut([x, right], y, &self.label, color);
            count += 1;
            // After the first label, at most one uncut bar is labeled.
            if count == PEAKS || at > 0 && !is_cut {
                break;
            }
        }
        self.wanted = wanted;
    }

    /// Selects the bars to label, in order of priority. If bars are equally tall, the newest comes first.
    fn choose_labels(&self, graph: &Graph, wanted: &mut Vec<usize>) {
        let peak = |back: usize| self.peaks[back];
        let order = |a: &usize, b: &usize| peak(*b).total_cmp(&peak(*a)).then(a.cmp(b));
        let is_start_up = |back: usize| self.is_start_up(back, graph);
        let all = || (0..self.peaks.len()).filter(|back| peak(*back) > 0.0);
        let shown = |(first, last): &(u64, u64)| (*first..=*last).contains(&graph.longest);
        // The session's longest frame may no longer be remembered.
        let shown = match self.buckets.is_empty() {
            true => self.groups.iter().position(shown),
            false => None,
        };
        let first = match shown {
            Some(shown) => all().find(|back| *back == shown),
            None => all().filter(|back| !is_start_up(*back)).min_by(order),
        };
        wanted.clear();
        let Some(first) = first else {
            return;
        };
        wanted.push(first);
        let is_higher = |back: usize| peak(back) > peak(first) && is_start_up(back);
        let others = all().filter(|back| *back != first);
        wanted.extend(others.filter(|back| self.is_cut(peak(*back)) || is_higher(*back)));
        wanted[1..].sort_unstable_by(order);
    }

    /// Returns whether a bar contains only start-up frames.
    fn is_start_up(&self, back: usize, graph: &Graph) -> bool {
        self.groups[back].1 <= graph.last_of_start_up
    }

    /// Moves a bar's label away from taller bars, such as start-up frames, since it would seem to be their label. If
    /// all taller bars are on one side, the label moves to the opposite side. If they are on both sides, the label
    /// moves above them, but not above `top`.
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
            let is_below = bar_left < x + text + EDGE && bar_right > x - EDGE;
            is_below && *other != back && self.y(**ms) < y + line
        };
        let higher = || self.peaks.iter().enumerate().filter(is_in_the_way);
        let newest = higher().map(|(other, _)| other).min();
        let oldest = higher().map(|(other, _)| other).max();
        // Older bars are on the left.
        match newest.zip(oldest) {
            None => [x, y],
            Some((newest, _)) if newest > back => [edges(newest).1.ceil() + EDGE, y],
            Some((_, oldest)) if oldest < back => [edges(oldest).0.floor() - EDGE - text, y],
            Some(_) => {
                let tops = higher().map(|(_, ms)| self.y(*ms));
                [x, (tops.fold(y, f32::min).round() - line).max(top)]
            }
        }
    }
}
