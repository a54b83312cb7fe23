//! Measures a call's peak heap use and CPU time.

#![allow(unsafe_code, reason = "implementing an allocator is unsafe")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The system allocator, which also counts the bytes in use.
#[derive(Debug)]
pub(crate) struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// A lock that runs one test at a time, because the byte count is global.
static ALONE: Mutex<()> = Mutex::new(());

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the same contract.
        let at = unsafe { System.alloc(layout) };
        if !at.is_null() {
            take(layout.size());
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the same contract.
        let at = unsafe { System.realloc(at, layout, size) };
        if !at.is_null() {
            IN_USE.fetch_sub(layout.size(), Relaxed);
            take(size);
        }
        at
    }
}

fn take(size: usize) {
    let in_use = IN_USE.fetch_add(size, Relaxed) + size;
    MOST.fetch_max(in_use, Relaxed);
}

/// Runs a test alone, on a thread whose stack is too small to recurse through thousands of levels.
pub(crate) fn on_a_small_stack(test: fn()) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let ended = thread.spawn(test).unwrap().join();
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// Returns the peak number of bytes in use during `f`, minus the number in use before.
pub(crate) fn most_while(f: impl FnOnce()) -> usize {
    let before = IN_USE.load(Relaxed);
    MOST.store(before, Relaxed);
    f();
    MOST.load(Relaxed) - before
}

/// Returns the thread's CPU time so far, or wall-clock time if the system does not report CPU time.
pub(crate) fn processor_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat");
    let ns = statistics
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Checks that ten times as many levels take about ten times the CPU time. Quadratic work would take a hundred times as
/// long.
pub(crate) fn check_is_linear(
    what: &str,
    mut long: impl FnMut() -> Duration,
    mut short: impl FnMut() -> Duration,
) {
    let is_linear = |time, least| time < 40 * least + Duration::from_millis(60);
    let (mut time, mut least) = (long(), short());
    for _ in 0..3 {
        if is_linear(time, least) {
            break;
        }
        // The measurement is repeated, because the machine may have been busy.
        time = time.min(long());
        least = least.min(short());
    }
    println!("{what}: {time:?}, {least:?}");
    assert!(is_linear(time, least), "{what}: {time:?}, {least:?}");
}
