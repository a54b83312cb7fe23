//! A context tree's nodes, for reports and frame sums, and their session totals, for snapshots.

use super::{NodeState, ThreadTree};
use crate::indices::Indices;
use crate::session::sums::NodeSum;
use crate::session::totals::NodeTotals;
use iprof_gather::clock::Ticks;

/// The node properties that snapshots and reports need.
#[derive(Clone, Copy, Debug)]
pub struct TreeNode {
    /// The index of the parent. The root, 0, is its own parent.
    pub parent: u32,
    pub zone: u32,
    /// The node's row with [`Recursion::Spread`](enum.Recursion.html#variant.Spread).
    pub spread: u32,
    /// The number of ancestors that have the same zone.
    pub level: u32,
    /// The edge (caller and zone) of the outermost node of the same zone on the stack.
    pub edge: u32,
    /// The outermost node of the same zone on the stack, which may be this node itself.
    pub outermost: u32,
    /// The nearest ancestor of the same zone, or [`NONE`](crate::NONE) if there is none.
    pub next_alike: u32,
}

/// The node properties needed to sum up a frame. They are separate because `update` reads them for every live node.
#[derive(Clone, Copy, Debug)]
pub struct NodeLink {
    pub parent: u32,
    /// The node's edge. [`INNER`] is set if the node has an ancestor of the same zone.
    edge: u32,
}

/// A flag in [`NodeLink`]'s `edge`. There are always fewer edges than this.
const INNER: u32 = 1 << 31;

impl NodeLink {
    pub fn of(node: &TreeNode) -> NodeLink {
        NodeLink {
            parent: node.parent,
            edge: node.edge | if node.level > 0 { INNER } else { 0 },
        }
    }

    #[inline(always)]
    pub fn edge(self) -> u32 {
        self.edge & !INNER
    }

    #[inline(always)]
    pub fn is_outermost(self) -> bool {
        self.edge & INNER == 0
    }
}

impl ThreadTree {
    /// Returns the totals of every node over all recorded frames.
    ///
    /// If `now` and the milliseconds per tick are given, the totals are the same as if a recorded frame ended now, with
    /// the sampler's `hits` so far. The frame itself continues.
    pub fn totals(
        &mut self,
        now: Option<(Ticks, f64)>,
        hits: impl Iterator<Item = (u32, u32)>,
        indices: &mut Indices,
    ) -> Vec<(TreeNode, NodeTotals)> {
        self.add_new_nodes(indices);
        let Some((now, ms_per_tick)) = now else {
            return self.totals_so_far();
        };
        // Large data that isn't changed by ending a frame is moved into the copy, and back afterward.
        let nodes = std::mem::take(&mut self.nodes);
        let links = std::mem::take(&mut self.links);
        let averages = std::mem::take(&mut self.averages);
        let known = nodes.len();
        let hits = self.hits.iter().copied().chain(hits).collect();
        let mut copy = ThreadTree {
            nodes,
            links,
            averages,
            hits,
            ..self.clone()
        };
        copy.end_frame(now, ms_per_tick, indices, true, &mut Vec::new());
        let totals = copy.totals_so_far();
        (self.nodes, self.links, self.averages) = (copy.nodes, copy.links, copy.averages);
        // Remove the nodes that were only added by the copy.
        self.nodes.truncate(known);
        self.links.truncate(known);
        self.averages.truncate(known);
        totals
    }

    /// Returns a node's ticks and entries over all recorded frames. Zero if the node doesn't exist.
    #[inline]
    pub fn recorded(&self, node: usize) -> NodeSum {
        match self.states.get(node) {
            Some(state) => self.totals.recorded(node, state.attributed()),
            None => NodeSum::default(),
        }
    }

    pub(super) fn totals_so_far(&self) -> Vec<(TreeNode, NodeTotals)> {
        let nodes = self.nodes.iter().zip(&self.states).zip(0..);
        let total = |((node, state), index): ((&TreeNode, &NodeState), u32)| {
            (*node, self.totals.node(index, state.attributed()))
        };
        nodes.map(total).collect()
    }

    pub fn forget_totals(&mut self) {
        self.totals
            .reset(self.states.iter().map(NodeState::attributed));
    }
}
