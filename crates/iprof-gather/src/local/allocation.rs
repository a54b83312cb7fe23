//! What an allocator calls: adds to several named values at once below the current node.
//!
//! An allocator is called from anywhere: before a thread has a name, in destructors of thread-locals, in the profiler's
//! own allocations. So nothing here registers a thread, runs an environment's hook or takes a lock. A thread that has
//! entered no zone yet, or that ends, has no node: the caller keeps what it could not add.

#![allow(unsafe_code)] // As in `local.rs`.

use super::without_site::NoSite;
use super::{STATE, add, find, find_child, mode, registry};
use crate::Zone;
use crate::node::Node;
use crate::record::ThreadRecord;
use std::cell::Cell;
use std::ptr::{self, NonNull};

/// How many values an allocator adds to.
pub const VALUES: usize = 4;

/// How many nodes of a thread, by their addresses, have their values' nodes cached: 2.5 KiB on each thread of a program with
/// this allocator. With one, zones that allocate by turns took 5 ns for each allocation and each freeing, to search.
const SITES: usize = 64;

/// The nodes of the values below a node at which the thread has allocated.
///
/// Invariant: `nodes` are the children of `parent` for the values, or `parent` is not a node at all.
struct AllocationSite {
    parent: Cell<NonNull<Node>>,
    nodes: [Cell<NonNull<Node>>; VALUES],
}

thread_local! {
    // Made by a constant and without a destructor: there from the thread's begin to its end.
    static ALLOCATION_SITES: [AllocationSite; SITES] = const {
        [const {
            AllocationSite {
                // Never current, as in `Site`.
                parent: Cell::new(NonNull::dangling()),
                nodes: [const { Cell::new(NonNull::dangling()) }; VALUES],
            }
        }; SITES]
    };
}

/// The site of a node. Nodes that are made one after another have different ones.
#[inline(always)]
fn site_of(sites: &[AllocationSite; SITES], node: *const Node) -> &AllocationSite {
    &sites[node.addr() / size_of::<Node>() % SITES]
}

/// Adds `steps` to the last of `values` below the current node. Returns whether that was possible, or recording is off.
#[inline(always)]
pub fn add_steps<const N: usize>(values: &'static [Zone; VALUES], steps: [u64; N]) -> bool {
    let (record, epoch) = STATE.with(|state| (state.record.get(), state.epoch.get()));
    if mode::is_off(mode::epoch()) {
        return true;
    }
    if epoch == mode::UNSEEN {
        return false;
    }
    // SAFETY: invariant of `ThreadState::epoch`: the thread has a record. Records live as long as the program.
    let record = unsafe { record.as_ref() };
    let is_known = ALLOCATION_SITES.with(|sites| {
        let current = record.current_ptr();
        let site = site_of(sites, current);
        let is_known = ptr::eq(current, site.parent.get().as_ptr());
        if is_known {
            for (node, steps) in site.nodes[VALUES - N..].iter().zip(steps) {
                // SAFETY: invariant of `AllocationSite`: `parent` is current, so it is a node, and so are these.
                add(unsafe { node.get().as_ref() }, steps);
            }
        }
        is_known
    });
    is_known || add_slow(record, values, &steps)
}

/// Below a node that was not current at the last allocation.
#[cold]
#[inline(never)]
fn add_slow(record: &'static ThreadRecord, values: &'static [Zone; VALUES], steps: &[u64]) -> bool {
    let parent = record.current_ptr();
    let mut nodes = [None; VALUES];
    for (node, value) in nodes.iter_mut().zip(values) {
        *node = find_child(parent, &NoSite, value);
    }
    if nodes.iter().any(Option::is_none) {
        // Making a node allocates: those allocations come here again, and are not added.
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
    // They were made one after another, and are neighbors: the next search finds all four in as many steps, not from the last
    // one around all callees.
    if let [Some(first), ..] = nodes {
        first.be_found_first();
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

/// The sums of `values` on all threads. Allocates nothing; threads that register wait meanwhile.
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
