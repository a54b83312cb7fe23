//! Lays out the frame graph as bars or lines over the remembered frames, and finds the frame and zone at a point.
//!
//! Where frames are narrower than a pixel, the longest of several frames represents them all. (IProf:
//! `Prof_draw_graph_gl`.) This file is long because bars, lines, axis and legend share the same edges. `peak_labels.rs`
//! draws the times at bars, `frame_marks.rs` the frame marks, and `value_line.rs` the line for a named value.
//! `buckets.rs` handles bars that show buckets instead of frames.

mod buckets;
mod frame_marks;
mod peak_labels;
mod value_line;

use super::colors::ZoneColors;
use super::font::Font;
use super::list::{is_within, whole};
use super::theme::Color;
use super::theme::Theme;
use super::time_axis::{TimeAxis, write_time};
use iprof_report::{Bar, Graph, GraphBucket, GraphStyle, GraphZone, Segment};
use std::sync::Arc;
use std::time::Duration;

/// The graph's height in milliseconds at the host's scale, if there is room for it.
const FULL_MS: f32 = 40.0;
/// The width, in characters, of a time at a bar or on the axis.
const TIME_WIDTH: f32 = 7.5;
/// The distance between the graph and the edge of the screen, in px.
pub(crate) const GRAPH_MARGIN: f32 = 8.0;
/// The minimum width of bars with a 1 px gap between them, in px.
const GAP_FROM_PX: f32 = 4.0;
/// The height of the marked top of a cut bar, in px. A 1 px line in a different color separates it from the bar.
const CUT_MARK_HEIGHT: f32 = 4.0;
/// The minimum width of a title in characters.
const MIN_TITLE: f32 = 6.0;
/// A point hits a line if it is at most this far from it, in px.
const LINE_REACH: f32 = 4.0;
/// The minimum height of a graph, in px.
const MIN_HEIGHT: f32 = 8.0;

/// A laid-out graph, with the positions of its bars for hit tests.
#[derive(Debug, Default)]
pub(crate) struct BarsArea {
    /// The left, top, right and bottom edges of everything drawn, in px.
    area: [f32; 4],
    /// The left, top, right and bottom edges of the bars, in px. The axis labels are to the left of the bars.
    bars: [f32; 4],
    /// The width of a frame in px.
    step: f32,
    axis: TimeAxis,
    style: GraphStyle,
    /// The positions of the visible bars in the graph, from right to left.
    visible: Vec<usize>,
    /// The first and last frame that each visible bar represents.
    groups: Vec<(u64, u64)>,
    /// The bucket of each visible bar. Empty if bars are frames.
    buckets: Vec<GraphBucket>,
    /// The minimum zoom at which zooming out brings more frames into view.
    min_zoom: Option<f32>,
    /// The frame number of each visible bar, and the index of its first entry in `segments`.
    frames: Vec<(u64, usize)>,
    /// Copies of the visible bars' segments, so that hit tests match the drawn graph even if the graph has changed.
    segments: Vec<Segment>,
    /// The zones in the legend. With [`GraphStyle::Lines`], the same zones are drawn as lines.
    legend: Vec<u32>,
    /// The edges of the legend entries in px.
    entries: Vec<[f32; 4]>,
    /// The pointer's position in px. The legend's zone there is highlighted.
    pub(crate) hover: Option<[f32; 2]>,
    colors: ZoneColors,
    theme: Theme,
    /// The height of each visible bar in ms. A bucket is as tall as its longest frame. With lines, the height is that
    /// of the highest line.
    peaks: Vec<f32>,
    label: String,
    /// The edges of the named value's name in px. Times at bars do not cover it.
    value_label: Option<[f32; 4]>,
    /// The visible bars to label with their times, the longest first.
    wanted: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BarsHit {
    pub(crate) frame: u64,
    /// The first and last of the frames that the bar represents.
    pub(crate) group: (u64, u64),
    /// The bar's bucket, or `None` if bars are frames.
    pub(crate) bucket: Option<GraphBucket>,
    /// The zone whose segment or line was hit.
    pub(crate) zone: Option<Arc<str>>,
    /// The zone's self time in that bar.
    pub(crate) zone_ms: Option<f32>,
}

/// A zone's mean over the frames in view: the number of frames, the zone's mean self time, and the mean frame time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ZoneMean {
    pub(crate) frames: usize,
    pub(crate) ms: f64,
    pub(crate) frame_ms: f64,
}

impl BarsArea {
    /// Lays out `graph` with its top left corner at `at`. Nothing is drawn to the right of or below `limits`, in px.
    ///
    /// `spacing` is px per frame and px per millisecond. If frames are too long for the graph's height, a pixel covers
    /// more time. Nothing is drawn if either spacing is not a positive number.
    #[allow(clippy::too_many_arguments)] // They all affect the graph.
    pub(crate) fn lay_out(
        &mut self,
        font: &mut Font,
        theme: &Theme,
        graph: &Graph,
        at: [f32; 2],
        spacing: [f32; 2],
        limits: [f32; 2],
    ) {
        let [left, top] = at.map(f32::round);
        let spacing = spacing.map(|px| if px > 0.0 { px.min(f32::MAX) } else { 0.0 });
        let head = 2.0 * font.line;
        let room = limits[0] - left;
        let bars = graph.capacity as f32 * spacing[0];
        let axis = axis_width(font, bars.min(room));
        let width = (axis + bars).min(room).floor();
        let zoom = if graph.zoom > 0.0 { graph.zoom } else { 1.0 };
        let step = match graph.buckets.is_empty() {
            true => spacing[0] * zoom,
            false => buckets::width(graph, width - axis),
        };
        let (across, scale) = (spacing[0], spacing[1]);
        let spacing = step.max(1.0);
        let height = (FULL_MS * scale).min(limits[1] - top - head).floor();
        self.forget();
        if width < MIN_HEIGHT || height < MIN_HEIGHT {
            return;
        }
        let (right, foot) = (left + width, top + head + height);
        self.min_zoom = buckets::min_zoom(graph, width - axis, across);
        self.area = [left, top, right, foot];
        self.bars = [left + axis, top + head, right, foot];
        self.step = spacing;
        self.style = graph.style;
        self.theme = *theme;
        self.axis.set_budget(graph.budget_ms);
        self.choose(graph, ((width - axis) / spacing) as usize, step);
        for at in &self.visible {
            let bar = &graph.bars[*at];
            self.frames.push((bar.frame, self.segments.len()));
            self.segments.extend_from_slice(&bar.segments);
        }

        font.fill([left, top, right, top + font.line], self.theme.title_bar);
        font.fill([left, top + font.line, right, foot], self.theme.graph);
        self.colors.update(theme, &graph.zones, &self.segments);
        self.fit_legend(font, graph, right - left - font.advance);
        self.legend(font, graph, [left, top + font.line]);
        self.measure(graph);
        let user = [graph.vertical_zoom, graph.raised];
        self.axis.fit(&self.peaks, height, height / scale, user);
        match graph.style {
            GraphStyle::Bars => {
                self.stacks(font, graph);
                self.longest_frames(font, graph);
            }
            GraphStyle::Lines => self.lines(font, graph),
        }
        self.guides(font);
        self.zone_budget(font, graph);
        self.value_line(font, graph);
        self.gaps(font, graph);
        self.marks(font, graph);
        self.range(font, graph);
        self.set(font, graph);
        self.cursor(font, graph);
        self.label_peaks(font, graph);
        self.title(font, graph, [left, top, right]);
    }

    /// Selects the visible bars, given room for `room` bars of `step` px each. If `step` is less than 1, this selects
    /// the longest of the frames that share a px.
    fn choose(&mut self, graph: &Graph, room: usize, step: f32) {
        self.visible.clear();
        self.groups.clear();
        self.buckets.clear();
        let each = if step < 1.0 {
            step.recip().ceil() as usize
        } else {
            1
        };
        let count = graph.bars.len();
        let most = count.saturating_sub(1);
        let mut skipped = graph.scrolled.min(most);
        let cursor = graph.cursor.and_then(|frame| {
            let at = graph.bars.partition_point(|bar| bar.frame < frame);
            (graph.bars.get(at)?.frame == frame).then(|| most - at)
        });
        if let Some(back) = cursor {
            let span = room.saturating_mul(each).max(1);
            skipped = skipped.clamp((back + 1).saturating_sub(span), back);
        }
        // Group boundaries do not depend on the newest frame, so groups keep their frames from one layout to the next.
        let newest = graph.bars.get(count.wrapping_sub(skipped + 1));
        let first = newest.map_or(each, |bar| (bar.frame % each as u64) as usize + 1);
        let mut end = count - skipped.min(count);
        let mut size = first;
        while end > 0 && self.visible.len() < room {
            let start = end.saturating_sub(size);
            let longest = |a: &usize, b: &usize| graph.bars[*a].ms.total_cmp(&graph.bars[*b].ms);
            let is_viewed = |at: &usize| cursor == Some(most - *at);
            let chosen = (start..end)
                .find(is_viewed)
                .or((start..end).max_by(longest));
            self.visible.extend(chosen);
            let frames = match graph.buckets.get(start) {
                Some(bucket) => (bucket.first, bucket.last),
                None => (graph.bars[start].frame, graph.bars[end - 1].frame),
            };
            self.groups.push(frames);
            if !graph.buckets.is_empty() {
                let bucket = graph.buckets.get(start).copied();
                self.buckets.push(bucket.unwrap_or_default());
            }
            (end, size) = (start, each);
        }
    }

    /// Returns the visible bars with their left edges, from right to left, starting with the newest.
    fn visible<'a>(&self, graph: &'a Graph) -> impl Iterator<Item = (f32, &'a Bar)> {
        let (right, step) = (self.bars[2], self.step);
        let x = move |back: usize| right - (back + 1) as f32 * step;
        let bars = self.visible.iter().enumerate();
        bars.map(move |(back, at)| (x(back), &graph.bars[*at]))
    }

    /// Returns the edges of a bar in whole px, at least one px apart and inside the graph.
    fn edges(&self, x: f32, gap: f32) -> (f32, f32) {
        let [left, _, right, _] = self.bars;
        let x0 = whole(x).min(right - 1.0).max(left);
        let x1 = (whole(x + self.step) - gap).max(x0 + 1.0);
        (x0, x1)
    }

    /// Keeps the largest zones that the legend has room for.
    fn fit_legend(&mut self, font: &mut Font, graph: &Graph, room: f32) {
        let mut used = 0.0;
        let fits = |zone: &&u32| {
            used += legend_width(font, graph, **zone);
            used <= room
        };
        let largest = self.colors.legend();
        let count = largest.iter().take_while(fits).count();
        self.legend.clear();
        self.legend.extend_from_slice(&largest[..count]);
        // Entries are ordered by zone number, so that they do not jump. Idle zones are last, as in the bars.
        let order = |zone: &u32| (graph.zones[*zone as usize].is_idle, *zone);
        self.legend.sort_unstable_by_key(order);
    }

    fn legend(&mut self, font: &mut Font, graph: &Graph, [left, y]: [f32; 2]) {
        let (advance, line) = (font.advance, font.line);
        let mut x = left + (advance * 0.5).round();
        let mut pointed = None;
        for zone in &self.legend {
            let GraphZone { name, is_idle, .. } = &graph.zones[*zone as usize];
            let width = legend_width(font, graph, *zone);
            let entry = [
                x - (advance * 0.5).round(),
                y,
                x + width - advance,
                y + line,
            ];
            self.entries.push(entry);
            if self.hover.is_some_and(|at| is_within(entry, at)) {
                pointed = Some(*zone);
                font.fill(entry, self.theme.cursor_column);
                let [from, _, to, foot] = entry;
                font.fill([from, foot - 1.0, to, foot], self.theme.header);
            }
            let side = (line * 0.5).round();
            let top = y + ((line - side) * 0.5).round();
            font.fill([x, top, x + side, top + side], self.color(*zone));
            let color = match is_idle {
                true => self.theme.dimmed,
                false => self.theme.header,
            };
            font.text(x + side + advance * 0.5, y, name, color);
            x += width;
        }
        if let Some(pointed) = pointed {
            self.colors.single_out(pointed);
        }
    }

    fn color(&self, zone: u32) -> Color {
        self.colors.color(&self.theme, zone)
    }

    fn stacks(&self, font: &mut Font, graph: &Graph) {
        let [_, top, _, foot] = self.bars;
        let gap = if self.step >= GAP_FROM_PX { 1.0 } else { 0.0 };
        for (x, bar) in self.visible(graph) {
            let (x0, x1) = self.edges(x, gap);
            let (mut ms, mut y) = (0.0, foot);
            for segment in &bar.segments {
                // Edges are rounded from the bottom up, so a bar's height is its rounded sum.
                ms += segment.ms;
                let next = whole(within(self.y(ms), top, foot));
                font.fill([x0, next, x1, y], self.color(segment.zone));
                y = next;
            }
            if self.is_cut(bar.ms as f32) {
                font.fill([x0, top, x1, top + CUT_MARK_HEIGHT], self.theme.cut_bar);
                font.fill(
                    [x0, top + CUT_MARK_HEIGHT, x1, top + CUT_MARK_HEIGHT + 1.0],
                    self.theme.label_bar,
                );
            }
        }
    }

    fn lines(&self, font: &mut Font, graph: &Graph) {
        let [left, top, right, foot] = self.bars;
        let step = self.step;
        for zone in &self.legend {
            let mut last: Option<[f32; 2]> = None;
            for (x, bar) in self.visible(graph) {
                let mut segments = bar.segments.iter();
                let segment = segments.find(|segment| segment.zone == *zone);
                let ms = segment.map_or(0.0, |segment| segment.ms);
                let point = [
                    (x + 0.5 * step).clamp(left + 1.0, right - 1.0),
                    within(self.y(ms), top + 1.0, foot - 1.0),
                ];
                if let Some(last) = last {
                    font.line(last, point, 1.5, self.color(*zone));
                }
                last = Some(point);
            }
        }
    }

    fn measure(&mut self, graph: &Graph) {
        let BarsArea {
            peaks,
            visible,
            buckets,
            legend,
            ..
        } = self;
        peaks.extend(visible.iter().enumerate().map(|(back, at)| {
            let bar = &graph.bars[*at];
            match graph.style {
                GraphStyle::Bars => {
                    let longest = buckets.get(back).map_or(0.0, |bucket| bucket.longest_ms);
                    bar.ms.max(longest) as f32
                }
                GraphStyle::Lines => {
                    let lines = bar.segments.iter();
                    let lines = lines.filter(|segment| legend.contains(&segment.zone));
                    lines.map(|segment| segment.ms).fold(0.0, f32::max)
                }
            }
        }));
    }

    /// Returns a time's y coordinate in px.
    fn y(&self, ms: f32) -> f32 {
        self.bars[3] - (ms - self.axis.foot_ms) * self.axis.per_ms
    }

    fn is_cut(&self, ms: f32) -> bool {
        ms > self.axis.top_ms * 1.000_1
    }

    /// Draws the axis lines, with their labels on the left.
    fn guides(&mut self, font: &mut Font) {
        let [left, top, right, foot] = self.bars;
        let axis_left = self.area[0];
        for line in self.axis.lines(font.line) {
            let y = self.y(line.ms).round();
            if y < top + 1.0 {
                continue;
            }
            let color = match line.is_budget {
                true => self.theme.budget,
                false => self.theme.guide,
            };
            font.fill([left, y, right, y + 1.0], color);
            if axis_left < left {
                self.label.clear();
                write_time(line.ms, &mut self.label);
                let x = left - 4.0 - font.width(&self.label);
                let middle = (y - 0.5 * font.line).round();
                let label_y = middle.min(foot - font.line).max(top);
                font.cut(
                    [x.max(axis_left), left],
                    label_y,
                    &self.label,
                    self.theme.text,
                );
            }
        }
    }

    /// Draws the title. On its right is the range, the set of frames, the frame at the cursor, or the newest frame.
    fn title(&mut self, font: &mut Font, graph: &Graph, [left, y, right]: [f32; 3]) {
        use std::fmt::Write as _;
        if !graph.buckets.is_empty() {
            self.label.clear();
            buckets::write_shown(graph, &mut self.label);
            return self.title_line(font, graph, [left, y, right]);
        }
        // A frame's GPU times arrive a few frames later. Until then, the frame's bar has no height, so the title
        // describes the newest frame with a height.
        let is_known = |bar: &&Bar| bar.ms > 0.0;
        let mut newest = graph.bars.iter().rev();
        let bar = match graph.cursor {
            Some(frame) => newest.find(|bar| bar.frame == frame),
            None => newest.find(is_known).or(graph.bars.back()),
        };
        self.label.clear();
        let mean_of = |is_in: &dyn Fn(u64) -> bool| {
            let bars = graph.bars.iter().filter(is_known);
            let (count, ms) = bars
                .filter(|bar| is_in(bar.frame))
                .fold((0, 0.0), |(count, ms), bar| (count + 1, ms + bar.ms));
            ms / f64::from(count.max(1))
        };
        if let Some((from, to)) = graph.range {
            let mean = mean_of(&|frame| (from..=to).contains(&frame));
            // Writing to a string cannot fail. The same applies below.
            let _ = write!(self.label, "frames {from} to {to}  mean {mean:.2} ms");
        } else if let Some(set) = &graph.set {
            let (name, count) = (&set.name, set.frames.len());
            let mean = mean_of(&|frame| set.frames.binary_search(&frame).is_ok());
            let _ = write!(self.label, "{name}: {count}  mean {mean:.2} ms");
        } else if let Some(bar) = bar {
            let _ = write!(self.label, "frame {}", bar.frame);
            if is_known(&bar) {
                let _ = write!(self.label, "  {:.2} ms", bar.ms);
            }
        }
        self.title_line(font, graph, [left, y, right]);
    }

    fn title_line(&self, font: &mut Font, graph: &Graph, [left, y, right]: [f32; 3]) {
        let advance = font.advance;
        let width = font.width(&self.label);
        let x = right - width - advance * 0.5;
        if x > left {
            font.text(x, y, &self.label, self.theme.title);
        }
        // The title needs room for a word or two.
        let room = [left + advance * 0.5, x.min(right) - advance];
        if room[1] - room[0] >= MIN_TITLE * advance {
            font.cut(room, y, &graph.title, self.theme.title);
        }
    }

    /// Returns how far the axis is scrolled up, in graph heights, or `None` if there is no graph.
    pub(crate) fn raised(&self) -> Option<f32> {
        (self.area != [0.0; 4]).then(|| self.axis.raised())
    }

    /// Returns the minimum zoom at which zooming out brings more frames into view, or `None` if there is no graph of
    /// frames.
    pub(crate) fn min_zoom(&self) -> Option<f32> {
        self.min_zoom
    }

    /// Returns when a frame's bucket began, or `None` if bars are frames.
    pub(crate) fn began(&self, frame: u64) -> Option<Duration> {
        let is_in = |bucket: &&GraphBucket| (bucket.first..=bucket.last).contains(&frame);
        self.buckets.iter().find(is_in).map(|bucket| bucket.begin)
    }

    /// Returns the zone colors. The colors remain available after the graph is no longer drawn.
    pub(crate) fn colors(&self) -> &ZoneColors {
        &self.colors
    }

    /// Returns whether a point, in px, is over the axis labels.
    pub(crate) fn is_axis(&self, x: f32, y: f32) -> bool {
        let [right, top, _, foot] = self.bars;
        self.area != [0.0; 4] && is_within([self.area[0], top, right, foot], [x, y])
    }

    /// Clears the layout, so that hit tests find nothing.
    pub(crate) fn forget(&mut self) {
        self.area = [0.0; 4];
        self.visible.clear();
        self.groups.clear();
        self.buckets.clear();
        self.min_zoom = None;
        self.frames.clear();
        self.segments.clear();
        self.peaks.clear();
        self.entries.clear();
        self.value_label = None;
    }

    /// Returns the bounding rectangle of everything drawn, in px, or an empty rectangle if nothing is drawn.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    pub(crate) fn hit_legend(&self, x: f32, y: f32) -> Option<Arc<str>> {
        let zone = self.entry_at([x, y])?;
        self.colors.name(zone).cloned()
    }

    /// Returns the zone whose legend entry is at a point, whether the zone is idle, and its mean over the frames in
    /// view.
    pub(crate) fn legend_at(&self, x: f32, y: f32) -> Option<(Arc<str>, bool, ZoneMean)> {
        let zone = self.entry_at([x, y])?;
        let name = self.colors.name(zone)?.clone();
        // Buckets are weighted by their number of frames.
        let count = |back: usize| self.buckets.get(back).map_or(1, |bucket| bucket.count);
        let mut frames = 0;
        let (mut ms, mut frame_ms) = (0.0, 0.0);
        for back in 0..self.frames.len() {
            frames += count(back);
            for segment in self.segments_of(back) {
                let time = f64::from(segment.ms) * count(back) as f64;
                frame_ms += time;
                ms += if segment.zone == zone { time } else { 0.0 };
            }
        }
        let per_frame = 1.0 / frames.max(1) as f64;
        let mean = ZoneMean {
            frames: frames as usize,
            ms: ms * per_frame,
            frame_ms: frame_ms * per_frame,
        };
        Some((name, self.colors.is_idle(zone), mean))
    }

    fn segments_of(&self, back: usize) -> &[Segment] {
        let start = |back: usize| self.frames.get(back).map(|(_, start)| *start);
        let end = start(back + 1).unwrap_or(self.segments.len());
        start(back).map_or(&[], |start| &self.segments[start..end])
    }

    fn entry_at(&self, at: [f32; 2]) -> Option<u32> {
        let mut entries = self.entries.iter().zip(&self.legend);
        let found = entries.find(|(entry, _)| is_within(**entry, at));
        found.map(|(_, zone)| *zone)
    }

    /// Returns the first and last frame of the bar that is horizontally nearest to `x`, in px.
    pub(crate) fn nearest(&self, x: f32) -> Option<(u64, u64)> {
        let back = ((self.bars[2] - x) / self.step).floor().max(0.0) as usize;
        let last = self.groups.len().checked_sub(1)?;
        Some(self.groups[back.min(last)])
    }

    pub(crate) fn hit(&self, x: f32, y: f32) -> Option<BarsHit> {
        if !is_within(self.bars, [x, y]) {
            return None;
        }
        let [_, _, right, foot] = self.bars;
        let back = ((right - x) / self.step).ceil().max(1.0) as usize - 1;
        let (frame, _) = *self.frames.get(back)?;
        let segments = self.segments_of(back);
        let ms = self.axis.foot_ms + (foot - y) / self.axis.per_ms;
        let zone = match self.style {
            GraphStyle::Bars => {
                let mut sum = 0.0;
                segments.iter().find(|segment| {
                    sum += segment.ms;
                    ms < sum
                })
            }
            GraphStyle::Lines => {
                let away = |segment: &&Segment| (segment.ms - ms).abs();
                let has_line = |segment: &&Segment| self.legend.contains(&segment.zone);
                let in_reach = |segment: &&Segment| away(segment) * self.axis.per_ms <= LINE_REACH;
                let lines = segments.iter().filter(has_line).filter(in_reach);
                lines.min_by(|a, b| away(a).total_cmp(&away(b)))
            }
        };
        let name = |segment: &Segment| self.colors.name(segment.zone).cloned();
        Some(BarsHit {
            frame,
            group: self.groups[back],
            bucket: self.buckets.get(back).copied(),
            zone: zone.and_then(name),
            zone_ms: zone.map(|segment| segment.ms),
        })
    }
}

/// Clamps `y` to the range between two edges. Returns `top` if `y` is NaN.
fn within(y: f32, top: f32, foot: f32) -> f32 {
    // Each of these comparisons compiles to one instruction. `max` and `min` check both operands for NaN.
    let y = if y > top { y } else { top };
    if y < foot { y } else { foot }
}

/// Returns the width of the axis labels next to `bars` px of bars, or 0 if there is no room for them.
fn axis_width(font: &Font, bars: f32) -> f32 {
    let width = (TIME_WIDTH * font.advance).round();
    match bars < 3.0 * width {
        true => 0.0,
        false => width,
    }
}

fn legend_width(font: &mut Font, graph: &Graph, zone: u32) -> f32 {
    font.width(&graph.zones[zone as usize].name) + 3.0 * font.advance
}

#[cfg(all(test, not(loom)))]
mod tests;
