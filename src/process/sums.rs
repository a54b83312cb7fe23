//! From nodes to zones: flat totals and the call graph.
//!
//! # Every moment counts once
//!
//! At each moment a thread has one stack. Recursion is handled by what a stack is, not by
//! correcting sums afterwards:
//!
//! * A zone's hierarchical time is the time of all stacks that hold it, however often.
//! * On behalf of its caller: the moment belongs to the caller of the zone's *outermost*
//!   occurrence. So callers' rows sum to the zone.
//! * Among the callees of a zone: the moment belongs to the one called by its *innermost*
//!   occurrence. If that is on top, the moment is the zone's self time. So the callees'
//!   hierarchical times sum to the zone's, less its self time.
//!
//! A node is a stack, and its parent comes before it, so both occurrences of all nodes are found
//! in one pass from front to back: linear, however deep the recursion.
//!
//! With recursion spread, a row is a zone at one depth of itself. No stack holds it twice, and the
//! same code applies.

use super::tree::TreeNode;
use super::values::{ThreadValues, Values};
use crate::report::Recursion;

/// What a row has, in the unit of [`Values`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) self_time: f64,
    pub(crate) hier: f64,
    pub(crate) entries: f64,
    /// Whether any node in view belongs to the row.
    pub(crate) seen: bool,
}

impl TreeNode {
    /// The number of the row that the node belongs to.
    pub(crate) fn row(&self, recursion: Recursion) -> u32 {
        match recursion {
            Recursion::Flatten => self.zone,
            Recursion::Spread => self.spread,
        }
    }
}

/// Totals by row.
#[derive(Debug)]
pub(crate) struct Flat {
    pub(crate) totals: Vec<Totals>,
    /// The deepest recursion by row in these values: 0 if the zone did not call itself.
    pub(crate) deepest: Vec<u32>,
    /// Whether the row has callees.
    pub(crate) calls: Vec<bool>,
}

/// Totals of all rows; there are `rows` of them.
pub(crate) fn flat(values: &Values<'_>, recursion: Recursion, rows: usize) -> Flat {
    let mut flat = Flat {
        totals: vec![Totals::default(); rows],
        deepest: vec![0; rows],
        calls: vec![false; rows],
    };
    for thread in &values.threads {
        let mut hier = thread.self_time.clone();
        for (index, node) in thread.nodes.iter().enumerate().rev() {
            let row = node.row(recursion) as usize;
            let totals = &mut flat.totals[row];
            totals.self_time += thread.self_time[index];
            totals.entries += thread.entries[index];
            totals.seen = true;
            if recursion == Recursion::Spread || node.level == 0 {
                totals.hier += hier[index];
            }
            if hier[index] > 0.0 || thread.entries[index] > 0.0 {
                flat.deepest[row] = flat.deepest[row].max(node.level);
            }
            if index > 0 {
                hier[node.parent as usize] += hier[index];
                let caller = thread.nodes[node.parent as usize].row(recursion);
                flat.calls[caller as usize] |= caller as usize != row;
            }
        }
    }
    flat
}

/// The call graph around one row, by row.
#[derive(Debug)]
pub(crate) struct CallGraph {
    pub(crate) zone: Totals,
    /// What the zone cost on behalf of each caller.
    pub(crate) callers: Vec<Totals>,
    /// What each callee cost on behalf of the zone.
    pub(crate) callees: Vec<Totals>,
}

/// No node.
const NONE: u32 = u32::MAX;

/// The call graph around `selected`; there are `rows` rows.
pub(crate) fn call_graph(
    values: &Values<'_>,
    recursion: Recursion,
    rows: usize,
    selected: u32,
) -> CallGraph {
    let mut graph = CallGraph {
        zone: Totals::default(),
        callers: vec![Totals::default(); rows],
        callees: vec![Totals::default(); rows],
    };
    for thread in &values.threads {
        graph.add(thread, recursion, selected);
    }
    graph
}

impl CallGraph {
    fn add(&mut self, thread: &ThreadValues<'_>, recursion: Recursion, selected: u32) {
        let nodes = thread.nodes;
        // By node: the outermost node of the selected row on its stack, and the node above the
        // innermost one.
        let mut outermost = vec![NONE; nodes.len()];
        let mut callee = vec![NONE; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            let row = node.row(recursion);
            let parent = node.parent as usize;
            if index > 0 {
                outermost[index] = outermost[parent];
            }
            let is_selected = row == selected;
            if is_selected && outermost[index] == NONE {
                outermost[index] = index as u32;
            }
            if outermost[index] == NONE {
                continue;
            }
            let (self_time, entries) = (thread.self_time[index], thread.entries[index]);
            let outer = outermost[index] as usize;
            // The root has no caller.
            let mut caller = (outer > 0).then(|| {
                let caller = nodes[nodes[outer].parent as usize].row(recursion);
                &mut self.callers[caller as usize]
            });
            self.zone.hier += self_time;
            if let Some(caller) = &mut caller {
                caller.hier += self_time;
            }
            if is_selected {
                self.zone.self_time += self_time;
                self.zone.entries += entries;
                self.zone.seen = true;
                if let Some(caller) = &mut caller {
                    caller.self_time += self_time;
                    caller.entries += entries;
                    caller.seen = true;
                }
                continue;
            }
            callee[index] = match nodes[parent].row(recursion) == selected {
                true => index as u32,
                false => callee[parent],
            };
            let callee_row = nodes[callee[index] as usize].row(recursion);
            let totals = &mut self.callees[callee_row as usize];
            totals.hier += self_time;
            if row == callee_row {
                totals.self_time += self_time;
                totals.entries += entries;
                totals.seen = true;
            }
        }
    }
}
