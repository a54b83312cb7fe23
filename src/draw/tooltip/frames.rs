//! Describes one of the graph's frames or buckets, or a zone in its legend, in the tooltip.

use super::{Ink, Subject, Tooltip, write_duration};
use crate::draw::graph_layout::{BarsHit, ZoneMean};
use iprof_process::text_parts::push_moment;
use iprof_report::ColumnId;
use iprof_report::{Bar, Graph, GraphBucket, GraphMark, GraphZone};
use std::fmt::Write as _;

/// The number of zones listed if the pointer is not over a zone.
const LARGEST: usize = 4;

impl Tooltip {
    /// Describes a frame in the graph, and the zone under the pointer.
    pub(crate) fn describe_frame(&mut self, graph: &Graph, hit: &BarsHit) {
        if let Some(bucket) = &hit.bucket {
            return self.describe_bucket(graph, bucket, hit);
        }
        let Some(bar) = graph.bars.iter().rev().find(|bar| bar.frame == hit.frame) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::Frame);
        let line = self.line(Ink::Title, "");
        let _ = write!(line.label, "frame {}", bar.frame);
        let _ = write!(line.value, "{:.4} ms", bar.ms);
        if bar.frame <= graph.last_of_start_up {
            self.line(
                Ink::Header,
                "program start: does not count as the longest frame",
            );
        }
        if bar.ms > f64::from(graph.budget_ms) && graph.missed.0 > 0 {
            let line = self.line(Ink::Header, "");
            let (missed, frames) = graph.missed;
            let _ = write!(line.label, "over the budget of {:.2} ms", graph.budget_ms);
            let _ = write!(line.value, "{missed} of {frames} frames");
        }
        for mark in graph.marks.iter().filter(|mark| mark.frame == bar.frame) {
            let line = self.line(Ink::Mark, "");
            let _ = write!(line.label, "\"{}\"", mark.name);
        }
        self.describe_zone_of(graph, bar, hit);
    }

    fn describe_bucket(&mut self, graph: &Graph, bucket: &GraphBucket, hit: &BarsHit) {
        let Some(bar) = graph.bars.iter().rev().find(|bar| bar.frame == hit.frame) else {
            return;
        };
        self.clear();
        self.subject = Some(Subject::Frame);
        let line = self.line(Ink::Title, "");
        push_moment(&mut line.label, bucket.begin);
        line.label.push_str(" to ");
        push_moment(&mut line.label, bucket.end);
        let s = if bucket.count == 1 { "" } else { "s" };
        let _ = write!(line.value, "{} frame{s}", bucket.count);
        let line = self.line(Ink::Title, "mean frame");
        let _ = write!(line.value, "{:.4} ms", bar.ms);
        if bucket.longest_ms > 0.0 {
            let line = self.line(Ink::Title, "longest frame");
            let _ = write!(line.value, "{:.4} ms", bucket.longest_ms);
        }
        if let Some(set) = graph.set.as_ref().filter(|_| bucket.shown > 0) {
            let line = self.line(Ink::Header, &set.name);
            let s = if bucket.shown == 1 { "" } else { "s" };
            let _ = write!(line.value, "{} frame{s}", bucket.shown);
        }
        let is_in = |mark: &&GraphMark| (bucket.first..=bucket.last).contains(&mark.frame);
        for mark in graph.marks.iter().filter(is_in) {
            let line = self.line(Ink::Mark, "");
            let _ = write!(line.label, "\"{}\"", mark.name);
        }
        self.describe_zone_of(graph, bar, hit);
    }

    /// Describes the bar's zone under the pointer, or the bar's largest zones if the pointer is not over a zone.
    fn describe_zone_of(&mut self, graph: &Graph, bar: &Bar, hit: &BarsHit) {
        let (Some(name), Some(ms)) = (&hit.zone, hit.zone_ms) else {
            return self.describe_largest(graph, bar);
        };
        self.line(Ink::Heat(0.0), name);
        let line = self.line(Ink::Title, ColumnId::SelfTime.header());
        let _ = write!(line.value, "{ms:.4}");
        if bar.ms > 0.0 {
            let percent = f64::from(ms) / bar.ms * 100.0;
            let _ = write!(line.value, "  {percent:5.1} % of the frame");
        }
    }

    /// Adds a frame's largest zones by self time, and its idle time.
    fn describe_largest(&mut self, graph: &Graph, bar: &Bar) {
        let mut largest: [Option<(&GraphZone, f32)>; LARGEST] = [None; LARGEST];
        let mut idle_ms = 0.0;
        // A graph constructed by the host may have segments without a zone.
        let times = bar.segments.iter().filter_map(|segment| {
            let zone = graph.zones.get(segment.zone as usize)?;
            (segment.ms > 0.0).then_some((zone, segment.ms))
        });
        for (zone, ms) in times {
            if zone.is_idle {
                idle_ms += ms;
                continue;
            }
            let is_less = |other: &Option<(_, f32)>| other.is_none_or(|(_, other)| other < ms);
            if let Some(at) = largest.iter().position(is_less) {
                largest[at..].rotate_right(1);
                largest[at] = Some((zone, ms));
            }
        }
        for (zone, ms) in largest.into_iter().flatten() {
            let line = self.line(Ink::Title, &zone.name);
            let _ = write!(line.value, "{ms:.4} ms");
        }
        if idle_ms > 0.0 {
            let line = self.line(Ink::Header, "(idle)");
            let _ = write!(line.value, "{idle_ms:.4} ms");
        }
    }

    /// Describes a zone in the graph's legend: its mean self time over the frames in view, the number of frames, and
    /// its percentage of the frame time.
    pub(crate) fn describe_zone(&mut self, name: &str, is_idle: bool, mean: ZoneMean) {
        self.clear();
        self.subject = Some(Subject::Frame);
        self.line(Ink::Heat(0.0), name);
        if is_idle {
            self.line(Ink::Header, "idle: waiting, not work");
        }
        let line = self.line(Ink::Title, "");
        let s = if mean.frames == 1 { "" } else { "s" };
        let _ = write!(line.label, "mean of {} frame{s}", mean.frames);
        write_duration(mean.ms, &mut line.value);
        if mean.frame_ms > 0.0 {
            let percent = mean.ms / mean.frame_ms * 100.0;
            let _ = write!(line.value, "  {percent:5.1} % of the frame");
        }
        self.line(Ink::Title, "click: show callers and callees");
    }
}
