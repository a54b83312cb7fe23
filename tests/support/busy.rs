//! Helpers for tests of times on a machine that others use, too: a busy loop that notices what others take, and tests
//! that are repeated then.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Works for `time`; returns how long it took in truth, which is longer where the system stops us.
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

/// Two reads of the clock in a row are this far apart only if the thread does not run in between, in an emulator, too.
const GAP: Duration = Duration::from_micros(200);
/// Nanoseconds of [`spin`], on all threads, and how many of them were lost in gaps.
static WORKED: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicU64 = AtomicU64::new(0);

fn add(sum: &AtomicU64, time: Duration) {
    sum.fetch_add(time.as_nanos() as u64, Relaxed);
}

/// How often a test is begun again on a busy machine.
const ATTEMPTS: usize = 5;
/// The part of the time that other programs take of a machine that is busy.
pub const BUSY: f64 = 0.02;

/// The part of the time of this attempt that other programs had.
pub fn lost_part() -> f64 {
    LOST.load(Relaxed) as f64 / WORKED.load(Relaxed).max(1) as f64
}

/// Runs a test whose times are right only if its threads run when they want to. An attempt that fails is repeated if
/// the threads that [`spin`] were kept from running meanwhile; the last one counts, whatever the machine does. What is
/// measured is the machine alone: no fault of the profiler makes a failure count as the machine's.
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
