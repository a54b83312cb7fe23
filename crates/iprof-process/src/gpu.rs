//! Adds GPU times, which arrive several frames late, to the frames that submitted the work, and to the GPU's averages
//! and heat.
//!
//! Frames wait in a queue until the times for all of their GPU zones have arrived. So frames are ingested in order,
//! even if the times arrive out of order. A frame's GPU times are added to four places, without changing existing data:
//!
//! * the frame in history, if it is still remembered: the GPU's own deltas, and the times of each node that submitted
//!   work
//! * separate averages, whose clock has advanced to the last complete frame
//! * the heat of the GPU's thread
//! * the session's band and bucket for the frame
//!
//! # The GPU's frame
//!
//! On the GPU's thread, `(outside zones)` holds the rest of the frame's time. If the work took longer than the frame
//! that submitted it, nothing is left for `(outside zones)`, and the GPU's frame is as long as the work. So self times
//! sum to the GPU's frame, and no hierarchical time exceeds it.

mod frames;

use crate::frame::{Frame, GpuDelta, ThreadDeltas};
use crate::moving_average::AverageClock;
use crate::session::sums::NodeSum;
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;
use iprof_gather::gpu::{GpuLosses, GpuMailbox, GpuSpan};
use std::collections::VecDeque;

/// The maximum number of waiting frames. Times that arrive later, or never because a context was destroyed, are
/// dropped.
pub const MAX_WAITING: usize = 256;

/// All GPU data that isn't in history.
#[derive(Debug, Default)]
pub struct Gpu {
    arrived: GpuMailbox,
    /// The index of the GPU's thread, or `None` before the first GPU zone.
    thread: Option<u32>,
    /// Frames with missing times, and the frames after them. Discarded frames don't wait.
    waiting: VecDeque<Waiting>,
    spare: Vec<Waiting>,
    /// The averages' clock as of the last complete frame.
    clock: AverageClock,
    newest: Option<u64>,
    /// Each tree node's sum over all complete frames.
    totals: Vec<NodeSum>,
    losses_before: GpuLosses,
    /// The last frame that a reset has forgotten.
    forgotten: Option<u64>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// The frame's number in [`GpuMailbox::frame`].
    frame: u64,
    /// The frame's number in history.
    number: u64,
    ticks: Ticks,
    ms_per_tick: f64,
    missing: u32,
    /// The times by submitting node. They are sorted and merged once the frame is complete.
    submitters: Vec<GpuDelta>,
    nodes: Vec<NodeDelta>,
}

impl Waiting {
    /// Adds a zone. `thread` is the submitting thread's index, if known.
    fn add(&mut self, span: &GpuSpan, thread: Option<u32>, forgotten: Option<u64>) {
        self.missing = self.missing.saturating_sub(1);
        // A zone that began before a reset includes time that was forgotten.
        let is_known = forgotten.is_none_or(|frame| span.origin.begun_in > frame);
        let (Some(ns), Some(thread), true) = (span.self_ns, thread, is_known) else {
            return;
        };
        // Round only once, so that both sums have the same terms.
        let ticks = match self.ms_per_tick > 0.0 {
            true => (ns as f64 * 1e-6 / self.ms_per_tick).round() as Ticks,
            false => 0,
        };
        self.submitters.push(GpuDelta {
            ticks,
            thread,
            node: span.origin.node,
        });
        self.nodes.push(NodeDelta {
            ticks,
            entries: 1,
            node: span.origin.gpu_node,
            error: 0.0,
        });
    }

    fn complete(&mut self) {
        self.submitters
            .sort_unstable_by_key(|delta| (delta.thread, delta.node));
        self.submitters.dedup_by(|more, sum| {
            let is_same = (more.thread, more.node) == (sum.thread, sum.node);
            sum.ticks += if is_same { more.ticks } else { 0 };
            is_same
        });
        let busy: Ticks = self.nodes.iter().map(|delta| delta.ticks).sum();
        self.nodes.push(NodeDelta {
            ticks: self.ticks.saturating_sub(busy),
            entries: 0,
            node: 0,
            error: 0.0,
        });
        self.nodes.sort_unstable_by_key(|delta| delta.node);
        self.nodes.dedup_by(|more, sum| {
            let is_same = more.node == sum.node;
            if is_same {
                sum.ticks += more.ticks;
                sum.entries += more.entries;
            }
            is_same
        });
    }

    fn clear(&mut self) {
        self.submitters.clear();
        self.nodes.clear();
    }
}

impl Gpu {
    #[inline]
    pub fn is_thread(&self, thread: u32) -> bool {
        self.thread == Some(thread)
    }

    /// Returns a tree node's sum over all complete frames.
    #[inline]
    pub fn total(&self, node: usize) -> NodeSum {
        self.totals.get(node).copied().unwrap_or_default()
    }
}

impl Frame {
    /// Adds the GPU times of a complete frame. `thread` is the GPU's thread.
    fn add_gpu(&mut self, complete: &Waiting, thread: u32) {
        self.gpu.reserve_exact(complete.submitters.len());
        self.gpu.extend_from_slice(&complete.submitters);
        let start = self.deltas.len() as u32;
        self.deltas.reserve_exact(complete.nodes.len());
        self.deltas.extend_from_slice(&complete.nodes);
        let part = ThreadDeltas {
            thread,
            start,
            end: self.deltas.len() as u32,
        };
        let at = self.threads.partition_point(|part| part.thread < thread);
        self.threads.reserve_exact(1);
        self.threads.insert(at, part);
    }
}
