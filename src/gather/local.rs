//! This thread's side of recording: what the macros call.
//!
//! [`enter`] and the drop of a [`Guard`] are the hot path. They are inlined into the host's
//! functions; everything rare is outlined and marked cold.

#![allow(unsafe_code)] // Plain pointers instead of options keep the hot path at one compare.

use super::fault::Fault;
use super::node::Node;
use super::record::{ThreadRecord, count};
use super::{registry, switch};
use crate::Zone;
use crate::clock;
use crate::sync::Ordering::Relaxed;
use std::cell::Cell;
use std::ptr;

thread_local! {
    /// Invariant: null, or the record this thread owns. Null before the first zone and after the
    /// thread's end. Constant and without a destructor, so that reading it is one instruction.
    static RECORD: Cell<*const ThreadRecord> = const { Cell::new(ptr::null()) };
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
    // SAFETY: a site is made by a constant and has no destructor, so the thread's own is there from the
    // thread's begin to its end. The reference goes no farther than this file's functions, which all
    // return before that.
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
    /// Null, or a node of this thread's tree.
    node: *const Node,
}

/// Enters `zone` from `site`.
#[inline(always)]
#[allow(missing_docs)]
pub fn enter(key: &'static SiteKey, zone: &'static Zone) -> Guard {
    let word = switch::word();
    if switch::is_off(word) {
        return Guard { node: ptr::null() };
    }
    let site = site_of(key);
    // SAFETY: invariant of `RECORD`.
    if let Some(record) = unsafe { RECORD.get().as_ref() } {
        let parent = record.current_ptr();
        if ptr::eq(parent, site.parent.get()) && record.follows(word) {
            let node = site.node.get();
            // SAFETY: invariant of `Site`: `parent` is not NOWHERE, since it is current, so both
            // are nodes. Nodes are never freed.
            let (parent, node) = unsafe { (&*parent, &*node) };
            go_up(record, parent, node);
            return Guard { node };
        }
    }
    Guard {
        node: enter_elsewhere(site, zone, word),
    }
}

/// From the current node to its child.
#[inline(always)]
fn go_up(record: &ThreadRecord, parent: &Node, node: &Node) {
    if record.is_timed(node) {
        enter_timed(record, parent, node);
    } else {
        record.enter_untimed(node);
    }
}

/// From the current node to its parent.
#[inline(always)]
fn go_down(record: &ThreadRecord, node: &Node, parent: &Node) {
    if record.is_timed(node) {
        leave_timed(record, node, parent);
    } else {
        record.leave_untimed(parent);
    }
}

/// Not inlined: what the host's functions get stays small, and a call is nothing beside the clock.
#[cold]
#[inline(never)]
fn enter_timed(record: &ThreadRecord, parent: &Node, node: &Node) {
    record.enter(parent, node, clock::now());
}

/// As [`enter_timed`].
#[cold]
#[inline(never)]
fn leave_timed(record: &ThreadRecord, node: &Node, parent: &Node) {
    record.leave(node, parent, clock::now());
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: invariant of `node`. Nodes are never freed.
        let Some(node) = (unsafe { self.node.as_ref() }) else {
            return;
        };
        // SAFETY: invariant of `RECORD`.
        if let Some(record) = unsafe { RECORD.get().as_ref() }
            && ptr::eq(record.current_ptr(), node)
            && let Some(parent) = node.parent
        {
            go_down(record, node, parent);
            return;
        }
        leave_slowly(node);
    }
}

/// Enters a zone from a site that remembers another parent: recursion, or a shared helper.
#[inline(never)]
fn enter_elsewhere(site: &Site, zone: &'static Zone, word: u32) -> *const Node {
    // SAFETY: invariant of `RECORD`; records are never freed.
    let Some(record) = (unsafe { RECORD.get().as_ref() }).filter(|record| record.follows(word))
    else {
        return enter_slowly(site, zone);
    };
    // Where everything is timed, the search hides behind the reading, which takes longer.
    let early = (record.cutoff() == switch::cutoff::EXACT).then(clock::now);
    let Some(parent) = record.current() else {
        return ptr::null();
    };
    let Some(node) = parent.child(zone) else {
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
    let found = registry::once_at_a_time(|| {
        let (record, parent) = here()?;
        let word = switch::word();
        if !record.follows(word) && !switch::is_off(word) {
            record.follow(word, clock::now);
        }
        Some((record, parent, find(record, parent, site, zone)?))
    });
    let Some((record, parent, node)) = found.flatten() else {
        return ptr::null();
    };
    go_up(record, parent, node);
    node
}

/// Closes a zone that is not on top of the stack.
#[cold]
#[inline(never)]
fn leave_slowly(node: &'static Node) {
    // SAFETY: invariant of `RECORD`.
    if let Some(record) = unsafe { RECORD.get().as_ref() } {
        record.close(node, clock::now);
    }
}

/// This thread's record and current node; registers the thread if it is new.
fn here() -> Option<(&'static ThreadRecord, &'static Node)> {
    // SAFETY: invariant of `RECORD`; records are never freed.
    let record = match unsafe { RECORD.get().as_ref() } {
        Some(record) => record,
        None => {
            // Before the clock is read: no thread begins before the first one.
            registry::anchor();
            let record = registry::register(clock::now(), detach)?;
            RECORD.set(record);
            record
        }
    };
    record.current().map(|node| (record, node))
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
#[inline]
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
/// It is noted at the current node: so an end that comes while another zone is on top is that zone's.
#[cold]
#[inline(never)]
fn begin_nothing() {
    // SAFETY: invariant of `RECORD`.
    let current = match unsafe { RECORD.get().as_ref() } {
        Some(record) => record.current(),
        None => registry::once_at_a_time(here)
            .flatten()
            .map(|(_, node)| node),
    };
    if let Some(node) = current {
        let dropped = node.dropped.load(Relaxed);
        node.dropped.store(dropped.saturating_add(1), Relaxed);
    }
}

/// Closes the innermost open zone, which is expected to be called `zone`'s name, or to be `zone`.
///
/// `site` remembers the node that was closed here last, so that a name is compared only when it
/// may be another one.
#[inline]
#[allow(missing_docs)]
pub fn end(key: &'static SiteKey, zone: &'static Zone, matching: Matching) {
    let site = site_of(key);
    // SAFETY: invariant of `RECORD`.
    if let Some(record) = unsafe { RECORD.get().as_ref() } {
        let current = record.current_ptr();
        if ptr::eq(current, site.node.get()) {
            // SAFETY: `site.node` is null or a node of this thread, and `current` is not null
            // while the thread owns its record.
            if let Some(node) = unsafe { current.as_ref() }
                && let Some(parent) = node.parent
                && node.dropped.load(Relaxed) == 0
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
    // SAFETY: invariant of `RECORD`.
    if let Some(record) = unsafe { RECORD.get().as_ref() }
        && let Some(node) = record.current()
        && let Some(fewer) = node.dropped.load(Relaxed).checked_sub(1)
    {
        node.dropped.store(fewer, Relaxed);
        return;
    }
    let Some((record, top)) = registry::once_at_a_time(here).flatten() else {
        return;
    };
    let wanted = |node: &Node| match matching {
        Matching::Zone => ptr::eq(node.zone, zone),
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
#[inline(always)]
#[allow(missing_docs)]
pub fn tally(key: &'static SiteKey, zone: &'static Zone) {
    if switch::is_off(switch::word()) {
        return;
    }
    let site = site_of(key);
    // SAFETY: invariant of `RECORD`.
    if let Some(record) = unsafe { RECORD.get().as_ref() }
        && ptr::eq(record.current_ptr(), site.parent.get())
    {
        // SAFETY: invariant of `Site`.
        count(unsafe { &*site.node.get() });
        return;
    }
    tally_slowly(site, zone);
}

#[cold]
#[inline(never)]
fn tally_slowly(site: &Site, zone: &'static Zone) {
    registry::once_at_a_time(|| {
        if let Some((record, parent)) = here()
            && let Some(node) = find(record, parent, site, zone)
        {
            record.make_counter(node);
            count(node);
        }
    });
}

/// Registers the calling thread, if it is not, and returns its record.
pub(crate) fn record() -> Option<&'static ThreadRecord> {
    registry::once_at_a_time(here)
        .flatten()
        .map(|(record, _)| record)
}

/// Runs `f` with this thread's zones recorded in `record` instead of its own.
pub(super) fn with_record<R>(record: &'static ThreadRecord, f: impl FnOnce() -> R) -> R {
    struct Back(*const ThreadRecord);
    impl Drop for Back {
        fn drop(&mut self) {
            RECORD.set(self.0);
        }
    }
    let _back = Back(RECORD.replace(record));
    f()
}

/// This thread records no more.
fn detach() {
    RECORD.set(ptr::null());
}
