//! Idle time apart from work, for formats whose readers know nothing of the kind.

use iprof_process::Snapshot;

/// The same nodes without idle time: what is left is work.
pub(super) fn without_idle_time(snapshot: &Snapshot) -> Snapshot {
    let mut work = snapshot.clone();
    for (thread, from) in work.threads.iter_mut().zip(&snapshot.threads) {
        for (at, node) in thread.nodes.iter_mut().enumerate() {
            if snapshot.is_idle(from, at) {
                (node.ticks, node.error) = (0, 0.0);
            }
        }
    }
    work
}

#[cfg(all(test, feature = "export"))]
mod tests {
    use super::without_idle_time;
    use crate::random_snapshots::any_snapshot;
    use crate::snapshot_totals::SnapshotTotals;
    use crate::with_crates::gprof::split_time_outside_zones;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn work_and_idle_time_sum_to_all(snapshot in any_snapshot()) {
            let mut split = snapshot.clone();
            split_time_outside_zones(&mut split);
            let [all, work] = [&split, &without_idle_time(&split)]
                .map(|snapshot| SnapshotTotals::of(snapshot, snapshot.threads.iter()));
            for (at, zone) in split.zones.iter().enumerate() {
                let [all, work] = [&all, &work].map(|totals| totals.zones[at].sums);
                prop_assert_eq!(all.entries, work.entries);
                prop_assert_eq!(work.self_ticks, if zone.is_idle { 0 } else { all.self_ticks });
            }
            let keys = |totals: &SnapshotTotals| -> Vec<(u32, u32)> {
                totals.calls.iter().map(|(key, _)| *key).collect()
            };
            prop_assert_eq!(keys(&all), keys(&work));
            let nodes = snapshot.threads.iter().flat_map(|thread| {
                (0..thread.nodes.len()).map(move |at| (thread, at))
            });
            let idle = nodes.filter(|(thread, at)| snapshot.is_idle(thread, *at));
            let idle: u64 = idle.map(|(thread, at)| thread.nodes[at].ticks).sum();
            prop_assert_eq!(work.ticks + idle, all.ticks);
        }
    }
}
