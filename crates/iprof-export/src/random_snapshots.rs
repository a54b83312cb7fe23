//! Random snapshots for tests.

use iprof_process::{Snapshot, SnapshotNode, SnapshotThread, SnapshotZone};
use proptest::collection::vec;
use proptest::prelude::*;

/// Generates snapshots with random trees of few zones, so that zones call themselves and each other. One zone is idle,
/// and one is iprof's own. All threads except the first are idle outside zones. If there are several threads, the last
/// one may be the GPU.
pub(crate) fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let node = (any::<prop::sample::Index>(), 1..5u32, 0..1000u64, 0..9u64);
    (vec(vec(node, 0..40), 0..4), any::<bool>()).prop_map(|(threads, has_gpu)| {
        let mut snapshot = Snapshot::default();
        for name in ["a", "b", "c", "d"] {
            let mut zone = SnapshotZone::new(name, "src/main.rs", 7);
            zone.is_idle = name == "c";
            zone.is_own = name == "d";
            snapshot.intern_zone(zone);
        }
        let count = threads.len();
        for (at, nodes) in threads.into_iter().enumerate() {
            let is_gpu = has_gpu && at > 0 && at + 1 == count;
            let mut thread = SnapshotThread::new(if is_gpu { "GPU" } else { "thread" });
            thread.is_gpu = is_gpu;
            thread.nodes[0].ticks = 10;
            thread.is_idle_outside_zones = at > 0;
            for (parent, zone, ticks, entries) in nodes {
                let at = thread.child(parent.index(thread.nodes.len()), zone);
                thread.nodes[at].ticks += ticks;
                thread.nodes[at].entries += entries;
            }
            snapshot.threads.push(thread);
        }
        snapshot.ticks = 100_000;
        snapshot
    })
}

/// Returns every node on some threads, with its stack of zones, root first.
pub(crate) fn stacks<'a>(
    threads: impl Iterator<Item = &'a SnapshotThread>,
) -> Vec<(Vec<u32>, SnapshotNode)> {
    let nodes = threads.flat_map(|thread| (0..thread.nodes.len()).map(move |at| (thread, at)));
    nodes
        .map(|(thread, at)| {
            let mut stack: Vec<u32> = thread.stack(at).map(|node| node.zone).collect();
            stack.reverse();
            (stack, thread.nodes[at])
        })
        .collect()
}
