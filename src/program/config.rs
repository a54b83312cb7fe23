//! What is remembered, and how often the screen changes.

use crate::program::with_profiler;
use iprof_process::{Profiler, REFRESH};
use std::time::Duration;

/// What is remembered and how often reports change: read by [`config`], changed by [`configure`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// How many frames are remembered: 1,024 by default, at least 1. If more are remembered now, the oldest are forgotten.
    ///
    /// A frame takes 128 bytes (less with addresses of 32 bits), 12 per thread with data and 24 per call stack that was
    /// entered or had time in it: a thousand frames of 250 stacks take 6 MB. With [GPU zones](crate::gpu_zone!) the GPU is a
    /// thread, too, and each stack that submitted work to it takes another 16 bytes. Memory is allocated as frames are
    /// recorded. Once history is full, the oldest frame's memory is reused for the newest, and grows if that is larger.
    /// [`longest_frames`](Config::longest_frames) come on top. [`history_bytes`](crate::history_bytes) returns the total.
    pub history: usize,
    /// The most bytes that the remembered frames take together; `None`, the default, is no limit. As many frames are
    /// remembered as fit, at most [`history`](Config::history), and half of the limit is for the
    /// [longest](Config::longest_frames) and the [marked](crate::mark) frames. The newest frame stays in any case, even with a
    /// limit of 0.
    pub history_memory: Option<usize>,
    /// How many of the longest frames are kept, with all their data, when they get too old for [`history`](Config::history):
    /// 16 by default. [`Frames::Slowest`](crate::Frames::Slowest) has them. A program's first frames are often the
    /// longest, so call [`reset`](crate::reset) once it has started.
    ///
    /// A kept frame keeps its memory, and [`update`](crate::update) allocates more if the frame it replaces was smaller.
    pub longest_frames: usize,
    /// The longest that a frame should take: 16.67 ms by default, a frame of a display of 60 Hz. Rounded to a microsecond and
    /// clamped to 1 µs to an hour. [`Action::CompareSlowFrames`](crate::Action::CompareSlowFrames) shows the frames that took
    /// longer, and the graph has a line at it and one at twice that.
    pub frame_budget: Duration,
    /// The limits of the 8 bands of frame length in which the [session](crate::Frames#the-session) is summed: up to the first, over
    /// the first and up to the second, and so on, over the last. They are sorted. **Other limits empty all bands**, since
    /// frames that were summed cannot be told apart; buckets of time, and with them the whole session, stay.
    ///
    /// By default, and with `None`, they are ½, 1, 1½, 2, 3, 4 and 8 times the [`frame_budget`](Config::frame_budget) as it is
    /// when the first frame ends. So set the budget, or the limits, before. [`session_bands`](crate::session_bands) returns
    /// those in use.
    ///
    /// The sums of the session take 656 bytes for each call stack of each thread (16 for each of 8 bands and 32 buckets, and
    /// for the newest frames), rounded up to 16 stacks a thread: 656 kB for 1,000 stacks, whatever the session's length. On a
    /// thread that was ever sampled it is 640 bytes more, and on one that submitted work to the GPU 320.
    ///
    /// They cost [`update`](crate::update) nothing for a call stack in frames of the band that most of the newest frames are
    /// in, and 0.7 to 3 nanoseconds in frames of other bands, and where times are estimated. There is a pass over all call
    /// stacks when a bucket ends, after a second at the earliest, and when another band becomes that of most, after 32 frames
    /// at the earliest. Frames whose lengths vary about a limit are in two bands: other limits avoid that.
    pub session_bands: Option<[Duration; 7]>,
    /// How many times a second reports on the screen may change their numbers: `Some(10.0)` by default, clamped to 0.001 to
    /// 1,000; NaN means 10. `None` means every frame. Controls take effect at once in any case.
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
            session_bands: profiler.session().asked_limits(),
            refresh_rate: (!refresh.is_zero()).then(|| refresh.as_secs_f32().recip()),
        }
    }
}

/// What is remembered and how often reports change. Values out of range are as clamped.
#[must_use]
pub fn config() -> Config {
    with_profiler(|profiler| Config::of(profiler))
}

/// Changes what is remembered and how often reports change. Call it at any moment, from any thread.
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
    // Without the lock: it may call this crate.
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
