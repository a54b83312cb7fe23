//! Session totals: the ticks and entries of a thread's nodes, summed over all recorded frames, for
//! snapshots.
//!
//! # A recorded frame costs nothing here
//!
//! The thread tree knows how much of each cumulative counter it has attributed to frames so far,
//! since a frame gets what was counted less that. So the total over all recorded frames is the
//! attributed amount less the *excluded* amount. Only the excluded amount is stored. It consists of
//! what was attributed to frames that were discarded or forgotten, and of the difference where a
//! recorded frame's delta is not what was attributed to it: because the counter was set back, or
//! because the time of a timer group was apportioned.

use crate::session::sums::{Addend, NodeSum};
use crate::untimed::{NodeDelta, SessionShares};
use iprof_gather::clock::Ticks;

/// A node's totals over all recorded frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeTotals {
    pub ticks: Ticks,
    pub entries: u64,
    /// Samples in which the node was on top of the stack.
    pub hits: u64,
    /// The standard error of `ticks`, in ticks.
    pub error: f64,
}

/// The excluded amounts and the sampling results of a thread's nodes; see the module's comment.
#[derive(Clone, Debug, Default)]
pub struct SessionTotals {
    /// By node: the excluded ticks and entries, modulo 2^64.
    excluded: Vec<NodeSum>,
    /// What sampled nodes got of it.
    pub(crate) shares: SessionShares,
}

impl SessionTotals {
    /// Memory per node of a thread that is sampled.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_SAMPLED_NODE: usize = size_of::<NodeSum>() + SessionShares::BYTES_PER_NODE;

    /// Excludes `deltas`: they were attributed, but no recorded frame has them.
    pub fn exclude(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            self.excluded(delta.node).add(NodeSum::of(delta));
        }
    }

    /// Includes `deltas`: a recorded frame has them, but they were not attributed.
    pub fn include(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            let excluded = self.excluded(delta.node);
            *excluded = excluded.less(NodeSum::of(delta));
        }
    }

    /// The attributed ticks of a node move from `from` to `to`, and no frame gets the difference.
    pub fn exclude_ticks(&mut self, node: u32, from: Ticks, to: Ticks) {
        if from != to {
            self.excluded(node).ticks.add(to.wrapping_sub(from));
        }
    }

    /// Sets all totals to zero. `attributed` is what was attributed so far, by node.
    pub fn reset(&mut self, attributed: impl Iterator<Item = NodeSum>) {
        self.excluded.clear();
        self.excluded.extend(attributed);
        self.shares = SessionShares::default();
    }

    /// The totals of a node to which `attributed` was attributed so far.
    pub fn node(&self, node: u32, attributed: NodeSum) -> NodeTotals {
        let NodeSum { ticks, entries } = self.recorded(node as usize, attributed);
        let (hits, error) = self.shares.hits_and_error(node);
        NodeTotals {
            ticks,
            entries,
            hits,
            error,
        }
    }

    /// The ticks and entries among them.
    #[inline]
    pub fn recorded(&self, node: usize, attributed: NodeSum) -> NodeSum {
        let excluded = self.excluded.get(node).copied().unwrap_or_default();
        attributed.less(excluded)
    }

    /// The entry of a node. The list grows on first use, so an unused list takes no memory.
    fn excluded(&mut self, node: u32) -> &mut NodeSum {
        let index = node as usize;
        if index >= self.excluded.len() {
            self.excluded.resize(index + 1, NodeSum::default());
        }
        &mut self.excluded[index]
    }
}
