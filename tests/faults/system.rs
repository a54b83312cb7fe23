//! What only the system can do, by C's library.
#![allow(unsafe_code, reason = "C's library")]

use std::ffi::{c_int, c_uint};

mod c {
    use std::ffi::{c_int, c_uint};

    unsafe extern "C" {
        // SAFETY, of all: POSIX has them with these signatures.
        pub(super) safe fn fork() -> c_int;
        pub(super) safe fn alarm(seconds: c_uint) -> c_uint;
        pub(super) safe fn _exit(status: c_int) -> !;
        pub(super) fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    }
}

/// Runs `f` in a copy of this process, which ends then: with 0, with 1 if `f` panicked, or by a signal
/// after so many seconds. Returns how.
pub(crate) fn in_a_copy(seconds: c_uint, f: impl FnOnce()) -> Result<(), String> {
    let process = c::fork();
    if process == 0 {
        c::alarm(seconds);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
        c::_exit(c_int::from(result.is_err()));
    }
    assert!(process > 0, "the system makes no copy");
    let mut status = 0;
    // SAFETY: the status is this function's own.
    let found = unsafe { c::waitpid(process, &mut status, 0) };
    assert_eq!(found, process);
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 0) => Ok(()),
        (0, code) => Err(format!("exit code {code}")),
        (14, _) => Err("it hangs".to_owned()),
        (signal, _) => Err(format!("signal {signal}")),
    }
}

/// Bytes of addresses that this process has, and bytes of memory.
pub(crate) fn memory() -> (u64, u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let mut pages = pages
        .split(' ')
        .map(|number| number.parse::<u64>().unwrap());
    (pages.next().unwrap() * 4096, pages.next().unwrap() * 4096)
}
