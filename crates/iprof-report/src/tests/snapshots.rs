//! Tests snapshots against the oracle and against runs without snapshots.

use super::oracle::Stack;
use super::programs::{self, OracleSnapshot, Run, Step};
use super::sums::THREADS;
use crate::query;
use crate::report::ColumnId;
use iprof_process::Profiler;
use iprof_process::builder::frame_snapshot;
use iprof_process::{Snapshot, SnapshotThread};
use proptest::prelude::*;
use std::collections::HashMap;

fn by_stack(snapshot: &Snapshot, thread: &SnapshotThread) -> HashMap<Stack, (f64, f64, f64)> {
    let mut stacks: Vec<Stack> = Vec::new();
    let mut found = HashMap::new();
    for (at, node) in thread.nodes.iter().enumerate() {
        let name = &snapshot.zones[node.zone as usize].name;
        let zone = match &**name {
            "(outside zones)" => 0,
            name => usize::from(name.as_bytes()[name.len() - 1] - b'a') + 1,
        };
        let mut stack = match at {
            SnapshotThread::ROOT => Vec::new(),
            _ => stacks[node.parent as usize].clone(),
        };
        stack.push(zone);
        stacks.push(stack.clone());
        let values = (node.ticks as f64, node.entries as f64, node.error);
        assert!(
            found.insert(stack, values).is_none(),
            "each stack should occur only once"
        );
    }
    found
}

pub(super) fn check_snapshot(taken: &OracleSnapshot) {
    let snapshot = &taken.snapshot;
    assert_eq!(
        (snapshot.ticks, snapshot.frames),
        (taken.ticks, taken.frames)
    );
    assert_eq!(snapshot.threads.len(), THREADS);
    for (thread, naive) in snapshot.threads.iter().zip(&taken.naive) {
        let found = by_stack(snapshot, thread);
        let total: f64 = found.values().map(|(ticks, ..)| ticks).sum();
        assert_eq!(total, naive.total());
        for (stack, (ticks, entries)) in &naive.0 {
            let (got, count, _) = found.get(stack).copied().unwrap_or_default();
            assert_eq!(count, *entries, "{stack:?}");
            assert!(
                got == *ticks || !taken.is_exact,
                "{stack:?}: {got} of {ticks}"
            );
        }
        for (stack, (ticks, entries, error)) in &found {
            let is_known = naive.0.contains_key(stack) || !taken.is_exact;
            assert!(is_known || (*ticks, *entries) == (0.0, 0.0), "{stack:?}");
            assert!(error.is_finite() && *error >= 0.0);
            assert!(*error == 0.0 || !taken.is_exact);
            assert!(*error <= total, "{stack:?}: ± {error} of {total}");
        }
    }
}

/// Checks that the recorded totals are the sums over the remembered frames, exact to the tick, even if the frames were
/// sampled.
pub(super) fn check_frame_sums(profiler: &Profiler) {
    for (at, thread) in profiler.threads().iter().enumerate() {
        let mut sums: HashMap<u32, (u64, u64)> = HashMap::new();
        for frame in profiler.history().iter() {
            for delta in frame.deltas_of(at as u32) {
                let sum = sums.entry(delta.node).or_default();
                *sum = (sum.0 + delta.ticks, sum.1 + delta.entries);
            }
        }
        for (node, totals) in thread.tree().totals_for_tests().iter().enumerate() {
            let sum = sums.get(&(node as u32)).copied().unwrap_or_default();
            assert_eq!(
                (totals.ticks, totals.entries),
                sum,
                "thread {at}, node {node}"
            );
        }
    }
}

/// Checks each remembered frame against the oracle: entries, threads' times, and if nothing was sampled, all times.
pub(super) fn check_frames(run: &Run, is_exact: bool) {
    let mut next = 0;
    let mut found = 0;
    while let Some(frame) = frame_snapshot(&run.profiler, next, u64::MAX) {
        next = frame.number + 1;
        found += 1;
        let naive = &run.frames[frame.number as usize - 1 - run.forgotten];
        assert_eq!(frame.recorded.ticks, naive.ticks);
        assert_eq!(frame.recorded.threads.len(), THREADS);
        for (thread, naive) in frame.recorded.threads.iter().zip(&naive.threads) {
            let stacks = by_stack(&frame.recorded, thread);
            let total: f64 = stacks.values().map(|(ticks, ..)| ticks).sum();
            assert_eq!(total, naive.total(), "frame {}", frame.number);
            let mut errors = stacks.values().map(|(.., error)| *error);
            assert!(!is_exact || errors.all(|error| error == 0.0));
            for (stack, (ticks, entries)) in &naive.0 {
                let (got, count, _) = stacks.get(stack).copied().unwrap_or_default();
                assert_eq!(count, *entries, "{stack:?}");
                assert!(got == *ticks || !is_exact, "{stack:?}: {got} of {ticks}");
            }
            for (stack, (ticks, _, error)) in &stacks {
                assert!(error.is_finite() && *error <= total, "{stack:?}: {error}");
                let is_known = naive.0.contains_key(stack) || !is_exact;
                assert!(is_known || *ticks == 0.0, "{stack:?}: {ticks}");
            }
        }
    }
    assert_eq!(found, run.frames.len());
}

/// Checks that two runs of a program remember the same frames.
fn check_same_frames(a: &Run, b: &Run) {
    let frames = a.profiler.history().iter().zip(b.profiler.history().iter());
    for (a, b) in frames {
        assert_eq!((a.number, a.ticks), (b.number, b.ticks));
        assert_eq!(a.ms_per_tick, b.ms_per_tick);
        assert_eq!(a.deltas, b.deltas);
        let parts = |frame: &iprof_process::frame::Frame| {
            let parts = frame.threads.iter();
            parts
                .map(|p| (p.thread, p.start, p.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts(a), parts(b));
    }
    assert_eq!(a.profiler.frames(), b.profiler.frames());
    assert_eq!(a.profiler.frames_seen(), b.profiler.frames_seen());
    for (a, b) in a.profiler.threads().iter().zip(b.profiler.threads()) {
        assert_eq!(a.tree().totals_for_tests(), b.tree().totals_for_tests());
    }
    // Floating-point sums in a different order differ in the last digit.
    check_same_averages(a, b, 1e-9);
}

/// Checks that two runs of a program have the same averages.
pub(super) fn check_same_averages(a: &Run, b: &Run, precision: f64) {
    let average = |run: &Run| {
        let mut view = crate::View::default();
        view.average = crate::Average::Slow;
        // Zones are numbered when they are first seen, possibly by a snapshot, and equal rows are ordered by number.
        // Therefore sort by name.
        let shown = query::report(&run.profiler, &view, None).rows.into_iter();
        let mut rows: Vec<_> = shown
            .map(|row| {
                let columns = [
                    ColumnId::SelfTime,
                    ColumnId::HierarchicalTime,
                    ColumnId::Count,
                ];
                let values = columns.map(|column| row.value(column).unwrap());
                (row.name.to_string(), values, row.heat)
            })
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    let (a, b) = (average(a), average(b));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        let same = |a: f64, b: f64| (a - b).abs() <= precision * (1e-3 + a.abs());
        assert_eq!(a.0, b.0);
        for (value, other) in a.1.iter().zip(&b.1) {
            let errors = (value.standard_error, other.standard_error);
            assert!(same(value.number, other.number), "{a:?} {b:?}");
            assert!(same(errors.0, errors.1), "{a:?} {b:?}");
        }
        assert!(
            f64::from((a.2 - b.2).abs()) < 1e3 * precision,
            "{a:?} {b:?}"
        );
    }
}

fn check_program(program: &[(usize, Step)]) {
    let run = programs::run(THREADS, program);
    run.snapshots.iter().for_each(check_snapshot);
    check_frame_sums(&run.profiler);
    let is_sampled =
        |(_, step): &(usize, Step)| matches!(step, Step::Follow(_) | Step::Reclassify(..));
    check_frames(&run, !program.iter().any(is_sampled));
    let without: Vec<_> = program
        .iter()
        .copied()
        .filter(|(_, step)| !matches!(step, Step::Snapshot))
        .collect();
    check_same_frames(&run, &programs::run(THREADS, &without));
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn snapshot_has_all_data_and_keeps_frames_unchanged(
        program in programs::program(THREADS)
    ) {
        check_program(&program);
    }

    #[test]
    fn snapshot_is_correct_with_deep_recursion(
        program in programs::deep_program(THREADS)
    ) {
        check_program(&program);
    }

    #[test]
    fn snapshot_leaves_no_trace_with_changing_clocks(
        program in programs::timed_program(THREADS)
    ) {
        check_program(&program);
    }
}
