//! From history to the graph: a bar per remembered frame.

use super::core::Process;
use super::gpu::MOST_WAITING;
use super::history::Frame;
use super::tree::TreeNode;
use super::view::{ThreadId, Threads, View};
use crate::graph::{Bar, Graph, GraphMark, GraphZone, Segment};

impl Process {
    /// Brings `graph` up to date with history, as `view` looks at it. What it has already is kept,
    /// if it is of the same thread: `source` notes which.
    pub(super) fn update_graph(&self, view: &View, graph: &mut Graph, source: &mut Option<u32>) {
        let thread = match view.threads {
            // With all threads in view a bar is still a frame: that of the thread that updates.
            Threads::All => self.main,
            Threads::One(thread) | Threads::SameName(thread) => thread.0,
        };
        if source.replace(thread) != Some(thread) {
            graph.bars.clear();
        }
        graph.title = match (view.threads, self.thread_title(ThreadId(thread))) {
            (Threads::All, _) => "frames".to_owned(),
            (_, Some(thread)) => format!("frames of thread {thread}"),
            (_, None) => "no such thread".to_owned(),
        };
        let kept = self.history.kept().len();
        if kept > 0 {
            graph.title += &format!("  {kept} kept");
        }
        if let Some(budget) = self.history.budget() {
            const MB: f64 = 1e6;
            let (held, budget) = (self.history.bytes() as f64 / MB, budget as f64 / MB);
            let frames = self.history.len();
            graph.title += &format!("  {frames} in {held:.1} of {budget:.1} MB");
        }
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
        let mut spare = Vec::new();
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
        let mut by_zone = vec![0u64; self.names.zone_count()];
        for frame in self.history.iter().skip(self.history.len() - missing) {
            let mut bar = spare.pop().unwrap_or_default();
            fill(&mut bar, frame, thread, nodes, &mut by_zone);
            graph.bars.push_back(bar);
        }
    }
}

/// Makes `bar` the frame's; `by_zone` is all zeros before and after.
fn fill(bar: &mut Bar, frame: &Frame, thread: u32, nodes: &[TreeNode], by_zone: &mut [u64]) {
    bar.frame = frame.number;
    bar.segments.clear();
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
