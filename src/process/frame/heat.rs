//! Heat: how much the times of zones, and of pairs of caller and zone, fluctuate from frame to frame;
//! reports show it as colors.
//!
//! The fluctuation of a sum does not follow from those of its parts: work that moves from one
//! thread to another leaves the sum calm. So heat is tracked where it is shown: for every zone and
//! every pair of caller and zone, on every thread, over all threads together, and over those of one
//! name ([`thread_groups`]). Recursion is always flattened here. The times are those of [`FrameSums`].
//!
//! The heat of a zone with one caller is the heat of that pair. A zone gets heat of its own only
//! when there is a second pair: it starts as a copy of the first pair's heat.
//!
//! [`thread_groups`]: crate::process::frame::thread_groups

use crate::process::frame::frame_sums::{FrameSums, SparseSums};
use crate::process::frame::indices::Indices;
use crate::process::frame::moments::{HIER, Moments, SELF};
use crate::process::moving_average::{AverageClock, add_each};

/// The moments of a zone, or of a zone on behalf of a caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowHeat(Moments);

impl RowHeat {
    pub(crate) fn self_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, SELF, slot))
    }

    pub(crate) fn hier_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, HIER, slot))
    }
}

/// The standard deviation over the mean, clamped to 0 (calm) to 1 (hot).
fn heat((mean, deviation): (f64, f64)) -> f32 {
    if mean <= 0.0 {
        return 0.0;
    }
    (deviation / mean).clamp(0.0, 1.0) as f32
}

/// The moments of all zones and edges, on one thread or on several together.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatMap {
    /// Of zones that several edges lead into.
    zones: Vec<Moments>,
    edges: Vec<Moments>,
    /// The number of such zones when this was last added to.
    shared: usize,
}

impl HeatMap {
    pub(crate) fn zone(&self, zone: u32, indices: &Indices) -> RowHeat {
        match indices.only_edge(zone, self.shared) {
            Some(edge) => self.edge(edge),
            None => RowHeat(self.zones.get(zone as usize).copied().unwrap_or_default()),
        }
    }

    pub(crate) fn edge(&self, edge: u32) -> RowHeat {
        RowHeat(self.edges.get(edge as usize).copied().unwrap_or_default())
    }

    /// Adds the sums of the frame that `clock` last advanced over.
    pub(crate) fn add(
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
    use crate::process::moving_average::Decaying;

    #[test]
    fn heat_is_the_relative_deviation_and_no_more_than_one() {
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
}
