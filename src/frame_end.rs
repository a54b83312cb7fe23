//! The functions that end a frame: `end_frame`, which the host calls once per frame, `discard_frame` and `update`.
//!
//! They stand above `process`, which does the work: their zone may be the program's first one, which starts what
//! the environment asks for.

use crate::process;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program has ended a frame itself. It guards nothing: relaxed accesses do.
static IS_ENDED_BY_HOST: AtomicBool = AtomicBool::new(false);

/// Ends the frame on every thread: [`end_frame`] with `record`, [`discard_frame`] without. The C API's
/// name, for hosts with one flag for both, such as [`Controls::paused`](crate::Controls::paused).
///
/// ```
/// let paused = false;
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(!paused);
/// }
/// ```
pub fn update(record: bool) {
    if record {
        end_frame();
    } else {
        discard_frame();
    }
}

/// Ends the frame on every thread and records it: it goes into snapshots, averages and history. Call it once per
/// frame, usually always on the same thread: the graph shows the frames of the thread that called it
/// last, and that thread's report sums to the frame.
///
/// The first frame begins with the program's first zone on any thread, or with the first call of a
/// function of this crate that measures. Time that a thread spends in zones that are open at the end of
/// the frame, on any thread, belongs to this frame; entries belong to the frame in which they happen.
/// The cost of this function appears as the zone `iprof_update`.
///
/// ```
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::end_frame();
/// }
/// ```
pub fn end_frame() {
    end_frame_of_host(true);
}

/// Ends the frame on every thread and discards this one frame: what is shown stays as it is. Call
/// it instead of [`end_frame`] while your simulation is paused, for example, or at the end of a frame
/// that loaded a level. Its samples and GPU times are discarded with it. It counts in no average and
/// no total, and has no number.
///
/// ```
/// iprof::discard_frame(); // all that the program did so far
/// iprof::end_frame();
/// ```
pub fn discard_frame() {
    end_frame_of_host(false);
}

/// Ends the frame for a library that says where frames end, by `profiling::finish_frame!`. Does nothing once the program
/// has ended a frame itself: each frame would be two.
#[doc(hidden)]
pub fn end_frame_of_library() {
    if !IS_ENDED_BY_HOST.load(Ordering::Relaxed) {
        end_frame_of(true);
    }
}

fn end_frame_of_host(record: bool) {
    IS_ENDED_BY_HOST.store(true, Ordering::Relaxed);
    end_frame_of(record);
}

/// Ends the frame, which is recorded if `record` is set.
fn end_frame_of(record: bool) {
    crate::zone!(iprof_update);
    if let Some(main) = crate::gather::local::record() {
        process::end_frame(main, record);
    }
}
