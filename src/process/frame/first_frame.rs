//! Ingests the first frame, which lasts until the first call of `update`, in intervals, so that the budget
//! applies in it. History gets one frame.
//!
//! The budget applies in this frame too, however long it is, and the choice of timed nodes depends
//! on what the nodes did before. So the [budget thread](crate::process::budget_thread) ends an
//! [interval](Profiler::end_interval) from time to time. To the budget and to the estimator, an
//! interval is what a frame is. In history there is one frame, with the sums of all intervals, and
//! averages start anew with it.

use crate::clock::{Pair, Ticks};
use crate::gather::ThreadRecord;
use crate::process::delta::NodeDelta;
use crate::process::frame::ended_frame::{Frame, ThreadDeltas};
use crate::process::frame::profiler::Profiler;
use crate::process::frame::session_totals::SavedTotals;
use crate::process::frame::thread::Thread;

/// The intervals ingested so far.
#[derive(Debug)]
pub(crate) struct FirstFrame {
    begin_ns: u64,
    ticks: Ticks,
    ms: f64,
    sampler_ns: u64,
    threads: Vec<ThreadSums>,
    /// By thread: the totals before this frame.
    totals_before: Vec<SavedTotals>,
}

/// The deltas of a thread, summed over intervals.
#[derive(Debug, Default)]
struct ThreadSums {
    /// By node; `None` for a node without a delta. Of errors, only the signs count.
    nodes: Vec<Option<NodeDelta>>,
}

impl FirstFrame {
    /// Adds an interval.
    fn add(&mut self, interval: &Frame) {
        self.ticks = self.ticks.wrapping_add(interval.ticks);
        self.ms += interval.ms();
        self.sampler_ns += interval.sampler_ns;
        for part in &interval.threads {
            let thread = part.thread as usize;
            if self.threads.len() <= thread {
                self.threads.resize_with(thread + 1, ThreadSums::default);
            }
            self.threads[thread].add(interval.deltas_in(part));
        }
    }

    /// Turns `frame` into the whole first frame.
    fn write_to(self, frame: &mut Frame, threads: &[Thread]) {
        frame.begin_ns = self.begin_ns;
        frame.ticks = self.ticks;
        if self.ticks > 0 {
            frame.ms_per_tick = self.ms / self.ticks as f64;
        }
        frame.sampler_ns = self.sampler_ns;
        frame.threads.clear();
        frame.deltas.clear();
        let mut before = self.totals_before.into_iter();
        for ((id, sums), thread) in (0..).zip(self.threads).zip(threads) {
            let before = before.next().unwrap_or_default();
            let start = frame.deltas.len() as u32;
            for mut delta in sums.nodes.into_iter().flatten() {
                if delta.error != 0.0 {
                    // The errors of intervals are not independent, because one interval uses what
                    // was learned in another. So they cannot be summed. The standard error is
                    // computed from all samples together.
                    let error = thread.tree.error_since(&before, delta.node) as f32;
                    delta.error = error.copysign(delta.error);
                }
                frame.deltas.push(delta);
            }
            let end = frame.deltas.len() as u32;
            if end > start {
                frame.threads.push(ThreadDeltas {
                    thread: id,
                    start,
                    end,
                });
            }
        }
    }
}

impl ThreadSums {
    fn add(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            let node = delta.node as usize;
            if self.nodes.len() <= node {
                self.nodes.resize(node + 1, None);
            }
            match &mut self.nodes[node] {
                Some(sum) => {
                    sum.ticks = sum.ticks.wrapping_add(delta.ticks);
                    sum.entries = sum.entries.wrapping_add(delta.entries);
                    // A node that was untimed in one interval is a member of a timer group.
                    let is_member = sum.error > 0.0 || delta.error > 0.0;
                    sum.error = match is_member {
                        true => sum.error.max(delta.error),
                        false => sum.error.min(delta.error),
                    };
                }
                none => *none = Some(*delta),
            }
        }
    }
}

impl Profiler {
    /// Ends an interval of the first frame at `now` and ingests it. Returns whether nodes were
    /// reclassified. `records` is as for [`end_frame`](Self::end_frame).
    pub(crate) fn end_interval(&mut self, records: &[&'static ThreadRecord], now: Pair) -> bool {
        if self.first_frame.is_none() {
            let threads = self.threads.iter();
            self.first_frame = Some(FirstFrame {
                begin_ns: self.frame_clock.last_end().ns,
                ticks: 0,
                ms: 0.0,
                sampler_ns: 0,
                threads: Vec::new(),
                totals_before: threads.map(|thread| thread.tree.save_totals()).collect(),
            });
        }
        let mut interval = self.collect_deltas(records, now, true);
        self.ingest(&mut interval);
        let has_reclassified = self.enforce_budget(&interval);
        if let Some(first) = &mut self.first_frame {
            first.add(&interval);
        }
        self.spare = interval;
        has_reclassified
    }

    /// Returns the whole first frame if it was ingested in intervals, of which `frame` is the last.
    /// Returns any other frame unchanged.
    pub(crate) fn complete_first_frame(&mut self, mut frame: Frame) -> Frame {
        if let Some(mut first) = self.first_frame.take() {
            first.add(&frame);
            first.write_to(&mut frame, &self.threads);
            self.clock.end_first_frame();
            if_reported!(self.add_first_frame(&frame));
        }
        frame
    }

    /// Discards the first frame: removes its intervals from totals and averages.
    pub(crate) fn discard_first_frame(&mut self) {
        let Some(first) = self.first_frame.take() else {
            return;
        };
        self.since_reset.ticks = self.since_reset.ticks.wrapping_sub(first.ticks);
        let mut before = first.totals_before.into_iter();
        for thread in &mut self.threads {
            thread
                .tree
                .restore_totals(before.next().unwrap_or_default());
        }
        self.clock.forget();
    }

    /// Keeps the intervals ingested so far in the totals, but not as a part of the first frame.
    pub(crate) fn forget_first_frame(&mut self) {
        let Some(first) = self.first_frame.take() else {
            return;
        };
        self.clock.forget();
        if_reported!(for (thread, sums) in (0..).zip(first.threads) {
            self.leave_out_of_session(thread, sums.nodes.into_iter().flatten());
        });
    }
}
