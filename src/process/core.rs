//! What `update` does: ends the frame on every thread and takes it in.

use super::average::{AverageClock, Averages, add_each};
use super::budget::{Budget, Means};
use super::environment;
use super::first_frame::FirstFrame;
use super::gpu::Gpu;
use super::group::Groups;
use super::growth::{self, Growth};
use super::heat::{FrameSums, HeatMap};
use super::history::{DEFAULT_FRAMES, Frame, History, Part};
use super::tree::ThreadTree;
use super::zones::Names;
use crate::clock::{self, Pair, RateMeter};
use crate::gather::cost::{KnownCost, ZoneCost};
use crate::gather::{self, Fault, ThreadRecord};
use crate::sample::{LookCost, Session, Tally};
use crate::timing::Timing;
use std::sync::Arc;

/// How often a second the sampler looks where it has to complete what the budget does not allow to
/// measure: as often as makes [`SAMPLER_PART`] of the budget, of one processor, but within these.
const AUTO_HZ: f64 = 1000.0;
const AUTO_LEAST_HZ: f64 = 100.0;
const SAMPLER_PART: f64 = 0.25;

/// Everything that is known of the past.
#[derive(Debug)]
pub(crate) struct Process {
    pub(super) names: Names,
    pub(super) threads: Vec<Thread>,
    pub(super) history: History,
    pub(super) clock: AverageClock,
    /// Of all threads together; none as long as [`first`](Self::first) is all there is.
    heat: Option<HeatMap>,
    /// The first thread that was in a recorded frame.
    first: Option<u32>,
    /// Of threads of one name.
    pub(super) groups: Groups,
    /// Milliseconds of a frame.
    pub(super) frame_ms: Averages<1>,
    pub(super) rate: RateMeter,
    /// The thread that called `update` last.
    pub(super) main: u32,
    /// Frames recorded so far.
    pub(super) frames: u64,
    /// Frames ended so far, thrown away ones included.
    frames_seen: u64,
    /// Whether the last frame was thrown away.
    pub(super) paused: bool,
    /// The profile that is being made: its sampler, which there is only where anything is recorded.
    pub(super) profile: Option<Option<Session>>,
    /// Whether the program ever called `update`.
    pub(super) has_frames: bool,
    /// Until it does, and where a budget is kept meanwhile: what has been taken in so far.
    pub(super) first_frame: Option<FirstFrame>,
    /// Whether a thread sees to that.
    pub(super) has_budget_thread: bool,
    /// How zones get their times at present.
    pub(super) timing: Timing,
    /// Marks for the next frame that is recorded.
    pub(super) to_mark: Vec<Arc<str>>,
    /// What a zone costs.
    pub(super) cost: KnownCost,
    /// What the sampler took, in milliseconds.
    pub(super) sampler_ms: Averages<1>,
    /// How far there is memory for what is new.
    pub(super) growth: Growth,
    /// What of the environment could not be read or done.
    pub(super) misread: Option<String>,
    /// Why there is no sampler, if it could not be started.
    pub(super) no_sampler: Option<String>,
    /// What the sampler found since the last frame: thread, node, how often; and what it took.
    pub(super) hits: Vec<(u32, u32, u32)>,
    /// Memory for what it found next.
    found: Tally,
    sampler_ns: u64,
    /// What a look takes.
    look: LookCost,
    /// Nodes that are to get or lose their clocks, of the thread that is looked at.
    orders: Vec<(u32, u8)>,
    /// When the last frame ended; before the first, when the first thread began.
    pub(super) boundary: Pair,
    /// How often everything was reset; frames that were kept since, and their ticks.
    pub(super) resets: u64,
    pub(super) kept_frames: u64,
    pub(super) kept_ticks: u64,
    /// The frame to be filled next.
    pub(super) spare: Frame,
    pub(super) sums: FrameSums,
    all_sums: FrameSums,
    pub(super) gpu: Gpu,
    /// Those that `update` was called with.
    pub(super) records: Vec<&'static ThreadRecord>,
    /// How many reports were made.
    #[cfg(all(test, feature = "enable"))]
    pub(super) reports_made: std::cell::Cell<usize>,
}

/// A thread, or several of the same name one after the other.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) tree: ThreadTree,
    pub(super) heat: HeatMap,
    pub(super) budget: Budget,
    /// Milliseconds of the GPU by node, as far as any submitted work to it.
    pub(super) gpu: Vec<Averages<1>>,
    /// It had ended when everything was reset, and nobody has taken its place since.
    pub(super) gone: bool,
    /// Faults that happened before everything was reset.
    faults_before: [u64; Fault::ALL.len()],
}

impl Thread {
    /// Whether it runs and has nodes without clocks.
    fn is_sampled(&self) -> bool {
        self.budget.short() > 0 && self.tree.record().is_owned()
    }

    pub(super) fn name(&self) -> String {
        self.tree.record().name()
    }

    pub(super) fn is_named(&self, name: &str) -> bool {
        self.tree.record().is_named(name)
    }
}

impl Process {
    pub(crate) fn new(anchor: Pair) -> Process {
        Process {
            names: Names::default(),
            threads: Vec::new(),
            history: History::new(DEFAULT_FRAMES),
            clock: AverageClock::default(),
            heat: None,
            first: None,
            groups: Groups::default(),
            frame_ms: Averages::default(),
            rate: RateMeter::new(anchor),
            main: 0,
            frames: 0,
            frames_seen: 0,
            paused: false,
            profile: None,
            has_frames: false,
            first_frame: None,
            has_budget_thread: false,
            timing: Timing::default(),
            to_mark: Vec::new(),
            cost: KnownCost::default(),
            sampler_ms: Averages::default(),
            growth: Growth::default(),
            misread: None,
            no_sampler: None,
            hits: Vec::new(),
            found: Tally::default(),
            sampler_ns: 0,
            look: LookCost::default(),
            orders: Vec::new(),
            boundary: anchor,
            kept_frames: 0,
            resets: 0,
            kept_ticks: 0,
            spare: Frame::default(),
            sums: FrameSums::default(),
            all_sums: FrameSums::default(),
            gpu: Gpu::default(),
            records: Vec::new(),
            #[cfg(all(test, feature = "enable"))]
            reports_made: std::cell::Cell::new(0),
        }
    }

    /// Ends the frame at `now.ticks`, on all threads of `records`. With `keep` it becomes part of
    /// history and averages, without it is thrown away. Returns whether nodes were ordered to read
    /// the clock, or not to.
    ///
    /// `main` is the record of the thread that calls. The records of earlier calls must be among
    /// `records`, in the same order; new ones come after them.
    pub(crate) fn update(
        &mut self,
        records: &[&'static ThreadRecord],
        main: &'static ThreadRecord,
        now: Pair,
        keep: bool,
    ) -> bool {
        self.paused = !keep;
        self.has_frames = true;
        self.turn_to(records, main);
        let mut frame = self.end_frame(records, now, keep);
        if keep {
            self.take_in(&mut frame);
        }
        // A frame that is thrown away is paid for, too.
        let has_orders = self.keep_budget(&frame);
        if keep {
            frame = self.complete_first_frame(frame);
        } else {
            self.throw_first_frame_away();
        }
        let (ticks, ms_per_tick) = (frame.ticks, frame.ms_per_tick);
        self.spare = if keep {
            self.remember(frame)
        } else {
            // Not for the next frame to pay.
            self.sampler_ns = 0;
            frame
        };
        self.follow_gpu(keep.then_some(self.frames), ticks, ms_per_tick);
        has_orders
    }

    /// Takes in what a zone was measured to cost.
    pub(crate) fn measured(&mut self, cost: Option<ZoneCost>) {
        if let Some(cost) = cost {
            self.cost.refine(cost);
        }
    }

    /// Frames ended so far, thrown away ones included.
    pub(crate) fn frames_seen(&self) -> u64 {
        self.frames_seen
    }

    /// Takes in what the sampler found since the last frame, which `take` puts into an empty tally;
    /// threads by their place among the records.
    pub(crate) fn take_hits(&mut self, take: impl FnOnce(&mut Tally)) {
        take(&mut self.found);
        if self.hits.try_reserve(self.found.hits().count()).is_ok() {
            self.hits.extend(self.found.hits());
        }
        self.sampler_ns += self.found.spent_ns;
        self.look.take(&self.found);
        self.found.clear();
    }

    /// Decides, by the frame that has ended, which nodes may read the clock, and orders it; returns
    /// whether there are new orders.
    pub(super) fn keep_budget(&mut self, frame: &Frame) -> bool {
        let Timing::Auto { budget } = self.timing else {
            return false;
        };
        let [average_ms] = self.frame_ms.without_age(0);
        let means = Means {
            budget,
            cost: self.cost.get(),
            ms_per_tick: frame.ms_per_tick,
            frame_ms: frame.ms(),
            average_ms,
        };
        let mut has_orders = false;
        for part in &frame.parts {
            if self.gpu.is(part.thread) {
                continue;
            }
            let thread = &mut self.threads[part.thread as usize];
            let samples = &frame.samples[part.start as usize..part.end as usize];
            self.orders.clear();
            thread
                .budget
                .decide(&thread.tree, samples, &self.clock, means, &mut self.orders);
            if !self.orders.is_empty() {
                thread.tree.record().order(&self.orders);
                thread.tree.set_short(thread.budget.short());
                has_orders = true;
            }
        }
        has_orders
    }

    /// Looks per second that the timing asks for: none if no node is without a clock. A thread that
    /// stays in zones without, because it has not entered one since timing was changed, is looked
    /// at until it does.
    pub(crate) fn sampler_hz(&self) -> f64 {
        let is_behind = |thread: &Thread| thread.tree.record().is_in_untimed();
        match self.timing {
            Timing::Sampled { hz } => hz,
            Timing::Auto { budget } if self.threads.iter().any(Thread::is_sampled) => {
                let looks = SAMPLER_PART * budget / (self.look.ns() * 1e-9);
                looks.clamp(AUTO_LEAST_HZ, AUTO_HZ)
            }
            Timing::Exact | Timing::Auto { .. } if self.threads.iter().any(is_behind) => AUTO_HZ,
            _ => 0.0,
        }
    }

    /// Forgets everything up to `now` but what zones and threads are called. Zones that are open
    /// stay open; what they did so far is forgotten. Threads that have ended are forgotten whole.
    ///
    /// `records` and `main` are as for [`update`](Self::update). Frames go on counting.
    pub(crate) fn reset(
        &mut self,
        records: &[&'static ThreadRecord],
        main: &'static ThreadRecord,
        now: Pair,
    ) {
        self.turn_to(records, main);
        self.spare = self.end_frame(records, now, false);
        self.first_frame = None;
        self.sampler_ns = 0;
        self.history.clear();
        (self.kept_frames, self.kept_ticks) = (0, 0);
        self.resets += 1;
        self.no_sampler = None;
        self.clock.forget();
        self.reset_gpu();
        for thread in &mut self.threads {
            thread.tree.forget_samples();
            thread.tree.forget_totals();
            let record = thread.tree.record();
            thread.gone = !record.is_owned();
            thread.faults_before = Fault::ALL.map(|fault| record.faults(fault).0);
        }
    }

    /// Counts a frame that is ended by the thread of the record `main`.
    fn turn_to(&mut self, records: &[&'static ThreadRecord], main: &'static ThreadRecord) {
        self.frames_seen += 1;
        if let Some(at) = records
            .iter()
            .position(|record| std::ptr::eq(*record, main))
        {
            self.main = at as u32;
        }
    }

    /// Of a program that does not call `update`: what it did up to `now` is kept, or thrown away. No
    /// frame ends, as far as anybody can see; none has this in it.
    pub(super) fn set_apart(&mut self, records: &[&'static ThreadRecord], now: Pair, keep: bool) {
        let part = self.end_frame(records, now, keep);
        if keep {
            self.kept_ticks = self.kept_ticks.wrapping_add(part.ticks);
        }
        self.forget_first_frame();
        self.spare = part;
    }

    /// Takes notice of threads that are new since the last time, if there is memory for them.
    pub(super) fn meet(&mut self, records: &[&'static ThreadRecord]) {
        let records = self.ingested(records);
        for record in &records[self.threads.len()..] {
            let thread = Thread {
                tree: ThreadTree::new(record, self.boundary.ticks),
                heat: HeatMap::default(),
                budget: Budget::default(),
                gpu: Vec::new(),
                gone: false,
                faults_before: [0; Fault::ALL.len()],
            };
            self.threads.push(thread);
        }
    }

    /// Has what the sampler found take no more memory than there are nodes, however long the frame.
    pub(super) fn unite_hits(&mut self) {
        self.hits.sort_unstable();
        self.hits.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            is_same
        });
    }

    /// Takes what every thread did since the last frame; learns nothing from it unless it is to be
    /// kept.
    pub(super) fn end_frame(
        &mut self,
        records: &[&'static ThreadRecord],
        now: Pair,
        keep: bool,
    ) -> Frame {
        self.rate.observe(now);
        self.meet(records);
        for (thread, node, count) in self.hits.drain(..).filter(|_| keep) {
            // One that is not known is one that there was no memory for.
            let tree = self.threads.get_mut(thread as usize).map(|t| &mut t.tree);
            if let Some(tree) = tree
                && (!self.growth.has_stopped || (node as usize) < tree.nodes().len())
            {
                tree.hit(node, count);
            }
        }
        let boundary = std::mem::replace(&mut self.boundary, now);
        let ms_per_tick = self.rate.ms_per_tick_between(boundary, now);
        let mut frame = std::mem::take(&mut self.spare);
        frame.begin_ns = boundary.ns;
        frame.ticks = clock::passed(boundary.ticks, now.ticks);
        frame.ms_per_tick = ms_per_tick;
        frame.timing = self.timing;
        frame.parts.clear();
        frame.samples.clear();
        frame.gpu.clear();
        for (at, thread) in self.threads.iter_mut().enumerate() {
            let start = frame.samples.len() as u32;
            thread.tree.end_frame(
                now.ticks,
                ms_per_tick,
                &mut self.names,
                keep,
                &mut frame.samples,
            );
            let end = frame.samples.len() as u32;
            if end > start {
                thread.gone = false;
                frame.parts.push(Part {
                    thread: at as u32,
                    start,
                    end,
                });
            }
        }
        frame
    }

    /// Takes a frame into averages.
    pub(super) fn take_in(&mut self, frame: &mut Frame) {
        // As the nodes' own: a counter that jumps by an age is not to end the program.
        self.kept_ticks = self.kept_ticks.wrapping_add(frame.ticks);
        self.clock.advance(frame.ms() / 1e3);
        self.frame_ms.add(&self.clock, [frame.ms()]);
        frame.sampler_ns = std::mem::take(&mut self.sampler_ns);
        self.sampler_ms
            .add(&self.clock, [frame.sampler_ns as f64 * 1e-6]);
        self.begin_heat_of_all(&frame.parts);
        self.groups.begin_frame(&self.threads, &self.names);
        for part in &frame.parts {
            let thread = &mut self.threads[part.thread as usize];
            let samples = &frame.samples[part.start as usize..part.end as usize];
            let values = samples
                .iter()
                .map(|sample| (sample.node, sample.values(frame.ms_per_tick)));
            add_each(thread.tree.averages_mut(), &self.clock, values);
            thread.tree.average_errors(&self.clock, frame.ms_per_tick);
            self.sums.take(&self.names, thread.tree.links(), samples);
            thread
                .heat
                .add(&self.clock, &self.names, &self.sums, frame.ms_per_tick);
            if self.heat.is_some() {
                self.all_sums.merge(&self.sums);
            }
            self.groups.add(part.thread, &self.sums);
        }
        if let Some(heat) = &mut self.heat {
            heat.add(&self.clock, &self.names, &self.all_sums, frame.ms_per_tick);
        }
        self.groups
            .end_frame(&self.clock, &self.names, frame.ms_per_tick);
    }

    /// Takes a frame into history; returns a frame to be filled anew.
    fn remember(&mut self, mut frame: Frame) -> Frame {
        self.frames += 1;
        self.kept_frames += 1;
        frame.number = self.frames;
        let spare = self.history.push(frame);
        for name in self.to_mark.drain(..) {
            self.history.mark(name);
        }
        spare
    }

    /// Prepares for a frame of the threads of `parts`. The heat of a program of one thread is that
    /// thread's, so it is not followed twice: it parts from it when a second thread turns up.
    fn begin_heat_of_all(&mut self, parts: &[Part]) {
        self.first = self.first.or(parts.first().map(|part| part.thread));
        let others = || parts.iter().any(|part| Some(part.thread) != self.first);
        if self.heat.is_none() && others() {
            self.heat = self.heat_of_all().cloned();
        }
        self.all_sums.clear(&self.names);
    }

    /// The heat of all threads together; none before the first frame.
    pub(super) fn heat_of_all(&self) -> Option<&HeatMap> {
        let of_first = || Some(&self.threads[self.first? as usize].heat);
        self.heat.as_ref().or_else(of_first)
    }

    /// What the report has to warn of.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        warnings.extend(self.misread.clone());
        warnings.extend_from_slice(environment::warnings());
        if let Some(reason) = &self.no_sampler {
            warnings.push(format!("no sampler, times are exact: {reason}"));
        }
        if self.growth.has_stopped {
            warnings.push(growth::STOPPED.to_owned());
        }
        if self.rate.wavers() {
            warnings.push("the processor's counter changes its rate: times may be off".to_owned());
        }
        for fault in Fault::ALL {
            let (mut count, mut name) = (0, None);
            for thread in &self.threads {
                let (faults, zone) = thread.tree.record().faults(fault);
                let faults = faults - thread.faults_before[fault as usize];
                count += faults;
                name = zone.filter(|_| faults > 0).or(name);
            }
            if count == 0 {
                continue;
            }
            let times = if count == 1 {
                "once".to_owned()
            } else {
                format!("{count} times")
            };
            let what = match fault {
                Fault::LeftOpen => "a zone was closed by the end of one below it",
                Fault::EndWithoutBegin => "an end without a begin was ignored",
                Fault::Dropped => "too many stacks: a zone was not entered",
                Fault::NoMemory => "out of memory: a zone was not recorded",
                Fault::Interrupted => {
                    "a signal handler's zone was not recorded while the profiler made a call stack"
                }
            };
            let last = name.map_or(String::new(), |zone| {
                let (label, file, line) = (zone.label(), zone.file(), zone.line());
                format!(", last {label} ({file}:{line})")
            });
            warnings.push(format!("{what} {times}{last}"));
        }
        match gather::refused() {
            0 => {}
            times => warnings.push(format!(
                "out of memory: zones of a thread without a record were not recorded {times} times"
            )),
        }
        self.gpu_warnings(&mut warnings);
        warnings
    }
}

#[cfg(all(test, not(loom)))]
impl Process {
    /// When the last frame ended.
    pub(super) fn boundary_for_tests(&self) -> u64 {
        self.boundary.ticks
    }
}
