//! GPU times on their way from the threads that have GL contexts to the one that updates.
//!
//! A GPU zone is over for its thread long before the GPU has come to it. So there are two notices
//! of it: that it was submitted, in the frame in which it ended, and, frames later, what it took.
//! A frame's GPU times are complete when as many results have come as zones were submitted.
//!
//! Both notices go through one [`Post`], behind a lock that nobody holds for longer than it takes
//! to append to a list or to swap two. The GPU's own tree, of GPU zones in GPU zones, is a
//! [`ThreadRecord`] that no thread ever owns: nothing is ever current in it, and who holds the lock
//! makes its nodes.

use super::node::Node;
use super::record::ThreadRecord;
use super::registry;
use crate::Zone;
use crate::sync::{Mutex, lock};

/// What became of a GPU zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuSpan {
    pub(crate) place: GpuPlace,
    /// The frame that it was submitted in, by [`GpuPost::frame`].
    pub(crate) frame: u64,
    /// Nanoseconds less those of the zones in it; none if they are not known.
    pub(crate) self_ns: Option<u64>,
}

/// Where a GPU zone stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GpuPlace {
    /// The thread that submitted it, and its node: the one of the zone on the processor.
    pub(crate) thread: &'static ThreadRecord,
    pub(crate) node: u32,
    /// The node in the GPU's own tree.
    pub(crate) gpu_node: u32,
    /// The frame in which it began.
    pub(crate) begun_in: u64,
}

/// GPU zones that were not measured, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GpuLosses {
    /// As many queries were under way as there may be.
    pub(crate) overflown: u64,
    /// What the driver said cannot be true.
    pub(crate) implausible: u64,
    /// The GPU's clock was interrupted.
    pub(crate) disjoint: u64,
    /// Of a context that nobody has vouched for.
    pub(crate) strange: u64,
}

impl GpuLosses {
    /// What was lost since there were only those of `before`.
    pub(crate) fn since(&self, before: &GpuLosses) -> GpuLosses {
        GpuLosses {
            overflown: self.overflown - before.overflown,
            implausible: self.implausible - before.implausible,
            disjoint: self.disjoint - before.disjoint,
            strange: self.strange - before.strange,
        }
    }

    fn add(&mut self, more: &GpuLosses) {
        self.overflown += more.overflown;
        self.implausible += more.implausible;
        self.disjoint += more.disjoint;
        self.strange += more.strange;
    }
}

/// What is known of GPU zones and not yet taken.
#[derive(Debug, Default)]
pub(crate) struct GpuPost {
    /// The tree of GPU zones; none before the first one.
    pub(crate) tree: Option<&'static ThreadRecord>,
    /// Counts the frames that have ended, recorded or not.
    pub(crate) frame: u64,
    /// Zones submitted in this frame.
    pub(crate) submitted: u32,
    pub(crate) spans: Vec<GpuSpan>,
    /// All there ever were.
    pub(crate) losses: GpuLosses,
}

static POST: Mutex<GpuPost> = Mutex::new(GpuPost {
    tree: None,
    frame: 0,
    submitted: 0,
    spans: Vec::new(),
    losses: GpuLosses {
        overflown: 0,
        implausible: 0,
        disjoint: 0,
        strange: 0,
    },
});

impl GpuPost {
    /// The node of `zone` in the GPU zone of node `parent`, in none if there is none.
    pub(crate) fn node_for(&mut self, parent: Option<u32>, zone: &'static Zone) -> Option<u32> {
        self.tree = self.tree.or_else(registry::register_gpu);
        let tree = self.tree?;
        let parent: &'static Node = tree.node(parent.unwrap_or(0))?;
        Some(tree.node_for(parent, zone)?.index())
    }

    /// So many zones have ended, in the frame that is returned.
    pub(crate) fn submit(&mut self, zones: usize) -> u64 {
        self.submitted += zones as u32;
        self.frame
    }

    /// Takes in what became of zones, and leaves nothing.
    pub(crate) fn deliver(&mut self, spans: &mut Vec<GpuSpan>, losses: &mut GpuLosses) {
        self.spans.append(spans);
        self.losses.add(&std::mem::take(losses));
    }

    /// Ends the frame: `taken` becomes what came in it, and its list is used for the next one.
    pub(crate) fn end_frame(&mut self, taken: &mut GpuPost) {
        taken.tree = self.tree;
        taken.frame = self.frame;
        taken.submitted = std::mem::take(&mut self.submitted);
        taken.losses = self.losses;
        taken.spans.clear();
        std::mem::swap(&mut taken.spans, &mut self.spans);
        self.frame += 1;
    }
}

/// Where the program's post is, for a copy of the process.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn place() -> &'static Mutex<GpuPost> {
    &POST
}

/// Calls `f` with the program's post.
pub(crate) fn with_post<R>(f: impl FnOnce(&mut GpuPost) -> R) -> R {
    f(&mut lock(&POST))
}
