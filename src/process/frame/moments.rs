//! Moving mean and variance of self and hierarchical times, from which the heat of a zone, or of a
//! caller and zone, is computed.
//!
//! Heat is a color, so single precision is enough, if the variance itself is stored: the
//! difference of mean square and squared mean would cancel. A zone takes 40 bytes, which `update`
//! reads and writes for every live zone.

use crate::process::moving_average::{AverageClock, Decaying, FOLLOW_90, Slots};

const SLOTS: usize = FOLLOW_90.len();

/// The index of a value: self or hierarchical milliseconds.
pub(crate) const SELF: usize = 0;
pub(crate) const HIER: usize = 1;

/// Moving means and variances of two values, updated at most once per frame. Frames that are left
/// out count as zeros.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    at: f64,
    /// By value, then by average.
    means: [[f32; SLOTS]; 2],
    variances: [[f32; SLOTS]; 2],
}

impl Decaying for Moments {
    type Values = [f32; 2];

    fn at(&self) -> f64 {
        self.at
    }

    /// The average is over a mixture: of the past with weight `old`, of zeros for the frames left
    /// out, and of the new value. The variance of a mixture is the past's own variance, weighted,
    /// plus the sum over pairs of the product of their weights and the square of their distance.
    #[inline(always)]
    fn blend(&mut self, clock: &AverageClock, old: Slots, values: [f32; 2]) {
        self.at = clock.now();
        for slot in 0..SLOTS {
            let new = clock.weight_of_newest()[slot];
            let zeros = (1.0 - old[slot] - new) as f32;
            let (old, new) = (old[slot] as f32, new as f32);
            for (at, value) in values.into_iter().enumerate() {
                let (mean, variance) = (self.means[at][slot], &mut self.variances[at][slot]);
                let step = value - mean;
                let apart =
                    old * new * step * step + zeros * (old * mean * mean + new * value * value);
                *variance = old * *variance + apart;
                self.means[at][slot] = old * mean + new * value;
            }
        }
    }
}

impl Moments {
    /// Mean and standard deviation of a value, as of now.
    pub(crate) fn get(&self, clock: &AverageClock, value: usize, slot: usize) -> (f64, f64) {
        let weight = clock.since(self.at)[slot];
        let mean = f64::from(self.means[value][slot]);
        let variance = f64::from(self.variances[value][slot]);
        let variance = weight * (variance + (1.0 - weight) * mean * mean);
        (weight * mean, variance.max(0.0).sqrt())
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::process::moving_average::{Averages, add_each};

    #[test]
    fn mean_and_variance_are_those_of_first_and_second_moments_in_double_precision() {
        let mut clock = AverageClock::default();
        let mut narrow = [Moments::default(); 3];
        let mut wide = [Averages::<4>::default(); 3];
        let mut random = fastrand::Rng::with_seed(7);
        for frame in 0..5_000u32 {
            clock.advance(0.001 + 0.03 * random.f64());
            // Each is updated in every n-th frame; the frames in between count as zeros.
            for index in (0..3u32).filter(|index| frame % (index * 40 + 1) == 0) {
                let values = [3.0 + random.f32(), 1e-5 * random.f32()];
                add_each(&mut narrow, &clock, [(index, values)].into_iter());
                let [a, b] = values.map(f64::from);
                let moments = [a, a * a, b, b * b];
                add_each(&mut wide, &clock, [(index, moments)].into_iter());
            }
            for (narrow, wide) in narrow.iter().zip(&wide) {
                for slot in 0..SLOTS {
                    let wide = wide.get(&clock, slot);
                    for value in [SELF, HIER] {
                        let (mean, deviation) = narrow.get(&clock, value, slot);
                        let [first, second] = [wide[2 * value], wide[2 * value + 1]];
                        let wanted = (second - first * first).max(0.0).sqrt();
                        assert!((mean - first).abs() <= 1e-5 * first, "{mean} {first}");
                        assert!(
                            (deviation - wanted).abs() <= 1e-4 * first,
                            "{deviation} {wanted}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_value_that_never_changes_has_no_variance_however_many_frames() {
        let (mut clock, mut moments) = (AverageClock::default(), [Moments::default()]);
        for _ in 0..100_000 {
            clock.advance(1e-4);
            add_each(&mut moments, &clock, [(0, [0.1, 16.7])].into_iter());
        }
        for value in [SELF, HIER] {
            let (mean, deviation) = moments[0].get(&clock, value, 1);
            assert!(deviation < 1e-3 * mean, "{deviation} of {mean}");
        }
    }

    #[test]
    fn the_documented_size_is_the_real_one() {
        assert_eq!(size_of::<Moments>(), 40);
    }
}
