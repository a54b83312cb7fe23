//! The record of one thread, of successive threads with the same name, or of the GPU: its context tree, and the
//! transitions that enter and leave nodes. Other threads read the record concurrently and rely on the order of the
//! transitions' stores, as [`reading`] explains.
//!
//! # Which clock runs
//!
//! Not every node is timed. A node with short calls may only count its entries, and with the cutoff
//! [`SAMPLED`](super::mode::cutoff) only the root is timed. At any moment exactly one clock of a thread runs: the clock
//! of the *timed ancestor*, the innermost timed node on the stack. Entering or leaving an untimed node changes only
//! `current`, so the timed ancestor also measures the time of the untimed nodes on top of it. `iprof-process` estimates
//! how that time divides among them.
//!
//! On a transition between a timed and an untimed node, the timed ancestor has to be found, no matter how many untimed
//! nodes are in between. So an untimed node caches its timed ancestor in the field where a timed node stores the start
//! of its clock. The clock version, which is the number of clock changes so far, is stored along with the timed
//! ancestor, so the next clock change invalidates the cached value. Searches pass each untimed node only once per clock
//! change.
//!
//! # Signal handlers
//!
//! A handler may enter zones wherever it interrupts the thread, as long as it leaves them again. If it interrupts a
//! transition between two stores, it finds `current` either as it was before the transition or as it will be
//! afterwards. It enters its zones on top of that node, and restores `current`. Counts are correct if only the handler
//! enters its outermost zone, so that its nodes are distinct from the transition's nodes.
//!
//! The handler stops and restarts the clock of the node that it found. A transition that was about to stop the same
//! clock notices that the clock's start has changed. It checks the start after moving `current`, when handlers no
//! longer touch that clock (`settle_interrupted`). A handler's first zone may also change which nodes are timed, so a
//! transition tests their flags only after reading the clock, which is the slow part.
//!
//! Creating nodes and changing clocks is not reentrant (`registry::without_reentry`). If a handler interrupts such an
//! operation and its zone also needs one, the zone is counted as a fault instead of being recorded. During the crate's
//! own allocations, the zone is not even counted, because it may be a zone in the host's allocator.

mod reading;

pub use reading::Reading;

use super::GLOBAL;
use super::arena::{Arena, PushError};
use super::fallible;
use super::fault::{Fault, FaultLog};
use super::mode;
use super::node::{Node, class};
use crate::Zone;
use crate::clock::{self, Ticks};
use crate::sync::{
    AtomicPtr, AtomicU8, AtomicU32, AtomicU64, CachePadded, Mutex, Ordering, const_unless_loom,
    lock,
};
use std::mem::offset_of;
use std::ptr::{self, NonNull};

/// The maximum number of ticks by which two cores' counters may differ: 0.2 ms at 3 GHz, 22 ms at 24 MHz.
pub const MAX_CLOCK_SKEW: Ticks = 1 << 19;

/// A thread's record. Data that the owner writes and data that other threads write are on separate cache lines, and no
/// two records share a line.
#[derive(Debug)]
#[repr(C)] // As is `Owned`; see `local::for_c`.
pub struct ThreadRecord {
    owned: CachePadded<Owned>,
    shared: CachePadded<Shared>,
}

/// The fields that the owner writes.
#[derive(Debug)]
#[repr(C)]
struct Owned {
    /// The node at the top of the stack, or null while no thread owns the record. Invariant: null or a node in `nodes`.
    current: AtomicPtr<Node>,
    /// Low 32 bits: the index of the timed ancestor, which is always in `nodes`. High 32 bits: the number of clock
    /// transitions.
    running: AtomicU64,
    /// The cutoff: nodes with a smaller class are timed, and so is the root.
    cutoff: AtomicU8,
    /// A sequence lock. Each change that makes nodes timed or untimed, or that closes several zones at once, adds two.
    /// The value is odd during a change.
    sequence: AtomicU32,
    /// How many times nodes became timed or untimed.
    clock_changes: AtomicU32,
    /// The owner generation: the number of times that threads took or returned the record. The value is odd while a
    /// thread owns the record.
    generation: AtomicU32,
    /// While owned: the time at which the current owner would have begun if it alone had owned the record for its total
    /// owned time. Written by `begin`, while the record is not owned, and by the owner, along with `counter_resets`,
    /// when it finds that the counter was reset.
    began: AtomicU64,
    /// While not owned: how long threads have owned the record in total. Written by `end`, while the record is still
    /// owned.
    owned_for: AtomicU64,
    /// The number of times an owner found that the counter was reset.
    counter_resets: AtomicU32,
    root: &'static Node,
    nodes: Arena,
}

/// The fields that any thread may write, outside the hot path.
#[derive(Debug)]
struct Shared {
    kind: Kind,
    faults: FaultLog,
    name: Mutex<String>,
    /// The pending reclassifications: node indices with their new classes.
    pending: Mutex<Vec<(u32, u8)>>,
}

/// The kind of a record. It is fixed at creation, so that every thread that finds the record knows its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A record for threads with the same name, one after another.
    Threads,
    /// The GPU's record, which no thread owns.
    Gpu,
    /// The kind of [`ThreadRecord::PLACEHOLDER`].
    Placeholder,
}

impl ThreadRecord {
    /// The offset of `current`.
    pub(super) const CURRENT: usize = offset_of!(ThreadRecord, owned)
        + offset_of!(CachePadded<Owned>, 0)
        + offset_of!(Owned, current);

    /// Stands in for the record of a thread that has none, before the thread's first zone or after its end. No node is
    /// ever current in it, so no zone can be closed in it.
    #[cfg(not(loom))]
    pub(super) const PLACEHOLDER: NonNull<ThreadRecord> = {
        static ROOT: Node = Node::new(&GLOBAL, None, 0, true);
        static RECORD: ThreadRecord =
            ThreadRecord::of(Kind::Placeholder, String::new(), &ROOT, Arena::new());
        NonNull::new((&raw const RECORD).cast_mut()).unwrap()
    };
    /// The placeholder is not used in loom models.
    #[cfg(loom)]
    pub(super) const PLACEHOLDER: NonNull<ThreadRecord> = NonNull::dangling();

    /// Creates a record without an owner that contains only the root. Returns `None` if there is no memory.
    pub(super) fn new(name: String) -> Option<&'static ThreadRecord> {
        Self::of_kind(Kind::Threads, name)
    }

    pub(super) fn of_gpu() -> Option<&'static ThreadRecord> {
        Self::of_kind(Kind::Gpu, fallible::try_string("GPU")?)
    }

    fn of_kind(kind: Kind, name: String) -> Option<&'static ThreadRecord> {
        let nodes = Arena::new();
        #[allow(unsafe_code)]
        // SAFETY: the arena is local to this function.
        let root = unsafe { nodes.push(|index| Node::new(&GLOBAL, None, index, true)) };
        let record = ThreadRecord::of(kind, name, root.ok()?, nodes);
        fallible::try_leak(record)
    }

    const_unless_loom! {
        fn of(kind: Kind, name: String, root: &'static Node, nodes: Arena) -> ThreadRecord {
            ThreadRecord {
                owned: CachePadded(Owned {
                    current: AtomicPtr::new(ptr::null_mut()),
                    running: AtomicU64::new(0),
                    cutoff: AtomicU8::new(mode::cutoff::EXACT),
                    sequence: AtomicU32::new(0),
                    clock_changes: AtomicU32::new(0),
                    generation: AtomicU32::new(0),
                    began: AtomicU64::new(0),
                    owned_for: AtomicU64::new(0),
                    counter_resets: AtomicU32::new(0),
                    root,
                    nodes,
                }),
                shared: CachePadded(Shared {
                    kind,
                    faults: FaultLog::new(),
                    name: Mutex::new(name),
                    pending: Mutex::new(Vec::new()),
                }),
            }
        }
    }

    // ---- the owner's side -------------------------------------------------------------------

    /// Makes the calling thread the owner of the record from `now` until [`end`](Self::end).
    pub(super) fn begin(&self, now: Ticks) {
        let owned = &self.owned;
        // Release: `read` relies on the order.
        owned.root.started.store(now, Ordering::Release);
        // Discard the pending ends that the last owner left behind.
        owned.root.clear_pending_ends();
        let owned_for = owned.owned_for.load(Ordering::Relaxed);
        owned
            .began
            .store(now.wrapping_sub(owned_for), Ordering::Release);
        self.set_running(owned.root);
        // Release, twice: pairs with the acquires in `ownership`.
        owned.generation.fetch_add(1, Ordering::Release);
        // Release: pairs with `read`, as `reading` explains.
        owned.current.store(owned.root.as_ptr(), Ordering::Release);
    }

    /// Returns the record to the registry at `now`, no matter which zones are open.
    pub(super) fn end(&self, now: Ticks) {
        let owned = &self.owned;
        if let Some(node) = self.current() {
            let mut open = node;
            while let Some(parent) = open.parent {
                self.fault(Fault::ClosedImplicitly, open.zone);
                open.clear_pending_ends();
                open = parent;
            }
            let timed_ancestor = self.timed_ancestor_of(node);
            let (started, now) = self.span(timed_ancestor.started.load(Ordering::Relaxed), now);
            // Release, twice: `read` relies on the order.
            owned.current.store(ptr::null_mut(), Ordering::Release);
            timed_ancestor.stop(started, now);
            let began = owned.began.load(Ordering::Relaxed);
            owned
                .owned_for
                .store(now.wrapping_sub(began), Ordering::Release);
            // Release, twice: pairs with the acquires in `ownership`, and the record's next owner sees complete
            // counters.
            owned.generation.fetch_add(1, Ordering::Release);
        }
    }

    /// Returns the current node, for the owner.
    #[inline(always)]
    pub(super) fn current_ptr(&self) -> *const Node {
        self.owned.current.load(Ordering::Relaxed)
    }

    /// Returns the current node with a single load, or `None` if no thread owns the record.
    #[inline]
    pub fn current(&self) -> Option<&'static Node> {
        #[allow(unsafe_code)]
        // SAFETY: by the invariant of `current`, and because nodes are never freed. Acquire: another thread sees the
        // node as it was when it became current.
        unsafe {
            self.owned.current.load(Ordering::Acquire).as_ref()
        }
    }

    pub(super) fn and_current(&'static self) -> Option<(&'static ThreadRecord, &'static Node)> {
        Some((self, self.current()?))
    }

    /// Makes the clock of `timed_ancestor` the running one.
    #[inline(always)]
    fn set_running(&self, timed_ancestor: &Node) {
        let running = self.owned.running.load(Ordering::Relaxed);
        let transitions = (running >> 32).wrapping_add(1);
        // Release: `read` relies on the order.
        self.owned.running.store(
            transitions << 32 | u64::from(timed_ancestor.index),
            Ordering::Release,
        );
    }

    /// Returns the node whose clock runs while `node` is current.
    #[inline(always)]
    fn timed_ancestor_of<'a>(&'a self, node: &'a Node) -> &'a Node {
        if node.is_timed() {
            node
        } else {
            self.remembered_timed_ancestor(node)
        }
    }

    #[inline(never)]
    fn remembered_timed_ancestor(&self, node: &Node) -> &Node {
        let remembered = node.started.load(Ordering::Relaxed);
        if remembered >> 32 == self.clock_version()
            && let Some(timed_ancestor) = self.node(remembered as u32)
        {
            return timed_ancestor;
        }
        let timed_ancestor = self.search_timed_ancestor(node);
        let remembered = self.clock_version() << 32 | u64::from(timed_ancestor.index);
        // Release: a reader that mistakes this value for a clock's start also sees that the node lost its clock.
        node.started.store(remembered, Ordering::Release);
        timed_ancestor
    }

    /// Searches the stack below `node` for the timed ancestor.
    fn search_timed_ancestor(&self, node: &Node) -> &'static Node {
        let mut below = node.parent;
        while let Some(node) = below {
            if node.is_timed() {
                return node;
            }
            let remembered = node.started.load(Ordering::Relaxed);
            if remembered >> 32 == self.clock_version()
                && let Some(timed_ancestor) = self.node(remembered as u32)
            {
                return timed_ancestor;
            }
            below = node.parent;
        }
        self.owned.root
    }

    /// Returns a number that identifies the current set of timed nodes. The number changes whenever nodes become timed
    /// or untimed, and new nodes never contain it.
    #[inline(always)]
    fn clock_version(&self) -> u64 {
        u64::from(self.owned.clock_changes.load(Ordering::Relaxed) | 1 << 31)
    }

    /// Moves from the current node to its timed child `node`.
    #[inline(always)]
    pub(super) fn enter(&self, node: &Node, now: Ticks) {
        let Some(parent) = node.parent else {
            return; // Never happens: no thread enters the root.
        };
        self.enter_above(self.timed_ancestor_of(parent), node, now);
    }

    /// Like [`enter`](Self::enter), but with the parent's timed ancestor as an argument.
    #[inline(always)]
    pub(super) fn enter_above(&self, timed_ancestor: &Node, node: &Node, now: Ticks) {
        let runs_since = timed_ancestor.started.load(Ordering::Relaxed);
        let (started, now) = self.span(runs_since, now);
        // Release, four times: `read` relies on the order.
        node.started.store(now, Ordering::Release);
        self.set_running(node);
        self.owned.current.store(node.as_ptr(), Ordering::Release);
        count(node);
        if timed_ancestor.started.load(Ordering::Relaxed) == runs_since {
            timed_ancestor.stop(started, now);
        } else {
            self.settle_interrupted(timed_ancestor, node, now);
        }
    }

    /// Completes a transition that a signal handler interrupted. After `now` was read, and before the clock went from
    /// `old` to `new`, the handler entered and left zones on the clock of `old`. So the time of `old` is complete, and
    /// the time of `new` begins where the handler ended.
    #[cold]
    #[inline(never)]
    fn settle_interrupted(&self, old: &Node, new: &Node, now: Ticks) {
        let handled = old.started.load(Ordering::Relaxed);
        if clock::passed(now, handled) > 0 {
            // The exchange fails if another handler has run in the meantime.
            let _ =
                new.started
                    .compare_exchange(now, handled, Ordering::Release, Ordering::Relaxed);
        }
        self.set_running(new);
    }

    /// Moves from the current node to its untimed child `node`.
    #[inline(always)]
    pub(super) fn enter_untimed(&self, node: &Node) {
        self.owned.current.store(node.as_ptr(), Ordering::Release);
        count(node);
    }

    /// Moves from the current node `node`, which is timed, to its parent.
    #[inline(always)]
    pub(super) fn leave(&self, node: &Node, parent: &Node, now: Ticks) {
        self.leave_to(self.timed_ancestor_of(parent), node, parent, now);
    }

    /// Like [`leave`](Self::leave), but with the parent's timed ancestor as an argument.
    #[inline(always)]
    pub(super) fn leave_to(&self, timed_ancestor: &Node, node: &Node, parent: &Node, now: Ticks) {
        let runs_since = node.started.load(Ordering::Relaxed);
        let (started, now) = self.span(runs_since, now);
        // Release, four times: `read` relies on the order.
        timed_ancestor.started.store(now, Ordering::Release);
        self.set_running(timed_ancestor);
        self.owned.current.store(parent.as_ptr(), Ordering::Release);
        if node.started.load(Ordering::Relaxed) == runs_since {
            node.stop(started, now);
        } else {
            self.settle_interrupted(node, timed_ancestor, now);
        }
    }

    /// Moves from the current, untimed node to its parent.
    #[inline(always)]
    pub(super) fn leave_untimed(&self, parent: &Node) {
        self.owned.current.store(parent.as_ptr(), Ordering::Release);
    }

    /// Moves from the current node `top` to `to`, which is below it on the stack.
    fn leave_several(&self, top: &Node, to: &Node, now: impl FnOnce() -> Ticks) {
        let (from, timed_ancestor) = (self.timed_ancestor_of(top), self.timed_ancestor_of(to));
        if ptr::eq(from, timed_ancestor) {
            self.leave_untimed(to);
            return;
        }
        let (started, now) = self.span(from.started.load(Ordering::Relaxed), now());
        // Readers must not accept a reading from between steps 3 and 4: `update` would look for the time that step 4
        // adds among the children of `to`, but `from` may be farther up the stack.
        let sequence = self.begin_change();
        // Release, four times: `read` relies on the order.
        timed_ancestor.started.store(now, Ordering::Release);
        self.set_running(timed_ancestor);
        self.owned.current.store(to.as_ptr(), Ordering::Release);
        from.stop(started, now);
        self.end_change(sequence);
    }

    /// Applies a new cutoff and the pending reclassifications. Open zones stay open, but a different node's clock may
    /// become the running one. Returns `false` without doing anything if another thread is writing reclassifications.
    /// In that case, the next zone tries again.
    pub(super) fn try_apply_mode(&self, cutoff: u8, now: impl FnOnce() -> Ticks) -> bool {
        let Ok(mut pending) = self.shared.pending.try_lock() else {
            return false;
        };
        self.change_clocks(cutoff, &pending, now);
        pending.clear();
        true
    }

    /// The part of [`try_apply_mode`](Self::try_apply_mode) that readers can see.
    pub(super) fn change_clocks(
        &self,
        cutoff: u8,
        pending: &[(u32, u8)],
        now: impl FnOnce() -> Ticks,
    ) {
        let owned = &self.owned;
        let changes = cutoff != owned.cutoff.load(Ordering::Relaxed) || !pending.is_empty();
        let Some(current) = self.current().filter(|_| changes) else {
            return;
        };
        let old = self.timed_ancestor_of(current);
        let sequence = self.begin_change();
        let count = owned.clock_changes.load(Ordering::Relaxed);
        owned
            .clock_changes
            .store(count.wrapping_add(1), Ordering::Release);
        let (started, now) = self.span(old.started.load(Ordering::Relaxed), now());
        old.stop(started, now);
        for (index, class) in pending {
            if let Some(node) = self.node(*index) {
                node.class.store(*class, Ordering::Release);
                node.apply_cutoff(cutoff);
            }
        }
        if cutoff != owned.cutoff.load(Ordering::Relaxed) {
            owned.cutoff.store(cutoff, Ordering::Release);
            let nodes = (0..self.node_count()).filter_map(|index| self.node(index));
            nodes.for_each(|node| node.apply_cutoff(cutoff));
        }
        let timed_ancestor = self.timed_ancestor_of(current);
        timed_ancestor.started.store(now, Ordering::Release);
        self.set_running(timed_ancestor);
        self.end_change(sequence);
    }

    /// Makes readers retry until [`end_change`](Self::end_change). All stores in between are releases, so a reader that
    /// sees any of them also sees the odd number.
    fn begin_change(&self) -> u32 {
        let sequence = self.owned.sequence.load(Ordering::Relaxed);
        self.owned
            .sequence
            .store(sequence.wrapping_add(1), Ordering::Relaxed);
        sequence
    }

    /// Lets readers succeed again, after [`begin_change`](Self::begin_change) returned `sequence`.
    fn end_change(&self, sequence: u32) {
        // Release: a reader that sees this number sees all stores before it.
        self.owned
            .sequence
            .store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// Returns the start and end of a clock's run. A thread's time never runs backward, even if the counter does.
    #[inline(always)]
    fn span(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        if clock::was_reset(started, now) {
            self.span_over_reset(started, now)
        } else {
            (started, now)
        }
    }

    /// If the counter went back only a little, two cores disagree, and time stands still until it has caught up. If it
    /// went back farther, or ahead by years, it was reset, for example because a virtual machine was migrated. Time
    /// then continues from the new value, and the time in between is unknown.
    #[cold]
    fn span_over_reset(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        // The difference is modulo 2^64, so a jump ahead by years looks like a large step back.
        let back = started.wrapping_sub(now);
        if back <= MAX_CLOCK_SKEW {
            return (started, started);
        }
        let began = self.owned.began.load(Ordering::Relaxed);
        self.owned
            .began
            .store(began.wrapping_sub(back), Ordering::Release);
        let steps = self.owned.counter_resets.load(Ordering::Relaxed);
        // Release: a reader that sees the new count also sees the new `began`.
        self.owned
            .counter_resets
            .store(steps.wrapping_add(1), Ordering::Release);
        (now, now)
    }

    /// Returns the node for `zone` on top of `parent`, and creates it if necessary. Returns `None` and counts a fault
    /// if the thread has the maximum number of nodes, or if there is no memory. Only the owner may call this.
    pub(super) fn node_for(
        &self,
        parent: &'static Node,
        zone: &'static Zone,
    ) -> Option<&'static Node> {
        let interned = || fallible::while_allocating(|| zone.interned());
        let Some(zone) = zone.already_interned().or_else(interned) else {
            self.shared.faults.count(Fault::NoMemory);
            return None;
        };
        if let Some(node) = parent.child(zone) {
            return Some(node);
        }
        let timed = class::TIMED_BY_AUTO < self.cutoff();
        #[allow(unsafe_code)]
        // SAFETY: the caller is the owner, and a record has only one owner at a time (`registry`).
        let made = unsafe {
            self.owned
                .nodes
                .push(|index| Node::new(zone, Some(parent), index, timed))
        };
        match made {
            Ok(node) => parent.adopt(node),
            Err(PushError::Full) => self.fault(Fault::StackLimit, zone),
            Err(PushError::NoMemory) => self.fault(Fault::NoMemory, zone),
        }
        made.ok()
    }

    /// Closes `node` and all nodes on top of it, if it is on the stack.
    pub(super) fn close(&self, node: &'static Node, now: impl FnOnce() -> Ticks) {
        let (Some(top), Some(parent)) = (self.current(), node.parent) else {
            return;
        };
        if !node.is_on_stack_of(top) {
            self.fault(Fault::EndWithoutBegin, node.zone);
            return;
        }
        let mut open = top;
        while !ptr::eq(open, node) {
            self.fault(Fault::ClosedImplicitly, open.zone);
            open.clear_pending_ends();
            let Some(below) = open.parent else { break };
            open = below;
        }
        node.clear_pending_ends();
        self.leave_several(top, parent, now);
    }

    /// Counts an unrecorded zone that a signal handler entered while the owner ran code that is not reentrant. Signal
    /// handlers may call this.
    pub(super) fn count_interrupt(&self) {
        self.shared.faults.count(Fault::Interrupted);
    }

    /// Counts a fault, and remembers the zone if there is memory.
    pub(super) fn fault(&self, fault: Fault, zone: &'static Zone) {
        match zone.interned() {
            Some(zone) => self.shared.faults.add(fault, zone),
            None => self.shared.faults.count(fault),
        }
    }

    /// Marks `node` as a counter, which is never entered.
    pub(super) fn make_counter(&self, node: &Node) {
        node.class.store(class::COUNTER, Ordering::Release);
        node.set_timed(false);
    }

    // ---- any thread's side ------------------------------------------------------------------

    /// Requests new classes for nodes, which the owner applies with the next [mode epoch](mode).
    pub fn reclassify(&self, pending: &[(u32, u8)]) {
        lock(&self.shared.pending).extend_from_slice(pending);
    }

    /// Returns whether reclassifications are pending. The owner applies them when it next enters a zone, which may take
    /// a long time.
    pub fn has_pending(&self) -> bool {
        !lock(&self.shared.pending).is_empty()
    }

    /// Returns whether a new thread may take the record over.
    pub(super) fn is_free(&self) -> bool {
        !self.is_gpus() && !self.is_owned()
    }

    /// Returns the cutoff: nodes with a smaller class are timed.
    #[inline(always)]
    pub fn cutoff(&self) -> u8 {
        self.owned.cutoff.load(Ordering::Relaxed)
    }

    pub(super) fn is_gpus(&self) -> bool {
        self.shared.kind == Kind::Gpu
    }

    /// Returns whether the record has this name.
    pub fn is_named(&self, name: &str) -> bool {
        self.has_name(|own| own == name)
    }

    /// Returns whether `is_right` accepts the record's name.
    pub fn has_name(&self, is_right: impl FnOnce(&str) -> bool) -> bool {
        is_right(&lock(&self.shared.name))
    }

    /// Returns the name of the record's thread.
    pub fn name(&self) -> String {
        lock(&self.shared.name).clone()
    }

    /// Renames the record.
    pub fn set_name(&self, name: String) {
        *lock(&self.shared.name) = name;
    }
}

impl Node {
    /// Stops the node's clock.
    #[inline(always)]
    fn stop(&self, started: Ticks, now: Ticks) {
        let ticks = self.ticks.load(Ordering::Relaxed);
        // Release: `ThreadRecord::read` relies on the order.
        self.ticks.store(
            ticks.wrapping_add(now.wrapping_sub(started)),
            Ordering::Release,
        );
    }

    /// Makes the node timed or untimed, depending on its class and the cutoff.
    fn apply_cutoff(&self, cutoff: u8) {
        let timed = self.parent.is_none() || self.class() < cutoff;
        if !timed {
            // Release: a reader that mistakes the 0 for the start of a clock also sees the odd `sequence`.
            self.started.store(0, Ordering::Release);
        }
        self.set_timed(timed);
    }

    /// Returns the node's [`class`].
    #[inline]
    pub fn class(&self) -> u8 {
        self.class.load(Ordering::Relaxed)
    }
}

/// Counts an entry. A zone's entry is counted after its node became current. So whenever a reader looks, a counted
/// entry is either still open on the stack or new to that reader.
#[inline(always)]
pub(super) fn count(node: &Node) {
    add(node, 1);
}

/// Counts `entries` entries, or adds to a named value, modulo 2^64.
#[inline(always)]
pub(super) fn add(node: &Node, entries: u64) {
    // A load and a store instead of an atomic add, because there is only one writer. Release: a reader that sees the
    // entry also sees that the node became current, so no later reading shows the thread before that entry.
    node.entries.store(
        node.entries.load(Ordering::Relaxed).wrapping_add(entries),
        Ordering::Release,
    );
}
