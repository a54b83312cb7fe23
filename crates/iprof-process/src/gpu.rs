//! Adds GPU times, which arrive some frames late, to the frame that submitted the work, and to the
//! averages and the heat of the GPU.
//!
//! Frames wait in a queue until the times of all of their GPU zones have arrived. So the GPU times
//! of a frame are ingested together and in order, whatever the order of their arrival. They go to
//! four places and change nothing that is already there:
//!
//! * the remembered frame, if it still is remembered: by node of the threads that submitted the
//!   work, and as the part of the GPU's own thread;
//! * averages of their own, with an average clock of their own that has advanced to the last such
//!   frame;
//! * the heat of the GPU's thread;
//! * the frame's parts of the session.
//!
//! # The GPU's frame
//!
//! On the GPU's thread, `(outside zones)` holds the rest of the frame's time. If the work took longer than
//! the frame that submitted it, there is no rest, and the GPU's frame is as long as the work. So
//! self times sum to the GPU's frame in any case, and no hierarchical time exceeds it.

use crate::ended_frame::{Frame, GpuDelta, ThreadDeltas};
use crate::moving_average::{AverageClock, Averages, add_each};
use crate::profiler::Profiler;
use crate::threads::{ThreadId, Threads};
use crate::untimed::NodeDelta;
use iprof_gather::ThreadRecord;
use iprof_gather::clock::Ticks;
use iprof_gather::gpu::{GpuLosses, GpuMailbox, GpuSpan};
use std::collections::VecDeque;

/// The maximum number of waiting frames. Times that have not arrived by then, for example from a
/// destroyed context, are given up.
pub const MOST_WAITING: usize = 256;

/// GPU times that are not in history: waiting frames, averages' clock and totals.
#[derive(Debug, Default)]
pub struct Gpu {
    /// What has arrived since the last frame.
    arrived: GpuMailbox,
    /// The tree of GPU zones, and its index among the threads; `None` before the first zone.
    tree: Option<&'static ThreadRecord>,
    thread: Option<u32>,
    /// Frames with missing times, and the frames after them. Discarded frames are not waited for.
    waiting: VecDeque<Waiting>,
    /// Frames to be refilled.
    spare: Vec<Waiting>,
    /// The averages' clock as of the last complete frame.
    clock: AverageClock,
    /// The number of that frame.
    newest: Option<u64>,
    /// By node of the tree: ticks and entries of all complete frames.
    totals: Vec<(Ticks, u64)>,
    losses: GpuLosses,
    losses_before: GpuLosses,
    /// The last frame that a reset has forgotten.
    forgotten: Option<u64>,
}

/// A frame that waits for its GPU times.
#[derive(Debug, Default)]
struct Waiting {
    /// The number by [`GpuMailbox::frame`].
    frame: u64,
    /// The number in history.
    number: u64,
    ticks: Ticks,
    ms_per_tick: f64,
    /// The number of zones whose times have not arrived yet.
    missing: u32,
    /// By node of the threads that submitted the work; sorted and merged when the frame is
    /// complete.
    submitters: Vec<GpuDelta>,
    /// By node of the GPU's tree.
    nodes: Vec<NodeDelta>,
}

impl Waiting {
    /// Adds a zone. `thread` is the index of its thread, if that is known.
    fn add(&mut self, span: &GpuSpan, thread: Option<u32>, forgotten: Option<u64>) {
        self.missing = self.missing.saturating_sub(1);
        // A zone that began before a reset has time in it that was forgotten.
        let is_known = forgotten.is_none_or(|frame| span.origin.begun_in > frame);
        let (Some(ns), Some(thread), true) = (span.self_ns, thread, is_known) else {
            return;
        };
        // Rounded once, so that both sums have the same terms.
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

    /// Merges the deltas of each node, and gives the root the rest of the frame.
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
    /// Whether `thread` is the GPU's.
    pub fn is_thread(&self, thread: u32) -> bool {
        self.thread == Some(thread)
    }

    /// The ticks and entries of a node of the tree over all complete frames.
    pub fn total(&self, node: usize) -> (Ticks, u64) {
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

#[doc(hidden)]
impl Profiler {
    /// Calls `take` to fetch what is known of GPU zones into a mailbox, whose lists may hold anything
    /// before. Must be called before the records of threads are fetched, so that all threads in the
    /// mailbox are among the records.
    pub fn fetch_gpu(&mut self, take: impl FnOnce(&mut GpuMailbox)) {
        take(&mut self.gpu.arrived);
        self.gpu.tree = self.gpu.arrived.tree;
        self.gpu.losses = self.gpu.arrived.losses;
    }

    /// Ingests what arrived during the frame that has just ended. `number` is that frame's number,
    /// unless it was discarded.
    pub fn ingest_gpu(&mut self, number: Option<u64>, (ticks, ms_per_tick): (Ticks, f64)) {
        let Some(tree) = self.gpu.tree.take() else {
            return;
        };
        if self.gpu.thread.is_none() {
            let mut threads = self.threads.iter();
            let at = threads.position(|thread| std::ptr::eq(thread.tree.record(), tree));
            self.gpu.thread = at.map(|at| at as u32);
        }
        let gpu = &mut self.gpu;
        if let Some(number) = number {
            gpu.waiting.push_back(Waiting {
                frame: gpu.arrived.frame,
                number,
                ticks,
                ms_per_tick,
                missing: gpu.arrived.submitted,
                ..gpu.spare.pop().unwrap_or_default()
            });
        }
        // Spans are grouped by thread.
        let mut last = (None::<&'static ThreadRecord>, None);
        for span in gpu.arrived.spans.drain(..) {
            let record = span.origin.thread;
            if !last.0.is_some_and(|known| std::ptr::eq(known, record)) {
                let mut threads = self.threads.iter();
                let at = threads.position(|thread| std::ptr::eq(thread.tree.record(), record));
                last = (Some(record), at.map(|at| at as u32));
            }
            // A span of a frame that does not wait: the frame was discarded, given up, or
            // forgotten.
            let at = gpu
                .waiting
                .binary_search_by_key(&span.frame, |waiting| waiting.frame);
            if let Ok(at) = at {
                gpu.waiting[at].add(&span, last.1, gpu.forgotten);
            }
        }
        while let Some(first) = self.gpu.waiting.front()
            && (first.missing == 0 || self.gpu.waiting.len() > MOST_WAITING)
            && let Some(mut first) = self.gpu.waiting.pop_front()
        {
            if let Some(thread) = self.gpu.thread {
                first.complete();
                self.record_gpu_frame(&first, thread);
            }
            first.clear();
            self.gpu.spare.push(first);
        }
    }

    /// Adds the GPU times of a complete frame to averages, heat, the session and history.
    fn record_gpu_frame(&mut self, complete: &Waiting, thread: u32) {
        let ms = complete.ms_per_tick;
        let clock = &mut self.gpu.clock;
        clock.advance(complete.ticks as f64 * ms * 1e-3);
        for of_one in complete.submitters.chunk_by(|a, b| a.thread == b.thread) {
            let submitter = &mut self.threads[of_one[0].thread as usize];
            let nodes = submitter.tree.nodes().len();
            if submitter.gpu.len() < nodes {
                submitter.gpu.resize(nodes, Averages::default());
            }
            let values = of_one
                .iter()
                .map(|delta| (delta.node, [delta.ticks as f64 * ms]));
            add_each(&mut submitter.gpu, clock, values);
        }
        let own = &mut self.threads[thread as usize];
        let values = complete
            .nodes
            .iter()
            .map(|delta| (delta.node, delta.values(ms)));
        add_each(own.tree.averages_mut(), clock, values);
        self.sums
            .sum_up(&self.indices, own.tree.links(), &complete.nodes);
        own.heat.add(clock, &self.indices, &self.sums, ms);
        own.gone = false;
        let totals = &mut self.gpu.totals;
        totals.resize(totals.len().max(own.tree.nodes().len()), (0, 0));
        for delta in &complete.nodes {
            let total = &mut totals[delta.node as usize];
            *total = (total.0 + delta.ticks, total.1 + delta.entries);
        }
        let (session, totals) = self.session_and_totals();
        session.add_gpu(
            (complete.number, complete.ticks as f64 * ms),
            (thread, &complete.nodes),
            &complete.submitters,
            &totals,
        );
        self.gpu.newest = Some(complete.number);
        self.history
            .amend(complete.number, |frame| frame.add_gpu(complete, thread));
    }

    /// Forgets all GPU times, including those that have not arrived yet.
    pub fn reset_gpu(&mut self) {
        let gpu = &mut self.gpu;
        if gpu.tree.take().is_some() {
            gpu.forgotten = Some(gpu.arrived.frame);
        }
        gpu.arrived.spans.clear();
        for mut waiting in gpu.waiting.drain(..) {
            waiting.clear();
            gpu.spare.push(waiting);
        }
        gpu.clock.forget();
        gpu.newest = None;
        gpu.totals.clear();
        gpu.losses_before = gpu.losses;
    }

    /// The average GPU milliseconds of the work that a thread's nodes submitted; empty if they never did.
    pub fn average_gpu_ms(&self, thread: usize, slot: usize) -> Vec<f64> {
        let gpu = self.threads[thread].gpu.iter();
        gpu.map(|gpu| gpu.get(&self.gpu.clock, slot)[0]).collect()
    }

    /// Whether a view of `threads` shows the GPU's thread.
    pub fn shows_gpu(&self, threads: Threads) -> bool {
        match threads {
            Threads::All | Threads::Frame => false,
            Threads::One(ThreadId(one)) | Threads::Group(ThreadId(one)) => self.gpu.is_thread(one),
        }
    }

    /// The averages' clock for a view of `threads`.
    pub fn clock_of(&self, threads: Threads) -> &AverageClock {
        match self.shows_gpu(threads) {
            true => &self.gpu.clock,
            false => &self.clock,
        }
    }

    /// Whether a frame's GPU times are complete.
    pub fn has_gpu(&self, frame: &Frame) -> bool {
        let deltas = self.gpu.thread.map(|thread| frame.deltas_of(thread));
        deltas.is_some_and(|deltas| !deltas.is_empty())
    }

    /// The newest frame whose GPU times are complete, if it is remembered.
    pub fn newest_with_gpu(&self) -> Option<&Frame> {
        self.history.find(self.gpu.newest?)
    }

    /// Adds a warning for each reason why GPU zones were not measured.
    pub fn gpu_warnings(&self, warnings: &mut Vec<String>) {
        let lost = self.gpu.losses.since(&self.gpu.losses_before);
        for (count, why) in [
            (lost.overflowed, "too many GPU zones in flight"),
            (lost.implausible, "the driver reported implausible times"),
            (lost.disjoint, "the driver reset its timer (disjoint)"),
            (
                lost.unknown_context,
                "context not enabled; call iprof::gl::enable_gpu_zones for it",
            ),
        ] {
            match count {
                0 => {}
                1 => warnings.push(format!("GPU zone not measured: {why}")),
                _ => warnings.push(format!("{count} GPU zones not measured: {why}")),
            }
        }
    }
}
