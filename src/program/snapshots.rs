//! Access to all data recorded so far, as a struct or as text, and to individual remembered frames: `snapshot`, `dump`,
//! `frame_snapshots`.

use crate::gather::mode;
use crate::program::{self, Program};
use crate::sample;
use iprof_export::Format;
use iprof_process::About;
use iprof_process::Timing;
use iprof_process::builder::{frame_snapshot, snapshot_of};
use iprof_process::{FrameSnapshot, FrameSnapshots, Snapshot};
use std::ops::RangeBounds;

/// Returns everything recorded so far, on every thread, since the program's start or the last [`reset`](crate::reset).
///
/// May be called at any time, from any thread. If zones are open, their time so far is included. Recording threads do
/// not wait.
///
/// The snapshot contains all recorded frames, plus whatever was recorded after the last call to
/// [`update`](crate::update). If that call discarded its frame, profiling counts as paused, and the data recorded after
/// the call is left out. In a program that never calls `update`, the snapshot contains everything except for the time
/// while timing was [off](crate::Timing::Off).
///
/// With [GPU zones](crate::gpu_zone!) the snapshot has a thread named `GPU`, which holds the GPU times of recorded
/// frames. GPU times arrive a few frames late, so the newest frames' times may be missing.
///
/// Sampled times have standard errors. [`Snapshot::since`] returns what was recorded between two snapshots.
///
/// Memory and time are proportional to the number of call stacks ever seen. An `update` on a different thread waits
/// until the snapshot is complete. The lock is fair, so if several threads take snapshots in a loop, an `update` waits
/// for at most one snapshot from each. Without the `enable` feature the snapshot has no threads.
///
/// ```
/// fn work() {
///     iprof::zone!(work);
/// }
/// work();
/// let earlier = iprof::snapshot();
/// work();
/// let since = iprof::snapshot().since(&earlier);
/// # if !iprof::is_recording() { return }
/// assert_eq!(since.threads[0].nodes[1].entries, 1);
/// ```
#[must_use]
pub fn snapshot() -> Snapshot {
    // Reading the records can fail while the program is exiting, so the description of the process is added afterward.
    let mut recorded = recorded_so_far();
    recorded.about = About::this_process();
    recorded
}

/// Returns everything recorded so far as text, for a console or a log: the [tree](Format::Tree) of a [`snapshot`].
///
/// May be called at any time, from any thread. Recording threads do not wait. Without the `enable` feature, the text
/// lists no threads.
///
/// To measure one section of a program's run, call [`reset`](crate::reset) before it and this function after it.
///
/// ```
/// iprof::reset();
/// {
///     iprof::zone!(load);
/// }
/// let text = iprof::dump();
/// # if !iprof::is_recording() { return }
/// assert!(text.contains("load"));
/// print!("{text}");
/// ```
#[must_use]
pub fn dump() -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = Format::Tree.write(&snapshot(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn recorded_so_far() -> Snapshot {
    let mut program = program::lock();
    let (profiler, records, now) = program.records_now(sample::try_take);
    let was_off = mode::has_been_off() || profiler.timing() == Timing::Off;
    snapshot_of(profiler, records, now, was_off)
}

/// Records or discards the data so far, in a program that does not call `update`.
pub(super) fn record_or_discard(program: &mut Program, is_recorded: bool) {
    let (profiler, records, now) = program.records_now(sample::try_take);
    profiler.end_outside_frames(records, now, is_recorded);
}

/// Returns snapshots of the remembered frames with the given numbers, oldest first.
///
/// [`Config::history`](crate::Config::history) sets how many of the newest frames are remembered. The
/// [longest](crate::Config::longest_frames) and the [marked](crate::mark) frames are kept for longer, so there may be
/// gaps between the numbers.
///
/// The iterator fetches each frame on demand, and an `update` waits only for that frame. Frames that the history
/// dropped before the iterator reached them are skipped. If `numbers` has no upper bound, frames recorded during the
/// iteration are included.
///
/// A snapshot holds the same data as the frame's report, exact to the tick: time and entries for every call stack that
/// was entered or took time in the frame. Samples are not stored per frame, so the nodes' `samples` are 0. Without the
/// `enable` feature there are no frames.
///
/// ```
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(true);
/// }
/// for frame in iprof::frame_snapshots(2..) {
///     println!("frame {}: {} ticks", frame.number, frame.recorded.ticks);
/// }
/// ```
pub fn frame_snapshots(
    numbers: impl RangeBounds<u64>,
) -> impl Iterator<Item = FrameSnapshot> + Clone {
    frames_of(numbers)
}

/// Works like [`frame_snapshots`], but returns a nameable type.
pub(crate) fn frames_of(numbers: impl RangeBounds<u64>) -> FrameSnapshots {
    FrameSnapshots::new(numbers, |first, last| {
        program::with_profiler(|profiler| frame_snapshot(profiler, first, last))
    })
}

/// Returns the newest frame's number; 0 before the first frame ends.
pub(crate) fn newest_frame() -> u64 {
    program::with_profiler(|profiler| profiler.frames())
}
