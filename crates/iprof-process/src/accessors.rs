//! [`Profiler`] accessors and setters for the crates that depend on this one. Those for GPU times are in
//! `gpu/frames.rs`.

use crate::frame_clock::FrameClock;
use crate::gpu::Gpu;
use crate::heat::HeatMap;
use crate::history::History;
use crate::indices::Indices;
use crate::moving_average::AverageClock;
use crate::profiler::{Profiler, SinceReset};
use crate::session::BANDS;
use crate::session::Session;
use crate::session::parts::{Bucket, Parts};
use crate::session::sums::{NodeSum, NodeSums, Totals};
use crate::session::totals::NodeTotals;
use crate::thread::Thread;
use crate::thread_tree::TreeNode;
use crate::threads::{ThreadId, ThreadInfo, Threads, group_name, natural_order};
use crate::timing::Timing;
use crate::zone_budgets::ZoneBudgets;
use iprof_gather::clock::Pair;
use iprof_gather::cost::ZoneCost;
use iprof_gather::{IS_ENABLED, ThreadRecord};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

/// The totals of every thread's nodes over all recorded frames.
#[derive(Clone, Copy)]
pub(crate) struct RecordedTotals<'a> {
    threads: &'a [Thread],
    gpu: &'a Gpu,
}

impl Totals for RecordedTotals<'_> {
    fn nodes(&self, thread: u32) -> usize {
        self.threads[thread as usize].tree.nodes().len()
    }

    #[inline]
    fn total(&self, thread: u32, node: usize) -> NodeSum {
        match self.gpu.is_thread(thread) {
            true => self.gpu.total(node),
            false => self.threads[thread as usize].tree.recorded(node),
        }
    }

    fn is_sampled(&self, thread: u32) -> bool {
        self.threads[thread as usize].tree.is_sampled_now()
    }
}

#[doc(hidden)]
impl Profiler {
    /// Returns the session, mutably, and the totals from which its sums are derived.
    pub(crate) fn session_and_totals(&mut self) -> (&mut Session, RecordedTotals<'_>) {
        let (threads, gpu) = (&self.threads, &self.gpu);
        (&mut self.session, RecordedTotals { threads, gpu })
    }

    #[inline]
    pub fn indices(&self) -> &Indices {
        &self.indices
    }

    /// Returns all threads, in the order in which they first recorded something.
    #[inline]
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// Returns the thread that last called `update`.
    #[inline]
    pub fn frame_thread(&self) -> u32 {
        self.main
    }

    #[inline]
    pub fn history(&self) -> &History {
        &self.history
    }

    #[inline]
    pub fn session(&self) -> &Session {
        &self.session
    }

    #[inline]
    pub fn session_sums(&self, thread: usize, parts: Parts) -> NodeSums {
        let totals = self.recorded_totals();
        self.session.sums(thread, parts, &totals)
    }

    /// Returns a session bucket's sums for a thread's nodes. Nodes past the end of the iterator have no sums.
    #[inline]
    pub fn bucket_sums(&self, thread: usize, bucket: &Bucket) -> impl Iterator<Item = NodeSum> {
        let session = self.session();
        session.bucket_sums(thread, bucket, self.recorded_totals())
    }

    fn recorded_totals(&self) -> RecordedTotals<'_> {
        RecordedTotals {
            threads: &self.threads,
            gpu: &self.gpu,
        }
    }

    #[inline]
    pub fn frame_budget(&self) -> Duration {
        self.zone_budgets.frame_budget()
    }

    #[inline]
    pub fn zone_budgets(&self) -> &ZoneBudgets {
        &self.zone_budgets
    }

    #[inline]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Whether the program has ever called `update`.
    #[inline]
    pub fn has_frames(&self) -> bool {
        self.has_frames
    }

    /// Whether the last frame was discarded.
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    #[inline]
    pub fn since_reset(&self) -> SinceReset {
        self.since_reset
    }

    #[inline]
    pub fn timing(&self) -> Timing {
        self.timing
    }

    #[inline]
    pub fn zone_cost(&self) -> ZoneCost {
        self.cost.get()
    }

    #[inline]
    pub fn frame_clock(&self) -> &FrameClock {
        &self.frame_clock
    }

    /// Measures the length of a clock step, which takes several steps.
    #[inline]
    pub fn measure_clock_resolution(&mut self) {
        self.frame_clock.measure_resolution();
    }

    /// Whether the sampler failed to start.
    #[inline]
    pub fn has_no_sampler(&self) -> bool {
        self.sampler_error.is_some()
    }

    #[inline]
    pub fn average_clock(&self) -> &AverageClock {
        &self.clock
    }

    #[inline]
    pub fn average_frame_ms(&self, slot: usize) -> f64 {
        self.frame_ms.get(&self.clock, slot)[0]
    }

    #[inline]
    pub fn average_sampler_ms(&self, slot: usize) -> f64 {
        self.sampler_ms.get(&self.clock, slot)[0]
    }

    /// Returns a thread's totals by node over all recorded frames. If `until` is set, includes the frame in progress up
    /// to that moment, as far as [`catch_up`](Self::catch_up) has read it.
    pub fn totals_of(&mut self, thread: usize, until: Option<Pair>) -> Vec<(TreeNode, NodeTotals)> {
        let mut totals = self.threads[thread].tree.totals(
            until.map(|now| (now.ticks, self.frame_clock.time_until(now).ms_per_tick)),
            self.hits.of_thread(thread as u32),
            &mut self.indices,
        );
        if self.is_gpu(thread as u32) {
            // GPU times are not in the tree's counters. They arrive later, frame by frame.
            for (at, (_, node)) in totals.iter_mut().enumerate() {
                let sum = self.gpu.total(at);
                (node.ticks, node.entries) = (sum.ticks, sum.entries);
            }
        }
        totals
    }

    #[inline]
    pub fn is_gpu(&self, thread: u32) -> bool {
        self.gpu.is_thread(thread)
    }

    /// Whether a thread's time outside zones counts as idle. It does on all threads except the frame's thread, or the
    /// first thread if the program has no frames.
    ///
    /// The GPU's time outside zones is the rest of the frame, in which the GPU is idle or works for other programs.
    #[inline]
    pub fn is_idle_outside_zones(&self, thread: usize) -> bool {
        thread as u32 != self.main
    }

    /// Returns the history, so that the caller can set its limits or keep frames in it.
    #[inline]
    pub fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    #[inline]
    pub fn set_session_limits(&mut self, limits: Option<[Duration; BANDS - 1]>) {
        let (session, totals) = self.session_and_totals();
        session.set_limits(limits, &totals);
    }

    #[inline]
    pub fn set_frame_budget(&mut self, budget: Duration) {
        self.zone_budgets.set_frame_budget(budget);
        self.session
            .set_frame_budget(self.zone_budgets.frame_budget());
    }

    #[inline]
    pub fn set_zone_budget(&mut self, label: &str, budget: Option<Duration>) {
        self.zone_budgets.set(label, budget, &self.indices);
    }

    /// Sets the timing mode. The program switches to the new mode at the end of a frame.
    #[inline]
    pub fn set_timing(&mut self, timing: Timing) {
        self.timing = timing;
    }

    /// Switches to reading the clock in every zone, because the sampler failed to start.
    #[inline]
    pub fn use_exact_timing(&mut self, reason: String) {
        self.timing = Timing::Exact;
        self.sampler_error = Some(reason);
    }

    #[inline]
    pub fn mark(&mut self, name: Arc<str>) {
        // If nothing is recorded, no frame would ever consume the names.
        if IS_ENABLED {
            self.pending_marks.push(name);
        }
    }

    #[inline]
    pub fn add_environment_warning(&mut self, warning: String) {
        self.environment_warnings.push(warning);
    }

    /// Prepares for a snapshot in the middle of a frame: adds new threads, and merges the hits up to `now`.
    #[inline]
    pub fn catch_up(&mut self, records: &[&'static ThreadRecord], now: Pair) {
        self.frame_clock.observe(now);
        self.add_new_threads(records);
        self.hits.merge();
    }
}

#[cfg(any(test, feature = "test-support"))]
#[doc(hidden)]
impl Profiler {
    #[inline]
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    #[inline]
    pub fn indices_mut(&mut self) -> &mut Indices {
        &mut self.indices
    }

    #[inline]
    pub fn tree_mut(&mut self, thread: usize) -> &mut crate::thread_tree::ThreadTree {
        &mut self.threads[thread].tree
    }

    #[inline]
    pub fn forget_zone_cost(&mut self) {
        self.cost = Default::default();
    }
}

#[doc(hidden)]
impl Profiler {
    /// Returns the threads shown by a view of `threads`, in display order.
    pub fn threads_in_view(&self, threads: Threads) -> Vec<usize> {
        let all = 0..self.threads.len();
        // GPU time is not processor time, so it is not added to the threads' times.
        let threads_alone = all.clone().filter(|at| !self.gpu.is_thread(*at as u32));
        match threads {
            Threads::All => threads_alone.collect(),
            Threads::Frame => all.filter(|at| *at == self.main as usize).collect(),
            Threads::One(ThreadId(one)) => all.filter(|at| *at == one as usize).collect(),
            Threads::Group(ThreadId(one)) if self.gpu.is_thread(one) => vec![one as usize],
            Threads::Group(ThreadId(one)) => {
                let Some(name) = self.threads.get(one as usize).map(Thread::name) else {
                    return Vec::new();
                };
                let name = group_name(&name);
                threads_alone
                    .filter(|at| self.threads[*at].is_in_group(name))
                    .collect()
            }
        }
    }

    /// Returns the heat for the threads shown by a view of `threads`. Returns `None` if there is no such thread, or if
    /// no frame has ended since the threads were named.
    pub fn heat_in_view(&self, threads: Threads) -> Option<&HeatMap> {
        match threads {
            Threads::All => self.heat_of_all(),
            Threads::Frame => self.threads.get(self.main as usize).map(|main| &main.heat),
            Threads::One(ThreadId(one)) => self.threads.get(one as usize).map(|one| &one.heat),
            Threads::Group(ThreadId(one)) => match &self.threads_in_view(threads)[..] {
                [] => None,
                [alone] => Some(&self.threads[*alone].heat),
                _ => {
                    let name = self.threads[one as usize].name();
                    self.thread_groups.heat(group_name(&name))
                }
            },
        }
    }

    #[inline]
    pub fn processor_threads(&self) -> usize {
        let all = 0..self.threads.len() as u32;
        all.filter(|at| !self.gpu.is_thread(*at)).count()
    }

    /// Appends [`thread_title`](Self::thread_title) as of the last frame, usually without allocating. Returns whether
    /// the thread exists.
    pub fn write_thread_title(&self, thread: ThreadId, title: &mut String) -> bool {
        let members = &self.thread_groups.members;
        let Some((name, _)) = members.get(thread.0 as usize) else {
            let name = self.thread_title(thread);
            title.extend(name.as_deref());
            return name.is_some();
        };
        title.push_str(name);
        let is_alike = |(at, (other, _)): &(u32, &(String, _))| {
            other == name && self.gpu.is_thread(*at) == self.gpu.is_thread(thread.0)
        };
        let alike = || (0..).zip(members).filter(is_alike);
        if alike().nth(1).is_some() {
            let before = alike().take_while(|(at, _)| *at < thread.0).count();
            let _ = write!(title, " #{}", before + 1);
        }
        true
    }

    /// Returns the thread's name, with a number if several threads share it. Unless threads are renamed, `worker #2` is
    /// the second `worker` to appear.
    pub fn thread_title(&self, thread: ThreadId) -> Option<String> {
        let name = self.threads.get(thread.0 as usize)?.name();
        let mut all = self.threads_in_view(Threads::Group(thread));
        all.retain(|at| self.threads[*at].is_named(&name));
        let position = all.iter().position(|at| *at == thread.0 as usize);
        match position.filter(|_| all.len() > 1) {
            Some(position) => Some(format!("{name} #{}", position + 1)),
            None => Some(name),
        }
    }

    /// Returns the threads that have recorded something, in order of their first record.
    pub fn thread_infos(&self) -> Vec<ThreadInfo> {
        let info = |(at, thread): (usize, &Thread)| ThreadInfo {
            id: ThreadId(at as u32),
            name: thread.name(),
            running: !self.has_ended(at),
        };
        let threads = self.threads().iter().enumerate();
        let threads = threads.filter(|(_, thread)| !thread.is_gone());
        threads.map(info).collect()
    }

    /// Returns [`thread_infos`](Self::thread_infos) in display order: the frame's thread, then the other threads by
    /// name, then the GPU.
    pub fn threads_in_order(&self) -> Vec<ThreadInfo> {
        let mut threads = self.thread_infos();
        let rank = |thread: &ThreadInfo| {
            let id = thread.id.0;
            (self.is_gpu(id), id != self.frame_thread())
        };
        threads.sort_by(|a, b| {
            let by_name = || natural_order(&a.name, &b.name);
            rank(a).cmp(&rank(b)).then_with(by_name)
        });
        threads
    }
}
