//! `end_frame` records a frame, `discard_frame` does not, and `update` is one or the other.

#![cfg(feature = "enable")]

/// Entries of the zone `name` since the program began, on all stacks.
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
fn update_ends_a_frame_as_end_frame_and_discard_frame_do() {
    fn enter_kept() {
        iprof::zone!(kept);
    }
    fn enter_lost() {
        iprof::zone!(lost);
    }
    type End = fn();
    let ends: [(End, End); 2] = [
        (iprof::end_frame, iprof::discard_frame),
        (|| iprof::update(true), || iprof::update(false)),
    ];
    iprof::end_frame();
    for (turn, (end, discard)) in ends.into_iter().enumerate() {
        let before = iprof::frame_snapshots(..).count();
        for _ in 0..3 {
            enter_kept();
            end();
        }
        enter_lost();
        discard();
        assert_eq!(iprof::frame_snapshots(..).count(), before + 3);
        let snapshot = iprof::snapshot();
        assert_eq!(entries(&snapshot, "kept"), 3 * (turn as u64 + 1));
        assert_eq!(entries(&snapshot, "lost"), 0);
    }
}
