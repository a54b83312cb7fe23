//! The clock of frames: when the last one ended, and how long a tick is.

use crate::clock::{self, Pair, RateMeter, Ticks};

/// See the module's comment.
#[derive(Debug)]
pub(crate) struct FrameClock {
    /// When the last frame ended; before the first, when the first thread began.
    last_end: Pair,
    rate: RateMeter,
}

/// When a frame began, and how long it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameTime {
    pub(crate) begin_ns: u64,
    pub(crate) ticks: Ticks,
    pub(crate) ms_per_tick: f64,
}

impl FrameClock {
    /// The first frame begins at `anchor`.
    pub(crate) fn new(anchor: Pair) -> FrameClock {
        FrameClock {
            last_end: anchor,
            rate: RateMeter::new(anchor),
        }
    }

    /// Adds a reading of both clocks to the measurement of a tick's length.
    pub(crate) fn observe(&mut self, now: Pair) {
        self.rate.observe(now);
    }

    /// When the last frame ended; before the first, when the first thread began.
    pub(crate) fn last_end(&self) -> Pair {
        self.last_end
    }

    /// The time of the frame in progress, up to `now`.
    pub(crate) fn time_until(&self, now: Pair) -> FrameTime {
        FrameTime {
            begin_ns: self.last_end.ns,
            ticks: clock::passed(self.last_end.ticks, now.ticks),
            ms_per_tick: self.rate.ms_per_tick_between(self.last_end, now),
        }
    }

    /// Ends the frame in progress. Returns its time.
    pub(crate) fn end_frame(&mut self, now: Pair) -> FrameTime {
        let time = self.time_until(now);
        self.last_end = now;
        time
    }

    /// The length of a tick, measured since the first reading.
    pub(crate) fn ms_per_tick(&self) -> f64 {
        self.rate.ms_per_tick()
    }

    /// Whether the counter has changed its rate.
    pub(crate) fn is_unstable(&self) -> bool {
        self.rate.is_unstable()
    }
}
