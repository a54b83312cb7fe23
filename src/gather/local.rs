//! This thread's side of recording: what the macros call.
//!
//! # What is in the host's functions
//!
//! [`enter`] and the drop of a [`Guard`] are inlined into every function with a zone, so they are
//! no more than what decides, and what a node without a clock does. Everything else is a call. This
//! is what became of `zone!` on x86-64 (Rust 1.95, release), in a function that does nothing else:
//!
//! ```text
//! enter  mov  edx, [WORD]              drop  test rax, rax            no node: nothing to close
//!        test dl, 1                          je   done
//!        jne  off                            mov  rdi, fs:[HERE.record]
//!        cmp  edx, fs:[HERE.word]            cmp  [rdi + current], rax
//!        jne  slowly                         jne  leave_slowly
//!        mov  rdi, fs:[HERE.record]          mov  rdx, [rax + parent]
//!        mov  rsi, [rdi + current]           cmp  byte [rax + flags], 0
//!        cmp  rsi, fs:[SITE.parent]          jne  leave_timed        cold
//!        jne  elsewhere                      mov  [rdi + current], rdx
//!        mov  rax, fs:[SITE.node]      done
//!        test byte [rax + flags], 1
//!        jne  enter_timed        cold
//!        mov  [rdi + current], rax
//!        inc  [rax + entries]
//! ```
//!
//! What was learned on the way, each by a measurement (`./dev bench record`, `sphereflake` of the
//! bench of peers):
//!
//! * Two reads of the counter take 17 ns, and whatever is done between them hides behind them: a
//!   zone with a clock costs what the reads cost, whether its code is inlined or called. A zone
//!   without one costs what its code costs. So the code for the clock is called, and marked cold
//!   although it is not: then the compiler keeps the host's registers for the other case (3 % of a
//!   ray tracer with a zone in its innermost loop), and the host's functions grow less.
//! * All of that was inlined only after `LocalKey::with` got a closure that returns an address:
//!   with the work in the closure it was called, three levels deep, for 3 ns.
//! * Where a site finds another parent than the last time, the clock is read before the node is
//!   searched if it is going to be read anyway: the search hides behind the reading (recursion:
//!   from 1.17 to 1.00 times two reads). Where it is not, the search gets what is known already,
//!   and does not write what is there already: 0.3 ns less with alternating parents, 1 ns in
//!   recursion.
//! * Inlined code is compiled with the host, and not optimised in a development build, where a zone then
//!   takes some 1,600 instructions. So nothing is inlined where debug assertions are on: then it is
//!   compiled with this crate, which the host can have optimised by itself
//!   (`[profile.dev.package.iprof] opt-level = 3`).
//! * A thread that has gone by the program's word has a record, and one that holds a guard has had
//!   a record: so neither is asked for.

#![allow(unsafe_code)] // Plain pointers instead of options keep the hot path at one compare.

use super::fault::Fault;
use super::node::Node;
use super::record::{ThreadRecord, count};
use super::{registry, reserved, switch};
use crate::Zone;
use crate::clock;
use crate::first_zone;
use std::cell::Cell;
use std::ptr;

/// What a thread knows of itself. Constant and without a destructor, so that reading it is one
/// instruction.
///
/// Where thread-locals are part of a thread's memory, it is there to the last. Where the system
/// boxes them, it is lost at some point of the thread's end, in any order with the destructors of
/// other thread-locals; one of these that looks for it then finds a new one. A new one is nobody's,
/// and `registry` knows whether the thread began or not.
struct Here {
    /// Invariant: a record, which lives as long as the program: the one that this thread owns;
    /// [`ThreadRecord::NOBODY`] before the first zone, after the thread's end, and from when this
    /// was lost.
    record: Cell<*const ThreadRecord>,
    /// The [word](switch) that the thread goes by. Invariant: [`switch::UNSEEN`], which the program
    /// never goes by, as long as `record` is nobody's.
    word: Cell<u32>,
    /// Whether the thread is told to record nothing. Then `word` is [`switch::UNSEEN`], so that what
    /// is quick need not ask.
    is_quiet: Cell<bool>,
}

thread_local! {
    static HERE: Here = const {
        Here {
            record: Cell::new(ThreadRecord::NOBODY),
            word: Cell::new(switch::UNSEEN),
            is_quiet: Cell::new(false),
        }
    };
}

/// The record that this thread owns, as far as it knows.
#[inline(always)]
fn known_record() -> Option<&'static ThreadRecord> {
    let record = HERE.with(|here| here.record.get());
    // SAFETY: invariant of `Here::record`.
    (!ptr::eq(record, ThreadRecord::NOBODY)).then(|| unsafe { &*record })
}

/// The record that this thread owns, whether it knows or not: where zones are closed. Once at a time,
/// for to ask may allocate, and the host's allocator may have zones.
fn own_record() -> Option<&'static ThreadRecord> {
    known_record().or_else(|| registry::once_at_a_time(registry::own_record).flatten())
}

/// A place in the source that enters a zone, on one thread: it remembers the node it got last.
///
/// Invariant: `node` is the child of `parent` for the zone of this place, both of this thread's
/// tree, or `parent` is no node at all.
#[derive(Debug)]
pub struct Site {
    parent: Cell<*const Node>,
    node: Cell<*const Node>,
}

/// What [`thread_local!`] makes of a site.
type SiteKey = std::thread::LocalKey<Site>;

/// The calling thread's own.
///
/// To do everything inside of `with` would be safe code; but a closure of that size is not inlined.
#[inline(always)]
fn site_of<'a>(key: &'static SiteKey) -> &'a Site {
    let site = key.with(ptr::from_ref);
    // SAFETY: a site is made by a constant and has no destructor, so the thread's own is there from
    // the thread's begin to its end. The reference goes no farther than this file's functions,
    // which all return before that.
    unsafe { &*site }
}

/// A parent that is never current: not even on a thread without a record, whose is null.
const NOWHERE: *const Node = ptr::without_provenance(1);

impl Site {
    #[allow(clippy::new_without_default, missing_docs)]
    pub const fn new() -> Site {
        Site {
            parent: Cell::new(NOWHERE),
            node: Cell::new(ptr::null()),
        }
    }
}

/// An open zone. Closes it when dropped, be it by unwinding.
///
/// It belongs to the thread that opened it, hence is not `Send`.
#[derive(Debug)]
#[must_use]
pub struct Guard {
    /// Invariant: null, or a node of this thread's tree, not its root.
    node: *const Node,
}

impl Guard {
    /// Where the zone stands: the thread's record and the node's index; none if it was not
    /// recorded.
    #[cfg(feature = "_overlay")]
    pub(crate) fn place(&self) -> Option<(&'static ThreadRecord, u32)> {
        // SAFETY: invariant of `node`. Nodes are never freed.
        let node = unsafe { self.node.as_ref() }?;
        Some((known_record()?, node.index()))
    }
}

/// Enters `zone` from `site`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn enter(key: &'static SiteKey, zone: &'static Zone) -> Guard {
    let word = switch::word();
    if switch::is_off(word) {
        return Guard { node: ptr::null() };
    }
    let site = site_of(key);
    let (record, known_word) = HERE.with(|here| (here.record.get(), here.word.get()));
    if known_word == word {
        // SAFETY: invariant of `Here::word`: the thread has a record.
        let record = unsafe { &*record };
        let parent = record.current_ptr();
        if ptr::eq(parent, site.parent.get()) {
            // SAFETY: invariant of `Site`: `parent` is not NOWHERE, since it is current, so both
            // are nodes. Nodes are never freed.
            let (parent, node) = unsafe { (&*parent, &*site.node.get()) };
            go_up(record, parent, node);
            return Guard { node };
        }
        return Guard {
            node: enter_elsewhere(record, parent, site, zone),
        };
    }
    Guard {
        node: enter_slowly(site, zone),
    }
}

/// From the current node to its child.
#[inline(always)]
fn go_up(record: &ThreadRecord, parent: &Node, node: &Node) {
    if node.is_timed() {
        enter_timed(record, parent, node);
    } else {
        record.enter_untimed(node);
    }
}

/// From the current node to its parent.
#[inline(always)]
fn go_down(record: &ThreadRecord, node: &Node, parent: &Node) {
    if node.is_left_at_once() {
        record.leave_untimed(parent);
    } else {
        leave_timed(record, node, parent);
    }
}

/// Not inlined: what the host's functions get stays small, and a call is nothing beside the clock.
#[cold]
#[inline(never)]
fn enter_timed(record: &ThreadRecord, parent: &Node, node: &Node) {
    record.enter(parent, node, clock::now());
}

/// As [`enter_timed`]; or what is left has no clock, but waits for ends.
#[cold]
#[inline(never)]
fn leave_timed(record: &ThreadRecord, node: &Node, parent: &Node) {
    if node.misses_ends() {
        node.forget_ends();
        if !node.is_timed() {
            record.leave_untimed(parent);
            return;
        }
    }
    record.leave(node, parent, clock::now());
}

impl Guard {
    /// No zone is open.
    const NOTHING: Guard = Guard { node: ptr::null() };
}

/// Enters `zone` from `site` if `holds`.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn enter_if(key: &'static SiteKey, zone: &'static Zone, holds: bool) -> Guard {
    if holds {
        enter(key, zone)
    } else {
        Guard::NOTHING
    }
}

/// Closes what is open and enters `zone` instead. What is not recorded stays so.
#[inline]
pub(super) fn relabel(key: &'static SiteKey, zone: &'static Zone, guard: &mut Guard) {
    if !guard.node.is_null() {
        drop(std::mem::replace(guard, Guard::NOTHING));
        *guard = enter(key, zone);
    }
}

impl Drop for Guard {
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline(never))]
    fn drop(&mut self) {
        // SAFETY: invariant of `node`. Nodes are never freed.
        let Some(node) = (unsafe { self.node.as_ref() }) else {
            return;
        };
        // SAFETY: invariant of `Here::record`; and the node has a parent, since it is not the root.
        let (record, parent) = unsafe {
            let record = &*HERE.with(|here| here.record.get());
            (record, node.parent.unwrap_unchecked())
        };
        if ptr::eq(record.current_ptr(), node) {
            go_down(record, node, parent);
        } else {
            leave_slowly(record, node);
        }
    }
}

/// Enters a zone from a site that remembers another parent than the current one: recursion, or a
/// shared helper.
#[cold]
#[inline(never)]
fn enter_elsewhere(
    record: &'static ThreadRecord,
    parent: *const Node,
    site: &Site,
    zone: &'static Zone,
) -> *const Node {
    // Where everything is timed, the search hides behind the reading, which takes longer.
    let early = (record.cutoff() == switch::cutoff::EXACT).then(clock::now);
    // SAFETY: what is current is null or a node. Nodes are never freed.
    let Some(parent) = (unsafe { parent.as_ref() }) else {
        return ptr::null();
    };
    let Some(node) = zone.seen().and_then(|zone| parent.child(zone)) else {
        return enter_slowly(site, zone);
    };
    site.parent.set(parent);
    site.node.set(node);
    match early {
        Some(now) => record.enter(parent, node, now),
        None => go_up(record, parent, node),
    }
    node
}

/// Enters a zone for the first time on top of this stack, or on a thread that has to follow a
/// change.
#[cold]
#[inline(never)]
fn enter_slowly(site: &Site, zone: &'static Zone) -> *const Node {
    if is_quiet() {
        return ptr::null();
    }
    let found = registry::once_at_a_time(|| {
        let (record, parent) = here()?;
        // The program's first zone may have found out that nothing is to be recorded.
        if switch::is_off(switch::word()) {
            return None;
        }
        follow(record);
        Some((record, parent, find(record, parent, site, zone)?))
    });
    if found.is_none() {
        miss_one();
    }
    let Some((record, parent, node)) = found.flatten() else {
        return ptr::null();
    };
    go_up(record, parent, node);
    node
}

/// Has this thread go by the program's word, unless it does already.
fn follow(record: &ThreadRecord) {
    let word = switch::word();
    let follows = HERE.with(|here| here.word.get()) == word;
    if !follows && !switch::is_off(word) && record.follow(switch::cutoff_of(word), clock::now) {
        HERE.with(|here| here.word.set(word));
    }
}

/// Whether this thread is told to record nothing.
pub(crate) fn is_quiet() -> bool {
    HERE.with(|here| here.is_quiet.get())
}

/// Tells this thread whether to record nothing; returns what it was told before.
pub(crate) fn set_quiet(is_quiet: bool) -> bool {
    HERE.with(|here| {
        // It will follow at its next zone.
        here.word.set(switch::UNSEEN);
        here.is_quiet.replace(is_quiet)
    })
}

/// Closes a zone that is not on top of the stack.
#[cold]
#[inline(never)]
fn leave_slowly(record: &'static ThreadRecord, node: &'static Node) {
    let is_known = !ptr::eq(record, ThreadRecord::NOBODY);
    if let Some(record) = is_known.then_some(record).or_else(registry::own_record) {
        record.close(node, clock::now);
    }
}

/// This thread's record and current node; registers the thread if it is new.
fn here() -> Option<(&'static ThreadRecord, &'static Node)> {
    let record = match known_record() {
        Some(record) => record,
        None => {
            // Before the clock is read: no thread begins before the first one.
            registry::anchor();
            let record = registry::register(clock::now(), detach)?;
            HERE.with(|here| here.record.set(record));
            reserved::allocating(first_zone::has_come);
            record
        }
    };
    record.and_current()
}

/// The node of `zone` on `parent`, by the parent's own children; the site remembers it.
fn find(
    record: &'static ThreadRecord,
    parent: &'static Node,
    site: &Site,
    zone: &'static Zone,
) -> Option<&'static Node> {
    let node = record.node_for(parent, zone)?;
    site.parent.set(parent);
    site.node.set(node);
    Some(node)
}

/// Opens a zone that no scope closes.
#[cfg_attr(not(debug_assertions), inline)]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn begin(key: &'static SiteKey, zone: &'static Zone) {
    let guard = enter(key, zone);
    if guard.node.is_null() {
        begin_nothing();
    }
    std::mem::forget(guard);
}

/// Notes that an end is to come for which nothing was begun: because nothing is recorded, because
/// there is no more room, or because this is in an allocation made by a beginning zone.
///
/// It is noted at the current node, until that is left: so an end that comes while another zone is on
/// top is that zone's.
#[cold]
#[inline(never)]
fn begin_nothing() {
    let current = match own_record() {
        Some(record) => record.current(),
        None => registry::once_at_a_time(here)
            .flatten()
            .map(|(_, node)| node),
    };
    if let Some(node) = current {
        node.miss_end();
    }
}

/// Closes the innermost open zone, which is expected to be called `zone`'s name, or to be `zone`.
///
/// `site` remembers the node that was closed here last, so that a name is compared only when it
/// may be another one.
#[cfg_attr(not(debug_assertions), inline)]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn end(key: &'static SiteKey, zone: &'static Zone, matching: Matching) {
    let site = site_of(key);
    if let Some(record) = known_record() {
        let current = record.current_ptr();
        if ptr::eq(current, site.node.get()) {
            // SAFETY: `site.node` is null or a node of this thread, and `current` is not null
            // while the thread owns its record.
            if let Some(node) = unsafe { current.as_ref() }
                && let Some(parent) = node.parent
                && !node.misses_ends()
            {
                go_down(record, node, parent);
                return;
            }
        }
    }
    end_slowly(site, zone, matching);
}

/// How an end finds its begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Matching {
    /// The zone itself.
    Zone,
    /// Any zone of the same name.
    Name,
    /// Whatever zone is innermost.
    Innermost,
}

#[cold]
#[inline(never)]
fn end_slowly(site: &Site, zone: &'static Zone, matching: Matching) {
    // First, and without `here`: a begin that was dropped while a node was being made has its end
    // there too.
    let own = own_record().and_then(ThreadRecord::and_current);
    if let Some((_, node)) = own
        && node.find_end()
    {
        return;
    }
    // While a node is made too: a zone that an allocation has entered there, of nodes that there were,
    // has its end there.
    let Some((record, top)) = own.or_else(|| registry::once_at_a_time(here).flatten()) else {
        return;
    };
    let wanted = |node: &Node| match matching {
        Matching::Zone => node.is_of(zone),
        Matching::Name => node.zone.is_named_like(zone),
        Matching::Innermost => true,
    };
    let mut node = top;
    while let Some(parent) = node.parent {
        if wanted(node) {
            if ptr::eq(node, top) && matching != Matching::Innermost {
                site.node.set(node);
            }
            record.close(node, clock::now);
            return;
        }
        node = parent;
    }
    record.fault(Fault::EndWithoutBegin, zone);
}

/// Counts an entry of `zone` under the current node; takes no time.
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn tally(key: &'static SiteKey, zone: &'static Zone) {
    let word = switch::word();
    if switch::is_off(word) {
        return;
    }
    let site = site_of(key);
    let (record, known_word) = HERE.with(|here| (here.record.get(), here.word.get()));
    if known_word == word {
        // SAFETY: invariant of `Here::word`: the thread has a record.
        let record = unsafe { &*record };
        if ptr::eq(record.current_ptr(), site.parent.get()) {
            // SAFETY: invariant of `Site`.
            count(unsafe { &*site.node.get() });
            return;
        }
    }
    tally_slowly(site, zone);
}

#[cold]
#[inline(never)]
fn tally_slowly(site: &Site, zone: &'static Zone) {
    if is_quiet() {
        return;
    }
    let done = registry::once_at_a_time(|| {
        let Some((record, parent)) = here() else {
            return;
        };
        if switch::is_off(switch::word()) {
            return;
        }
        follow(record);
        if let Some(node) = find(record, parent, site, zone) {
            record.make_counter(node);
            count(node);
        }
    });
    if done.is_none() {
        miss_one();
    }
}

/// A zone comes in the middle of what is done once at a time. Those of the host's allocator are left out
/// by design; what remains is a signal handler's.
fn miss_one() {
    if let Some(record) = known_record()
        && !reserved::is_allocating()
    {
        record.count_interrupt();
    }
}

/// Registers the calling thread, if it is not, and returns its record.
pub(crate) fn record() -> Option<&'static ThreadRecord> {
    registry::once_at_a_time(here)
        .flatten()
        .map(|(record, _)| record)
}

/// Runs `f` with this thread's zones recorded in `record` instead of its own, by `word`.
pub(super) fn with_record<R>(record: &'static ThreadRecord, word: u32, f: impl FnOnce() -> R) -> R {
    struct Back(*const ThreadRecord, u32, bool);
    impl Drop for Back {
        fn drop(&mut self) {
            HERE.with(|here| {
                here.record.set(self.0);
                here.word.set(self.1);
                here.is_quiet.set(self.2);
            });
        }
    }
    let _back = HERE.with(|here| {
        Back(
            here.record.replace(record),
            here.word.replace(word),
            here.is_quiet.replace(false),
        )
    });
    registry::whatever_thread(f)
}

/// This thread records no more.
fn detach() {
    HERE.with(|here| {
        here.word.set(switch::UNSEEN);
        here.record.set(ThreadRecord::NOBODY);
    });
}
