//! Everything that two threads share is made of what this file names, so that a model checker can
//! be put in its place in one spot.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock};

/// Locks `mutex` whether or not somebody panicked while holding it.
///
/// What the crate keeps behind locks is valid after any panic: a profiler must not take its host
/// down because another thread of the host went down.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
