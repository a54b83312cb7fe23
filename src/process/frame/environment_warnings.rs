//! Warnings about environment variables that could not be applied. Every report shows them.

use crate::sync::OnceLock;

/// Set once and read without a lock: the thread that sets it may hold any lock.
static FROM_ENVIRONMENT: OnceLock<Vec<String>> = OnceLock::new();

/// Adds `warnings` to all reports. Only the first call has an effect: the environment is read once.
pub(crate) fn warn_of_environment(warnings: Vec<String>) {
    let _ = FROM_ENVIRONMENT.set(warnings);
}

pub(crate) fn of_environment() -> &'static [String] {
    FROM_ENVIRONMENT.get().map_or(&[], Vec::as_slice)
}
