//! The estimator against programs of known times, with a sampler that is as random as the real one.

use crate::gather::class;
use crate::gather::scripted::ScriptedThread;
use crate::gather::switch::cutoff;
use crate::process::core::Process;

use crate::sample::Tally;
use crate::{Zone, clock::Pair};
use std::collections::BTreeMap;

static WORK: Zone = Zone::new("work", "", 0, "");
static HOT: Zone = Zone::new("hot", "", 0, "");
static COLD: Zone = Zone::new("cold", "", 0, "");
static RARE: Zone = Zone::new("rare", "", 0, "");

/// Ticks are nanoseconds.
const US: u64 = 1_000;
const MS: u64 = 1_000_000;
/// Mean distance of two samples.
const PERIOD: f64 = 1e6;

/// What zones took, or are said to have taken.
type Times = BTreeMap<String, f64>;

/// A program that is run, and what is known about it.
struct Stage {
    thread: ScriptedThread,
    process: Process,
    found: Tally,
    now: u64,
    next_sample: f64,
    random: fastrand::Rng,
    /// Of this frame, and of all that count.
    frame: Times,
    truth: Times,
    estimate: Times,
    samples: Times,
    frames: u64,
}

impl Stage {
    fn new(seed: u64) -> Stage {
        Stage {
            thread: ScriptedThread::begin("sampled", 1),
            process: Process::new(Pair { ticks: 1, ns: 1 }),
            found: Tally::default(),
            now: 1,
            next_sample: 0.0,
            random: fastrand::Rng::with_seed(seed),
            frame: Times::new(),
            truth: Times::new(),
            estimate: Times::new(),
            samples: Times::new(),
            frames: 0,
        }
    }

    fn enter(&self, zone: &'static Zone) {
        self.thread.enter(zone, self.now);
    }

    fn leave(&self) {
        self.thread.leave(self.now);
    }

    /// Time passes in what is on top.
    fn pass(&mut self, ticks: u64) {
        let node = self.thread.record().current().unwrap();
        let name = node.zone().label();
        while self.next_sample < (self.now + ticks) as f64 {
            if self.next_sample >= self.now as f64 {
                self.found.add(0, node);
                *self.samples.entry(name.clone()).or_default() += 1.0;
            }
            self.next_sample -= PERIOD * (1.0 - self.random.f64()).ln();
        }
        self.now += ticks;
        *self.frame.entry(name).or_default() += ticks as f64;
    }

    /// As [`pass`](Self::pass), in a zone of its own.
    fn call(&mut self, zone: &'static Zone, ticks: u64) {
        self.enter(zone);
        self.pass(ticks);
        self.leave();
    }

    fn end_frame(&mut self, counts: bool) {
        let record = self.thread.record();
        let now = Pair {
            ticks: self.now,
            ns: self.now,
        };
        self.process.take_hits(&self.found);
        self.found.clear();
        self.process.update(&[record], record, now, true);
        let frame = std::mem::take(&mut self.frame);
        if !counts {
            self.samples.clear();
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

    /// What is said of the newest frame.
    fn newest(&self) -> Times {
        let mut times = Times::new();
        let tree = &self.process.threads[0].tree;
        for sample in &self.process.history.newest().unwrap().samples {
            let zone = tree.nodes()[sample.node as usize].zone;
            let name = self.process.names.name(zone).to_string();
            *times.entry(name).or_default() += sample.ticks as f64;
        }
        times
    }
}

/// Runs `frames` of a program, of which the first fifth is for learning.
fn run(seed: u64, cutoff: u8, short: &[&str], frames: u64, program: fn(&mut Stage, u64)) -> Stage {
    let mut stage = Stage::new(seed);
    // All nodes there are: then orders can be given.
    program(&mut stage, 0);
    program(&mut stage, 1);
    stage.end_frame(false);
    let record = stage.thread.record();
    let orders: Vec<(u32, u8)> = (0..record.node_count())
        .filter(|index| {
            let label = record.node(*index).unwrap().zone().label();
            short.contains(&label.as_str())
        })
        .map(|index| (index, class::SHORT))
        .collect();
    record.order(&orders);
    stage.process.threads[0].tree.set_short(orders.len() as u32);
    stage.thread.follow(cutoff, stage.now);
    for frame in 0..frames {
        program(&mut stage, frame);
        stage.end_frame(frame >= frames / 5);
    }
    stage
}

type Program = (&'static str, fn(&mut Stage, u64));

const PROGRAMS: [Program; 7] = [
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
    ("dearer by turns", |stage, frame| {
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

/// Modes: everything sampled, or the three inner zones only.
const MODES: [(&str, u8, &[&str]); 2] = [
    ("sampled", cutoff::SAMPLED, &[]),
    ("auto", cutoff::AUTO, &["hot", "cold", "rare"]),
];

#[test]
fn estimates_are_unbiased() {
    const SEEDS: u64 = 12;
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            let mut errors: BTreeMap<String, Vec<f64>> = BTreeMap::new();
            let mut truth = Times::new();
            for seed in 0..SEEDS {
                let stage = run(seed, cutoff, short, 600, program);
                for (zone, ticks) in &stage.truth {
                    let estimate = stage.estimate.get(zone).copied().unwrap_or(0.0);
                    errors
                        .entry(zone.clone())
                        .or_default()
                        .push(estimate - ticks);
                }
                truth = stage.truth;
            }
            let total: f64 = truth.values().sum();
            for (zone, errors) in errors {
                let time = truth[&zone];
                let mean = errors.iter().sum::<f64>() / SEEDS as f64;
                // Of hits over their rate.
                let deviation =
                    (PERIOD * time * (1.0 - time / total)).sqrt() / (SEEDS as f64).sqrt();
                let seen = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>()
                    / (SEEDS as f64 - 1.0))
                    .sqrt()
                    / (SEEDS as f64).sqrt();
                println!(
                    "{mode:8} {name:26} {zone:8} {:7.3} % of the time, bias {:7.3} % of it, {:5.2} deviations (seen/expected {:.2})",
                    time / total * 100.0,
                    mean / time * 100.0,
                    mean / deviation.max(1e-9),
                    seen / deviation.max(1e-9)
                );
            }
        }
    }
}
