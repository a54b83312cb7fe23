//! Tests how long the end of a frame waits for threads that copy the recorded data. It waits only for the copy in
//! progress and for one copy by each of the other threads, no matter how soon they start their next copies.
#![cfg(feature = "enable")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// Runs one test at a time, because recorded data is global.
static ALONE: Mutex<()> = Mutex::new(());

const LEVELS: u32 = 10_000;
const FRAMES: usize = 60;

fn recurse(levels: u32) {
    iprof::zone!(deep);
    if levels > 0 {
        recurse(levels - 1);
    }
    std::hint::black_box(levels);
}

/// Makes threads call `copy` repeatedly, and checks how many copies complete while the end of a frame waits. Copies are
/// counted rather than timed, because a busy machine delays all threads alike.
fn check(readers: usize, copy: impl Fn(&dyn Fn() -> bool) + Sync) {
    let _alone = ALONE.lock();
    let (copies, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
    let each = || {
        copies.fetch_add(1, Relaxed);
        !ends.load(Relaxed)
    };
    let mut waited = thread::scope(|scope| {
        // Keep all CPU cores busy, so that waiting threads wake up late.
        let processors = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..2 * processors {
            scope.spawn(|| {
                while !ends.load(Relaxed) {
                    std::hint::spin_loop()
                }
            });
        }
        for _ in 0..readers {
            scope.spawn(|| {
                while !ends.load(Relaxed) {
                    copy(&each)
                }
            });
        }
        let frames = || {
            let mut waited = Vec::new();
            for _ in 0..FRAMES {
                recurse(LEVELS);
                thread::sleep(Duration::from_millis(2));
                let before = copies.load(Relaxed);
                iprof::update(true);
                waited.push(copies.load(Relaxed) - before);
            }
            ends.store(true, Relaxed);
            waited
        };
        let thread = thread::Builder::new().stack_size(64 << 20);
        thread.spawn_scoped(scope, frames).unwrap().join().unwrap()
    });
    waited.sort_unstable();
    // Leave out frames in which the thread was preempted before it started to wait.
    let usual = &waited[..FRAMES - FRAMES / 20];
    let average = usual.iter().sum::<usize>() as f64 / usual.len() as f64;
    assert!(
        average < 2.0 * readers as f64,
        "{average} copies; {waited:?}"
    );
}

#[test]
fn frame_ends_between_two_frame_copies() {
    let copy = |goes_on: &dyn Fn() -> bool| {
        for frame in iprof::frame_snapshots(..) {
            drop(frame);
            if !goes_on() {
                break;
            }
        }
    };
    check(1, copy);
    check(3, copy);
}

#[test]
fn frame_ends_between_two_snapshots() {
    let copy = |goes_on: &dyn Fn() -> bool| {
        drop(iprof::snapshot());
        goes_on();
    };
    check(1, copy);
    check(3, copy);
}

#[test]
fn frame_ends_between_two_reports() {
    let view = iprof::View::default();
    let copy = |goes_on: &dyn Fn() -> bool| {
        drop(view.report(&iprof::profiler()));
        goes_on();
    };
    check(1, copy);
    check(3, copy);
}
