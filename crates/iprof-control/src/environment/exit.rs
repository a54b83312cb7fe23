//! Registers a function that runs when the program exits, by C's `atexit`.

#![allow(unsafe_code)] // Only the C library has exit handlers.

use std::ffi::c_int;

#[cfg(any(unix, windows))]
unsafe extern "C" {
    // SAFETY: ISO C defines `atexit` with this signature, and the standard library links the C library. It
    // may be called at any time, from any thread, with any function.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

#[cfg(not(any(unix, windows)))]
fn atexit(_function: extern "C" fn()) -> c_int {
    1
}

/// Registers `function` to be called when the program ends: when `main` returns or panics, or
/// [`std::process::exit`] is called. It is not called if the program is killed or aborts. Other threads may
/// still run at that time, and the calling thread may have lost its thread-locals. Returns whether
/// registration succeeded.
pub(super) fn at_exit(function: extern "C" fn()) -> bool {
    atexit(function) == 0
}
