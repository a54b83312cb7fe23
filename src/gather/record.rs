//! One thread's recording: its context tree and where in it the thread is now.
//!
//! # Whose clock runs
//!
//! Not every node has a clock: a short one may be told to count its entries only, and with
//! [`cutoff::SAMPLED`](super::switch::cutoff) none is left. At each moment exactly one clock of a
//! thread runs: that of the *account*, the innermost node on the stack that has one; the root
//! always does. So entering and leaving a node without a clock moves nothing but `current`, and the
//! account measures exactly what it and the nodes without a clock above it took together. What came
//! of that to each is for `process` to find out.
//!
//! When a timed node is entered from an untimed one, or left for one, the account has to be found,
//! and however many untimed nodes lie below, that may not take longer. So an untimed node remembers
//! its account, in the field in which a timed one has the start of its clock, together with the
//! number of changes of clocks up to then: after another change nobody believes it. A search ends
//! where a node remembers. So after a change each untimed node is passed once.
//!
//! # Signal handlers
//!
//! A handler may enter zones wherever it interrupts the thread, if it leaves them again. Between two
//! stores of a transition it finds `current` as it was or as it will be, enters its zones on top of
//! that, and leaves `current` as it found it. Nodes that it enters are not the interrupted ones, as
//! long as its first zone is one that only the handler enters, so counts are right. Clocks of the
//! node that it found are stopped and started by it. A transition that was going to stop the same
//! clock sees that by its start, after it has moved `current`, when no handler touches that clock any
//! more (`was_interrupted`). What makes nodes or changes clocks is done by one at a time
//! (`registry::once_at_a_time`): a handler's zone that would have to do so meanwhile is not
//! recorded, but counted as a fault, unless memory is being asked for: then it may be the allocator's own.
//!
//! # Reading a thread that runs
//!
//! Of an account, part of the time is in `ticks` and the rest runs since `started`. A
//! reader needs both from the same moment, and the writer must not pay for it. The order of the
//! writer's stores is enough; `running` names the account, with a number that every transition
//! changes:
//!
//! ```text
//! writer: the clock goes from `old` to `next` reader
//! 1  next.started = now           (release)   a  account = that of running (acquire)
//! 2  running      = next, changed (release)   b  started = account.started (acquire)
//! 3  current      = ...           (release)   c  ticks   = account.ticks   (acquire)
//! 4  old.ticks   += now - started (release)   d  node    = current         (acquire)
//!                                             e  again if running is another
//! ```
//!
//! What b sees was stored after all that went before it was added to `ticks`, so c sees that. If c
//! sees the time that a later 4 added, then e sees `running` as the 2 before it or later left it,
//! and it never is the same again. So a reading that is accepted has the account's closed time and
//! the start of its open time from one moment. No fence was added for it; on x86-64 all of these
//! are plain moves.
//!
//! The node is of that moment too. If d sees a 3 of a later transition, e sees the 2 before it. If d
//! sees less than the 3 that belongs to a, it sees what was current up to then: a timed node, which
//! is not the account; or, where the account was entered from an untimed node, that one, whose index
//! is smaller than the account's. Every other node that can be current on that clock is the account
//! or an untimed node with a larger index. So the two kinds are told apart.
//!
//! That takes for granted that the same node has the same account all the time. When a thread
//! follows a change of what is timed, that changes; it happens seldom, so there a sequence number
//! is cheap: `epoch` is odd meanwhile, and a reader that saw it odd or changed reads again. So it
//! is while several zones are closed at once.

use super::GLOBAL;
use super::arena::{Arena, Refused};
use super::fault::{Fault, FaultLog};
use super::node::{Node, class};
use super::reserved;
use super::switch;
use crate::Zone;
use crate::clock::{self, Ticks};
use crate::sync::{
    Apart, AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Mutex, Ordering,
    const_unless_modelled, lock,
};
use std::ptr;

/// Attempts at a consistent reading before a thread that is too busy is read without the open
/// time, which then is at most a few transitions' worth.
const READ_ATTEMPTS: u32 = if cfg!(loom) { 2 } else { 100 };

/// Ticks by which two cores' counters may disagree: 0.2 ms at 3 GHz, 22 ms at 24 MHz.
pub(crate) const DISAGREEMENT: Ticks = 1 << 19;

/// One thread's recording. What the owner writes and what others write lies apart, and apart from
/// what other threads write.
#[derive(Debug)]
pub(crate) struct ThreadRecord {
    owned: Apart<Owned>,
    shared: Apart<Shared>,
}

/// Written by the owner.
#[derive(Debug)]
struct Owned {
    /// The node at the top of the stack; null while no thread owns the record. Invariant: null or
    /// a node of `nodes`.
    current: AtomicPtr<Node>,
    /// The index of the account, and above it the number of transitions from clock to clock.
    /// Invariant: the index is that of a node of `nodes`.
    running: AtomicU64,
    /// Nodes with a smaller class have clocks, and the root in any case.
    cutoff: AtomicU8,
    /// Times that nodes got or lost clocks or that several zones were closed at once, doubled; odd
    /// meanwhile.
    epoch: AtomicU32,
    /// Times that nodes got or lost clocks.
    changes: AtomicU32,
    /// Times the record changed hands, that is: threads that began or ended. Odd while owned.
    tenancy: AtomicU32,
    /// While owned: when the owner would have begun had it been there for all the time that the
    /// record was ever owned. Written by `begin`, when the record is not owned; and by the owner
    /// when the counter is set back, together with the counter.
    began: AtomicU64,
    /// While not owned: how long it ever was. Written by `end`, when the record is owned.
    owned_for: AtomicU64,
    /// Times that an owner found the counter set anew.
    steps: AtomicU32,
    root: &'static Node,
    nodes: Arena,
}

/// Written by anybody, and not in the hot path.
#[derive(Debug)]
struct Shared {
    kind: Kind,
    faults: FaultLog,
    name: Mutex<String>,
    /// Nodes, by index, and the classes that they are to have.
    orders: Mutex<Vec<(u32, u8)>>,
    /// Whether the last owner was left behind when the process was copied.
    is_abandoned: AtomicBool,
}

/// Whom a record is for. Settled when the record is made, so that whoever finds the record knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// For the threads of one name, one after the other.
    Threads,
    /// For the GPU: no thread ever owns it.
    Gpu,
    /// For nobody: [`NOBODY`].
    #[cfg(not(loom))]
    Nobody,
}

/// The record of a thread that has none, because it has not entered a zone or is past its end:
/// nothing is ever current in it, so no zone can be closed there.
#[cfg(not(loom))]
static NOBODY: ThreadRecord = {
    static ROOT: Node = Node::new(&GLOBAL, None, 0, true);
    ThreadRecord::of(Kind::Nobody, String::new(), &ROOT, Arena::new())
};

/// Where a thread is, from one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Index of the current node.
    pub(crate) node: u32,
    /// Index of the account: the node whose clock runs.
    pub(crate) account: u32,
    /// The account's closed ticks.
    pub(crate) ticks: Ticks,
    /// Since when its clock runs.
    pub(crate) started: Ticks,
}

impl ThreadRecord {
    /// Points to the record of a thread that has none.
    #[cfg(not(loom))]
    pub(super) const NOBODY: *const ThreadRecord = &raw const NOBODY;
    /// No model gets there.
    #[cfg(loom)]
    pub(super) const NOBODY: *const ThreadRecord = ptr::null();

    /// A record that nobody owns, with nothing but the root; `None` if there is no memory for it.
    pub(super) fn new(name: String) -> Option<&'static ThreadRecord> {
        Self::of_kind(Kind::Threads, name)
    }

    /// The record of the GPU.
    #[cfg_attr(not(feature = "_overlay"), allow(dead_code))]
    pub(super) fn of_gpu() -> Option<&'static ThreadRecord> {
        Self::of_kind(Kind::Gpu, reserved::text("GPU")?)
    }

    fn of_kind(kind: Kind, name: String) -> Option<&'static ThreadRecord> {
        let nodes = Arena::new();
        #[allow(unsafe_code)]
        // SAFETY: the arena is this function's own.
        let root = unsafe { nodes.push(|index| Node::new(&GLOBAL, None, index, true)) };
        let record = ThreadRecord::of(kind, name, root.ok()?, nodes);
        reserved::leak(record)
    }

    const_unless_modelled! {
        fn of(kind: Kind, name: String, root: &'static Node, nodes: Arena) -> ThreadRecord {
            ThreadRecord {
                owned: Apart(Owned {
                    current: AtomicPtr::new(ptr::null_mut()),
                    running: AtomicU64::new(0),
                    cutoff: AtomicU8::new(switch::cutoff::EXACT),
                    epoch: AtomicU32::new(0),
                    changes: AtomicU32::new(0),
                    tenancy: AtomicU32::new(0),
                    began: AtomicU64::new(0),
                    owned_for: AtomicU64::new(0),
                    steps: AtomicU32::new(0),
                    root,
                    nodes,
                }),
                shared: Apart(Shared {
                    kind,
                    faults: FaultLog::new(),
                    name: Mutex::new(name),
                    orders: Mutex::new(Vec::new()),
                    is_abandoned: AtomicBool::new(false),
                }),
            }
        }
    }

    // ---- the owner's side -------------------------------------------------------------------

    /// A thread takes the record over at `now`. It is the owner until [`end`](Self::end).
    pub(super) fn begin(&self, now: Ticks) {
        let owned = &self.owned;
        // Release: the order that `read` relies on.
        owned.root.started.store(now, Ordering::Release);
        // Ends that the last owner did not come to.
        owned.root.forget_ends();
        let owned_for = owned.owned_for.load(Ordering::Relaxed);
        owned
            .began
            .store(now.wrapping_sub(owned_for), Ordering::Release);
        self.run(owned.root);
        // Release, twice: pairs with the acquires in `tenure`.
        owned.tenancy.fetch_add(1, Ordering::Release);
        // Release: pairs with `read`, as in the file's comment.
        owned.current.store(owned.root.as_ptr(), Ordering::Release);
    }

    /// The owner ends at `now`, whatever zones are open.
    pub(super) fn end(&self, now: Ticks) {
        let owned = &self.owned;
        if let Some(node) = self.current() {
            let mut open = node;
            while let Some(parent) = open.parent {
                self.fault(Fault::LeftOpen, open.zone);
                open.forget_ends();
                open = parent;
            }
            let account = self.account_of(node);
            let (started, now) = self.span(account.started.load(Ordering::Relaxed), now);
            // Release, twice: the order that `read` relies on.
            owned.current.store(ptr::null_mut(), Ordering::Release);
            account.stop(started, now);
            let began = owned.began.load(Ordering::Relaxed);
            owned
                .owned_for
                .store(now.wrapping_sub(began), Ordering::Release);
            // Release, twice: pairs with the acquires in `tenure`; and whoever takes the record
            // over next sees its counters complete.
            owned.tenancy.fetch_add(1, Ordering::Release);
        }
    }

    /// The owner is not in this copy of the process: what it did up to `now` stays, and nobody takes
    /// the record over, since the owner may have been in the middle of anything. The caller is the one
    /// thread there is.
    #[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
    pub(super) fn abandon(&self, now: Ticks) {
        if !self.is_owned() {
            return;
        }
        let owned = &self.owned;
        self.shared.is_abandoned.store(true, Ordering::Relaxed);
        if let Some(node) = self.current() {
            let account = self.account_of(node);
            let (started, now) = self.span(account.started.load(Ordering::Relaxed), now);
            owned.current.store(ptr::null_mut(), Ordering::Release);
            account.stop(started, now);
        }
        let began = owned.began.load(Ordering::Relaxed);
        let owned_for = now.wrapping_sub(began);
        owned.owned_for.store(owned_for, Ordering::Release);
        owned.tenancy.fetch_add(1, Ordering::Release);
    }

    /// The current node as the owner sees it, not dereferenced.
    #[inline(always)]
    pub(super) fn current_ptr(&self) -> *const Node {
        self.owned.current.load(Ordering::Relaxed)
    }

    /// The node that is current, by one load; `None` if no thread owns the record.
    pub(crate) fn current(&self) -> Option<&'static Node> {
        #[allow(unsafe_code)]
        // SAFETY: invariant of `current`; nodes are never freed. Acquire: a reader on another
        // thread sees the node as it was when it became current.
        unsafe {
            self.owned.current.load(Ordering::Acquire).as_ref()
        }
    }

    /// With the node that is current; `None` if no thread owns the record.
    pub(super) fn and_current(&'static self) -> Option<(&'static ThreadRecord, &'static Node)> {
        Some((self, self.current()?))
    }

    /// From here on the clock of `account` runs.
    #[inline(always)]
    fn run(&self, account: &Node) {
        let running = self.owned.running.load(Ordering::Relaxed);
        let transitions = (running >> 32).wrapping_add(1);
        // Release: the order that `read` relies on.
        self.owned.running.store(
            transitions << 32 | u64::from(account.index),
            Ordering::Release,
        );
    }

    /// The node whose clock is to run while `node`, which is on the stack, is current.
    #[inline(always)]
    fn account_of<'a>(&'a self, node: &'a Node) -> &'a Node {
        if node.is_timed() {
            node
        } else {
            self.remembered_account(node)
        }
    }

    /// As [`account_of`](Self::account_of), of a node without a clock.
    #[inline(never)]
    fn remembered_account(&self, node: &Node) -> &Node {
        let remembered = node.started.load(Ordering::Relaxed);
        if remembered >> 32 == self.clocks()
            && let Some(account) = self.node(remembered as u32)
        {
            return account;
        }
        let account = self.search_account(node);
        let remembered = self.clocks() << 32 | u64::from(account.index);
        // Release: who takes that for the start of a clock sees that the clock was taken away.
        node.started.store(remembered, Ordering::Release);
        account
    }

    /// Looks for the account of `node` among the nodes below it, down to one that has a clock or
    /// remembers.
    fn search_account(&self, node: &Node) -> &'static Node {
        let mut below = node.parent;
        while let Some(node) = below {
            if node.is_timed() {
                return node;
            }
            let remembered = node.started.load(Ordering::Relaxed);
            if remembered >> 32 == self.clocks()
                && let Some(account) = self.node(remembered as u32)
            {
                return account;
            }
            below = node.parent;
        }
        self.owned.root
    }

    /// Which nodes have clocks, as a number of 32 bits that is another one after every change, and
    /// that no node has when it is made.
    #[inline(always)]
    fn clocks(&self) -> u64 {
        u64::from(self.owned.changes.load(Ordering::Relaxed) | 1 << 31)
    }

    /// Goes from `parent`, which is current, to its child `node`, which has a clock.
    #[inline(always)]
    pub(super) fn enter(&self, parent: &Node, node: &Node, now: Ticks) {
        let account = self.account_of(parent);
        let runs_since = account.started.load(Ordering::Relaxed);
        let (started, now) = self.span(runs_since, now);
        // Release, four times: the order that `read` relies on.
        node.started.store(now, Ordering::Release);
        self.run(node);
        self.owned.current.store(node.as_ptr(), Ordering::Release);
        count(node);
        if account.started.load(Ordering::Relaxed) == runs_since {
            account.stop(started, now);
        } else {
            self.was_interrupted(account, node, now);
        }
    }

    /// A signal handler has entered and left zones on the clock of `old` after `now` was read, and
    /// before the clock went to `new`: so `old` has its time, and that of `new` begins where the
    /// handler ended.
    #[cold]
    fn was_interrupted(&self, old: &Node, new: &Node, now: Ticks) {
        let handled = old.started.load(Ordering::Relaxed);
        if clock::passed(now, handled) > 0 {
            // Not if another handler has come since.
            let _ =
                new.started
                    .compare_exchange(now, handled, Ordering::Release, Ordering::Relaxed);
        }
        self.run(new);
    }

    /// Goes from its parent, which is current, to `node`, which has no clock.
    #[inline(always)]
    pub(super) fn enter_untimed(&self, node: &Node) {
        self.owned.current.store(node.as_ptr(), Ordering::Release);
        count(node);
    }

    /// Goes from `node`, which is current and has a clock, to its parent.
    #[inline(always)]
    pub(super) fn leave(&self, node: &Node, parent: &Node, now: Ticks) {
        let runs_since = node.started.load(Ordering::Relaxed);
        let (started, now) = self.span(runs_since, now);
        let account = self.account_of(parent);
        // Release, four times: the order that `read` relies on.
        account.started.store(now, Ordering::Release);
        self.run(account);
        self.owned.current.store(parent.as_ptr(), Ordering::Release);
        if node.started.load(Ordering::Relaxed) == runs_since {
            node.stop(started, now);
        } else {
            self.was_interrupted(node, account, now);
        }
    }

    /// Goes from a node without a clock, which is current, to its parent.
    #[inline(always)]
    pub(super) fn leave_untimed(&self, parent: &Node) {
        self.owned.current.store(parent.as_ptr(), Ordering::Release);
    }

    /// Goes from the current node to one that is below it on the stack.
    fn leap(&self, top: &Node, to: &Node, now: impl FnOnce() -> Ticks) {
        let (from, account) = (self.account_of(top), self.account_of(to));
        if ptr::eq(from, account) {
            self.leave_untimed(to);
            return;
        }
        let (started, now) = self.span(from.started.load(Ordering::Relaxed), now());
        // A reading between 3 and 4 would have `update` look for what 3 adds on the children of
        // `to`, and `from` may be farther up.
        let epoch = self.begin_change();
        // Release, four times: the order that `read` relies on.
        account.started.store(now, Ordering::Release);
        self.run(account);
        self.owned.current.store(to.as_ptr(), Ordering::Release);
        from.stop(started, now);
        self.end_change(epoch);
    }

    /// Takes over a cutoff, that of a [word](switch) which is new to the thread, and what orders there
    /// are. Not if these are being written at the moment: then at the next zone. Zones that are open
    /// stay open; the clock that runs may become another node's.
    pub(super) fn follow(&self, cutoff: u8, now: impl FnOnce() -> Ticks) -> bool {
        let Ok(mut orders) = self.shared.orders.try_lock() else {
            return false;
        };
        self.change_clocks(cutoff, &orders, now);
        orders.clear();
        true
    }

    /// See [`follow`](Self::follow); this is the part of it that readers can see.
    pub(super) fn change_clocks(
        &self,
        cutoff: u8,
        orders: &[(u32, u8)],
        now: impl FnOnce() -> Ticks,
    ) {
        let owned = &self.owned;
        let changes = cutoff != owned.cutoff.load(Ordering::Relaxed) || !orders.is_empty();
        let Some(current) = self.current().filter(|_| changes) else {
            return;
        };
        let old = self.account_of(current);
        let epoch = self.begin_change();
        let count = owned.changes.load(Ordering::Relaxed);
        owned
            .changes
            .store(count.wrapping_add(1), Ordering::Release);
        let (started, now) = self.span(old.started.load(Ordering::Relaxed), now());
        old.stop(started, now);
        for (index, class) in orders {
            if let Some(node) = self.node(*index) {
                node.class.store(*class, Ordering::Release);
                node.wind(cutoff);
            }
        }
        if cutoff != owned.cutoff.load(Ordering::Relaxed) {
            owned.cutoff.store(cutoff, Ordering::Release);
            let nodes = (0..self.node_count()).filter_map(|index| self.node(index));
            nodes.for_each(|node| node.wind(cutoff));
        }
        let account = self.account_of(current);
        account.started.store(now, Ordering::Release);
        self.run(account);
        self.end_change(epoch);
    }

    /// From here on readings are refused, until [`end_change`](Self::end_change). What is stored
    /// meanwhile is stored with release: who sees any of it sees the odd number too.
    fn begin_change(&self) -> u32 {
        let epoch = self.owned.epoch.load(Ordering::Relaxed);
        self.owned
            .epoch
            .store(epoch.wrapping_add(1), Ordering::Relaxed);
        epoch
    }

    /// Readings are possible again; `epoch` is what [`begin_change`](Self::begin_change) returned.
    fn end_change(&self, epoch: u32) {
        // Release: who sees the number sees all that was stored meanwhile.
        self.owned
            .epoch
            .store(epoch.wrapping_add(2), Ordering::Release);
    }

    /// From when to when a clock ran: a thread's clock does not go back, whatever
    /// the machine's does.
    #[inline(always)]
    fn span(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        if clock::since(started, now).is_some() {
            (started, now)
        } else {
            self.span_over_a_step(started, now)
        }
    }

    /// A little back is two cores that disagree: time stands still until it has caught up. Farther
    /// back, or ahead by years, the counter was set anew, as when a virtual machine is moved: time goes on
    /// from there, and what passed meanwhile is not known.
    #[cold]
    fn span_over_a_step(&self, started: Ticks, now: Ticks) -> (Ticks, Ticks) {
        // Modulo 2^64: far ahead is farther back.
        let back = started.wrapping_sub(now);
        if back <= DISAGREEMENT {
            return (started, started);
        }
        let began = self.owned.began.load(Ordering::Relaxed);
        self.owned
            .began
            .store(began.wrapping_sub(back), Ordering::Release);
        let steps = self.owned.steps.load(Ordering::Relaxed);
        // Release: who sees that sees the new `began`.
        self.owned
            .steps
            .store(steps.wrapping_add(1), Ordering::Release);
        (now, now)
    }

    /// The node for `zone` on top of `parent`: found among its children, or made. `None` when the
    /// thread has as many nodes as it may, or there is no memory for more; that is counted.
    ///
    /// Only the owner may call this.
    pub(super) fn node_for(
        &self,
        parent: &'static Node,
        zone: &'static Zone,
    ) -> Option<&'static Node> {
        let interned = || reserved::allocating(|| zone.interned());
        let Some(zone) = zone.seen().or_else(interned) else {
            self.shared.faults.count(Fault::NoMemory);
            return None;
        };
        if let Some(node) = parent.child(zone) {
            return Some(node);
        }
        let timed = class::LONG < self.cutoff();
        #[allow(unsafe_code)]
        // SAFETY: the caller is the owner, and a record has one owner at a time (`registry`).
        let made = unsafe {
            self.owned
                .nodes
                .push(|index| Node::new(zone, Some(parent), index, timed))
        };
        match made {
            Ok(node) => parent.adopt(node),
            Err(Refused::Full) => self.fault(Fault::Dropped, zone),
            Err(Refused::NoMemory) => self.fault(Fault::NoMemory, zone),
        }
        made.ok()
    }

    /// Closes `node`, current or not: with all that is open above it if it is on the stack, not at
    /// all if it is not.
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
            self.fault(Fault::LeftOpen, open.zone);
            open.forget_ends();
            let Some(below) = open.parent else { break };
            open = below;
        }
        node.forget_ends();
        self.leap(top, parent, now);
    }

    /// Counts a zone that comes while the owner does what is done by one at a time, and that is not
    /// recorded. A signal handler may call this.
    pub(super) fn count_interrupt(&self) {
        self.shared.faults.count(Fault::Interrupted);
    }

    /// Counts a fault, and remembers the zone's name if there is memory for it.
    pub(super) fn fault(&self, fault: Fault, zone: &'static Zone) {
        match zone.interned() {
            Some(zone) => self.shared.faults.add(fault, zone),
            None => self.shared.faults.count(fault),
        }
    }

    /// A name that counts only, for `node` is not entered but counted.
    pub(super) fn make_counter(&self, node: &Node) {
        node.class.store(class::COUNTER, Ordering::Release);
        node.set_timed(false);
    }

    // ---- the readers' side ------------------------------------------------------------------

    /// Has the owner give nodes other classes, when it next follows a [word](switch).
    pub(crate) fn order(&self, orders: &[(u32, u8)]) {
        if !self.is_abandoned() {
            lock(&self.shared.orders).extend_from_slice(orders);
        }
    }

    /// Whether the owner has yet to follow orders: it does when it next enters a zone, which may
    /// take long.
    pub(crate) fn has_orders(&self) -> bool {
        !self.is_abandoned() && !lock(&self.shared.orders).is_empty()
    }

    /// Whether nobody will ever own the record again, nor give back what the owner had locked.
    pub(super) fn is_abandoned(&self) -> bool {
        self.shared.is_abandoned.load(Ordering::Relaxed)
    }

    /// Whether a thread that begins may take the record over.
    pub(super) fn is_free(&self) -> bool {
        !self.is_gpus() && !self.is_owned() && !self.is_abandoned()
    }

    /// Where the thread is; `None` if there is none, or if it moves too fast to tell.
    pub(crate) fn read(&self) -> Option<Reading> {
        for _ in 0..READ_ATTEMPTS {
            // Acquire: what the owner did before is seen with its new classes.
            let epoch = self.owned.epoch.load(Ordering::Acquire);
            // Acquire, four times: steps a to d.
            let running = self.owned.running.load(Ordering::Acquire);
            let account = self.node(running as u32)?;
            let started = account.started.load(Ordering::Acquire);
            let ticks = account.ticks.load(Ordering::Acquire);
            let node = self.current()?;
            let is_on_its_clock = if node.is_timed() {
                ptr::eq(node, account)
            } else {
                account.index < node.index
            };
            // Step e.
            if is_on_its_clock
                && self.owned.running.load(Ordering::Relaxed) == running
                && epoch.is_multiple_of(2)
                && self.owned.epoch.load(Ordering::Relaxed) == epoch
            {
                return Some(Reading {
                    node: node.index,
                    account: account.index,
                    ticks,
                    started,
                });
            }
            crate::sync::pause();
        }
        None
    }

    /// Whether the thread is in a zone that has no clock.
    pub(crate) fn is_in_untimed(&self) -> bool {
        let current = self.current();
        current.is_some_and(|node| !node.is_timed())
    }

    /// The class from which on nodes have no clock.
    #[inline(always)]
    pub(crate) fn cutoff(&self) -> u8 {
        self.owned.cutoff.load(Ordering::Relaxed)
    }

    /// How often nodes got or lost clocks.
    pub(crate) fn changes(&self) -> u32 {
        self.owned.changes.load(Ordering::Acquire)
    }

    /// How many nodes there are to read. They keep their indices; a parent's is smaller than its
    /// children's, and the root's is 0.
    pub(crate) fn node_count(&self) -> u32 {
        self.owned.nodes.len()
    }

    /// A node by its index.
    pub(crate) fn node(&self, index: u32) -> Option<&'static Node> {
        self.owned.nodes.get(index)
    }

    /// The [tenancy](Self::tenancy), and for how long, up to `now`, threads owned the record: the
    /// sum of its nodes' self times, open time included, by the telescope of what `enter` and
    /// `leave` add. Modulo 2^64, like these: a little below 0 if `now` was read before the owner began, and
    /// far off if the counter was set anew before the owner noticed.
    pub(crate) fn tenure(&self, now: Ticks) -> (u32, Ticks) {
        loop {
            // Acquire, three times: pairs with the releases in `begin` and `end`. Of the two values
            // the one that is read here is written only while the other one is valid, so it is of
            // this tenancy if the tenancy is still the same.
            let tenancy = self.owned.tenancy.load(Ordering::Acquire);
            let owned_for = if tenancy % 2 == 1 {
                now.wrapping_sub(self.owned.began.load(Ordering::Acquire))
            } else {
                self.owned.owned_for.load(Ordering::Acquire)
            };
            if self.owned.tenancy.load(Ordering::Acquire) == tenancy {
                return (tenancy, owned_for);
            }
            crate::sync::pause();
        }
    }

    /// How often an owner found the counter set anew. Ask before [`tenure`](Self::tenure).
    pub(crate) fn steps(&self) -> u32 {
        self.owned.steps.load(Ordering::Acquire)
    }

    /// How often the record changed hands; odd while a thread owns it.
    pub(crate) fn tenancy(&self) -> u32 {
        self.owned.tenancy.load(Ordering::Acquire)
    }

    /// Whether a thread owns the record.
    pub(crate) fn is_owned(&self) -> bool {
        self.tenancy() % 2 == 1
    }

    /// Whether it is the GPU's, so that no thread may own it.
    pub(super) fn is_gpus(&self) -> bool {
        self.shared.kind == Kind::Gpu
    }

    pub(crate) fn is_named(&self, name: &str) -> bool {
        *lock(&self.shared.name) == name
    }

    pub(crate) fn name(&self) -> String {
        lock(&self.shared.name).clone()
    }

    pub(crate) fn set_name(&self, name: String) {
        *lock(&self.shared.name) = name;
    }

    /// How often a fault happened, and the zone of the last time.
    pub(crate) fn faults(&self, fault: Fault) -> (u64, Option<&'static Zone>) {
        self.shared.faults.read(fault)
    }
}

impl Node {
    /// Stops the node's clock.
    #[inline(always)]
    fn stop(&self, started: Ticks, now: Ticks) {
        let ticks = self.ticks.load(Ordering::Relaxed);
        // Release: the order that `ThreadRecord::read` relies on.
        self.ticks.store(
            ticks.wrapping_add(now.wrapping_sub(started)),
            Ordering::Release,
        );
    }

    /// Gives it a clock or takes it away, by its class.
    fn wind(&self, cutoff: u8) {
        let timed = self.parent.is_none() || self.class() < cutoff;
        if !timed {
            // Who reads that as the start of a clock sees the odd `epoch` too.
            self.started.store(0, Ordering::Release);
        }
        self.set_timed(timed);
    }

    /// One of [`class`].
    pub(crate) fn class(&self) -> u8 {
        self.class.load(Ordering::Relaxed)
    }

    /// Closed ticks so far.
    pub(crate) fn ticks(&self) -> Ticks {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Entries so far.
    pub(crate) fn entries(&self) -> u64 {
        // Acquire: pairs with the release in `count`.
        self.entries.load(Ordering::Acquire)
    }

    /// Closed ticks and entries so far.
    #[cfg(test)]
    pub(crate) fn totals(&self) -> (Ticks, u64) {
        (self.ticks(), self.entries())
    }
}

/// Counts an entry. A zone's is counted after its node became current: a node that is on the stack
/// is then found there, or its entry is new, whoever looks whenever.
#[inline(always)]
pub(super) fn count(node: &Node) {
    // Load and store, not an atomic add: there is one writer. Release: who sees the entry sees that
    // the node became current, so that no later reading takes the thread for not being there yet.
    node.entries.store(
        node.entries.load(Ordering::Relaxed).wrapping_add(1),
        Ordering::Release,
    );
}
