//! Totals by zone and by call (caller and callee), computed from the nodes of a snapshot: the data of flat
//! profiles, call graphs and formats based on functions and calls.
//!
//! # Recursion counts once
//!
//! All time was spent on one stack. It counts in the `hier` of every zone on that stack, once, however
//! often the zone occurs there. As a caller's share it belongs to the caller of the zone's *outermost*
//! occurrence; as a callee's share to the callee of its *innermost* occurrence. So the callers of a zone
//! sum to the zone, and the `hier` of its callees sums to the zone's `hier` less its self time: see
//! [`Call`].
//!
//! # One pass
//!
//! `subtree.rs` sums up the subtrees, and finds each node's outermost occurrence. A depth-first walk of each tree
//! keeps, for each zone, its innermost node on the stack. The time below an innermost node is found by subtraction: a subtree counts for the call that it begins with,
//! and is subtracted from the call that the zone's previous occurrence made, since that occurrence is no
//! longer the innermost. The running time is linear in the number of nodes at any depth.

use crate::snapshot::{Snapshot, SnapshotThread};
use crate::subtree::Step;
use std::collections::HashMap;
use std::ops::{AddAssign, Sub};

/// Self time, hierarchical time and entries, as in a row of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeSums {
    pub(crate) self_ticks: u64,
    pub(crate) hier_ticks: u64,
    pub(crate) entries: u64,
}

/// Totals of a zone on all threads.
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

/// Totals of the calls from one zone to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) caller: u32,
    pub(crate) callee: u32,
    /// Entries of the callee from the caller, recursion included.
    pub(crate) entries: u64,
    /// The callee's share on the caller's behalf, as a row above the callee. The shares of all callers sum
    /// to the callee.
    pub(crate) as_caller: TimeSums,
    /// The callee's share as a row below the caller. The hierarchical times of all callees sum to the
    /// caller's hierarchical time less its self time.
    pub(crate) as_callee: TimeSums,
}

/// Totals of all zones and calls of a snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SnapshotTotals {
    /// By zone, in the order of [`Snapshot::zones`].
    pub(crate) zones: Vec<ZoneTotals>,
    /// By caller, then by callee.
    pub(crate) calls: Vec<Call>,
    /// Summed time of all threads.
    pub(crate) ticks: u64,
}

impl SnapshotTotals {
    pub(crate) fn of(snapshot: &Snapshot) -> SnapshotTotals {
        let mut sums = TotalsBuilder::new(snapshot.zones.len());
        for thread in &snapshot.threads {
            sums.add(thread);
        }
        let mut calls: Vec<Call> = sums.calls.into_values().collect();
        calls.sort_unstable_by_key(|call| (call.caller, call.callee));
        let mut zones = sums.zones;
        for zone in &mut zones {
            zone.error = zone.error.sqrt();
        }
        SnapshotTotals {
            ticks: zones.iter().map(|zone| zone.sums.self_ticks).sum(),
            zones,
            calls,
        }
    }

    /// Zones with recorded data, by self time, then by entries, largest first.
    pub(crate) fn by_self_time(&self) -> Vec<u32> {
        let mut zones: Vec<u32> = (0..self.zones.len() as u32).collect();
        zones.retain(|zone| self.zones[*zone as usize].sums != TimeSums::default());
        zones.sort_by_key(|zone| {
            let sums = self.zones[*zone as usize].sums;
            std::cmp::Reverse((sums.self_ticks, sums.entries))
        });
        zones
    }
}

/// Sums under construction. Those of calls may wrap around in between: the time below a call is subtracted
/// before the call is added.
struct TotalsBuilder {
    /// Here `error` is the variance.
    zones: Vec<ZoneTotals>,
    calls: HashMap<(u32, u32), Call>,
    /// By zone: self ticks and entries of the nodes visited so far.
    seen: Vec<TimeSums>,
    /// By zone: the depth of its innermost node on the stack.
    innermost: Vec<Option<usize>>,
}

/// A node on the stack.
#[derive(Clone, Copy)]
struct Open {
    zone: u32,
    /// The sums of its zone before this node.
    before: TimeSums,
    /// If its zone already occurs on the stack: the depth of the previous occurrence, the zone that this
    /// called, and the sums of that zone before this node.
    previous: Option<(usize, u32, TimeSums)>,
}

impl TotalsBuilder {
    fn new(zones: usize) -> TotalsBuilder {
        TotalsBuilder {
            zones: vec![ZoneTotals::default(); zones],
            calls: HashMap::new(),
            seen: vec![TimeSums::default(); zones],
            innermost: vec![None; zones],
        }
    }

    fn add(&mut self, thread: &SnapshotThread) {
        let subtree = thread.subtree_ticks();
        for (node, is_sampled) in thread.nodes.iter().zip(thread.is_subtree_sampled()) {
            self.zones[node.zone as usize].is_hier_sampled |= is_sampled;
        }
        let outermost = thread.outermost(self.zones.len());
        let mut stack: Vec<Open> = Vec::new();
        thread.walk(|step| match step {
            Step::Enter(at) => self.enter(thread, at, outermost[at], subtree[at], &mut stack),
            Step::Leave(at) => self.leave(subtree[at], &mut stack),
        });
    }

    /// Enters the node at `at`, of whose zone `outermost` is the outermost node on the stack.
    fn enter(
        &mut self,
        thread: &SnapshotThread,
        at: usize,
        outermost: usize,
        subtree: u64,
        stack: &mut Vec<Open>,
    ) {
        let node = &thread.nodes[at];
        let zone = node.zone as usize;
        let own = TimeSums {
            self_ticks: node.ticks,
            // Each moment once.
            hier_ticks: if outermost == at { subtree } else { 0 },
            entries: node.entries,
        };
        if outermost > 0 {
            let caller = thread.nodes[outermost].parent;
            let caller = thread.nodes[caller as usize].zone;
            self.call(caller, node.zone).as_caller += own;
        }
        if let Some(caller) = stack.last().map(|caller| caller.zone) {
            self.call(caller, node.zone).entries += node.entries;
        }
        let previous = self.innermost[zone].map(|depth| {
            // The node itself, if the previous occurrence called it directly.
            let called = stack.get(depth + 1).map_or(node.zone, |open| open.zone);
            (depth, called, self.seen[called as usize])
        });
        let totals = &mut self.zones[zone];
        totals.sums += own;
        totals.samples += node.samples;
        totals.error += node.error * node.error;
        self.innermost[zone] = Some(stack.len());
        stack.push(Open {
            zone: node.zone,
            before: self.seen[zone],
            previous,
        });
        self.seen[zone] += own;
    }

    fn leave(&mut self, subtree: u64, stack: &mut Vec<Open>) {
        let Some(open) = stack.pop() else { return };
        self.innermost[open.zone as usize] = open.previous.map(|(depth, ..)| depth);
        if let Some(caller) = stack.last() {
            let mut below = self.seen[open.zone as usize] - open.before;
            below.hier_ticks = subtree;
            self.call(caller.zone, open.zone).as_callee += below;
        }
        if let Some((_, called, before)) = open.previous {
            let mut below = self.seen[called as usize] - before;
            below.hier_ticks = subtree;
            let as_callee = &mut self.call(open.zone, called).as_callee;
            *as_callee = *as_callee - below;
        }
    }

    fn call(&mut self, caller: u32, callee: u32) -> &mut Call {
        self.calls.entry((caller, callee)).or_insert(Call {
            caller,
            callee,
            entries: 0,
            as_caller: TimeSums::default(),
            as_callee: TimeSums::default(),
        })
    }
}

impl AddAssign for TimeSums {
    fn add_assign(&mut self, other: TimeSums) {
        self.self_ticks = self.self_ticks.wrapping_add(other.self_ticks);
        self.hier_ticks = self.hier_ticks.wrapping_add(other.hier_ticks);
        self.entries = self.entries.wrapping_add(other.entries);
    }
}

impl Sub for TimeSums {
    type Output = TimeSums;
    fn sub(self, other: TimeSums) -> TimeSums {
        TimeSums {
            self_ticks: self.self_ticks.wrapping_sub(other.self_ticks),
            hier_ticks: self.hier_ticks.wrapping_sub(other.hier_ticks),
            entries: self.entries.wrapping_sub(other.entries),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::export::random_snapshots::{any_snapshot, stacks};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The definition, applied to every stack and every zone.
    fn naive(snapshot: &Snapshot) -> (Vec<TimeSums>, BTreeMap<(u32, u32), Call>) {
        let mut zones = vec![TimeSums::default(); snapshot.zones.len()];
        let mut calls: BTreeMap<(u32, u32), Call> = BTreeMap::new();
        let mut call = |caller: u32, callee: u32, f: &dyn Fn(&mut Call)| {
            let call = calls.entry((caller, callee)).or_insert(Call {
                caller,
                callee,
                entries: 0,
                as_caller: TimeSums::default(),
                as_callee: TimeSums::default(),
            });
            f(call);
        };
        for (stack, node) in stacks(snapshot) {
            let top = stack[stack.len() - 1];
            if let [.., caller, callee] = stack[..] {
                call(caller, callee, &|call| call.entries += node.entries);
            }
            for zone in 0..snapshot.zones.len() as u32 {
                let Some(outermost) = stack.iter().position(|on| *on == zone) else {
                    continue;
                };
                let sums = |is_top: bool| TimeSums {
                    self_ticks: if is_top { node.ticks } else { 0 },
                    hier_ticks: node.ticks,
                    entries: if is_top { node.entries } else { 0 },
                };
                zones[zone as usize] += sums(top == zone);
                if outermost > 0 {
                    call(stack[outermost - 1], zone, &|call| {
                        call.as_caller += sums(top == zone);
                    });
                }
                let innermost = stack.iter().rposition(|on| *on == zone).unwrap();
                if let Some(callee) = stack.get(innermost + 1) {
                    call(zone, *callee, &|call| {
                        call.as_callee += sums(top == *callee);
                    });
                }
            }
        }
        (zones, calls)
    }

    proptest! {
        #[test]
        fn totals_equal_the_sums_over_whole_stacks(snapshot in any_snapshot()) {
            let totals = SnapshotTotals::of(&snapshot);
            let (zones, calls) = naive(&snapshot);
            let got: Vec<TimeSums> = totals.zones.iter().map(|zone| zone.sums).collect();
            prop_assert_eq!(got, zones);
            let naive: Vec<Call> = calls.into_values().collect();
            prop_assert_eq!(&totals.calls, &naive);

            for (zone, of) in totals.zones.iter().enumerate() {
                let zone = zone as u32;
                let mut callers = TimeSums::default();
                let mut callees = 0;
                for call in &totals.calls {
                    if call.callee == zone { callers += call.as_caller; }
                    if call.caller == zone { callees += call.as_callee.hier_ticks; }
                }
                prop_assert!(zone == 0 || callers == of.sums);
                prop_assert_eq!(callees, of.sums.hier_ticks - of.sums.self_ticks);
            }
        }
    }

    #[test]
    fn an_empty_snapshot_has_no_totals() {
        assert!(
            SnapshotTotals::of(&Snapshot::default())
                .by_self_time()
                .is_empty()
        );
    }
}
