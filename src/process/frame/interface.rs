//! The interface of the recorded data: what the other modules of `process` read of a `Profiler`, and what they set.
//! `thread.rs` and `gpu.rs` have more of it, for threads and for GPU times.

use crate::clock::Pair;
use crate::gather::cost::ZoneCost;
use crate::gather::{IS_ENABLED, ThreadRecord};
use crate::process::frame::frame_clock::FrameClock;
use crate::process::frame::gpu::Gpu;
use crate::process::frame::history::History;
use crate::process::frame::indices::Indices;
use crate::process::frame::profiler::{Profiler, SinceReset};
use crate::process::frame::session::Session;
use crate::process::frame::session::parts::{Bucket, Parts};
use crate::process::frame::session::sums::{NodeSum, NodeSums, Totals};
use crate::process::frame::session::totals::NodeTotals;
use crate::process::frame::thread::Thread;
use crate::process::frame::thread_tree::TreeNode;
use crate::process::frame::zone_budgets::ZoneBudgets;
use crate::process::moving_average::AverageClock;
use crate::session_part::BANDS;
use crate::timing::Timing;
use std::sync::Arc;
use std::time::Duration;

/// What all recorded frames have of each node, of all threads.
#[derive(Clone, Copy)]
pub(super) struct RecordedTotals<'a> {
    threads: &'a [Thread],
    gpu: &'a Gpu,
}

impl Totals for RecordedTotals<'_> {
    fn nodes(&self, thread: u32) -> usize {
        self.threads[thread as usize].tree.nodes().len()
    }

    #[inline]
    fn total(&self, thread: u32, node: usize) -> NodeSum {
        // GPU times are not counted as they happen.
        let (ticks, entries) = match self.gpu.is_thread(thread) {
            true => self.gpu.total(node),
            false => self.threads[thread as usize].tree.recorded(node),
        };
        NodeSum { ticks, entries }
    }

    fn is_sampled(&self, thread: u32) -> bool {
        self.threads[thread as usize].tree.is_sampled_now()
    }
}

impl Profiler {
    /// The session, to be changed, with the totals that its sums follow from.
    pub(super) fn session_and_totals(&mut self) -> (&mut Session, RecordedTotals<'_>) {
        let (threads, gpu) = (&self.threads, &self.gpu);
        (&mut self.session, RecordedTotals { threads, gpu })
    }
}

/// Reads.
impl Profiler {
    /// The indices of zones, rows and edges, with their names.
    pub(crate) fn indices(&self) -> &Indices {
        &self.indices
    }

    /// All threads, in the order of their first recording.
    pub(crate) fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// The thread that called `update` last.
    pub(crate) fn frame_thread(&self) -> u32 {
        self.main
    }

    /// The remembered frames.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// All frames since the last reset, by length and by time.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The sums of a thread's nodes in some parts of the session.
    pub(crate) fn session_sums(&self, thread: usize, parts: Parts) -> NodeSums {
        let session = self.session();
        session.sums(thread, parts, &self.recorded_totals())
    }

    /// The sums of a thread's nodes in a bucket of the session: of the nodes that there are sums of, the others have none.
    pub(crate) fn bucket_sums(
        &self,
        thread: usize,
        bucket: &Bucket,
    ) -> impl Iterator<Item = NodeSum> {
        let session = self.session();
        session.bucket_sums(thread, bucket, self.recorded_totals())
    }

    fn recorded_totals(&self) -> RecordedTotals<'_> {
        RecordedTotals {
            threads: &self.threads,
            gpu: &self.gpu,
        }
    }

    /// The longest that a frame should take.
    pub(crate) fn frame_budget(&self) -> Duration {
        self.zone_budgets.frame_budget()
    }

    /// The budgets of zones and of frames, with their misses.
    pub(crate) fn zone_budgets(&self) -> &ZoneBudgets {
        &self.zone_budgets
    }

    /// The number of frames recorded so far.
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// Whether the program ever called `update`.
    pub(crate) fn has_frames(&self) -> bool {
        self.has_frames
    }

    /// Whether the last frame was discarded.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    pub(crate) fn since_reset(&self) -> SinceReset {
        self.since_reset
    }

    pub(crate) fn timing(&self) -> Timing {
        self.timing
    }

    /// The measured cost of a zone.
    pub(crate) fn zone_cost(&self) -> ZoneCost {
        self.cost.get()
    }

    pub(crate) fn frame_clock(&self) -> &FrameClock {
        &self.frame_clock
    }

    /// Measures the length of the clock's steps. Waits for some of them.
    pub(crate) fn measure_clock_resolution(&mut self) {
        self.frame_clock.measure_resolution();
    }

    /// Whether there is no sampler though one was asked for.
    pub(crate) fn has_no_sampler(&self) -> bool {
        self.sampler_error.is_some()
    }

    /// The clock of averages.
    pub(crate) fn average_clock(&self) -> &AverageClock {
        &self.clock
    }

    /// The average duration of a frame in milliseconds.
    pub(crate) fn average_frame_ms(&self, slot: usize) -> f64 {
        let [ms] = self.frame_ms.get(&self.clock, slot);
        ms
    }

    /// The average processor time of the sampler per frame, in milliseconds.
    pub(crate) fn average_sampler_ms(&self, slot: usize) -> f64 {
        let [ms] = self.sampler_ms.get(&self.clock, slot);
        ms
    }

    /// A thread's totals by node over all recorded frames. With `until`, also those in the frame in progress up to
    /// that moment, of which [`catch_up`](Self::catch_up) knows.
    pub(crate) fn totals_of(
        &mut self,
        thread: usize,
        until: Option<Pair>,
    ) -> Vec<(TreeNode, NodeTotals)> {
        let mut totals = self.threads[thread].tree.totals(
            until.map(|now| (now.ticks, self.frame_clock.time_until(now).ms_per_tick)),
            self.hits.of_thread(thread as u32),
            &mut self.indices,
        );
        if self.is_gpu(thread as u32) {
            // GPU times are not counted as they happen; they arrive later, by frame.
            for (at, (_, node)) in totals.iter_mut().enumerate() {
                (node.ticks, node.entries) = self.gpu.total(at);
            }
        }
        totals
    }

    /// Whether `thread` is the GPU's.
    pub(crate) fn is_gpu(&self, thread: u32) -> bool {
        self.gpu.is_thread(thread)
    }

    /// Whether a thread's time outside zones counts as idle: on all threads but that of the frames, which
    /// is the first one in a program without frames. That of the GPU is what its zones leave of the frame: it
    /// rests, or draws for others.
    pub(crate) fn is_idle_outside_zones(&self, thread: usize) -> bool {
        thread as u32 != self.main
    }
}

/// Settings.
impl Profiler {
    /// To set the limits of the history, and to keep frames in it.
    pub(crate) fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Sets the limits of the session's bands.
    pub(crate) fn set_session_limits(&mut self, limits: Option<[Duration; BANDS - 1]>) {
        let (session, totals) = self.session_and_totals();
        session.set_limits(limits, &totals);
    }

    /// Sets the longest that a frame should take.
    pub(crate) fn set_frame_budget(&mut self, budget: Duration) {
        self.zone_budgets.set_frame_budget(budget);
        self.session
            .set_frame_budget(self.zone_budgets.frame_budget());
    }

    /// Sets the budget of all zones of a label.
    pub(crate) fn set_zone_budget(&mut self, label: &str, budget: Option<Duration>) {
        let indices = &self.indices;
        self.zone_budgets.set(label, budget, indices);
    }

    pub(crate) fn set_timing(&mut self, timing: Timing) {
        self.timing = timing;
    }

    /// Reads the clock in every zone from now on, because the sampler could not be started.
    pub(crate) fn use_exact_timing(&mut self, reason: String) {
        self.timing = Timing::Exact;
        self.sampler_error = Some(reason);
    }

    /// Adds a name to those of the frame in progress.
    pub(crate) fn mark(&mut self, name: Arc<str>) {
        // Without recording no frame ever takes them.
        if IS_ENABLED {
            self.pending_marks.push(name);
        }
    }

    /// Sets the warning about environment variables that could not be read.
    pub(crate) fn set_environment_warning(&mut self, warning: String) {
        self.environment_warning = Some(warning);
    }

    /// Makes everything that has happened up to `now` known, for a snapshot in the middle of a frame.
    pub(crate) fn catch_up(&mut self, records: &[&'static ThreadRecord], now: Pair) {
        self.frame_clock.observe(now);
        self.add_new_threads(records);
        self.hits.merge();
    }
}

/// What tests change.
#[cfg(all(test, not(loom)))]
impl Profiler {
    pub(crate) fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    pub(crate) fn indices_mut(&mut self) -> &mut Indices {
        &mut self.indices
    }

    pub(crate) fn tree_mut(
        &mut self,
        thread: usize,
    ) -> &mut crate::process::frame::thread_tree::ThreadTree {
        &mut self.threads[thread].tree
    }

    pub(crate) fn forget_zone_cost(&mut self) {
        self.cost = Default::default();
    }
}
