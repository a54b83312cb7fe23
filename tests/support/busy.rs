//! Helpers for measuring time on a shared machine: a busy loop that detects preemption, and a function that repeats
//! tests.

#![allow(dead_code, reason = "each test program uses only part of this module")]
#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Spins for `time`. Returns the actual duration, which is longer if the thread is preempted.
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

/// If the gap between two consecutive clock reads is longer than this, the thread was preempted. This holds even in an
/// emulator.
const GAP: Duration = Duration::from_micros(200);
/// The nanoseconds that all threads have spent in [`spin`]. `LOST` is the part of that time that was lost to
/// preemption.
static WORKED: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicU64 = AtomicU64::new(0);

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(time.as_nanos() as u64, Relaxed);
}

/// The maximum number of times that a test is attempted.
const ATTEMPTS: usize = 5;
/// The machine is busy if threads lose at least this fraction of their time.
pub const BUSY: f64 = 0.02;

/// Returns the fraction of this attempt's time that was lost to preemption.
pub fn lost_part() -> f64 {
    LOST.load(Relaxed) as f64 / WORKED.load(Relaxed).max(1) as f64
}

/// Runs a test that gives correct times only if its threads are not preempted. If the test fails and threads in
/// [`spin`] were preempted, repeats it, up to [`ATTEMPTS`] attempts in total. Without preemption, a failure is never
/// repeated, so a profiler bug is never mistaken for a busy machine.
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
