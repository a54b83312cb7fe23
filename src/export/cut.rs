//! Where stacks are cut, in formats that write the whole stack of every node.
//!
//! Such a file grows with nodes times their depth: a recursion of 100,000 levels with time in each is
//! five thousand million names. So the file has a limit. Below it, stacks are whole. Above it, all
//! stacks are cut to the same number of levels, the largest with which the file keeps its limit: a
//! longer stack keeps its outermost levels and its innermost one, and [`LEFT_OUT`] stands between
//! them. Time and counts stay where they were, at the innermost level.

use crate::snapshot::{Snapshot, SnapshotNode, SnapshotThread};

/// What stands for the levels that are left out of a stack.
pub(super) const LEFT_OUT: &str = "(levels left out)";

/// So many levels a stack has in any case.
const FEWEST: usize = 64;

/// To how many levels stacks are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    most: usize,
}

impl Cut {
    /// For a file that is to be no larger than `limit`, as far as a stack of 64 levels allows.
    /// `is_written` tells which nodes have a stack in the file, and `size` what a level of that zone
    /// takes there.
    pub(super) fn of(
        snapshot: &Snapshot,
        limit: u64,
        is_written: impl Fn(&SnapshotNode) -> bool,
        size: impl Fn(u32) -> u64,
    ) -> Cut {
        // By level: what all stacks have there.
        let mut sizes: Vec<u64> = Vec::new();
        for thread in &snapshot.threads {
            // By node: how many stacks it is on.
            let mut stacks: Vec<u64> = thread
                .nodes
                .iter()
                .map(|node| is_written(node).into())
                .collect();
            for (at, node) in thread.nodes.iter().enumerate().skip(1).rev() {
                stacks[node.parent as usize] += stacks[at];
            }
            for ((node, stacks), depth) in thread.nodes.iter().zip(stacks).zip(depths(thread)) {
                let depth = depth as usize;
                if sizes.len() <= depth {
                    sizes.resize(depth + 1, 0);
                }
                sizes[depth] += stacks * size(node.zone);
            }
        }
        let mut sum = 0u64;
        let fits = |size: &&u64| {
            sum = sum.saturating_add(**size);
            sum <= limit
        };
        let most = sizes.iter().take_while(fits).count();
        Cut {
            most: if most == sizes.len() {
                usize::MAX
            } else {
                most.max(FEWEST)
            },
        }
    }

    /// Whether any stack is cut.
    #[cfg(any(test, feature = "pprof"))]
    pub(super) fn is_any(self) -> bool {
        self.most != usize::MAX
    }

    /// Whether a level is missing from the stacks that go deeper than they may.
    #[cfg(feature = "pprof")]
    pub(super) fn is_left_out(self, depth: usize) -> bool {
        self.is_any() && depth >= self.most - 2
    }

    /// How many of the outermost levels stand before [`LEFT_OUT`] and the innermost one, of a stack
    /// that ends at the level `depth`, the root's being 0; none if all levels are written.
    pub(super) fn outermost(self, depth: usize) -> Option<usize> {
        (depth >= self.most).then(|| self.most - 2)
    }
}

/// By node: its level, 0 for the root.
pub(super) fn depths(thread: &SnapshotThread) -> Vec<u32> {
    let mut depths = vec![0; thread.nodes.len()];
    for (at, node) in thread.nodes.iter().enumerate().skip(1) {
        depths[at] = depths[node.parent as usize] + 1;
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(depth: usize) -> Snapshot {
        let mut thread = SnapshotThread::new("main");
        for parent in 0..depth {
            thread.child(parent, 0);
        }
        Snapshot {
            threads: vec![thread],
            ..Snapshot::default()
        }
    }

    /// A chain of `depth` has `n (n + 1) / 2` levels on its stacks, the root's included.
    #[test]
    fn stacks_are_whole_up_to_the_limit_and_no_longer_than_they_may_be_beyond_it() {
        let cut = |depth, limit| Cut::of(&chain(depth), limit, |_| true, |_| 1);
        let all = 300 * 301 / 2;
        assert!(!cut(299, all).is_any());
        assert_eq!(cut(299, all).outermost(299), None);
        assert!(cut(299, all - 1).is_any());
        assert_eq!(cut(299, all - 1).outermost(298), None);
        assert_eq!(cut(299, all - 1).outermost(299), Some(297));
        assert_eq!(cut(299, 0).outermost(63), None);
        assert_eq!(cut(299, 0).outermost(64), Some(62));
        // Levels of which nothing is written are no part of it, nor are those of no size.
        let deepest = |thread: &SnapshotThread| thread.nodes.len() as u32 - 2;
        let one = chain(299);
        let last = deepest(&one.threads[0]);
        assert!(!Cut::of(&one, 300, |node| node.parent == last, |_| 1).is_any());
        assert!(Cut::of(&one, 298, |node| node.parent == last, |_| 1).is_any());
        assert!(!Cut::of(&one, 0, |_| true, |_| 0).is_any());
    }
}
