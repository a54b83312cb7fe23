//! `call_sums` with each zone as its own group, and what a zone alone has: samples, standard errors.

use super::call_sums::{CallSums, TimeSums};
use iprof_process::{Snapshot, SnapshotThread};
use std::cmp::Reverse;

/// Totals of a zone on some threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ZoneTotals {
    pub(crate) sums: TimeSums,
    /// Number of samples with this zone innermost.
    pub(crate) samples: u64,
    /// Standard error of its self time, in ticks.
    pub(crate) error: f64,
    /// Whether anything in its hierarchical time was sampled.
    pub(crate) is_hier_sampled: bool,
}

/// Totals of all zones and calls on some threads of a snapshot: those of processors, or the GPU. These work beside each
/// other, so their times are not added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SnapshotTotals {
    /// By zone, in the order of [`Snapshot::zones`].
    pub(crate) zones: Vec<ZoneTotals>,
    /// By caller and callee zone, in that order: all entries; time of the callee on behalf of the call, as in [`CallSums`].
    pub(crate) calls: Vec<((u32, u32), TimeSums)>,
    /// Summed time of the threads.
    pub(crate) ticks: u64,
}

impl SnapshotTotals {
    pub(crate) fn of<'a>(
        snapshot: &Snapshot,
        threads: impl Iterator<Item = &'a SnapshotThread> + Clone,
    ) -> SnapshotTotals {
        // Each zone is a group by itself.
        let group: Vec<u32> = (0..snapshot.zones.len() as u32).collect();
        let CallSums { groups, calls } = CallSums::of(threads.clone(), &group, group.len());
        let of_zone = groups.iter().map(|of| ZoneTotals {
            sums: TimeSums {
                entries: of.sums.entries + of.inner_entries,
                ..of.sums
            },
            ..ZoneTotals::default()
        });
        let mut zones: Vec<ZoneTotals> = of_zone.collect();
        for thread in threads {
            for (node, is_sampled) in thread.nodes.iter().zip(thread.is_subtree_sampled()) {
                let zone = &mut zones[node.zone as usize];
                zone.samples += node.samples;
                // The variance, at first.
                zone.error += node.error * node.error;
                zone.is_hier_sampled |= is_sampled;
            }
        }
        for zone in &mut zones {
            zone.error = zone.error.sqrt();
        }
        SnapshotTotals {
            ticks: zones.iter().map(|zone| zone.sums.self_ticks).sum(),
            zones,
            calls,
        }
    }

    /// The calls of a zone, by callee.
    pub(crate) fn calls_by(&self, zone: u32) -> &[((u32, u32), TimeSums)] {
        let calls = &self.calls;
        let begin = calls.partition_point(|((caller, _), _)| *caller < zone);
        let end = calls.partition_point(|((caller, _), _)| *caller <= zone);
        &calls[begin..end]
    }

    /// Zones with recorded data, by self time, then by entries, largest first.
    pub(crate) fn by_self_time(&self) -> Vec<u32> {
        let mut zones: Vec<u32> = (0..self.zones.len() as u32).collect();
        zones.retain(|zone| self.zones[*zone as usize].sums != TimeSums::default());
        zones.sort_by_key(|zone| {
            let sums = self.zones[*zone as usize].sums;
            Reverse((sums.self_ticks, sums.entries))
        });
        zones
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_snapshot_has_no_totals() {
        assert!(
            SnapshotTotals::of(&Snapshot::default(), std::iter::empty())
                .by_self_time()
                .is_empty()
        );
    }
}
