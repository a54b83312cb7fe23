//! `snapshot` and `dump`: all data recorded so far, as plain data or as text.

pub(super) mod builder;

use crate::about::About;
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
/// ask: where others take snapshots in a loop, an `update` waits for one of each. Without the feature `enable` it
/// has no threads.
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
    // First: at the end of the program it may be refused.
    let recorded = builder::snapshot();
    Snapshot {
        about: About::this_process(),
        ..recorded
    }
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
    let mut text = Vec::new();
    // Writing to memory never fails.
    let _ = snapshot().write_tree(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}
