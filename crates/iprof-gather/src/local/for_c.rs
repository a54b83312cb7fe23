//! The functions called by the C headers' inline functions, and the memory layout that the inline functions rely on
//! (`crates/iprof-c/include/iprof_inline.h`).
//!
//! The inline functions enter and leave untimed nodes like [`enter`](super::enter) and the drop of a [`Guard`], with
//! the same loads and stores and the same memory orderings. All other cases are handled here.

#![allow(unsafe_code)] // C passes pointers.

use super::{Guard, STATE, ThreadState, without_site};
use crate::Zone;
use crate::mode;
use crate::node::{HAS_PENDING_ENDS, Node, TIMED};
use crate::record::ThreadRecord;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, offset_of};
use std::ptr;

/// Field offsets and flag bits, in the order in which the C test lists them. A change here must also rename
/// `iprof_this_thread_1`, so that programs with other headers do not link.
pub const LAYOUT: [usize; 12] = [
    offset_of!(ThreadState, record),
    offset_of!(ThreadState, epoch),
    offset_of!(ThreadState, program_epoch),
    ThreadRecord::CURRENT,
    offset_of!(Node, entries),
    offset_of!(Node, zone),
    offset_of!(Node, parent),
    offset_of!(Node, pending_ends),
    offset_of!(Node, flags),
    TIMED as usize,
    HAS_PENDING_ENDS as usize,
    mode::OFF as usize,
];

/// A node of the calling thread, or null.
pub type NodePointer = *const c_void;

/// Returns the calling thread's state. Where thread-locals are part of a thread's memory, it stays valid until the
/// thread is gone.
#[must_use]
pub fn this_thread() -> *const c_void {
    STATE.with(|state| ptr::from_ref(state).cast())
}

/// C's `iprof_site`: either null pointers, or the same contents as a [`Site`](super::Site).
#[derive(Debug)]
#[repr(C)]
pub struct CSite {
    parent: *const Node,
    node: *const Node,
}

/// Enters `zone` and caches its node in the site. Returns null if the zone was not recorded.
#[must_use]
pub fn open(site: Option<&mut CSite>, zone: &'static Zone) -> NodePointer {
    let guard = without_site::enter(zone);
    let node = guard.node;
    std::mem::forget(guard);
    let Some(node) = node else {
        return ptr::null();
    };
    cache(site, node);
    ptr::from_ref(node).cast()
}

fn cache(site: Option<&mut CSite>, node: &'static Node) {
    if let (Some(site), Some(parent)) = (site, node.parent) {
        *site = CSite { parent, node };
    }
}

/// Adds to the named value `zone` under the current node, and caches the value's node in the site.
pub fn add(site: Option<&mut CSite>, zone: &'static Zone, steps: u64) {
    if let Some(node) = without_site::add(zone, steps) {
        cache(site, node);
    }
}

/// Notes that the end of an unrecorded begin is pending.
pub fn expect_end() {
    super::begin_unrecorded();
}

/// Returns this thread's innermost open zone, which stays open. Returns `None` if no zone is open or the innermost one
/// is not recorded.
pub fn innermost() -> Option<ManuallyDrop<Guard>> {
    let node = super::known_record()?.current()?;
    // The root isn't a zone, and a pending end belongs to an unrecorded zone.
    let is_zone = node.parent.is_some() && !node.has_pending_ends();
    is_zone.then(|| {
        ManuallyDrop::new(Guard {
            node: Some(node),
            _not_send: PhantomData,
        })
    })
}

/// Enters a timed node from its parent.
///
/// # Safety
/// `record` must belong to the calling thread, and `node` must be a child of the record's current node.
#[inline]
pub unsafe fn open_node(record: NodePointer, node: NodePointer) {
    // SAFETY: the caller's promise. Both live as long as the program.
    let (record, node) = unsafe { (&*record.cast::<ThreadRecord>(), &*node.cast::<Node>()) };
    super::enter_timed(record, node);
}

/// Leaves a timed node without pending ends for its parent.
///
/// # Safety
/// `record` must belong to the calling thread, and `node` must be the record's current node.
#[inline]
pub unsafe fn close_node(record: NodePointer, node: NodePointer) {
    // SAFETY: the caller's promise. Both live as long as the program.
    let (record, node) = unsafe { (&*record.cast::<ThreadRecord>(), &*node.cast::<Node>()) };
    if let Some(parent) = node.parent {
        super::leave_timed(record, node, parent);
    }
}

/// Closes a node that [`open`] or [`open_node`] opened, wherever it is on the stack.
///
/// # Safety
///
/// `node` must be null, or a node that the calling thread opened. It must not be the root.
#[inline]
pub unsafe fn close(node: NodePointer) {
    drop(Guard {
        // SAFETY: the caller's promise. Nodes live as long as the program.
        node: unsafe { node.cast::<Node>().as_ref() },
        _not_send: PhantomData,
    });
}
