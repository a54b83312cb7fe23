//! Tests for the estimator when the timing mode, frame length, cost of calls or counter changes.

use super::sampled_stage::*;
use crate::query;
use crate::report::ColumnId;
use crate::view::Average;
use crate::view::View;
use iprof_gather::class;
use iprof_gather::clock::Pair;
use iprof_gather::mode::cutoff;

/// The mode is exact when the frame begins and when it ends, but not in between.
#[test]
fn mode_that_changes_twice_in_a_frame_is_marked() {
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
        assert_eq!(
            marked,
            if frame == 3 { 3 } else { 0 },
            "rows marked in frame {frame}"
        );
    }
}

/// The mode changes from exact to sampled and back. Sums must also hold in mixed frames, and exact frames must be exact
/// again.
#[test]
fn mode_can_change_in_the_middle_of_a_frame() {
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
        let truth = stage.frame();
        stage.end_frame(true);
        let newest = stage.newest();
        assert_eq!(newest.values().sum::<f64>(), truth.values().sum::<f64>());
        let deltas = &stage.profiler.history().newest().unwrap().deltas;
        let is_exact = deltas.iter().all(|delta| delta.error == 0.0);
        // Every third frame changes from auto, which is exact without reclassifications, to exact. All other frames
        // were partly sampled.
        assert_eq!(is_exact, frame % 3 == 0, "whether frame {frame} is exact");
    }
}

/// The sampler may be running because of other threads. Samples of an exact thread must not be used later.
#[test]
fn samples_of_an_exact_thread_are_ignored() {
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
        let truth = stage.frame();
        stage.end_frame(true);
        for (zone, ticks) in stage.newest() {
            let off = (ticks - truth.get(&zone).copied().unwrap_or(0.0)).abs();
            assert!(off < MS as f64, "{zone} is off by {off}");
        }
    }
}

/// Checks that the newest frame, which lasts a second, was divided correctly: half in `WORK`, half in no zone.
fn check_halves(seed: u64, stage: &Stage) {
    let newest = stage.newest();
    for zone in ["work", "(outside zones)"] {
        let off = newest.get(zone).copied().unwrap_or(0.0) / (500 * MS) as f64 - 1.0;
        // With 500 hits each, this is slightly more than five standard errors.
        assert!(off.abs() < 0.25, "seed {seed}: {zone} is off by {off}");
    }
    let deltas = &stage.profiler.history().newest().unwrap().deltas;
    assert!(deltas.iter().all(|delta| delta.error != 0.0));
}

/// Ends a frame that lasts a second.
fn run_halves(stage: &mut Stage) {
    for _ in 0..100 {
        stage.call(&WORK, 5 * MS);
        stage.pass(5 * MS);
    }
    stage.end_frame(false);
}

/// If a program never calls `update`, its first frame is its only one.
#[test]
fn first_frame_includes_time_outside_zones() {
    for seed in 0..20 {
        let mut stage = Stage::new(seed);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        run_halves(&mut stage);
        check_halves(seed, &stage);
    }
}

#[test]
fn first_hits_of_a_node_determine_its_time() {
    for seed in 0..20 {
        let mut stage = Stage::new(seed);
        stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
        // The zone is on the stack, but not at the top.
        stage.call(&WORK, 5 * MS);
        stage.end_frame(false);
        run_halves(&mut stage);
        check_halves(seed, &stage);
    }
}

/// The few samples of a short frame carry little weight compared with the thousands of a long frame.
#[test]
fn long_frame_after_a_short_one_uses_its_samples() {
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
        let truth = stage.frame();
        stage.end_frame(true);
        let newest = stage.newest();
        for (name, ticks) in truth {
            let ratio = newest[&name] / ticks;
            // There are at least 500 hits.
            assert!(
                (ratio - 1.0).abs() < 0.2,
                "{name}, seed {seed}: ratio {ratio}"
            );
        }
    }
}

/// The long frame's standard errors must reflect its many samples. Its deviation from the little that was known before
/// must not be mistaken for calls of varying length, so later frames must also have small errors.
#[test]
fn estimates_after_a_long_frame_use_its_samples() {
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
                let truth = stage.frame()["hot"];
                stage.end_frame(true);
                let mut view = View::default();
                view.average = crate::Average::Newest;
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
        // The fraction is 8/14, in 2,800 samples.
        assert!(long_off < 0.03 && long_says < 0.03, "{what}");
        assert!(long_says > 0.5 * long_off, "{what}");
        assert!(off < 0.06 && says < 0.1 && says > 0.5 * off, "{what}");
    }
}

/// Runs a frame in which each call to the hot zone takes `hot` ticks.
fn stepped(stage: &mut Stage, hot: u64) {
    stage.enter(&WORK);
    stage.pass(6 * MS);
    for _ in 0..500 {
        stage.call(&HOT, hot);
        stage.call(&COLD, 6 * US);
    }
    stage.leave();
}

/// Sums the hot zone's estimates over some frames in each of 12 runs, and divides by the true sum.
fn hot_over_truth(frames: u64, mut run: impl FnMut(&mut Stage, u64), from: u64) -> f64 {
    let (mut estimate, mut truth) = (0.0, 0.0);
    for seed in 0..SEEDS {
        let mut stage = Stage::new(200 + seed);
        stepped(&mut stage, 4 * US);
        stage.end_frame(false);
        for frame in 0..frames {
            run(&mut stage, frame);
            let hot = stage.frame()["hot"];
            stage.end_frame(true);
            if frame >= from {
                estimate += stage.newest().get("hot").copied().unwrap_or(0.0);
                truth += hot;
            }
        }
    }
    estimate / truth
}

/// Estimates must adapt to a lasting change in the cost of calls within a second.
#[test]
fn estimates_follow_lasting_cost_changes() {
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
        assert!(
            (0.7..1.7).contains(&soon),
            "changed to {to}: ratio {soon} soon after"
        );
        assert!(
            (0.88..1.12).contains(&later),
            "changed to {to}: ratio {later} later"
        );
    }
}

/// Estimates based on samples must be dropped once the clock has measured the actual times.
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
        // With the shortest calls, there are about 700 hits.
        assert!(
            (0.88..1.12).contains(&ratio),
            "changed to {to}: ratio {ratio}"
        );
    }
}

/// A zone that was untimed until recently counts as untimed in averages. An average's timer group may therefore need
/// the errors of several frames' timer groups.
#[test]
fn averages_have_errors_after_a_zone_became_timed() {
    let (_, even) = PROGRAMS[0];
    // Change after the first frame, which is in no average, as `Auto` does, or later.
    for (change, average) in [(1, 1), (1, 2), (200, 1), (200, 2)] {
        let (mut squares, mut shown) = (0.0, 0.0);
        for seed in 0..SEEDS {
            let mut stage = Stage::new(500 + seed);
            stage.thread.apply_mode(cutoff::SAMPLED, stage.now);
            for frame in 0..change + 60 {
                if frame == change {
                    let inner = [2, 3].map(|node| (node, class::UNTIMED_BY_AUTO));
                    stage.thread.record().reclassify(&inner);
                    stage.profiler.tree_mut(0).set_untimed_count(2);
                    stage.thread.apply_mode(cutoff::AUTO, stage.now);
                }
                even(&mut stage, frame);
                stage.end_frame(false);
            }
            let mut view = View::default();
            view.average = Average::ALL[average];
            for (zone, truth) in [("hot", 4.0), ("cold", 1.0)] {
                let rows = query::report(&stage.profiler, &view, None).rows;
                let row = rows.iter().find(|row| &*row.name == zone).unwrap();
                let error = row.standard_error(ColumnId::SelfTime);
                assert!(error > 0.0, "change at {change}: no error in {row:?}");
                squares += ((row.number(ColumnId::SelfTime) - truth) / error).powi(2);
                shown += 1.0;
            }
        }
        let root = f64::sqrt(squares / shown);
        println!("{change}, average {average}: root mean square {root:.2}");
        assert!(
            (0.2..1.8).contains(&root),
            "change at {change}: root mean square {root}"
        );
    }
}

/// A frame during which the counter jumps must not change what was learned.
#[test]
fn counter_jump_does_not_spoil_estimates() {
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
            let truth = stage.take_frame();
            let (ticks, ns) = (stage.now, stage.now - jumped);
            let record = stage.thread.record();
            stage
                .profiler
                .take_hits(|hits| std::mem::swap(hits, &mut stage.found));
            stage.found.clear();
            stage
                .profiler
                .end_frame(&[record], record, Pair { ticks, ns }, true);
            if frame > 302 {
                let hot = stage.newest().get("hot").copied().unwrap_or(0.0);
                assert!(
                    (hot / truth["hot"] - 1.0).abs() < 0.3,
                    "frame {frame}: estimate {hot}"
                );
            }
        }
    }
}
