//! Tests the estimator with programs whose times are known: it must be unbiased, and its standard errors must reflect
//! its actual deviations.

use super::sampled_stage::*;
use crate::query;
use crate::report::ColumnId;
use crate::view::View;
use iprof_gather::clock::Pair;
use iprof_gather::mode::cutoff;
use iprof_process::builder::snapshot_of;
use iprof_process::moving_average::FOLLOW_90;
use std::collections::BTreeMap;

/// The timing modes: either everything is sampled, or only the three inner zones.
const MODES: [(&str, u8, &[&str]); 2] = [
    ("sampled", cutoff::SAMPLED, &[]),
    ("auto", cutoff::AUTO, &["hot", "cold", "rare"]),
];

/// A zone's estimates must sum to its true times except for random deviations, which must be no larger than with plain
/// hit counting.
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
                assert_eq!(
                    sum(&stage.estimate),
                    sum(&stage.truth),
                    "sums in {mode}, {name}"
                );
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

/// A snapshot's totals must deviate as much as their standard errors state. The mean square of the deviations, in units
/// of standard errors, is about one.
#[test]
fn totals_deviate_by_their_standard_errors() {
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
                        assert_eq!(off, 0.0, "{mode}, {name}: total of {zone} without an error");
                        continue;
                    }
                    squares += (off / node.error).powi(2);
                    count += 1;
                }
            }
            let mean = squares / f64::from(count);
            println!("{mode}, {name}: {mean:.2} of {count}");
            // The upper bound is the square of the deviation bound in `estimates_are_unbiased`.
            assert!(
                (0.3..1.6 * 1.6).contains(&mean),
                "{mode}, {name}: mean square {mean:.2}"
            );
        }
    }
}

/// No more per-frame estimates may deviate by two or four standard errors than chance allows. The standard errors must
/// not be too large, either.
#[test]
fn standard_errors_match_the_deviations() {
    for (mode, cutoff, short) in MODES {
        for (name, program) in PROGRAMS {
            let mut stage = Stage::new(1);
            let (mut shown, mut beyond_two, mut beyond_four, mut squares) = (0, 0, 0, 0.0);
            run_with(&mut stage, cutoff, short, 600, program, |stage, truth| {
                let mut view = View::default();
                view.average = crate::Average::Newest;
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

/// Like [`standard_errors_match_the_deviations`], but for averages, both soon after the start and in the long run.
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
                        // The first frame was exact.
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
                        let mut view = View::default();
                        view.average = crate::Average::ALL[slot + 1];
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
                    // At first, everything is known from the preceding exact frame, which counts as one sample.
                    let least = if CHECKED_FRAMES[at] < 200 { 0.05 } else { 0.2 };
                    assert!((least..1.8).contains(&root), "{what}");
                }
            }
        }
    }
}

/// A zone takes no time in frames that do not enter it, and a spike belongs to the frame in which it occurred.
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
                // The first spike differs greatly from what was learned, but is still found.
                let least = if std::mem::take(&mut first) { 0.5 } else { 0.7 };
                assert!(
                    estimate > least * truth["cold"],
                    "the spike was estimated at only {estimate}"
                );
                spikes_seen += 1;
            }
        },
    );
    assert!(spikes_seen > 8);
}
