//! The calling thread's side of recording: the functions that the macros call.
//!
//! # What is inlined into the host
//!
//! [`enter`] and the drop of a [`Guard`] are inlined into every function with a zone, so they contain only the branches
//! and the untimed case. Everything else is called out of line. In a function that does nothing else, `zone!` becomes
//! this code on x86-64:
//!
//! ```text
//! enter  mov  edx, [MODE_EPOCH]              drop  test rax, rax            no node: nothing to close
//!        test dl, 1                          je   done
//!        jne  off                            mov  rdi, fs:[STATE.record]
//!        cmp  edx, fs:[STATE.epoch]          cmp  [rdi + current], rax
//!        jne  enter_slow                     jne  leave_slow
//!        mov  rdi, fs:[STATE.record]         mov  rdx, [rax + parent]
//!        mov  rsi, [rdi + current]           cmp  byte [rax + flags], 0
//!        cmp  rsi, fs:[SITE.parent]          jne  leave_timed        cold
//!        jne  enter_under_other_parent       mov  [rdi + current], rdx
//!        mov  rax, fs:[SITE.node]      done
//!        test byte [rax + flags], 1
//!        jne  enter_timed        cold
//!        mov  [rdi + current], rax
//!        inc  [rax + entries]
//! ```
//!
//! The code has this shape for the following reasons, each confirmed by measurements (`./dev bench record`):
//!
//! * A timed zone costs as much as its two counter reads, which hide all other work, so inlining it gains nothing. An
//!   untimed zone costs as much as its instructions. So the timed case is a call, and it is marked cold even though it
//!   isn't, so that the compiler keeps values in registers along the untimed path and the host's functions grow less.
//! * The closure passed to `LocalKey::with` does nothing but return an address, because the fast path would not be
//!   inlined with a larger closure.
//! * If the current node is not the site's cached parent, a search is needed. If the clock has to be read as well, it
//!   is read first, because the read hides the search. If the clock is not read, the search is passed the values that
//!   are already known, and does not store unchanged values again.
//! * Inlined code is compiled with the host, so a development build does not optimize it. With debug assertions on,
//!   nothing is inlined, so the host can choose to optimize this crate alone
//!   (`[profile.dev.package.iprof-gather] opt-level = 3`).
//! * Without optimization, a zone costs as much as its calls, and only `#[inline(always)]` functions avoid a call. So
//!   the path through a zone uses only such functions. It uses references instead of pointers, which rustc checks in
//!   such builds. It has no checked arithmetic, and no closures except the ones passed to `LocalKey::with`.
//! * A thread that has applied the current mode epoch or holds a guard has a record, so neither entering nor leaving a
//!   zone tests for one.

#![allow(unsafe_code)] // Plain pointers instead of options keep the hot path down to one compare.

pub mod allocation;
pub mod for_c;
pub mod without_site;

use super::fault::Fault;
use super::node::Node;
use super::record::{ThreadRecord, add};
use super::{fallible, mode, registry};
use crate::Zone;
use crate::clock::{self, Ticks};
use crate::sync::StaticU32;
use std::cell::Cell;
use std::hint::unreachable_unchecked;
use std::marker::PhantomData;
use std::mem::transmute;
use std::ptr::{self, NonNull};

/// A thread's recording state. It has a constant initializer and no destructor, so reading it takes one instruction.
///
/// If thread-locals are part of a thread's memory, the state lives as long as the thread. If the system allocates them
/// separately, the state is destroyed at some point while the thread ends. A destructor that runs later sees a new
/// state with the placeholder record; `registry` keeps track of whether the thread has already registered.
#[repr(C)] // See `for_c`.
struct ThreadState {
    /// Invariant: the record that this thread owns, or [`ThreadRecord::PLACEHOLDER`] before the first zone, after the
    /// thread's end, and in a new state. Both live as long as the program.
    record: Cell<NonNull<ThreadRecord>>,
    /// The [mode epoch](mode) that the thread has applied. Invariant: [`mode::UNSEEN`], which the program's epoch never
    /// is, while `record` is the placeholder.
    epoch: Cell<u32>,
    /// Whether recording is off for this thread. If so, `epoch` is [`mode::UNSEEN`], so that the fast path doesn't have
    /// to test this field.
    is_recording_off: Cell<bool>,
    /// The address of the mode epoch, for C.
    program_epoch: *const StaticU32,
}

thread_local! {
    static STATE: ThreadState = const {
        ThreadState {
            record: Cell::new(ThreadRecord::PLACEHOLDER),
            epoch: Cell::new(mode::UNSEEN),
            is_recording_off: Cell::new(false),
            program_epoch: mode::EPOCH,
        }
    };
}

/// Returns the record that this thread owns, if `STATE` holds it.
#[inline(always)]
fn known_record() -> Option<&'static ThreadRecord> {
    let record = STATE.with(|state| state.record.get());
    if record == ThreadRecord::PLACEHOLDER {
        return None;
    }
    // SAFETY: the invariant of `ThreadState::record`.
    Some(unsafe { record.as_ref() })
}

/// Returns this thread's record, if it has applied `epoch`. [`enter`] and [`count_entry`] use a plain pointer instead,
/// because an `Option` costs time in builds without optimization.
#[inline(always)]
fn record_in(epoch: u32) -> Option<&'static ThreadRecord> {
    let (record, known_epoch) = STATE.with(|state| (state.record.get(), state.epoch.get()));
    if known_epoch != epoch {
        return None;
    }
    // SAFETY: the thread has a record, by the invariant of `ThreadState::epoch`. Records live as long as the program.
    Some(unsafe { record.as_ref() })
}

/// Returns the record that this thread owns even if `STATE` has lost it, for closing zones. The function is not
/// reentrant, because the registry may allocate, and the host's allocator may have zones.
fn own_record() -> Option<&'static ThreadRecord> {
    known_record().or_else(|| registry::without_reentry(registry::own_record).flatten())
}

/// A place in the source that enters a zone, on one thread. It caches the node that was last entered here.
///
/// Invariant: `node` is the child of `parent` for this place's zone, both in this thread's tree, or `parent` is not a
/// node at all.
#[derive(Debug)]
pub struct Site {
    parent: Cell<NonNull<Node>>,
    node: Cell<NonNull<Node>>,
}

type SiteKey = std::thread::LocalKey<Site>;

/// Returns the calling thread's site. Doing all the work inside `with` would be safe code, but a closure of that size
/// is not inlined.
#[inline(always)]
fn site_of<'a>(key: &'static SiteKey) -> &'a Site {
    // SAFETY: a site has a constant initializer and no destructor, so it exists as long as its thread. The reference
    // stays within functions of this file, which return before the thread ends.
    key.with(|site| unsafe { transmute::<&Site, &'a Site>(site) })
}

impl Site {
    #[allow(clippy::new_without_default, missing_docs)]
    #[must_use]
    pub const fn new() -> Site {
        Site {
            // This pointer never equals a current node, unlike null, which is current on threads without a record.
            parent: Cell::new(NonNull::dangling()),
            node: Cell::new(NonNull::dangling()),
        }
    }
}

/// A cache for the node that a search found. Zones without a site cache nothing.
trait NodeCache {
    fn cache_child(&self, parent: &Node, node: &Node);

    fn cache_closed(&self, node: &Node);
}

impl NodeCache for Site {
    #[inline(always)]
    fn cache_child(&self, parent: &Node, node: &Node) {
        self.parent.set(NonNull::from(parent));
        self.node.set(NonNull::from(node));
    }

    fn cache_closed(&self, node: &Node) {
        self.node.set(NonNull::from(node));
    }
}

/// An open zone on this thread, hence not `Send`. Dropping it closes the zone, even during unwinding.
#[derive(Debug)]
#[must_use]
pub struct Guard {
    /// Invariant: a node in this thread's tree, but not the root. `None` if the zone was not recorded.
    node: Option<&'static Node>,
    _not_send: PhantomData<*const Node>,
}

impl Guard {
    #[inline(always)]
    fn of(node: Option<&'static Node>) -> Guard {
        Guard {
            node,
            _not_send: PhantomData,
        }
    }

    /// Returns the thread's record and the node's index, or `None` if the zone was not recorded.
    pub fn node(&self) -> Option<(&'static ThreadRecord, u32)> {
        Some((known_record()?, self.node?.index()))
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(missing_docs)]
pub fn enter(key: &'static SiteKey, zone: &'static Zone) -> Guard {
    let epoch = mode::epoch();
    if mode::is_off(epoch) {
        return Guard::of(None);
    }
    let site = site_of(key);
    let (record, known_epoch) = STATE.with(|state| (state.record.get(), state.epoch.get()));
    if known_epoch == epoch {
        // SAFETY: the thread has a record, by the invariant of `ThreadState::epoch`.
        let record = unsafe { record.as_ref() };
        let parent = record.current_ptr();
        if ptr::eq(parent, site.parent.get().as_ptr()) {
            // SAFETY: by the invariant of `Site`, since `parent` is current. Nodes are never freed.
            let node = unsafe { site.node.get().as_ref() };
            enter_child(record, node);
            return Guard::of(Some(node));
        }
        return Guard::of(enter_under_other_parent(record, parent, site, zone));
    }
    Guard::of(enter_slow(site, zone))
}

/// Moves from the current node to its child.
#[inline(always)]
fn enter_child(record: &ThreadRecord, node: &Node) {
    if node.is_timed() {
        enter_timed(record, node);
    } else {
        record.enter_untimed(node);
    }
}

/// Moves from the current node to its parent.
#[inline(always)]
fn leave_to_parent(record: &ThreadRecord, node: &Node, parent: &Node) {
    if node.has_no_flags() {
        record.leave_untimed(parent);
    } else {
        leave_timed(record, node, parent);
    }
}

/// Enters a timed node. This function is outlined to keep the host's functions small; a call is negligible next to
/// reading the clock. The rare case is tail-called, so no register is saved here. The flags are tested after reading
/// the clock, because a signal handler may change them during that long read.
#[cold]
#[inline(never)]
pub(super) fn enter_timed(record: &ThreadRecord, node: &Node) {
    let now = clock::now_without_call();
    if !enter_above_timed(record, node, now) {
        enter_timed_slow(record, node, now);
    }
}

/// Enters a timed node from a timed parent, if the time was read. Returns whether the node was entered.
#[inline(always)]
fn enter_above_timed(record: &ThreadRecord, node: &Node, now: Option<Ticks>) -> bool {
    if let Some(now) = now
        && let Some(parent) = node.parent
        && parent.is_timed()
        && node.is_timed()
    {
        record.enter_above(parent, node, now);
        return true;
    }
    false
}

#[cold]
#[inline(never)]
fn enter_timed_slow(record: &ThreadRecord, node: &Node, now: Option<Ticks>) {
    let now = read_if_not(now);
    if node.is_timed() {
        record.enter(node, now);
    } else {
        record.enter_untimed(node);
    }
}

#[inline(always)]
fn read_if_not(now: Option<Ticks>) -> Ticks {
    match now {
        Some(now) => now,
        None => clock::now(),
    }
}

/// Like [`enter_timed`]. Also leaves an untimed node that has pending ends.
#[cold]
#[inline(never)]
pub(super) fn leave_timed(record: &ThreadRecord, node: &Node, parent: &Node) {
    let now = clock::now_without_call();
    if let Some(now) = now
        && leave_above_timed(record, node, parent, now)
    {
        return;
    }
    leave_timed_slow(record, node, parent, now);
}

/// Leaves a timed node for a timed parent, if no end is pending. Returns whether the node was left.
#[inline(always)]
fn leave_above_timed(record: &ThreadRecord, node: &Node, parent: &Node, now: Ticks) -> bool {
    let is_usual = node.is_timed_without_pending_ends() && parent.is_timed();
    if is_usual {
        record.leave_to(parent, node, parent, now);
    }
    is_usual
}

#[cold]
#[inline(never)]
fn leave_timed_slow(record: &ThreadRecord, node: &Node, parent: &Node, now: Option<Ticks>) {
    let now = read_if_not(now);
    if node.has_pending_ends() {
        node.clear_pending_ends();
    }
    if node.is_timed() {
        record.leave(node, parent, now);
    } else {
        record.leave_untimed(parent);
    }
}

/// Closes the guard's zone and enters `zone` in its place, unless the guard's zone was not recorded.
#[inline]
pub fn relabel(key: &'static SiteKey, zone: &'static Zone, guard: &mut Guard) {
    if guard.node.is_some() {
        drop(std::mem::replace(guard, Guard::of(None)));
        *guard = enter(key, zone);
    }
}

impl Drop for Guard {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        let Some(node) = self.node else {
            return;
        };
        // SAFETY: the invariant of `ThreadState::record`.
        let record = unsafe { STATE.with(|state| state.record.get()).as_ref() };
        let Some(parent) = node.parent else {
            // SAFETY: the guard's node is not the root, by the invariant of `node`.
            unsafe { unreachable_unchecked() }
        };
        if ptr::eq(record.current_ptr(), node) {
            leave_to_parent(record, node, parent);
        } else {
            leave_slow(record, node);
        }
    }
}

/// Enters a zone whose site has cached a different parent, because of recursion or in a shared helper.
#[cold]
#[inline(never)]
fn enter_under_other_parent(
    record: &ThreadRecord,
    parent: *const Node,
    site: &impl NodeCache,
    zone: &'static Zone,
) -> Option<&'static Node> {
    search_and_enter(record, parent, site, zone)
}

/// Finds the zone's node under the current node `parent` and enters it.
#[inline(always)]
fn search_and_enter(
    record: &ThreadRecord,
    parent: *const Node,
    site: &impl NodeCache,
    zone: &'static Zone,
) -> Option<&'static Node> {
    if record.cutoff() == mode::cutoff::EXACT {
        return enter_timed_under_other_parent(record, parent, site, zone);
    }
    let Some(node) = find_child(parent, site, zone) else {
        return enter_slow(site, zone);
    };
    enter_child(record, node);
    Some(node)
}

/// Like [`enter_under_other_parent`] if every node is timed: the search hides behind the slower clock read. Each case
/// is a separate function, so that neither saves registers for the other or for rare cases.
#[inline(never)]
fn enter_timed_under_other_parent(
    record: &ThreadRecord,
    parent: *const Node,
    site: &impl NodeCache,
    zone: &'static Zone,
) -> Option<&'static Node> {
    let now = clock::now_without_call();
    let Some(node) = find_child(parent, site, zone) else {
        return enter_slow(site, zone);
    };
    if enter_above_timed(record, node, now) {
        return Some(node);
    }
    enter_found_slow(record, node, now)
}

#[cold]
#[inline(never)]
fn enter_found_slow(
    record: &ThreadRecord,
    node: &'static Node,
    now: Option<Ticks>,
) -> Option<&'static Node> {
    enter_timed_slow(record, node, now);
    Some(node)
}

/// Returns the node for `zone` under the current node `parent` if it exists, and caches it.
#[inline(always)]
fn find_child(
    parent: *const Node,
    site: &impl NodeCache,
    zone: &'static Zone,
) -> Option<&'static Node> {
    // SAFETY: the pointer is null or a node, and nodes are never freed.
    let parent = unsafe { parent.as_ref() }?;
    let node = parent.child(zone.already_interned()?)?;
    site.cache_child(parent, node);
    Some(node)
}

/// Enters a zone that is new to this call stack, or on a thread that has not applied the current mode epoch.
#[cold]
#[inline(never)]
fn enter_slow(site: &impl NodeCache, zone: &'static Zone) -> Option<&'static Node> {
    if is_recording_off() {
        return None;
    }
    let found = registry::without_reentry(|| {
        let (record, parent) = record_and_current()?;
        run_first_zone_hook(zone);
        // The first-zone hook may have turned recording off.
        if mode::is_off(mode::epoch()) {
            return None;
        }
        apply_mode(record);
        Some((record, find(record, parent, site, zone)?))
    });
    if found.is_none() {
        count_missed_zone();
    }
    let (record, node) = found.flatten()?;
    enter_child(record, node);
    Some(node)
}

/// Runs the zone's hook if this thread has applied no mode epoch, which means that it has not entered a zone yet.
fn run_first_zone_hook(zone: &Zone) {
    if STATE.with(|state| state.epoch.get()) == mode::UNSEEN {
        fallible::while_allocating(|| zone.run_first_zone_hook());
    }
}

fn apply_mode(record: &ThreadRecord) {
    let epoch = mode::epoch();
    let is_current = STATE.with(|state| state.epoch.get()) == epoch;
    if !is_current
        && !mode::is_off(epoch)
        && record.try_apply_mode(mode::cutoff_of(epoch), clock::now)
    {
        STATE.with(|state| state.epoch.set(epoch));
    }
}

/// Returns whether recording is off for this thread.
pub fn is_recording_off() -> bool {
    STATE.with(|state| state.is_recording_off.get())
}

/// Turns recording off or on for this thread. Returns whether it was off before.
pub fn set_recording_off(is_recording_off: bool) -> bool {
    STATE.with(|state| {
        // Make the thread apply the mode epoch again at its next zone.
        state.epoch.set(mode::UNSEEN);
        state.is_recording_off.replace(is_recording_off)
    })
}

/// Closes a zone that is not on top of the stack.
#[cold]
#[inline(never)]
fn leave_slow(record: &'static ThreadRecord, node: &'static Node) {
    let is_known = !ptr::eq(record, ThreadRecord::PLACEHOLDER.as_ptr());
    if let Some(record) = is_known.then_some(record).or_else(registry::own_record) {
        record.close(node, clock::now);
    }
}

/// Returns this thread's record and current node. Registers the thread if it is new.
fn record_and_current() -> Option<(&'static ThreadRecord, &'static Node)> {
    let record = match known_record() {
        Some(record) => record,
        None => {
            // Set the anchor before reading the clock, so that no thread begins before the anchor.
            registry::anchor();
            let record = registry::register(clock::now(), detach)?;
            STATE.with(|state| state.record.set(NonNull::from(record)));
            record
        }
    };
    record.and_current()
}

/// Finds or creates the node for `zone` under `parent`, and caches it.
fn find(
    record: &'static ThreadRecord,
    parent: &'static Node,
    site: &impl NodeCache,
    zone: &'static Zone,
) -> Option<&'static Node> {
    let node = record.node_for(parent, zone)?;
    site.cache_child(parent, node);
    Some(node)
}

/// Opens a zone that is not closed at the end of a scope.
#[cfg_attr(not(debug_assertions), inline)]
#[allow(missing_docs)]
pub fn begin(key: &'static SiteKey, zone: &'static Zone) {
    keep_open(enter(key, zone));
}

/// Forgets the guard, so that its zone stays open until an end closes it.
#[inline(always)]
fn keep_open(guard: Guard) {
    if guard.node.is_none() {
        begin_unrecorded();
    }
    std::mem::forget(guard);
}

/// Notes at the current node that the end of an unrecorded begin is pending. A begin is not recorded if recording is
/// off, if there is no room for a node, or if it happens in an allocation while another zone is being entered.
///
/// The note lasts until the thread leaves the current node. An end that arrives while a different zone is on top
/// belongs to that zone.
#[cold]
#[inline(never)]
fn begin_unrecorded() {
    let current = match own_record() {
        Some(record) => record.current(),
        None => registry::without_reentry(record_and_current)
            .flatten()
            .map(|(_, node)| node),
    };
    if let Some(node) = current {
        node.add_pending_end();
    }
}

/// Closes the innermost open zone that matches `zone`, which is normally the zone on top of the stack. The site caches
/// the last node closed here, so names are compared only if the node differs.
#[cfg_attr(not(debug_assertions), inline)]
#[allow(missing_docs)]
pub fn end(key: &'static SiteKey, zone: &'static Zone, matching: EndMatching) {
    let site = site_of(key);
    if let Some(record) = known_record() {
        let current = record.current_ptr();
        if ptr::eq(current, site.node.get().as_ptr()) {
            // SAFETY: the pointer is null or one of this thread's nodes, and nodes are never freed.
            if let Some(node) = unsafe { current.as_ref() }
                && let Some(parent) = node.parent
                && !node.has_pending_ends()
            {
                leave_to_parent(record, node, parent);
                return;
            }
        }
    }
    end_slow(site, zone, matching);
}

/// How an end finds its begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EndMatching {
    Zone,
    /// The end closes a zone with the same name.
    Name,
    /// The end closes the innermost open zone, no matter which.
    Innermost,
}

#[cold]
#[inline(never)]
fn end_slow(site: &impl NodeCache, zone: &'static Zone, matching: EndMatching) {
    // Check for a pending end first, and without `record_and_current`: a begin that was not recorded because a node was
    // being created also ends while that node is being created.
    let own = own_record().and_then(ThreadRecord::and_current);
    if let Some((_, node)) = own
        && node.take_pending_end()
    {
        return;
    }
    // Continue even if a node is being created: an allocation during its creation may have entered a zone whose node
    // already existed, and this may be that zone's end.
    let Some((record, top)) =
        own.or_else(|| registry::without_reentry(record_and_current).flatten())
    else {
        return;
    };
    let wanted = |node: &Node| match matching {
        EndMatching::Zone => node.is_of(zone),
        EndMatching::Name => node.zone.is_named_like(zone),
        EndMatching::Innermost => true,
    };
    let mut node = top;
    while let Some(parent) = node.parent {
        if wanted(node) {
            if ptr::eq(node, top) && matching != EndMatching::Innermost {
                site.cache_closed(node);
            }
            record.close(node, clock::now);
            return;
        }
        node = parent;
    }
    record.fault(Fault::EndWithoutBegin, zone);
}

/// Counts an entry of `zone` under the current node, without measuring time.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(missing_docs)]
pub fn count_entry(key: &'static SiteKey, zone: &'static Zone) {
    count_entries(key, zone, 1);
}

/// Adds `steps` to the named value `zone` under the current node.
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(missing_docs)]
pub fn add_to_value(key: &'static SiteKey, zone: &'static Zone, steps: u64) {
    count_entries(key, zone, steps);
}

#[inline(always)]
fn count_entries(key: &'static SiteKey, zone: &'static Zone, entries: u64) {
    let epoch = mode::epoch();
    if mode::is_off(epoch) {
        return;
    }
    let site = site_of(key);
    let (record, known_epoch) = STATE.with(|state| (state.record.get(), state.epoch.get()));
    if known_epoch == epoch {
        // SAFETY: the thread has a record, by the invariant of `ThreadState::epoch`.
        let record = unsafe { record.as_ref() };
        if ptr::eq(record.current_ptr(), site.parent.get().as_ptr()) {
            // SAFETY: the invariant of `Site`.
            add(unsafe { site.node.get().as_ref() }, entries);
            return;
        }
    }
    let _ = count_entries_slow(site, zone, entries);
}

#[cold]
#[inline(never)]
fn count_entries_slow(
    site: &impl NodeCache,
    zone: &'static Zone,
    entries: u64,
) -> Option<&'static Node> {
    if is_recording_off() {
        return None;
    }
    let done = registry::without_reentry(|| {
        let (record, parent) = record_and_current()?;
        run_first_zone_hook(zone);
        if mode::is_off(mode::epoch()) {
            return None;
        }
        apply_mode(record);
        let node = find(record, parent, site, zone)?;
        record.make_counter(node);
        add(node, entries);
        Some(node)
    });
    if done.is_none() {
        count_missed_zone();
    }
    done.flatten()
}

/// Counts a signal handler's fault: a zone that was entered while the profiler ran code that is not reentrant. Zones in
/// the host's allocator are not counted.
fn count_missed_zone() {
    if let Some(record) = known_record()
        && !fallible::is_allocating()
    {
        record.count_interrupt();
    }
}

/// Returns the calling thread's record, and registers the thread if it is new. Returns `None` if recording is compiled
/// out, or on a thread that is about to end.
pub fn record() -> Option<&'static ThreadRecord> {
    if !super::IS_ENABLED {
        return None;
    }
    registry::without_reentry(record_and_current)
        .flatten()
        .map(|(record, _)| record)
}

/// Runs `f` with this thread's zones recorded in `record` instead of the thread's own record.
pub(super) fn with_record<R>(
    record: &'static ThreadRecord,
    epoch: u32,
    f: impl FnOnce() -> R,
) -> R {
    struct Restore(NonNull<ThreadRecord>, u32, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            STATE.with(|state| {
                state.record.set(self.0);
                state.epoch.set(self.1);
                state.is_recording_off.set(self.2);
            });
        }
    }
    let _restore = STATE.with(|state| {
        Restore(
            state.record.replace(NonNull::from(record)),
            state.epoch.replace(epoch),
            state.is_recording_off.replace(false),
        )
    });
    registry::with_recording_allowed(f)
}

/// Resets this thread's state. Destroying the state has the same effect where the system allocates thread-locals
/// separately.
#[cfg(all(test, not(loom), feature = "enable"))]
pub(super) fn lose_state() {
    detach();
    STATE.with(|state| state.is_recording_off.set(false));
}

/// Stops recording on this thread.
fn detach() {
    STATE.with(|state| {
        state.epoch.set(mode::UNSEEN);
        state.record.set(ThreadRecord::PLACEHOLDER);
    });
}
