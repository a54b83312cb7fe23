//! The stack that is being looked at while nodes are learned, by zone.
//!
//! To say how often a zone is already on a stack, one could climb down that stack: quadratic in its
//! depth for a chain of nodes. But nodes are learned in the order in which they were made, so the
//! next one is mostly a neighbour of the last. This keeps the last one's stack and goes to the
//! next one's by the few steps that they differ.

use std::collections::HashMap;

/// A stack of nodes, by index, and by zone the nodes on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    stack: Vec<u32>,
    by_zone: HashMap<u32, Vec<u32>>,
    /// Nodes on the way down to the one that is gone to.
    ahead: Vec<u32>,
}

impl Path {
    /// Goes to the stack of `node`; `parent_and_zone` tells those of a node. The root is its own
    /// parent.
    pub(super) fn go_to(&mut self, node: u32, parent_and_zone: impl Fn(u32) -> (u32, u32)) {
        // A parent has a smaller index, so whichever of the two ends is larger is not common.
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
    pub(super) fn innermost(&self, zone: u32) -> Option<u32> {
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
            let mut path = Path::default();
            for visit in visits {
                let node = visit.index(nodes.len()) as u32;
                path.go_to(node, |node| nodes[node as usize]);
                for zone in 0..4 {
                    let mut at = node;
                    while at != 0 && nodes[at as usize].1 != zone {
                        at = nodes[at as usize].0;
                    }
                    prop_assert_eq!(path.innermost(zone), Some(at).filter(|at| *at != 0));
                }
            }
        }
    }
}
