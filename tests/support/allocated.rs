//! An allocator that counts the program's bytes: what the system says of a process has an emulator's own memory in it.

#![allow(unsafe_code)] // An allocator is.
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The bytes that are allocated now.
pub fn bytes() -> usize {
    BYTES.load(Relaxed)
}

// SAFETY: does what the system's allocator does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        let memory = unsafe { System.alloc(layout) };
        if !memory.is_null() {
            BYTES.fetch_add(layout.size(), Relaxed);
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}
