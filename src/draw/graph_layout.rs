//! Lays out the frame graph, as bars or as lines over the remembered frames, and finds the frame and
//! the zone at a point. Where frames are narrower than a pixel, the longest of several frames stands
//! for all. (IProf: `Prof_draw_graph_gl`.) The times at bars are in `peak_labels.rs`, what marks frames is in
//! `frame_marks.rs`, the line of a named value in `value_line.rs`, what bars of buckets have of their own in `buckets.rs`.
//!
//! Long because bars, lines, axis and legend are laid out from the same edges.

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

/// Height of the graph in milliseconds of the host's scale, if there is room for it.
const FULL_MS: f32 = 40.0;
/// Characters for a time at a bar or at the axis.
const TIME_WIDTH: f32 = 7.5;
/// Between the graph and the edge of the screen, in px.
pub(crate) const GRAPH_MARGIN: f32 = 8.0;
/// Minimum bar width for a gap of one px between bars, in px.
const GAP_FROM_PX: f32 = 4.0;
/// Height of the red top of a clipped bar, in px; a dark px separates it from the bar.
const OVER_HIGH: f32 = 4.0;
/// Minimum number of characters of a title.
const MIN_TITLE: f32 = 6.0;
/// Maximum distance at which a point hits a line, in px.
const LINE_REACH: f32 = 4.0;
/// Minimum height of a graph, in px.
const MIN_HEIGHT: f32 = 8.0;

/// A laid out graph: the positions of its bars, for hit tests.
#[derive(Debug, Default)]
pub(crate) struct BarsArea {
    /// Left, top, right and bottom edge of everything drawn, in px, and of the bars, which have the labels of the axis
    /// on their left.
    area: [f32; 4],
    bars: [f32; 4],
    /// px per frame.
    step: f32,
    axis: TimeAxis,
    style: GraphStyle,
    /// The visible bars from right to left, as positions in the graph.
    visible: Vec<usize>,
    /// By visible bar: the first and the last of the frames that it represents.
    groups: Vec<(u64, u64)>,
    /// By visible bar: the bucket that it is; empty if bars are frames.
    buckets: Vec<GraphBucket>,
    /// The least zoom at which more frames come into view.
    least_zoom: Option<f32>,
    /// By visible bar: its frame number, and where its part of `segments` begins. These are copies, so that
    /// hit tests match the drawn graph even if the graph has changed.
    frames: Vec<(u64, usize)>,
    segments: Vec<Segment>,
    /// The zones of the legend, which have a line in [`GraphStyle::Lines`], and where they stand: left, top, right
    /// and bottom edge in px.
    legend: Vec<u32>,
    entries: Vec<[f32; 4]>,
    /// Where the pointer is, in px: a zone of the legend that it is over stands out.
    pub(crate) hover: Option<[f32; 2]>,
    colors: ZoneColors,
    theme: Theme,
    /// By visible bar: its height in ms, of a bucket up to its longest frame; of lines, that of the highest one.
    peaks: Vec<f32>,
    label: String,
    /// Where the name of the named value stands, which no time at a bar covers: left, top, right and bottom edge in px.
    value_label: Option<[f32; 4]>,
    /// The visible bars whose times are to be written at them, the longest first.
    wanted: Vec<usize>,
}

/// The result of a hit test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BarsHit {
    pub(crate) frame: u64,
    /// The first and the last of the frames that the bar represents.
    pub(crate) group: (u64, u64),
    /// The bucket that the bar is, unless it is frames.
    pub(crate) bucket: Option<GraphBucket>,
    /// The zone whose segment or line was hit, and its self time there.
    pub(crate) zone: Option<Arc<str>>,
    pub(crate) zone_ms: Option<f32>,
}

/// A zone in the frames in view: their number, its mean self time in them, and their mean time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ZoneMean {
    pub(crate) frames: usize,
    pub(crate) ms: f64,
    pub(crate) frame_ms: f64,
}

impl BarsArea {
    /// Lays out `graph` with its top left corner at `at`; nothing lies to the right of and below `limits`, in px.
    /// `spacing` is px per frame and per millisecond; there is more time in a px where frames are longer than the graph
    /// is high. Nothing is drawn if a spacing is not a positive number.
    #[allow(clippy::too_many_arguments)] // What a graph depends on.
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
        self.least_zoom = buckets::least_zoom(graph, width - axis, across);
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

    /// Chooses the visible bars if there is room for `room` of them, `step` px each. If `step` is less than
    /// one, the longest of the frames that share a px is chosen.
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
        // Scrolls so that the cursor is visible.
        let cursor = graph.cursor.and_then(|frame| {
            let at = graph.bars.partition_point(|bar| bar.frame < frame);
            (graph.bars.get(at)?.frame == frame).then(|| most - at)
        });
        if let Some(back) = cursor {
            let span = room.saturating_mul(each).max(1);
            skipped = skipped.clamp((back + 1).saturating_sub(span), back);
        }
        // Groups keep the same frames from one layout to the next.
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

    /// The visible bars with their left edges; from right, the newest, to left.
    fn visible<'a>(&self, graph: &'a Graph) -> impl Iterator<Item = (f32, &'a Bar)> {
        let (right, step) = (self.bars[2], self.step);
        let x = move |back: usize| right - (back + 1) as f32 * step;
        let bars = self.visible.iter().enumerate();
        bars.map(move |(back, at)| (x(back), &graph.bars[*at]))
    }

    /// The edges of a bar in whole px, at least one px apart and inside of the graph.
    fn edges(&self, x: f32, gap: f32) -> (f32, f32) {
        let [left, _, right, _] = self.bars;
        let x0 = whole(x).min(right - 1.0).max(left);
        let x1 = (whole(x + self.step) - gap).max(x0 + 1.0);
        (x0, x1)
    }

    /// Keeps the largest zones, as many as there is room for.
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
        // In the order of zone numbers, so that entries do not jump; idle ones last, as in the bars.
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
                // Edges are rounded from the bottom up, so a bar's height is that of its sum.
                ms += segment.ms;
                let next = whole(within(self.y(ms), top, foot));
                font.fill([x0, next, x1, y], self.color(segment.zone));
                y = next;
            }
            if self.is_cut(bar.ms as f32) {
                font.fill([x0, top, x1, top + OVER_HIGH], self.theme.cut_bar);
                font.fill(
                    [x0, top + OVER_HIGH, x1, top + OVER_HIGH + 1.0],
                    self.theme.label_bar,
                );
            }
        }
    }

    /// A line for each zone of the legend.
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

    /// Measures the visible bars, or the highest of their lines.
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

    /// The height of a time, in px of the screen.
    fn y(&self, ms: f32) -> f32 {
        self.bars[3] - (ms - self.axis.foot_ms) * self.axis.per_ms
    }

    /// Whether a bar is longer than the axis.
    fn is_cut(&self, ms: f32) -> bool {
        ms > self.axis.top_ms * 1.000_1
    }

    /// The lines of the axis, with their labels on the left.
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

    /// Draws the title: what the graph shows and, on the right, the range, the cursor's frame, or the
    /// newest frame.
    fn title(&mut self, font: &mut Font, graph: &Graph, [left, y, right]: [f32; 3]) {
        use std::fmt::Write as _;
        if !graph.buckets.is_empty() {
            self.label.clear();
            buckets::write_shown(graph, &mut self.label);
            return self.title_line(font, graph, [left, y, right]);
        }
        // GPU times of a frame arrive frames later; until then the bar has no height.
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
            // Writing to a string cannot fail.
            let _ = write!(self.label, "frames {from} to {to}  mean {mean:.2} ms");
        } else if let Some(set) = &graph.set {
            let (name, count) = (&set.name, set.frames.len());
            let mean = mean_of(&|frame| set.frames.binary_search(&frame).is_ok());
            // Writing to a string cannot fail.
            let _ = write!(self.label, "{name}: {count}  mean {mean:.2} ms");
        } else if let Some(bar) = bar {
            // Writing to a string cannot fail.
            let _ = write!(self.label, "frame {}", bar.frame);
            if is_known(&bar) {
                let _ = write!(self.label, "  {:.2} ms", bar.ms);
            }
        }
        self.title_line(font, graph, [left, y, right]);
    }

    /// Draws the title with the label on its right.
    fn title_line(&self, font: &mut Font, graph: &Graph, [left, y, right]: [f32; 3]) {
        let advance = font.advance;
        let width = font.width(&self.label);
        let x = right - width - advance * 0.5;
        if x > left {
            font.text(x, y, &self.label, self.theme.title);
        }
        // Only if there is room for a word or two.
        let room = [left + advance * 0.5, x.min(right) - advance];
        if room[1] - room[0] >= MIN_TITLE * advance {
            font.cut(room, y, &graph.title, self.theme.title);
        }
    }

    /// How far the axis is raised, in heights of the graph; `None` if there is no graph.
    pub(crate) fn raised(&self) -> Option<f32> {
        (self.area != [0.0; 4]).then(|| self.axis.raised())
    }

    /// The least zoom at which more frames come into view; `None` if there is no graph of frames.
    pub(crate) fn least_zoom(&self) -> Option<f32> {
        self.least_zoom
    }

    /// When the bucket of a frame began; `None` if bars are frames.
    pub(crate) fn began(&self, frame: u64) -> Option<Duration> {
        let is_in = |bucket: &&GraphBucket| (bucket.first..=bucket.last).contains(&frame);
        self.buckets.iter().find(is_in).map(|bucket| bucket.begin)
    }

    /// The colors of its zones, also of a graph that is drawn no more.
    pub(crate) fn colors(&self) -> &ZoneColors {
        &self.colors
    }

    /// Whether a point, in px, is over the labels of the axis.
    pub(crate) fn is_axis(&self, x: f32, y: f32) -> bool {
        let [right, top, _, foot] = self.bars;
        self.area != [0.0; 4] && is_within([self.area[0], top, right, foot], [x, y])
    }

    /// Clears the layout: nothing is drawn, so nothing is hit.
    pub(crate) fn forget(&mut self) {
        self.area = [0.0; 4];
        self.visible.clear();
        self.groups.clear();
        self.buckets.clear();
        self.least_zoom = None;
        self.frames.clear();
        self.segments.clear();
        self.peaks.clear();
        self.entries.clear();
        self.value_label = None;
    }

    /// Left, top, right and bottom edge of everything drawn, in px; empty if nothing is.
    pub(crate) fn area(&self) -> [f32; 4] {
        self.area
    }

    /// The zone of the legend at a point, in px.
    pub(crate) fn hit_legend(&self, x: f32, y: f32) -> Option<Arc<str>> {
        let zone = self.entry_at([x, y])?;
        self.colors.name(zone).cloned()
    }

    /// The same with whether it is idle, and its mean in the frames in view.
    pub(crate) fn legend_at(&self, x: f32, y: f32) -> Option<(Arc<str>, bool, ZoneMean)> {
        let zone = self.entry_at([x, y])?;
        let name = self.colors.name(zone)?.clone();
        // A bucket counts as often as it has frames.
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

    /// The segments of a visible bar.
    fn segments_of(&self, back: usize) -> &[Segment] {
        let start = |back: usize| self.frames.get(back).map(|(_, start)| *start);
        let end = start(back + 1).unwrap_or(self.segments.len());
        start(back).map_or(&[], |start| &self.segments[start..end])
    }

    /// The number of the zone of the legend at a point.
    fn entry_at(&self, at: [f32; 2]) -> Option<u32> {
        let mut entries = self.entries.iter().zip(&self.legend);
        let found = entries.find(|(entry, _)| is_within(**entry, at));
        found.map(|(_, zone)| *zone)
    }

    /// The first and the last frame of the bar that is horizontally nearest to `x`, in px; `None` if there
    /// are no bars.
    pub(crate) fn nearest(&self, x: f32) -> Option<(u64, u64)> {
        let back = ((self.bars[2] - x) / self.step).floor().max(0.0) as usize;
        let last = self.groups.len().checked_sub(1)?;
        Some(self.groups[back.min(last)])
    }

    /// The bar and zone at a point, in px.
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

/// Clamps `y` to the range between two edges; `top` if `y` is NaN.
fn within(y: f32, top: f32, foot: f32) -> f32 {
    // By comparison, one instruction each: `max` and `min` look for a NaN of either.
    let y = if y > top { y } else { top };
    if y < foot { y } else { foot }
}

/// Width of the labels of the axis beside that many px of bars: 0 if it has no room for them.
fn axis_width(font: &Font, bars: f32) -> f32 {
    let width = (TIME_WIDTH * font.advance).round();
    match bars < 3.0 * width {
        true => 0.0,
        false => width,
    }
}

/// Width of a zone's entry in the legend, in px: a square, its name, and space.
fn legend_width(font: &mut Font, graph: &Graph, zone: u32) -> f32 {
    font.width(&graph.zones[zone as usize].name) + 3.0 * font.advance
}

#[cfg(all(test, not(loom)))]
mod tests;
