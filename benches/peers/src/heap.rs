//! An allocator that measures the heap: the bytes in use, and their peak.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator with counters, for use as a program's `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        take(size);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.realloc(at, layout, size) }
    }
}

fn take(size: usize) {
    let in_use = IN_USE.fetch_add(size, Relaxed) + size;
    MOST.fetch_max(in_use, Relaxed);
}

/// Returns the bytes in use now, and their peak. Both are 0 in a program without [`Counting`].
pub(crate) fn heap() -> (f64, f64) {
    (IN_USE.load(Relaxed) as f64, MOST.load(Relaxed) as f64)
}
