//! Code shared by the tests: counts entries by zone, and checks sums by thread.

use iprof::Snapshot;
use std::collections::BTreeMap;

/// Checks the sums of everything recorded since `before`. Returns each zone's number of entries on all threads.
pub fn checked_entries(before: &Snapshot) -> BTreeMap<String, u64> {
    let after = iprof::snapshot();
    after.validate().expect("the snapshot is invalid");
    let recorded = after.since(before);
    let lived = |name: &str| {
        let was_there = before.threads.iter().any(|thread| &*thread.name == name);
        let is_one = after
            .threads
            .iter()
            .filter(|thread| &*thread.name == name)
            .count()
            == 1;
        was_there && is_one
    };
    let mut threads = 0;
    let mut entries = BTreeMap::new();
    for thread in &recorded.threads {
        let sum: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
        let (sum, whole) = (recorded.ns(sum), recorded.ns(recorded.ticks));
        let bound = whole * 1.001 + 100_000.0;
        assert!(sum <= bound, "{}: {sum} of {whole} ns", thread.name);
        if lived(&thread.name) && !thread.has_ended {
            let is_close = (sum - whole).abs() <= whole * 0.001 + 100_000.0;
            assert!(is_close, "{}: {sum} of {whole} ns", thread.name);
            threads += 1;
        }
        for node in &thread.nodes {
            let zone = &recorded.zones[node.zone as usize].name;
            *entries.entry(zone.to_string()).or_default() += node.entries;
        }
    }
    assert!(threads > 0, "no thread existed for the whole time");
    entries
}
