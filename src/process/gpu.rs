//! GPU times: they come frames later, and belong to the frame that submitted the work.
//!
//! Frames wait here until all is known of them that their GPU zones took, in a queue: so a frame's
//! GPU times are taken in at once and in order, whatever order they came in. Then they go to three
//! places, and nothing that is there already changes:
//!
//! * into the remembered frame, if it still is: by node of the threads that submitted the work, and
//!   as a part of the GPU's own thread;
//! * into averages of their own, with a clock of their own that has come as far as the last such
//!   frame;
//! * into the heat of the GPU's thread.
//!
//! # The GPU's frame
//!
//! On the GPU's thread `_global` holds what the frame's time leaves over. Work that took longer than
//! the frame that submitted it leaves nothing; then the GPU's frame is as long as the work. So self
//! times sum to the GPU's frame in any case, and no hierarchical time exceeds it.

use super::average::{AverageClock, Averages, add_each};
use super::core::Process;
use super::history::{Frame, GpuSample, Part, Sample};
use super::view::{ThreadId, Threads};
use crate::clock::Ticks;
use crate::gather::ThreadRecord;
use crate::gather::gpu::{GpuLosses, GpuPost, GpuSpan};
use std::collections::VecDeque;

/// So many frames wait at most. What has not come by then, as from a context that is gone, is given
/// up.
pub(super) const MOST_WAITING: usize = 256;

/// What is known of GPU times but not of the past: that is in history.
#[derive(Debug, Default)]
pub(super) struct Gpu {
    /// What came since the last frame.
    news: GpuPost,
    /// The tree of GPU zones, and its place among the threads; none before the first zone.
    tree: Option<&'static ThreadRecord>,
    thread: Option<u32>,
    /// Frames of which something is missing, and those after them. Frames that were thrown away are
    /// not waited for.
    waiting: VecDeque<Waiting>,
    /// Frames to be filled anew.
    spare: Vec<Waiting>,
    /// As of the last frame that is complete.
    pub(super) clock: AverageClock,
    /// The number of that frame.
    pub(super) newest: Option<u64>,
    /// By node of the tree: ticks and entries of all frames that are complete.
    totals: Vec<(Ticks, u64)>,
    losses: GpuLosses,
    losses_before: GpuLosses,
    /// The last frame that was forgotten by a reset.
    forgotten: Option<u64>,
}

/// A frame that waits for its GPU times.
#[derive(Debug, Default)]
struct Waiting {
    /// By [`GpuPost::frame`].
    frame: u64,
    /// In history.
    number: u64,
    ticks: Ticks,
    ms_per_tick: f64,
    /// Zones of which nothing has come yet.
    missing: u32,
    /// By node of the threads that submitted the work; sorted and summed up when it is complete.
    submitters: Vec<GpuSample>,
    /// By node of the GPU's tree.
    nodes: Vec<Sample>,
}

impl Waiting {
    /// Takes a zone in; the place of its thread is `thread`, if that is known.
    fn add(&mut self, span: &GpuSpan, thread: Option<u32>, forgotten: Option<u64>) {
        self.missing = self.missing.saturating_sub(1);
        // A zone that began before everything was forgotten has time in it that was.
        let is_known = forgotten.is_none_or(|frame| span.place.begun_in > frame);
        let (Some(ns), Some(thread), true) = (span.self_ns, thread, is_known) else {
            return;
        };
        // Rounded once, so that both sums are of the same numbers.
        let ticks = match self.ms_per_tick > 0.0 {
            true => (ns as f64 * 1e-6 / self.ms_per_tick).round() as Ticks,
            false => 0,
        };
        self.submitters.push(GpuSample {
            ticks,
            thread,
            node: span.place.node,
        });
        self.nodes.push(Sample {
            ticks,
            entries: 1,
            node: span.place.gpu_node,
            error: 0.0,
        });
    }

    /// Sums up by node, and gives the root the rest of the frame.
    fn complete(&mut self) {
        self.submitters
            .sort_unstable_by_key(|sample| (sample.thread, sample.node));
        self.submitters.dedup_by(|more, sum| {
            let is_same = (more.thread, more.node) == (sum.thread, sum.node);
            sum.ticks += if is_same { more.ticks } else { 0 };
            is_same
        });
        let busy: Ticks = self.nodes.iter().map(|sample| sample.ticks).sum();
        self.nodes.push(Sample {
            ticks: self.ticks.saturating_sub(busy),
            entries: 0,
            node: 0,
            error: 0.0,
        });
        self.nodes.sort_unstable_by_key(|sample| sample.node);
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
    /// Whether that thread is the GPU.
    pub(super) fn is(&self, thread: u32) -> bool {
        self.thread == Some(thread)
    }
}

impl Frame {
    /// Takes in the GPU times of a frame that is complete; the GPU's is that thread.
    fn add_gpu(&mut self, complete: &Waiting, thread: u32) {
        self.gpu.reserve_exact(complete.submitters.len());
        self.gpu.extend_from_slice(&complete.submitters);
        let start = self.samples.len() as u32;
        self.samples.reserve_exact(complete.nodes.len());
        self.samples.extend_from_slice(&complete.nodes);
        let part = Part {
            thread,
            start,
            end: self.samples.len() as u32,
        };
        let at = self.parts.partition_point(|part| part.thread < thread);
        self.parts.reserve_exact(1);
        self.parts.insert(at, part);
    }
}

impl Process {
    /// Has `take` fetch what is known of GPU zones, into a post whose lists may hold anything.
    /// Called before the records of threads are fetched: what is known is of threads among them.
    pub(crate) fn take_gpu(&mut self, take: impl FnOnce(&mut GpuPost)) {
        take(&mut self.gpu.news);
        self.gpu.tree = self.gpu.news.tree;
        self.gpu.losses = self.gpu.news.losses;
    }

    /// Takes in what came since the last frame, when that has ended: as number `number`, if it was
    /// not thrown away.
    pub(super) fn follow_gpu(&mut self, number: Option<u64>, ticks: Ticks, ms_per_tick: f64) {
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
                frame: gpu.news.frame,
                number,
                ticks,
                ms_per_tick,
                missing: gpu.news.submitted,
                ..gpu.spare.pop().unwrap_or_default()
            });
        }
        // Spans come by thread.
        let mut last = (None::<&'static ThreadRecord>, None);
        for span in gpu.news.spans.drain(..) {
            let record = span.place.thread;
            if !last.0.is_some_and(|known| std::ptr::eq(known, record)) {
                let mut threads = self.threads.iter();
                let at = threads.position(|thread| std::ptr::eq(thread.tree.record(), record));
                last = (Some(record), at.map(|at| at as u32));
            }
            // What is not waited for was thrown away, given up, or forgotten.
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
                self.keep_gpu(&first, thread);
            }
            first.clear();
            self.gpu.spare.push(first);
        }
    }

    /// Takes a frame's GPU times into averages, heat and history.
    fn keep_gpu(&mut self, complete: &Waiting, thread: u32) {
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
                .map(|sample| (sample.node, [sample.ticks as f64 * ms]));
            add_each(&mut submitter.gpu, clock, values);
        }
        let own = &mut self.threads[thread as usize];
        let values = complete
            .nodes
            .iter()
            .map(|sample| (sample.node, sample.values(ms)));
        add_each(own.tree.averages_mut(), clock, values);
        self.sums
            .take(&self.names, own.tree.links(), &complete.nodes);
        own.heat.add(clock, &self.names, &self.sums, ms);
        own.gone = false;
        let totals = &mut self.gpu.totals;
        totals.resize(totals.len().max(own.tree.nodes().len()), (0, 0));
        for sample in &complete.nodes {
            let total = &mut totals[sample.node as usize];
            *total = (total.0 + sample.ticks, total.1 + sample.entries);
        }
        self.gpu.newest = Some(complete.number);
        self.history
            .amend(complete.number, |frame| frame.add_gpu(complete, thread));
    }

    /// Forgets what is not known yet as well as what is.
    pub(super) fn reset_gpu(&mut self) {
        let gpu = &mut self.gpu;
        if gpu.tree.take().is_some() {
            gpu.forgotten = Some(gpu.news.frame);
        }
        gpu.news.spans.clear();
        for mut waiting in gpu.waiting.drain(..) {
            waiting.clear();
            gpu.spare.push(waiting);
        }
        gpu.clock.forget();
        gpu.newest = None;
        gpu.totals.clear();
        gpu.losses_before = gpu.losses;
    }

    /// What a node of the GPU's tree did in all frames of which that is known: ticks and entries.
    pub(super) fn gpu_total(&self, node: usize) -> (Ticks, u64) {
        self.gpu.totals.get(node).copied().unwrap_or_default()
    }

    /// Whether the GPU's thread is what a view of `threads` shows.
    pub(super) fn shows_gpu(&self, threads: Threads) -> bool {
        match threads {
            Threads::All => false,
            Threads::One(ThreadId(one)) | Threads::SameName(ThreadId(one)) => self.gpu.is(one),
        }
    }

    /// The averages' clock for what a view of `threads` shows.
    pub(super) fn clock_of(&self, threads: Threads) -> &AverageClock {
        match self.shows_gpu(threads) {
            true => &self.gpu.clock,
            false => &self.clock,
        }
    }

    /// Whether a frame's GPU times are complete.
    pub(super) fn has_gpu(&self, frame: &Frame) -> bool {
        let samples = self.gpu.thread.map(|thread| frame.samples_of(thread));
        samples.is_some_and(|samples| !samples.is_empty())
    }

    /// The newest frame whose GPU times are complete, if it is remembered.
    pub(super) fn newest_with_gpu(&self) -> Option<&Frame> {
        self.history.find(self.gpu.newest?)
    }

    /// What of the GPU zones was not measured, for the report's warnings.
    pub(super) fn gpu_warnings(&self, warnings: &mut Vec<String>) {
        let lost = self.gpu.losses.since(&self.gpu.losses_before);
        for (count, why) in [
            (lost.overflown, "too many were under way"),
            (lost.implausible, "the driver's times cannot be true"),
            (lost.disjoint, "the GPU's clock was interrupted"),
            (
                lost.strange,
                "iprof::gl::enable_gpu_zones does not know the context",
            ),
        ] {
            match count {
                0 => {}
                1 => warnings.push(format!("a GPU zone was not measured: {why}")),
                _ => warnings.push(format!("{count} GPU zones were not measured: {why}")),
            }
        }
    }
}
