//! Functions for allocators, which add to several named values at once under the current node.
//!
//! An allocator may be called anywhere: before a thread has a name, in thread-local destructors, or during the
//! profiler's own allocations. So nothing here registers a thread, runs a first-zone hook or takes a lock. A thread
//! that has not entered a zone yet or is ending has no node, so the caller has to keep its amounts.

#![allow(unsafe_code)] // See `local.rs`.

use super::without_site::NoSite;
use super::{STATE, add, find, find_child, mode, registry};
use crate::Zone;
use crate::node::Node;
use crate::record::ThreadRecord;
use std::cell::Cell;
use std::ptr::{self, NonNull};

pub const VALUES: usize = 4;

/// The number of cached nodes, which take 2.5 KiB per thread. With a single cached node, zones that take turns
/// allocating would search at each allocation.
const SITES: usize = 64;

/// The value nodes under a node where the thread has allocated.
///
/// Invariant: `nodes` are the children of `parent` for the values, or `parent` is not a node at all.
struct AllocationSite {
    parent: Cell<NonNull<Node>>,
    nodes: [Cell<NonNull<Node>>; VALUES],
}

thread_local! {
    // With a constant initializer and no destructor, the array exists as long as the thread.
    static ALLOCATION_SITES: [AllocationSite; SITES] = const {
        [const {
            AllocationSite {
                // This pointer never equals a current node, as in `Site`.
                parent: Cell::new(NonNull::dangling()),
                nodes: [const { Cell::new(NonNull::dangling()) }; VALUES],
            }
        }; SITES]
    };
}

/// Returns the node's site. Nodes created in succession have different sites.
#[inline(always)]
fn site_of(sites: &[AllocationSite; SITES], node: *const Node) -> &AllocationSite {
    &sites[node.addr() / size_of::<Node>() % SITES]
}

/// Adds `steps` to the last `N` of `values` under the current node. Returns `false` if recording is on but there is no
/// node.
#[inline(always)]
pub fn add_steps<const N: usize>(values: &'static [Zone; VALUES], steps: [u64; N]) -> bool {
    let (record, epoch) = STATE.with(|state| (state.record.get(), state.epoch.get()));
    if mode::is_off(mode::epoch()) {
        return true;
    }
    if epoch == mode::UNSEEN {
        return false;
    }
    // SAFETY: the thread has a record, by the invariant of `ThreadState::epoch`. Records live as long as the program.
    let record = unsafe { record.as_ref() };
    let is_known = ALLOCATION_SITES.with(|sites| {
        let current = record.current_ptr();
        let site = site_of(sites, current);
        let is_known = ptr::eq(current, site.parent.get().as_ptr());
        if is_known {
            for (node, steps) in site.nodes[VALUES - N..].iter().zip(steps) {
                // SAFETY: these are nodes, by the invariant of `AllocationSite`, since `parent` is current.
                add(unsafe { node.get().as_ref() }, steps);
            }
        }
        is_known
    });
    is_known || add_slow(record, values, &steps)
}

/// Adds the steps under a node that is not cached.
#[cold]
#[inline(never)]
fn add_slow(record: &'static ThreadRecord, values: &'static [Zone; VALUES], steps: &[u64]) -> bool {
    let parent = record.current_ptr();
    let mut nodes = [None; VALUES];
    for (node, value) in nodes.iter_mut().zip(values) {
        *node = find_child(parent, &NoSite, value);
    }
    if nodes.iter().any(Option::is_none) {
        // Creating a node allocates. These allocations call this function again, and are not added.
        let made = registry::without_reentry(|| {
            let (record, parent) = record.and_current()?;
            for (node, value) in nodes.iter_mut().zip(values) {
                let made = find(record, parent, &NoSite, value)?;
                record.make_counter(made);
                *node = Some(made);
            }
            Some(())
        });
        if made.flatten().is_none() {
            return false;
        }
    }
    // The nodes were created in succession and are neighbors. If the next search starts at the first one, it finds all
    // four in four steps. If it started at the last one, it would have to go around all callees.
    if let [Some(first), ..] = nodes {
        first.start_search_here();
    }
    ALLOCATION_SITES.with(|sites| {
        let site = site_of(sites, parent);
        for (cached, node) in site.nodes.iter().zip(nodes) {
            if let Some(node) = node {
                cached.set(NonNull::from(node));
            }
        }
        if let Some(parent) = NonNull::new(parent.cast_mut()) {
            site.parent.set(parent);
        }
    });
    for (node, steps) in nodes[VALUES - steps.len()..].iter().zip(steps) {
        if let Some(node) = node {
            add(node, *steps);
        }
    }
    true
}

/// Sums `values` over all threads, without allocating. New threads have to wait until it returns.
pub fn sums(values: &'static [Zone; VALUES]) -> [u64; VALUES] {
    let mut sums = [0u64; VALUES];
    registry::for_each_record(|record| {
        let nodes = (0..record.node_count()).filter_map(|at| record.node(at));
        for node in nodes {
            let value = values.iter().position(|value| node.is_of(value));
            if let Some(value) = value {
                sums[value] = sums[value].wrapping_add(node.entries());
            }
        }
    });
    sums
}
