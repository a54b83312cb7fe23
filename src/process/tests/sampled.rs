//! Tests of the estimator: programs with known times, and a sampler as random as the real one.

use crate::gather::class;
use crate::gather::mode::cutoff;
use crate::gather::scripted_thread::ScriptedThread;
use crate::process::frame::profiler::Profiler;
use crate::process::moving_average::FOLLOW_90;
use crate::process::query;
use crate::process::snapshots::snapshot_of;
use crate::report::ColumnId;

use crate::process::view::View;
use crate::sample::SampleCounts;
use crate::{Zone, clock::Pair};
use std::collections::BTreeMap;

static WORK: Zone = Zone::new("work", "", 0, "");
static HOT: Zone = Zone::new("hot", "", 0, "");
static COLD: Zone = Zone::new("cold", "", 0, "");
static RARE: Zone = Zone::new("rare", "", 0, "");

/// Ticks are nanoseconds.
pub(super) const US: u64 = 1_000;
pub(super) const MS: u64 = 1_000_000;
/// Mean distance of two samples.
const PERIOD: f64 = 1e6;

/// True or estimated times by zone.
pub(super) type Times = BTreeMap<String, f64>;

/// A running program, and its true and estimated times.
pub(super) struct Stage {
    pub(super) thread: ScriptedThread,
    pub(super) profiler: Profiler,
    found: SampleCounts,
    pub(super) now: u64,
    next_sample: f64,
    pub(super) random: fastrand::Rng,
    /// The times of this frame, and of all frames that count.
    frame: Times,
    truth: Times,
    estimate: Times,
    samples: Times,
    frames: u64,
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
            frame: Times::new(),
            truth: Times::new(),
            estimate: Times::new(),
            samples: Times::new(),
            frames: 0,
        }
    }

    pub(super) fn enter(&self, zone: &'static Zone) {
        self.thread.enter(zone, self.now);
    }

    pub(super) fn leave(&self) {
        self.thread.leave(self.now);
    }

    /// Time passes in the zone on top of the stack.
    pub(super) fn pass(&mut self, ticks: u64) {
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

    /// As [`pass`](Self::pass), in a call of `zone`.
    pub(super) fn call(&mut self, zone: &'static Zone, ticks: u64) {
        self.enter(zone);
        self.pass(ticks);
        self.leave();
    }

    fn end_frame(&mut self, counts: bool) {
        let record = self.thread.record();
        let now = Pair::both(self.now);
        self.profiler
            .take_hits(|hits| std::mem::swap(hits, &mut self.found));
        self.found.clear();
        self.profiler.update(&[record], record, now, true);
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

    /// The estimated times of the newest frame.
    fn newest(&self) -> Times {
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

/// Runs `frames` frames of a program; the first fifth is for learning and does not count.
fn run(seed: u64, cutoff: u8, short: &[&str], frames: u64, program: fn(&mut Stage, u64)) -> Stage {
    let mut stage = Stage::new(seed);
    run_with(&mut stage, cutoff, short, frames, program, |_, _| {});
    stage
}

/// As [`run`]; calls `check` with each frame that counts and its true times.
fn run_with(
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

/// As [`run_with`]; calls `check` with every frame.
pub(super) fn run_with_all(
    stage: &mut Stage,
    cutoff: u8,
    short: &[&str],
    frames: u64,
    program: fn(&mut Stage, u64),
    mut check: impl FnMut(&Stage, &Times),
) {
    // Creates all nodes, so that they can be reclassified.
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
        let truth = stage.frame.clone();
        let counts = frame >= frames / 5;
        stage.end_frame(counts);
        check(stage, &truth);
    }
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

/// Modes: everything sampled, or the three inner zones only.
const MODES: [(&str, u8, &[&str]); 2] = [
    ("sampled", cutoff::SAMPLED, &[]),
    ("auto", cutoff::AUTO, &["hot", "cold", "rare"]),
];

/// The number of runs, each with other random samples.
const SEEDS: u64 = 12;

/// The sum of all estimates of a zone equals the sum of its true times, apart from random deviations;
/// and these do not exceed those of counting hits.
#[test]
fn estimates_are_unbiased() {
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            let mut errors: BTreeMap<String, Vec<f64>> = BTreeMap::new();
            let mut truth = Times::new();
            for seed in 0..SEEDS {
                let stage = run(seed, cutoff, short, 600, program);
                for (zone, ticks) in &stage.truth {
                    let estimate = stage.estimate.get(zone).copied().unwrap_or(0.0);
                    let errors = errors.entry(zone.clone()).or_default();
                    errors.push(estimate - ticks);
                }
                let sum = |times: &Times| times.values().sum::<f64>();
                assert_eq!(sum(&stage.estimate), sum(&stage.truth), "{mode}, {name}");
                truth = stage.truth;
            }
            let total: f64 = truth.values().sum();
            for (zone, errors) in errors {
                let time = truth[&zone];
                let mean = errors.iter().sum::<f64>() / SEEDS as f64;
                let squares = errors
                    .iter()
                    .map(|error| (error - mean).powi(2))
                    .sum::<f64>();
                let deviation = (squares / (SEEDS - 1) as f64).sqrt();
                // The standard error of counting hits at their rate.
                let of_hits = (PERIOD * time * (1.0 - time / total)).sqrt();
                let bound = 3.5 * of_hits / (SEEDS as f64).sqrt();
                let what = format!(
                    "{mode}, {name}: {zone} is {:.2} % of the time, bias {:.2} % of that, {:.2} of the bound; \
                     deviation {:.2} of that of hits",
                    time / total * 100.0,
                    mean / time * 100.0,
                    mean / bound,
                    deviation / of_hits,
                );
                println!("{what}");
                assert!(mean.abs() <= bound + 1.0, "{what}");
                assert!(deviation <= 1.6 * of_hits + 1.0, "{what}");
            }
        }
    }
}

/// The totals of a snapshot deviate as much as their standard errors say: the mean square of the
/// deviations, in standard errors, is about one.
#[test]
fn totals_over_all_frames_deviate_as_their_standard_errors_say() {
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            let (mut squares, mut count) = (0.0, 0);
            for seed in 100..100 + SEEDS {
                let mut stage = Stage::new(seed);
                let mut truth = Times::new();
                run_with_all(&mut stage, cutoff, short, 250, program, |_, frame| {
                    for (zone, ticks) in frame {
                        *truth.entry(zone.clone()).or_default() += ticks;
                    }
                });
                let (record, now) = (stage.thread.record(), stage.now);
                let pair = Pair::both(now);
                let snapshot = snapshot_of(&mut stage.profiler, &[record], pair, false);
                let all: u64 = snapshot.threads[0].nodes.iter().map(|n| n.ticks).sum();
                assert_eq!(all as f64, truth.values().sum::<f64>());
                for node in &snapshot.threads[0].nodes {
                    let zone = &*snapshot.zones[node.zone as usize].name;
                    let off = node.ticks as f64 - truth.get(zone).copied().unwrap_or(0.0);
                    if node.error == 0.0 {
                        assert_eq!(off, 0.0, "{mode}, {name}: {zone}");
                        continue;
                    }
                    squares += (off / node.error).powi(2);
                    count += 1;
                }
            }
            let mean = squares / f64::from(count);
            println!("{mode}, {name}: {mean:.2} of {count}");
            // The upper bound is that of the deviations in `estimates_are_unbiased`, squared.
            assert!(
                (0.3..1.6 * 1.6).contains(&mean),
                "{mode}, {name}: {mean:.2}"
            );
        }
    }
}

/// No more of the frames' estimates deviate by more than two and four standard errors than chance
/// allows; and the standard errors are not too large.
#[test]
fn standard_errors_match_the_deviations() {
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            let mut stage = Stage::new(1);
            let (mut shown, mut beyond_two, mut beyond_four, mut squares) = (0, 0, 0, 0.0);
            run_with(&mut stage, cutoff, short, 600, program, |stage, truth| {
                let mut view = View::new();
                view.set_average(crate::Average::Newest);
                for row in query::report(&stage.profiler, &view, None).rows {
                    let error = row.standard_error(ColumnId::SelfTime) * 1e6;
                    if error == 0.0 {
                        continue;
                    }
                    let truth = truth.get(&*row.name).copied().unwrap_or(0.0);
                    let off = (row.number(ColumnId::SelfTime) * 1e6 - truth).abs() / error;
                    shown += 1;
                    beyond_two += u32::from(off > 2.0);
                    beyond_four += u32::from(off > 4.0);
                    squares += off * off;
                }
            });
            let part = |count: u32| f64::from(count) / f64::from(shown);
            let what = format!(
                "{mode}, {name}: {:.2} % beyond two, {:.2} % beyond four, root mean square {:.2}",
                part(beyond_two) * 100.0,
                part(beyond_four) * 100.0,
                (squares / f64::from(shown)).sqrt()
            );
            println!("{what}");
            assert!(shown > 400, "{what}");
            assert!(
                part(beyond_two) < 0.12 && part(beyond_four) < 0.01,
                "{what}"
            );
            assert!(squares / f64::from(shown) > 0.01, "{what}");
        }
    }
}

/// As [`standard_errors_match_the_deviations`], for averages: shortly after the beginning, and in the
/// long run.
#[test]
fn standard_errors_of_averages_match_the_deviations() {
    const CHECKED_FRAMES: [u64; 4] = [30, 60, 120, 500];
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
                let mut squares = [0.0; CHECKED_FRAMES.len()];
                let mut shown = [0.0; CHECKED_FRAMES.len()];
                let mut beyond = [0.0; CHECKED_FRAMES.len()];
                for seed in 0..SEEDS {
                    let mut stage = Stage::new(100 + seed);
                    let mut average = Times::new();
                    let mut frames = 0;
                    run_with_all(&mut stage, cutoff, short, 501, program, |stage, truth| {
                        let seconds = stage.profiler.history().newest().unwrap().ms() / 1e3;
                        // The first of the initial frames was exact.
                        let old = match frames {
                            0 | 1 => 0.0,
                            _ => 0.1f64.powf(seconds / t90),
                        };
                        average.values_mut().for_each(|time| *time *= old);
                        for (zone, time) in truth {
                            *average.entry(zone.clone()).or_default() += time * (1.0 - old);
                        }
                        frames += 1;
                        let Some(at) = CHECKED_FRAMES.iter().position(|frame| *frame == frames)
                        else {
                            return;
                        };
                        let mut view = View::new();
                        view.set_average(crate::Average::ALL[slot + 1]);
                        for row in query::report(&stage.profiler, &view, None).rows {
                            let error = row.standard_error(ColumnId::SelfTime) * 1e6;
                            if error > 0.0 {
                                let truth = average.get(&*row.name).copied().unwrap_or(0.0);
                                let off =
                                    (row.number(ColumnId::SelfTime) * 1e6 - truth).abs() / error;
                                squares[at] += off * off;
                                beyond[at] += f64::from(u8::from(off > 2.0));
                                shown[at] += 1.0;
                            }
                        }
                    });
                }
                for at in 0..CHECKED_FRAMES.len() {
                    let root = (squares[at] / f64::max(shown[at], 1.0)).sqrt();
                    let what = format!(
                        "{mode}, {name}, {t90} s, frame {}: root mean square {root:.2} of {}, {:.1} % beyond two",
                        CHECKED_FRAMES[at],
                        shown[at],
                        beyond[at] / shown[at] * 100.0
                    );
                    println!("{what}");
                    assert!(shown[at] >= 24.0, "{what}");
                    // At first everything is known from the exact frame before, which counts as one
                    // sample.
                    let least = if CHECKED_FRAMES[at] < 200 { 0.05 } else { 0.2 };
                    assert!((least..1.8).contains(&root), "{what}");
                }
            }
        }
    }
}

/// A zone has no time in frames that do not enter it; a spike belongs to the frame in which it
/// happened.
#[test]
fn estimates_belong_to_their_frames() {
    let by_turns = PROGRAMS[2].1;
    let mut stage = Stage::new(3);
    run_with(
        &mut stage,
        cutoff::SAMPLED,
        &[],
        400,
        by_turns,
        |stage, truth| {
            let newest = stage.newest();
            let estimate = |zone: &str| newest.get(zone).copied().unwrap_or(0.0);
            for zone in ["hot", "cold"] {
                match truth.get(zone) {
                    None => assert_eq!(estimate(zone), 0.0),
                    Some(time) => assert!((estimate(zone) / time - 1.0).abs() < 0.2),
                }
            }
        },
    );
    let spikes = PROGRAMS[4].1;
    let mut stage = Stage::new(4);
    let (mut spikes_seen, mut first) = (0, true);
    run_with(
        &mut stage,
        cutoff::SAMPLED,
        &[],
        600,
        spikes,
        |stage, truth| {
            let estimate = stage.newest().get("cold").copied().unwrap_or(0.0);
            if truth["cold"] > 50.0 * MS as f64 {
                // The first spike deviates a lot from what was learned, and is still found.
                let least = if std::mem::take(&mut first) { 0.5 } else { 0.7 };
                assert!(estimate > least * truth["cold"], "{estimate}");
                spikes_seen += 1;
            }
        },
    );
    assert!(spikes_seen > 8);
}

/// Exact at both ends of the frame, but not in between.
#[test]
fn a_mode_that_changes_twice_in_a_frame_is_marked() {
    let mut stage = Stage::new(6);
    for frame in 0..8 {
        stage.pass(MS);
        stage.enter(&WORK);
        if frame == 3 {
            stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        }
        stage.pass(MS);
        stage.call(&HOT, MS);
        if frame == 3 {
            stage.thread.apply_mode(cutoff::EXACT, stage.now);
        }
        stage.leave();
        stage.end_frame(true);
        let deltas = &stage.profiler.history().newest().unwrap().deltas;
        let marked = deltas.iter().filter(|delta| delta.error != 0.0).count();
        assert_eq!(marked, if frame == 3 { 3 } else { 0 }, "{frame}");
    }
}

/// Exact, sampled, exact: sums hold in mixed frames, too, and exact frames are exact again.
#[test]
fn a_mode_can_change_in_the_middle_of_a_frame() {
    let even = PROGRAMS[0].1;
    let mut stage = Stage::new(5);
    for frame in 0..60 {
        let cutoffs = [cutoff::EXACT, cutoff::SAMPLED, cutoff::AUTO];
        stage.enter(&WORK);
        stage.pass(MS);
        stage.thread.apply_mode(cutoffs[frame % 3], stage.now);
        stage.pass(MS);
        stage.leave();
        even(&mut stage, frame as u64);
        let truth = stage.frame.clone();
        stage.end_frame(true);
        let newest = stage.newest();
        assert_eq!(newest.values().sum::<f64>(), truth.values().sum::<f64>());
        let deltas = &stage.profiler.history().newest().unwrap().deltas;
        let is_exact = deltas.iter().all(|delta| delta.error == 0.0);
        // From auto without reclassifications, which is exact, to exact. All other frames were partly
        // sampled.
        assert_eq!(is_exact, frame % 3 == 0, "frame {frame}");
    }
}

/// The sampler may run because of other threads. Its deltas of an exact thread must not be used later.
#[test]
fn samples_of_an_exact_thread_do_not_count_when_sampling_begins() {
    let mut stage = Stage::new(6);
    let program = |stage: &mut Stage, cold: u32, hot: u32| {
        stage.enter(&WORK);
        (0..cold).for_each(|_| stage.call(&COLD, 15 * US));
        (0..hot).for_each(|_| stage.call(&HOT, 10 * US));
        stage.leave();
    };
    for _ in 0..100 {
        program(&mut stage, 1000, 1);
        stage.end_frame(false);
    }
    let record = stage.thread.record();
    record.reclassify(&[(2, class::UNTIMED_BY_AUTO), (3, class::UNTIMED_BY_AUTO)]);
    stage.profiler.tree_mut(0).set_untimed_count(2);
    stage.thread.apply_mode(cutoff::AUTO, stage.now);
    for _ in 0..10 {
        program(&mut stage, 10, 900);
        let truth = stage.frame.clone();
        stage.end_frame(true);
        for (zone, ticks) in stage.newest() {
            let off = (ticks - truth.get(&zone).copied().unwrap_or(0.0)).abs();
            assert!(off < MS as f64, "{zone} is off by {off}");
        }
    }
}

/// Checks that the newest frame, of a second, was shared rightly: a half each for `WORK` and no zone.
fn check_halves(seed: u64, stage: &Stage) {
    let newest = stage.newest();
    for zone in ["work", "(outside zones)"] {
        let off = newest.get(zone).copied().unwrap_or(0.0) / (500 * MS) as f64 - 1.0;
        // Of 500 hits each: five standard errors and a little more.
        assert!(off.abs() < 0.25, "seed {seed}: {zone} is off by {off}");
    }
    let deltas = &stage.profiler.history().newest().unwrap().deltas;
    assert!(deltas.iter().all(|delta| delta.error != 0.0));
}

/// A frame of a second.
fn run_halves(stage: &mut Stage) {
    for _ in 0..100 {
        stage.call(&WORK, 5 * MS);
        stage.pass(5 * MS);
    }
    stage.end_frame(false);
}

/// A program that never calls `update` has one frame, and that is its first.
#[test]
fn the_first_frame_of_a_thread_is_shared_with_time_in_no_zone() {
    for seed in 0..20 {
        let mut stage = Stage::new(seed);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        run_halves(&mut stage);
        check_halves(seed, &stage);
    }
}

#[test]
fn a_node_without_earlier_hits_gets_the_time_of_its_hits() {
    for seed in 0..20 {
        let mut stage = Stage::new(seed);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        // On the stack, but not on top of it.
        stage.call(&WORK, 5 * MS);
        stage.end_frame(false);
        run_halves(&mut stage);
        check_halves(seed, &stage);
    }
}

/// The few samples of a short frame count little beside the thousands of a long one.
#[test]
fn a_long_frame_after_a_short_one_uses_its_own_samples() {
    for seed in 0..40 {
        let mut stage = Stage::new(300 + seed);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        let work = |stage: &mut Stage, calls: u64| {
            for _ in 0..calls {
                stage.pass(10 * US);
                stage.call(&HOT, 15 * US);
                stage.call(&COLD, 5 * US);
            }
        };
        work(&mut stage, 100);
        stage.end_frame(false);
        work(&mut stage, 100_000);
        let truth = stage.frame.clone();
        stage.end_frame(true);
        let newest = stage.newest();
        for (name, ticks) in truth {
            let ratio = newest[&name] / ticks;
            // Of 500 hits and more.
            assert!((ratio - 1.0).abs() < 0.2, "{name}, seed {seed}: {ratio}");
        }
    }
}

/// The long frame's standard errors reflect its many samples. Its deviation from the little that was
/// known before is not mistaken for calls of varying length, so later frames have small errors, too.
#[test]
fn after_a_long_frame_estimates_are_as_good_as_its_samples() {
    const FRAMES_AFTER: u64 = 40;
    for before in [1, 5, 20] {
        let (mut long_off, mut long_says) = (0.0, 0.0);
        let (mut off, mut says) = (0.0, 0.0);
        for seed in 0..SEEDS {
            let mut stage = Stage::new(500 + seed);
            stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
            for frame in 0..=before + FRAMES_AFTER {
                let calls = if frame == before { 200_000 } else { 1_000 };
                stage.enter(&WORK);
                for _ in 0..calls {
                    stage.pass(4 * US);
                    stage.call(&HOT, 8 * US);
                    stage.call(&COLD, 2 * US);
                }
                stage.leave();
                let truth = stage.frame["hot"];
                stage.end_frame(true);
                let mut view = View::new();
                view.set_average(crate::Average::Newest);
                let rows = query::report(&stage.profiler, &view, None).rows;
                let hot = rows.iter().find(|row| &*row.name == "hot");
                let hot = hot.unwrap();
                let parts = [
                    hot.number(ColumnId::SelfTime) * 1e6 - truth,
                    hot.standard_error(ColumnId::SelfTime) * 1e6,
                ]
                .map(|x| x / truth);
                if frame == before {
                    long_off += parts[0] * parts[0] / SEEDS as f64;
                    long_says += parts[1] / SEEDS as f64;
                } else if frame > before {
                    off += parts[0] * parts[0] / (SEEDS * FRAMES_AFTER) as f64;
                    says += parts[1] / (SEEDS * FRAMES_AFTER) as f64;
                }
            }
        }
        let [long_off, off] = [long_off, off].map(f64::sqrt);
        let what = format!(
            "{before} frames before: off by {long_off:.4}, said {long_says:.4}; after it by {off:.4}, \
             said {says:.4}"
        );
        println!("{what}");
        // A share of 8 of 14 in 2,800 samples.
        assert!(long_off < 0.03 && long_says < 0.03, "{what}");
        assert!(long_says > 0.5 * long_off, "{what}");
        assert!(off < 0.06 && says < 0.1 && says > 0.5 * off, "{what}");
    }
}

/// A frame in which each call of the hot zone takes `hot` ticks.
fn stepped(stage: &mut Stage, hot: u64) {
    stage.enter(&WORK);
    stage.pass(6 * MS);
    for _ in 0..500 {
        stage.call(&HOT, hot);
        stage.call(&COLD, 6 * US);
    }
    stage.leave();
}

/// The sum of the hot zone's estimates over some frames of 12 runs, divided by the true sum.
fn hot_over_truth(frames: u64, mut run: impl FnMut(&mut Stage, u64), from: u64) -> f64 {
    let (mut estimate, mut truth) = (0.0, 0.0);
    for seed in 0..SEEDS {
        let mut stage = Stage::new(200 + seed);
        stepped(&mut stage, 4 * US);
        stage.end_frame(false);
        for frame in 0..frames {
            run(&mut stage, frame);
            let hot = stage.frame["hot"];
            stage.end_frame(true);
            if frame >= from {
                estimate += stage.newest().get("hot").copied().unwrap_or(0.0);
                truth += hot;
            }
        }
    }
    estimate / truth
}

/// The estimates follow a lasting change in the cost of calls within a second.
#[test]
fn a_lasting_change_in_the_cost_of_calls_is_followed() {
    for to in [2 * US, 6 * US, 8 * US, 12 * US, 20 * US] {
        let follow = |stage: &mut Stage, frame: u64| {
            if frame == 0 {
                stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
            }
            stepped(stage, if frame < 300 { 4 * US } else { to });
        };
        let soon = hot_over_truth(420, follow, 300);
        let later = hot_over_truth(480, follow, 400);
        println!("to {to}: {soon:.3} in the 120 frames after, {later:.3} from the 100th on");
        assert!((0.7..1.7).contains(&soon), "{to}: {soon}");
        assert!((0.88..1.12).contains(&later), "{to}: {later}");
    }
}

/// Estimates from samples are dropped once the clock has measured the times.
#[test]
fn exact_times_replace_estimates_from_old_samples() {
    for to in [2 * US, 8 * US, 12 * US] {
        let again = |stage: &mut Stage, frame: u64| {
            match frame {
                0 | 900 => stage.thread.apply_mode(cutoff::SAMPLED, stage.now),
                300 => stage.thread.apply_mode(cutoff::EXACT, stage.now),
                _ => {}
            }
            stepped(stage, if frame < 300 { 4 * US } else { to });
        };
        let ratio = hot_over_truth(960, again, 900);
        println!("to {to}: {ratio:.3}");
        // Some 700 hits in all, of the shortest.
        assert!((0.88..1.12).contains(&ratio), "{to}: {ratio}");
    }
}

/// A frame with a jump of the counter does not change what was learned.
#[test]
fn a_jump_of_the_counter_does_not_spoil_the_estimates() {
    for jump in [1_000 * MS, 3_600_000 * MS] {
        let mut stage = Stage::new(400);
        stepped(&mut stage, 12 * US);
        stage.end_frame(false);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        let mut jumped = 0;
        for frame in 0..400 {
            if frame == 300 {
                stage.enter(&WORK);
                stage.now += jump;
                stage.next_sample += jump as f64;
                jumped = jump;
                stage.leave();
            }
            stepped(&mut stage, 12 * US);
            let truth = std::mem::take(&mut stage.frame);
            let (ticks, ns) = (stage.now, stage.now - jumped);
            let record = stage.thread.record();
            stage
                .profiler
                .take_hits(|hits| std::mem::swap(hits, &mut stage.found));
            stage.found.clear();
            stage
                .profiler
                .update(&[record], record, Pair { ticks, ns }, true);
            if frame > 302 {
                let hot = stage.newest().get("hot").copied().unwrap_or(0.0);
                assert!((hot / truth["hot"] - 1.0).abs() < 0.3, "{frame}: {hot}");
            }
        }
    }
}
