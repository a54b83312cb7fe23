//! Reads the time in ticks. The source is the machine's timestamp counter if it is reliable, otherwise the operating
//! system's clock.
//!
//! | target | counter |
//! |---|---|
//! | x86-64 with an invariant TSC | `rdtsc`, unfenced |
//! | aarch64 | `cntvct_el0`, unfenced; 24 MHz on Apple silicon |
//! | everything else | [`Instant`], in nanoseconds |
//! | browsers | the same, based on `performance.now()`, with a resolution of 0.1 ms, or 5 µs if the page is cross-origin isolated |
//!
//! The read is not fenced on purpose. A fence (`lfence`, `rdtscp`) costs twice as much as the read and stalls the
//! surrounding code. In a real program that stall accounts for most of a profiler's cost. An unfenced read may be a few
//! instructions early or late. That error does not accumulate, because any time that one zone loses is gained by its
//! neighbor.

#![allow(unsafe_code)] // Reading the counter takes one unsafe instruction per platform.

use super::{Instant, Ticks};
use crate::sync::{CachePadded, Ordering, StaticBool};
use std::sync::OnceLock;

/// Whether to read the hardware counter. Written by [`prepare`], before any thread reads the time in a zone, and by
/// tests that set their own [clock](mock).
static HARDWARE: CachePadded<StaticBool> = CachePadded(StaticBool::new(false));

static CHOSEN: OnceLock<bool> = OnceLock::new();

/// Chooses the counter. Called when a thread registers, so that [`now`] does not have to check whether a counter has
/// been chosen.
pub fn prepare() {
    decide(hardware::is_trustworthy);
}

/// Makes the program use the operating system's clock, unless a counter has already been chosen. Returns whether that
/// clock is in use. Tests call this before the first zone.
#[allow(clippy::must_use_candidate)] // Tests call this for its side effect.
pub fn use_portable_clock() -> bool {
    !decide(|| false)
}

/// Chooses the counter, unless one has already been chosen. Returns whether the hardware counter is in use.
fn decide(trust_hardware: fn() -> bool) -> bool {
    *CHOSEN.get_or_init(|| {
        let is_hardware = trust_hardware();
        // Relaxed: a thread reads the clock only after calling `prepare` itself, or after a thread that called it has
        // started it or passed a record on to it. `OnceLock`, the thread's start or the registry's lock orders the read
        // after this store.
        HARDWARE.store(is_hardware, Ordering::Relaxed);
        is_hardware
    })
}

/// Returns the time in ticks.
#[inline(always)]
pub fn now() -> Ticks {
    match now_without_call() {
        Some(ticks) => ticks,
        None => without_hardware(),
    }
}

/// Like [`now`], but only if the hardware counter is in use. Calls no function, so that callers don't have to save
/// registers.
#[inline(always)]
pub fn now_without_call() -> Option<Ticks> {
    HARDWARE.load(Ordering::Relaxed).then(hardware::read)
}

/// Returns the time if the hardware counter is not in use. Once a test has set a thread's [clock](mock), all threads
/// take this path.
#[cold]
fn without_hardware() -> Ticks {
    #[cfg(any(test, feature = "test-support"))]
    if let Some(ticks) = mock::now().or_else(|| CHOSEN.get()?.then(hardware::read)) {
        return ticks;
    }
    portable()
}

#[cfg(target_arch = "x86_64")]
mod hardware {
    use super::Ticks;
    use std::arch::x86_64::{__cpuid, _rdtsc};

    #[inline(always)]
    pub(super) fn read() -> Ticks {
        // SAFETY: every x86-64 CPU has `rdtsc`, and it touches no memory.
        unsafe { _rdtsc() }
    }

    /// The `cpuid` leaf with the power management features in EDX. EAX of leaf 0x8000_0000 is the highest extended
    /// leaf.
    pub(super) const POWER: u32 = 0x8000_0007;

    pub(super) fn is_trustworthy() -> bool {
        // Miri implements neither `cpuid` nor `rdtsc`.
        if cfg!(miri) {
            return false;
        }
        const EXTENDED: u32 = 0x8000_0000;
        #[allow(unused_unsafe)] // `__cpuid` is safe from Rust 1.94 on.
        // SAFETY: every x86-64 CPU has `cpuid`.
        let (highest, power) = unsafe { (__cpuid(EXTENDED).eax, __cpuid(POWER).edx) };
        is_invariant(highest, power)
    }

    /// Returns whether the counter runs at one rate in all power states, according to `cpuid`. `power` is meaningless
    /// if its leaf does not exist.
    pub(super) fn is_invariant(highest_leaf: u32, power: u32) -> bool {
        const INVARIANT_TSC: u32 = 1 << 8;
        highest_leaf >= POWER && power & INVARIANT_TSC != 0
    }
}

#[cfg(target_arch = "aarch64")]
mod hardware {
    use super::Ticks;

    #[inline(always)]
    pub(super) fn read() -> Ticks {
        let ticks: u64;
        // SAFETY: the virtual counter is readable in user mode on every system that Rust's standard library supports,
        // and reading it touches no memory.
        unsafe {
            std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack));
        }
        ticks
    }

    pub(super) fn is_trustworthy() -> bool {
        true // The architecture guarantees one rate for all cores.
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod hardware {
    pub(super) use super::portable as read;

    pub(super) fn is_trustworthy() -> bool {
        false
    }
}

fn portable() -> Ticks {
    static START: OnceLock<Instant> = OnceLock::new();
    // Add one, because a reading of zero means "never".
    START.get_or_init(Instant::now).elapsed().as_nanos() as Ticks + 1
}

/// A per-thread clock that stands still until a test advances it.
///
/// Until a thread has a mock clock, reading the time takes the same path as in builds without this module, so
/// benchmarks and examples may be built with it.
#[cfg(any(test, feature = "test-support"))]
pub mod mock {
    use super::{HARDWARE, Ordering, Ticks, prepare};
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<Option<Ticks>> = const { Cell::new(None) };
        static STEP: Cell<Ticks> = const { Cell::new(0) };
        static IS_BOTH: Cell<bool> = const { Cell::new(false) };
        static COARSE: Cell<Ticks> = const { Cell::new(1) };
        // The `Cell` has no destructor, because destructors of other thread-locals also read the time.
        static INTERRUPT: Cell<Option<fn()>> = const { Cell::new(None) };
    }

    /// Makes all threads check for a mock clock first.
    fn begin() {
        prepare();
        HARDWARE.store(false, Ordering::Relaxed);
    }

    /// Returns this thread's reading, if it has a mock clock.
    #[cold]
    #[inline(never)]
    pub(super) fn now() -> Option<Ticks> {
        let now = NOW.get()?;
        if let Some(interrupt) = INTERRUPT.take() {
            interrupt();
        }
        NOW.set(Some(now + STEP.get()));
        Some(now - now % COARSE.get())
    }

    /// Makes this thread read `ticks`.
    pub fn set(ticks: Ticks) {
        begin();
        NOW.set(Some(ticks));
    }

    /// Like [`set`], but also sets the operating system's clock. A tick is a nanosecond.
    pub fn set_both(ticks: Ticks) {
        begin();
        NOW.set(Some(ticks));
        IS_BOTH.set(true);
    }

    /// Returns the reading of both clocks, if [`set_both`] was called on this thread.
    pub(in crate::clock) fn both() -> Option<Ticks> {
        NOW.get().filter(|_| IS_BOTH.get())
    }

    /// Makes this thread read only multiples of `ticks`, as if from a browser's clock.
    pub fn coarsen(ticks: Ticks) {
        COARSE.set(ticks);
    }

    /// Makes `by` interrupt the next reading on this thread, as a signal handler would.
    pub fn interrupt(by: fn()) {
        INTERRUPT.set(Some(by));
    }

    /// Makes each reading on this thread take `ticks`, while everything else takes no time.
    pub fn step(ticks: Ticks) {
        begin();
        NOW.set(Some(1));
        STEP.set(ticks);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Duration;

    fn runs_forward(read: fn() -> Ticks) {
        let mut last = read();
        assert!(last > 0, "a reading of zero is reserved");
        for _ in 0..10_000 {
            let next = read();
            assert!(next >= last);
            last = next;
        }
        let before = read();
        std::thread::sleep(Duration::from_millis(2));
        assert!(read() > before);
        // Another thread must not read an earlier time.
        let before = read();
        assert!(std::thread::spawn(read).join().unwrap() >= before);
    }

    #[test]
    fn chosen_clock_never_runs_backward() {
        prepare();
        runs_forward(now);
        let decided = if hardware::is_trustworthy() {
            hardware::read
        } else {
            portable
        };
        let (before, now, after) = (decided(), now(), decided());
        assert!(before <= now && now <= after, "{before} {now} {after}");
    }

    #[test]
    fn portable_clock_counts_nanoseconds() {
        runs_forward(portable);
        let outer = Instant::now();
        let before = portable();
        let inner = Instant::now();
        std::thread::sleep(Duration::from_millis(5));
        let at_least = inner.elapsed();
        let passed = Duration::from_nanos(portable() - before);
        // The clocks are not read at the same moment, and not every clock is exact to the nanosecond.
        let unsure = Duration::from_micros(1);
        assert!(at_least <= passed + unsure, "{at_least:?} {passed:?}");
        assert!(passed <= outer.elapsed() + unsure, "{passed:?}");
    }

    #[test]
    fn clock_choice_is_final() {
        prepare();
        let is_hardware = hardware::is_trustworthy();
        assert_eq!(CHOSEN.get(), Some(&is_hardware));
        assert_eq!(
            use_portable_clock(),
            !is_hardware,
            "the clock should already be chosen"
        );
        assert_eq!(CHOSEN.get(), Some(&is_hardware));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn only_invariant_counters_are_used() {
        use hardware::{POWER, is_invariant};
        const BIT: u32 = 1 << 8;
        assert!(is_invariant(POWER, BIT));
        assert!(is_invariant(0x8000_0028, u32::MAX));
        // The CPU reports no invariant TSC, or lacks the leaf and returns garbage.
        assert!(!is_invariant(POWER, 0));
        assert!(!is_invariant(u32::MAX, !BIT));
        assert!(!is_invariant(POWER - 1, BIT));
        assert!(!is_invariant(0, u32::MAX));
    }

    /// Compares the result with the flags that the kernel reads from the same CPU.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[cfg_attr(miri, ignore = "Miri cannot run cpuid")]
    #[test]
    fn kernel_agrees_on_invariant_counter() {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let Some(flags) = info.lines().find(|line| line.starts_with("flags")) else {
            println!("skipped: this kernel does not describe the processor");
            return;
        };
        let has = |flag| flags.split_whitespace().any(|has| has == flag);
        // `constant_tsc`: one rate at any CPU frequency. `nonstop_tsc`: no sleep state stops the counter.
        let invariant = has("constant_tsc") && has("nonstop_tsc");
        assert_eq!(hardware::is_trustworthy(), invariant, "{flags}");
    }
}
