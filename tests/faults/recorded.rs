//! Reads entry counts from a snapshot.

use iprof::{Snapshot, SnapshotThread};

pub(crate) fn entries(zone: &str) -> u64 {
    entries_in(&iprof::snapshot(), zone)
}

pub(crate) fn entries_in(recorded: &Snapshot, zone: &str) -> u64 {
    let threads = recorded.threads.iter();
    threads
        .map(|thread| of_thread(recorded, thread, zone))
        .sum()
}

pub(crate) fn entries_on(recorded: &Snapshot, name: &str, zone: &str) -> u64 {
    let threads = recorded
        .threads
        .iter()
        .filter(|thread| *thread.name == *name);
    threads
        .map(|thread| of_thread(recorded, thread, zone))
        .sum()
}

fn of_thread(recorded: &Snapshot, thread: &SnapshotThread, zone: &str) -> u64 {
    let is_it = |zone_of_node: u32| *recorded.zones[zone_of_node as usize].name == *zone;
    let nodes = thread.nodes.iter().filter(|node| is_it(node.zone));
    nodes.map(|node| node.entries).sum()
}
