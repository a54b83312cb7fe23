//! What the inline functions of C's headers call, and the layout that they rely on (`crates/iprof-c/include/iprof_inline.h`).
//!
//! They enter and leave untimed nodes as [`enter`](super::enter) and the drop of a [`Guard`] do: the loads and stores
//! are the same, with the same orders, on the thread's own record. All other cases they leave to the functions here.

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

/// Offsets of fields, and bits of flags, in the order of C's test of them. What changes them changes the name of
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

/// The calling thread's state, which stays there until the thread is gone: on systems where thread-locals are part
/// of a thread's memory.
#[must_use]
pub fn this_thread() -> *const c_void {
    STATE.with(|state| ptr::from_ref(state).cast())
}

/// C's `iprof_site`: null pointers, or as a [`Site`](super::Site).
#[derive(Debug)]
#[repr(C)]
pub struct CSite {
    parent: *const Node,
    node: *const Node,
}

/// Enters `zone`, whose node the site caches then; null if it was not recorded.
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

/// Adds to the named value `zone` at the current node; the site caches the value's node then.
pub fn add(site: Option<&mut CSite>, zone: &'static Zone, steps: u64) {
    if let Some(node) = without_site::add(zone, steps) {
        cache(site, node);
    }
}

/// Notes that the end of an unrecorded begin is still to come.
pub fn expect_end() {
    super::begin_unrecorded();
}

/// The innermost zone that is open on this thread, which stays open; `None` if there is none, and if it is not recorded.
pub fn innermost() -> Option<ManuallyDrop<Guard>> {
    let node = super::known_record()?.current()?;
    // The root is no zone; a pending end is that of a zone that is not recorded.
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
///
/// `record` is the calling thread's, and `node` is a child of its current node.
#[inline]
pub unsafe fn open_node(record: NodePointer, node: NodePointer) {
    // SAFETY: the caller's promise; both live as long as the program.
    let (record, node) = unsafe { (&*record.cast::<ThreadRecord>(), &*node.cast::<Node>()) };
    super::enter_timed(record, node);
}

/// Goes from a timed node without pending ends to its parent.
///
/// # Safety
///
/// `record` is the calling thread's, and `node` is its current node.
#[inline]
pub unsafe fn close_node(record: NodePointer, node: NodePointer) {
    // SAFETY: the caller's promise; both live as long as the program.
    let (record, node) = unsafe { (&*record.cast::<ThreadRecord>(), &*node.cast::<Node>()) };
    if let Some(parent) = node.parent {
        super::leave_timed(record, node, parent);
    }
}

/// Closes what [`open`] or [`open_node`] opened, wherever it is on the stack.
///
/// # Safety
///
/// `node` is null, or the calling thread opened it: a node that is not its root.
#[inline]
pub unsafe fn close(node: NodePointer) {
    drop(Guard {
        // SAFETY: the caller's promise; nodes live as long as the program.
        node: unsafe { node.cast::<Node>().as_ref() },
        _not_send: PhantomData,
    });
}
