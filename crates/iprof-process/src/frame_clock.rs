//! The clock of frames: when the last one ended, and how long a tick is.

use iprof_gather::clock::{self, Pair, RateMeter, Ticks};

/// A clock with longer steps is coarse: many zones begin and end within one.
const COARSE_MS: f64 = 4e-3;

/// See the module's comment.
#[derive(Debug)]
pub struct FrameClock {
    /// When the last frame ended; before the first, when the first thread began.
    last_end: Pair,
    rate: RateMeter,
    /// The length of the clock's steps; `None` before it is measured.
    resolution: Option<Ticks>,
}

/// When a frame began, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct FrameTime {
    pub begin_ns: u64,
    pub ticks: Ticks,
    pub ms_per_tick: f64,
}

impl FrameClock {
    /// The first frame begins at `anchor`.
    pub fn new(anchor: Pair) -> FrameClock {
        FrameClock {
            last_end: anchor,
            rate: RateMeter::new(anchor),
            resolution: None,
        }
    }

    /// Adds a reading of both clocks to the measurement of a tick's length.
    pub fn observe(&mut self, now: Pair) {
        self.rate.observe(now);
    }

    /// When the last frame ended; before the first, when the first thread began.
    pub fn last_end(&self) -> Pair {
        self.last_end
    }

    /// The time of the frame in progress, up to `now`.
    pub fn time_until(&self, now: Pair) -> FrameTime {
        FrameTime {
            begin_ns: self.last_end.ns,
            ticks: clock::passed(self.last_end.ticks, now.ticks),
            ms_per_tick: self.rate.ms_per_tick_between(self.last_end, now),
        }
    }

    /// Ends the frame in progress. Returns its time.
    pub fn end_frame(&mut self, now: Pair) -> FrameTime {
        let time = self.time_until(now);
        self.last_end = now;
        // A time is a multiple of the step.
        self.resolution = self.resolution.map(|step| match time.ticks {
            0 => step,
            ticks => step.min(ticks),
        });
        time
    }

    /// The length of a tick, measured since the first reading.
    pub fn ms_per_tick(&self) -> f64 {
        self.rate.ms_per_tick()
    }

    /// Measures the length of the clock's steps. Waits for some of them.
    pub fn measure_resolution(&mut self) {
        // Where a step is too long to wait for, frames tell.
        self.resolution = Some(clock::resolution().unwrap_or(Ticks::MAX));
    }

    /// The length of the clock's steps in milliseconds, if they are long.
    pub fn coarse_ms(&self) -> Option<f64> {
        let step = self.resolution.filter(|step| *step != Ticks::MAX)?;
        let ms = step as f64 * self.ms_per_tick();
        (ms >= COARSE_MS).then_some(ms)
    }

    /// Whether the counter has changed its rate.
    pub fn is_unstable(&self) -> bool {
        self.rate.is_unstable()
    }
}
