//! Moving averages that do not care about the frame rate.
//!
//! An average follows a step by 90 % in a given time `t90`: after `dt` seconds the old value
//! weighs `0.1^(dt / t90)`. That is linear, so averages of sums are sums of averages, and it
//! depends on nothing but the time that passed. So a node that is not entered for a while need not
//! be touched: its average is what it was, times `0.1^(time since / t90)`, when somebody asks.
//!
//! In the first three frames the old value weighs nothing: a program's first frames load and
//! compile, and nobody wants to see that in the averages for seconds.

/// Seconds in which the averages follow a step by 90 %, after the design of the original.
pub(crate) const FOLLOW_90: [f64; 2] = [0.8, 2.5];
/// Frames in which the newest value alone counts.
const FIRST_FRAMES: u64 = 3;
/// Seconds that make everything before weigh nothing: 0.1^(1000 / 2.5) is 0 as a float.
const FORGET: f64 = 1e3;

/// A value under each of the averages.
pub(crate) type Slots = [f64; FOLLOW_90.len()];

/// Time as the averages see it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AverageClock {
    frames: u64,
    /// Seconds; runs on by [`FORGET`] where the past is to be forgotten.
    now: f64,
    before: f64,
    /// Weights of the old value over the latest frame.
    old: Slots,
}

impl AverageClock {
    /// A frame of `seconds` has ended.
    pub(crate) fn advance(&mut self, seconds: f64) {
        self.before = self.now;
        self.now += if self.frames < FIRST_FRAMES {
            FORGET
        } else {
            seconds
        };
        self.old = self.weights(self.before);
        self.frames += 1;
    }

    /// Whatever was averaged so far weighs nothing, and the next frames are first ones again.
    pub(crate) fn forget(&mut self) {
        self.now += FORGET;
        self.before = self.now;
        self.frames = 0;
    }

    /// Weights, now, of something last averaged `at` that time.
    fn weights(&self, at: f64) -> Slots {
        FOLLOW_90.map(|t90| 0.1f64.powf((self.now - at) / t90))
    }

    /// The weights of the average that was last touched `at`, and what to note as the time of
    /// this touch.
    fn since(&self, at: f64) -> Slots {
        if at == self.now {
            [1.0; FOLLOW_90.len()]
        } else if at == self.before {
            self.old
        } else {
            self.weights(at)
        }
    }
}

/// Averages of `N` values that are always given together, once per frame at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Averages<const N: usize> {
    at: f64,
    values: [Slots; N],
}

impl<const N: usize> Default for Averages<N> {
    fn default() -> Self {
        Averages {
            at: 0.0,
            values: [[0.0; FOLLOW_90.len()]; N],
        }
    }
}

impl<const N: usize> Averages<N> {
    /// Adds the values of the frame that `clock` last advanced over. Frames in which this is not
    /// called count as zeros.
    pub(crate) fn add(&mut self, clock: &AverageClock, values: [f64; N]) {
        let old = clock.since(self.at);
        self.at = clock.now;
        for (average, value) in self.values.iter_mut().zip(values) {
            for slot in 0..FOLLOW_90.len() {
                average[slot] = average[slot] * old[slot] + value * (1.0 - clock.old[slot]);
            }
        }
    }

    /// The averages as of when they were last touched. Their ratios are those of now.
    pub(crate) fn without_age(&self, slot: usize) -> [f64; N] {
        self.values.map(|average| average[slot])
    }

    /// The averages as of now.
    pub(crate) fn get(&self, clock: &AverageClock, slot: usize) -> [f64; N] {
        let weight = clock.since(self.at)[slot];
        self.values.map(|average| average[slot] * weight)
    }
}

/// How much a value fluctuates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fluctuation(Averages<2>);

impl Fluctuation {
    /// Adds a frame's value.
    pub(crate) fn add(&mut self, clock: &AverageClock, value: f64) {
        self.0.add(clock, [value, value * value]);
    }

    /// The standard deviation over the mean, doubled and clamped: 0 calm, 1 hot.
    pub(crate) fn heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        let [mean, square] = self.0.get(clock, slot);
        if mean <= 0.0 {
            return 0.0;
        }
        let deviation = (square - mean * mean).max(0.0).sqrt();
        (2.0 * deviation / mean).clamp(0.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> (AverageClock, Averages<1>) {
        let (mut clock, mut average) = (AverageClock::default(), Averages::default());
        for _ in 0..FIRST_FRAMES {
            clock.advance(0.01);
            average.add(&clock, [0.0]);
        }
        (clock, average)
    }

    #[test]
    fn a_step_is_followed_by_90_percent_in_its_time_at_any_frame_rate() {
        for frames_per_second in [7.0, 60.0, 1000.0] {
            for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
                let (mut clock, mut average) = started();
                let frames = (t90 * frames_per_second) as u32;
                for _ in 0..frames {
                    clock.advance(t90 / f64::from(frames));
                    average.add(&clock, [5.0]);
                }
                assert!((average.get(&clock, slot)[0] - 4.5).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_first_three_frames_leave_no_trace_but_the_last() {
        let (mut clock, mut average) = (AverageClock::default(), Averages::<1>::default());
        for value in [1000.0, 500.0, 2.0] {
            clock.advance(0.5);
            average.add(&clock, [value]);
            assert_eq!(average.get(&clock, 0), [value]);
            assert_eq!(average.get(&clock, 1), [value]);
        }
        clock.advance(0.8);
        average.add(&clock, [12.0]);
        assert!((average.get(&clock, 0)[0] - 11.0).abs() < 1e-9);
    }

    #[test]
    fn frames_left_out_count_as_zeros() {
        let (mut clock, mut touched) = started();
        let mut lazy = touched;
        for frame in 0..1000 {
            clock.advance(0.016);
            let value = if frame % 97 == 5 { 3.0 } else { 0.0 };
            touched.add(&clock, [value]);
            if value > 0.0 {
                lazy.add(&clock, [value]);
            }
            for slot in 0..FOLLOW_90.len() {
                let (a, b) = (touched.get(&clock, slot)[0], lazy.get(&clock, slot)[0]);
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
    }

    #[test]
    fn heat_is_twice_the_relative_deviation_and_no_more_than_one() {
        let heat_of = |values: [f64; 2]| {
            let (mut clock, _) = started();
            let mut fluctuation = Fluctuation::default();
            for frame in 0..4000 {
                clock.advance(0.01);
                fluctuation.add(&clock, values[frame % 2]);
            }
            fluctuation.heat(&clock, 1)
        };
        assert!(heat_of([3.0, 3.0]) < 1e-3);
        assert!((heat_of([0.9, 1.1]) - 0.2).abs() < 1e-2);
        assert_eq!(heat_of([0.0, 1.0]), 1.0);
        assert_eq!(heat_of([0.0, 0.0]), 0.0);
    }
}
