//! `fork` while the calling thread holds one of the profiler's locks. Here the host's allocator calls `fork` while
//! the profiler allocates a snapshot; a signal handler could do so anywhere.

#![cfg(all(feature = "enable", feature = "report", target_os = "linux"))]
#![allow(unsafe_code, reason = "an allocator")]

#[path = "support/call_stack.rs"]
mod call_stack;
#[path = "support/forked_children.rs"]
mod forked_children;
#[path = "support/own_program.rs"]
mod own_program;

use call_stack::bushy;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Smaller than the nodes of a snapshot here, and larger than anything else that is allocated meanwhile.
const LARGE: usize = 64 << 10;

thread_local! {
    /// Whether the next large allocation on this thread calls `fork`.
    static FORKS: Cell<bool> = const { Cell::new(false) };
    /// The result of `fork`.
    static COPY: Cell<Option<c_int>> = const { Cell::new(None) };
}

struct Forking;

// SAFETY: `System` does the work.
unsafe impl GlobalAlloc for Forking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LARGE && FORKS.replace(false) {
            COPY.set(Some(forked_children::fork()));
        }
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static FORKING: Forking = Forking;

fn after_the_fork() {
    iprof::zone!(after_the_fork);
}

fn entries(zone: &str) -> u64 {
    let recorded = iprof::snapshot();
    let nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
    let is_it = |zone_of_node: u32| *recorded.zones[zone_of_node as usize].name == *zone;
    let entries = nodes.filter(|node| is_it(node.zone)).map(|n| n.entries);
    entries.sum()
}

/// The profiler's functions can be called, and what was recorded is there.
fn use_the_profiler() {
    (0..3).for_each(|_| after_the_fork());
    iprof::update(true);
    assert_eq!(entries("after_the_fork"), 0);
    assert_eq!(entries("left"), (1 << 12) - 1);
    assert!(!iprof::report().rows.is_empty());
}

#[test]
fn a_copy_made_within_a_lock_records_nothing_and_the_process_goes_on() {
    bushy(12);
    iprof::update(true);
    let start = Instant::now();
    // Others wait for the lock, in which the copy has no trace of them.
    let ends = Arc::new(AtomicBool::new(false));
    let others = [(); 3].map(|()| {
        let ends = Arc::clone(&ends);
        thread::spawn(move || {
            while !ends.load(Relaxed) {
                drop(iprof::threads());
            }
        })
    });
    FORKS.set(true);
    drop(iprof::snapshot());
    let copy = COPY.get().expect("a snapshot of that size allocates");
    if copy == 0 {
        forked_children::run_and_end(20, use_the_profiler);
    }
    ends.store(true, Relaxed);
    for other in others {
        other.join().unwrap();
    }
    let took = start.elapsed();
    // The profiler has waited for its own lock.
    assert!(took >= Duration::from_secs(2), "{took:?}");
    assert_eq!(forked_children::end_of(copy), Ok(()));
    (0..3).for_each(|_| after_the_fork());
    assert_eq!(entries("after_the_fork"), 3);
}
