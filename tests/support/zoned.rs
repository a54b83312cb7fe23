//! An allocator that contains zones: the profiler's own allocations enter them, too.

#![allow(unsafe_code)] // An allocator is.

use std::alloc::{GlobalAlloc, Layout, System};

pub(crate) struct Zoned;

// SAFETY: does what the system's allocator does.
unsafe impl GlobalAlloc for Zoned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        iprof::counter!(allocations);
        iprof::zone!(allocate);
        iprof::begin!(system);
        // SAFETY: the caller's promise is the same.
        let memory = unsafe { System.alloc(layout) };
        iprof::end!(system);
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        iprof::zone!(free);
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(memory, layout) }
    }
}
