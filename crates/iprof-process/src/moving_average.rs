//! Exponential moving averages that do not depend on the frame rate.
//!
//! After a step change, an average covers 90 % of the step within a given time `t90`: after `dt` seconds, the old value
//! has the weight `0.1^(dt / t90)`. The average of a sum is the sum of the averages. Only elapsed time matters, so a
//! node doesn't need updates while it isn't entered. Readers multiply its last average by `0.1^(elapsed / t90)`.
//!
//! In the first three frames, when programs load and compile, the old value has no weight. Otherwise the start-up
//! frames would distort averages for seconds.

/// The seconds in which each average covers 90 % of a step, as in the original IProf.
pub const FOLLOW_90: [f64; 2] = [0.8, 2.5];
/// The number of frames at the start in which only the newest value counts.
const FIRST_FRAMES: u64 = 3;
/// The seconds after which old values have no weight: 0.1^(1000 / 2.5) rounds to 0.
const FORGET: f64 = 1e3;

/// One number per average.
pub type Slots = [f64; FOLLOW_90.len()];

/// The time base for averages: the end of the latest frame, and the weights to use in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct AverageClock {
    frames: u64,
    /// The current time in seconds. It jumps ahead by [`FORGET`] to make averages forget the past.
    now: f64,
    before: f64,
    /// The weights of the old value and of the new value in the latest frame.
    old: Slots,
    new: Slots,
}

impl AverageClock {
    pub fn advance(&mut self, seconds: f64) {
        self.before = self.now;
        self.now += if self.frames < FIRST_FRAMES {
            FORGET
        } else {
            seconds
        };
        self.old = self.weights(self.before);
        self.new = self.old.map(|old| 1.0 - old);
        self.frames += 1;
    }

    /// Makes all averages forget the past. The next frames count as first frames again.
    #[inline]
    pub fn forget(&mut self) {
        self.now += FORGET;
        self.before = self.now;
        self.frames = 0;
    }

    /// Returns the current weights of an average that was last updated at time `at`.
    fn weights(&self, at: f64) -> Slots {
        // `powf` would need twice as much code and table data, none of which is cached when a busy program's frame
        // ends.
        FOLLOW_90.map(|t90| ((at - self.now) * (std::f64::consts::LOG2_10 / t90)).exp2())
    }

    #[inline]
    pub fn now(&self) -> f64 {
        self.now
    }

    #[inline(always)]
    pub fn weight_of_newest(&self) -> Slots {
        self.new
    }

    /// Returns the weights of an average that was last updated at time `at`.
    pub fn since(&self, at: f64) -> Slots {
        if at == self.now {
            [1.0; FOLLOW_90.len()]
        } else if at == self.before {
            self.old
        } else {
            self.weights(at)
        }
    }
}

/// An average that is only updated in frames that contain a value for it, and decays in between.
pub trait Decaying {
    type Values;

    fn at(&self) -> f64;

    /// Adds the values for the frame that `clock` last advanced over. `old` is the weight of all earlier values.
    fn blend(&mut self, clock: &AverageClock, old: Slots, values: Self::Values);
}

/// Adds values for the frame that `clock` last advanced over to many averages, by index.
///
/// Neighbors were usually last updated in the same frame. Weights are only recomputed when the time of the last update
/// changes, so the inner loop makes no calls.
pub fn add_each<A: Decaying>(
    all: &mut [A],
    clock: &AverageClock,
    mut values: impl Iterator<Item = (u32, A::Values)>,
) {
    let mut earlier = (clock.now, clock.since(clock.now));
    let mut next = values.next();
    while let Some((first, _)) = next {
        let at = all[first as usize].at();
        let old = if at == clock.before {
            clock.old
        } else {
            if at != earlier.0 {
                earlier = (at, clock.since(at));
            }
            earlier.1
        };
        while let Some((index, _)) = &next
            && all[*index as usize].at() == at
            && let Some((index, new)) = next
        {
            all[index as usize].blend(clock, old, new);
            next = values.next();
        }
    }
}

/// Averages of `N` values that are updated together, at most once per frame.
#[derive(Clone, Copy, Debug)]
pub struct Averages<const N: usize> {
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

impl<const N: usize> Decaying for Averages<N> {
    type Values = [f64; N];

    fn at(&self) -> f64 {
        self.at
    }

    #[inline(always)]
    fn blend(&mut self, clock: &AverageClock, old: Slots, values: [f64; N]) {
        self.at = clock.now;
        for (average, value) in self.values.iter_mut().zip(values) {
            for slot in 0..FOLLOW_90.len() {
                average[slot] = average[slot] * old[slot] + value * clock.new[slot];
            }
        }
    }
}

impl<const N: usize> Averages<N> {
    /// Adds the values for the frame that `clock` last advanced over. Frames without a call count as zeros.
    #[inline]
    pub fn add(&mut self, clock: &AverageClock, values: [f64; N]) {
        self.blend(clock, clock.since(self.at), values);
    }

    /// Returns the averages as of their last update. Decay doesn't change their ratios.
    #[inline]
    pub fn undecayed(&self, slot: usize) -> [f64; N] {
        self.values.map(|average| average[slot])
    }

    /// Returns the current averages.
    #[inline]
    pub fn get(&self, clock: &AverageClock, slot: usize) -> [f64; N] {
        // Most averages were updated in the latest frame and need no weights.
        let weight = if self.at == clock.now {
            1.0
        } else {
            clock.since(self.at)[slot]
        };
        self.values.map(|average| average[slot] * weight)
    }
}

#[cfg(all(test, not(loom)))]
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
    fn average_follows_a_step_at_any_frame_rate() {
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
    fn first_frames_are_not_averaged() {
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
    fn skipped_frames_count_as_zeros() {
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
    fn add_each_equals_add_one_by_one() {
        let (mut clock, one) = started();
        let (mut each, mut all) = ([one; 12], [one; 12]);
        for frame in 0..200u32 {
            clock.advance(0.016);
            // Each average is updated at a different interval, so that the times of their last updates differ.
            let live = (0..12u32).filter(|index| frame % (index % 5 + 1) == index % 3);
            let values = live.map(|index| (index, [f64::from(frame * 7 % 13 + index)]));
            values
                .clone()
                .for_each(|(index, value)| each[index as usize].add(&clock, value));
            add_each(&mut all, &clock, values);
            for (each, all) in each.iter().zip(&all) {
                assert_eq!(each.get(&clock, 0), all.get(&clock, 0));
                assert_eq!(each.get(&clock, 1), all.get(&clock, 1));
            }
        }
    }
}
