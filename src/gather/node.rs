//! The node: one full stack of zones on one thread.

use crate::Zone;
use crate::sync::{
    AtomicPtr, AtomicU8, AtomicU16, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    const_unless_modelled,
};
use std::ptr;

/// What decides whether a node reads the clock: it does if its class is smaller than the thread's
/// cutoff. See [`switch`](super::switch).
pub(crate) mod class {
    /// Its calls are long enough for the clock.
    pub(crate) const LONG: u8 = 0;
    /// Its calls are many and short: timed only where everything is.
    pub(crate) const SHORT: u8 = 1;
    /// Made by `counter!`: never on top of a stack.
    pub(crate) const COUNTER: u8 = 3;
}

/// Bits of a node's flags.
const TIMED: u8 = 1;
const MISSES_ENDS: u8 = 2;

/// One full stack of zones on one thread. The unit of measurement, and one cache line: a
/// transition touches the line of the node it leaves and of the node it enters.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Node {
    /// Time up to when its clock last stopped: self time, and the time of nodes without a clock
    /// above it. Cumulative. Written by the owner.
    pub(super) ticks: AtomicU64,
    /// When its clock last started; without a clock, what its record remembers of its account.
    /// Written by the owner.
    pub(super) started: AtomicU64,
    /// How often it was entered. Cumulative. Written by the owner.
    pub(super) entries: AtomicU64,
    /// The zone at the top of this stack. Invariant: an interned one, or the root's.
    pub(super) zone: &'static Zone,
    /// The stack without its top; none for the root.
    pub(super) parent: Option<&'static Node>,
    /// The child found last. Invariant of this and of `sibling`: null, or a node of the same
    /// tree. Only the owner reads or writes the two, so they need no ordering.
    last_child: AtomicPtr<Node>,
    /// The next child of the same parent, in a circle.
    sibling: AtomicPtr<Node>,
    /// Position in the order of creation: a parent's is smaller than its children's.
    pub(super) index: u32,
    /// How many `begin!`s were not recorded while this was current, and wait for their ends. Only
    /// the owner touches it.
    missing_ends: AtomicU16,
    /// One of [`class`]. Written by the owner.
    pub(super) class: AtomicU8,
    /// [`TIMED`] if it has a clock, which follows from its class and the thread's cutoff; the root
    /// always has one. [`MISSES_ENDS`] if it waits for any. One byte, so that recording looks at no
    /// more. Written by the owner.
    flags: AtomicU8,
    /// 1 since the node was made. The model checker does not follow plain fields: this stands for
    /// them.
    #[cfg(loom)]
    made: AtomicU8,
}

impl Node {
    const_unless_modelled! {
        pub(super) fn new(
            zone: &'static Zone,
            parent: Option<&'static Node>,
            index: u32,
            timed: bool,
        ) -> Node {
            let node = Node {
                ticks: AtomicU64::new(0),
                started: AtomicU64::new(0),
                entries: AtomicU64::new(0),
                zone,
                parent,
                last_child: AtomicPtr::new(ptr::null_mut()),
                sibling: AtomicPtr::new(ptr::null_mut()),
                index,
                missing_ends: AtomicU16::new(0),
                class: AtomicU8::new(class::LONG),
                flags: AtomicU8::new(if timed { TIMED } else { 0 }),
                #[cfg(loom)]
                made: AtomicU8::new(0),
            };
            #[cfg(loom)]
            node.made.store(1, Relaxed);
            node
        }
    }

    /// Whether a thread that has got hold of the node sees its plain fields.
    #[cfg(all(test, loom))]
    pub(super) fn is_made(&self) -> bool {
        self.made.load(Relaxed) == 1
    }

    /// Position in the order of creation on its thread.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn zone(&self) -> &'static Zone {
        self.zone
    }

    /// Whether it is a node of that zone.
    pub(crate) fn is_of(&self, zone: &'static Zone) -> bool {
        zone.seen().is_some_and(|seen| ptr::eq(self.zone, seen))
    }

    /// The stack without its top; none for the root.
    pub(crate) fn parent(&self) -> Option<&'static Node> {
        self.parent
    }

    /// The parent's index.
    pub(crate) fn parent_index(&self) -> Option<u32> {
        self.parent.map(|parent| parent.index)
    }

    /// Whether it has a clock.
    #[inline(always)]
    pub(super) fn is_timed(&self) -> bool {
        // Acquire: what a reader finds here was stored before the `epoch` that it checks.
        self.flags.load(Acquire) & TIMED != 0
    }

    /// Whether there is nothing to do when it is left but to make its parent current: it has no clock,
    /// and no `begin!` waits for its end.
    #[inline(always)]
    pub(super) fn is_left_at_once(&self) -> bool {
        self.flags.load(Relaxed) == 0
    }

    /// Gives it a clock or takes it away. Only the owner may call this.
    pub(super) fn set_timed(&self, timed: bool) {
        self.change_flags(|flags| flags & !TIMED | if timed { TIMED } else { 0 });
    }

    /// The flags that are not changed are stored anew, too: with release, for who reads that they are
    /// set.
    fn change_flags(&self, change: impl FnOnce(u8) -> u8) {
        self.flags.store(change(self.flags.load(Relaxed)), Release);
    }

    /// Whether any `begin!` waits for its end. Only the owner may call this, or any of the next three.
    #[inline(always)]
    pub(super) fn misses_ends(&self) -> bool {
        self.missing_ends.load(Relaxed) != 0
    }

    /// From here on one more `begin!` waits for its end.
    pub(super) fn miss_end(&self) {
        let missing = self.missing_ends.load(Relaxed);
        self.missing_ends.store(missing.saturating_add(1), Relaxed);
        self.change_flags(|flags| flags | MISSES_ENDS);
    }

    /// Whether this is an end that was waited for.
    pub(super) fn find_end(&self) -> bool {
        let Some(fewer) = self.missing_ends.load(Relaxed).checked_sub(1) else {
            return false;
        };
        self.missing_ends.store(fewer, Relaxed);
        if fewer == 0 {
            self.forget_ends();
        }
        true
    }

    /// It is left: ends that come later are not those of `begin!`s that came before.
    pub(super) fn forget_ends(&self) {
        self.missing_ends.store(0, Relaxed);
        self.change_flags(|flags| flags & !MISSES_ENDS);
    }

    pub(super) fn as_ptr(&self) -> *mut Node {
        ptr::from_ref(self).cast_mut()
    }

    /// The child for `zone`, an interned one, if there is one. Only the owner may call this.
    ///
    /// Children form a circle, and the search starts at the one found last: so a helper called
    /// again and again, a recursion that went this way before and children called in turn are all
    /// found in one or two steps.
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

    /// Makes `child` the child found last. Only the owner may call this, once per child.
    pub(super) fn adopt(&self, child: &'static Node) {
        let next = match deref(self.last_child.load(Relaxed)) {
            Some(last) => last.sibling.swap(child.as_ptr(), Relaxed),
            None => child.as_ptr(),
        };
        child.sibling.store(next, Relaxed);
        self.last_child.store(child.as_ptr(), Relaxed);
    }

    /// Whether `self` is `node` or lies below it on the same stack.
    pub(super) fn is_on_stack_of(&self, node: &'static Node) -> bool {
        let mut at = node;
        // A parent's index is smaller than its children's.
        while at.index > self.index {
            let Some(parent) = at.parent else {
                return false;
            };
            at = parent;
        }
        ptr::eq(at, self)
    }
}

/// Follows a link between nodes.
fn deref(link: *mut Node) -> Option<&'static Node> {
    #[allow(unsafe_code)]
    // SAFETY: invariant of the link fields: null, or a node, and nodes are never freed.
    unsafe {
        link.as_ref()
    }
}
