//! The counter: one instruction where the machine has one that can be trusted.
//!
//! | target | counter |
//! |---|---|
//! | x86-64 with an invariant TSC | `rdtsc`, unfenced |
//! | aarch64 | `cntvct_el0`, unfenced |
//! | everything else | [`Instant`], in nanoseconds |
//!
//! The read is not fenced on purpose: a fence (`lfence`, `rdtscp`) costs twice as much as the read
//! and stalls the code around it, which in a real program is where most of a profiler's cost
//! comes from. An unfenced read may be a few instructions early or late; the error does not grow
//! with time, because where one zone gets less its neighbour gets more.

#![allow(unsafe_code)] // One instruction per platform, nothing else.

use crate::sync::{Apart, Ordering, StaticBool};
use std::sync::OnceLock;
use std::time::Instant;

/// Raw units of the machine's counter. Only differences mean anything, and only
/// [`RateMeter`](super::RateMeter) knows what they are worth.
pub(crate) type Ticks = u64;

/// Whether the counter instruction is to be used. Written once by [`prepare`], before any thread
/// takes its first reading in a zone.
static HARDWARE: Apart<StaticBool> = Apart(StaticBool::new(false));

/// Decides which counter is read. Called when a thread registers, so that [`now`] need not ask.
pub(crate) fn prepare() {
    static DECIDED: OnceLock<()> = OnceLock::new();
    DECIDED.get_or_init(|| {
        // Relaxed: a thread reads the clock only after its own call of `prepare`, and `OnceLock`
        // orders that call after this store.
        HARDWARE.store(hardware_is_trustworthy(), Ordering::Relaxed);
    });
}

/// The time, in ticks.
#[inline(always)]
pub(crate) fn now() -> Ticks {
    #[cfg(all(test, feature = "enable"))]
    if let Some(ticks) = mock::now() {
        return ticks;
    }
    if HARDWARE.load(Ordering::Relaxed) {
        hardware()
    } else {
        portable()
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn hardware() -> Ticks {
    // SAFETY: every x86-64 processor has `rdtsc`; it touches no memory.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Bit 8 of EDX of leaf 0x8000_0007: the counter runs at one rate in all power states.
#[cfg(target_arch = "x86_64")]
fn hardware_is_trustworthy() -> bool {
    use core::arch::x86_64::__cpuid;
    const EXTENDED: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT_TSC: u32 = 1 << 8;
    #[allow(unused_unsafe)] // Safe from Rust 1.94 on.
    // SAFETY: every x86-64 processor has `cpuid`.
    let (highest, power) = unsafe { (__cpuid(EXTENDED).eax, __cpuid(POWER).edx) };
    highest >= POWER && power & INVARIANT_TSC != 0
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn hardware() -> Ticks {
    let ticks: u64;
    // SAFETY: the virtual counter is readable in user mode on every system that Rust's standard
    // library runs on; reading it touches no memory.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
    }
    ticks
}

#[cfg(target_arch = "aarch64")]
fn hardware_is_trustworthy() -> bool {
    true // The architecture promises one rate for all cores.
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn hardware() -> Ticks {
    portable()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn hardware_is_trustworthy() -> bool {
    false
}

#[cold]
fn portable() -> Ticks {
    static START: OnceLock<Instant> = OnceLock::new();
    // One above zero: a reading of zero means "never".
    START.get_or_init(Instant::now).elapsed().as_nanos() as Ticks + 1
}

/// A clock that stands still until a test moves it. It is the test thread's own.
#[cfg(all(test, feature = "enable"))]
pub(crate) mod mock {
    use super::Ticks;
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<Option<Ticks>> = const { Cell::new(None) };
        static STEP: Cell<Ticks> = const { Cell::new(0) };
    }

    pub(super) fn now() -> Option<Ticks> {
        let now = NOW.get()?;
        NOW.set(Some(now + STEP.get()));
        Some(now)
    }

    /// From here on this thread reads `ticks` until told otherwise.
    #[cfg(not(loom))]
    pub(crate) fn set(ticks: Ticks) {
        NOW.set(Some(ticks));
    }

    /// From here on a reading takes this thread `ticks`, and nothing else takes any time.
    #[cfg(not(loom))]
    pub(crate) fn step(ticks: Ticks) {
        NOW.set(Some(1));
        STEP.set(ticks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_runs_forward() {
        prepare();
        let mut last = hardware_or_portable();
        for _ in 0..10_000 {
            let next = hardware_or_portable();
            assert!(next >= last);
            last = next;
        }
        let before = hardware_or_portable();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(hardware_or_portable() > before);
    }

    fn hardware_or_portable() -> Ticks {
        if HARDWARE.load(Ordering::Relaxed) {
            hardware()
        } else {
            portable()
        }
    }
}
