//! Tests that `update(true)` records the frame that ends, and `update(false)` discards it.

#![cfg(feature = "enable")]

/// Returns a zone's entries, summed over all call stacks.
fn entries(snapshot: &iprof::Snapshot, name: &str) -> u64 {
    let mut sum = 0;
    for thread in &snapshot.threads {
        for node in &thread.nodes {
            if &*snapshot.zones[node.zone as usize].name == name {
                sum += node.entries;
            }
        }
    }
    sum
}

#[test]
fn update_records_a_frame_or_discards_it() {
    fn enter_kept() {
        iprof::zone!(kept);
    }
    fn enter_lost() {
        iprof::zone!(lost);
    }
    iprof::update(true);
    let before = iprof::frame_snapshots(..).count();
    for _ in 0..3 {
        enter_kept();
        iprof::update(true);
    }
    enter_lost();
    iprof::update(false);
    assert_eq!(iprof::frame_snapshots(..).count(), before + 3);
    let snapshot = iprof::snapshot();
    assert_eq!(entries(&snapshot, "kept"), 3);
    assert_eq!(entries(&snapshot, "lost"), 0);
}
