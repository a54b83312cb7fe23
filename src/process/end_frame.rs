//! Takes the locked program through the end of a frame, on every thread.

use crate::gather;
use crate::gather::mode::{self, cutoff};
use crate::process::program;
use crate::process::slow_frames;
use crate::process::stalls;
use crate::process::timing_mode::follow_timing;
use crate::sample;
use crate::sync::is_forked;
use iprof_process::timing::Timing;
use std::time::Duration;

/// Ends the frame on every thread, and records it or not. `main` is the calling thread's record. Does nothing in a child
/// of `fork`.
pub(crate) fn end_frame(main: &'static gather::ThreadRecord, record: bool) {
    if is_forked() {
        return;
    }
    stalls::note_frame();
    if let Some((number, ms, budget)) = end_locked(main, record) {
        slow_frames::note_frame(number, ms, budget);
    }
}

/// The same, while the program is locked. The number, the length in ms and the budget of a frame that is remembered.
fn end_locked(main: &'static gather::ThreadRecord, record: bool) -> Option<(u64, f64, Duration)> {
    let mut program = program::lock();
    let (profiler, records, now) = program.records_at_end(sample::try_take);
    // Must be called even for a frame that is discarded anyway, since it starts the next period. A
    // profile may have zones recorded while timing is off, but not for frames.
    let was_off = mode::take_was_off() || profiler.timing() == Timing::Off;
    let is_recorded = record && !was_off;
    let is_first = !profiler.has_frames();
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
    if is_first && matches!(profiler.timing(), Timing::Auto { .. }) {
        // Until now, all nodes were sampled.
        mode::turn_on(cutoff::AUTO);
    }
    follow_timing(profiler);
    let newest = profiler.history().newest().filter(|_| is_recorded);
    // A history of no frames has an old one, or none.
    newest
        .filter(|frame| frame.number == profiler.frames())
        .map(|frame| (frame.number, frame.ms(), profiler.frame_budget()))
}

/// The cost of a zone is measured in this many first frames, and then in one of `MEASURE_EACH`.
const FIRST_MEASUREMENTS: u64 = 64;
const MEASURE_EACH: u64 = 16;
