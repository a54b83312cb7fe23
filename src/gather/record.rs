//! One thread's recording: its context tree and where in it the thread is now.
//!
//! # Reading a thread that runs
//!
//! Of a zone that is open, part of the time is in `ticks` and the rest runs since `started`. A
//! reader needs both from the same moment, and the writer must not pay for it. The order of the
//! writer's stores is enough:
//!
//! ```text
//! writer                                      reader
//! 1  next.started = now           (release)   a  node    = current        (acquire)
//! 2  current      = next          (release)   b  started = node.started   (acquire)
//! 3  node.ticks  += now - started (release)   c  ticks   = node.ticks     (acquire)
//!                                             d  again if current or node.started changed
//! ```
//!
//! What b sees was stored after all that went before it was added to `ticks`, so c sees that.
//! If c sees the time that a later 3 added, then d sees `current` as 2 or later left it. Either that is
//! another node; or the thread came back to this node in the meantime, and then 1 of that return
//! is visible too and `started` differs. (It can be equal on a clock so coarse that no tick passed
//! from the first start to the last; then the time in question is zero.) So a reading that is
//! accepted has the node's closed time and the start of its open time from one moment. No store,
//! no fence and no sequence number was added for it; on x86-64 all of these are plain moves.

use super::GLOBAL;
use super::arena::Arena;
use super::fault::{Fault, FaultLog};
use super::node::Node;
use crate::Zone;
use crate::clock::Ticks;
use crate::sync::{AtomicPtr, AtomicU32, AtomicU64, Mutex, Ordering, lock};
use std::ptr;

/// Attempts at a consistent reading before a thread that is too busy is read without the open
/// time, which then is at most a few transitions' worth.
const READ_ATTEMPTS: u32 = if cfg!(loom) { 2 } else { 100 };

/// Ticks by which two cores' counters may disagree: 0.2 ms at 3 GHz, 22 ms at 24 MHz.
pub(crate) const DISAGREEMENT: Ticks = 1 << 19;

/// One thread's recording. Aligned so that no two threads write to the same pair of cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct ThreadRecord {
    /// The node at the top of the stack; null while no thread owns the record. Invariant: null or
    /// a node of `nodes`. Written by the owner.
    current: AtomicPtr<Node>,
    nodes: Arena,
    root: &'static Node,
    /// Times the record changed hands, that is: threads that began or ended. Odd while owned.
    tenancy: AtomicU32,
    /// While owned: when the owner would have begun had it been there for all the time that the
    /// record was ever owned. Written by `begin`, when the record is not owned; and by the owner
    /// when the counter is set back, together with the counter.
    began: AtomicU64,
    /// While not owned: how long it ever was. Written by `end`, when the record is owned.
    owned_for: AtomicU64,
    /// Ends of `begin!`s that were dropped and are still to come. Only the owner touches it.
    overflow: AtomicU64,
    faults: FaultLog,
    name: Mutex<String>,
}

/// Where a thread is, from one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Index of the current node.
    pub(crate) node: u32,
    /// That node's closed ticks.
    pub(crate) ticks: Ticks,
    /// Since when it is on top of the stack.
    pub(crate) started: Ticks,
}

impl ThreadRecord {
    /// A record that nobody owns, with nothing but the root.
    pub(super) fn new(name: String) -> &'static ThreadRecord {
        let nodes = Arena::new();
        #[allow(unsafe_code)]
        // SAFETY: the arena is this function's own.
        let root = unsafe { nodes.push(|index| Node::new(&GLOBAL, None, index, 0)) };
        Box::leak(Box::new(ThreadRecord {
            current: AtomicPtr::new(ptr::null_mut()),
            nodes,
            root: root.expect("an empty arena has room for the root"),
            tenancy: AtomicU32::new(0),
            began: AtomicU64::new(0),
            owned_for: AtomicU64::new(0),
            overflow: AtomicU64::new(0),
            faults: FaultLog::default(),
            name: Mutex::new(name),
        }))
    }

    // ---- the owner's side -------------------------------------------------------------------

    /// A thread takes the record over at `now`. It is the owner until [`end`](Self::end).
    pub(super) fn begin(&self, now: Ticks) {
        // Release: the order that `read` relies on.
        self.root.started.store(now, Ordering::Release);
        self.overflow.store(0, Ordering::Relaxed);
        let owned_for = self.owned_for.load(Ordering::Relaxed);
        self.began
            .store(now.wrapping_sub(owned_for), Ordering::Relaxed);
        // Release: pairs with the acquire in `owned_for`.
        self.tenancy.fetch_add(1, Ordering::Release);
        // Release: pairs with `read`, as in the file's comment.
        self.current.store(self.root.as_ptr(), Ordering::Release);
    }

    /// The owner ends at `now`, whatever zones are open.
    pub(super) fn end(&self, now: Ticks) {
        if let Some(node) = self.current() {
            let mut open = node;
            while let Some(parent) = open.parent {
                self.faults.add(Fault::LeftOpen, open.zone);
                open = parent;
            }
            let (started, now) = self.span(node.started.load(Ordering::Relaxed), now);
            // Release, twice: the order that `read` relies on.
            self.current.store(ptr::null_mut(), Ordering::Release);
            let ticks = node.ticks.load(Ordering::Relaxed);
            node.ticks
                .store(ticks.wrapping_add(now - started), Ordering::Release);
            let began = self.began.load(Ordering::Relaxed);
            self.owned_for
                .store(now.wrapping_sub(began), Ordering::Relaxed);
            // Release: pairs with the acquire in `owned_for`; and whoever takes the record over
            // next sees its counters complete.
            self.tenancy.fetch_add(1, Ordering::Release);
        }
    }

    /// The current node as the owner sees it, not dereferenced.
    #[inline(always)]
    pub(super) fn current_ptr(&self) -> *const Node {
        self.current.load(Ordering::Relaxed)
    }

    pub(super) fn current(&self) -> Option<&'static Node> {
        #[allow(unsafe_code)]
        // SAFETY: invariant of `current`; nodes are never freed. Acquire: a reader on another
        // thread sees the node as it was when it became current.
        unsafe {
            self.current.load(Ordering::Acquire).as_ref()
        }
    }

    /// Goes from `parent`, which is current, to its child `node`.
    #[inline(always)]
    pub(super) fn enter(&self, parent: &Node, node: &Node, now: Ticks) {
        let (started, now) = self.span(parent.started.load(Ordering::Relaxed), now);
        // Release, three times: the order that `read` relies on.
        node.started.store(now, Ordering::Release);
        count(node);
        self.current.store(node.as_ptr(), Ordering::Release);
        let ticks = parent.ticks.load(Ordering::Relaxed);
        parent
            .ticks
            .store(ticks.wrapping_add(now - started), Ordering::Release);
    }

    /// Goes from `node`, which is current, to its parent.
    #[inline(always)]
    pub(super) fn leave(&self, node: &Node, parent: &Node, now: Ticks) {
        let (started, now) = self.span(node.started.load(Ordering::Relaxed), now);
        // Release, three times: the order that `read` relies on.
        parent.started.store(now, Ordering::Release);
        self.current.store(parent.as_ptr(), Ordering::Release);
        let ticks = node.ticks.load(Ordering::Relaxed);
        node.ticks
            .store(ticks.wrapping_add(now - started), Ordering::Release);
    }

    /// From when to when the current node was on top: a thread's clock does not go back, whatever
    /// the machine's does.
    #[inline(always)]
    fn span(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        if now >= started {
            (started, now)
        } else {
            self.span_over_a_step_back(started, now)
        }
    }

    /// A little back is two cores that disagree: time stands still until it has caught up. Farther
    /// back, the counter was set anew, as when a virtual machine is moved: time goes on from there,
    /// and what passed meanwhile is not known.
    #[cold]
    fn span_over_a_step_back(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        let back = started - now;
        if back <= DISAGREEMENT {
            return (started, started);
        }
        let began = self.began.load(Ordering::Relaxed);
        self.began
            .store(began.wrapping_sub(back), Ordering::Release);
        (now, now)
    }

    /// The node for `zone` on top of `parent`: found among its children, or made. `None` when the
    /// thread has as many nodes as it may; that is counted.
    ///
    /// Only the owner may call this.
    pub(super) fn node_for(
        &self,
        parent: &'static Node,
        zone: &'static Zone,
    ) -> Option<&'static Node> {
        if let Some(node) = parent.child(zone) {
            return Some(node);
        }
        #[allow(unsafe_code)]
        // SAFETY: the caller is the owner, and a record has one owner at a time (`registry`).
        let made = unsafe {
            self.nodes
                .push(|index| Node::new(zone, Some(parent), index, 0))
        };
        match made {
            Some(node) => parent.adopt(node),
            None => self.faults.add(Fault::Dropped, zone),
        }
        made
    }

    /// Closes `node` although it is not current: with all that is open above it if it is on the
    /// stack, not at all if it is not. Returns whether it was.
    pub(super) fn close_out_of_order(&self, node: &'static Node, now: Ticks) -> bool {
        let Some(top) = self.current() else {
            return false;
        };
        let Some(parent) = node.parent else {
            return false;
        };
        if !node.is_on_stack_of(top) {
            self.faults.add(Fault::EndWithoutBegin, node.zone);
            return false;
        }
        let mut open = top;
        while !ptr::eq(open, node) {
            self.faults.add(Fault::LeftOpen, open.zone);
            let Some(below) = open.parent else { break };
            open = below;
        }
        self.leave(top, parent, now);
        true
    }

    pub(super) fn fault(&self, fault: Fault, zone: &'static Zone) {
        self.faults.add(fault, zone);
    }

    /// Ends that are to be ignored, since their begins were dropped.
    pub(super) fn overflow(&self) -> &AtomicU64 {
        &self.overflow
    }

    // ---- the readers' side ------------------------------------------------------------------

    /// Where the thread is; `None` if there is none, or if it moves too fast to tell.
    pub(crate) fn read(&self) -> Option<Reading> {
        for _ in 0..READ_ATTEMPTS {
            let node = self.current()?;
            // Acquire, three times: steps a, b and c.
            let started = node.started.load(Ordering::Acquire);
            let ticks = node.ticks.load(Ordering::Acquire);
            if ptr::eq(self.current.load(Ordering::Acquire), node)
                && node.started.load(Ordering::Relaxed) == started
            {
                return Some(Reading {
                    node: node.index,
                    ticks,
                    started,
                });
            }
            crate::sync::pause();
        }
        None
    }

    /// How many nodes there are to read. They keep their indices; a parent's is smaller than its
    /// children's, and the root's is 0.
    pub(crate) fn node_count(&self) -> u32 {
        self.nodes.len()
    }

    /// A node by its index.
    pub(crate) fn node(&self, index: u32) -> Option<&'static Node> {
        self.nodes.get(index)
    }

    /// For how long, up to `now`, threads owned the record: the sum of its nodes' self times, open
    /// time included, by the telescope of what `enter` and `leave` add.
    pub(crate) fn owned_for(&self, now: Ticks) -> Ticks {
        loop {
            // Acquire, twice: pairs with the releases in `begin` and `end`. Of the two values the
            // one that is read here is written only while the other one is valid, so it is of
            // this tenancy if the tenancy is still the same.
            let tenancy = self.tenancy.load(Ordering::Acquire);
            let owned_for = if tenancy % 2 == 1 {
                let owned_for = now.wrapping_sub(self.began.load(Ordering::Acquire));
                // Negative: `now` was read before the owner began, or after the counter was set
                // back and before the owner noticed.
                (owned_for as i64).max(0) as Ticks
            } else {
                self.owned_for.load(Ordering::Acquire)
            };
            if self.tenancy.load(Ordering::Acquire) == tenancy {
                return owned_for;
            }
            crate::sync::pause();
        }
    }

    /// Whether a thread owns the record.
    pub(crate) fn is_owned(&self) -> bool {
        self.tenancy.load(Ordering::Acquire) % 2 == 1
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        *lock(&self.name) == name
    }

    pub(crate) fn name(&self) -> String {
        lock(&self.name).clone()
    }

    pub(crate) fn set_name(&self, name: String) {
        *lock(&self.name) = name;
    }

    /// How often a fault happened, and the zone of the last time.
    pub(crate) fn faults(&self, fault: Fault) -> (u64, Option<&'static Zone>) {
        self.faults.read(fault)
    }
}

impl Node {
    /// Closed self ticks and entries so far.
    pub(crate) fn totals(&self) -> (Ticks, u64) {
        (
            self.ticks.load(Ordering::Relaxed),
            self.entries.load(Ordering::Relaxed),
        )
    }
}

/// Counts an entry.
#[inline(always)]
pub(super) fn count(node: &Node) {
    // Load and store, not an atomic add: there is one writer.
    node.entries.store(
        node.entries.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Relaxed,
    );
}
