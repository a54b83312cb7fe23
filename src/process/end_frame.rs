//! Takes the locked program through the end of a frame, on every thread.

use crate::gather::{self, mode};
use crate::process::program;
#[cfg(feature = "report")]
use crate::process::slow_frames;
use crate::process::stalls;
use crate::process::timing_mode::follow_timing;
use crate::sample;
use crate::timing::Timing;

/// Ends the frame on every thread, and records it or not. `main` is the calling thread's record.
pub(crate) fn end_frame(main: &'static gather::ThreadRecord, record: bool) {
    stalls::note_frame();
    #[cfg(feature = "report")]
    let mut recorded = None;
    program::with_all_threads(sample::try_take, |profiler, records, now| {
        // Without memory for the frame, it does not end here; a later call ends it.
        if !profiler.reserve_for_frame(records, record) {
            return;
        }
        let records = profiler.ingested(records);
        // Must be called even for a frame that is discarded anyway, since it starts the next period. A
        // profile may have zones recorded while timing is off, but not for frames.
        let was_off = mode::take_was_off() || profiler.timing() == Timing::Off;
        let is_recorded = record && !was_off;
        let frames = profiler.frames_seen();
        // While frames are discarded, the shown data must not change; the measured cost of a zone is
        // part of it.
        if frames == 0 {
            profiler.measure_clock_resolution();
        }
        let is_coarse = profiler.frame_clock().coarse_ms().is_some();
        let measures = match is_coarse {
            // It takes two steps of the clock.
            true => frames < 2 || frames.is_power_of_two(),
            false => frames < FIRST_MEASUREMENTS || frames % MEASURE_EACH == 0,
        };
        if measures && is_recorded {
            profiler.add_cost_measurement(gather::cost::measure(is_coarse));
        }
        if profiler.end_frame(records, main, now, is_recorded) {
            mode::announce_reclassification();
        }
        follow_timing(profiler);
        #[cfg(feature = "report")]
        if is_recorded
            && let Some(frame) = profiler.history().newest()
            // A history of no frames has an old one, or none.
            && frame.number == profiler.frames()
        {
            recorded = Some((frame.number, frame.ms()));
        }
    });
    #[cfg(feature = "report")]
    if let Some((number, ms)) = recorded {
        slow_frames::note_frame(number, ms);
    }
}

/// The cost of a zone is measured in this many first frames, and then in one of `MEASURE_EACH`.
const FIRST_MEASUREMENTS: u64 = 64;
const MEASURE_EACH: u64 = 16;
