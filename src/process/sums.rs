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
    /// Time of the GPU on behalf of the row itself, and of all that it called.
    pub(crate) gpu_self: f64,
    pub(crate) gpu_hier: f64,
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
        let (mut hier, mut parts) = (thread.self_time.clone(), thread.parts());
        let mut gpu_hier = thread.gpu.clone();
        for (index, node) in thread.nodes.iter().enumerate().rev() {
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
            if is_counted {
                rows.add_self(row, at, thread, index);
                if is_outermost {
                    let part = parts.get(index).copied().unwrap_or_default();
                    rows.add_subtree(row, at, thread, index, hier[index], part);
                    rows.add_gpu_subtree(row, &gpu_hier, index);
                }
                if hier[index] > 0.0 || thread.entries[index] > 0.0 {
                    let deepest = &mut deepest[row as usize];
                    *deepest = node.level.max(*deepest);
                }
            }
            thread.pass_on(index, &mut hier, &mut parts);
            thread.pass_gpu_on(index, &mut gpu_hier);
        }
    }
    Flat {
        totals: rows.totals(),
        deepest,
        calls,
    }
}

impl ThreadValues<'_> {
    /// By node, what of its own group it is; nothing if nothing was sampled.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let times = self.self_time.iter().enumerate();
        self.sampled.as_ref().map_or(Vec::new(), |sampled| {
            times
                .map(|(node, time)| sampled.part(node, *time))
                .collect()
        })
    }

    /// Adds a node's subtree to its parent's: its time, and what of its own group is in it, if that
    /// is the parent's, too. Other groups are in a subtree as a whole.
    pub(crate) fn pass_on(&self, node: usize, hier: &mut [f64], parts: &mut [Part]) {
        if node == 0 {
            return;
        }
        let parent = self.nodes[node].parent as usize;
        hier[parent] += hier[node];
        if let Some(sampled) = &self.sampled
            && sampled.group[node] != node as u32
        {
            let part = parts[node];
            parts[parent].add(part);
        }
    }
}

impl ThreadValues<'_> {
    /// As [`pass_on`](Self::pass_on), with the GPU's time.
    pub(crate) fn pass_gpu_on(&self, node: usize, gpu_hier: &mut [f64]) {
        if let Some(time) = gpu_hier.get(node).copied().filter(|_| node > 0) {
            gpu_hier[self.nodes[node].parent as usize] += time;
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
        totals.gpu_self += thread.gpu.get(node).copied().unwrap_or(0.0);
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

    /// Adds the GPU's time on behalf of a node's subtree to a row's; `gpu_hier` is what it is of
    /// each node, or nothing.
    pub(crate) fn add_gpu_subtree(&mut self, row: u32, gpu_hier: &[f64], node: usize) {
        self.totals[row as usize].gpu_hier += gpu_hier.get(node).copied().unwrap_or(0.0);
    }

    /// Adds a node's own time alone to a row's hierarchical time; see [`pass_up`](Rows::pass_up).
    pub(crate) fn add_time(&mut self, row: u32, at: usize, thread: &ThreadValues<'_>, node: usize) {
        let time = thread.self_time[node];
        let sampled = thread.sampled.as_ref();
        let part = sampled.map_or(Part::default(), |sampled| sampled.part(node, time));
        self.add_subtree(row, at, thread, node, time, part);
        self.add_gpu_subtree(row, &thread.gpu, node);
    }

    /// Adds all that rows have to the rows that they stand under, which `above` tells; [`NONE`] of
    /// those that stand under none. What a row stands under comes before it.
    pub(crate) fn pass_up(&mut self, above: &[u32]) {
        for (at, above) in upward(above) {
            let Totals {
                self_time,
                entries,
                net,
                gpu_self,
                ..
            } = self.totals[at];
            let totals = &mut self.totals[above];
            totals.self_time += self_time;
            totals.entries += entries;
            totals.net += net;
            totals.gpu_self += gpu_self;
        }
        self.self_spread.pass_up(above);
        self.pass_up_time(above);
    }

    /// As [`pass_up`](Rows::pass_up), of hierarchical times alone.
    pub(crate) fn pass_up_time(&mut self, above: &[u32]) {
        for (at, above) in upward(above) {
            let Totals { hier, gpu_hier, .. } = self.totals[at];
            let totals = &mut self.totals[above];
            totals.hier += hier;
            totals.gpu_hier += gpu_hier;
        }
        self.hier_spread.pass_up(above);
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
                sum.gpu_self += totals.gpu_self;
                sum.gpu_hier += totals.gpu_hier;
            }
        }
        self.self_spread.merge_into(&mut sets.self_spread, set);
        self.hier_spread.merge_into(&mut sets.hier_spread, set);
        sets.totals()
    }
}

/// The rows that stand under others, each with the one it stands under, the last first: so each has
/// got all of its own before it is passed up.
fn upward(above: &[u32]) -> impl Iterator<Item = (usize, usize)> {
    let rows = above.iter().enumerate().rev();
    rows.filter(|(_, above)| **above != NONE)
        .map(|(row, above)| (row, *above as usize))
}
