//! Turns recording off in children of `fork`, until they call `exec`.
//!
//! A child has only one thread. Data that other threads were changing at the time of the fork may be inconsistent in
//! the child, and locks that they held stay locked. So zones do nothing in a child, and data behind a lock is [replaced
//! by an empty value](crate::sync::Guard): the profiler appears empty, no matter which function is called.
//!
//! A program that forks before its first zone is not affected: its child records.

pub(super) use handlers::register;

#[cfg(all(unix, not(target_family = "wasm")))]
mod handlers {
    #![allow(unsafe_code)] // Only the C library reports forks.

    use crate::sync::{Ordering::Relaxed, StaticBool};
    use std::ffi::c_int;

    unsafe extern "C" {
        // SAFETY: this is the signature in POSIX. It may be called at any time, from any thread, with any functions. A
        // library's handlers are removed when the library is unloaded.
        safe fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> c_int;
    }

    /// Registers handlers that run before a fork and in the child. If several threads call this at the same time, the
    /// handlers may be registered more than once, which does no harm. If there is no memory, a later call tries again.
    pub(in super::super) fn register(before: extern "C" fn(), in_child: extern "C" fn()) {
        static IS_REGISTERED: StaticBool = StaticBool::new(false);
        if !IS_REGISTERED.load(Relaxed) {
            let result = pthread_atfork(Some(before), None, Some(in_child));
            IS_REGISTERED.store(result == 0, Relaxed);
        }
    }
}

/// The implementation for systems without `fork`.
#[cfg(not(all(unix, not(target_family = "wasm"))))]
mod handlers {
    pub(in super::super) fn register(_before: extern "C" fn(), _in_child: extern "C" fn()) {}
}
