//! A callback that runs when a thread enters its first zone: the only upward dependency in the crate.
//!
//! A program that is controlled by environment variables has nothing of iprof but its zones, so its
//! first zone starts what the environment asks for. `gather` runs the zone but must not depend on
//! `environment`. So `gather` calls this file, the only one that knows both. The call is resolved at
//! compile time: zones carry no pointer to it.

/// Called when a thread has entered its first zone, in the cold path. The crate holds no lock that the
/// thread did not hold before.
pub(crate) fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    crate::environment::apply();
}
