//! The properties of a node in a thread's context tree: parent, zone, row and edge, for reports and
//! for the sums of a frame.

/// The properties of a node that snapshots and reports need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreeNode {
    /// Index of the parent; the root is its own parent, 0.
    pub(crate) parent: u32,
    pub(crate) zone: u32,
    /// The node's row with [`Recursion::Spread`](crate::report::Recursion).
    pub(crate) spread: u32,
    /// The number of nodes of the same zone below it on the stack.
    pub(crate) level: u32,
    /// The edge (caller and zone) of the outermost node of the same zone on the stack.
    pub(crate) edge: u32,
    /// The outermost node of the same zone on the stack; this node's own index if it is that one.
    pub(crate) outermost: u32,
    /// The next node of the same zone below it on the stack; [`NONE`] if there is none.
    pub(crate) next_alike: u32,
}

/// The properties of a node that the sums of a frame need. `update` reads them for every live node,
/// so they are separate from those that only reports need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeLink {
    /// As in [`TreeNode`].
    pub(crate) parent: u32,
    /// The edge. [`INNER`] is set if a node of the same zone is below it on the stack.
    edge: u32,
}

/// Flag in [`NodeLink`]'s `edge`. The number of edges is always smaller.
const INNER: u32 = 1 << 31;

impl NodeLink {
    pub(crate) fn of(node: &TreeNode) -> NodeLink {
        NodeLink {
            parent: node.parent,
            edge: node.edge | if node.level > 0 { INNER } else { 0 },
        }
    }
}

impl NodeLink {
    #[inline(always)]
    pub(crate) fn edge(self) -> u32 {
        self.edge & !INNER
    }

    #[inline(always)]
    pub(crate) fn is_outermost(self) -> bool {
        self.edge & INNER == 0
    }
}
