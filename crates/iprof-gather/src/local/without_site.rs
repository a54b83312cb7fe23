//! Enters and leaves zones by reference, without a site, so their nodes are searched for each time.

use super::{
    EndMatching, Guard, NodeCache, count_entries_slow, end_slow, enter_above_timed, enter_slow,
    find_child, known_record, leave_above_timed, leave_to_parent, record_in, search_and_enter,
};
use crate::Zone;
use crate::clock::{self, Ticks};
use crate::node::{Node, class};
use crate::record::ThreadRecord;
use crate::{mode, record};

pub(super) struct NoSite;

impl NodeCache for NoSite {
    #[inline(always)]
    fn cache_child(&self, _parent: &Node, _node: &Node) {}

    fn cache_closed(&self, _node: &Node) {}
}

#[inline]
pub fn enter(zone: &'static Zone) -> Guard {
    let epoch = mode::epoch();
    if mode::is_off(epoch) {
        return Guard::of(None);
    }
    Guard::of(match record_in(epoch) {
        Some(record) => search(record, zone),
        None => enter_slow(&NoSite, zone),
    })
}

/// Finds the zone's node and enters it. Unlike its counterpart for sites, this function is not marked cold, which would
/// make the compiler optimize everything that follows a call for size.
#[inline(never)]
fn search(record: &ThreadRecord, zone: &'static Zone) -> Option<&'static Node> {
    search_and_enter(record, record.current_ptr(), &NoSite, zone)
}

#[inline]
pub fn begin(zone: &'static Zone) {
    // While recording is off, no thread has applied the epoch.
    match record_in(mode::epoch()) {
        Some(record) if record.cutoff() == mode::cutoff::EXACT => begin_timed(record, zone),
        _ => begin_in_any_mode(zone),
    }
}

/// Enters a zone if every node is timed: the search hides behind the clock read. Less common cases are tail-called with
/// the time already read, so no register is saved here.
#[inline(never)]
fn begin_timed(record: &ThreadRecord, zone: &'static Zone) {
    let now = clock::now_without_call();
    if let Some(parent) = record.current()
        && let Some(node) = parent.child_within_reach(zone)
        && enter_above_timed(record, node, now)
    {
        return;
    }
    begin_timed_searched(record, zone, now);
}

#[inline(never)]
fn begin_timed_searched(record: &ThreadRecord, zone: &'static Zone, now: Option<Ticks>) {
    if let Some(node) = find_child(record.current_ptr(), &NoSite, zone)
        && enter_above_timed(record, node, now)
    {
        return;
    }
    begin_in_any_mode(zone);
}

#[inline(never)]
fn begin_in_any_mode(zone: &'static Zone) {
    super::keep_open(enter(zone));
}

/// Closes the innermost entry of `zone`.
#[inline]
pub fn end(zone: &'static Zone) {
    match known_record() {
        Some(record) if record.cutoff() == mode::cutoff::EXACT => end_timed(record, zone),
        _ => end_in_any_mode(zone),
    }
}

#[inline(never)]
fn end_timed(record: &ThreadRecord, zone: &'static Zone) {
    let now = clock::now_without_call();
    if let Some(now) = now
        && let Some(node) = record.current()
        && let Some(parent) = node.parent
        && node.is_of(zone)
        && leave_above_timed(record, node, parent, now)
    {
        return;
    }
    end_in_any_mode(zone);
}

#[inline(never)]
fn end_in_any_mode(zone: &'static Zone) {
    if let Some(record) = known_record()
        && let Some(node) = record.current()
        && let Some(parent) = node.parent
        && node.is_of(zone)
        && !node.has_pending_ends()
    {
        leave_to_parent(record, node, parent);
        return;
    }
    end_slow(&NoSite, zone, EndMatching::Zone);
}

/// Closes the innermost open zone, no matter which. If none is open, counts the fault for `zone`.
#[inline]
#[allow(missing_docs)]
pub fn end_innermost(zone: &'static Zone) {
    if let Some(record) = known_record()
        && let Some(node) = record.current()
        && let Some(parent) = node.parent
        && !node.has_pending_ends()
    {
        leave_to_parent(record, node, parent);
        return;
    }
    end_slow(&NoSite, zone, EndMatching::Innermost);
}

/// Counts entries of `zone` under the current node without measuring time, or adds to a named value. Returns the node,
/// if the entries were recorded.
#[inline]
pub fn add(zone: &'static Zone, entries: u64) -> Option<&'static Node> {
    let epoch = mode::epoch();
    if mode::is_off(epoch) {
        return None;
    }
    if let Some(record) = record_in(epoch)
        && let Some(node) = find_child(record.current_ptr(), &NoSite, zone)
        && node.class() == class::COUNTER
    {
        record::add(node, entries);
        return Some(node);
    }
    count_entries_slow(&NoSite, zone, entries)
}

/// Calls `f` with this thread's open zones, innermost first, and returns its first result.
pub fn find_open<T>(mut f: impl FnMut(&'static Zone) -> Option<T>) -> Option<T> {
    let mut node = known_record()?.current()?;
    while let Some(parent) = node.parent {
        if let Some(found) = f(node.zone()) {
            return Some(found);
        }
        node = parent;
    }
    None
}
