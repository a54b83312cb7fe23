//! Finds where recursion brings a call path back to a row that it already holds.
//!
//! A call path of callees (see [`call_paths`](crate::process::query::call_paths)) holds no row twice: a
//! node whose row is already on the path cuts the path back to that row. Searching the path for each
//! node would take the square of its length. Here a depth-first walk keeps the path as a list, and for
//! each row its position in the list. A cut shortens the list but leaves the cut-off entries in memory,
//! so leaving a node undoes its change in one step: linear, however deep the tree.

use crate::process::NONE;
use crate::process::frame::thread_tree::TreeNode;
use crate::report::Recursion;
use crate::subtree::{self, Step};

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
pub(crate) fn earlier_nodes(nodes: &[TreeNode], recursion: Recursion, of: Option<u32>) -> Vec<u32> {
    let mut earlier = vec![NONE; nodes.len()];
    let is_recursive = nodes.iter().any(|node| node.level > 0);
    if recursion == Recursion::Spread || !is_recursive {
        return earlier; // No stack holds a row twice.
    }
    let rows = nodes.iter().map(|node| node.row(recursion)).max();
    let mut positions = vec![usize::MAX; rows.map_or(0, |row| row as usize + 1)];
    // The nodes of the path; only the first `length` are valid.
    let mut path: Vec<u32> = Vec::new();
    let (mut length, mut is_begun) = (0, false);
    // The states before the nodes on the stack.
    let mut stack: Vec<Before> = Vec::new();
    let parent = |node: usize| nodes[node].parent as usize;
    subtree::walk(nodes.len(), parent, |step| {
        let (Step::Enter(index) | Step::Leave(index)) = step;
        let row = nodes[index].row(recursion);
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
            let is_row = |node: &u32| nodes[*node as usize].row(recursion) == row;
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
