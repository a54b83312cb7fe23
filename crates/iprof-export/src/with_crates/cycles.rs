//! Finds cycles of zones that call each other, and sums the calls between them, for gprof's call graph. Cycles are the
//! call graph's strongly connected components.
//!
//! A unit is either a zone or a cycle: a set of zones, each of which can reach every other through calls. A stack that
//! leaves a unit can't return to it at a deeper level, because both units would then be part of one cycle. So a unit's
//! zones are adjacent on any stack, and no stack contains more than one call from one unit to another. Hence
//! [`CallSums`] are exact if the groups are units: there is never a choice between several calls.

use crate::totals::{CallSums, SnapshotTotals, TimeSums};
use iprof_process::Snapshot;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// A single zone, or a cycle of zones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallUnit {
    /// The zone numbers, in ascending order.
    pub(crate) zones: Vec<u32>,
    /// The zones' total self time, the unit's hierarchical time, and the number of entries from other units.
    pub(crate) sums: TimeSums,
    /// The number of entries from zones in the same unit.
    pub(crate) inner_entries: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CallUnits {
    /// All units. Callees come before their callers.
    pub(crate) units: Vec<CallUnit>,
    pub(crate) unit: Vec<u32>,
    /// The calls, sorted by caller zone, then callee zone. Each has the number of entries, and the time that the
    /// callee's unit spent on behalf of the call. The time is 0 for calls within a unit.
    pub(crate) arcs: Vec<((u32, u32), TimeSums)>,
}

impl CallUnits {
    pub(crate) fn of(snapshot: &Snapshot, totals: &SnapshotTotals) -> CallUnits {
        let count = snapshot.zones.len();
        let components = components(count, totals.calls.iter().map(|(call, _)| *call));
        let mut unit = vec![0; count];
        for (at, zones) in (0..).zip(&components) {
            for zone in zones {
                unit[zone.index()] = at;
            }
        }
        let CallSums { groups, calls } =
            CallSums::of(snapshot.cpu_threads(), &unit, components.len());
        let mut zones = vec![Vec::new(); components.len()];
        for (zone, unit) in (0..).zip(&unit) {
            zones[*unit as usize].push(zone);
        }
        let units = zones.into_iter().zip(groups);
        let units = units.map(|(zones, of)| CallUnit {
            zones,
            sums: of.sums,
            inner_entries: of.inner_entries,
        });
        CallUnits {
            units: units.collect(),
            unit,
            arcs: calls,
        }
    }

    pub(crate) fn is_cycle(&self, unit: u32) -> bool {
        self.units[unit as usize].zones.len() > 1
    }
}

/// Returns a graph's strongly connected components. Components come before the components that reach them. Tarjan's
/// algorithm isn't used, because it would recurse to the depth of the graph, which may be a long chain.
fn components(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<NodeIndex>> {
    let mut graph = DiGraph::<(), ()>::new();
    for _ in 0..nodes {
        graph.add_node(());
    }
    graph.extend_with_edges(edges);
    kosaraju_scc(&graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_snapshots::any_snapshot;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn arcs_sum_to_units(snapshot in any_snapshot()) {
            let totals = SnapshotTotals::of(&snapshot, snapshot.cpu_threads());
            let graph = CallUnits::of(&snapshot, &totals);
            for (at, unit) in graph.units.iter().enumerate() {
                let is_mine = |zone: u32| graph.unit[zone as usize] as usize == at;
                let mut own = 0;
                for zone in &unit.zones {
                    own += totals.zones[*zone as usize].sums.self_ticks;
                }
                prop_assert_eq!(unit.sums.self_ticks, own);
                let (mut into, mut inner, mut out) = (TimeSums::default(), 0, 0);
                for ((caller, callee), arc) in &graph.arcs {
                    match (is_mine(*caller), is_mine(*callee)) {
                        (true, true) => inner += arc.entries,
                        (true, false) => out += arc.hier_ticks,
                        (false, true) => {
                            into.self_ticks += arc.self_ticks;
                            into.hier_ticks += arc.hier_ticks;
                            into.entries += arc.entries;
                        }
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
    fn long_chains_do_not_overflow_the_stack() {
        let edges = (0..300_000).map(|at| (at, at + 1));
        assert_eq!(components(300_001, edges).len(), 300_001);
    }
}
