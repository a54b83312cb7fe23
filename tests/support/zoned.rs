//! An allocator that enters zones, even for the profiler's own allocations.

#![allow(unsafe_code)] // Implementing an allocator is unsafe.

use std::alloc::{GlobalAlloc, Layout, System};

pub(crate) struct Zoned;

// SAFETY: every call is forwarded to the system allocator.
unsafe impl GlobalAlloc for Zoned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        iprof::counter!(allocations);
        iprof::zone!(allocate);
        iprof::begin!(system);
        // SAFETY: the caller upholds the same contract.
        let memory = unsafe { System.alloc(layout) };
        iprof::end!(system);
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        iprof::zone!(free);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(memory, layout) }
    }
}
