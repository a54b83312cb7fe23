//! Which node of a stack begins anew what another one has begun: where chains of callees are cut.
//!
//! A chain of callees ([`chains`](super::chains)) holds no row twice: a node whose row is in the chain
//! already cuts the chain off behind it. To ask all of a chain for each node takes the square of its
//! length. Here the tree is walked as it was run, with the chain as a list and for each row its
//! place in it. A cut shortens the list and leaves what is behind it, so what a node does is undone
//! in one step when it is left: linear, however deep the tree.

use super::tree::{NONE, TreeNode};
use super::unions::walk;
use crate::report::Recursion;

/// What there was before a node.
#[derive(Clone, Copy)]
struct Before {
    length: usize,
    is_begun: bool,
    /// If the node was put at the end of the chain: which node stood there, and where the node's row
    /// was.
    replaced: Option<(u32, usize)>,
}

/// By node: the node of its row that is in the chain up to its caller, or [`NONE`]. Chains begin
/// behind nodes of the row `of`, or behind the root.
pub(super) fn again(nodes: &[TreeNode], recursion: Recursion, of: Option<u32>) -> Vec<u32> {
    let mut again = vec![NONE; nodes.len()];
    if recursion == Recursion::Spread || nodes.is_empty() {
        return again; // No stack holds a row twice.
    }
    let rows = nodes.iter().map(|node| node.row(recursion)).max();
    let mut places = vec![usize::MAX; rows.map_or(0, |row| row as usize + 1)];
    // The nodes of the chain, of which the first `length` count.
    let mut chain: Vec<u32> = Vec::new();
    let (mut length, mut is_begun) = (0, false);
    // Of the nodes on the stack.
    let mut stack: Vec<Before> = Vec::new();
    walk(nodes, |index, is_entered| {
        let row = nodes[index].row(recursion);
        let place = &mut places[row as usize];
        if !is_entered {
            let Some(before) = stack.pop() else { return };
            (length, is_begun) = (before.length, before.is_begun);
            if let Some((node, place_before)) = before.replaced {
                chain[length] = node;
                *place = place_before;
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
            let there = chain[..length].get(*place).copied();
            let is_row = |node: &u32| nodes[*node as usize].row(recursion) == row;
            if let Some(there) = there.filter(is_row) {
                again[index] = there;
                length = *place + 1;
            } else {
                if chain.len() == length {
                    chain.push(NONE);
                }
                let node = std::mem::replace(&mut chain[length], index as u32);
                before.replaced = Some((node, std::mem::replace(place, length)));
                length += 1;
            }
        }
        stack.push(before);
    });
    again
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// By definition: each node goes down its stack as the chain does.
        #[test]
        fn chains_are_cut_as_if_each_node_asked_all_of_its_stack(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 1u32..6), 0..60),
            of in prop::option::of(1u32..6),
        ) {
            let mut nodes: Vec<TreeNode> = Vec::new();
            let root = [(0, 0)].into_iter();
            let others = tree.iter().enumerate();
            for (parent, zone) in root.chain(others.map(|(n, (at, zone))| (at.index(n + 1), *zone))) {
                nodes.push(TreeNode {
                    parent: parent as u32,
                    zone,
                    spread: 0,
                    level: 0,
                    edge: 0,
                    outermost: 0,
                    next_alike: NONE,
                });
            }
            let found = again(&nodes, Recursion::Flatten, of);
            for (node, found) in found.into_iter().enumerate() {
                let mut stack = vec![node];
                while *stack.last().unwrap() != 0 {
                    stack.push(nodes[*stack.last().unwrap()].parent as usize);
                }
                let mut chain: Vec<usize> = Vec::new();
                let (mut is_begun, mut last) = (false, NONE);
                for at in stack.into_iter().rev() {
                    last = NONE;
                    let zone = nodes[at].zone;
                    if of.map_or(at == 0, |of| zone == of) {
                        (is_begun, chain) = (true, Vec::new());
                    } else if is_begun {
                        match chain.iter().position(|other| nodes[*other].zone == zone) {
                            Some(place) => {
                                last = chain[place] as u32;
                                chain.truncate(place + 1);
                            }
                            None => chain.push(at),
                        }
                    }
                }
                prop_assert_eq!(found, last);
            }
        }
    }
}
