//! A completed frame: the deltas of its live nodes, thread by thread.

use crate::timing::Timing;
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;

#[derive(Clone, Copy, Debug)]
pub struct ThreadDeltas {
    pub thread: u32,
    pub start: u32,
    pub end: u32,
}

/// The GPU time of the work submitted by a thread's node in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpuDelta {
    /// The time in the node's own GPU zones, excluding nested ones.
    pub ticks: Ticks,
    pub thread: u32,
    pub node: u32,
}

/// A frame: the time between two calls of `update`.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The frame's number, starting from 1. Discarded frames have no number.
    pub number: u64,
    /// The time at which the frame began, in nanoseconds since the program's first zone.
    pub begin_ns: u64,
    pub ticks: Ticks,
    pub ms_per_tick: f64,
    /// The timing mode at the end of the frame.
    pub timing: Timing,
    /// The sampler's processor time for all threads combined, in nanoseconds.
    pub sampler_ns: u64,
    /// The threads that were in the frame, sorted by thread.
    pub threads: Vec<ThreadDeltas>,
    pub deltas: Vec<NodeDelta>,
    /// The GPU times, sorted by thread and node. Empty until all of the frame's GPU times are known.
    pub gpu: Vec<GpuDelta>,
}

impl Frame {
    pub fn gpu_of(&self, thread: u32) -> &[GpuDelta] {
        let start = self.gpu.partition_point(|delta| delta.thread < thread);
        let end = self.gpu.partition_point(|delta| delta.thread <= thread);
        &self.gpu[start..end]
    }

    pub fn deltas_of(&self, thread: u32) -> &[NodeDelta] {
        let at = self
            .threads
            .binary_search_by_key(&thread, |part| part.thread);
        at.map_or(&[], |at| self.deltas_in(&self.threads[at]))
    }

    /// Returns the deltas of one of [`threads`](Frame::threads).
    pub fn deltas_in(&self, part: &ThreadDeltas) -> &[NodeDelta] {
        &self.deltas[part.start as usize..part.end as usize]
    }

    pub fn ms(&self) -> f64 {
        self.ticks as f64 * self.ms_per_tick
    }

    pub fn sampler_ticks(&self) -> f64 {
        match self.ms_per_tick > 0.0 {
            true => self.sampler_ns as f64 * 1e-6 / self.ms_per_tick,
            false => 0.0,
        }
    }
}
