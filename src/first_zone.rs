//! Constructors of zones for the macros: the program's first zone applies the environment variables.
//!
//! A program that is controlled by environment variables has nothing of iprof but its zones. `gather` runs
//! the zones and knows no `environment`: each zone brings along what a thread's first zone is to run.

use crate::zone::Zone;

impl Zone {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        label: &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone::labeled(label, (file, line, module), entered)
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn of_function(
        path: fn() -> &'static str,
        file: &'static str,
        line: u32,
        module: &'static str,
    ) -> Zone {
        Zone::named_after(path, (file, line, module), entered)
    }
}

/// Called before a thread's first zone is entered, in the cold path, and maybe again. The crate holds no lock
/// that the thread did not hold before.
pub(crate) fn entered() {
    // Loom and Miri have no environment.
    #[cfg(all(feature = "environment", not(any(loom, miri))))]
    crate::environment::apply();
}
