//! Helpers to measure time on a shared machine: a busy loop that notices preemption, and repetition of tests.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the actual duration, which is longer if the thread is preempted.
pub fn spin(time: Duration) -> Duration {
    let start = Instant::now();
    let mut before = Duration::ZERO;
    loop {
        let passed = start.elapsed();
        let gap = passed - before;
        if gap > GAP {
            add(&LOST, gap);
        }
        before = passed;
        if passed >= time {
            add(&WORKED, passed);
            return passed;
        }
        std::hint::spin_loop();
    }
}

/// Two reads of the clock in a row are further apart only if the thread was preempted, even in an emulator.
const GAP: Duration = Duration::from_micros(200);
/// Nanoseconds of [`spin`] on all threads, and those lost in gaps.
static WORKED: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicU64 = AtomicU64::new(0);

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(time.as_nanos() as u64, Relaxed);
}

/// The maximum number of attempts of a test.
const ATTEMPTS: usize = 5;
/// A machine is busy if threads lose at least this part of their time.
pub const BUSY: f64 = 0.02;

/// The part of this attempt's time that was lost.
pub fn lost_part() -> f64 {
    LOST.load(Relaxed) as f64 / WORKED.load(Relaxed).max(1) as f64
}

/// Runs a test whose times are only right if its threads are not preempted. A failed attempt is repeated if threads in
/// [`spin`] were preempted, except the last one. Only preemption counts, so no fault of the profiler is taken for a
/// busy machine.
pub fn again_if_busy(attempt: impl Fn()) {
    for number in 1.. {
        WORKED.store(0, Relaxed);
        LOST.store(0, Relaxed);
        let result = catch_unwind(AssertUnwindSafe(&attempt));
        let Err(failure) = result else { return };
        let lost = lost_part();
        if number == ATTEMPTS || lost < BUSY {
            resume_unwind(failure);
        }
        println!(
            "attempt {number} failed while others had {:.0} % of the time",
            100.0 * lost
        );
    }
}
