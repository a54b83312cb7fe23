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

use super::chains::outermost_nodes;
use super::spread::{Part, Spread};
use super::tree::{NONE, TreeNode};
use super::values::{ThreadValues, Values};
use crate::report::Recursion;

/// What a row has, in the unit of [`Values`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Totals {
    pub(crate) self_time: f64,
    pub(crate) hier: f64,
    pub(crate) entries: f64,
    /// Self time without what recording added.
    pub(crate) net: f64,
    /// Variances of self and hierarchical time.
    pub(crate) self_variance: f64,
    pub(crate) hier_variance: f64,
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

/// Totals of all rows; there are `rows` of them. On behalf of a row, those of what it called, and
/// what that called: all that lies above its outermost node on any stack, but for itself.
pub(crate) fn flat(
    values: &Values<'_>,
    recursion: Recursion,
    rows: usize,
    on_behalf_of: Option<u32>,
) -> Flat {
    let mut flat = Flat {
        totals: vec![Totals::default(); rows],
        deepest: vec![0; rows],
        calls: vec![false; rows],
    };
    let (mut self_spread, mut hier_spread) = (Spread::default(), Spread::default());
    for (at, thread) in values.threads.iter().enumerate() {
        let caller = on_behalf_of.map(|row| outermost_nodes(thread.nodes, recursion, row));
        let mut hier = thread.self_time.clone();
        // What of a node's own group is in its subtree; other groups are in it as a whole.
        let mut parts: Vec<Part> = thread.sampled.as_ref().map_or(Vec::new(), |sampled| {
            let times = thread.self_time.iter().enumerate();
            times
                .map(|(node, time)| sampled.part(node, *time))
                .collect()
        });
        for (index, node) in thread.nodes.iter().enumerate().rev() {
            let row = node.row(recursion) as usize;
            let is_counted = match &caller {
                None => true,
                Some(caller) => caller[index] != NONE && Some(row as u32) != on_behalf_of,
            };
            let is_outermost = match &caller {
                _ if recursion == Recursion::Spread || node.level == 0 => true,
                None => false,
                // The next one of the zone lies below the caller on the stack.
                Some(caller) => node.next_alike < caller[index],
            };
            if index > 0 {
                hier[node.parent as usize] += hier[index];
                let caller = thread.nodes[node.parent as usize].row(recursion);
                flat.calls[caller as usize] |= caller as usize != row;
            }
            if !is_counted {
                pass_on(thread, &mut parts, index);
                continue;
            }
            let totals = &mut flat.totals[row];
            totals.add_self(thread, index);
            if is_outermost {
                totals.hier += hier[index];
            }
            if hier[index] > 0.0 || thread.entries[index] > 0.0 {
                flat.deepest[row] = flat.deepest[row].max(node.level);
            }
            if let Some(sampled) = &thread.sampled {
                let group = sampled.group[index];
                let whole = sampled.whole[group as usize];
                let own = sampled.part(index, thread.self_time[index]);
                self_spread.add(row as u32, at, group, own, whole);
                if is_outermost {
                    hier_spread.add(row as u32, at, group, parts[index], whole);
                }
                pass_on(thread, &mut parts, index);
            }
        }
    }
    let totals = &mut flat.totals;
    self_spread.for_each(|row, variance| totals[row as usize].self_variance += variance);
    hier_spread.for_each(|row, variance| totals[row as usize].hier_variance += variance);
    flat
}

/// Adds what of a node's group is in its subtree to its parent's, if that is of the same group.
fn pass_on(thread: &ThreadValues<'_>, parts: &mut [Part], node: usize) {
    if let Some(sampled) = &thread.sampled
        && sampled.group[node] != node as u32
    {
        let part = parts[node];
        parts[thread.nodes[node].parent as usize].add(part);
    }
}

impl Totals {
    /// Adds what a node has itself.
    fn add_self(&mut self, thread: &ThreadValues<'_>, node: usize) {
        self.self_time += thread.self_time[node];
        self.entries += thread.entries[node];
        self.net += thread.net.as_ref().map_or(0.0, |net| net[node]);
        self.seen = true;
    }
}

/// Rows that sums of nodes are added to, with their variances.
#[derive(Debug)]
pub(crate) struct Rows {
    totals: Vec<Totals>,
    self_spread: Spread,
    hier_spread: Spread,
}

impl Rows {
    pub(crate) fn new(count: usize) -> Rows {
        Rows {
            totals: vec![Totals::default(); count],
            self_spread: Spread::default(),
            hier_spread: Spread::default(),
        }
    }

    /// Adds a node's time to a row's hierarchical time, and what the node has to the row's own if
    /// it is the row's. There are as many rows as were added to.
    pub(crate) fn add(
        &mut self,
        row: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        is_own: bool,
    ) {
        if self.totals.len() <= row as usize {
            self.totals.resize(row as usize + 1, Totals::default());
        }
        let totals = &mut self.totals[row as usize];
        totals.hier += thread.self_time[node];
        if is_own {
            totals.add_self(thread, node);
        }
        if let Some(sampled) = &thread.sampled {
            let group = sampled.group[node];
            let part = sampled.part(node, thread.self_time[node]);
            let whole = sampled.whole[group as usize];
            self.hier_spread.add(row, at, group, part, whole);
            if is_own {
                self.self_spread.add(row, at, group, part, whole);
            }
        }
    }

    /// The totals of at least `rows` rows.
    pub(crate) fn finish(mut self, rows: usize) -> Vec<Totals> {
        self.totals
            .resize(self.totals.len().max(rows), Totals::default());
        let totals = &mut self.totals;
        self.self_spread
            .for_each(|row, variance| totals[row as usize].self_variance += variance);
        self.hier_spread
            .for_each(|row, variance| totals[row as usize].hier_variance += variance);
        self.totals
    }
}
