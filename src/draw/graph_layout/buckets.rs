//! Bars that show session buckets: their width, the marks at their longest frames, and the title.

use super::{BarsArea, CUT_MARK_HEIGHT};
use crate::draw::font::Font;
use iprof_process::session::BUCKETS;
use iprof_process::text_parts::push_decimal;
use iprof_process::text_parts::push_moment;
use iprof_report::{Bar, Graph, GraphBucket};
use std::fmt::Write as _;

/// The height of the mark at a bucket's longest frame, in px.
pub(super) const LONGEST_MARK_HEIGHT: f32 = 2.0;

/// Returns the width of a bucket's bar at which the maximum number of buckets fits into `room` px.
pub(super) fn width(graph: &Graph, room: f32) -> f32 {
    (room / graph.bars.len().max(BUCKETS) as f32).floor()
}

/// Returns the largest zoom factor at which there is room for all frames that may be remembered. The factor is a power
/// of two, since keys zoom by powers of two. Returns `None` if bars are not frames.
pub(super) fn min_zoom(graph: &Graph, room: f32, across: f32) -> Option<f32> {
    let bars = graph.capacity.max(graph.bars.len()) as f32;
    let fits = room / (bars * across);
    // A graph that is exactly as wide as its bars is truncated to whole px, so it may be slightly too narrow for them.
    let is_whole = bars * across - room < 1.0;
    let least = if is_whole {
        1.0
    } else {
        fits.log2().floor().exp2()
    };
    (graph.buckets.is_empty() && least.is_finite()).then_some(least)
}

/// Writes the title for the shown or newest bars: the period, the number of frames, and the mean.
pub(super) fn write_shown(graph: &Graph, out: &mut String) {
    let of = |at: usize| Some((graph.buckets.get(at)?, graph.bars.get(at)?));
    let all = || (0..graph.buckets.len()).filter_map(of);
    let cursor = graph.cursor;
    if let Some((_, set)) = cursor.is_none().then_some(()).zip(graph.set.as_ref()) {
        let has_some = |(bucket, _): &(&GraphBucket, &Bar)| {
            let at = set.frames.partition_point(|frame| *frame < bucket.first);
            set.frames
                .get(at)
                .is_some_and(|frame| *frame <= bucket.last)
        };
        let (some, count) = (all().filter(has_some).count(), graph.buckets.len());
        // Writing to a string cannot fail.
        let _ = write!(out, "{}: in {some} of {count} buckets", set.name);
        return;
    }
    let is_shown = |(bucket, bar): &(&GraphBucket, &Bar)| match (cursor, graph.range) {
        (Some(frame), _) => frame == bar.frame,
        (None, Some((from, to))) => bucket.first <= to && bucket.last >= from,
        (None, None) => graph
            .bars
            .back()
            .is_some_and(|last| last.frame == bar.frame),
    };
    let shown = || all().filter(is_shown);
    if let (Some((first, _)), Some((last, _))) = (shown().next(), shown().next_back()) {
        let frames: u64 = shown().map(|(bucket, _)| bucket.count).sum();
        let ms: f64 = shown()
            .map(|(bucket, bar)| bar.ms * bucket.count as f64)
            .sum();
        push_moment(out, first.begin);
        out.push_str(" to ");
        push_moment(out, last.end);
        let s = if frames == 1 { "" } else { "s" };
        let _ = write!(out, "  {frames} frame{s}, mean ");
        push_decimal(out, ms / frames.max(1) as f64, 2);
        out.push_str(" ms");
    }
}

impl BarsArea {
    /// Draws a mark at each bucket's longest frame, and a line from the top of the bar to the mark.
    pub(super) fn longest_frames(&self, font: &mut Font, graph: &Graph) {
        let [_, top, right, foot] = self.bars;
        for (back, bucket) in self.buckets.iter().enumerate() {
            let (ms, longest) = (graph.bars[self.visible[back]].ms, bucket.longest_ms as f32);
            let y = self.y(longest).round();
            if bucket.longest_ms <= ms || y >= foot {
                continue;
            }
            let x = right - (back + 1) as f32 * self.step;
            let (x0, x1) = self.edges(x, 1.0);
            let is_cut = self.is_cut(longest);
            let y = if is_cut { top } else { y.max(top) };
            let bar_top = self.y(ms as f32).round().min(foot);
            let middle = (0.5 * (x0 + x1)).floor();
            font.fill([middle, y, middle + 1.0, bar_top.max(y)], self.theme.dimmed);
            let (high, color) = match is_cut {
                true => (CUT_MARK_HEIGHT, self.theme.cut_bar),
                false => (LONGEST_MARK_HEIGHT, self.theme.title),
            };
            font.fill([x0, y, x1, (y + high).min(foot)], color);
        }
    }
}
