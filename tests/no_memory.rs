//! Allocation failures, again and again: the profiler stops growing and warns, and the host goes on. Only
//! allocations on request (`update`, reports) fail here; what a zone allocates at first sight does not.
#![cfg(all(feature = "enable", feature = "report"))]
#![allow(unsafe_code, reason = "an allocator that refuses")]

#[path = "support/call_stack.rs"]
mod call_stack;

use call_stack::enter;
use iprof::{Recursion, ReportMode, Timing, View};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

thread_local! {
    /// Whether this thread is in a call of the profiler.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// Smaller allocations succeed: without them, a host fails by itself.
const SMALL: usize = 1_024;

struct Limited;

// SAFETY: `System` does the work, or the allocation fails with null.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Relaxed) + layout.size();
        if taken > MOST.load(Relaxed) && layout.size() >= SMALL && ASKS.get() {
            TAKEN.fetch_sub(layout.size(), Relaxed);
            REFUSED.fetch_add(1, Relaxed);
            ASKS.set(false);
            if std::env::var_os("IPROF_TEST_REFUSED").is_some() {
                eprintln!("{layout:?} {}", std::backtrace::Backtrace::force_capture());
            }
            ASKS.set(true);
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static LIMITED: Limited = Limited;

/// Measurements are the whole program's: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Calls the profiler, which gets no more memory than there is.
fn asks<R>(f: impl FnOnce() -> R) -> R {
    ASKS.set(true);
    let result = f();
    ASKS.set(false);
    result
}

fn known() {
    iprof::zone!(known);
}

/// Every call that takes memory by what there is.
fn ask_for_everything() {
    let mut view = View::new();
    for &mode in ReportMode::ALL {
        view.set_report_mode(mode);
        for recursion in [Recursion::Flatten, Recursion::Spread] {
            view.set_recursion(recursion);
            drop(asks(|| view.report()));
        }
    }
    drop(asks(|| view.graph()));
    drop(asks(iprof::snapshot));
    drop(asks(iprof::dump));
    drop(asks(|| iprof::frame_snapshots(..).last()));
    drop(asks(iprof::threads));
}

/// Whether the report and its text warn that nothing new is recorded; neither gets more memory than there
/// is.
fn has_stopped() -> bool {
    const WARNING: &str = "out of memory: new call stacks";
    let warnings = asks(|| iprof::report().warnings);
    let has_stopped = warnings.iter().any(|line| line.starts_with(WARNING));
    let mut text = Vec::new();
    asks(|| iprof::write_report(&mut text)).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.contains(WARNING), has_stopped, "{text}");
    has_stopped
}

#[test]
fn whatever_the_limit_the_profiler_stops_growing_and_says_so() {
    let _alone = ALONE.lock();
    let mut path = 0_u32;
    known();
    for timing in [Timing::Exact, Timing::SAMPLED, Timing::AUTO] {
        for more in [0, 1 << 10, 100 << 10, 300 << 10, 1 << 20, 3 << 20, 9 << 20] {
            iprof::set_timing(timing);
            iprof::set_history(200);
            iprof::update(true);
            iprof::reset();
            assert!(!has_stopped(), "there is memory");
            MOST.store(TAKEN.load(Relaxed) + more, Relaxed);
            let refused = REFUSED.load(Relaxed);
            for frame in 0.. {
                assert!(
                    frame < 3_000,
                    "{timing:?}, {more} bytes more: it grows for ever"
                );
                for _ in 0..40 {
                    enter(path.reverse_bits(), 24);
                    path = path.wrapping_add(1 << 9);
                }
                known();
                asks(|| iprof::update(true));
                if frame % 64 == 3 {
                    ask_for_everything();
                }
                if frame % 16 == 0 && has_stopped() {
                    break;
                }
            }
            assert!(REFUSED.load(Relaxed) > refused);
            // What is known goes on; what is new is not there.
            let zones = iprof::snapshot().zones.len();
            for _ in 0..50 {
                for _ in 0..40 {
                    enter(path.reverse_bits(), 24);
                    path = path.wrapping_add(1 << 9);
                }
                known();
                iprof::zone!(new_while_there_is_none);
                asks(|| iprof::update(true));
            }
            ask_for_everything();
            assert!(has_stopped(), "the limit is in force");
            MOST.store(usize::MAX, Relaxed);
            iprof::update(true);
            assert!(has_stopped(), "until a reset");
            let recorded = iprof::snapshot();
            assert!(recorded.zones.len() <= zones);
            // Then all sums hold again, with what came in the meantime.
            iprof::reset();
            assert!(!has_stopped());
            for _ in 0..5 {
                known();
                enter(path.reverse_bits(), 24);
                iprof::update(true);
                for thread in iprof::threads().iter().filter(|thread| thread.running) {
                    let mut view = View::new();
                    view.set_threads(iprof::Threads::One(thread.id));
                    view.set_average(iprof::Average::Newest);
                    let report = view.report();
                    let sum: f64 = report
                        .rows
                        .iter()
                        .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
                        .sum();
                    let ms = report.frame_ms;
                    assert!((sum - ms).abs() <= 1e-6 * (1.0 + ms), "{sum} of {ms}");
                }
            }
            let recorded = iprof::snapshot();
            let nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
            let is_known = |zone: u32| &*recorded.zones[zone as usize].name == "known";
            let entries: u64 = nodes.filter(|n| is_known(n.zone)).map(|n| n.entries).sum();
            assert_eq!(entries, 5, "{timing:?}, {more}");
            for thread in &recorded.threads {
                let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
                assert!(ticks <= recorded.ticks, "{}", thread.name);
            }
        }
    }
}
