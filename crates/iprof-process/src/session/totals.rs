//! Session totals: the ticks and entries of each of a thread's nodes over all recorded frames, for snapshots.
//!
//! # Recording a frame costs nothing
//!
//! The thread tree keeps track of how much of each cumulative counter has been attributed to frames so far, because a
//! frame's delta is the counter minus that amount. The total over all recorded frames is the attributed amount minus an
//! *excluded* amount, so only the excluded amount is stored here. It consists of amounts attributed to frames that were
//! discarded or forgotten, and of differences between a recorded frame's delta and the amount attributed to it. Such
//! differences arise if the counter was set back, or if a timer group's time was apportioned.

use crate::session::sums::{Addend, NodeSum};
use crate::untimed_nodes::{NodeDelta, SessionShares};
use iprof_gather::clock::Ticks;

/// A node's totals over all recorded frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeTotals {
    pub ticks: Ticks,
    pub entries: u64,
    pub hits: u64,
    /// The standard error of `ticks`, in ticks.
    pub error: f64,
}

/// The excluded amounts and the sampling results for a thread's nodes.
#[derive(Clone, Debug, Default)]
pub struct SessionTotals {
    /// The excluded ticks and entries by node, modulo 2^64.
    excluded: Vec<NodeSum>,
    pub(crate) shares: SessionShares,
}

impl SessionTotals {
    /// The number of bytes per node on a sampled thread.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_SAMPLED_NODE: usize = size_of::<NodeSum>() + SessionShares::BYTES_PER_NODE;

    /// Excludes `deltas`, which were attributed although no recorded frame contains them.
    pub fn exclude(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            self.excluded(delta.node).add(NodeSum::of(delta));
        }
    }

    /// Includes `deltas`, which a recorded frame contains although they were not attributed.
    pub fn include(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            let excluded = self.excluded(delta.node);
            *excluded = excluded.less(NodeSum::of(delta));
        }
    }

    /// Excludes the difference if a node's attributed ticks change from `from` to `to` outside of any frame.
    pub fn exclude_ticks(&mut self, node: u32, from: Ticks, to: Ticks) {
        if from != to {
            self.excluded(node).ticks.add(to.wrapping_sub(from));
        }
    }

    /// Resets all totals to zero. `attributed` contains the amounts attributed to each node so far.
    pub fn reset(&mut self, attributed: impl Iterator<Item = NodeSum>) {
        self.excluded.clear();
        self.excluded.extend(attributed);
        self.shares = SessionShares::default();
    }

    /// Returns a node's totals, given the amount attributed to it so far.
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

    #[inline]
    pub fn recorded(&self, node: usize, attributed: NodeSum) -> NodeSum {
        let excluded = self.excluded.get(node).copied().unwrap_or_default();
        attributed.less(excluded)
    }

    /// Returns a node's entry. The list grows on demand, so that it uses no memory if nothing is excluded.
    fn excluded(&mut self, node: u32) -> &mut NodeSum {
        let index = node as usize;
        if index >= self.excluded.len() {
            self.excluded.resize(index + 1, NodeSum::default());
        }
        &mut self.excluded[index]
    }
}
