//! The end of a frame on every thread: `update`, which the host calls once per frame.

use crate::gather;
use crate::gather::mode::{self, cutoff};
use crate::program;
use crate::program::slow_frames;
use crate::program::stalls;
use crate::program::timing_mode::follow_timing;
use crate::sample;
use crate::sync::is_forked;
use iprof_process::Timing;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The number of frames at the start of the program in each of which a zone's cost is measured.
const FIRST_MEASUREMENTS: u64 = 64;
/// After the first frames, a zone's cost is measured in one of this many frames.
const MEASURE_EACH: u64 = 16;

/// Whether the host has ended a frame itself. The flag guards no other data, so relaxed accesses are enough.
static IS_ENDED_BY_HOST: AtomicBool = AtomicBool::new(false);

/// Ends the frame on every thread. Call it once per frame.
///
/// With `record`, the frame goes into snapshots, averages and history. Without `record`, the frame is discarded,
/// together with its samples and GPU times: it gets no frame number, is not included in any average or total, and the
/// display does not change. Pass `false` while the simulation is paused
/// ([`Controls::paused`](crate::Controls::paused)), or after a frame that loaded a level.
///
/// Usually the same thread makes all the calls. The graph shows the frames of the thread that made the last call, and
/// the times in that thread's report add up to the frame.
///
/// The first frame begins with the program's first zone on any thread, or with the first call to a function in this
/// crate that measures. If zones are open when the frame ends, on any thread, their time so far belongs to this frame.
/// Entries belong to the frame in which they happen. The cost of this function appears as the zone `iprof_update`.
///
/// ```
/// let paused = false;
/// for _ in 0..3 {
///     iprof::zone!(frame);
///     iprof::update(!paused);
/// }
/// ```
pub fn update(record: bool) {
    IS_ENDED_BY_HOST.store(true, Ordering::Relaxed);
    end_frame(record);
}

/// Ends the frame for a library that marks frame ends with `profiling::finish_frame!`. Does nothing once the program
/// has ended a frame itself, because each frame would then end twice.
#[doc(hidden)]
pub fn end_frame_of_library() {
    if !IS_ENDED_BY_HOST.load(Ordering::Relaxed) {
        end_frame(true);
    }
}

/// Ends the frame on every thread, and records or discards it. Does nothing in a child of `fork`.
fn end_frame(record: bool) {
    // `iprof_update` may be the program's first zone, which applies the environment variables. So the program must not
    // be locked here.
    crate::zone!(iprof_update);
    let Some(main) = crate::gather::local::record() else {
        return;
    };
    if is_forked() {
        return;
    }
    stalls::note_frame();
    if let Some((number, ms, budget)) = end_locked(main, record) {
        slow_frames::note_frame(number, ms, budget);
    }
}

/// Ends the frame while holding the lock. If it is remembered, returns its number, its length in ms and the frame
/// budget.
fn end_locked(main: &'static gather::ThreadRecord, record: bool) -> Option<(u64, f64, Duration)> {
    let mut program = program::lock();
    let (profiler, records, now) = program.records_at_end(sample::try_take);
    // `take_was_off` is called even if the frame is discarded, because it starts the next period. While timing is off,
    // zones may be recorded for a sampling profile, but not for frames.
    let was_off = mode::take_was_off() || profiler.timing() == Timing::Off;
    let is_recorded = record && !was_off;
    let is_first = !profiler.has_frames();
    let frames = profiler.frames_seen();
    // The displayed data includes the clock's resolution and the measured cost of a zone. This data must not change
    // while frames are discarded.
    if frames == 0 {
        profiler.measure_clock_resolution();
    }
    let is_coarse = profiler.frame_clock().coarse_ms().is_some();
    let measures = match is_coarse {
        // With a coarse clock, a measurement takes two clock steps, so measurements become less and less frequent.
        true => frames < 2 || frames.is_power_of_two(),
        false => frames < FIRST_MEASUREMENTS || frames % MEASURE_EACH == 0,
    };
    if measures && is_recorded {
        profiler.add_cost_measurement(gather::cost::measure(is_coarse));
    }
    if profiler.end_frame(records, main, now, is_recorded) {
        mode::announce_reclassification();
    }
    if is_first && matches!(profiler.timing(), Timing::Auto { .. }) {
        // In automatic mode, all nodes are sampled during the first frame.
        mode::turn_on(cutoff::AUTO);
    }
    follow_timing(profiler);
    let newest = profiler.history().newest().filter(|_| is_recorded);
    // If the history is configured to hold no frames, it may contain no frame or only an older one.
    newest
        .filter(|frame| frame.number == profiler.frames())
        .map(|frame| (frame.number, frame.ms(), profiler.frame_budget()))
}
