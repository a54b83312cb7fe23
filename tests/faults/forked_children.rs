//! Forks this process, and reports how the forked child ended.
#![allow(unsafe_code, reason = "calls the C library")]

use crate::own_program::is_emulated;
use std::ffi::{c_int, c_uint};
use std::thread;

mod c {
    use std::ffi::{c_int, c_uint};

    unsafe extern "C" {
        // SAFETY: POSIX declares all of these functions with these signatures.
        pub(super) safe fn fork() -> c_int;
        pub(super) safe fn alarm(seconds: c_uint) -> c_uint;
        pub(super) safe fn _exit(status: c_int) -> !;
        pub(super) safe fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    }
}

/// Returns 0 in the child. In the parent, returns the child's process ID, or -1 if the fork failed.
pub(crate) fn fork() -> c_int {
    c::fork()
}

/// Runs `f` in a forked child. The child then exits with 0, or with 1 if `f` panicked. If the child takes longer than
/// `seconds`, a signal kills it.
pub(crate) fn run_and_exit(seconds: c_uint, f: impl FnOnce()) -> ! {
    c::alarm(seconds);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
    c::_exit(c_int::from(result.is_err()))
}

/// Waits for a child started by [`run_and_exit`], and returns how it ended.
pub(crate) fn end_of(process: c_int) -> Result<(), String> {
    assert!(process > 0, "the fork should succeed");
    let mut status = 0;
    let found = c::waitpid(process, &raw mut status, 0);
    assert_eq!(found, process);
    match (status & 0x7f, status >> 8 & 0xff) {
        (0, 0) => Ok(()),
        (0, code) => Err(format!("exit code {code}")),
        (14, _) => Err("it hangs".to_owned()),
        (signal, _) => Err(format!("signal {signal}")),
    }
}

pub(crate) fn run_in_fork(seconds: c_uint, f: impl FnOnce()) -> Result<(), String> {
    match fork() {
        0 => run_and_exit(seconds, f),
        process => end_of(process),
    }
}

/// Whether a forked child can start threads. If not, prints that the test is skipped. In QEMU's user mode (7.2),
/// starting a thread in the child of a multithreaded parent fails an assertion in QEMU, which exits with 127. C
/// programs have the same problem.
pub(crate) fn can_start_threads() -> bool {
    if !is_emulated() {
        return true;
    }
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    // The thread ends when `stop` is dropped.
    let other = thread::spawn(move || stopped.recv().is_err());
    let result = run_in_fork(20, || thread::spawn(|| ()).join().unwrap());
    drop(stop);
    other.join().unwrap();
    let can = result != Err("exit code 127".to_owned());
    if !can {
        println!("skipped: this emulator ends forked children that start threads");
    }
    can
}
