//! From the nodes of a snapshot to zones and to who called whom: plain data, which flat lists, call
//! graphs and formats that know functions and calls are written from.
//!
//! # Every moment counts once
//!
//! A moment has one stack. It counts in the `hier` of every zone on it, once, however often the
//! zone is there. On behalf of a caller, it belongs to the caller of the zone's *outermost*
//! occurrence; among a zone's callees, to the one called by its *innermost*. So callers sum to the
//! zone, callees' `hier` to the zone's less its self time: see [`Call`].
//!
//! # In one pass
//!
//! A walk down and up each tree keeps, for each zone, its outermost and its innermost node on the
//! stack. What lies below an innermost node is found out by subtraction: a subtree counts for the
//! call that it begins with, and is taken out of the call that the zone's occurrence before it
//! made, since that is no longer the innermost there. The time is linear in nodes at any depth.

use super::walk::{Step, walk};
use crate::snapshot::{Snapshot, SnapshotThread};
use std::collections::HashMap;
use std::ops::{AddAssign, Sub};

/// Time and entries, as of a record of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) self_ticks: u64,
    pub(crate) hier_ticks: u64,
    pub(crate) entries: u64,
}

/// What a zone has in all, on all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ZoneTotals {
    pub(crate) sums: Sums,
    /// How often the sampler found it on top.
    pub(crate) samples: u64,
    /// Standard error of its self time, in ticks.
    pub(crate) error: f64,
    /// Whether anything in its hierarchical time was sampled.
    pub(crate) is_hier_sampled: bool,
}

/// What a zone has to do with one that it was called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) caller: u32,
    pub(crate) callee: u32,
    /// How often the caller entered the callee, recursion included.
    pub(crate) entries: u64,
    /// What the callee cost on the caller's behalf, as a row above the callee. Of all callers, these
    /// sum to the callee.
    pub(crate) as_caller: Sums,
    /// The same as a row below the caller. Of all callees, the hierarchical times sum to the
    /// caller's, less its self time.
    pub(crate) as_callee: Sums,
}

/// Zones and calls of a snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    /// By zone, as [`Snapshot::zones`].
    pub(crate) zones: Vec<ZoneTotals>,
    /// By caller, then by callee.
    pub(crate) calls: Vec<Call>,
    /// Time of all threads together.
    pub(crate) ticks: u64,
}

impl Totals {
    pub(crate) fn of(snapshot: &Snapshot) -> Totals {
        let mut sums = Accounts::new(snapshot.zones.len());
        for thread in &snapshot.threads {
            sums.add(thread);
        }
        let mut calls: Vec<Call> = sums.calls.into_values().collect();
        calls.sort_unstable_by_key(|call| (call.caller, call.callee));
        let mut zones = sums.zones;
        for zone in &mut zones {
            zone.error = zone.error.sqrt();
        }
        Totals {
            ticks: zones.iter().map(|zone| zone.sums.self_ticks).sum(),
            zones,
            calls,
        }
    }

    /// Zones that anything was recorded of, by self time, then by entries, largest first.
    pub(crate) fn by_self_time(&self) -> Vec<u32> {
        let mut zones: Vec<u32> = (0..self.zones.len() as u32).collect();
        zones.retain(|zone| self.zones[*zone as usize].sums != Sums::default());
        zones.sort_by_key(|zone| {
            let sums = self.zones[*zone as usize].sums;
            std::cmp::Reverse((sums.self_ticks, sums.entries))
        });
        zones
    }
}

/// Sums while they are being made. Those of calls wrap around in between: what is below a call is
/// taken out before the call is added.
struct Accounts {
    /// The error is the variance.
    zones: Vec<ZoneTotals>,
    calls: HashMap<(u32, u32), Call>,
    /// By zone: self ticks and entries of its nodes that the walk has seen so far.
    seen: Vec<Sums>,
    /// By zone: its nodes on the stack, from the outermost to the innermost; by their depth.
    depths: Vec<Vec<usize>>,
}

/// A node on the stack.
#[derive(Clone, Copy)]
struct Open {
    zone: u32,
    /// What had been seen of its own zone before it.
    before: Sums,
    /// If its zone is on the stack before: which zone that occurrence called, and what had been
    /// seen of that one.
    called_before: Option<(u32, Sums)>,
}

impl Accounts {
    fn new(zones: usize) -> Accounts {
        Accounts {
            zones: vec![ZoneTotals::default(); zones],
            calls: HashMap::new(),
            seen: vec![Sums::default(); zones],
            depths: vec![Vec::new(); zones],
        }
    }

    fn add(&mut self, thread: &SnapshotThread) {
        let subtree = thread.subtree_ticks();
        for (node, is_sampled) in thread.nodes.iter().zip(thread.is_subtree_sampled()) {
            self.zones[node.zone as usize].is_hier_sampled |= is_sampled;
        }
        let mut stack: Vec<Open> = Vec::new();
        walk(thread, |step| match step {
            Step::Enter(at) => self.enter(thread, at, subtree[at], &mut stack),
            Step::Leave(at) => self.leave(subtree[at], &mut stack),
        });
    }

    fn enter(&mut self, thread: &SnapshotThread, at: usize, subtree: u64, stack: &mut Vec<Open>) {
        let node = &thread.nodes[at];
        let zone = node.zone as usize;
        let own = Sums {
            self_ticks: node.ticks,
            hier_ticks: 0,
            entries: node.entries,
        };
        let depths = &self.depths[zone];
        let is_outermost = depths.is_empty();
        // On behalf of the caller of the outermost occurrence.
        let outermost = depths.first().copied().unwrap_or(stack.len());
        if let Some(caller) = outermost.checked_sub(1) {
            let as_caller = &mut self.call(stack[caller].zone, node.zone).as_caller;
            *as_caller += own;
            if is_outermost {
                as_caller.hier_ticks += subtree;
            }
        }
        if let Some(caller) = stack.last().map(|caller| caller.zone) {
            self.call(caller, node.zone).entries += node.entries;
        }
        let called_before = self.depths[zone].last().map(|depth| {
            // The node itself, if it is the one that was called.
            let called = stack.get(depth + 1).map_or(node.zone, |open| open.zone);
            (called, self.seen[called as usize])
        });
        let totals = &mut self.zones[zone];
        totals.sums += own;
        totals.sums.hier_ticks += if is_outermost { subtree } else { 0 };
        totals.samples += node.samples;
        totals.error += node.error * node.error;
        self.depths[zone].push(stack.len());
        stack.push(Open {
            zone: node.zone,
            before: self.seen[zone],
            called_before,
        });
        self.seen[zone] += own;
    }

    fn leave(&mut self, subtree: u64, stack: &mut Vec<Open>) {
        let Some(open) = stack.pop() else { return };
        self.depths[open.zone as usize].pop();
        if let Some(caller) = stack.last() {
            let mut below = self.seen[open.zone as usize] - open.before;
            below.hier_ticks = subtree;
            self.call(caller.zone, open.zone).as_callee += below;
        }
        if let Some((called, before)) = open.called_before {
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
            as_caller: Sums::default(),
            as_callee: Sums::default(),
        })
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.self_ticks = self.self_ticks.wrapping_add(other.self_ticks);
        self.hier_ticks = self.hier_ticks.wrapping_add(other.hier_ticks);
        self.entries = self.entries.wrapping_add(other.entries);
    }
}

impl Sub for Sums {
    type Output = Sums;
    fn sub(self, other: Sums) -> Sums {
        Sums {
            self_ticks: self.self_ticks.wrapping_sub(other.self_ticks),
            hier_ticks: self.hier_ticks.wrapping_sub(other.hier_ticks),
            entries: self.entries.wrapping_sub(other.entries),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::export::samples::{any_snapshot, stacks};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// By definition: every stack, looked at for every zone.
    fn naive(snapshot: &Snapshot) -> (Vec<Sums>, BTreeMap<(u32, u32), Call>) {
        let mut zones = vec![Sums::default(); snapshot.zones.len()];
        let mut calls: BTreeMap<(u32, u32), Call> = BTreeMap::new();
        let mut call = |caller: u32, callee: u32, f: &dyn Fn(&mut Call)| {
            let call = calls.entry((caller, callee)).or_insert(Call {
                caller,
                callee,
                entries: 0,
                as_caller: Sums::default(),
                as_callee: Sums::default(),
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
                let sums = |is_top: bool| Sums {
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
        fn totals_are_what_whole_stacks_sum_to(snapshot in any_snapshot()) {
            let totals = Totals::of(&snapshot);
            let (zones, calls) = naive(&snapshot);
            let got: Vec<Sums> = totals.zones.iter().map(|zone| zone.sums).collect();
            prop_assert_eq!(got, zones);
            let naive: Vec<Call> = calls.into_values().collect();
            prop_assert_eq!(&totals.calls, &naive);

            for (zone, of) in totals.zones.iter().enumerate() {
                let zone = zone as u32;
                let mut callers = Sums::default();
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
    fn nothing_has_no_totals() {
        assert!(Totals::of(&Snapshot::default()).by_self_time().is_empty());
    }
}
