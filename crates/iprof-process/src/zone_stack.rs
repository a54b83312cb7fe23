//! Finds the innermost node of a zone on the call stack of a new node, to recognize recursion; for
//! that, keeps the call stack of the node that was added last.
//!
//! Counting how often a zone is already on a stack by walking down the stack is quadratic in depth
//! for a chain of nodes. But nodes are added in the order in which they were made, so the next node
//! is mostly near the last one. This type holds the stack of the last node, and moves to that of
//! the next one by the few steps in which they differ.

use std::collections::HashMap;

/// A stack of node indices, and by zone the nodes on it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZoneStack {
    stack: Vec<u32>,
    by_zone: HashMap<u32, Vec<u32>>,
    /// Nodes still to be pushed on the way to the target.
    ahead: Vec<u32>,
}

impl ZoneStack {
    /// Moves to the stack of `node`. `parent_and_zone` gives the parent and the zone of a node. The
    /// root is its own parent.
    pub(crate) fn go_to(&mut self, node: u32, parent_and_zone: impl Fn(u32) -> (u32, u32)) {
        // A parent has a smaller index. So of the two ends, the one with the larger index is not on
        // both stacks.
        let mut target = node;
        self.ahead.clear();
        loop {
            match self.stack.last() {
                Some(top) if *top == target => break,
                Some(top) if *top > target => {
                    let (_, zone) = parent_and_zone(*top);
                    self.stack.pop();
                    if let Some(nodes) = self.by_zone.get_mut(&zone) {
                        nodes.pop();
                    }
                }
                _ => {
                    self.ahead.push(target);
                    let (parent, _) = parent_and_zone(target);
                    if parent == target {
                        break;
                    }
                    target = parent;
                }
            }
        }
        while let Some(node) = self.ahead.pop() {
            self.stack.push(node);
            let (_, zone) = parent_and_zone(node);
            self.by_zone.entry(zone).or_default().push(node);
        }
    }

    /// The innermost node of `zone` on the stack.
    pub(crate) fn innermost(&self, zone: u32) -> Option<u32> {
        self.by_zone
            .get(&zone)
            .and_then(|nodes| nodes.last())
            .copied()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_innermost_node_is_the_one_found_by_climbing_down(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 0u32..4), 1..60),
            visits in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
        ) {
            let mut nodes = vec![(0u32, 9u32)];
            for (parent, zone) in &tree {
                nodes.push((parent.index(nodes.len()) as u32, *zone));
            }
            let mut stack = ZoneStack::default();
            for visit in visits {
                let node = visit.index(nodes.len()) as u32;
                stack.go_to(node, |node| nodes[node as usize]);
                for zone in 0..4 {
                    let mut at = node;
                    while at != 0 && nodes[at as usize].1 != zone {
                        at = nodes[at as usize].0;
                    }
                    prop_assert_eq!(stack.innermost(zone), Some(at).filter(|at| *at != 0));
                }
            }
        }
    }
}
