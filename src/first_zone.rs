//! The hook of a thread's first zone: it applies the environment variables.
//!
//! A program that is controlled by environment variables may call nothing of iprof but its zones. The module `gather`
//! runs the zones and does not know the environment, so the macros store this hook in each zone.

/// Called before a thread's first zone is entered, in the cold path, and maybe again. The crate holds no lock
/// that the thread did not hold before.
pub fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    crate::environment::apply();
}
