//! From history to the graph: a bar per remembered frame.

use super::core::Process;
use super::gpu::MOST_WAITING;
use super::history::Frame;
use super::tree::TreeNode;
use super::view::{ThreadId, Threads, View};
use crate::graph::{Bar, Graph, GraphMark, GraphZone, Segment};
use std::fmt::Write;

/// What is known of a graph from frame to frame, and memory for the next ones.
#[derive(Debug, Default)]
pub(crate) struct GraphWork {
    /// The thread that it shows.
    thread: Option<u32>,
    spare: Vec<Bar>,
    /// Segments that a bar may have: as many as the largest frame so far has samples. So that bars
    /// that are filled anew soon have room for any.
    segments: usize,
    /// All zeros, but while a bar is filled.
    by_zone: Vec<u64>,
}

impl Process {
    /// Brings `graph` up to date with history, as `view` looks at it. What it has already is kept,
    /// if it is of the same thread.
    pub(super) fn update_graph(&self, view: &View, graph: &mut Graph, work: &mut GraphWork) {
        let thread = match view.threads {
            // With all threads in view a bar is still a frame: that of the thread that updates.
            Threads::All => self.main,
            Threads::One(thread) | Threads::SameName(thread) => thread.0,
        };
        if work.thread.replace(thread) != Some(thread) {
            graph.bars.clear();
        }
        self.write_graph_title(view.threads, thread, &mut graph.title);
        graph.style = view.graph_style;
        graph.capacity = self.history.capacity();
        graph.cursor = view.frame_number();
        graph.range = view.range();
        graph.scrolled = view.graph_scrolled;
        graph.zoom = view.graph_zoom;
        let marks = self.history.marks();
        if !graph
            .marks
            .iter()
            .map(|mark| mark.frame)
            .eq(marks.iter().map(|mark| mark.frame))
        {
            graph.marks.clear();
            graph.marks.extend(marks.iter().map(|mark| GraphMark {
                frame: mark.frame,
                name: mark.name.clone(),
            }));
        }
        for zone in graph.zones.len()..self.names.zone_count() {
            graph.zones.push(GraphZone {
                name: self.names.name(zone as u32).clone(),
            });
        }

        // Frames are forgotten one after the other, but for a few that are kept: only what is older
        // than all the others has to be looked at.
        let is_remembered = |bar: &Bar| self.history.find(bar.frame).is_some();
        let oldest = self.history.oldest_in_ring().unwrap_or(u64::MAX);
        let old = graph
            .bars
            .iter()
            .take_while(|bar| bar.frame < oldest)
            .count();
        let spare = &mut work.spare;
        for at in (0..old).rev() {
            if !is_remembered(&graph.bars[at]) {
                spare.extend(graph.bars.remove(at));
            }
        }
        if self.gpu.is(thread) {
            // Of the last of these it may not have been known what the GPU did.
            let newest = graph.bars.back().map_or(0, |bar| bar.frame);
            let is_settled = |bar: &Bar| bar.frame + MOST_WAITING as u64 <= newest;
            let settled = graph.bars.iter().take_while(|bar| is_settled(bar)).count();
            spare.extend(graph.bars.drain(settled..));
        }
        let newest = graph.bars.back().map_or(0, |bar| bar.frame);
        let missing = self
            .history
            .iter()
            .rev()
            .take_while(|frame| frame.number > newest)
            .count();
        let nodes = self
            .threads
            .get(thread as usize)
            .map_or(&[][..], |t| t.tree.nodes());
        work.by_zone.resize(self.names.zone_count(), 0);
        for frame in self.history.iter().skip(self.history.len() - missing) {
            let mut bar = spare.pop().unwrap_or_default();
            work.segments = work.segments.max(frame.samples_of(thread).len());
            bar.segments.clear();
            bar.segments.reserve_exact(work.segments);
            fill(&mut bar, frame, thread, nodes, &mut work.by_zone);
            graph.bars.push_back(bar);
        }
        work.spare.truncate(MOST_WAITING);
    }

    fn write_graph_title(&self, threads: Threads, thread: u32, title: &mut String) {
        title.clear();
        // Writing to a string does not fail.
        let _ = match threads {
            Threads::All => write!(title, "frames"),
            _ => match self.thread_title(ThreadId(thread)) {
                Some(thread) => write!(title, "frames of thread {thread}"),
                None => write!(title, "no such thread"),
            },
        };
        let kept = self.history.kept().len();
        if kept > 0 {
            let _ = write!(title, "  {kept} kept");
        }
        if let Some(budget) = self.history.budget() {
            const MB: f64 = 1e6;
            let (held, budget) = (self.history.bytes() as f64 / MB, budget as f64 / MB);
            let frames = self.history.len();
            let _ = write!(title, "  {frames} in {held:.1} of {budget:.1} MB");
        }
    }
}

/// Makes `bar`, which has no segments, the frame's; `by_zone` is all zeros before and after.
fn fill(bar: &mut Bar, frame: &Frame, thread: u32, nodes: &[TreeNode], by_zone: &mut [u64]) {
    bar.frame = frame.number;
    let mut total = 0;
    for sample in frame.samples_of(thread) {
        by_zone[nodes[sample.node as usize].zone as usize] += sample.ticks;
        total += sample.ticks;
    }
    bar.ms = total as f64 * frame.ms_per_tick;
    for sample in frame.samples_of(thread) {
        let zone = nodes[sample.node as usize].zone;
        let ticks = std::mem::take(&mut by_zone[zone as usize]);
        if ticks > 0 {
            bar.segments.push(Segment {
                zone,
                ms: (ticks as f64 * frame.ms_per_tick) as f32,
            });
        }
    }
    // One order for all bars, so that a zone is a band.
    bar.segments.sort_unstable_by_key(|segment| segment.zone);
}
