//! Truncates stacks to limit the size of files that contain every node's full stack.
//!
//! The size of these files grows with the number of nodes times their depth. A recursion of 100,000 levels with time in
//! each level would produce five billion names. If the stacks don't all fit within the limit, all of them are truncated
//! to the same number of levels, the largest number that fits. A longer stack keeps its outermost levels and its
//! innermost level, with [`OMITTED`] in between. Times and counts stay with the innermost level.

use iprof_process::{Snapshot, SnapshotNode, SnapshotThread};

pub(super) const OMITTED: &str = "(levels omitted)";

const MIN_LEVELS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StackLimit {
    /// The maximum number of levels per stack. `usize::MAX` if no stack is truncated.
    pub(super) max_levels: usize,
}

impl StackLimit {
    /// Finds the largest number of levels, at least 64, for which the file's size is at most `limit`. `is_written`
    /// returns whether a node has a stack in the file. `size` returns the size of a level, given its zone.
    pub(super) fn of(
        snapshot: &Snapshot,
        limit: u64,
        is_written: impl Fn(&SnapshotNode) -> bool,
        size: impl Fn(u32) -> u64,
    ) -> StackLimit {
        // Each level's total size in all stacks.
        let mut sizes: Vec<u64> = Vec::new();
        for thread in &snapshot.threads {
            // The number of written stacks that contain each node.
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
        let fitting = sizes.iter().take_while(fits).count();
        StackLimit {
            max_levels: if fitting == sizes.len() {
                usize::MAX
            } else {
                fitting.max(MIN_LEVELS)
            },
        }
    }

    /// Returns the number of outermost levels to write before [`OMITTED`] for a stack whose innermost level is `depth`
    /// (the root is 0). Returns `None` if the stack isn't truncated.
    pub(super) fn outermost(self, depth: usize) -> Option<usize> {
        (depth >= self.max_levels).then(|| self.max_levels - 2)
    }
}

/// Returns each node's level. The root is at level 0.
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

    fn linear(depth: usize) -> Snapshot {
        let mut thread = SnapshotThread::new("main");
        for parent in 0..depth {
            thread.child(parent, 0);
        }
        let mut snapshot = Snapshot::default();
        snapshot.threads = vec![thread];
        snapshot
    }

    /// In a linear call tree with `n` levels, including the root, the stacks have `n (n + 1) / 2` levels in total.
    #[test]
    fn stacks_are_truncated_only_beyond_the_limit() {
        let limit_at = |depth, size| StackLimit::of(&linear(depth), size, |_| true, |_| 1);
        let all = 300 * 301 / 2;
        assert_eq!(limit_at(299, all).max_levels, usize::MAX);
        assert_eq!(limit_at(299, all).outermost(299), None);
        assert!(limit_at(299, all - 1).max_levels < usize::MAX);
        assert_eq!(limit_at(299, all - 1).outermost(298), None);
        assert_eq!(limit_at(299, all - 1).outermost(299), Some(297));
        assert_eq!(limit_at(299, 0).outermost(63), None);
        assert_eq!(limit_at(299, 0).outermost(64), Some(62));
        // Stacks that aren't written don't count, and neither do levels of size 0.
        let deepest = |thread: &SnapshotThread| thread.nodes.len() as u32 - 2;
        let one = linear(299);
        let last = deepest(&one.threads[0]);
        assert_eq!(
            StackLimit::of(&one, 300, |node| node.parent == last, |_| 1).max_levels,
            usize::MAX
        );
        assert!(
            StackLimit::of(&one, 298, |node| node.parent == last, |_| 1).max_levels < usize::MAX
        );
        assert_eq!(
            StackLimit::of(&one, 0, |_| true, |_| 0).max_levels,
            usize::MAX
        );
    }
}
