//! `snapshot` and `dump`: all data recorded so far, as plain data or as text.

#[cfg(feature = "enable")]
pub(super) mod builder;

use crate::about::About;
use crate::memory::{can_allocate, sum_of_products};
use crate::snapshot::Snapshot;

/// A snapshot of everything recorded so far, on every thread, since the program's start or the last
/// [`reset`](crate::reset). Call it at any moment, from any thread, with zones open; their time so far
/// is included. No thread that records waits for it.
///
/// It holds all frames that [`update`](crate::update) recorded, and the data since the last frame. The
/// data since the last frame is left out if that last frame was discarded, because profiling is paused
/// then. A program that never calls `update` has a single frame that does not end; of that frame, only
/// the time while timing was [off](crate::Timing::Off) is discarded.
///
/// With [GPU zones](crate::gpu_zone!) there is a thread `GPU`. It holds the GPU times that have arrived
/// for recorded frames; they arrive some frames late.
///
/// Sampled times have standard errors. Two snapshots tell what was recorded between them:
/// [`Snapshot::since`].
///
/// Memory and time are proportional to the number of stacks ever seen, entered or not: 10 to 40 ns
/// each, during which an `update` on another thread waits. Threads get their turns in the order in which they
/// ask: where others take snapshots in a loop, an `update` waits for one of each. The snapshot is empty without the feature
/// `enable`, and if the system has no memory for it.
///
/// ```
/// fn work() {
///     iprof::zone!(work);
/// }
/// work();
/// let earlier = iprof::snapshot();
/// work();
/// let since = iprof::snapshot().since(&earlier);
/// # #[cfg(feature = "enable")]
/// assert_eq!(since.threads[0].nodes[1].entries, 1);
/// ```
#[must_use]
pub fn snapshot() -> Snapshot {
    if_enabled!(
        try_snapshot().unwrap_or_else(|| Snapshot {
            about: About::this_process(),
            ..Snapshot::default()
        }),
        Snapshot::default()
    )
}

/// As [`snapshot`]; `None` if the system has no memory for it.
pub(crate) fn try_snapshot() -> Option<Snapshot> {
    let recorded = if_enabled!(builder::snapshot()?, Snapshot::default());
    Some(Snapshot {
        about: About::this_process(),
        ..recorded
    })
}

/// The numbers of nodes and of zones that a snapshot would have now, for callers that must allocate
/// before they take it.
#[cfg(feature = "environment")]
pub(crate) fn recorded_size() -> (usize, usize) {
    if_enabled!(builder::recorded_size(), (0, 0))
}

/// Everything recorded so far as text, for a console or a log: [`Snapshot::write_tree`] of a
/// [`snapshot`]. Call it at any moment, from any thread; no thread that records waits for it. Without
/// the feature `enable` it lists no threads.
///
/// To measure one part of a program's run, call [`reset`](crate::reset) before it, and this after it.
///
/// ```
/// iprof::reset();
/// {
///     iprof::zone!(load);
/// }
/// let text = iprof::dump();
/// # #[cfg(feature = "enable")]
/// assert!(text.contains("load"));
/// print!("{text}");
/// ```
#[must_use]
pub fn dump() -> String {
    let recorded = snapshot();
    let nodes: usize = recorded
        .threads
        .iter()
        .map(|thread| thread.nodes.len())
        .sum();
    if !can_allocate(sum_of_products([(IN_DUMP, nodes + 64)])) {
        return NO_DUMP.to_owned();
    }
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = recorded.write_tree(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Most bytes of memory that a node needs in the text and while it is written.
const IN_DUMP: usize = 1_024;
const NO_DUMP: &str = "iprof: out of memory: the dump could not be written\n";
