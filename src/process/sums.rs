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

/// Totals of all rows; there are `count` of them. On behalf of a row, those of what it called, and
/// what that called: all that lies above its outermost node on any stack, but for itself.
pub(crate) fn flat(
    values: &Values<'_>,
    recursion: Recursion,
    count: usize,
    on_behalf_of: Option<u32>,
) -> Flat {
    let mut rows = Rows::new(count);
    let (mut deepest, mut calls) = (vec![0; count], vec![false; count]);
    for (at, thread) in values.threads.iter().enumerate() {
        let caller = on_behalf_of.map(|row| outermost_nodes(thread.nodes, recursion, row));
        for_each_subtree(thread, |index, hier, part| {
            let node = &thread.nodes[index];
            let row = node.row(recursion);
            let is_counted = match &caller {
                None => true,
                Some(caller) => caller[index] != NONE && Some(row) != on_behalf_of,
            };
            let is_outermost = match &caller {
                _ if recursion == Recursion::Spread || node.level == 0 => true,
                None => false,
                // The next one of the zone lies below the caller on the stack.
                Some(caller) => node.next_alike < caller[index],
            };
            if index > 0 {
                let caller = thread.nodes[node.parent as usize].row(recursion);
                calls[caller as usize] |= caller != row;
            }
            if !is_counted {
                return;
            }
            rows.add_self(row, at, thread, index);
            if is_outermost {
                rows.add_subtree(row, at, thread, index, hier, part);
            }
            if hier > 0.0 || thread.entries[index] > 0.0 {
                let deepest = &mut deepest[row as usize];
                *deepest = node.level.max(*deepest);
            }
        });
    }
    Flat {
        totals: rows.totals(),
        deepest,
        calls,
    }
}

/// Calls `visit` for every node, from the last to the first, with the time of its subtree, and with
/// what of its own group is in it: other groups are in it as a whole.
pub(crate) fn for_each_subtree(thread: &ThreadValues<'_>, mut visit: impl FnMut(usize, f64, Part)) {
    let mut hier = thread.self_time.clone();
    let mut parts: Vec<Part> = thread.sampled.as_ref().map_or(Vec::new(), |sampled| {
        let times = thread.self_time.iter().enumerate();
        times
            .map(|(node, time)| sampled.part(node, *time))
            .collect()
    });
    for (index, node) in thread.nodes.iter().enumerate().rev() {
        let part = parts.get(index).copied().unwrap_or_default();
        visit(index, hier[index], part);
        if index == 0 {
            break;
        }
        hier[node.parent as usize] += hier[index];
        // The parent's group may be another one.
        if let Some(sampled) = &thread.sampled
            && sampled.group[index] != index as u32
        {
            parts[node.parent as usize].add(part);
        }
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

    /// There are at least so many rows.
    pub(crate) fn grow(&mut self, count: usize) {
        self.totals
            .resize(self.totals.len().max(count), Totals::default());
    }

    /// Adds what a node has itself to a row's own.
    pub(crate) fn add_self(&mut self, row: u32, at: usize, thread: &ThreadValues<'_>, node: usize) {
        let totals = &mut self.totals[row as usize];
        totals.self_time += thread.self_time[node];
        totals.entries += thread.entries[node];
        totals.net += thread.net.as_ref().map_or(0.0, |net| net[node]);
        if let Some(sampled) = &thread.sampled {
            let group = sampled.group[node];
            let part = sampled.part(node, thread.self_time[node]);
            let whole = sampled.whole[group as usize];
            self.self_spread.add(row, at, group, part, whole);
        }
    }

    /// Adds a node's subtree to a row's hierarchical time: its time, and what of the node's group
    /// is in it.
    pub(crate) fn add_subtree(
        &mut self,
        row: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        hier: f64,
        part: Part,
    ) {
        self.totals[row as usize].hier += hier;
        if let Some(sampled) = &thread.sampled {
            let group = sampled.group[node];
            let whole = sampled.whole[group as usize];
            self.hier_spread.add(row, at, group, part, whole);
        }
    }

    /// Adds a node's own time alone to a row's hierarchical time.
    pub(crate) fn add_time(&mut self, row: u32, at: usize, thread: &ThreadValues<'_>, node: usize) {
        let time = thread.self_time[node];
        let sampled = thread.sampled.as_ref();
        let part = sampled.map_or(Part::default(), |sampled| sampled.part(node, time));
        self.add_subtree(row, at, thread, node, time, part);
    }

    pub(crate) fn totals(&self) -> Vec<Totals> {
        let mut totals = self.totals.clone();
        self.self_spread
            .for_each(|row, variance| totals[row as usize].self_variance += variance);
        self.hier_spread
            .for_each(|row, variance| totals[row as usize].hier_variance += variance);
        totals
    }

    /// Rows that no node was added to twice, put together: `set` tells of each in which of `count`
    /// sets it is, or [`NONE`].
    pub(crate) fn merged(&self, set: &[u32], count: usize) -> Vec<Totals> {
        let mut sets = Rows::new(count);
        for (set, totals) in set.iter().zip(&self.totals) {
            if let Some(sum) = sets.totals.get_mut(*set as usize) {
                sum.self_time += totals.self_time;
                sum.hier += totals.hier;
                sum.entries += totals.entries;
                sum.net += totals.net;
            }
        }
        self.self_spread.merge_into(&mut sets.self_spread, set);
        self.hier_spread.merge_into(&mut sets.hier_spread, set);
        sets.totals()
    }
}
