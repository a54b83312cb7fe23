//! Sums the values of nodes by call path: callers and callees in the call graph, and the call tree.
//!
//! # Call paths leave recursion out
//!
//! A row of the call graph stands for a call path: *the selected zone, when called by B, when B was
//! called by A*. Each moment has one stack, and belongs to one call path toward the callers and to one
//! toward the callees. Where a stack holds a zone more than once, a call path leaves out the nodes
//! between two occurrences of the zone:
//!
//! * **Toward the callers**, a step goes from a zone's *outermost* node to that node's caller: from
//!   the outermost node of the selected zone to its caller, from the outermost node of the caller's
//!   zone to its caller, and so on to the root.
//! * **Toward the callees**, a step goes from a zone's *innermost* node to the node it called. As a
//!   stack grows, a zone that is already on the call path cuts the path back to that zone, and the
//!   selected zone starts the path again.
//!
//! Such a call path holds no zone twice, so it is at most as long as there are zones, however deep the
//! recursion. The sums hold: an open caller's rows are its own callers, and one of them called it each
//! time, so they sum to it (except for calls by the root). An open callee's rows are its own callees;
//! their hierarchical times sum to its hierarchical time minus its self time. With
//! [`Recursion::Spread`] a row is a zone at one recursion depth, no stack holds a row twice, and call
//! paths are whole stacks.
//!
//! The rows of the call tree are call paths of the second kind that start at the root.
//!
//! Only open rows, and rows that lead to a match of the filter, are expanded. A moment whose call path
//! goes on below a closed row belongs to that closed row. Whether the path returns to an open row is
//! known without the rows in between.
//!
//! # Where recursion brings a path back
//!
//! A call path of callees holds no row twice: a
//! node whose row is already on the path cuts the path back to that row. Searching the path for each
//! node would take the square of its length. Here a depth-first walk keeps the path as a list, and for
//! each row its position in the list. A cut shortens the list but leaves the cut-off entries in memory,
//! so leaving a node undoes its change in one step: linear, however deep the tree.

use crate::query::sums::{RowSums, outermost_nodes};
use crate::query::values::{NodeValues, ThreadValues};
use crate::report::{ColumnId, Recursion, RowKey};
use iprof_process::NONE;
use iprof_process::subtree::{self, Step};
use iprof_process::thread_tree::TreeNode;
use std::collections::HashMap;

/// Most rows that a filter opens by itself. The callers of a zone that is called at each level of a
/// deep stack are as many as the square of the stack's depth.
const MAX_FILTER_ROWS: usize = 1 << 20;

/// A call path: a zone below its parent row.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallPathRow {
    /// The zone's row in a flat report.
    pub row: u32,
    /// The parent call path; [`NONE`] at the top level.
    pub above: u32,
    pub key: RowKey,
    pub is_open: bool,
    /// Whether call paths exist below this one that have no row here. Of a caller: whether it has
    /// callers.
    pub has_more: bool,
}

/// The call paths in one direction, with their sums in one or several sets of values.
pub(super) struct CallPaths<'a> {
    recursion: Recursion,
    /// Returns a row's key, given the key of its parent row, and whether the row is open.
    open: &'a dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
    /// By zone row: whether the filter matches it; paths are opened down to matches. Empty without a
    /// filter.
    matching: &'a [bool],
    pub paths: Vec<CallPathRow>,
    by_parent_and_row: HashMap<(u32, u32), u32>,
    /// By set of values: the sums by path.
    pub sides: Vec<RowSums>,
    /// Whether paths are made for all nodes and what is added is written down, instead of those with values.
    is_plan: bool,
}

/// Index of a set of values: 0 is the shown one, the others are those of the baseline.
pub(super) type Side = usize;

impl<'a> CallPaths<'a> {
    pub(super) fn new(
        recursion: Recursion,
        open: &'a dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
        matching: &'a [bool],
        is_plan: bool,
    ) -> CallPaths<'a> {
        CallPaths {
            recursion,
            open,
            matching,
            paths: Vec::new(),
            by_parent_and_row: HashMap::new(),
            sides: Vec::new(),
            is_plan,
        }
    }

    /// Calls `add` with each set of values. A match of the filter opens rows on the way to
    /// it, wherever it is first found, so with a filter a first pass finds the rows and a second pass
    /// sums.
    pub(super) fn add_sides<'v>(
        &mut self,
        sides: impl Iterator<Item = (Side, &'v NodeValues<'v>)> + Clone,
        add: impl Fn(&mut CallPaths<'a>, Side, &NodeValues<'_>),
    ) {
        let count = sides.clone().count();
        let is_plan = self.is_plan;
        let sums = |paths| match is_plan {
            true => RowSums::with_terms(paths, ColumnId::HierarchicalTime),
            false => RowSums::new(paths),
        };
        let empty = |paths: usize| (0..count).map(|_| sums(paths)).collect();
        self.sides = empty(0);
        if !self.matching.is_empty() {
            sides
                .clone()
                .for_each(|(side, values)| add(self, side, values));
            self.sides = empty(self.paths.len());
        }
        sides.for_each(|(side, values)| add(self, side, values));
    }

    /// Adds the callers of a zone row, and their callers.
    pub(super) fn add_callers(&mut self, side: Side, values: &NodeValues<'_>, selected: u32) {
        for (at, thread) in values.threads.iter().enumerate() {
            let outermost = outermost_nodes(thread.nodes, self.recursion, selected);
            let leads = self.ancestor_matches(thread.nodes);
            // `ends`: the last path of the chain of callers that begins at an outermost node of the
            // selected row. `known`: the last path of a chain that goes on from a first path and a
            // node.
            let mut ends: HashMap<u32, u32> = HashMap::new();
            let mut known = HashMap::new();
            for (index, node) in thread.nodes.iter().enumerate() {
                // The root has no caller.
                if outermost[index] == NONE || outermost[index] == 0 || self.skips(thread, index) {
                    continue;
                }
                let end = *ends.entry(outermost[index]).or_insert_with(|| {
                    self.climb(thread.nodes, &leads, outermost[index], &mut known)
                });
                let is_own = self.recursion.row_of(node) == selected;
                self.add(side, end, at, thread, index, is_own);
            }
        }
        let above = self.above();
        self.sides[side].pass_up(&above);
    }

    /// Whether a node has no path of its own.
    fn skips(&self, thread: &ThreadValues<'_>, node: usize) -> bool {
        !self.is_plan && thread.is_zero(node)
    }

    /// Adds a node's time to the last path of its chain, and the node's own values if the node belongs
    /// to that path itself.
    fn add(
        &mut self,
        side: Side,
        path: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        is_own: bool,
    ) {
        let rows = &mut self.sides[side];
        rows.add_time(path, at, thread, node);
        if is_own {
            rows.add_self(path, at, thread, node);
        }
    }

    /// By path: its parent path.
    fn above(&self) -> Vec<u32> {
        self.paths.iter().map(|path| path.above).collect()
    }

    /// By node: whether the filter matches its row, or the row of a node that called it. Empty without
    /// a filter.
    fn ancestor_matches(&self, nodes: &[TreeNode]) -> Vec<bool> {
        let mut leads = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(matching) = self.matching.get(self.recursion.row_of(node) as usize) else {
                break;
            };
            leads.push(*matching || index > 0 && leads[node.parent as usize]);
        }
        leads
    }

    /// By node: whether the filter matches its row, or the row of a node that it called. Empty without
    /// a filter.
    fn descendant_matches(&self, nodes: &[TreeNode]) -> Vec<bool> {
        if self.matching.is_empty() {
            return Vec::new();
        }
        let rows = nodes
            .iter()
            .map(|node| self.recursion.row_of(node) as usize);
        let mut leads: Vec<bool> = rows.map(|row| self.matching[row]).collect();
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            if leads[index] {
                leads[node.parent as usize] = true;
            }
        }
        leads
    }

    /// Follows the callers of `node` as long as their rows are open or lead to a match; returns the
    /// last path. `known` maps a first path and the node it led to, to the last path from there.
    fn climb(
        &mut self,
        nodes: &[TreeNode],
        leads: &[bool],
        mut node: u32,
        known: &mut HashMap<(u32, u32), u32>,
    ) -> u32 {
        let mut end = NONE;
        let mut first = None;
        while node != 0 {
            let caller = nodes[node as usize].parent;
            let row = self.recursion.row_of(&nodes[caller as usize]);
            end = self.under(end, row);
            node = match self.recursion {
                Recursion::Flatten => nodes[caller as usize].outermost,
                Recursion::Spread => caller,
            };
            let next = nodes[node as usize].parent as usize;
            let leads = node != 0 && leads.get(next).is_some_and(|leads| *leads);
            let is_room = self.paths.len() < MAX_FILTER_ROWS;
            let path = &mut self.paths[end as usize];
            path.has_more |= node != 0;
            path.is_open |= leads && is_room;
            if !path.is_open {
                break;
            }
            if first.is_none() {
                if let Some(last) = known.get(&(end, node)) {
                    return *last;
                }
                first = Some((end, node));
            }
        }
        if let Some(first) = first {
            known.insert(first, end);
        }
        end
    }

    /// Adds the callees of a zone row, and their callees; without a row those of the root, which is the
    /// call tree.
    pub(super) fn add_callees(&mut self, side: Side, values: &NodeValues<'_>, of: Option<u32>) {
        // Where a node's call path ends: outside the selection, at a row of its own, or below a closed
        // row.
        #[derive(Clone, Copy)]
        enum Ending {
            Elsewhere,
            At(u32),
            Behind(u32),
        }
        for (at, thread) in values.threads.iter().enumerate() {
            let leads = self.descendant_matches(thread.nodes);
            let earlier = earlier_nodes(thread.nodes, self.recursion, of);
            let mut endings: Vec<Ending> = Vec::with_capacity(thread.nodes.len());
            for (index, node) in thread.nodes.iter().enumerate() {
                let row = self.recursion.row_of(node);
                let parent = match index {
                    0 if of.is_none() => Ending::At(NONE),
                    0 => Ending::Elsewhere,
                    _ => endings[node.parent as usize],
                };
                let ending = match parent {
                    _ if of == Some(row) => Ending::At(NONE),
                    // The earlier node of this row may itself lie below a closed row; then so does this
                    // node.
                    _ if earlier[index] != NONE => endings[earlier[index] as usize],
                    Ending::Elsewhere | Ending::Behind(_) => parent,
                    Ending::At(path) => {
                        let leads = leads.get(index).is_some_and(|leads| *leads);
                        let is_open = self.paths.get_mut(path as usize).is_none_or(|path| {
                            path.is_open |= leads;
                            path.is_open
                        });
                        match is_open {
                            true => Ending::At(self.under(path, row)),
                            false => Ending::Behind(path),
                        }
                    }
                };
                endings.push(ending);
                let (path, is_own) = match ending {
                    Ending::Elsewhere => continue,
                    Ending::At(path) => (path, true),
                    Ending::Behind(path) => (path, false),
                };
                if self.skips(thread, index) {
                    continue;
                }
                if let (Some(path), false) = (self.paths.get_mut(path as usize), is_own) {
                    path.has_more = true;
                }
                if path != NONE {
                    self.add(side, path, at, thread, index, is_own);
                }
            }
        }
        let above = self.above();
        self.sides[side].pass_up_time(&above);
    }

    /// The path of zone row `row` under `above`, found or created.
    fn under(&mut self, above: u32, row: u32) -> u32 {
        if let Some(path) = self.by_parent_and_row.get(&(above, row)) {
            return *path;
        }
        let parent = self.paths.get(above as usize).map(|parent| parent.key);
        let (key, is_open) = (self.open)(parent, row);
        let path = self.paths.len() as u32;
        self.paths.push(CallPathRow {
            row,
            above,
            key,
            is_open,
            has_more: false,
        });
        self.by_parent_and_row.insert((above, row), path);
        let count = self.paths.len();
        self.sides.iter_mut().for_each(|side| side.grow(count));
        path
    }
}

impl ThreadValues<'_> {
    /// Whether all values of a node itself are certainly zero.
    fn is_zero(&self, node: usize) -> bool {
        let sampled = self.sampled.as_ref();
        self.self_time[node] == 0.0
            && self.entries[node] == 0.0
            && self.gpu.get(node).is_none_or(|gpu| *gpu == 0.0)
            && self.named.get(node).is_none_or(|sum| *sum == 0.0)
            && sampled.is_none_or(|sampled| sampled.is_exact(node))
    }
}

/// The state before a node was entered.
#[derive(Clone, Copy)]
struct Before {
    length: usize,
    is_begun: bool,
    /// If the node was appended to the path: the node that the list held there, and the previous
    /// position of the node's row.
    replaced: Option<(u32, usize)>,
}

/// By node: the node of the same row on the path to its caller, or [`NONE`]. Paths start at nodes of
/// the row `of`, or at the root.
fn earlier_nodes(nodes: &[TreeNode], recursion: Recursion, of: Option<u32>) -> Vec<u32> {
    let mut earlier = vec![NONE; nodes.len()];
    let is_recursive = nodes.iter().any(|node| node.level > 0);
    if recursion == Recursion::Spread || !is_recursive {
        return earlier; // No stack holds a row twice.
    }
    let rows = nodes.iter().map(|node| recursion.row_of(node)).max();
    let mut positions = vec![usize::MAX; rows.map_or(0, |row| row as usize + 1)];
    // The nodes of the path; only the first `length` are valid.
    let mut path: Vec<u32> = Vec::new();
    let (mut length, mut is_begun) = (0, false);
    // The states before the nodes on the stack.
    let mut stack: Vec<Before> = Vec::new();
    let parent = |node: usize| nodes[node].parent as usize;
    subtree::walk(nodes.len(), parent, |step| {
        let (Step::Enter(index) | Step::Leave(index)) = step;
        let row = recursion.row_of(&nodes[index]);
        let position = &mut positions[row as usize];
        if step == Step::Leave(index) {
            let Some(before) = stack.pop() else { return };
            (length, is_begun) = (before.length, before.is_begun);
            if let Some((node, position_before)) = before.replaced {
                path[length] = node;
                *position = position_before;
            }
            return;
        }
        let mut before = Before {
            length,
            is_begun,
            replaced: None,
        };
        let begins = match of {
            Some(of) => row == of,
            None => index == 0,
        };
        if begins {
            (length, is_begun) = (0, true);
        } else if is_begun {
            let there = path[..length].get(*position).copied();
            let is_row = |node: &u32| recursion.row_of(&nodes[*node as usize]) == row;
            if let Some(there) = there.filter(is_row) {
                earlier[index] = there;
                length = *position + 1;
            } else {
                if path.len() == length {
                    path.push(NONE);
                }
                let node = std::mem::replace(&mut path[length], index as u32);
                before.replaced = Some((node, std::mem::replace(position, length)));
                length += 1;
            }
        }
        stack.push(before);
    });
    earlier
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The reference: each node walks its whole stack.
        #[test]
        fn cuts_match_a_walk_of_each_stack(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 1u32..6), 0..60),
            of in prop::option::of(1u32..6),
        ) {
            let mut nodes: Vec<TreeNode> = Vec::new();
            let root = [(0, 0)].into_iter();
            let others = tree.iter().enumerate();
            for (parent, zone) in root.chain(others.map(|(n, (at, zone))| (at.index(n + 1), *zone))) {
                let (mut below, mut level) = (parent, 0);
                while below != 0 {
                    level += u32::from(nodes[below].zone == zone);
                    below = nodes[below].parent as usize;
                }
                nodes.push(TreeNode {
                    parent: parent as u32,
                    zone,
                    spread: 0,
                    level,
                    edge: 0,
                    outermost: 0,
                    next_alike: NONE,
                });
            }
            let found = earlier_nodes(&nodes, Recursion::Flatten, of);
            for (node, found) in found.into_iter().enumerate() {
                let mut stack = vec![node];
                while *stack.last().unwrap() != 0 {
                    stack.push(nodes[*stack.last().unwrap()].parent as usize);
                }
                let mut path: Vec<usize> = Vec::new();
                let (mut is_begun, mut last) = (false, NONE);
                for at in stack.into_iter().rev() {
                    last = NONE;
                    let zone = nodes[at].zone;
                    if of.map_or(at == 0, |of| zone == of) {
                        (is_begun, path) = (true, Vec::new());
                    } else if is_begun {
                        match path.iter().position(|other| nodes[*other].zone == zone) {
                            Some(position) => {
                                last = path[position] as u32;
                                path.truncate(position + 1);
                            }
                            None => path.push(at),
                        }
                    }
                }
                prop_assert_eq!(found, last);
            }
        }
    }
}
