//! The profiler's recorded data. `update` ends the frame on every thread and ingests it here.

use crate::frame::{Frame, ThreadDeltas};
use crate::frame_clock::FrameClock;
use crate::frame_sums::FrameSums;
use crate::gpu::Gpu;
use crate::heat::HeatMap;
use crate::history::{DEFAULT_FRAMES, History};
use crate::indices::Indices;
use crate::moving_average::{AverageClock, Averages, add_each};
use crate::session::Session;
use crate::thread::{Thread, ThreadGroups};
use crate::timing::Timing;
use crate::untimed_nodes::OverheadInput;
use crate::zone_budgets::ZoneBudgets;
use iprof_gather::clock::{Pair, Ticks};
use iprof_gather::cost::{KnownCost, ZoneCost};
use iprof_gather::mode::cutoff;
use iprof_gather::sample::{SampleCost, SampleCounts};
use iprof_gather::{Fault, IS_ENABLED, ThreadRecord};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The sampling rate limits for [`Timing::Auto`], in Hz.
const AUTO_HZ: f64 = 1000.0;
const AUTO_LEAST_HZ: f64 = 100.0;
/// The fraction of the overhead limit that the sampler may use, on one processor.
const SAMPLER_PART: f64 = 0.25;
/// The minimum cost assumed for a sample until the first frame has ended, in nanoseconds.
const NS_WITHOUT_FRAMES: f64 = 15_000.0;

/// The default minimum time between updates of the numbers on screen.
pub const REFRESH: Duration = Duration::from_millis(100);

/// All recorded data, which [`View`](struct.View.html)s read. [`profiler`](fn.profiler.html) returns the running
/// program's profiler.
pub struct Profiler {
    pub(crate) indices: Indices,
    pub(crate) threads: Vec<Thread>,
    pub(crate) clock: AverageClock,
    pub(crate) frame_ms: Averages<1>,
    pub(crate) frame_clock: FrameClock,
    /// The thread that last called `update`.
    pub(crate) main: u32,
    pub(crate) frames: u64,
    /// The number of frames ended so far, including discarded ones.
    frames_seen: u64,
    /// Whether the last frame was discarded.
    pub(crate) paused: bool,
    pub(crate) has_frames: bool,
    pub(crate) timing: Timing,
    pub(crate) cost: KnownCost,
    pub(crate) hits: SampledHits,
    /// A reusable list of one thread's nodes to reclassify.
    reclassified: Vec<(u32, u8)>,
    pub(crate) since_reset: SinceReset,
    /// An old frame whose memory can be reused.
    pub(crate) spare: Frame,
    pub(crate) history: History,
    pub(crate) session: Session,
    pub(crate) zone_budgets: ZoneBudgets,
    /// The combined heat of all threads. `None` while [`first_thread`](Self::first_thread) is the only thread.
    heat: Option<HeatMap>,
    /// The first thread that was in a recorded frame.
    first_thread: Option<u32>,
    pub(crate) thread_groups: ThreadGroups,
    /// The names with which the next recorded frame will be marked.
    pub(crate) pending_marks: Vec<Arc<str>>,
    /// The sampler's average processor time per frame, in milliseconds.
    pub(crate) sampler_ms: Averages<1>,
    pub(crate) environment_warnings: Vec<String>,
    pub(crate) sampler_error: Option<String>,
    pub(crate) sums: FrameSums,
    all_sums: FrameSums,
    pub(crate) gpu: Gpu,
    refresh: Duration,
    times_outdated: u32,
}

impl fmt::Debug for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiler")
            .field("frames", &self.frames)
            .field("threads", &self.threads.len())
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

/// The number and length of the frames since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinceReset {
    /// The number of resets.
    pub reset_count: u64,
    pub frames: u64,
    pub ticks: Ticks,
}

#[doc(hidden)]
impl Profiler {
    pub fn new(anchor: Pair) -> Profiler {
        let zone_budgets = ZoneBudgets::default();
        Profiler {
            indices: Indices::new(),
            threads: Vec::new(),
            clock: AverageClock::default(),
            frame_ms: Averages::default(),
            frame_clock: FrameClock::new(anchor),
            main: 0,
            frames: 0,
            frames_seen: 0,
            paused: false,
            has_frames: false,
            timing: if IS_ENABLED {
                Timing::default()
            } else {
                Timing::Off
            },
            cost: KnownCost::default(),
            hits: SampledHits::default(),
            reclassified: Vec::new(),
            since_reset: SinceReset::default(),
            spare: Frame::default(),
            history: History::new(DEFAULT_FRAMES),
            session: Session::new(zone_budgets.frame_budget()),
            zone_budgets,
            heat: None,
            first_thread: None,
            thread_groups: ThreadGroups::default(),
            pending_marks: Vec::new(),
            sampler_ms: Averages::default(),
            environment_warnings: Vec::new(),
            sampler_error: None,
            sums: FrameSums::default(),
            all_sums: FrameSums::default(),
            gpu: Gpu::default(),
            refresh: REFRESH,
            times_outdated: 0,
        }
    }

    /// Returns the minimum time between updates of the numbers on screen.
    pub fn refresh(&self) -> Duration {
        self.refresh
    }

    pub fn set_refresh(&mut self, refresh: Duration) {
        self.refresh = refresh;
        self.outdate();
    }

    /// Makes every view rebuild its report before it is next drawn.
    pub fn outdate(&mut self) {
        self.times_outdated = self.times_outdated.wrapping_add(1);
    }

    /// Returns the number of times that all reports on screen were marked out of date.
    pub fn times_outdated(&self) -> u32 {
        self.times_outdated
    }

    /// Ends the frame at `now.ticks` on all threads in `records`. Returns whether nodes were reclassified.
    ///
    /// The frame is discarded unless `is_recorded` is set. `main` is the calling thread's record. `records` must start
    /// with the records passed to earlier calls, in the same order.
    pub fn end_frame(
        &mut self,
        records: &[&'static ThreadRecord],
        main: &'static ThreadRecord,
        now: Pair,
        is_recorded: bool,
    ) -> bool {
        self.paused = !is_recorded;
        self.has_frames = true;
        self.count_frame(records, main);
        let mut frame = self.collect_deltas(records, now, is_recorded);
        if is_recorded {
            self.ingest(&mut frame);
        }
        // Discarded frames also count against the overhead limit.
        let has_reclassified = self.limit_overhead(&frame);
        let time = (frame.ticks, frame.ms_per_tick);
        self.spare = if is_recorded {
            self.add_to_history(frame)
        } else {
            // Don't count the sampler's time in this frame toward the next one.
            self.hits.take_sampler_ns();
            frame
        };
        self.ingest_gpu(is_recorded.then_some(self.frames), time);
        has_reclassified
    }

    /// Adds the sampler's hits since the last call. `take` writes the hits into the empty counts that it is given.
    /// Threads are identified by their index in the records.
    pub fn take_hits(&mut self, take: impl FnOnce(&mut SampleCounts)) {
        let hits = &mut self.hits;
        take(&mut hits.fetched);
        hits.list.extend(hits.fetched.hits());
        hits.sampler_ns += hits.fetched.spent_ns;
        hits.cost.observe(&hits.fetched);
        hits.fetched.clear();
    }

    pub fn add_cost_measurement(&mut self, cost: Option<ZoneCost>) {
        if let Some(cost) = cost {
            self.cost.refine(cost);
        }
    }

    pub fn frames_seen(&self) -> u64 {
        self.frames_seen
    }

    /// Decides, based on the ended frame, which nodes read the clock. Returns whether any node was reclassified.
    fn limit_overhead(&mut self, frame: &Frame) -> bool {
        let Timing::Auto { budget } = self.timing else {
            return false;
        };
        let [average_ms] = self.frame_ms.undecayed(0);
        let mut input = OverheadInput {
            limit: budget,
            cost: self.cost.get(),
            ms_per_tick: frame.ms_per_tick,
            frame_ms: frame.ms(),
            average_ms,
            reads_clocks: true,
        };
        let mut has_reclassified = false;
        for part in &frame.threads {
            if self.is_gpu(part.thread) {
                continue;
            }
            let thread = &mut self.threads[part.thread as usize];
            let deltas = frame.deltas_in(part);
            input.reads_clocks = thread.tree.record().cutoff() != cutoff::SAMPLED;
            self.reclassified.clear();
            thread.overhead.decide(
                &thread.tree,
                deltas,
                &self.clock,
                input,
                &mut self.reclassified,
            );
            if !self.reclassified.is_empty() {
                thread.tree.record().reclassify(&self.reclassified);
                thread
                    .tree
                    .set_untimed_count(thread.overhead.untimed_count());
                has_reclassified = true;
            }
        }
        has_reclassified
    }

    /// Returns the sampling rate that the timing mode needs, or 0 if all nodes are timed.
    ///
    /// A thread that hasn't entered a zone since timing changed may still be in untimed zones, so it is sampled until
    /// it enters one. `Auto` samples all threads until the first frame ends.
    pub fn sampler_hz(&self) -> f64 {
        let is_behind = |thread: &Thread| thread.tree.record().is_in_untimed();
        match self.timing {
            Timing::Sampled { hz } => hz,
            Timing::Auto { budget }
                if !self.has_frames
                    || self.threads.iter().any(Thread::is_sampled)
                    || self.threads.iter().any(is_behind) =>
            {
                self.auto_hz(budget)
            }
            Timing::Exact if self.threads.iter().any(is_behind) => AUTO_HZ,
            _ => 0.0,
        }
    }

    /// Returns the highest sampling rate that stays within the sampler's fraction of the overhead limit.
    fn auto_hz(&self, budget: f64) -> f64 {
        let measured = self.hits.cost.ns();
        let ns = match self.has_frames {
            true => measured,
            // Until a frame ends, the measured cost can only lower the rate.
            false => measured.max(NS_WITHOUT_FRAMES),
        };
        let rate = SAMPLER_PART * budget / (ns * 1e-9);
        rate.clamp(AUTO_LEAST_HZ, AUTO_HZ)
    }

    /// Forgets everything recorded up to `now` except the names of zones and threads. Open zones stay open but lose
    /// their time so far. Ended threads are removed.
    ///
    /// `records` and `main` are the same as for [`end_frame`](Self::end_frame). Frame numbers continue.
    pub fn reset(
        &mut self,
        records: &[&'static ThreadRecord],
        main: &'static ThreadRecord,
        now: Pair,
    ) {
        self.count_frame(records, main);
        self.spare = self.collect_deltas(records, now, false);
        self.hits.take_sampler_ns();
        self.since_reset = SinceReset {
            reset_count: self.since_reset.reset_count + 1,
            ..SinceReset::default()
        };
        self.clock.forget();
        self.history.clear();
        self.session.clear();
        self.zone_budgets.forget_frames();
        self.sampler_error = None;
        self.reset_gpu();
        for thread in &mut self.threads {
            thread.tree.forget_samples();
            thread.tree.forget_totals();
            let record = thread.tree.record();
            thread.gone = !record.is_owned();
            thread.faults_before = Fault::ALL.map(|fault| record.faults(fault).0);
        }
    }

    /// Counts a frame that was ended by the thread with the record `main`.
    fn count_frame(&mut self, records: &[&'static ThreadRecord], main: &'static ThreadRecord) {
        self.frames_seen += 1;
        if let Some(at) = records
            .iter()
            .position(|record| std::ptr::eq(*record, main))
        {
            self.main = at as u32;
        }
    }

    /// Records or discards the data up to `now` in a program that doesn't call `update`. The data is only added to
    /// totals: no frame ends, and no later frame includes it.
    pub fn end_outside_frames(
        &mut self,
        records: &[&'static ThreadRecord],
        now: Pair,
        is_recorded: bool,
    ) {
        let part = self.collect_deltas(records, now, is_recorded);
        if is_recorded {
            self.since_reset.ticks = self.since_reset.ticks.wrapping_add(part.ticks);
            let (session, totals) = self.session_and_totals();
            for of_thread in &part.threads {
                let deltas = part.deltas_in(of_thread).iter().copied();
                session.add_outside_frames(of_thread.thread, deltas, &totals);
            }
        }
        self.spare = part;
    }

    pub fn add_new_threads(&mut self, records: &[&'static ThreadRecord]) {
        for record in &records[self.threads.len()..] {
            let begin = self.frame_clock.last_end().ticks;
            self.threads.push(Thread::new(record, begin));
        }
    }

    /// Collects every thread's deltas since the last frame. The estimators only learn from the deltas if `is_recorded`
    /// is set.
    fn collect_deltas(
        &mut self,
        records: &[&'static ThreadRecord],
        now: Pair,
        is_recorded: bool,
    ) -> Frame {
        self.frame_clock.observe(now);
        self.add_new_threads(records);
        for (thread, node, count) in self.hits.list.drain(..).filter(|_| is_recorded) {
            // The thread is unknown if its record could not be allocated.
            if let Some(thread) = self.threads.get_mut(thread as usize) {
                thread.tree.add_hits(node, count);
            }
        }
        let time = self.frame_clock.end_frame(now);
        let mut frame = std::mem::take(&mut self.spare);
        frame.begin_ns = time.begin_ns;
        frame.ticks = time.ticks;
        frame.ms_per_tick = time.ms_per_tick;
        frame.timing = self.timing;
        frame.threads.clear();
        frame.deltas.clear();
        frame.gpu.clear();
        for (at, thread) in self.threads.iter_mut().enumerate() {
            let start = frame.deltas.len() as u32;
            thread.tree.end_frame(
                now.ticks,
                time.ms_per_tick,
                &mut self.indices,
                is_recorded,
                &mut frame.deltas,
            );
            let end = frame.deltas.len() as u32;
            if end > start {
                thread.gone = false;
                frame.threads.push(ThreadDeltas {
                    thread: at as u32,
                    start,
                    end,
                });
            }
        }
        frame
    }

    fn ingest(&mut self, frame: &mut Frame) {
        // Addition wraps, as it does for the nodes' ticks, so a counter that jumps far ahead doesn't cause a panic.
        self.since_reset.ticks = self.since_reset.ticks.wrapping_add(frame.ticks);
        self.clock.advance(frame.ms() / 1e3);
        self.frame_ms.add(&self.clock, [frame.ms()]);
        frame.sampler_ns = self.hits.take_sampler_ns();
        let sampler_ms = frame.sampler_ns as f64 * 1e-6;
        self.sampler_ms.add(&self.clock, [sampler_ms]);
        self.prepare_heat_of_all(&frame.threads);
        let (clock, indices) = (&self.clock, &self.indices);
        self.thread_groups.begin_frame(&self.threads, indices);
        self.zone_budgets.begin_frame(indices);
        let ms_per_tick = frame.ms_per_tick;
        for part in &frame.threads {
            let thread = &mut self.threads[part.thread as usize];
            let deltas = frame.deltas_in(part);
            let values = deltas
                .iter()
                .map(|delta| (delta.node, delta.values(ms_per_tick)));
            add_each(thread.tree.averages_mut(), clock, values);
            thread.tree.average_errors(clock, ms_per_tick);
            self.sums.sum_up(indices, thread.tree.links(), deltas);
            thread.heat.add(clock, indices, &self.sums, ms_per_tick);
            if self.heat.is_some() {
                self.all_sums.merge(&self.sums);
            }
            self.thread_groups.add(part.thread, &self.sums);
            self.zone_budgets
                .add_thread(&self.sums, indices, ms_per_tick);
        }
        if let Some(heat) = &mut self.heat {
            heat.add(clock, indices, &self.all_sums, ms_per_tick);
        }
        self.thread_groups.end_frame(clock, indices, ms_per_tick);
    }

    /// Adds a recorded frame to the session and to history. Returns an old frame whose memory can be reused.
    fn add_to_history(&mut self, mut frame: Frame) -> Frame {
        self.frames += 1;
        self.since_reset.frames += 1;
        frame.number = self.frames;
        let (session, totals) = self.session_and_totals();
        session.add(&frame, &totals);
        self.zone_budgets.end_frame(frame.ms());
        let spare = self.history.push(frame);
        for name in self.pending_marks.drain(..) {
            self.history.mark(name);
        }
        spare
    }

    /// Whether a thread has ended and no other thread has taken over its record. Never true for the GPU.
    pub fn has_ended(&self, at: usize) -> bool {
        !(self.threads[at].tree.record().is_owned() || self.is_gpu(at as u32))
    }

    /// Prepares the combined heat of all threads for a frame with the threads in `parts`.
    ///
    /// While there is only one thread, its own heat is used, so nothing is computed twice. When a second thread
    /// appears, the combined heat starts as a copy of the first thread's heat.
    fn prepare_heat_of_all(&mut self, parts: &[ThreadDeltas]) {
        self.first_thread = self.first_thread.or(parts.first().map(|part| part.thread));
        let is_other = |part: &ThreadDeltas| Some(part.thread) != self.first_thread;
        if self.heat.is_none() && parts.iter().any(is_other) {
            self.heat = self.heat_of_all().cloned();
        }
        self.all_sums.clear(&self.indices);
    }

    /// Returns the combined heat of all threads, or `None` before the first frame.
    pub fn heat_of_all(&self) -> Option<&HeatMap> {
        let of_first = || Some(&self.threads[self.first_thread? as usize].heat);
        self.heat.as_ref().or_else(of_first)
    }
}

#[cfg(any(test, feature = "test-support"))]
#[doc(hidden)]
impl Profiler {
    pub fn boundary_for_tests(&self) -> u64 {
        self.frame_clock.last_end().ticks
    }
}

/// The sampler's hits on all threads since the last frame, and the time spent on sampling. When the frame ends, the
/// hits are moved to the threads' trees.
#[derive(Debug, Default)]
pub(crate) struct SampledHits {
    /// The hits as tuples of thread, node and number of hits.
    list: Vec<(u32, u32, u32)>,
    fetched: SampleCounts,
    sampler_ns: u64,
    cost: SampleCost,
}

impl SampledHits {
    /// Merges hits on the same node, so that the list never has more entries than there are nodes.
    pub(crate) fn merge(&mut self) {
        self.list
            .sort_unstable_by_key(|(thread, node, _)| (*thread, *node));
        self.list.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            is_same
        });
    }

    pub(crate) fn of_thread(&self, thread: u32) -> impl Iterator<Item = (u32, u32)> {
        let hits = self.list.iter().filter(move |(of, ..)| *of == thread);
        hits.map(|(_, node, count)| (*node, *count))
    }

    /// Returns the sampler's processor time since the last call, in nanoseconds.
    pub(crate) fn take_sampler_ns(&mut self) -> u64 {
        std::mem::take(&mut self.sampler_ns)
    }
}
