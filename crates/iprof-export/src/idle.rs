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
