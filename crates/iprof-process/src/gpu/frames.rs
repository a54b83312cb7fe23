//! [`Profiler`] methods that fetch GPU times, add them to their frames, and read them.

use super::{MAX_WAITING, Waiting};
use crate::frame::Frame;
use crate::moving_average::{AverageClock, Averages, add_each};
use crate::profiler::Profiler;
use crate::session::sums::{Addend, NodeSum};
use crate::threads::{ThreadId, Threads};
use iprof_gather::ThreadRecord;
use iprof_gather::clock::Ticks;
use iprof_gather::gpu::GpuMailbox;

#[doc(hidden)]
impl Profiler {
    /// Calls `take` to fetch the newest GPU zone data into a mailbox, whose lists may not be empty. Thread records must
    /// be fetched afterward, so that they include all threads in the mailbox.
    pub fn fetch_gpu(&mut self, take: impl FnOnce(&mut GpuMailbox)) {
        take(&mut self.gpu.arrived);
    }

    /// Ingests the data that arrived during the frame that has just ended. `number` is the frame's number, or `None` if
    /// the frame was discarded.
    pub fn ingest_gpu(&mut self, number: Option<u64>, (ticks, ms_per_tick): (Ticks, f64)) {
        let Some(tree) = self.gpu.arrived.tree.take() else {
            return;
        };
        let position = |record: &'static ThreadRecord| {
            let mut threads = self.threads.iter();
            let at = threads.position(|thread| std::ptr::eq(thread.tree.record(), record));
            at.map(|at| at as u32)
        };
        let gpu = &mut self.gpu;
        gpu.thread = gpu.thread.or_else(|| position(tree));
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
        let mut last = (None::<&'static ThreadRecord>, None);
        for span in gpu.arrived.spans.drain(..) {
            let record = span.origin.thread;
            if !last.0.is_some_and(|known| std::ptr::eq(known, record)) {
                last = (Some(record), position(record));
            }
            // If no waiting frame matches the span, its frame was discarded, dropped or forgotten.
            let at = gpu
                .waiting
                .binary_search_by_key(&span.frame, |waiting| waiting.frame);
            if let Ok(at) = at {
                gpu.waiting[at].add(&span, last.1, gpu.forgotten);
            }
        }
        while let Some(first) = self.gpu.waiting.front()
            && (first.missing == 0 || self.gpu.waiting.len() > MAX_WAITING)
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
        totals.resize(totals.len().max(own.tree.nodes().len()), NodeSum::default());
        for delta in &complete.nodes {
            totals[delta.node as usize].add(NodeSum::of(delta));
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
        if gpu.arrived.tree.take().is_some() {
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
        gpu.losses_before = gpu.arrived.losses;
    }

    /// Returns the average GPU milliseconds of the work submitted by each node. Empty if the thread never submitted
    /// work.
    pub fn average_gpu_ms(&self, thread: usize, slot: usize) -> Vec<f64> {
        let gpu = self.threads[thread].gpu.iter();
        gpu.map(|gpu| gpu.get(&self.gpu.clock, slot)[0]).collect()
    }

    #[inline]
    pub fn shows_gpu(&self, threads: Threads) -> bool {
        match threads {
            Threads::All | Threads::Frame => false,
            Threads::One(ThreadId(one)) | Threads::Group(ThreadId(one)) => self.gpu.is_thread(one),
        }
    }

    #[inline]
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

    /// Returns the newest frame whose GPU times are complete, if it is remembered.
    pub fn newest_with_gpu(&self) -> Option<&Frame> {
        self.history.find(self.gpu.newest?)
    }

    /// Adds a warning for each reason why GPU zones were not measured.
    pub fn gpu_warnings(&self, warnings: &mut Vec<String>) {
        let lost = self.gpu.arrived.losses.since(&self.gpu.losses_before);
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
