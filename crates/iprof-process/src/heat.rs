//! Heat: how much the times of zones, and of pairs of caller and zone, fluctuate from frame to frame. Reports show heat
//! as colors.
//!
//! A sum's fluctuation can't be derived from its parts: if work moves from one thread to another, the sum stays calm.
//! So heat is tracked for every zone and every pair of caller and zone, on each thread, on all threads combined, and on
//! each thread group ([`thread_groups`]). Recursion is always flattened here. The times come from [`FrameSums`].
//!
//! A zone with one caller shares the heat of that pair. When a second pair appears, the zone's heat becomes separate,
//! starting as a copy of the first pair's heat.
//!
//! Heat is computed from the moving mean and variance of times. Single precision is enough for a color, but only if the
//! variance itself is stored: the difference between the mean square and the squared mean would lose all precision. A
//! zone takes 40 bytes, which `update` reads and writes for every live zone.
//!
//! [`thread_groups`]: crate::thread

use crate::frame_sums::{FrameSums, SparseSums};
use crate::indices::Indices;
use crate::moving_average::{AverageClock, Decaying, FOLLOW_90, Slots, add_each};

const SLOTS: usize = FOLLOW_90.len();

/// The indices of the values: self and hierarchical milliseconds.
const SELF: usize = 0;
const HIER: usize = 1;

/// Moving means and variances of two values. Frames without an update count as zeros.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    at: f64,
    means: [[f32; SLOTS]; 2],
    variances: [[f32; SLOTS]; 2],
}

impl Decaying for Moments {
    type Values = [f32; 2];

    fn at(&self) -> f64 {
        self.at
    }

    /// The average is over a mixture of the past with weight `old`, of zeros for frames without an update, and of the
    /// new value. The mixture's variance is the past's weighted variance, plus a term for each pair of components: the
    /// product of their weights and the square of their distance.
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
    fn get(&self, clock: &AverageClock, value: usize, slot: usize) -> (f64, f64) {
        let weight = clock.since(self.at)[slot];
        let mean = f64::from(self.means[value][slot]);
        let variance = f64::from(self.variances[value][slot]);
        let variance = weight * (variance + (1.0 - weight) * mean * mean);
        (weight * mean, variance.max(0.0).sqrt())
    }
}

/// The moments for a zone, or for a pair of caller and zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowHeat(Moments);

impl RowHeat {
    #[inline]
    pub fn self_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, SELF, slot))
    }

    #[inline]
    pub fn hier_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, HIER, slot))
    }
}

/// Returns the ratio of standard deviation to mean, clamped to between 0 (calm) and 1 (hot).
fn heat((mean, deviation): (f64, f64)) -> f32 {
    if mean <= 0.0 {
        return 0.0;
    }
    (deviation / mean).clamp(0.0, 1.0) as f32
}

/// The moments for all zones and edges, on one thread or on several threads combined.
#[derive(Clone, Debug, Default)]
pub struct HeatMap {
    /// The moments for zones with more than one incoming edge.
    zones: Vec<Moments>,
    edges: Vec<Moments>,
    /// The number of zones that had more than one incoming edge when a frame was last added.
    shared: usize,
}

impl HeatMap {
    #[inline]
    pub fn zone(&self, zone: u32, indices: &Indices) -> RowHeat {
        match indices.only_edge(zone, self.shared) {
            Some(edge) => self.edge(edge),
            None => RowHeat(self.zones.get(zone as usize).copied().unwrap_or_default()),
        }
    }

    #[inline]
    pub fn edge(&self, edge: u32) -> RowHeat {
        RowHeat(self.edges.get(edge as usize).copied().unwrap_or_default())
    }

    /// Adds the sums for the frame that `clock` last advanced over.
    pub fn add(
        &mut self,
        clock: &AverageClock,
        indices: &Indices,
        sums: &FrameSums,
        ms_per_tick: f64,
    ) {
        for &(zone, edge) in indices.shared_since(self.shared) {
            let so_far = self.edge(edge).0;
            if self.zones.len() <= zone as usize {
                self.zones.resize(zone as usize + 1, Moments::default());
            }
            self.zones[zone as usize] = so_far;
            self.shared += 1;
        }
        add(&sums.zones, &mut self.zones, clock, ms_per_tick);
        add(&sums.edges, &mut self.edges, clock, ms_per_tick);
    }
}

fn add(sums: &SparseSums, rows: &mut Vec<Moments>, clock: &AverageClock, ms_per_tick: f64) {
    if rows.len() < sums.ids() {
        rows.resize(sums.ids(), Moments::default());
    }
    add_each(rows, clock, sums.ms(ms_per_tick));
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::moving_average::{Averages, Decaying};

    #[test]
    fn heat_is_the_clamped_relative_deviation() {
        let heat_of = |values: [f32; 2]| {
            let (mut clock, mut row) = (AverageClock::default(), RowHeat::default());
            for frame in 0..4000 {
                clock.advance(0.01);
                let value = values[frame % 2];
                let old = clock.since(row.0.at());
                row.0.blend(&clock, old, [value, 3.0]);
            }
            assert!(row.hier_heat(&clock, 1) < 1e-3);
            row.self_heat(&clock, 1)
        };
        assert!(heat_of([3.0, 3.0]) < 1e-3);
        assert!((heat_of([0.9, 1.1]) - 0.1).abs() < 1e-2);
        assert!((heat_of([0.5, 1.5]) - 0.5).abs() < 3e-2);
        assert!(heat_of([0.0, 1.0]) > 0.9);
        assert_eq!(heat_of([0.0, 0.0]), 0.0);
    }

    #[test]
    fn moments_match_double_precision() {
        let mut clock = AverageClock::default();
        let mut narrow = [Moments::default(); 3];
        let mut wide = [Averages::<4>::default(); 3];
        let mut random = fastrand::Rng::with_seed(7);
        for frame in 0..5_000u32 {
            clock.advance(0.001 + 0.03 * random.f64());
            // Each row is updated in every n-th frame. The frames in between count as zeros.
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
    fn constant_values_never_gain_variance() {
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
    fn documented_size_matches() {
        assert_eq!(size_of::<Moments>(), 40);
    }
}
