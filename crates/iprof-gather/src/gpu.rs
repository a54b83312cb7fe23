//! The mailbox that carries GPU times from threads with GL contexts to the thread that calls `update`.
//!
//! A thread ends a GPU zone long before the GPU has executed it. So the mailbox receives two messages per zone: one
//! when the zone is submitted, in the frame in which it ends, and one with its GPU time some frames later. A frame's
//! GPU times are complete once as many results have arrived as zones were submitted.
//!
//! Both messages go through one [`GpuMailbox`], whose lock is held only to append to a list or to swap two lists. The
//! tree of GPU zones is a [`ThreadRecord`] without an owner. None of its nodes is ever current. Whichever thread holds
//! the mailbox's lock creates them.

pub mod ring;
pub mod spans;
mod timeline;

pub use timeline::{GpuTimeline, GpuZone};

use super::node::Node;
use super::record::ThreadRecord;
use super::registry;
use crate::Zone;
use crate::sync::{Mutex, Ordering::Relaxed, StaticBool, lock};

/// The result of a GPU zone.
#[derive(Clone, Copy, Debug)]
pub struct GpuSpan {
    pub origin: GpuOrigin,
    /// The value of [`GpuMailbox::frame`] when the zone was submitted.
    pub frame: u64,
    /// The time in nanoseconds without nested zones, if known.
    pub self_ns: Option<u64>,
}

/// The nodes of a GPU zone.
#[derive(Clone, Copy, Debug)]
pub struct GpuOrigin {
    /// The thread that submitted the zone, and the zone's node on that thread.
    pub thread: &'static ThreadRecord,
    pub node: u32,
    /// The zone's node in the tree of GPU zones.
    pub gpu_node: u32,
    /// The frame in which the zone began.
    pub begun_in: u64,
}

/// The numbers of GPU zones that were not measured, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GpuLosses {
    /// Zones beyond the limit on queries in flight.
    pub overflowed: u64,
    /// Zones whose values from the driver cannot be right.
    pub implausible: u64,
    /// Zones during which the GPU's clock was interrupted.
    pub disjoint: u64,
    /// Zones in contexts for which the host has not enabled GPU zones.
    pub unknown_context: u64,
}

impl GpuLosses {
    #[must_use]
    pub fn since(&self, before: &GpuLosses) -> GpuLosses {
        GpuLosses {
            overflowed: self.overflowed - before.overflowed,
            implausible: self.implausible - before.implausible,
            disjoint: self.disjoint - before.disjoint,
            unknown_context: self.unknown_context - before.unknown_context,
        }
    }

    fn add(&mut self, more: &GpuLosses) {
        self.overflowed += more.overflowed;
        self.implausible += more.implausible;
        self.disjoint += more.disjoint;
        self.unknown_context += more.unknown_context;
    }
}

/// Unread messages about GPU zones.
#[derive(Debug, Default)]
pub struct GpuMailbox {
    /// The tree of GPU zones, or `None` before the first one.
    pub tree: Option<&'static ThreadRecord>,
    /// The number of frames that have ended since the mailbox was first used, whether recorded or not.
    pub frame: u64,
    /// The number of zones submitted in this frame.
    pub submitted: u32,
    pub spans: Vec<GpuSpan>,
    /// The total losses so far.
    pub losses: GpuLosses,
}

static MAILBOX: Mutex<GpuMailbox> = Mutex::new(GpuMailbox {
    tree: None,
    frame: 0,
    submitted: 0,
    spans: Vec::new(),
    losses: GpuLosses {
        overflowed: 0,
        implausible: 0,
        disjoint: 0,
        unknown_context: 0,
    },
});

/// Whether the mailbox was ever used. If not, ending a frame doesn't have to lock it.
static IS_USED: StaticBool = StaticBool::new(false);

impl GpuMailbox {
    /// Returns the node for `zone` under the GPU zone `parent`, or under the root if there is no parent.
    pub fn node_for(&mut self, parent: Option<u32>, zone: &'static Zone) -> Option<u32> {
        self.tree = self.tree.or_else(registry::register_gpu);
        let tree = self.tree?;
        let parent: &'static Node = tree.node(parent.unwrap_or(0))?;
        Some(tree.node_for(parent, zone)?.index())
    }

    /// Counts submitted zones. Returns the frame in which they ended.
    pub fn submit(&mut self, zones: usize) -> u64 {
        self.submitted += zones as u32;
        self.frame
    }

    pub fn deliver(&mut self, spans: &mut Vec<GpuSpan>, losses: &mut GpuLosses) {
        self.spans.append(spans);
        self.losses.add(&std::mem::take(losses));
    }

    /// Ends the frame and moves its messages to `taken`, whose list is reused for the next frame.
    pub fn end_frame(&mut self, taken: &mut GpuMailbox) {
        taken.tree = self.tree;
        taken.frame = self.frame;
        taken.submitted = std::mem::take(&mut self.submitted);
        taken.losses = self.losses;
        taken.spans.clear();
        std::mem::swap(&mut taken.spans, &mut self.spans);
        self.frame += 1;
    }
}

/// Calls `f` with the program's mailbox.
pub fn with_mailbox<R>(f: impl FnOnce(&mut GpuMailbox) -> R) -> R {
    let mut mailbox = lock(&MAILBOX);
    IS_USED.store(true, Relaxed);
    f(&mut mailbox)
}

/// [Ends the frame](GpuMailbox::end_frame) in the program's mailbox, if it was ever used.
pub fn end_frame(taken: &mut GpuMailbox) {
    if IS_USED.load(Relaxed) {
        lock(&MAILBOX).end_frame(taken);
    }
}
