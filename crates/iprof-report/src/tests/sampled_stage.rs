//! A thread with known times, and a sampler as random as the real one, for testing the estimator.

use iprof_gather::class;
use iprof_gather::sample::SampleCounts;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Profiler;
use std::collections::BTreeMap;

pub(super) static WORK: Zone = Zone::new("work", "", 0, "");

pub(super) static HOT: Zone = Zone::new("hot", "", 0, "");

pub(super) static COLD: Zone = Zone::new("cold", "", 0, "");

pub(super) static RARE: Zone = Zone::new("rare", "", 0, "");

/// Ticks are nanoseconds.
pub(super) const US: u64 = 1_000;

pub(super) const MS: u64 = 1_000_000;

/// The mean distance between two samples.
pub(super) const PERIOD: f64 = 1e6;

/// True or estimated times by zone.
pub(super) type Times = BTreeMap<String, f64>;

pub(super) struct Stage {
    pub(super) thread: ScriptedThread,
    pub(super) profiler: Profiler,
    pub(super) found: SampleCounts,
    pub(super) now: u64,
    pub(super) next_sample: f64,
    pub(super) random: fastrand::Rng,
    /// The ticks of each node in this frame.
    ticks: Vec<u64>,
    /// The true times of all frames that count.
    pub(super) truth: Times,
    pub(super) estimate: Times,
    pub(super) frames: u64,
}

impl Stage {
    pub(super) fn new(seed: u64) -> Stage {
        Stage {
            thread: ScriptedThread::begin("sampled", 1),
            profiler: Profiler::new(Pair::both(1)),
            found: SampleCounts::default(),
            now: 1,
            next_sample: 0.0,
            random: fastrand::Rng::with_seed(seed),
            ticks: Vec::new(),
            truth: Times::new(),
            estimate: Times::new(),
            frames: 0,
        }
    }

    pub(super) fn enter(&self, zone: &'static Zone) {
        self.thread.enter(zone, self.now);
    }

    pub(super) fn leave(&self) {
        self.thread.leave(self.now);
    }

    /// Lets time pass in the zone on top of the stack.
    pub(super) fn pass(&mut self, ticks: u64) {
        let node = self.thread.record().current().unwrap();
        while self.next_sample < (self.now + ticks) as f64 {
            if self.next_sample >= self.now as f64 {
                self.found.add(0, node);
            }
            self.next_sample -= PERIOD * (1.0 - self.random.f64()).ln();
        }
        self.now += ticks;
        // Store ticks by node, because this code runs for every call in the program. Names are looked up only once per
        // frame.
        let node = node.index() as usize;
        self.ticks.resize(self.ticks.len().max(node + 1), 0);
        self.ticks[node] += ticks;
    }

    /// Returns this frame's true times, and begins the next frame.
    pub(super) fn take_frame(&mut self) -> Times {
        let frame = self.frame();
        self.ticks.clear();
        frame
    }

    pub(super) fn frame(&self) -> Times {
        let record = self.thread.record();
        let mut times = Times::new();
        for (node, ticks) in (0..).zip(&self.ticks).filter(|(_, ticks)| **ticks > 0) {
            let name = record.node(node).unwrap().zone().label();
            *times.entry(name).or_default() += *ticks as f64;
        }
        times
    }

    /// Like [`pass`](Self::pass), but inside a call to `zone`.
    pub(super) fn call(&mut self, zone: &'static Zone, ticks: u64) {
        self.enter(zone);
        self.pass(ticks);
        self.leave();
    }

    pub(super) fn end_frame(&mut self, counts: bool) {
        let record = self.thread.record();
        let now = Pair::both(self.now);
        self.profiler
            .take_hits(|hits| std::mem::swap(hits, &mut self.found));
        self.found.clear();
        self.profiler.end_frame(&[record], record, now, true);
        let frame = self.take_frame();
        if !counts {
            return;
        }
        self.frames += 1;
        for (name, ticks) in frame {
            *self.truth.entry(name).or_default() += ticks;
        }
        for (name, ticks) in self.newest() {
            *self.estimate.entry(name).or_default() += ticks;
        }
    }

    pub(super) fn newest(&self) -> Times {
        let mut times = Times::new();
        let tree = self.profiler.threads()[0].tree();
        for delta in &self.profiler.history().newest().unwrap().deltas {
            let zone = tree.nodes()[delta.node as usize].zone;
            let name = self.profiler.indices().name(zone).to_string();
            *times.entry(name).or_default() += delta.ticks as f64;
        }
        times
    }
}

/// Runs `frames` frames of a program. The first fifth is for learning and doesn't count.
pub(super) fn run(
    seed: u64,
    cutoff: u8,
    short: &[&str],
    frames: u64,
    program: fn(&mut Stage, u64),
) -> Stage {
    let mut stage = Stage::new(seed);
    run_with(&mut stage, cutoff, short, frames, program, |_, _| {});
    stage
}

/// Like [`run`], but calls `check` with each frame that counts and its true times.
pub(super) fn run_with(
    stage: &mut Stage,
    cutoff: u8,
    short: &[&str],
    frames: u64,
    program: fn(&mut Stage, u64),
    mut check: impl FnMut(&Stage, &Times),
) {
    let mut frame = 0;
    run_with_all(stage, cutoff, short, frames, program, |stage, truth| {
        frame += 1;
        if frame > frames / 5 {
            check(stage, truth);
        }
    });
}

/// Like [`run_with`], but calls `check` with every frame.
pub(super) fn run_with_all(
    stage: &mut Stage,
    cutoff: u8,
    short: &[&str],
    frames: u64,
    program: fn(&mut Stage, u64),
    mut check: impl FnMut(&Stage, &Times),
) {
    // Create all nodes so that they can be reclassified.
    program(stage, 0);
    program(stage, 1);
    stage.end_frame(false);
    stage.profiler.tree_mut(0).forget_totals();
    let record = stage.thread.record();
    let orders: Vec<(u32, u8)> = (0..record.node_count())
        .filter(|index| {
            let label = record.node(*index).unwrap().zone().label();
            short.contains(&label.as_str())
        })
        .map(|index| (index, class::UNTIMED_BY_AUTO))
        .collect();
    record.reclassify(&orders);
    let tree = stage.profiler.tree_mut(0);
    tree.set_untimed_count(orders.len() as u32);
    stage.thread.apply_mode(cutoff, stage.now);
    for frame in 0..frames {
        program(stage, frame);
        let truth = stage.frame();
        let counts = frame >= frames / 5;
        stage.end_frame(counts);
        check(stage, &truth);
    }
}

pub(super) type Program = (&'static str, fn(&mut Stage, u64));

pub(super) const PROGRAMS: [Program; 7] = [
    ("even", |stage, _| {
        stage.pass(2 * MS);
        stage.enter(&WORK);
        for _ in 0..1000 {
            stage.pass(2 * US);
            stage.call(&HOT, 4 * US);
            stage.call(&COLD, US);
        }
        stage.leave();
    }),
    ("in step with the sampler", |stage, _| {
        stage.enter(&WORK);
        for _ in 0..16 {
            stage.pass(100 * US);
            stage.call(&HOT, 500 * US);
            stage.call(&COLD, 400 * US);
        }
        stage.leave();
    }),
    ("by turns", |stage, frame| {
        stage.enter(&WORK);
        stage.pass(MS);
        for _ in 0..500 {
            stage.call(if frame % 2 == 0 { &HOT } else { &COLD }, 20 * US);
        }
        stage.leave();
    }),
    ("cost alternates", |stage, frame| {
        stage.enter(&WORK);
        for _ in 0..400 {
            stage.pass(5 * US);
            stage.call(&HOT, if frame % 2 == 0 { 5 * US } else { 25 * US });
            stage.call(&COLD, 10 * US);
        }
        stage.leave();
    }),
    ("spikes", |stage, frame| {
        stage.enter(&WORK);
        stage.pass(4 * MS);
        for _ in 0..1000 {
            stage.call(&HOT, 8 * US);
        }
        stage.call(&COLD, if frame % 50 == 49 { 60 * MS } else { 100 * US });
        stage.leave();
    }),
    ("one call in a frame", |stage, _| {
        stage.pass(MS);
        stage.enter(&WORK);
        stage.pass(5 * MS);
        stage.call(&HOT, 6 * MS);
        stage.call(&COLD, 4 * MS);
        stage.leave();
    }),
    ("hardly ever hit", |stage, _| {
        stage.enter(&WORK);
        stage.pass(7 * MS);
        for _ in 0..900 {
            stage.call(&HOT, 10 * US);
        }
        stage.call(&RARE, 30 * US);
        stage.leave();
    }),
];

/// The number of runs, each with different random samples.
pub(super) const SEEDS: u64 = 12;
