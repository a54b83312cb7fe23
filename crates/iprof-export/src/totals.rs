//! Sums threads' nodes by zone (or group of zones) and by call, for flat profiles, call graphs, and other formats based
//! on functions and calls.
//!
//! # Recursion counts once
//!
//! Each moment was spent on one stack. It counts once in the hierarchical time of every group on that stack, no matter
//! how many times the group occurs there. It is attributed to the caller of the group's *outermost* node, so a group's
//! callers sum to the group.

use iprof_process::{Snapshot, SnapshotThread, subtree};
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeSums {
    pub(crate) self_ticks: u64,
    pub(crate) hier_ticks: u64,
    pub(crate) entries: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupSums {
    /// The times, and the entries from stacks that did not contain the group yet.
    pub(crate) sums: TimeSums,
    /// The number of all other entries.
    pub(crate) inner_entries: u64,
}

/// Sums over threads' nodes. Zones are numbered as in [`Snapshot::zones`](iprof_process::Snapshot::zones).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallSums {
    /// The sums for each group.
    pub(crate) groups: Vec<GroupSums>,
    /// The calls, sorted by caller zone, then callee zone. Each has the number of entries, and the time that the
    /// callee's group spent on behalf of the call. Calls made while the group was already on the stack add no time.
    pub(crate) calls: Vec<((u32, u32), TimeSums)>,
}

impl CallSums {
    /// Sums nodes by group. `group` contains each zone's group, and `count` is the number of groups.
    pub(crate) fn of<'a>(
        threads: impl Iterator<Item = &'a SnapshotThread>,
        group: &[u32],
        count: usize,
    ) -> CallSums {
        let mut groups = vec![GroupSums::default(); count];
        let mut calls = HashMap::new();
        for thread in threads {
            add(thread, group, &mut groups, &mut calls);
        }
        let mut calls: Vec<((u32, u32), TimeSums)> = calls.into_iter().collect();
        calls.sort_unstable_by_key(|(call, _)| *call);
        CallSums { groups, calls }
    }
}

fn add(
    thread: &SnapshotThread,
    group: &[u32],
    groups: &mut [GroupSums],
    calls: &mut HashMap<(u32, u32), TimeSums>,
) {
    let hier = thread.subtree_ticks();
    let group_of = |at: usize| group[thread.nodes[at].zone as usize] as usize;
    let outermost =
        subtree::outermost(thread.nodes.len(), groups.len(), thread.parents(), group_of);
    // Returns the call that entered a node. The root has none.
    let call = |at: usize| {
        let node = &thread.nodes[at];
        let caller = thread.nodes[node.parent as usize].zone;
        (at != SnapshotThread::ROOT).then_some((caller, node.zone))
    };
    for (at, node) in thread.nodes.iter().enumerate() {
        let is_outermost = outermost[at] == at;
        let of = &mut groups[group_of(at)];
        of.sums.self_ticks += node.ticks;
        if is_outermost {
            of.sums.hier_ticks += hier[at];
            of.sums.entries += node.entries;
        } else {
            of.inner_entries += node.entries;
        }
        if let Some(call) = call(at) {
            let call = calls.entry(call).or_default();
            call.entries += node.entries;
            call.hier_ticks += if is_outermost { hier[at] } else { 0 };
        }
        if let Some(call) = call(outermost[at]) {
            calls.entry(call).or_default().self_ticks += node.ticks;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ZoneTotals {
    pub(crate) sums: TimeSums,
    /// The number of samples with this zone innermost.
    pub(crate) samples: u64,
    /// The standard error of the self time, in ticks.
    pub(crate) error: f64,
    /// Whether any part of the hierarchical time was sampled.
    pub(crate) is_hier_sampled: bool,
}

/// Totals for all zones and calls on some of a snapshot's threads: either the CPU threads or the GPU. CPU and GPU run
/// in parallel, so their times are not added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SnapshotTotals {
    /// The totals for each zone, in the order of [`Snapshot::zones`].
    pub(crate) zones: Vec<ZoneTotals>,
    /// The calls, sorted by caller zone, then callee zone. As in [`CallSums`], each has the number of entries, and the
    /// callee's time on behalf of the call.
    pub(crate) calls: Vec<((u32, u32), TimeSums)>,
    pub(crate) ticks: u64,
}

impl SnapshotTotals {
    pub(crate) fn of<'a>(
        snapshot: &Snapshot,
        threads: impl Iterator<Item = &'a SnapshotThread> + Clone,
    ) -> SnapshotTotals {
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
                // Until the loop below, `error` holds a variance.
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

    /// Returns the calls that a zone makes, sorted by callee.
    pub(crate) fn calls_by(&self, zone: u32) -> &[((u32, u32), TimeSums)] {
        let calls = &self.calls;
        let begin = calls.partition_point(|((caller, _), _)| *caller < zone);
        let end = calls.partition_point(|((caller, _), _)| *caller <= zone);
        &calls[begin..end]
    }

    /// Returns the zones with recorded data, sorted by descending self time, then entries.
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
    use crate::random_snapshots::{any_snapshot, stacks};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Computes the sums directly from their definition, for every stack and every group.
    fn naive(snapshot: &Snapshot, group: &[u32], count: usize) -> CallSums {
        let mut groups = vec![GroupSums::default(); count];
        let mut calls: BTreeMap<(u32, u32), TimeSums> = BTreeMap::new();
        for (stack, node) in stacks(snapshot.cpu_threads()) {
            let on_stack: Vec<u32> = stack.iter().map(|zone| group[*zone as usize]).collect();
            if let [.., caller, callee] = stack[..] {
                calls.entry((caller, callee)).or_default().entries += node.entries;
            }
            for of in 0..count as u32 {
                let Some(outermost) = on_stack.iter().position(|on| *on == of) else {
                    continue;
                };
                let is_top = on_stack.last() == Some(&of);
                let sums = TimeSums {
                    self_ticks: if is_top { node.ticks } else { 0 },
                    hier_ticks: node.ticks,
                    entries: 0,
                };
                let group = &mut groups[of as usize];
                group.sums.self_ticks += sums.self_ticks;
                group.sums.hier_ticks += sums.hier_ticks;
                match (is_top, outermost + 1 == stack.len()) {
                    (true, true) => group.sums.entries += node.entries,
                    (true, false) => group.inner_entries += node.entries,
                    _ => {}
                }
                if let Some(caller) = outermost.checked_sub(1) {
                    let call = (stack[caller], stack[outermost]);
                    let call = calls.entry(call).or_default();
                    call.self_ticks += sums.self_ticks;
                    call.hier_ticks += sums.hier_ticks;
                }
            }
        }
        CallSums {
            groups,
            calls: calls.into_iter().collect(),
        }
    }

    proptest! {
        #[test]
        fn sums_equal_sums_over_full_stacks(snapshot in any_snapshot(), group in prop::collection::vec(0..3u32, 5)) {
            for (group, count) in [(group, 3), (vec![0, 1, 2, 3, 4], 5)] {
                let sums = CallSums::of(snapshot.cpu_threads(), &group, count);
                prop_assert_eq!(&sums, &naive(&snapshot, &group, count));
                for (of, all) in sums.groups.iter().enumerate() {
                    let is_mine = |zone: u32| group[zone as usize] as usize == of;
                    let callers = sums.calls.iter().filter(|((_, callee), _)| is_mine(*callee));
                    let hier: u64 = callers.map(|(_, call)| call.hier_ticks).sum();
                    // Threads' roots have no caller.
                    prop_assert!(is_mine(0) || hier == all.sums.hier_ticks);
                }
            }
        }
    }
}

#[cfg(test)]
mod zone_tests {
    use super::*;

    #[test]
    fn empty_snapshots_have_no_totals() {
        assert!(
            SnapshotTotals::of(&Snapshot::default(), std::iter::empty())
                .by_self_time()
                .is_empty()
        );
    }
}
