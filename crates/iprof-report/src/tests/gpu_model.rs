//! A naive model of GPU times, driven by scripted queries. It stores when each zone begins and ends on the GPU, and
//! determines which zone is active at each moment.
//!
//! This file is long because the model, its checks and its scripted queries belong together.

use super::oracle::{Moments, Stack};
use super::programs::ZONES;
use crate::graph::Graph;
use crate::query::graph::GraphWork;
use crate::view::View;
use iprof_gather::ThreadRecord;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::gpu::ring::{Queries, Ring};
use iprof_gather::gpu::{GpuLosses, GpuMailbox, GpuOrigin};
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::time::Duration;

pub(super) static NAMES: [Zone; ZONES] = [
    Zone::new("a", "a.rs", 1, "gpu"),
    Zone::new("x::b", "b.rs", 2, "gpu"),
    Zone::new("x::y::c", "c.rs", 3, "gpu"),
    Zone::new("z::d", "d.rs", 4, "gpu"),
];

/// The number of threads that submit work, each with its own context.
pub(super) const THREADS: usize = 2;

/// The indices of these threads among all threads. The GPU comes between them.
pub(super) const RECORDS: [u32; THREADS] = [0, 2];

pub(super) const GPU: ThreadId = ThreadId(1);

/// The limits of the session's bands, starting at a few hundred nanoseconds.
pub(super) fn limits() -> [Duration; 7] {
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000].map(Duration::from_nanos)
}

/// The maximum number of queries per context, enough for three zones.
pub(super) const MAX_QUERIES: usize = 6;

/// A step of a program, for one thread or for all threads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Enter(usize),
    Begin(usize),
    Leave,
    /// Advances the CPU's time.
    Pass(u64),
    /// Submits work that takes this many nanoseconds on the GPU.
    Work(u64),
    /// Overrides the value of the next timestamp.
    SetTimestamp(u64),
    /// Completes this many more queries on the GPU.
    Ready(usize),
    Disjoint,
    /// Reads the completed queries in frames that ended at least this many frames ago.
    Read(u64),
    Frame(bool),
    Reset,
}

/// A timestamp later than any real timestamp. Each subsequent override is reduced by another `EARLIER`.
pub(super) const LATE: u64 = 1 << 60;

/// The amount by which each subsequent override is reduced.
pub(super) const EARLIER: u64 = 1 << 40;

pub(super) fn program() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        4 => (0..ZONES).prop_map(Step::Enter),
        10 => (0..ZONES).prop_map(Step::Begin),
        12 => Just(Step::Leave),
        4 => (1u64..2_000).prop_map(Step::Pass),
        10 => (1u64..2_000).prop_map(Step::Work),
        1 => prop_oneof![Just(0), Just(LATE)].prop_map(Step::SetTimestamp),
        12 => (1usize..6).prop_map(Step::Ready),
        1 => Just(Step::Disjoint),
        8 => (0u64..3).prop_map(Step::Read),
        5 => Just(Step::Frame(true)),
        1 => Just(Step::Frame(false)),
        1 => Just(Step::Reset),
    ];
    prop::collection::vec((0..THREADS, step), 1..160)
}

/// A fake GPU that stores, for each query, the index of its timestamp.
#[derive(Debug, Default)]
pub(super) struct FakeGpu {
    pub(super) now: u64,
    pub(super) next_timestamp: Option<u64>,
    pub(super) timestamps: Vec<u64>,
    pub(super) ready: usize,
    pub(super) disjoint: bool,
    /// The timestamp index of each query.
    pub(super) timestamp_of: Vec<usize>,
    /// The number of timestamps read so far.
    pub(super) read: usize,
    /// The number of timestamps that had been read when disjoint times were last checked.
    pub(super) read_before: usize,
    /// Whether the naive model knows each timestamp to be invalid.
    pub(super) invalid: Vec<bool>,
}

impl Queries for FakeGpu {
    type Query = usize;

    fn make(&mut self) -> Option<usize> {
        self.timestamp_of.push(usize::MAX);
        Some(self.timestamp_of.len() - 1)
    }

    fn stamp(&mut self, query: usize) {
        assert!(
            self.timestamp_of[query] == usize::MAX,
            "the query should not be in flight already"
        );
        self.timestamp_of[query] = self.timestamps.len();
        let earlier = self.timestamps.len() as u64 * EARLIER;
        let set = self
            .next_timestamp
            .take()
            .map(|ns| ns.saturating_sub(earlier));
        self.timestamps.push(set.unwrap_or(self.now));
        self.invalid.push(false);
    }

    fn read(&mut self, query: usize) -> Option<u64> {
        let at = self.timestamp_of[query];
        assert_eq!(at, self.read, "queries should be read in order");
        (at < self.ready).then(|| {
            self.timestamp_of[query] = usize::MAX;
            self.read += 1;
            self.timestamps[at]
        })
    }

    fn delete(&mut self, _: usize) {
        unreachable!("the ring should not delete queries here");
    }

    fn was_disjoint(&mut self) -> bool {
        let was = std::mem::take(&mut self.disjoint);
        if was {
            self.invalid[self.read_before..].fill(true);
        }
        self.read_before = self.read;
        was
    }
}

#[derive(Clone, Debug)]
pub(super) struct NaiveZone {
    pub(super) cpu_stack: Stack,
    pub(super) gpu_stack: Stack,
    /// The index of the begin timestamp.
    pub(super) begin: usize,
    /// The index of the end timestamp, once the zone has ended.
    pub(super) end: Option<usize>,
    pub(super) begun_in: u64,
    /// The frame in which the zone ended, once it has ended.
    pub(super) frame: Option<u64>,
    pub(super) within: Option<usize>,
}

/// A thread with its own context, and its model.
pub(super) struct Submitter {
    pub(super) thread: ScriptedThread,
    pub(super) ring: Ring<usize>,
    pub(super) fake: FakeGpu,
    /// The zones on the stack.
    pub(super) stack: Stack,
    /// For each GPU zone on the stack, the id needed to end it, and its index in `zones`.
    pub(super) on_gpu: Vec<Option<(u64, usize)>>,
    pub(super) zones: Vec<NaiveZone>,
    /// The duration of each piece of work, and the zone in which it was submitted.
    pub(super) work: Vec<(u64, Option<usize>)>,
    pub(super) frame: Moments,
}

impl Submitter {
    pub(super) fn new(name: &str, now: u64) -> Submitter {
        Submitter {
            thread: ScriptedThread::begin(name, now),
            ring: Ring::new(MAX_QUERIES),
            fake: FakeGpu {
                now: 1_000,
                ..FakeGpu::default()
            },
            stack: vec![0],
            on_gpu: Vec::new(),
            zones: Vec::new(),
            work: Vec::new(),
            frame: Moments::default(),
        }
    }

    pub(super) fn innermost(&self) -> Option<usize> {
        let on_gpu = self.on_gpu.iter().rev();
        on_gpu.copied().flatten().map(|(_, zone)| zone).next()
    }

    /// Returns whether a zone's time is ultimately known, based on its timestamps rather than on the ring.
    pub(super) fn is_known(&self, zone: &NaiveZone, forgotten: Option<u64>) -> bool {
        let Some(end) = zone.end else { return false };
        let [begin_ns, end_ns] = [zone.begin, end].map(|at| self.fake.timestamps[at]);
        let is_true = |ns: u64| ns != 0 && ns < LATE / 2;
        is_true(begin_ns)
            && is_true(end_ns)
            && !self.fake.invalid[zone.begin]
            && !self.fake.invalid[end]
            && forgotten.is_none_or(|frame| zone.begun_in > frame)
    }

    /// Returns whether the ring subtracts a zone's time from its enclosing zone.
    pub(super) fn is_read(&self, zone: &NaiveZone) -> bool {
        self.is_known(zone, None)
    }
}

/// Discards what remains in the ring, since there is no mailbox to deliver it to.
impl Drop for Submitter {
    fn drop(&mut self) {
        let spans = &mut self.ring.timeline.spans;
        spans.give_up();
        spans.finished.clear();
        spans.losses = GpuLosses::default();
    }
}

#[derive(Clone, Debug)]
pub(super) struct NaiveFrame {
    pub(super) frame: u64,
    pub(super) number: u64,
    pub(super) ticks: u64,
    pub(super) threads: Vec<Moments>,
}

pub(super) struct Run {
    pub(super) profiler: Profiler,
    pub(super) submitters: Vec<Submitter>,
    pub(super) gpu: &'static ThreadRecord,
    pub(super) post: GpuMailbox,
    pub(super) frames: Vec<NaiveFrame>,
    pub(super) forgotten: Option<u64>,
    pub(super) recorded: u64,
    pub(super) now: u64,
    pub(super) frame_start: u64,
    /// The number of zones that the naive model counted as lost, before the last reset and in total.
    pub(super) overflowed: [u64; 2],
    pub(super) graph: (Graph, GraphWork),
}

impl Run {
    pub(super) fn new() -> Run {
        let now = 1_000;
        let gpu = ScriptedThread::of_gpu();
        let mut profiler = Profiler::new(Pair::both(now));
        profiler.set_session_limits(Some(limits()));
        Run {
            profiler,
            submitters: vec![Submitter::new("main", now), Submitter::new("render", now)],
            gpu,
            post: GpuMailbox {
                tree: Some(gpu),
                ..GpuMailbox::default()
            },
            frames: Vec::new(),
            forgotten: None,
            recorded: 0,
            now,
            frame_start: now,
            overflowed: [0; 2],
            graph: (Graph::default(), GraphWork::default()),
        }
    }

    pub(super) fn records(&self) -> Vec<&'static ThreadRecord> {
        let [main, render] = [0, 1].map(|at: usize| self.submitters[at].thread.record());
        vec![main, self.gpu, render]
    }

    pub(super) fn step(&mut self, at: usize, step: Step) {
        let post = &mut self.post;
        let submitter = &mut self.submitters[at];
        match step {
            Step::Enter(zone) => {
                submitter.thread.enter(&NAMES[zone], self.now);
                submitter.stack.push(zone + 1);
                submitter.on_gpu.push(None);
                submitter.frame.enter(&submitter.stack);
            }
            Step::Begin(zone) => self.begin(at, zone),
            Step::Leave if submitter.stack.len() > 1 => {
                if let Some((id, zone)) = submitter.on_gpu.pop().unwrap() {
                    assert_eq!(submitter.ring.timeline.spans.ending_with(id), 1);
                    let frame = post.submit(1);
                    submitter.zones[zone].end = Some(submitter.fake.timestamps.len());
                    submitter.zones[zone].frame = Some(frame);
                    submitter.ring.end(&mut submitter.fake, 1, frame);
                    assert_eq!(submitter.ring.timeline.spans.ending_with(id), 0);
                }
                submitter.thread.leave(self.now);
                submitter.stack.pop();
            }
            Step::Pass(ticks) => {
                self.now += ticks;
                for submitter in &mut self.submitters {
                    submitter.frame.pass(&submitter.stack, ticks);
                }
            }
            Step::Work(ns) => {
                submitter.fake.now += ns;
                submitter.work.push((ns, submitter.innermost()));
            }
            Step::SetTimestamp(ns) => submitter.fake.next_timestamp = Some(ns),
            Step::Ready(more) => {
                let fake = &mut submitter.fake;
                fake.ready = (fake.ready + more).min(fake.timestamps.len());
            }
            Step::Disjoint => submitter.fake.disjoint = true,
            Step::Read(ago) => {
                let before = (post.frame + 1).saturating_sub(ago);
                let ring = &mut submitter.ring;
                ring.read_before(&mut submitter.fake, before);
                post.deliver(
                    &mut ring.timeline.spans.finished,
                    &mut ring.timeline.spans.losses,
                );
            }
            Step::Frame(is_recorded) => self.end_frame(Some(is_recorded)),
            Step::Reset => self.end_frame(None),
            Step::Leave => {}
        }
    }

    pub(super) fn begin(&mut self, at: usize, zone: usize) {
        let (post, submitter) = (&mut self.post, &mut self.submitters[at]);
        submitter.thread.enter(&NAMES[zone], self.now);
        submitter.stack.push(zone + 1);
        submitter.frame.enter(&submitter.stack);
        let record = submitter.thread.record();
        let origin = GpuOrigin {
            thread: record,
            node: record.current().unwrap().index(),
            gpu_node: post
                .node_for(submitter.ring.timeline.spans.innermost(), &NAMES[zone])
                .unwrap(),
            begun_in: post.frame,
        };
        let begin = submitter.fake.timestamps.len();
        let in_flight = begin - submitter.fake.read;
        let open = submitter.on_gpu.iter().flatten().count();
        let id = submitter.ring.begin(&mut submitter.fake, origin);
        assert_eq!(id.is_some(), in_flight + open + 2 <= MAX_QUERIES);
        let Some(id) = id else {
            self.overflowed[1] += 1;
            submitter.on_gpu.push(None);
            let ring = &mut submitter.ring;
            post.deliver(
                &mut ring.timeline.spans.finished,
                &mut ring.timeline.spans.losses,
            );
            return;
        };
        let within = submitter.innermost();
        let mut gpu_stack = within.map_or(vec![0], |at| submitter.zones[at].gpu_stack.clone());
        gpu_stack.push(zone + 1);
        submitter.on_gpu.push(Some((id, submitter.zones.len())));
        submitter.zones.push(NaiveZone {
            cpu_stack: submitter.stack.clone(),
            gpu_stack,
            begin,
            end: None,
            begun_in: post.frame,
            frame: None,
            within,
        });
    }

    /// Ends a frame, or performs a reset if `is_recorded` is `None`.
    pub(super) fn end_frame(&mut self, is_recorded: Option<bool>) {
        let records = self.records();
        let now = Pair::both(self.now);
        let frame = self.post.frame;
        self.profiler.fetch_gpu(|news| self.post.end_frame(news));
        let end = |submitter: &mut Submitter| {
            let ended = std::mem::take(&mut submitter.frame);
            submitter.frame.touch(&submitter.stack);
            ended
        };
        let threads = self.submitters.iter_mut().map(end).collect();
        match is_recorded {
            Some(is_recorded) => {
                self.profiler
                    .end_frame(&records, records[0], now, is_recorded);
                if is_recorded {
                    self.recorded += 1;
                    self.frames.push(NaiveFrame {
                        frame,
                        number: self.recorded,
                        ticks: self.now - self.frame_start,
                        threads,
                    });
                }
            }
            None => {
                self.profiler.reset(&records, records[0], now);
                self.frames.clear();
                self.forgotten = Some(frame);
                self.overflowed[0] = self.overflowed[1];
            }
        }
        self.frame_start = self.now;
        self.check_completeness();
        let mut view = View::default();
        view.set_threads(Threads::One(GPU));
        let (graph, work) = &mut self.graph;
        work.update(&self.profiler, &view, false, graph);
    }

    /// Checks that a frame has GPU times exactly when all of its zones, and all zones of earlier frames, have been
    /// read.
    pub(super) fn check_completeness(&self) {
        let is_missing = |frame: u64| {
            self.submitters.iter().any(|submitter| {
                let mut zones = submitter.zones.iter();
                zones.any(|zone| {
                    let is_read = zone.end.is_some_and(|end| end < submitter.fake.read);
                    zone.frame == Some(frame) && !is_read
                })
            })
        };
        let frames = self.frames.iter().map(|frame| frame.frame);
        let complete: Vec<u64> = frames.take_while(|frame| !is_missing(*frame)).collect();
        for frame in &self.frames {
            let remembered = self.profiler.history().find(frame.number).unwrap();
            let has_gpu = !remembered.deltas_of(GPU.0).is_empty();
            assert_eq!(
                has_gpu,
                complete.contains(&frame.frame),
                "whether GPU times are complete in {frame:?}"
            );
        }
    }

    /// Returns a frame's GPU times, both by the thread that submitted the work and for the GPU itself.
    pub(super) fn gpu_moments(&self, frame: &NaiveFrame) -> (Vec<Moments>, Moments) {
        let mut gpu = Moments::default();
        let mut by_thread = Vec::new();
        for submitter in &self.submitters {
            let mut moments = Moments::default();
            for (ns, zone) in &submitter.work {
                // Find the innermost zone whose own time can be determined.
                let mut at = *zone;
                while let Some(zone) = at
                    && !submitter.is_read(&submitter.zones[zone])
                {
                    at = submitter.zones[zone].within;
                }
                let Some(zone) = at.map(|at| &submitter.zones[at]) else {
                    continue;
                };
                if zone.frame == Some(frame.frame) && submitter.is_known(zone, self.forgotten) {
                    moments.pass(&zone.cpu_stack, *ns);
                    gpu.pass(&zone.gpu_stack, *ns);
                }
            }
            for zone in &submitter.zones {
                if zone.frame == Some(frame.frame) && submitter.is_known(zone, self.forgotten) {
                    gpu.touch(&zone.gpu_stack);
                    gpu.enter(&zone.gpu_stack);
                }
            }
            by_thread.push(moments);
        }
        let left = (frame.ticks as f64 - gpu.total()).max(0.0);
        gpu.pass(&vec![0], left as u64);
        (by_thread, gpu)
    }
}
