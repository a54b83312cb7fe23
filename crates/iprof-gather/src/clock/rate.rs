//! Measures the counter's rate against the operating system's clock while the program runs.
//!
//! There is no calibration at startup. The first pair of readings is the anchor, and the rate at any frame is the slope
//! from the anchor to now. Readings are paired to well under a microsecond, so the rate is accurate to 0.1% after a
//! millisecond, and to one part per million after a second.
//!
//! The counter's rate may change if the TSC is not invariant, when a virtual machine is moved, or when a laptop sleeps.
//! A change by a third or more is detected immediately. Smaller changes are detected from the slope over the last half
//! second. The meter then restarts the measurement and reports an unstable rate until [`WARN_NS`] after the last
//! change.

use super::{Instant, Ticks, now, passed};

/// The minimum length of the windows whose slopes are compared.
const WINDOW_NS: u64 = 500_000_000;
/// The rate is unstable if a window's slope deviates from the long-term slope by more than this fraction.
const TOLERANCE: f64 = 0.01;
/// If two readings deviate by more than this fraction, a clock jumped or the rate changed. Measurement errors and drift
/// are smaller.
const JUMP: f64 = 1.0 / 3.0;
/// Deviations are relative to at least this duration, because readings are not paired exactly. 1% of this duration is
/// ten times the pairing error.
const JUDGED_FROM_NS: f64 = 1e6;
/// How long the warning lasts after the last window with an unstable rate.
const WARN_NS: u64 = 5_000_000_000;

/// The same moment on both clocks.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub ticks: Ticks,
    pub ns: u64,
}

impl Pair {
    /// Reads both clocks, and keeps the closest of three tries in case of an interrupt between two readings.
    pub fn read(epoch: Instant) -> Pair {
        #[cfg(any(test, feature = "test-support"))]
        if let Some(moment) = super::counter::mock::both() {
            return Pair::both(moment);
        }
        let mut best = Pair { ticks: 0, ns: 0 };
        let mut closest = Ticks::MAX;
        for _ in 0..3 {
            let before = now();
            let ns = epoch.elapsed().as_nanos() as u64;
            let after = now();
            let gap = passed(before, after);
            if gap <= closest {
                closest = gap;
                best = Pair {
                    ticks: before.wrapping_add(gap / 2),
                    ns,
                };
            }
        }
        best
    }

    /// Returns the moment `ns` on two clocks with the same rate: a tick is a nanosecond.
    #[cfg(any(test, feature = "test-support"))]
    pub const fn both(moment: u64) -> Pair {
        Pair {
            ticks: moment,
            ns: moment,
        }
    }
}

/// Measures the counter's rate from one [`Pair`] per frame.
#[derive(Debug)]
pub struct RateMeter {
    anchor: Pair,
    window: Pair,
    latest: Pair,
    ms_per_tick: f64,
    last_unstable_ns: Option<u64>,
}

impl RateMeter {
    pub fn new(anchor: Pair) -> RateMeter {
        // Until the second pair, assume that a tick is a nanosecond. No times are shown before then.
        RateMeter {
            anchor,
            window: anchor,
            latest: anchor,
            ms_per_tick: 1e-6,
            last_unstable_ns: None,
        }
    }

    /// Adds a reading of both clocks. Ignores a reading that is not later than the last one. If the counter jumped or
    /// was set back, the rate is kept and measuring restarts from this reading.
    pub fn observe(&mut self, pair: Pair) {
        if pair.ns <= self.latest.ns {
            return;
        }
        // The first reading after a restart sets the rate, regardless of the previous rate.
        let has_rate = self.latest.ns > self.anchor.ns;
        if passed(self.latest.ticks, pair.ticks) == 0
            || has_rate && self.deviation(self.latest, pair) > JUMP
        {
            let ms_per_tick = self.ms_per_tick;
            *self = RateMeter {
                ms_per_tick,
                last_unstable_ns: Some(pair.ns),
                ..RateMeter::new(pair)
            };
            return;
        }
        self.latest = pair;
        if pair.ns - self.window.ns >= WINDOW_NS {
            let window = slope(self.window, pair);
            let long = slope(self.anchor, pair);
            if (window / long - 1.0).abs() > TOLERANCE {
                self.last_unstable_ns = Some(pair.ns);
                self.anchor = self.window;
            }
            self.window = pair;
        }
        self.ms_per_tick = slope(self.anchor, pair);
    }

    /// Returns milliseconds per tick, based on all readings since the rate was last unstable.
    pub fn ms_per_tick(&self) -> f64 {
        self.ms_per_tick
    }

    /// Returns [`ms_per_tick`](Self::ms_per_tick), or the slope between the two readings if the counter visibly jumped
    /// or stopped between them. That way, no measured time exceeds the time that actually passed.
    pub fn ms_per_tick_between(&self, from: Pair, to: Pair) -> f64 {
        if to.ns < from.ns || passed(from.ticks, to.ticks) == 0 {
            return self.ms_per_tick;
        }
        if self.deviation(from, to) > TOLERANCE {
            slope(from, to)
        } else {
            self.ms_per_tick
        }
    }

    /// Returns the rate's error relative to the time between the readings, or to [`JUDGED_FROM_NS`] if that is longer.
    /// `to` must not be before `from` on either clock.
    fn deviation(&self, from: Pair, to: Pair) -> f64 {
        let passed_ns = (to.ns - from.ns) as f64;
        let measured_ns = passed(from.ticks, to.ticks) as f64 * self.ms_per_tick * 1e6;
        (measured_ns - passed_ns).abs() / passed_ns.max(JUDGED_FROM_NS)
    }

    /// Returns whether the rate recently changed by more than one percent. If so, times from the last few seconds may
    /// be off by a similar amount.
    pub fn is_unstable(&self) -> bool {
        self.last_unstable_ns
            .is_some_and(|at| self.latest.ns - at < WARN_NS)
    }
}

/// Returns milliseconds per tick from `a` to `b`.
fn slope(a: Pair, b: Pair) -> f64 {
    (b.ns - a.ns) as f64 / b.ticks.wrapping_sub(a.ticks) as f64 * 1e-6
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn run(meter: &mut RateMeter, pair: &mut Pair, frames: u32, ticks: u64) {
        for _ in 0..frames {
            pair.ns += 16_000_000;
            pair.ticks += ticks;
            meter.observe(*pair);
        }
    }

    #[test]
    fn steady_rate_is_known_after_first_frame() {
        let mut pair = Pair { ticks: 77, ns: 5 };
        let mut meter = RateMeter::new(pair);
        run(&mut meter, &mut pair, 1, 48_000_000);
        assert!((meter.ms_per_tick() - 16.0 / 48e6).abs() < 1e-15);
        run(&mut meter, &mut pair, 1000, 48_000_000);
        assert!((meter.ms_per_tick() - 16.0 / 48e6).abs() < 1e-15);
        assert!(!meter.is_unstable());
    }

    #[test]
    fn rate_change_is_followed_and_warns_temporarily() {
        let mut pair = Pair { ticks: 1, ns: 1 };
        let mut meter = RateMeter::new(pair);
        run(&mut meter, &mut pair, 200, 48_000_000);
        assert!(!meter.is_unstable());
        run(&mut meter, &mut pair, 70, 24_000_000);
        assert!(meter.is_unstable());
        assert!((meter.ms_per_tick() / (16.0 / 24e6) - 1.0).abs() < 0.3);
        run(&mut meter, &mut pair, 2000, 24_000_000);
        assert!(!meter.is_unstable());
        assert!((meter.ms_per_tick() / (16.0 / 24e6) - 1.0).abs() < 0.01);
    }

    #[test]
    fn backward_readings_keep_the_rate() {
        let mut pair = Pair {
            ticks: 1_000_000_000,
            ns: 1000,
        };
        let mut meter = RateMeter::new(pair);
        run(&mut meter, &mut pair, 100, 48_000_000);
        let rate = meter.ms_per_tick();
        meter.observe(Pair {
            ticks: pair.ticks + 5,
            ns: 3,
        });
        assert_eq!(meter.ms_per_tick(), rate);
        assert!(!meter.is_unstable());
        pair.ticks = 7;
        run(&mut meter, &mut pair, 1, 0);
        assert_eq!(meter.ms_per_tick(), rate);
        assert!(meter.is_unstable(), "no warning after a counter reset");
        run(&mut meter, &mut pair, 1000, 48_000_000);
        assert!((meter.ms_per_tick() / rate - 1.0).abs() < 1e-9);
        assert!(!meter.is_unstable());
    }

    #[test]
    fn counter_jump_does_not_change_frame_length() {
        let mut pair = Pair { ticks: 1, ns: 1 };
        let mut meter = RateMeter::new(pair);
        run(&mut meter, &mut pair, 100, 48_000_000);
        let between = |meter: &RateMeter, ns: u64, ticks: u64| {
            let to = Pair {
                ticks: pair.ticks + ticks,
                ns: pair.ns + ns,
            };
            meter.ms_per_tick_between(pair, to) * ticks as f64
        };
        // A steady counter, a jump of an hour, a counter that almost stopped, and an interval too short to tell.
        assert!((between(&meter, 16_000_000, 48_000_000) - 16.0).abs() < 1e-9);
        assert!((between(&meter, 16_000_000, 3600 * 3_000_000_000) - 16.0).abs() < 1e-9);
        assert!((between(&meter, 16_000_000, 1000) - 16.0).abs() < 1e-9);
        assert!((between(&meter, 10_000, 45_000) - 0.015).abs() < 1e-9);
        // A jump of either clock by an hour is detected even in the shortest frame.
        assert!((between(&meter, 10_000, 3600 * 3_000_000_000) - 0.01).abs() < 1e-9);
        assert!((between(&meter, 3600 * 1_000_000_000, 30_000) - 3.6e6).abs() < 1e-3);
    }

    #[test]
    fn clock_jump_warns_and_keeps_the_rate() {
        for (ns, ticks) in [(1_000_000_000, 3_000_000), (1_000_000, 3_000_000_000)] {
            let mut pair = Pair { ticks: 1, ns: 1 };
            let mut meter = RateMeter::new(pair);
            run(&mut meter, &mut pair, 100, 48_000_000);
            let rate = meter.ms_per_tick();
            pair.ns += ns;
            pair.ticks += ticks;
            meter.observe(pair);
            assert_eq!(meter.ms_per_tick(), rate);
            assert!(meter.is_unstable());
            for frames in [1, 1, 400] {
                run(&mut meter, &mut pair, frames, 48_000_000);
                assert!((meter.ms_per_tick() / rate - 1.0).abs() < 1e-9);
            }
            assert!(!meter.is_unstable());
        }
    }
}
