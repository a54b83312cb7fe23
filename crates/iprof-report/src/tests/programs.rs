//! Random programs on scripted threads, run by both the real recorder and the oracle.
//!
//! This file is long because each step of the recorder is next to the same step of the oracle.

use super::oracle::{Moments, Stack};
use super::timed_ancestors::Clocks;
use iprof_gather::Zone;
use iprof_gather::class;
use iprof_gather::clock::Pair;
use iprof_gather::mode::cutoff;
use iprof_gather::sample::SampleCounts;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Profiler;
use iprof_process::Snapshot;
use iprof_process::builder::snapshot_of;
use proptest::prelude::*;

/// The number of zones, excluding `(outside zones)`. It is small so that programs recurse.
pub(super) const ZONES: usize = 4;

/// Names are distinguished by their last letters.
static NAMES: [Zone; ZONES] = [
    Zone::new("a", "a.rs", 1, "programs"),
    Zone::new("x::b", "b.rs", 2, "programs"),
    Zone::new("x::y::c", "c.rs", 3, "programs"),
    Zone::new("z::d", "d.rs", 4, "programs"),
];

pub(super) static VALUE: Zone = Zone::new("bodies", "b.rs", 5, "programs").with_unit("body", 4);

/// Sets which zones are idle. The lowest bit stands for the zone whose name ends in `a`, and so on.
pub(super) fn declare_idle(run: &mut Run, idle: u8) {
    declare_idle_in(&mut run.profiler, idle);
}

pub(super) fn declare_idle_in(profiler: &mut Profiler, idle: u8) {
    let indices = profiler.indices_mut();
    for zone in 1..indices.zone_count() as u32 {
        let letter = indices.name(zone).bytes().last().unwrap() - b'a';
        indices.set_idle(zone, idle >> letter & 1 == 1);
    }
}

/// The names of the threads. The last two are the same.
const NAMES_OF_THREADS: [&str; 3] = ["main", "worker", "worker"];

/// A step of a program, on one thread or on all threads.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Enter(usize),
    Leave,
    Count(usize),
    /// Adds this many steps to [`VALUE`].
    Add(i64),
    Pass(u64),
    /// Ends the thread, or begins a new one in its place.
    EndOrBegin,
    Frame(bool),
    Reset,
    /// Makes the thread adopt a cutoff and its pending reclassifications.
    Follow(u8),
    /// Requests a class for one of the thread's nodes. The thread doesn't see the request yet.
    Reclassify(usize, u8),
    /// Announces requested classes. The thread applies them when it enters the next zone.
    Announce,
    /// Takes a sample that is ingested with this frame.
    Hit,
    /// Takes a sample that is ingested with the next frame.
    LateHit,
    Snapshot,
}

pub(super) type Program = Vec<(usize, Step)>;

/// Returns a configuration with the number of random programs: 400, or the value of `IPROF_PROGRAMS`. Each run uses
/// different programs unless `PROPTEST_RNG_SEED` is set.
pub(super) fn config() -> ProptestConfig {
    let asked = std::env::var("IPROF_PROGRAMS").ok();
    ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(400),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Generates programs with this many threads. The first thread never ends.
pub(super) fn program(threads: usize) -> impl Strategy<Value = Program> {
    let step = prop_oneof![
        12 => (0..ZONES).prop_map(Step::Enter),
        8 => Just(Step::Leave),
        2 => (0..ZONES).prop_map(Step::Count),
        10 => (1u64..2_000_000).prop_map(Step::Pass),
        1 => Just(Step::EndOrBegin),
        2 => Just(Step::Frame(true)),
        1 => Just(Step::Frame(false)),
        1 => Just(Step::Reset),
        2 => Just(Step::Snapshot),
    ];
    prop::collection::vec((0..threads, step), 1..120)
}

/// Generates programs that recurse dozens of levels deep, directly and mutually, and return again.
pub(super) fn deep_program(threads: usize) -> impl Strategy<Value = Program> {
    let step = prop_oneof![
        6 => prop::collection::vec((0..3usize).prop_map(Step::Enter), 1..16),
        5 => (1..16usize).prop_map(|levels| vec![Step::Leave; levels]),
        1 => (0..3usize).prop_map(|zone| vec![Step::Count(zone)]),
        8 => (1u64..2_000_000).prop_map(|ticks| vec![Step::Pass(ticks)]),
        1 => Just(vec![Step::EndOrBegin]),
        2 => Just(vec![Step::Frame(true)]),
        1 => Just(vec![Step::Snapshot]),
    ];
    prop::collection::vec((0..threads, step), 1..40).prop_map(|steps| {
        let each = steps.into_iter();
        each.flat_map(|(thread, steps)| steps.into_iter().map(move |step| (thread, step)))
            .collect()
    })
}

pub(super) fn timed_program(threads: usize) -> impl Strategy<Value = Program> {
    let cutoffs = prop_oneof![
        3 => Just(cutoff::AUTO),
        2 => Just(cutoff::SAMPLED),
        1 => Just(cutoff::EXACT),
    ];
    let classes = prop_oneof![2 => Just(class::UNTIMED_BY_AUTO), 1 => Just(class::TIMED_BY_AUTO)];
    let step = prop_oneof![
        20 => (0..ZONES).prop_map(Step::Enter),
        14 => Just(Step::Leave),
        3 => (0..ZONES).prop_map(Step::Count),
        20 => (1u64..2_000_000).prop_map(Step::Pass),
        // Pass enough time for learned estimates to fade.
        1 => (1u64..4_000_000_000).prop_map(Step::Pass),
        1 => Just(Step::EndOrBegin),
        4 => Just(Step::Frame(true)),
        1 => Just(Step::Frame(false)),
        1 => Just(Step::Reset),
        4 => cutoffs.prop_map(Step::Follow),
        5 => (0usize..64, classes).prop_map(|(node, class)| Step::Reclassify(node, class)),
        3 => Just(Step::Announce),
        10 => Just(Step::Hit),
        1 => Just(Step::LateHit),
        2 => Just(Step::Snapshot),
    ];
    prop::collection::vec((0..threads, step), 1..240)
}

/// A recorded frame as seen by the oracle, by thread.
#[derive(Clone, Debug)]
pub(super) struct NaiveFrame {
    pub(super) threads: Vec<Moments>,
    /// The amounts added to the named value, stored in place of times.
    pub(super) values: Vec<Moments>,
    pub(super) clocks: Vec<Clocks>,
    pub(super) ticks: u64,
}

pub(super) struct Run {
    pub(super) profiler: Profiler,
    /// The frames recorded since the last reset.
    pub(super) frames: Vec<NaiveFrame>,
    /// The number of frames recorded before the last reset.
    pub(super) forgotten: usize,
    /// Everything up to the last frame, whether recorded or discarded.
    pub(super) all: Vec<Moments>,
    pub(super) clocks: Vec<Clocks>,
    pub(super) snapshots: Vec<OracleSnapshot>,
}

/// A snapshot, and the oracle's data from the same moment.
pub(super) struct OracleSnapshot {
    pub(super) snapshot: Snapshot,
    /// The oracle's times, by thread.
    pub(super) naive: Vec<Moments>,
    pub(super) values: Vec<Moments>,
    /// Whether everything has been timed so far, and is known to be. If a frame has two reclassifications, the first
    /// may have removed a clock and the second may have restored it. The frame's times are then marked as estimates.
    pub(super) is_exact: bool,
    pub(super) ticks: u64,
    pub(super) frames: u64,
}

struct OracleThread {
    /// The zones on the stack. Empty after the thread has ended.
    stack: Stack,
    frame: Moments,
    values: Moments,
    /// The recorder's nodes for values, which don't exist in the oracle.
    value_nodes: Vec<usize>,
    clocks: Clocks,
    /// Whether pending reclassifications have been announced.
    is_announced: bool,
    /// The stacks of samples that will be ingested with the next frame.
    found_late: Vec<Stack>,
}

impl OracleThread {
    /// Ends the frame. The next frame begins with the open zones and the late samples.
    fn end_frame(&mut self) -> Moments {
        let ended = std::mem::take(&mut self.frame);
        self.frame.touch(&self.stack);
        for stack in self.found_late.drain(..) {
            self.frame.touch(&stack);
        }
        ended
    }
}

/// In these tests, a tick is a nanosecond.
pub(super) const MS_PER_TICK: f64 = 1e-6;

pub(super) fn are_named_alike(a: usize, b: usize) -> bool {
    NAMES_OF_THREADS[a] == NAMES_OF_THREADS[b]
}

/// Runs `program` on `threads` threads, at most three, and records a last frame at the end.
pub(super) fn run(threads: usize, program: &[(usize, Step)]) -> Run {
    run_with(threads, program, |_| {})
}

/// Like [`run`], but first calls `set_up` to configure the profiler.
pub(super) fn run_with(
    threads: usize,
    program: &[(usize, Step)],
    set_up: impl FnOnce(&mut Profiler),
) -> Run {
    run_watched(threads, program, set_up, |_| {})
}

/// Like [`run_with`], but also calls `watch` after each frame, recorded or not, and after each reset.
pub(super) fn run_watched(
    threads: usize,
    program: &[(usize, Step)],
    set_up: impl FnOnce(&mut Profiler),
    mut watch: impl FnMut(&mut Profiler),
) -> Run {
    let mut now = 1_000;
    let scripted: Vec<ScriptedThread> = (0..threads)
        .map(|at| ScriptedThread::begin(NAMES_OF_THREADS[at], now))
        .collect();
    let records: Vec<_> = scripted.iter().map(ScriptedThread::record).collect();
    let mut naive: Vec<OracleThread> = (0..threads)
        .map(|_| OracleThread {
            stack: vec![0],
            frame: Moments::default(),
            values: Moments::default(),
            value_nodes: Vec::new(),
            clocks: Clocks::new(),
            is_announced: false,
            found_late: Vec::new(),
        })
        .collect();
    let (mut found, mut found_late) = (SampleCounts::default(), SampleCounts::default());
    let mut profiler = Profiler::new(Pair::both(now));
    set_up(&mut profiler);
    profiler.session_mut().set_first_width(2_000_000);
    let (mut frames, mut frame_start) = (Vec::new(), now);
    let mut all = vec![Moments::default(); threads];
    let mut forgotten = 0;
    let mut recorded = vec![Moments::default(); threads];
    let mut recorded_values = recorded.clone();
    let (mut recorded_ticks, mut is_paused, mut is_exact) = (0, false, true);
    let mut snapshots = Vec::new();
    let mut shown = vec![0; threads];

    // Updates how many of each thread's nodes frames have ingested.
    let count_nodes = |profiler: &Profiler, shown: &mut [usize]| {
        for (shown, thread) in shown.iter_mut().zip(profiler.threads()) {
            *shown = thread.tree().nodes().len();
        }
    };
    for &(at, step) in program
        .iter()
        .chain(&[(0, Step::Pass(1)), (0, Step::Frame(true))])
    {
        let (thread, oracle) = (&scripted[at], &mut naive[at]);
        let alive = !oracle.stack.is_empty();
        match step {
            Step::Enter(zone) if alive => {
                if std::mem::take(&mut oracle.is_announced) {
                    thread.apply_mode(oracle.clocks.cutoff(), now);
                    oracle.clocks.follow(oracle.clocks.cutoff());
                    is_exact &= !oracle.clocks.has_changed();
                }
                thread.enter(&NAMES[zone], now);
                oracle.stack.push(zone + 1);
                oracle.frame.enter(&oracle.stack);
                oracle.clocks.make(&oracle.stack);
            }
            Step::Leave if oracle.stack.len() > 1 => {
                thread.leave(now);
                oracle.stack.pop();
            }
            Step::Count(zone) if alive => {
                thread.count(&NAMES[zone]);
                let mut counted = oracle.stack.clone();
                counted.push(zone + 1);
                oracle.frame.enter(&counted);
                oracle.clocks.make(&counted);
            }
            Step::Add(steps) if alive => {
                let nodes = records[at].node_count();
                thread.add(&VALUE, steps as u64);
                if records[at].node_count() > nodes {
                    oracle.value_nodes.push(nodes as usize);
                }
                oracle.values.add(&oracle.stack, steps as f64);
            }
            Step::Pass(ticks) => {
                now += ticks;
                for oracle in naive.iter_mut().filter(|oracle| !oracle.stack.is_empty()) {
                    oracle.frame.pass(&oracle.stack, ticks);
                }
            }
            Step::EndOrBegin if at > 0 => {
                if alive {
                    thread.end(now);
                    oracle.stack.clear();
                } else {
                    thread.begin_again(now);
                    oracle.stack.push(0);
                }
            }
            Step::Frame(is_recorded) => {
                profiler.take_hits(|hits| std::mem::swap(hits, &mut found));
                std::mem::swap(&mut found, &mut found_late);
                found_late.clear();
                profiler.end_frame(&records, records[0], Pair::both(now), is_recorded);
                count_nodes(&profiler, &mut shown);
                let threads: Vec<Moments> = naive.iter_mut().map(OracleThread::end_frame).collect();
                let values = naive
                    .iter_mut()
                    .map(|oracle| std::mem::take(&mut oracle.values));
                let values: Vec<Moments> = values.collect();
                for (all, frame) in all.iter_mut().zip(&threads) {
                    all.merge(frame);
                }
                let clocks = naive.iter_mut().map(|oracle| oracle.clocks.end_frame());
                let clocks: Vec<Clocks> = clocks.collect();
                is_paused = !is_recorded;
                if is_recorded {
                    for (recorded, frame) in recorded.iter_mut().zip(&threads) {
                        recorded.merge(frame);
                    }
                    for (recorded, frame) in recorded_values.iter_mut().zip(&values) {
                        recorded.merge(frame);
                    }
                    recorded_ticks += now - frame_start;
                    frames.push(NaiveFrame {
                        threads,
                        values,
                        clocks,
                        ticks: now - frame_start,
                    });
                }
                frame_start = now;
            }
            Step::Reset => {
                profiler.take_hits(|hits| std::mem::swap(hits, &mut found));
                std::mem::swap(&mut found, &mut found_late);
                found_late.clear();
                profiler.reset(&records, records[0], Pair::both(now));
                count_nodes(&profiler, &mut shown);
                for (oracle, all) in naive.iter_mut().zip(&mut all) {
                    all.merge(&oracle.end_frame());
                    oracle.clocks.end_frame();
                    oracle.values = Moments::default();
                }
                forgotten += frames.len();
                frames.clear();
                recorded.fill(Moments::default());
                recorded_values.fill(Moments::default());
                recorded_ticks = 0;
                frame_start = now;
            }
            Step::Follow(cutoff) if alive => {
                is_exact = false;
                thread.apply_mode(cutoff, now);
                oracle.clocks.follow(cutoff);
            }
            Step::Reclassify(node, class) => {
                // Only nodes that have appeared in a frame are reclassified, and never the root.
                let nodes = shown[at];
                if nodes > 1 {
                    let node = 1 + node % (nodes - 1);
                    if oracle.value_nodes.contains(&node) {
                        continue;
                    }
                    records[at].reclassify(&[(node as u32, class)]);
                    let others = oracle.value_nodes.iter().filter(|at| **at < node);
                    oracle.clocks.reclassify(node - others.count(), class);
                    let tree = profiler.tree_mut(at);
                    tree.set_untimed_count(oracle.clocks.untimed_count());
                }
            }
            Step::Announce => oracle.is_announced = true,
            Step::Snapshot => {
                profiler.take_hits(|hits| std::mem::swap(hits, &mut found));
                let now_on_both = Pair::both(now);
                let mut naive_now = recorded.clone();
                let mut values = recorded_values.clone();
                for (recorded, oracle) in values.iter_mut().zip(&naive).filter(|_| !is_paused) {
                    recorded.merge(&oracle.values);
                }
                for (recorded, oracle) in naive_now.iter_mut().zip(&naive) {
                    if !is_paused {
                        recorded.merge(&oracle.frame);
                    }
                }
                snapshots.push(OracleSnapshot {
                    snapshot: snapshot_of(&mut profiler, &records, now_on_both, false),
                    naive: naive_now,
                    values,
                    is_exact,
                    ticks: recorded_ticks + if is_paused { 0 } else { now - frame_start },
                    frames: frames.len() as u64,
                });
            }
            Step::Hit | Step::LateHit if alive => {
                let node = records[at].current().unwrap();
                if let Step::Hit = step {
                    found.add(at as u32, node);
                } else {
                    found_late.add(at as u32, node);
                    oracle.found_late.push(oracle.stack.clone());
                }
            }
            _ => {}
        }
        if matches!(step, Step::Frame(_) | Step::Reset) {
            watch(&mut profiler);
        }
    }
    Run {
        profiler,
        forgotten,
        frames,
        all,
        clocks: naive.into_iter().map(|oracle| oracle.clocks).collect(),
        snapshots,
    }
}

/// Returns the oracle's average of `frames` by thread, computed from its definition. `get` selects a frame's moments.
pub(super) fn average(
    frames: &[NaiveFrame],
    t90: f64,
    get: fn(&NaiveFrame) -> &[Moments],
) -> Vec<Moments> {
    let mut average = vec![Moments::default(); frames[0].threads.len()];
    for (number, frame) in frames.iter().enumerate() {
        let seconds = frame.ticks as f64 * MS_PER_TICK * 1e-3;
        let old = if number < 3 {
            0.0
        } else {
            0.1f64.powf(seconds / t90)
        };
        for (average, new) in average.iter_mut().zip(get(frame)) {
            average.blend(old, new, 1.0 - old);
        }
    }
    average
}
