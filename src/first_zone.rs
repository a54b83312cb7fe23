//! The hook of a thread's first zone: it applies the environment variables.
//!
//! A program that is controlled by environment variables may call nothing of iprof but its zones. The crate
//! `iprof-gather` enters zones and does not know the environment, so this hook is stored in each zone. For that, everything
//! that makes zones is in this crate: the macros, `ZoneBuilder` and `RunTimeValue`. A hook that has to be set would not do,
//! because such a program runs no other code of this crate that could set it.

/// Called before a thread's first zone is entered, in the cold path, and maybe again. The crate holds no lock
/// that the thread did not hold before.
pub fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    crate::environment::apply();
}
