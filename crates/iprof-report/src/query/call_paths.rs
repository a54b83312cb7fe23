//! Sums the values of nodes by call path, for the call graph and the call tree.
//!
//! # Call paths skip recursion
//!
//! A call graph row is a call path such as *the selected zone, when called by B, when B was called by A*. At any
//! moment, the stack belongs to one call path among the callers and one among the callees. If the stack contains a zone
//! more than once, a call path skips the nodes between two of its occurrences:
//!
//! - **Among callers**, a step leads from a zone's *outermost* node to the node that called it. The first step starts
//!   at the selected zone's outermost node, and the last ends at the root.
//! - **Among callees**, a step leads from a zone's *innermost* node to the node that it called. As a stack grows, a
//!   zone that is already on the call path cuts the path back to that zone. The selected zone restarts the path.
//!
//! With these rules, a call path never contains a zone twice, so it has at most as many steps as there are zones,
//! however deep the recursion. Expanding a caller lists its own callers. They sum to the caller's row because each of
//! the caller's calls was itself made by one caller. Only the root has no caller. Expanding a callee lists its own
//! callees, which sum to its hierarchical time minus its self time. With [`Recursion::Spread`], a row is a zone at one
//! recursion depth, and call paths are whole stacks.
//!
//! Call tree rows are callee paths that start at the root.
//!
//! Only open rows and rows that lead to a filter match are expanded. Time on a call path that continues below a
//! collapsed row belongs to that row. This code can tell whether the path returns to an open row without creating the
//! rows in between.
//!
//! # How recursion cuts a path
//!
//! A node whose row is already on the callee path cuts the path back to that row. Searching the path for each node
//! would take quadratic time. Instead, a depth-first walk keeps the path as a list and records each row's position in
//! it. A cut shortens the list but leaves the entries past its end in memory. Leaving a node can therefore undo its
//! change in one step, and the walk takes linear time however deep the tree.

use crate::query::sums::{RowSums, outermost_nodes};
use crate::query::values::{NodeValues, ThreadValues};
use crate::report::{ColumnId, Recursion, RowKey};
use iprof_process::NONE;
use iprof_process::subtree::{self, Step};
use iprof_process::thread_tree::TreeNode;
use std::collections::HashMap;

/// The maximum number of rows that a filter expands. Deep recursion can produce quadratically many callers of callers.
const MAX_FILTER_ROWS: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct CallPathRow {
    /// The zone's row in a list.
    pub row: u32,
    /// The parent call path, or [`NONE`] at the top level.
    pub above: u32,
    pub key: RowKey,
    pub is_open: bool,
    /// Whether some call paths below this one have no row. For a caller, whether it has callers.
    pub has_more: bool,
}

/// The call paths in one direction, with their sums in one or more sets of values.
pub(super) struct CallPaths<'a> {
    recursion: Recursion,
    /// Given a parent's key and a zone row, returns the row's key and whether the row is open.
    open: &'a dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
    /// Whether the filter matches each zone row. Paths to matches are opened. Empty without a filter.
    matching: &'a [bool],
    pub paths: Vec<CallPathRow>,
    by_parent_and_row: HashMap<(u32, u32), u32>,
    /// The sums by path, for each set of values.
    pub sets: Vec<RowSums>,
    /// Whether to create paths for all nodes, not only those with values, and to record the terms of the sums.
    is_plan: bool,
}

/// The index of a set of values: 0 for the values shown, higher numbers for the baseline's sets.
pub(super) type SetIndex = usize;

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
            sets: Vec::new(),
            is_plan,
        }
    }

    /// Calls `add` with each set of values. A filter match may open rows for nodes that were already added. With a
    /// filter, the first pass therefore only finds the rows, and the second computes the sums.
    pub(super) fn add_value_sets<'v>(
        &mut self,
        sets: impl Iterator<Item = (SetIndex, &'v NodeValues<'v>)> + Clone,
        add: impl Fn(&mut CallPaths<'a>, SetIndex, &NodeValues<'_>),
    ) {
        let count = sets.clone().count();
        let is_plan = self.is_plan;
        let sums = |paths| match is_plan {
            true => RowSums::with_terms(paths, ColumnId::HierarchicalTime),
            false => RowSums::new(paths),
        };
        let empty = |paths: usize| (0..count).map(|_| sums(paths)).collect();
        self.sets = empty(0);
        if !self.matching.is_empty() {
            sets.clone()
                .for_each(|(set, values)| add(self, set, values));
            self.sets = empty(self.paths.len());
        }
        sets.for_each(|(set, values)| add(self, set, values));
    }

    /// Adds the callers of a zone row, and their callers.
    pub(super) fn add_callers(&mut self, set: SetIndex, values: &NodeValues<'_>, selected: u32) {
        for (at, thread) in values.threads.iter().enumerate() {
            let outermost = outermost_nodes(thread.nodes, self.recursion, selected);
            let leads_to_match = self.ancestor_matches(thread.nodes);
            // `ends` maps each outermost node of the selected row to the last path of its caller chain. `known_ends`
            // maps a first path and a node to the last path of the chain that continues from there.
            let mut ends: HashMap<u32, u32> = HashMap::new();
            let mut known_ends = HashMap::new();
            for (index, node) in thread.nodes.iter().enumerate() {
                // The root has no caller.
                if outermost[index] == NONE || outermost[index] == 0 || self.skips(thread, index) {
                    continue;
                }
                let end = *ends.entry(outermost[index]).or_insert_with(|| {
                    self.climb(
                        thread.nodes,
                        &leads_to_match,
                        outermost[index],
                        &mut known_ends,
                    )
                });
                let is_own = self.recursion.row_of(node) == selected;
                self.add(set, end, at, thread, index, is_own);
            }
        }
        let above = self.above();
        self.sets[set].pass_up(&above);
    }

    fn skips(&self, thread: &ThreadValues<'_>, node: usize) -> bool {
        !self.is_plan && thread.is_zero(node)
    }

    /// Adds a node's time to the last path of its chain. If the node itself belongs to that path, also adds the node's
    /// own values.
    fn add(
        &mut self,
        set: SetIndex,
        path: u32,
        at: usize,
        thread: &ThreadValues<'_>,
        node: usize,
        is_own: bool,
    ) {
        let rows = &mut self.sets[set];
        rows.add_time(path, at, thread, node);
        if is_own {
            rows.add_self(path, at, thread, node);
        }
    }

    fn above(&self) -> Vec<u32> {
        self.paths.iter().map(|path| path.above).collect()
    }

    /// Returns whether the filter matches each node's row or any of its callers' rows. Empty without a filter.
    fn ancestor_matches(&self, nodes: &[TreeNode]) -> Vec<bool> {
        let mut leads_to_match = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let Some(matching) = self.matching.get(self.recursion.row_of(node) as usize) else {
                break;
            };
            leads_to_match.push(*matching || index > 0 && leads_to_match[node.parent as usize]);
        }
        leads_to_match
    }

    /// Returns whether the filter matches each node's row or the row of any node below it. Empty without a filter.
    fn descendant_matches(&self, nodes: &[TreeNode]) -> Vec<bool> {
        if self.matching.is_empty() {
            return Vec::new();
        }
        let rows = nodes
            .iter()
            .map(|node| self.recursion.row_of(node) as usize);
        let mut leads_to_match: Vec<bool> = rows.map(|row| self.matching[row]).collect();
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            if leads_to_match[index] {
                leads_to_match[node.parent as usize] = true;
            }
        }
        leads_to_match
    }

    /// Follows the callers of `node` while their rows are open or lead to a match, and returns the last path.
    /// `known_ends` maps a first path, and the node that it led to, to the last path from there.
    fn climb(
        &mut self,
        nodes: &[TreeNode],
        leads_to_match: &[bool],
        mut node: u32,
        known_ends: &mut HashMap<(u32, u32), u32>,
    ) -> u32 {
        let mut end = NONE;
        let mut first = None;
        while node != 0 {
            let caller = nodes[node as usize].parent;
            let row = self.recursion.row_of(&nodes[caller as usize]);
            end = self.path_under(end, row);
            node = match self.recursion {
                Recursion::Flatten => nodes[caller as usize].outermost,
                Recursion::Spread => caller,
            };
            let next = nodes[node as usize].parent as usize;
            let leads = node != 0 && leads_to_match.get(next) == Some(&true);
            let is_room = self.paths.len() < MAX_FILTER_ROWS;
            let path = &mut self.paths[end as usize];
            path.has_more |= node != 0;
            path.is_open |= leads && is_room;
            if !path.is_open {
                break;
            }
            if first.is_none() {
                if let Some(last) = known_ends.get(&(end, node)) {
                    return *last;
                }
                first = Some((end, node));
            }
        }
        if let Some(first) = first {
            known_ends.insert(first, end);
        }
        end
    }

    /// Adds the callees of a zone row, and their callees. If `of` is `None`, adds the call tree.
    pub(super) fn add_callees(&mut self, set: SetIndex, values: &NodeValues<'_>, of: Option<u32>) {
        // A node's call path ends outside the selection, at the node's own row, or below a collapsed row.
        #[derive(Clone, Copy)]
        enum Ending {
            Elsewhere,
            At(u32),
            Behind(u32),
        }
        for (at, thread) in values.threads.iter().enumerate() {
            let leads_to_match = self.descendant_matches(thread.nodes);
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
                    // If the row's earlier node is below a collapsed row, so is this node.
                    _ if earlier[index] != NONE => endings[earlier[index] as usize],
                    Ending::Elsewhere | Ending::Behind(_) => parent,
                    Ending::At(path) => {
                        let leads = leads_to_match.get(index) == Some(&true);
                        let is_open = self.paths.get_mut(path as usize).is_none_or(|path| {
                            path.is_open |= leads;
                            path.is_open
                        });
                        match is_open {
                            true => Ending::At(self.path_under(path, row)),
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
                    self.add(set, path, at, thread, index, is_own);
                }
            }
        }
        let above = self.above();
        self.sets[set].pass_up_time(&above);
    }

    /// Finds or creates the path of zone row `row` below `above`.
    fn path_under(&mut self, above: u32, row: u32) -> u32 {
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
        self.sets.iter_mut().for_each(|set| set.grow(count));
        path
    }
}

impl ThreadValues<'_> {
    /// Returns whether all of a node's own values are known to be zero.
    fn is_zero(&self, node: usize) -> bool {
        let sampled = self.sampled.as_ref();
        self.self_time[node] == 0.0
            && self.entries[node] == 0.0
            && self.gpu.get(node).is_none_or(|gpu| *gpu == 0.0)
            && self.named.get(node).is_none_or(|sum| *sum == 0.0)
            && sampled.is_none_or(|sampled| sampled.is_exact(node))
    }
}

#[derive(Clone, Copy)]
struct SavedState {
    length: usize,
    is_begun: bool,
    /// If the node was appended to the path, the entry that it overwrote and its row's previous position.
    replaced: Option<(u32, usize)>,
}

/// Returns, for each node, the earlier node of the same row on the path to its caller, or [`NONE`]. Paths start at
/// nodes of the row `of`, or at the root.
fn earlier_nodes(nodes: &[TreeNode], recursion: Recursion, of: Option<u32>) -> Vec<u32> {
    let mut earlier = vec![NONE; nodes.len()];
    let is_recursive = nodes.iter().any(|node| node.level > 0);
    if recursion == Recursion::Spread || !is_recursive {
        return earlier; // No stack contains a row twice.
    }
    let rows = nodes.iter().map(|node| recursion.row_of(node)).max();
    let mut positions = vec![usize::MAX; rows.map_or(0, |row| row as usize + 1)];
    // The nodes on the path, of which only the first `length` are valid.
    let mut path: Vec<u32> = Vec::new();
    let (mut length, mut is_begun) = (0, false);
    // The saved state before each node on the stack.
    let mut stack: Vec<SavedState> = Vec::new();
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
        let mut before = SavedState {
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
        /// Compares the result with a reference that walks each node's whole stack.
        #[test]
        fn cuts_match_a_naive_stack_walk(
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
