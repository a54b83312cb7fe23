//! Settings for the frame history and the display refresh rate.

use crate::program::with_profiler;
use iprof_process::{Profiler, REFRESH};
use std::time::Duration;

/// Settings for the frame history and for how often reports are refreshed: see [`config`] and [`configure`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The number of frames to remember: 1,024 by default, at least 1. Lowering it forgets the oldest frames.
    ///
    /// A frame takes 128 bytes (less with 32-bit addresses), plus 12 per thread with data, plus 24 per call stack that
    /// was entered or took time. A thousand frames with 250 stacks each take 6 MB. With [GPU zones](crate::gpu_zone!)
    /// the GPU counts as a thread, and each stack that submitted work to it takes 16 more bytes.
    ///
    /// Memory is allocated as frames are recorded. Once the history is full, the oldest frame's memory is reused for
    /// the newest and grows if needed. Frames kept by [`longest_frames`](Config::longest_frames) take additional
    /// memory. [`history_bytes`](crate::history_bytes) returns the total.
    pub history: usize,
    /// The maximum number of bytes for all remembered frames; `None`, the default, means no limit.
    ///
    /// The history holds as many frames as fit, up to [`history`](Config::history). Half of the limit is reserved for
    /// the [longest](Config::longest_frames) and the [marked](crate::mark) frames. The newest frame is always
    /// remembered, even with a limit of 0.
    pub history_memory: Option<usize>,
    /// How many of the longest frames to keep, with all their data, once they are too old for
    /// [`history`](Config::history); 16 by default.
    ///
    /// [`Frames::Slowest`](crate::Frames::Slowest) shows these frames. A program's first frames are often the longest,
    /// so call [`reset`](crate::reset) once the program has started up. A kept frame holds on to its memory, so
    /// [`update`](crate::update) reuses the memory of the frame that it replaced, and allocates more if that memory is
    /// too small.
    pub longest_frames: usize,
    /// The maximum time that a frame should take: 16.67 ms by default, one frame on a 60 Hz display.
    ///
    /// The value is rounded to a microsecond and clamped to 1 µs to an hour. The graph draws a line at the budget and a
    /// second one at twice the budget. [`Action::CompareSlowFrames`](crate::Action::CompareSlowFrames) shows the frames
    /// that took longer than the budget.
    pub frame_budget: Duration,
    /// The limits between the 8 frame-length bands for which the [session](crate::Frames#the-session) keeps sums. The
    /// limits are sorted when set.
    ///
    /// The first band goes up to the first limit; the last band contains all frames over the last limit. **Changing the
    /// limits empties all bands**, because past frames cannot be sorted into the new bands. Time buckets and the sums
    /// for the whole session are kept.
    ///
    /// By default, or with `None`, the limits are ½, 1, 1½, 2, 3, 4 and 8 times the
    /// [`frame_budget`](Config::frame_budget) at the end of the first frame, so set the limits or the budget before
    /// that frame ends. [`session_bands`](crate::session_bands) returns the limits in use.
    ///
    /// The session's sums take 656 bytes per call stack and thread: 16 for each of 8 bands and 32 buckets, and 16 for
    /// the newest frames. The number of stacks is rounded up to a multiple of 16 per thread. So 1,000 stacks take 656
    /// kB, however long the session is. A thread that was ever sampled takes an additional 640 bytes per stack, and a
    /// thread that submitted work to the GPU an additional 320.
    ///
    /// For frames in the most common recent band, the sums cost [`update`](crate::update) nothing. In frames in other
    /// bands, each call stack costs a few additions, and so does each call stack with estimated times. A pass over all
    /// call stacks is needed when a bucket ends, at most once a second, and when a different band becomes the most
    /// common, at most every 32 frames. If frame lengths fluctuate around a limit, move that limit.
    pub session_bands: Option<[Duration; 7]>,
    /// The maximum number of times per second that numbers on the screen change: `Some(10.0)` by default.
    ///
    /// The value is clamped to 0.001 to 1,000; NaN means 10. `None` means every frame. Controls always take effect
    /// immediately.
    pub refresh_rate: Option<f32>,
}

impl Config {
    fn of(profiler: &Profiler) -> Config {
        let history = profiler.history();
        let refresh = profiler.refresh();
        Config {
            history: history.capacity(),
            history_memory: history.memory_limit(),
            longest_frames: history.longest_count(),
            frame_budget: profiler.frame_budget(),
            session_bands: profiler.session().custom_limits(),
            refresh_rate: (!refresh.is_zero()).then(|| refresh.as_secs_f32().recip()),
        }
    }
}

/// Returns the settings in use, after clamping.
#[must_use]
pub fn config() -> Config {
    with_profiler(|profiler| Config::of(profiler))
}

/// Changes the settings for the frame history and for refreshing reports. May be called at any time, from any thread.
///
/// ```
/// use std::time::Duration;
///
/// iprof::configure(|config| {
///     config.history = 10_000;
///     config.frame_budget = Duration::from_secs(1) / 144;
/// });
/// assert_eq!(iprof::config().frame_budget, Duration::from_micros(6_944));
/// # iprof::configure(|config| config.frame_budget = Duration::from_micros(16_667));
/// ```
pub fn configure(change: impl FnOnce(&mut Config)) {
    let old = config();
    let mut new = old.clone();
    // The closure may call this crate, so no lock is held here.
    change(&mut new);
    with_profiler(|profiler| {
        let history = profiler.history_mut();
        if new.history != old.history {
            history.set_capacity(new.history);
        }
        if new.history_memory != old.history_memory {
            history.set_memory_limit(new.history_memory.unwrap_or(usize::MAX));
        }
        if new.longest_frames != old.longest_frames {
            history.set_longest(new.longest_frames);
        }
        if new.frame_budget != old.frame_budget {
            profiler.set_frame_budget(new.frame_budget);
        }
        if new.session_bands != old.session_bands {
            profiler.set_session_limits(new.session_bands);
            profiler.outdate();
        }
        if new.refresh_rate != old.refresh_rate {
            profiler.set_refresh(match new.refresh_rate {
                Some(rate) if rate.is_nan() => REFRESH,
                Some(rate) => Duration::from_secs_f32(rate.clamp(1e-3, 1e3).recip()),
                None => Duration::ZERO,
            });
        }
    });
}
