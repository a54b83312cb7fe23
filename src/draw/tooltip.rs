//! The tooltip: a box next to the pointer with details of the row or frame under it.
//!
//! The text is collected while the report or the graph is laid out, when the data is available. The box is laid out
//! after both, so that it covers them. `rows.rs` describes rows, `frames.rs` describes frames, and this file describes
//! the flame graph's call paths.

mod frames;
mod rows;

use super::colors;
use super::flame_layout::{FlameBox, write_folded};
use super::font::{Font, wrap};
use super::theme::Color;
use super::theme::Theme;
use iprof_report::{BINS, ColumnId, Flame};
use std::fmt::Write as _;

/// The distance from the pointer to the box, in lines. This distance keeps the box clear of the mouse cursor.
const POINTER_DISTANCE: f32 = 1.0;
/// The padding around the text, in characters.
const EDGE: f32 = 0.5;
/// The gap between a label and its value, in characters.
const GAP: f32 = 2.0;
/// The height of a histogram, in lines.
const HISTOGRAM_LINES: usize = 3;

#[derive(Debug, Default)]
pub(crate) struct Tooltip {
    /// Only the first `used` lines are shown. The other lines are kept for reuse.
    lines: Vec<Line>,
    used: usize,
    subject: Option<Subject>,
    number: String,
    /// The index of the line in which the histogram is drawn.
    histogram: Option<usize>,
    /// The heights of the histogram's bars, from 0 to 1.
    bars: [f32; BINS],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Row,
    Header,
    Frame,
    CallPath,
}

/// A label on the left and a value on the right. Either may be empty.
#[derive(Debug, Default)]
struct Line {
    label: String,
    value: String,
    ink: Ink,
}

/// The kind of text in a line, which determines its color in the theme.
#[derive(Clone, Copy, Debug, Default)]
enum Ink {
    #[default]
    Title,
    Header,
    Mark,
    /// A time with this heat.
    Heat(f32),
}

impl Ink {
    fn color(self, theme: &Theme) -> Color {
        match self {
            Ink::Title => theme.title,
            Ink::Header => theme.header,
            Ink::Mark => theme.sort_mark,
            Ink::Heat(heat) => colors::text(theme, heat),
        }
    }
}

impl Tooltip {
    pub(crate) fn forget(&mut self, subject: Subject) {
        if self.subject == Some(subject) {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.subject = None;
        self.used = 0;
        self.histogram = None;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Adds a line with a label. The caller may add more text to it.
    fn line(&mut self, ink: Ink, label: &str) -> &mut Line {
        if self.used == self.lines.len() {
            self.lines.push(Line::default());
        }
        let line = &mut self.lines[self.used];
        self.used += 1;
        line.label.clear();
        line.label.push_str(label);
        line.value.clear();
        line.ink = ink;
        line
    }

    /// Adds a histogram. Bar heights are square roots of the counts, so a single frame out of a thousand is still
    /// visible.
    fn histogram(&mut self, bins: &[u32; BINS]) {
        let most = bins.iter().copied().max().unwrap_or_default().max(1);
        self.bars = bins.map(|bin| (bin as f32 / most as f32).sqrt());
        self.line(Ink::Title, "");
        self.histogram = Some(self.used - 1);
    }

    /// Returns the number of text lines that the line at `at` takes in a box of `width` px.
    fn height(&self, font: &mut Font, at: usize, width: f32) -> usize {
        match self.histogram == Some(at) {
            true => HISTOGRAM_LINES,
            false => self.lines[at].place(font, width, |_, _, _, _| {}),
        }
    }

    /// Draws the histogram into a rectangle. Bars are a whole number of pixels wide, so that they all look alike.
    fn draw_histogram(&self, font: &mut Font, theme: &Theme, rect: [f32; 4]) {
        let [left, top, right, bottom] = rect;
        let step = ((right - left) / BINS as f32).floor();
        let gap = if step >= 3.0 { 1.0 } else { 0.0 };
        for (at, bar) in self.bars.iter().enumerate().filter(|(_, bar)| **bar > 0.0) {
            let x = left + at as f32 * step;
            let y = bottom - ((bottom - top) * bar).round().max(1.0);
            let color = colors::text(theme, at as f32 / BINS as f32);
            font.fill([x, y, x + step - gap, bottom], color);
        }
    }

    /// Lays out the box next to a point, always within a screen of `screen` px.
    ///
    /// The box is below and to the right of the point if there is room, or else above or to the left. Text that does
    /// not fit is cut.
    pub(crate) fn lay_out(
        &self,
        font: &mut Font,
        theme: &Theme,
        point: [f32; 2],
        screen: [f32; 2],
    ) {
        let (advance, height) = (font.advance, font.line);
        let edge = (EDGE * advance).round();
        let lines = &self.lines[..self.used];
        let widths = lines.iter().map(|line| line.width(font));
        let widest = widths.fold(0.0, f32::max);
        let width = widest.min(screen[0].floor() - 2.0 * edge);
        let heights = (0..lines.len()).map(|at| self.height(font, at, width));
        let count: usize = heights.sum();
        let room = ((screen[1] - 2.0 * edge) / height).floor().max(0.0) as usize;
        let count = count.min(room);
        let size = [width + 2.0 * edge, count as f32 * height + 2.0 * edge];
        // The box needs room for at least one character.
        if count == 0 || width < advance {
            return;
        }
        let away = (POINTER_DISTANCE * height).round();
        let place = |axis: usize| {
            let after = (point[axis] + away).round();
            let before = (point[axis] - away).round() - size[axis];
            let at = if after + size[axis] <= screen[axis] {
                after
            } else {
                before
            };
            at.min((screen[axis] - size[axis]).floor()).max(0.0)
        };
        let [left, top] = [place(0), place(1)];
        let [right, bottom] = [left + size[0], top + size[1]];
        font.fill([left, top, right, bottom], theme.tooltip_edge);
        let inside = [left + 1.0, top + 1.0, right - 1.0, bottom - 1.0];
        font.fill(inside, theme.tooltip);
        let (from, to) = (left + edge, right - edge);
        let mut used = 0;
        for (at, line) in lines.iter().enumerate() {
            if self.histogram == Some(at) {
                if used + HISTOGRAM_LINES <= count {
                    let y = top + edge + used as f32 * height;
                    let bottom = y + HISTOGRAM_LINES as f32 * height;
                    self.draw_histogram(font, theme, [from, y + 1.0, to, bottom]);
                }
                used += HISTOGRAM_LINES;
                continue;
            }
            let color = line.ink.color(theme);
            used += line.place(font, width, |font, x, down, text| {
                if used + down < count {
                    let y = top + edge + (used + down) as f32 * height;
                    font.cut([from + x, to], y, text, color);
                }
            });
        }
    }
}

impl Line {
    fn gap(&self, font: &Font) -> f32 {
        let gap = if self.value.is_empty() { 0.0 } else { GAP };
        gap * font.advance
    }

    fn width(&self, font: &mut Font) -> f32 {
        font.width(&self.label) + self.gap(font) + font.width(&self.value)
    }

    /// Breaks the line up for a box `width` px wide. Calls `put` with each piece's left edge, line number and text, and
    /// returns the number of lines. The value is on the right, below the label if both don't fit on one line.
    fn place(
        &self,
        font: &mut Font,
        width: f32,
        mut put: impl FnMut(&mut Font, f32, usize, &str),
    ) -> usize {
        let gap = self.gap(font);
        let value = font.width(&self.value);
        let mut label_end = 0.0;
        let lines = match self.label.is_empty() {
            true => 0,
            false => wrap(font, &self.label, width, |font, line, text| {
                label_end = font.width(text);
                put(font, 0.0, line, text);
            }),
        };
        if self.value.is_empty() {
            return lines.max(1);
        }
        let has_room = lines > 0 && label_end + gap + value <= width + 0.5;
        let line = if has_room { lines - 1 } else { lines };
        put(font, (width - value).max(0.0), line, &self.value);
        line + 1
    }
}

fn write_duration(ms: f64, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match ms.abs() {
        least if least >= 1e3 => write!(out, "{:.3} s", ms * 1e-3),
        least if least >= 1.0 => write!(out, "{ms:.3} ms"),
        least if least >= 1e-3 => write!(out, "{:.3} \u{b5}s", ms * 1e3),
        _ => write!(out, "{:.1} ns", ms * 1e6),
    };
}

#[cfg(all(test, not(loom)))]
mod tests;

impl Tooltip {
    /// Describes a box in the flame graph: a call path, or folded callees.
    pub(crate) fn describe_call_path(&mut self, flame: &Flame, of: &FlameBox) {
        let Some(node) = flame.nodes.get(of.node as usize) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::CallPath);
        let name = flame.name(of.node as usize);
        let all = flame.nodes[0].time;
        let ms = |time: f64| time * flame.unit_ms;
        let time = |tooltip: &mut Tooltip, label: &str, time: f64| {
            let line = tooltip.line(Ink::Title, label);
            // Writing to a string cannot fail.
            let _ = write!(line.value, "{:.4}", ms(time));
            if all > 0.0 {
                let _ = write!(line.value, "  {:5.1} %", time / all * 100.0);
            }
        };
        if of.folded > 0 {
            write_folded(of.folded, &mut self.line(Ink::Heat(0.0), "").label);
            time(self, ColumnId::HierarchicalTime.header(), of.time);
            time(self, name, node.time);
        } else {
            self.line(Ink::Heat(0.0), name);
            time(self, ColumnId::HierarchicalTime.header(), node.time);
            time(self, ColumnId::SelfTime.header(), node.self_time);
            let line = self.line(Ink::Title, ColumnId::Count.header());
            let _ = match node.entries.fract() == 0.0 {
                true => write!(line.value, "{:.0}", node.entries),
                false => write!(line.value, "{:.2}", node.entries),
            };
        }
        if flame.whole_change_ms > 0.0 {
            let line = self.line(Ink::Title, "vs. the baseline");
            let _ = write!(line.value, "{:+.4}", ms(of.time) - of.before_ms);
        }
        let label = match flame.cursor == Some(of.node as usize) {
            true => "double click: zoom in",
            false => "click: select; double click: zoom in",
        };
        self.line(Ink::Header, label);
    }
}
