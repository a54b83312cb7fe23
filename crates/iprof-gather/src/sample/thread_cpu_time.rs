//! Reads the calling thread's CPU time, which the sampler uses to measure its own cost. Most of that cost comes from
//! falling asleep and waking up between samples.
//!
//! The C function is declared here for common systems, because a crate for this one call would take longer to compile
//! than the whole sampler. On other systems, the `rustix` feature provides the function through the `rustix` crate.

#![allow(unsafe_code)] // This module calls the C library.

/// Returns this thread's CPU time in nanoseconds, or `None` if the system does not report it.
#[cfg(all(
    target_pointer_width = "64",
    any(
        target_os = "android",
        target_os = "freebsd",
        target_os = "ios",
        target_os = "linux",
        target_os = "macos"
    )
))]
pub(super) fn own_ns() -> Option<u64> {
    use std::ffi::c_int;

    /// The C library's `timespec`. On the 64-bit versions of these systems, both of its fields have 64 bits.
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        ns: i64,
    }

    unsafe extern "C" {
        // SAFETY: this is the signature in POSIX, and `Timespec` has the layout of C's type. The function may be called
        // at any time, from any thread, with any clock, and writes only to `time`.
        safe fn clock_gettime(clock: c_int, time: &mut Timespec) -> c_int;
    }

    // The value of `CLOCK_THREAD_CPUTIME_ID`.
    let of_this_thread = match std::env::consts::OS {
        "freebsd" => 14,
        "ios" | "macos" => 16,
        _ => 3,
    };
    let mut time = Timespec { seconds: 0, ns: 0 };
    let succeeds = clock_gettime(of_this_thread, &mut time) == 0;
    let seconds = u64::try_from(time.seconds).ok().filter(|_| succeeds)?;
    Some(seconds * 1_000_000_000 + time.ns as u64)
}

/// Returns this thread's CPU time in nanoseconds, or `None` without the `rustix` feature.
#[cfg(not(all(
    target_pointer_width = "64",
    any(
        target_os = "android",
        target_os = "freebsd",
        target_os = "ios",
        target_os = "linux",
        target_os = "macos"
    )
)))]
pub(super) fn own_ns() -> Option<u64> {
    #[cfg(all(
        feature = "rustix",
        unix,
        not(any(
            target_os = "illumos",
            target_os = "netbsd",
            target_os = "redox",
            target_os = "solaris"
        ))
    ))]
    {
        use rustix::time::{ClockId, clock_gettime};
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let (seconds, ns) = (u64::try_from(time.tv_sec).ok()?, time.tv_nsec as u64);
        Some(seconds * 1_000_000_000 + ns)
    }
    #[cfg(not(all(
        feature = "rustix",
        unix,
        not(any(
            target_os = "illumos",
            target_os = "netbsd",
            target_os = "redox",
            target_os = "solaris"
        ))
    )))]
    None
}

#[cfg(all(
    test,
    not(any(loom, miri)),
    target_os = "linux",
    target_pointer_width = "64"
))]
mod tests {
    use super::own_ns;
    use std::time::{Duration, Instant};

    #[test]
    fn cpu_time_grows_only_while_working() {
        let start = (Instant::now(), own_ns().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        let slept = own_ns().unwrap() - start.1;
        assert!(slept < 20_000_000, "{slept}");
        while own_ns().unwrap() - start.1 < 30_000_000 {
            std::hint::black_box(());
        }
        assert!(start.0.elapsed() >= Duration::from_millis(75));
    }

    #[test]
    fn cpu_time_agrees_with_rustix() {
        use rustix::time::{ClockId, clock_gettime};
        let theirs = || {
            let time = clock_gettime(ClockId::ThreadCPUTime);
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        };
        let (before, own, after) = (theirs(), own_ns().unwrap(), theirs());
        assert!(before <= own && own <= after, "{before} {own} {after}");
    }
}
