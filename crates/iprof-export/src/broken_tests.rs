//! Tests with invalid snapshots, such as a host might build. No writer may panic, and errors must name the problem.

use super::format::Format;
use super::random_snapshots::any_snapshot;
use iprof_process::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone, ZoneBudget};
use iprof_report::VariantName;
use proptest::collection::vec;
use proptest::prelude::*;
use std::io;
use std::time::{Duration, SystemTime};

/// Generates an index, and whether to make it valid. Most are made valid, so that some snapshots contain at most one
/// mistake.
fn any_index() -> impl Strategy<Value = (u32, bool)> {
    let any_index = prop_oneof![4 => 0..12u32, 1 => any::<u32>()];
    (any_index, prop::bool::weighted(0.95))
}

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![100 => 0..100u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

/// Generates a node, and whether to make its parent and its zone valid.
fn any_node() -> impl Strategy<Value = (SnapshotNode, [bool; 2])> {
    let error = prop_oneof![60 => Just(0.0), 1 => prop::num::f64::ANY];
    let numbers = (any_number(), any_number(), any_number());
    (any_index(), any_index(), numbers, error).prop_map(
        |(parent, zone, (entries, ticks, samples), error)| {
            let mut node = SnapshotNode {
                parent: parent.0,
                zone: zone.0,
                ..SnapshotNode::default()
            };
            (node.entries, node.ticks) = (entries, ticks);
            (node.error, node.samples) = (error, samples);
            (node, [parent.1, zone.1])
        },
    )
}

fn broken_thread(nodes: Vec<(SnapshotNode, [bool; 2])>, zones: usize) -> SnapshotThread {
    let mut thread = SnapshotThread::new("thread");
    let nodes = nodes.into_iter().enumerate();
    let nodes = nodes.map(|(at, (mut node, [is_parent_valid, is_zone_valid]))| {
        if is_parent_valid {
            node.parent %= at.max(1) as u32;
        }
        if is_zone_valid {
            node.zone %= zones.max(1) as u32;
        }
        node
    });
    thread.nodes = nodes.collect();
    thread
}

/// Generates arbitrary snapshots, some of which are valid.
fn any_broken_snapshot() -> impl Strategy<Value = Snapshot> {
    let nodes = vec(any_node(), 0..8);
    let ns_per_tick = prop_oneof![10 => Just(1.0), 1 => prop::num::f64::ANY];
    let parts = (0..5usize, vec(nodes, 0..3), ns_per_tick, any_number());
    (parts, any::<Option<u32>>()).prop_map(|((zones, threads, ns_per_tick, ticks), taken)| {
        let mut snapshot = Snapshot::default();
        snapshot.ns_per_tick = ns_per_tick;
        snapshot.ticks = ticks;
        snapshot.zones = (0..zones)
            .map(|at| SnapshotZone::new(&format!("z{at}"), "", u32::MAX))
            .collect();
        snapshot.threads = threads
            .into_iter()
            .map(|nodes| broken_thread(nodes, zones))
            .collect();
        // Some systems can't represent times this far in the future.
        snapshot.about.taken = taken.and_then(|taken| {
            SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(u64::from(taken) << 24))
        });
        snapshot
    })
}

/// Generates valid snapshots whose ticks and entries sum to almost the maximum.
fn any_large_snapshot() -> impl Strategy<Value = Snapshot> {
    any_snapshot().prop_map(|mut snapshot| {
        // A snapshot has at most 123 nodes, with fewer than 41,000 ticks each.
        let factor = i64::MAX as u64 / (123 * 41_000);
        for node in snapshot
            .threads
            .iter_mut()
            .flat_map(|thread| &mut thread.nodes)
        {
            node.ticks *= factor;
            node.entries *= factor;
            node.samples = node.entries;
        }
        snapshot.ticks = u64::MAX;
        snapshot
    })
}

/// Calls every writer. Either all succeed, or all return the same error.
fn write_everything(snapshot: &Snapshot) -> Result<(), TestCaseError> {
    let expected = snapshot.validate();
    for (format, name) in Format::NAMES {
        let mut out = Vec::new();
        match (format.write(snapshot, &mut out), &expected) {
            (Ok(()), Ok(())) => {}
            (Err(error), Err(expected)) => {
                prop_assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}", name);
                prop_assert_eq!(error.to_string(), expected.to_string(), "{}", name);
                // The trace formats write frame by frame, so they may have written some output before the error.
                prop_assert!(out.is_empty() || name.starts_with("trace"), "{}", name);
            }
            (result, _) => prop_assert!(false, "{name}: {result:?}, {expected:?}"),
        }
    }
    Ok(())
}

fn query_everything(snapshot: &Snapshot, other: &Snapshot) -> Result<(), TestCaseError> {
    let since = snapshot.since(other);
    prop_assert_eq!(since.threads.len(), snapshot.threads.len());
    let _ = (snapshot.ns(0), snapshot.ns(u64::MAX));
    for thread in &snapshot.threads {
        let count = thread.nodes.len();
        prop_assert_eq!(thread.subtree_ticks().len(), count);
        for node in 0..count {
            prop_assert!((1..=node + 1).contains(&thread.stack(node).count()));
        }
        prop_assert_eq!(thread.stack(count).count(), 0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn invalid_snapshots_are_rejected(
        snapshot in any_broken_snapshot(),
        other in any_broken_snapshot(),
    ) {
        write_everything(&snapshot)?;
        query_everything(&snapshot, &other)?;
        write_everything(&snapshot.since(&other))?;
    }

    #[test]
    fn largest_valid_numbers_are_written(
        snapshot in any_large_snapshot(),
        other in any_large_snapshot(),
    ) {
        prop_assert_eq!(snapshot.validate(), Ok(()));
        write_everything(&snapshot)?;
        query_everything(&snapshot, &other)?;
        write_everything(&snapshot.since(&other))?;
    }

    #[test]
    fn frames_may_begin_and_end_at_any_time(
        snapshots in vec((any_large_snapshot(), any_number()), 0..4),
    ) {
        let frame = |(recorded, begin_ns)| iprof_process::FrameSnapshot { number: 7, begin_ns, recorded, marks: Vec::new() };
        let frames = snapshots.into_iter().map(frame);
        crate::with_crates::write_trace(&Snapshot::default(), frames, io::sink()).unwrap();
    }
}

#[test]
fn broken_invariants_are_named_in_errors() {
    type Change = fn(&mut Snapshot);
    let valid = || {
        let mut snapshot = Snapshot::default();
        let zone = snapshot.intern_zone(SnapshotZone::new("work", "", 0));
        let mut thread = SnapshotThread::new("main");
        thread.child(0, zone);
        snapshot.threads.push(thread);
        snapshot
    };
    assert_eq!(valid().validate(), Ok(()));
    let broken = |change: Change| {
        let mut snapshot = valid();
        change(&mut snapshot);
        snapshot.validate().unwrap_err().to_string()
    };
    let cases: [(Change, &str); 10] = [
        (|s| s.ns_per_tick = f64::NAN, "ns_per_tick is NaN"),
        (|s| s.threads[0].nodes.clear(), "thread 0: no nodes"),
        (
            |s| s.budgets.push((2, ZoneBudget::default())),
            "budget 0: zone is 2; expected less than 2, the number of zones",
        ),
        (
            |s| s.threads[0].nodes[0].parent = 1,
            "thread 0, node 0: parent is 1; expected 0",
        ),
        (
            |s| s.threads[0].nodes[1].parent = 1,
            "thread 0, node 1: parent is 1; expected an earlier node",
        ),
        (
            |s| s.threads[0].nodes[1].zone = 2,
            "thread 0, node 1: zone is 2; expected less than 2, the number of zones",
        ),
        (
            |s| s.threads[0].nodes[0].error = -1.0,
            "thread 0, node 0: standard error is -1; expected",
        ),
        (
            |s| s.threads[0].nodes[0].ticks = 1 << 63,
            "the ticks of all nodes",
        ),
        (
            |s| s.threads[0].nodes[0].entries = u64::MAX,
            "the entries of all nodes",
        ),
        (
            |s| (s.threads[0].nodes[0].ticks, s.ns_per_tick) = (1 << 62, 4.0),
            "the times of all nodes",
        ),
    ];
    for (change, expected) in cases {
        let message = broken(change);
        assert!(message.starts_with(expected), "{message}");
    }
}
