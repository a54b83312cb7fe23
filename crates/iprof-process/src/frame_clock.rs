//! The frame clock: when the last frame ended, and how long a tick is.

use iprof_gather::clock::{self, Pair, RateMeter, Ticks};

/// The step length above which a clock is coarse, so that many zones begin and end within one step.
const COARSE_MS: f64 = 4e-3;

/// Measures frame times, the length of a tick, and the length of the clock's steps.
#[derive(Debug)]
pub struct FrameClock {
    last_end: Pair,
    rate: RateMeter,
    resolution: Option<Ticks>,
}

#[derive(Clone, Copy, Debug)]
pub struct FrameTime {
    pub begin_ns: u64,
    pub ticks: Ticks,
    pub ms_per_tick: f64,
}

impl FrameClock {
    pub fn new(anchor: Pair) -> FrameClock {
        FrameClock {
            last_end: anchor,
            rate: RateMeter::new(anchor),
            resolution: None,
        }
    }

    /// Adds a reading of both clocks to the measurement of a tick.
    pub fn observe(&mut self, now: Pair) {
        self.rate.observe(now);
    }

    /// Returns the time at which the last frame ended or, before the first frame, the time at which the first thread
    /// began.
    pub fn last_end(&self) -> Pair {
        self.last_end
    }

    pub fn time_until(&self, now: Pair) -> FrameTime {
        FrameTime {
            begin_ns: self.last_end.ns,
            ticks: clock::passed(self.last_end.ticks, now.ticks),
            ms_per_tick: self.rate.ms_per_tick_between(self.last_end, now),
        }
    }

    pub fn end_frame(&mut self, now: Pair) -> FrameTime {
        let time = self.time_until(now);
        self.last_end = now;
        // All times are multiples of the step.
        self.resolution = self.resolution.map(|step| match time.ticks {
            0 => step,
            ticks => step.min(ticks),
        });
        time
    }

    pub fn ms_per_tick(&self) -> f64 {
        self.rate.ms_per_tick()
    }

    /// Measures the length of a clock step, which takes several steps.
    pub fn measure_resolution(&mut self) {
        // If steps are too long to wait for, their length is determined from frame times.
        self.resolution = Some(clock::resolution().unwrap_or(Ticks::MAX));
    }

    /// Returns the length of the clock's steps in milliseconds, if the clock is coarse.
    pub fn coarse_ms(&self) -> Option<f64> {
        let step = self.resolution.filter(|step| *step != Ticks::MAX)?;
        let ms = step as f64 * self.ms_per_tick();
        (ms >= COARSE_MS).then_some(ms)
    }

    pub fn is_unstable(&self) -> bool {
        self.rate.is_unstable()
    }
}
