//! Tests of GPU times, from a ring of scripted queries to reports, against a naive twin. The twin
//! stores the GPU begin and end of every zone, and finds the zone of each moment.

use super::oracle::{IDLE_OUTSIDE, Moments, RowId, Stack, Sums};
use super::programs::{self, MS_PER_TICK, ZONES};
use super::range::set_range;
use super::sums::{close, row_id};
use crate::Zone;
use crate::clock::Pair;
use crate::gather::ThreadRecord;
use crate::gather::cost::ZoneCost;
use crate::gather::gpu::{GpuLosses, GpuMailbox, GpuOrigin};
use crate::gather::scripted_thread::ScriptedThread;
use crate::gpu::{Queries, Ring};
use crate::graph::Graph;
use crate::process::frame::gpu::MOST_WAITING;
use crate::process::frame::indices::Key;
use crate::process::frame::profiler::Profiler;
use crate::process::moving_average::FOLLOW_90;
use crate::process::query;
use crate::process::query::graph::GraphWork;
use crate::process::snapshots::thread_at;
use crate::process::view::{FrameChoice, View};
use crate::report::{ColumnId, Recursion, Report, ReportMode, Row, Section};
use crate::threads::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

static NAMES: [Zone; ZONES] = [
    Zone::new("a", "a.rs", 1, "gpu"),
    Zone::new("x::b", "b.rs", 2, "gpu"),
    Zone::new("x::y::c", "c.rs", 3, "gpu"),
    Zone::new("z::d", "d.rs", 4, "gpu"),
];

/// Threads that submit work, each to a context of its own.
const THREADS: usize = 2;
/// The indices of these threads among all threads; the GPU is another one.
const RECORDS: [u32; THREADS] = [0, 2];
const GPU: ThreadId = ThreadId(1);
/// Most queries of a context: enough for three zones.
const MOST: usize = 6;

/// A step of a program, on one thread or on all.
#[derive(Clone, Copy, Debug)]
enum Step {
    Enter(usize),
    /// Enters a GPU zone.
    Begin(usize),
    /// Leaves the innermost zone.
    Leave,
    /// Time passes on the CPU.
    Pass(u64),
    /// The thread submits work that takes that many nanoseconds.
    Work(u64),
    /// The next timestamp read will be this one.
    Lie(u64),
    /// The GPU has reached that many more queries.
    Ready(usize),
    Disjoint,
    /// Reads the queries that are ready, of frames that ended at least that long ago.
    Read(u64),
    /// `update` with the flag.
    Frame(bool),
    Reset,
    /// Ends an interval of the first frame; only before that frame has ended.
    EndInterval,
}

/// Timestamps later than all real ones, each one earlier than the one before.
const LATE: u64 = 1 << 60;
const EARLIER: u64 = 1 << 40;

fn program() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        4 => (0..ZONES).prop_map(Step::Enter),
        10 => (0..ZONES).prop_map(Step::Begin),
        12 => Just(Step::Leave),
        4 => (1u64..2_000).prop_map(Step::Pass),
        10 => (1u64..2_000).prop_map(Step::Work),
        1 => prop_oneof![Just(0), Just(LATE)].prop_map(Step::Lie),
        12 => (1usize..6).prop_map(Step::Ready),
        1 => Just(Step::Disjoint),
        8 => (0u64..3).prop_map(Step::Read),
        5 => Just(Step::Frame(true)),
        1 => Just(Step::Frame(false)),
        1 => Just(Step::Reset),
        3 => Just(Step::EndInterval),
    ];
    prop::collection::vec((0..THREADS, step), 1..160)
}

/// A GPU in which a query is the number of its timestamp.
#[derive(Debug, Default)]
struct Fake {
    now: u64,
    lie: Option<u64>,
    stamps: Vec<u64>,
    ready: usize,
    disjoint: bool,
    /// By query: the number of its timestamp.
    at: Vec<usize>,
    /// How many timestamps have been read; and how many had been read at the last query for disjoints.
    read: usize,
    read_before: usize,
    /// Timestamps that the naive twin knows to be invalid.
    void: Vec<bool>,
}

impl Queries for Fake {
    type Query = usize;

    fn make(&mut self) -> Option<usize> {
        self.at.push(usize::MAX);
        Some(self.at.len() - 1)
    }

    fn stamp(&mut self, query: usize) {
        assert!(self.at[query] == usize::MAX, "the query is in flight");
        self.at[query] = self.stamps.len();
        let earlier = self.stamps.len() as u64 * EARLIER;
        let lie = self.lie.take().map(|lie| lie.saturating_sub(earlier));
        self.stamps.push(lie.unwrap_or(self.now));
        self.void.push(false);
    }

    fn read(&mut self, query: usize) -> Option<u64> {
        let at = self.at[query];
        assert_eq!(at, self.read, "read in order");
        (at < self.ready).then(|| {
            self.at[query] = usize::MAX;
            self.read += 1;
            self.stamps[at]
        })
    }

    fn delete(&mut self, _: usize) {
        unreachable!("no query is deleted here");
    }

    fn was_disjoint(&mut self) -> bool {
        let was = std::mem::take(&mut self.disjoint);
        if was {
            self.void[self.read_before..].fill(true);
        }
        self.read_before = self.read;
        was
    }
}

/// A GPU zone as the naive twin stores it.
#[derive(Clone, Debug)]
struct NaiveZone {
    cpu_stack: Stack,
    gpu_stack: Stack,
    /// The timestamps of its begin and end; the latter once it has ended, with its frame.
    begin: usize,
    end: Option<usize>,
    begun_in: u64,
    frame: Option<u64>,
    /// The index of the enclosing zone.
    within: Option<usize>,
}

/// A thread with a context, and its twin.
struct Submitter {
    thread: ScriptedThread,
    ring: Ring<usize>,
    fake: Fake,
    /// The zones on the stack; for GPU zones with the data that their end needs and their index.
    stack: Stack,
    on_gpu: Vec<Option<(u64, usize)>>,
    zones: Vec<NaiveZone>,
    /// Begin and end of each piece of work, and the zone it was submitted in.
    work: Vec<(u64, Option<usize>)>,
    frame: Moments,
}

impl Submitter {
    fn new(name: &str, now: u64) -> Submitter {
        Submitter {
            thread: ScriptedThread::begin(name, now),
            ring: Ring::new(MOST),
            fake: Fake {
                now: 1_000,
                ..Fake::default()
            },
            stack: vec![0],
            on_gpu: Vec::new(),
            zones: Vec::new(),
            work: Vec::new(),
            frame: Moments::default(),
        }
    }

    fn innermost(&self) -> Option<usize> {
        let on_gpu = self.on_gpu.iter().rev();
        on_gpu.copied().flatten().map(|(_, zone)| zone).next()
    }

    /// Whether a zone's time is known in the end, by its timestamps rather than by the ring.
    fn is_known(&self, zone: &NaiveZone, forgotten: Option<u64>) -> bool {
        let Some(end) = zone.end else { return false };
        let [begin_ns, end_ns] = [zone.begin, end].map(|at| self.fake.stamps[at]);
        let is_true = |ns: u64| ns != 0 && ns < LATE / 2;
        is_true(begin_ns)
            && is_true(end_ns)
            && !self.fake.void[zone.begin]
            && !self.fake.void[end]
            && forgotten.is_none_or(|frame| zone.begun_in > frame)
    }

    /// Whether the ring subtracts a zone's time from the enclosing zone.
    fn is_read(&self, zone: &NaiveZone) -> bool {
        self.is_known(zone, None)
    }
}

/// A frame as the naive twin saw it.
#[derive(Clone, Debug)]
struct NaiveFrame {
    frame: u64,
    number: u64,
    ticks: u64,
    threads: Vec<Moments>,
}

struct Run {
    profiler: Profiler,
    submitters: Vec<Submitter>,
    gpu: &'static ThreadRecord,
    post: GpuMailbox,
    frames: Vec<NaiveFrame>,
    forgotten: Option<u64>,
    recorded: u64,
    now: u64,
    frame_start: u64,
    /// Zones that the naive twin counted as lost: before the last reset, and in all.
    overflowed: [u64; 2],
    /// The graph of the GPU, updated with every frame.
    graph: (Graph, GraphWork),
}

impl Run {
    fn new() -> Run {
        let now = 1_000;
        let gpu = ScriptedThread::of_gpu();
        Run {
            profiler: Profiler::new(Pair::both(now)),
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

    fn records(&self) -> Vec<&'static ThreadRecord> {
        let [main, render] = [0, 1].map(|at: usize| self.submitters[at].thread.record());
        vec![main, self.gpu, render]
    }

    fn step(&mut self, at: usize, step: Step) {
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
                    assert_eq!(submitter.ring.zones_ending_with(id), 1);
                    let frame = post.submit(1);
                    submitter.zones[zone].end = Some(submitter.fake.stamps.len());
                    submitter.zones[zone].frame = Some(frame);
                    submitter.ring.end(&mut submitter.fake, 1, frame);
                    assert_eq!(submitter.ring.zones_ending_with(id), 0);
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
            Step::Lie(ns) => submitter.fake.lie = Some(ns),
            Step::Ready(more) => {
                let fake = &mut submitter.fake;
                fake.ready = (fake.ready + more).min(fake.stamps.len());
            }
            Step::Disjoint => submitter.fake.disjoint = true,
            Step::Read(ago) => {
                let before = (post.frame + 1).saturating_sub(ago);
                let ring = &mut submitter.ring;
                ring.read_before(&mut submitter.fake, before);
                post.deliver(&mut ring.spans, &mut ring.losses);
            }
            Step::Frame(is_recorded) => self.end_frame(Some(is_recorded)),
            Step::Reset => self.end_frame(None),
            Step::EndInterval if !self.profiler.has_frames() => {
                let records = self.records();
                self.profiler.end_interval(&records, Pair::both(self.now));
            }
            Step::EndInterval | Step::Leave => {}
        }
    }

    fn begin(&mut self, at: usize, zone: usize) {
        let (post, submitter) = (&mut self.post, &mut self.submitters[at]);
        submitter.thread.enter(&NAMES[zone], self.now);
        submitter.stack.push(zone + 1);
        submitter.frame.enter(&submitter.stack);
        let record = submitter.thread.record();
        let origin = GpuOrigin {
            thread: record,
            node: record.current().unwrap().index(),
            gpu_node: post
                .node_for(submitter.ring.innermost(), &NAMES[zone])
                .unwrap(),
            begun_in: post.frame,
        };
        let begin = submitter.fake.stamps.len();
        let in_flight = begin - submitter.fake.read;
        let open = submitter.on_gpu.iter().flatten().count();
        let id = submitter.ring.begin(&mut submitter.fake, origin);
        assert_eq!(id.is_some(), in_flight + open + 2 <= MOST);
        let Some(id) = id else {
            self.overflowed[1] += 1;
            submitter.on_gpu.push(None);
            let ring = &mut submitter.ring;
            post.deliver(&mut ring.spans, &mut ring.losses);
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

    /// Without `is_recorded`, a reset.
    fn end_frame(&mut self, is_recorded: Option<bool>) {
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
                self.profiler.update(&records, records[0], now, is_recorded);
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
        self.check_which_are_complete();
        let mut view = View::new();
        view.set_threads(Threads::One(GPU));
        let (graph, work) = &mut self.graph;
        work.update(&self.profiler, &view, graph);
    }

    /// Checks that a frame has its GPU times exactly when all of its zones, and those of all earlier
    /// frames, have been read.
    fn check_which_are_complete(&self) {
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
            assert_eq!(has_gpu, complete.contains(&frame.frame), "{frame:?}");
        }
    }

    /// The GPU times of a frame, by thread that submitted the work, and on the GPU's own thread.
    fn gpu_moments(&self, frame: &NaiveFrame) -> (Vec<Moments>, Moments) {
        let mut gpu = Moments::default();
        let mut by_thread = Vec::new();
        for submitter in &self.submitters {
            let mut moments = Moments::default();
            for (ns, zone) in &submitter.work {
                // The innermost zone whose own time can be told apart.
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

/// Self, hierarchical and GPU time in ticks, and entries.
fn values(row: &Row) -> [f64; 4] {
    let value = |column| row.number(column);
    let [own, hier, gpu] = [
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::GpuTime,
    ]
    .map(value);
    let ticks = [own, hier, gpu].map(|ms| ms / MS_PER_TICK);
    [ticks[0], ticks[1], ticks[2], value(ColumnId::Count)]
}

/// The ticks below which averages are hidden.
const FADED: f64 = 0.101;

fn compare<K: Ord + std::fmt::Debug>(
    report: &Report,
    key: impl Fn(&Row) -> K,
    cpu: &BTreeMap<K, Sums>,
    gpu: &BTreeMap<K, Sums>,
    by: usize,
) {
    let shown: BTreeMap<K, [f64; 4]> = report
        .rows
        .iter()
        .map(|row| (key(row), values(row)))
        .collect();
    assert_eq!(shown.len(), report.rows.len(), "duplicate row");
    for key in cpu.keys().chain(gpu.keys()) {
        let [own, hier, count] = cpu.get(key).copied().unwrap_or_default();
        let wanted_gpu = gpu.get(key).map_or(0.0, |sums| sums[by]);
        match shown.get(key) {
            Some(got) => {
                assert!(close(got[0], own) && close(got[1], hier), "{key:?} {got:?}");
                assert!(close(got[3], count), "{key:?} {got:?} {count}");
                let is_faded = got[2] == 0.0 && wanted_gpu <= FADED;
                assert!(
                    close(got[2], wanted_gpu) || is_faded,
                    "{key:?} {got:?} {wanted_gpu}"
                );
            }
            None => {
                let all = hier.max(wanted_gpu);
                assert!(
                    all <= FADED && count < 1.01e-4,
                    "{key:?} is missing: {all} {count}"
                );
            }
        }
    }
    for (key, got) in &shown {
        let is_known = cpu.contains_key(key) || gpu.contains_key(key);
        assert!(
            is_known || *got == [0.0; 4],
            "{key:?} {got:?} is not in the oracle"
        );
    }
    let has_column = report.columns.contains(&ColumnId::GpuTime);
    assert_eq!(has_column, shown.values().any(|got| got[2] > 0.0));
}

/// Checks all modes of a view: CPU times, and the GPU times issued by each row.
/// Moments as they are, and as lists of zones show them.
type Both<'m> = [&'m Moments; 2];

fn check(
    profiler: &Profiler,
    view: &View,
    [cpu, cpu_in_lists]: Both<'_>,
    [gpu, gpu_in_lists]: Both<'_>,
) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut view = view.clone();
        view.set_recursion(recursion);
        view.set_idle_ranked(true);
        let modes = [ReportMode::SelfTime, ReportMode::HierarchicalTime];
        for (by, mode) in modes.into_iter().enumerate() {
            view.set_report_mode(mode);
            let report = query::report(profiler, &view, None);
            let lists = [cpu_in_lists, gpu_in_lists].map(|moments| moments.flat(recursion));
            compare(&report, row_id, &lists[0], &lists[1], by);
        }
        let all = query::report(profiler, &view, None);
        view.set_report_mode(ReportMode::CallGraph);
        let is_zone = |row: &&Row| row_id(row).0 != IDLE_OUTSIDE;
        for row in all.rows.iter().filter(is_zone) {
            view.selected = Key {
                zone: row.key.zone,
                level: row.key.level,
            };
            let report = query::report(profiler, &view, None);
            let of = |moments: &Moments| moments.call_graph(recursion, row_id(row));
            let key = |row: &Row| (row.key.section, row_id(row));
            compare(&report, key, &of(cpu), &of(gpu), 1);
            // Callers sum to the zone.
            let sum = |section| {
                let rows = report.rows.iter().filter(|r| r.key.section == section);
                rows.map(|row| values(row)[2]).sum::<f64>()
            };
            let (callers, selected) = (sum(Section::Caller), sum(Section::Selected));
            let faded = FADED * report.rows.len() as f64;
            assert!(row_id(row).0 == 0 || (callers - selected).abs() <= faded);
        }
        view.set_report_mode(ReportMode::CallTree);
        let report = query::report(profiler, &view, None);
        let tree = |moments: &Moments| -> BTreeMap<RowId, Sums> {
            let chains = moments.callee_paths(recursion, None).into_iter();
            // Only the root and its children are open.
            let chains = chains.filter(|(chain, _)| chain.len() <= 2);
            chains
                .map(|(chain, sums)| (*chain.last().unwrap(), sums))
                .collect()
        };
        compare(&report, row_id, &tree(cpu), &tree(gpu), 1);
    }
}

/// Checks a view of each thread, of all threads, and of the GPU.
fn check_all(run: &Run, view: &View, cpu: &[Moments], by_thread: &[Moments], gpu: &Moments) {
    let mut view = view.clone();
    let (mut all_cpu, mut all_gpu) = (Moments::default(), Moments::default());
    let mut in_lists = [(); 2].map(|()| Moments::default());
    for at in 0..THREADS {
        view.set_threads(Threads::One(ThreadId(RECORDS[at])));
        let [cpu_in_lists, gpu_in_lists] = [&cpu[at], &by_thread[at]].map(|of| of.in_lists(at));
        let of_cpu = [&cpu[at], &cpu_in_lists];
        check(
            &run.profiler,
            &view,
            of_cpu,
            [&by_thread[at], &gpu_in_lists],
        );
        in_lists[0].merge(&cpu_in_lists);
        in_lists[1].merge(&gpu_in_lists);
        all_cpu.merge(&cpu[at]);
        all_gpu.merge(&by_thread[at]);
    }
    view.set_threads(Threads::All);
    let [cpu_in_lists, gpu_in_lists] = &in_lists;
    check(
        &run.profiler,
        &view,
        [&all_cpu, cpu_in_lists],
        [&all_gpu, gpu_in_lists],
    );
    for threads in [Threads::One(GPU), Threads::Group(GPU)] {
        view.set_threads(threads);
        check(&run.profiler, &view, [gpu, gpu], [&Moments::default(); 2]);
        // Self times sum to the frame time in the title, so no time exceeds it.
        let report = query::report(&run.profiler, &view, None);
        let title = format!("{:.2} ms/frame", gpu.total() * MS_PER_TICK + 0.0);
        assert!(
            report.title[0].starts_with(&title),
            "{:?} {title}",
            report.title
        );
        assert!(report.title[0].contains("thread GPU"));
    }
}

fn check_program(program: &[(usize, Step)]) {
    let mut run = Run::new();
    for &(at, step) in program {
        run.step(at, step);
    }
    // In the end all times arrive. Open zones stay open.
    run.step(0, Step::Pass(1));
    run.step(0, Step::Frame(true));
    for at in 0..THREADS {
        run.step(at, Step::Ready(usize::MAX >> 1));
        run.step(at, Step::Read(0));
    }
    run.step(0, Step::Pass(1));
    run.step(0, Step::Frame(true));

    let mut seen = Vec::new();
    for frame in &run.frames {
        let (by_thread, gpu) = run.gpu_moments(frame);
        let mut view = View::new();
        view.frame = FrameChoice::Number(frame.number);
        check_all(&run, &view, &frame.threads, &by_thread, &gpu);
        seen.push((frame.ticks, by_thread, gpu));
    }
    // All times have arrived, so the newest frame has its GPU times.
    let mut view = View::new();
    view.set_average(crate::Average::Newest);
    let (_, by_thread, gpu) = seen.last().unwrap();
    check_all(
        &run,
        &view,
        &run.frames.last().unwrap().threads,
        by_thread,
        gpu,
    );
    for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
        view.set_average(crate::Average::ALL[slot + 1]);
        let mut averages = [(); 2 * THREADS + 1].map(|()| Moments::default());
        for (number, ((ticks, by_thread, gpu), frame)) in seen.iter().zip(&run.frames).enumerate() {
            let seconds = *ticks as f64 * MS_PER_TICK * 1e-3;
            let old = match number < 3 {
                true => 0.0,
                false => 0.1f64.powf(seconds / t90),
            };
            let new = frame.threads.iter().chain(by_thread).chain([gpu]);
            for (average, new) in averages.iter_mut().zip(new) {
                average.blend(old, new, 1.0 - old);
            }
        }
        let (cpu, rest) = averages.split_at(THREADS);
        check_all(&run, &view, cpu, &rest[..THREADS], &rest[THREADS]);
    }
    // And the mean of all frames.
    if let [first, .., last] = &run.frames[..] {
        view.frame = FrameChoice::Range(first.number, last.number);
        let mut means = [(); 2 * THREADS + 1].map(|()| Moments::default());
        for ((_, by_thread, gpu), frame) in seen.iter().zip(&run.frames) {
            let all = frame.threads.iter().chain(by_thread).chain([gpu]);
            for (mean, moments) in means.iter_mut().zip(all) {
                mean.blend(1.0, moments, 1.0 / seen.len() as f64);
            }
        }
        let (cpu, rest) = means.split_at(THREADS);
        check_all(&run, &view, cpu, &rest[..THREADS], &rest[THREADS]);
    }
    check_snapshot(&mut run);
    check_losses(&run);
    check_graph(&run, seen.iter().map(|(_, _, gpu)| gpu.total()));
}

/// Checks that the GPU of a snapshot has the sums over all remembered frames, which are all there are.
fn check_snapshot(run: &mut Run) {
    let mut sums = BTreeMap::new();
    for frame in run.profiler.history().iter() {
        for delta in frame.deltas_of(GPU.0) {
            let sum: &mut (u64, u64) = sums.entry(delta.node as usize).or_default();
            *sum = (sum.0 + delta.ticks, sum.1 + delta.entries);
        }
    }
    let thread = thread_at(&mut run.profiler, GPU.0 as usize, None);
    assert_eq!((&*thread.name, thread.has_ended), ("GPU", false));
    for (at, node) in thread.nodes.iter().enumerate() {
        let sum = sums.get(&at).copied().unwrap_or_default();
        assert_eq!((node.ticks, node.entries), sum);
    }
    assert!(sums.keys().all(|at| *at < thread.nodes.len()));
}

/// Checks that bars are as high as the GPU's frames, whenever the times arrived.
fn check_graph(run: &Run, ticks: impl Iterator<Item = f64>) {
    let bars = run.graph.0.bars.iter();
    let shown: Vec<f64> = bars.map(|bar| bar.ms / MS_PER_TICK).collect();
    let ticks: Vec<f64> = ticks.collect();
    assert_eq!(shown.len(), ticks.len());
    let alike = shown.iter().zip(&ticks).all(|(a, b)| close(*a, *b));
    assert!(alike, "{shown:?} {ticks:?}");
}

/// Checks that all losses are counted, by reason.
fn check_losses(run: &Run) {
    let (mut disjoint, mut implausible) = (0, 0);
    for submitter in &run.submitters {
        let stamps = &submitter.fake.stamps;
        let has_bits = stamps[..submitter.fake.read].iter().any(|ns| *ns != 0);
        for zone in &submitter.zones {
            let Some(end) = zone.end.filter(|end| *end < submitter.fake.read) else {
                continue;
            };
            if submitter.fake.void[zone.begin] || submitter.fake.void[end] {
                disjoint += 1;
            } else if !submitter.is_known(zone, None) && has_bits {
                implausible += 1;
            }
        }
    }
    let wanted = GpuLosses {
        overflowed: run.overflowed[1],
        implausible,
        disjoint,
        unknown_context: 0,
    };
    assert_eq!(run.post.losses, wanted);
    let warnings = query::report(&run.profiler, &View::new(), None).warnings;
    let warns = warnings
        .iter()
        .any(|line| line.contains("too many GPU zones in flight"));
    assert_eq!(warns, run.overflowed[1] > run.overflowed[0], "{warnings:?}");
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn gpu_times_belong_to_the_frames_that_submitted_the_work(program in program()) {
        check_program(&program);
    }
}

/// Frames of one zone each, of 100 ns in frames of 1,000; some queries are read late, or never.
fn frames(run: &mut Run, count: usize) {
    for _ in 0..count {
        run.step(0, Step::Begin(0));
        run.step(0, Step::Work(100));
        run.step(0, Step::Leave);
        run.step(0, Step::Pass(1_000));
        run.step(0, Step::Frame(true));
    }
}

fn self_times(run: &Run, frame: u64) -> Vec<(String, f64)> {
    let mut view = View::new();
    view.frame = FrameChoice::Number(frame);
    view.set_threads(Threads::One(GPU));
    let report = query::report(&run.profiler, &view, None);
    let rows = report.rows.iter();
    let time = |row: &Row| (row.name.to_string(), values(row)[0].round());
    rows.map(time).collect()
}

#[test]
fn work_longer_than_its_frame_makes_the_gpu_frame_longer() {
    let mut run = Run::new();
    run.step(0, Step::Begin(0));
    run.step(0, Step::Work(1_500));
    frames(&mut run, 1);
    run.step(0, Step::Leave);
    frames(&mut run, 1);
    run.step(0, Step::Ready(9));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    let named = |times: &[(&str, f64)]| -> Vec<(String, f64)> {
        times
            .iter()
            .map(|(name, time)| (name.to_string(), *time))
            .collect()
    };
    // A zone that is open at the end of a frame belongs to the frame in which it ends.
    assert_eq!(
        self_times(&run, 1),
        named(&[("(outside zones)", 900.0), ("a (2)", 100.0)])
    );
    assert_eq!(
        self_times(&run, 2),
        named(&[("a", 1_600.0), ("(outside zones)", 0.0)])
    );
    // The same holds in the mean.
    let mut view = View::new();
    view.set_threads(Threads::One(GPU));
    set_range(&mut view, &run.profiler, 1, 2);
    let report = query::report(&run.profiler, &view, None);
    assert_eq!((report.frame_ms / MS_PER_TICK).round(), 1_300.0);
}

#[test]
fn in_a_range_gpu_times_are_the_mean_of_the_frames_that_have_them() {
    let mut run = Run::new();
    frames(&mut run, 4);
    // The times of two of them arrive.
    run.step(0, Step::Ready(4));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    let mut view = View::new();
    set_range(&mut view, &run.profiler, 1, 4);
    let report = query::report(&run.profiler, &view, None);
    let row = report.rows.iter().find(|row| &*row.name == "a");
    let [.., gpu, count] = values(row.unwrap());
    assert_eq!((gpu.round(), count), (100.0, 1.0));
    view.set_threads(Threads::One(GPU));
    let report = query::report(&run.profiler, &view, None);
    let times: Vec<_> = report.rows.iter().map(values).collect();
    let whole: Vec<_> = times.iter().map(|times| times.map(f64::round)).collect();
    // Recording has no cost on the GPU.
    run.profiler.add_cost_measurement(Some(ZoneCost {
        timed: 20.0,
        inside: 8.0,
        counted: 1.0,
    }));
    view.set_net_times(true);
    let net = query::report(&run.profiler, &view, None);
    for row in &net.rows {
        assert_eq!(
            row.value(ColumnId::NetTime).unwrap(),
            row.value(ColumnId::SelfTime).unwrap()
        );
    }
    // The rest of the frame, and the zone.
    assert_eq!(whole[0], [900.0, 1_000.0, 0.0, 0.0]);
    assert_eq!(whole[1], [100.0, 100.0, 0.0, 1.0]);
}

/// A driver may flush its commands when a query is read, so none is read before its frame has ended.
#[test]
fn queries_of_a_frame_in_progress_are_not_read() {
    let mut run = Run::new();
    frames(&mut run, 2);
    let submitter = &mut run.submitters[0];
    submitter.fake.ready = 4;
    for (before, read) in [(0, 0), (1, 2), (1, 2), (2, 4)] {
        submitter.ring.read_before(&mut submitter.fake, before);
        assert_eq!(submitter.fake.read, read, "before frame {before}");
    }
}

#[test]
fn queries_that_never_complete_are_given_up_and_later_ones_go_on() {
    let mut run = Run::new();
    frames(&mut run, 1);
    // From here on the first context is lost; the second has work to do.
    for _ in 0..MOST_WAITING {
        run.step(1, Step::Begin(1));
        run.step(1, Step::Work(10));
        run.step(1, Step::Leave);
        run.step(1, Step::Ready(2));
        run.step(1, Step::Read(0));
        run.step(1, Step::Pass(100));
        assert!(self_times(&run, 2).is_empty());
        // As `step`, without the check, which does not give up.
        let records = run.records();
        let now = Pair::both(run.now);
        run.profiler.fetch_gpu(|news| run.post.end_frame(news));
        run.profiler.update(&records, records[0], now, true);
    }
    assert_eq!(
        self_times(&run, 1),
        [("(outside zones)".to_owned(), 1_000.0)]
    );
    let last = 1 + MOST_WAITING as u64;
    assert_eq!(
        self_times(&run, last),
        [
            ("(outside zones)".to_owned(), 90.0),
            ("x::b".to_owned(), 10.0)
        ]
    );
    // The query completes after all: nothing happens.
    run.step(0, Step::Ready(2));
    run.step(0, Step::Read(0));
    let records = run.records();
    let now = Pair::both(run.now);
    run.profiler.fetch_gpu(|news| run.post.end_frame(news));
    run.profiler.update(&records, records[0], now, true);
    assert_eq!(
        self_times(&run, 1),
        [("(outside zones)".to_owned(), 1_000.0)]
    );
}

#[test]
fn late_gpu_times_count_toward_the_bytes_and_the_memory_limit_of_history() {
    for keeps_up in [false, true] {
        let mut run = Run::new();
        run.profiler.history_mut().set_longest(2);
        for _ in 0..60 {
            frames(&mut run, 1);
            if keeps_up {
                run.step(0, Step::Ready(2));
                run.step(0, Step::Read(1));
            }
        }
        let history = run.profiler.history();
        assert_eq!(history.bytes(), history.bytes_for_tests());
        let limit = history.bytes() / 2;
        run.profiler.history_mut().set_memory_limit(limit);
        run.frames.clear();
        for _ in 0..3 {
            run.step(0, Step::Ready(99));
            run.step(0, Step::Read(0));
            run.step(0, Step::Frame(true));
            run.frames.clear();
            let history = run.profiler.history();
            assert!(history.bytes() <= limit && history.len() > 3);
            assert_eq!(history.bytes(), history.bytes_for_tests());
        }
    }
}

#[test]
fn a_timestamp_counter_without_bits_is_detected_and_records_nothing() {
    let mut run = Run::new();
    run.submitters[0].fake.now = 0;
    for _ in 0..60 {
        run.step(0, Step::Begin(0));
        run.step(0, Step::Leave);
        run.step(0, Step::Ready(2));
        run.step(0, Step::Read(0));
        run.step(0, Step::Pass(1_000));
        // The twin expects every zone with queries to be measured.
        let asked = run.submitters[0].fake.stamps.len();
        if asked == 32 {
            let origin = GpuOrigin {
                thread: run.submitters[0].thread.record(),
                node: 1,
                gpu_node: 1,
                begun_in: run.post.frame,
            };
            let submitter = &mut run.submitters[0];
            assert_eq!(submitter.ring.begin(&mut submitter.fake, origin), None);
            assert_eq!(submitter.fake.stamps.len(), 32);
            break;
        }
        assert!(asked < 32);
    }
    run.step(0, Step::Frame(true));
    assert_eq!(run.post.losses, GpuLosses::default());
    assert_eq!(
        self_times(&run, 1),
        [("(outside zones)".to_owned(), run.frames[0].ticks as f64)]
    );
}

#[test]
fn zones_left_open_by_a_forgotten_guard_end_with_the_enclosing_zone() {
    let mut run = Run::new();
    run.step(0, Step::Begin(0));
    run.step(0, Step::Begin(1));
    run.step(0, Step::Work(40));
    let submitter = &mut run.submitters[0];
    let [outer, inner] = [0, 1].map(|at: usize| submitter.on_gpu[at].unwrap().0);
    assert_eq!(submitter.ring.zones_ending_with(outer), 2);
    let frame = run.post.submit(2);
    submitter.ring.end(&mut submitter.fake, 2, frame);
    assert_eq!(submitter.ring.zones_ending_with(inner), 0);
    for zone in [1, 0] {
        submitter.zones[zone].end = Some(3 - zone);
        submitter.zones[zone].frame = Some(frame);
    }
    submitter.on_gpu.fill(None);
    run.step(0, Step::Pass(100));
    run.step(0, Step::Ready(9));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    assert_eq!(
        self_times(&run, 1),
        [("(outside zones)", 60.0), ("x::b", 40.0), ("a", 0.0)]
            .map(|(name, time)| (name.to_owned(), time))
    );
}
