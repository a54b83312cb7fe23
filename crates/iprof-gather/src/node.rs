//! The node: one of a thread's call stacks with its counters, and the search for a child node. `record.rs` changes the
//! counters, and `record/reading.rs` reads them.

use crate::Zone;
use crate::sync::{
    AtomicPtr, AtomicU8, AtomicU16, AtomicU64, InitFlag,
    Ordering::{Acquire, Relaxed, Release},
    const_unless_loom,
};
use std::ptr;

/// Classes of nodes. A node is timed if its class is smaller than the thread's cutoff; see [`mode`](super::mode).
pub mod class {
    /// The node's calls are long enough to be timed.
    pub const TIMED_BY_AUTO: u8 = 0;
    /// The node's calls are many and short. It is timed only when all nodes are timed.
    pub const UNTIMED_BY_AUTO: u8 = 1;
    /// The node was created by `counter!` and is never on top of a stack.
    pub const COUNTER: u8 = 3;
}

/// The bits of a node's flags.
pub(super) const TIMED: u8 = 1;
pub(super) const HAS_PENDING_ENDS: u8 = 2;

/// One of a thread's call stacks, the unit of measurement. A node fills one cache line, so a transition between two
/// nodes touches only their two cache lines.
#[derive(Debug)]
#[repr(C, align(64))] // See `local::for_c`.
pub struct Node {
    /// The time accumulated until the node's clock last stopped: its self time, plus the time of untimed nodes on top
    /// of it. Written by the owner.
    pub(super) ticks: AtomicU64,
    /// For a timed node, when its clock last started. For an untimed node, its cached timed ancestor (see `record`).
    /// Written by the owner.
    pub(super) started: AtomicU64,
    /// The number of entries. Written by the owner.
    pub(super) entries: AtomicU64,
    /// The zone at the top of this stack. Invariant: an interned zone, or the root's.
    pub(super) zone: &'static Zone,
    /// The stack without its top, or `None` for the root.
    pub(super) parent: Option<&'static Node>,
    /// The child that the last search found. Invariant, also for `sibling`: null, or a node in the same tree. Only the
    /// owner accesses these two fields, so they need no ordering.
    last_child: AtomicPtr<Node>,
    /// The next child of the same parent, in a circular list.
    sibling: AtomicPtr<Node>,
    /// The node's position in creation order, which is lower than its children's.
    pub(super) index: u32,
    /// The number of unrecorded `begin!`s at this node whose ends are pending. Accessed only by the owner.
    pub(super) pending_ends: AtomicU16,
    /// A constant from [`class`]. Written by the owner.
    pub(super) class: AtomicU8,
    /// [`TIMED`], depending on the node's class and the thread's cutoff; always set for the root. [`HAS_PENDING_ENDS`]
    /// if `pending_ends` is not 0. Both flags are in one byte, so that the hot path needs only one test. Written by the
    /// owner.
    pub(super) flags: AtomicU8,
    /// Stands in for the plain fields, which loom does not check.
    init: InitFlag,
}

impl Node {
    const_unless_loom! {
        pub(super) fn new(
            zone: &'static Zone,
            parent: Option<&'static Node>,
            index: u32,
            timed: bool,
        ) -> Node {
            Node {
                ticks: AtomicU64::new(0),
                started: AtomicU64::new(0),
                entries: AtomicU64::new(0),
                zone,
                parent,
                last_child: AtomicPtr::new(ptr::null_mut()),
                sibling: AtomicPtr::new(ptr::null_mut()),
                index,
                pending_ends: AtomicU16::new(0),
                class: AtomicU8::new(class::TIMED_BY_AUTO),
                flags: AtomicU8::new(if timed { TIMED } else { 0 }),
                init: InitFlag::new(),
            }
        }
    }

    #[cfg(all(test, loom))]
    pub(super) fn is_initialized(&self) -> bool {
        self.init.is_seen()
    }

    /// Returns the node's position in its thread's creation order.
    #[inline]
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns the zone on top of this stack.
    #[inline]
    pub fn zone(&self) -> &'static Zone {
        self.zone
    }

    /// Returns whether this is a node for `zone`.
    #[inline]
    pub fn is_of(&self, zone: &'static Zone) -> bool {
        zone.already_interned()
            .is_some_and(|seen| ptr::eq(self.zone, seen))
    }

    /// Returns the stack without its top, or `None` for the root.
    #[inline]
    pub fn parent(&self) -> Option<&'static Node> {
        self.parent
    }

    /// Returns the index of the parent.
    #[inline]
    pub fn parent_index(&self) -> Option<u32> {
        self.parent.map(|parent| parent.index)
    }

    #[inline(always)]
    pub(super) fn is_timed(&self) -> bool {
        // Acquire: whatever a reader sees here was stored before the value of `running` that the reader checks
        // afterwards.
        self.flags.load(Acquire) & TIMED != 0
    }

    /// Returns whether the node is untimed and has no pending ends, so that leaving it only has to make its parent
    /// current.
    #[inline(always)]
    pub(super) fn has_no_flags(&self) -> bool {
        self.flags.load(Relaxed) == 0
    }

    #[inline(always)]
    pub(super) fn is_timed_without_pending_ends(&self) -> bool {
        self.flags.load(Relaxed) == TIMED
    }

    /// Only the owner may call this.
    pub(super) fn set_timed(&self, timed: bool) {
        self.change_flags(|flags| flags & !TIMED | if timed { TIMED } else { 0 });
    }

    /// Stores the flags with release even if they are unchanged, because readers may rely on the ordering.
    fn change_flags(&self, change: impl FnOnce(u8) -> u8) {
        self.flags.store(change(self.flags.load(Relaxed)), Release);
    }

    /// Returns whether the end of any unrecorded `begin!` is pending. Only the owner may call this method and the next
    /// three.
    #[inline(always)]
    pub(super) fn has_pending_ends(&self) -> bool {
        self.pending_ends.load(Relaxed) != 0
    }

    pub(super) fn add_pending_end(&self) {
        let pending = self.pending_ends.load(Relaxed);
        self.pending_ends.store(pending.saturating_add(1), Relaxed);
        self.change_flags(|flags| flags | HAS_PENDING_ENDS);
    }

    /// Returns whether an end that arrives now belongs to an unrecorded `begin!`. If so, removes it from the pending
    /// ends.
    pub(super) fn take_pending_end(&self) -> bool {
        let Some(fewer) = self.pending_ends.load(Relaxed).checked_sub(1) else {
            return false;
        };
        self.pending_ends.store(fewer, Relaxed);
        if fewer == 0 {
            self.clear_pending_ends();
        }
        true
    }

    /// Discards the pending ends when the thread leaves the node: later ends do not belong to earlier `begin!`s.
    pub(super) fn clear_pending_ends(&self) {
        self.pending_ends.store(0, Relaxed);
        self.change_flags(|flags| flags & !HAS_PENDING_ENDS);
    }

    #[inline(always)]
    pub(super) fn as_ptr(&self) -> *mut Node {
        ptr::from_ref(self).cast_mut()
    }

    /// Returns the child for `zone`, which must be interned. Only the owner may call this.
    ///
    /// The search goes around a circular list, starting at the child found last. So a search takes only one or two
    /// steps if a helper is called repeatedly, if a recursion follows the same path, or if children are called in turn.
    #[inline]
    pub(super) fn child(&self, zone: &'static Zone) -> Option<&'static Node> {
        let last = deref(self.last_child.load(Relaxed))?;
        if ptr::eq(last.zone, zone) {
            return Some(last);
        }
        let mut child = last;
        loop {
            child = deref(child.sibling.load(Relaxed))?;
            if ptr::eq(child, last) {
                return None;
            }
            if ptr::eq(child.zone, zone) {
                self.last_child.store(child.as_ptr(), Relaxed);
                return Some(child);
            }
        }
    }

    /// Like [`child`](Self::child), but takes at most two steps.
    #[inline(always)]
    pub(super) fn child_within_reach(&self, zone: &'static Zone) -> Option<&'static Node> {
        let last = deref(self.last_child.load(Relaxed))?;
        if last.is_of(zone) {
            return Some(last);
        }
        let next = deref(last.sibling.load(Relaxed)).filter(|next| next.is_of(zone))?;
        self.last_child.store(next.as_ptr(), Relaxed);
        Some(next)
    }

    /// Inserts `child` as if a search had just found it. Only the owner may call this, once per child.
    pub(super) fn adopt(&self, child: &'static Node) {
        let next = match deref(self.last_child.load(Relaxed)) {
            Some(last) => last.sibling.swap(child.as_ptr(), Relaxed),
            None => child.as_ptr(),
        };
        child.sibling.store(next, Relaxed);
        self.last_child.store(child.as_ptr(), Relaxed);
    }

    /// Makes the next search among this node's siblings start here. Only the owner may call this.
    pub(super) fn start_search_here(&self) {
        if let Some(parent) = self.parent {
            parent.last_child.store(self.as_ptr(), Relaxed);
        }
    }

    /// Returns whether `self` is `node` or below it on the stack.
    pub(super) fn is_on_stack_of(&self, node: &'static Node) -> bool {
        let mut at = node;
        while at.index > self.index {
            let Some(parent) = at.parent else {
                return false;
            };
            at = parent;
        }
        ptr::eq(at, self)
    }
}

fn deref(link: *mut Node) -> Option<&'static Node> {
    #[allow(unsafe_code)]
    // SAFETY: the pointer is null or a node, by the link fields' invariant. Nodes are never freed.
    unsafe {
        link.as_ref()
    }
}
