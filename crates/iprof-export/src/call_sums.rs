//! Sums the nodes of threads by group of zones and by call: self time, hierarchical time and entries. The
//! data of flat profiles, call graphs and formats based on functions and calls.
//!
//! # Recursion counts once
//!
//! All time was spent on one stack. It counts in the hierarchical time of every group on that stack, once,
//! however often the group occurs there, and it belongs to the caller of the group's *outermost* node. So the
//! callers of a group sum to the group.

use iprof_process::SnapshotThread;
use iprof_process::subtree;
use std::collections::HashMap;

/// Self time, hierarchical time and entries, as in a record of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeSums {
    pub(crate) self_ticks: u64,
    pub(crate) hier_ticks: u64,
    pub(crate) entries: u64,
}

/// Sums of a group of zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GroupSums {
    /// Entries from outside the group, on stacks that do not hold it yet.
    pub(crate) sums: TimeSums,
    /// All other entries.
    pub(crate) inner_entries: u64,
}

/// Sums of threads' nodes; zones are numbered as in [`Snapshot::zones`](iprof_process::Snapshot::zones).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallSums {
    /// By group.
    pub(crate) groups: Vec<GroupSums>,
    /// By caller and callee zone, in that order: all entries; self and hierarchical time of the callee's group on behalf of
    /// the call, which is 0 where the group was on the stack before.
    pub(crate) calls: Vec<((u32, u32), TimeSums)>,
}

impl CallSums {
    /// `group` has the group of each zone; there are `count` groups.
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
    // The call that a node begins with. The root has no caller.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_snapshots::{any_snapshot, stacks};
    use iprof_process::Snapshot;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The definition, applied to every stack and every group.
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
        fn sums_equal_those_over_whole_stacks(snapshot in any_snapshot(), group in prop::collection::vec(0..3u32, 5)) {
            for (group, count) in [(group, 3), (vec![0, 1, 2, 3, 4], 5)] {
                let sums = CallSums::of(snapshot.cpu_threads(), &group, count);
                prop_assert_eq!(&sums, &naive(&snapshot, &group, count));
                for (of, all) in sums.groups.iter().enumerate() {
                    let is_mine = |zone: u32| group[zone as usize] as usize == of;
                    let callers = sums.calls.iter().filter(|((_, callee), _)| is_mine(*callee));
                    let hier: u64 = callers.map(|(_, call)| call.hier_ticks).sum();
                    // The root of a thread has no caller.
                    prop_assert!(is_mine(0) || hier == all.sums.hier_ticks);
                }
            }
        }
    }
}
