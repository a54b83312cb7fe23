//! Zones that call each other in a circle, and calls between what is not in one: what gprof's
//! call graph is made of.
//!
//! A unit is a zone, or a cycle: zones of which each reaches each other by calls. Who leaves a unit
//! does not come back to it further up the same stack, or the units would be one. So a unit's zones
//! stand next to each other on any stack, a moment has one call at most from one unit to another,
//! and no rule of which of several counts is needed.

use super::totals::{Sums, Totals};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;

/// A zone alone, or several that call each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallUnit {
    /// By number.
    pub(crate) zones: Vec<u32>,
    /// Time in its zones, and that of what they called; entries from other units.
    pub(crate) sums: Sums,
    /// Entries from within.
    pub(crate) inner_entries: u64,
}

/// A call from a zone to a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallArc {
    /// How often.
    pub(crate) entries: u64,
    /// Time in the callee's unit on behalf of the call, and that of what was called from there; none
    /// within a unit.
    pub(crate) self_ticks: u64,
    pub(crate) hier_ticks: u64,
}

/// The call graph by units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallUnits {
    /// Callees come before their callers.
    pub(crate) units: Vec<CallUnit>,
    /// By zone: its unit.
    pub(crate) unit: Vec<u32>,
    /// By caller and callee.
    pub(crate) arcs: BTreeMap<(u32, u32), CallArc>,
}

impl CallUnits {
    pub(crate) fn of(snapshot: &Snapshot, totals: &Totals) -> CallUnits {
        let edges = totals.calls.iter().map(|call| (call.caller, call.callee));
        let components = components(snapshot.zones.len(), edges);
        let mut graph = CallUnits {
            unit: vec![0; snapshot.zones.len()],
            ..CallUnits::default()
        };
        for (at, mut zones) in components.into_iter().enumerate() {
            zones.sort_unstable();
            for zone in &zones {
                graph.unit[*zone as usize] = at as u32;
            }
            graph.units.push(CallUnit {
                zones,
                ..CallUnit::default()
            });
        }
        graph.add(snapshot);
        graph
    }

    /// Whether a unit is a cycle of several zones.
    pub(crate) fn is_cycle(&self, unit: u32) -> bool {
        self.units[unit as usize].zones.len() > 1
    }

    fn add(&mut self, snapshot: &Snapshot) {
        for thread in &snapshot.threads {
            let subtree = thread.subtree_ticks();
            // By node: where its unit begins on the stack.
            let mut begins: Vec<usize> = Vec::with_capacity(thread.nodes.len());
            for (at, node) in thread.nodes.iter().enumerate() {
                let zone_of = |node: usize| thread.nodes[node].zone;
                let parent = node.parent as usize;
                let unit = self.unit[node.zone as usize];
                let is_inner = at > 0 && self.unit[zone_of(parent) as usize] == unit;
                let begin = if is_inner { begins[parent] } else { at };
                begins.push(begin);
                let sums = &mut self.units[unit as usize];
                sums.sums.self_ticks += node.ticks;
                if is_inner {
                    sums.inner_entries += node.entries;
                } else {
                    sums.sums.entries += node.entries;
                    sums.sums.hier_ticks += subtree[at];
                }
                if at > 0 {
                    let arc = (zone_of(parent), node.zone);
                    let arc = self.arcs.entry(arc).or_default();
                    arc.entries += node.entries;
                    arc.hier_ticks += if is_inner { 0 } else { subtree[at] };
                }
                if begin > 0 {
                    let caller = zone_of(thread.nodes[begin].parent as usize);
                    let arc = self.arcs.entry((caller, zone_of(begin))).or_default();
                    arc.self_ticks += node.ticks;
                }
            }
        }
    }
}

/// The strongly connected components of a graph, those reached before those they are reached from.
/// (Tarjan's way, without recursion: the graph may be a long chain.)
fn components(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut next = vec![Vec::new(); nodes];
    for (from, to) in edges {
        next[from as usize].push(to);
    }
    // When a node was first seen, and the earliest one still open that it is known to reach.
    let (mut seen, mut reaches) = (vec![UNSEEN; nodes], vec![0; nodes]);
    let mut is_open = vec![false; nodes];
    let (mut open, mut found) = (Vec::new(), Vec::new());
    let mut time = 0;
    for start in 0..nodes {
        // Nodes on the way, each with the edge that comes next.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if seen[start] == UNSEEN {
            way.push((start, 0));
        }
        while let Some((node, edge)) = way.last_mut() {
            let node = *node;
            if *edge == 0 {
                (seen[node], reaches[node]) = (time, time);
                time += 1;
                open.push(node as u32);
                is_open[node] = true;
            }
            match next[node].get(*edge) {
                Some(to) => {
                    *edge += 1;
                    let to = *to as usize;
                    if seen[to] == UNSEEN {
                        way.push((to, 0));
                    } else if is_open[to] {
                        reaches[node] = seen[to].min(reaches[node]);
                    }
                    continue;
                }
                None => way.pop(),
            };
            if let Some((caller, _)) = way.last() {
                reaches[*caller] = reaches[node].min(reaches[*caller]);
            }
            if reaches[node] == seen[node] {
                let begin = open.iter().rposition(|open| *open as usize == node);
                let component = open.split_off(begin.unwrap_or(0));
                for node in &component {
                    is_open[*node as usize] = false;
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::export::samples::any_snapshot;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// By definition: all that reach each other.
    fn reach(nodes: usize, edges: &[(u32, u32)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; nodes]; nodes];
        for (at, row) in reach.iter_mut().enumerate() {
            row[at] = true;
        }
        for _ in 0..nodes {
            for (from, to) in edges {
                for row in &mut reach {
                    row[*to as usize] |= row[*from as usize];
                }
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn components_are_what_reaches_each_other(edges in vec((0..9u32, 0..9u32), 0..20)) {
            let found = components(9, edges.iter().copied());
            let reach = reach(9, &edges);
            let mut component = [usize::MAX; 9];
            for (at, nodes) in found.iter().enumerate() {
                for node in nodes {
                    prop_assert_eq!(component[*node as usize], usize::MAX);
                    component[*node as usize] = at;
                }
            }
            for a in 0..9 {
                for b in 0..9 {
                    let same = reach[a][b] && reach[b][a];
                    prop_assert_eq!(component[a] == component[b], same);
                    prop_assert!(!reach[a][b] || component[b] <= component[a]);
                }
            }
        }

        #[test]
        fn arcs_sum_to_units(snapshot in any_snapshot()) {
            let totals = Totals::of(&snapshot);
            let graph = CallUnits::of(&snapshot, &totals);
            for (at, unit) in graph.units.iter().enumerate() {
                let is_mine = |zone: u32| graph.unit[zone as usize] as usize == at;
                let mut own = 0;
                for zone in &unit.zones {
                    own += totals.zones[*zone as usize].sums.self_ticks;
                }
                prop_assert_eq!(unit.sums.self_ticks, own);
                let (mut into, mut inner, mut out) = (Sums::default(), 0, 0);
                for ((caller, callee), arc) in &graph.arcs {
                    match (is_mine(*caller), is_mine(*callee)) {
                        (true, true) => inner += arc.entries,
                        (true, false) => out += arc.hier_ticks,
                        (false, true) => into += Sums {
                            self_ticks: arc.self_ticks,
                            hier_ticks: arc.hier_ticks,
                            entries: arc.entries,
                        },
                        (false, false) => {}
                    }
                }
                prop_assert_eq!(unit.sums.hier_ticks - unit.sums.self_ticks, out);
                prop_assert_eq!(unit.inner_entries, inner);
                prop_assert!(unit.zones.contains(&0) || into == unit.sums);
                if let [zone] = unit.zones[..] {
                    let sums = totals.zones[zone as usize].sums;
                    prop_assert_eq!(unit.sums.hier_ticks, sums.hier_ticks);
                    prop_assert_eq!(unit.sums.entries + unit.inner_entries, sums.entries);
                }
            }
        }
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges = (0..300_000).map(|at| (at, at + 1));
        assert_eq!(components(300_001, edges).len(), 300_001);
    }
}
