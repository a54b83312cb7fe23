//! The end of the program.

#![allow(unsafe_code)] // Only C's library tells of it.

use std::ffi::c_int;

#[cfg(any(unix, windows))]
unsafe extern "C" {
    // SAFETY: ISO C has it with this signature, and the standard library links C's library. It may
    // be called at any time, from any thread, with any function.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

#[cfg(not(any(unix, windows)))]
fn atexit(_function: extern "C" fn()) -> c_int {
    1
}

/// Has `function` called when the program ends: when `main` returns or panics, or somebody calls
/// [`std::process::exit`]. Not when it is killed or aborts. Other threads may still run then, and
/// the thread that calls may have no thread-locals any more. Returns whether it will be called.
pub(super) fn at_exit(function: extern "C" fn()) -> bool {
    atexit(function) == 0
}
