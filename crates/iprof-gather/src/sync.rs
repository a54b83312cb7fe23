//! The atomics that recording threads share with others, so that loom can replace them in one place: under
//! `cfg(loom)` they are loom's. Also helpers that lock a mutex even if it is poisoned.
//!
//! Locks are always the standard library's, and so is the sampler's condition variable: a recording
//! thread never waits for any of them.

/// The definitions below shadow the standard library's.
#[cfg(not(loom))]
pub use std::sync::atomic::*;

#[cfg(all(not(loom), not(target_has_atomic = "64")))]
pub use locked::AtomicU64;

mod fair_mutex;
mod guard;
pub use fair_mutex::FairMutex;
pub use guard::*;

#[cfg(loom)]
pub use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};

#[cfg(loom)]
pub use std::sync::atomic::{AtomicBool as StaticBool, AtomicU32 as StaticU32};
pub use std::sync::{Mutex, MutexGuard, OnceLock};
use std::sync::{PoisonError, TryLockError};
/// For statics, which loom cannot reset between runs.
#[cfg(not(loom))]
pub use {AtomicBool as StaticBool, AtomicU32 as StaticU32};

/// Pads its content to cache lines of its own: 128 bytes, because processors fetch lines of 64 in
/// pairs, and some have lines of 128.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct CachePadded<T>(pub T);

impl<T> std::ops::Deref for CachePadded<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Makes functions `const`, except under loom, whose atomics cannot be made in constants.
macro_rules! const_unless_loom {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident $arguments:tt -> $result:ty $body:block)*) => {$(
        #[cfg(not(loom))]
        $(#[$attribute])*
        $visibility const fn $name $arguments -> $result $body
        #[cfg(loom)]
        $(#[$attribute])*
        $visibility fn $name $arguments -> $result $body
    )*};
}
pub(crate) use const_unless_loom;

/// Locks `mutex` even if it is poisoned.
///
/// The data behind the crate's locks is valid after any panic: a profiler must not take its host down
/// because another thread of the host panicked. In a child of `fork` the caller gets an [empty value](Guard).
pub fn lock<T: Default>(mutex: &Mutex<T>) -> Guard<'_, T> {
    Guard::new(|| mutex.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Locks `mutex` even if it is poisoned; `None` if the lock is taken.
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Yields between two attempts at a consistent reading.
pub fn pause() {
    #[cfg(not(loom))]
    std::hint::spin_loop();
    #[cfg(loom)]
    loom::thread::yield_now();
}

/// Where processors have no 64-bit atomics the crate cannot record ([`unsupported_builds`](crate::unsupported_builds)), but
/// libraries with zones compile.
#[cfg(all(not(loom), not(target_has_atomic = "64")))]
mod locked {
    use super::{Mutex, Ordering, lock};

    #[derive(Debug, Default)]
    pub struct AtomicU64(Mutex<u64>);

    impl AtomicU64 {
        pub const fn new(value: u64) -> AtomicU64 {
            AtomicU64(Mutex::new(value))
        }

        pub fn load(&self, _: Ordering) -> u64 {
            *lock(&self.0)
        }

        pub fn store(&self, value: u64, _: Ordering) {
            *lock(&self.0) = value;
        }

        pub fn compare_exchange(
            &self,
            current: u64,
            new: u64,
            _: Ordering,
            _: Ordering,
        ) -> Result<u64, u64> {
            let mut value = lock(&self.0);
            if *value != current {
                return Err(*value);
            }
            Ok(std::mem::replace(&mut *value, new))
        }

        pub fn fetch_add(&self, value: u64, _: Ordering) -> u64 {
            let mut mine = lock(&self.0);
            let before = *mine;
            *mine = before.wrapping_add(value);
            before
        }
    }
}
