//! Snapshot conversions for writers: to whole nanoseconds, which also validates the snapshot, and to work only, for
//! formats that can't represent idle time.

use iprof_process::Snapshot;
use std::io;

/// Returns the snapshot with ticks of one nanosecond, or an error if the snapshot is not valid.
///
/// After rounding, a thread's nodes still add up to the thread's time. To achieve this, running sums are rounded, and a
/// node's time is the difference between two of them. So each node is within a nanosecond of its exact time.
///
/// Every writer calls this function first, so snapshots are validated here.
pub(super) fn in_nanoseconds(snapshot: &Snapshot) -> io::Result<Snapshot> {
    snapshot
        .validate()
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let mut whole = snapshot.clone();
    for thread in &mut whole.threads {
        let (mut ticks, mut ns) = (0, 0);
        for node in &mut thread.nodes {
            ticks += node.ticks;
            let until = whole_ns(snapshot, ticks);
            node.ticks = until - ns;
            ns = until;
            node.error *= snapshot.ns_per_tick;
        }
    }
    whole.ticks = whole_ns(snapshot, snapshot.ticks);
    whole.ns_per_tick = 1.0;
    Ok(whole)
}

fn whole_ns(snapshot: &Snapshot, ticks: u64) -> u64 {
    snapshot.ns(ticks).round() as u64
}

/// Returns the snapshot with all idle times set to zero, so that only work remains.
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

#[cfg(test)]
mod tests {
    use super::in_nanoseconds;
    use crate::random_snapshots::any_snapshot;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nanoseconds_are_close_and_sum_to_the_thread(
            mut snapshot in any_snapshot(),
            ns_per_tick in 0.1..2.0f64,
        ) {
            snapshot.ns_per_tick = ns_per_tick;
            let whole = in_nanoseconds(&snapshot).unwrap();
            for (thread, ns) in snapshot.threads.iter().zip(&whole.threads) {
                let mut sums = (0, 0);
                for (node, ns) in thread.nodes.iter().zip(&ns.nodes) {
                    prop_assert!((snapshot.ns(node.ticks) - ns.ticks as f64).abs() < 1.001);
                    prop_assert_eq!(node.entries, ns.entries);
                    sums = (sums.0 + node.ticks, sums.1 + ns.ticks);
                }
                prop_assert!((snapshot.ns(sums.0) - sums.1 as f64).abs() < 0.501);
            }
        }

        #[test]
        fn ticks_of_one_nanosecond_do_not_change(snapshot in any_snapshot()) {
            prop_assert_eq!(in_nanoseconds(&snapshot).unwrap(), snapshot);
        }
    }
}
