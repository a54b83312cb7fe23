//! Locks that ignore poisoning and never block in children of `fork`.
//!
//! The locks are always the standard library's, not loom's, because a recording thread never waits for any of them.

use super::{Ordering::Relaxed, StaticBool, StaticU32};
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// Locks `mutex` even if it is poisoned.
///
/// The data behind the crate's locks is valid after any panic, and a profiler must not take down its host because a
/// host thread panicked. In a child of `fork` the caller gets an [empty value](Guard).
pub fn lock<T: Default>(mutex: &Mutex<T>) -> Guard<'_, T> {
    Guard::new(|| mutex.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Locks `mutex` even if it is poisoned. Returns `None` if the lock is taken.
pub fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

static IS_FORKED: StaticBool = StaticBool::new(false);

/// Returns whether this process is a child of `fork`, where nothing is recorded until it calls `exec`.
pub fn is_forked() -> bool {
    // Relaxed: the process has only one thread, which also sets the flag.
    IS_FORKED.load(Relaxed)
}

pub fn set_forked() {
    IS_FORKED.store(true, Relaxed);
}

/// A locked value, or an empty value that belongs to the caller.
///
/// The caller gets an empty value where it must not wait: in a child of `fork`, where the thread that held the lock
/// does not exist, or on a thread that is panicking while it holds the lock.
#[derive(Debug)]
pub enum Guard<'a, T> {
    Locked(MutexGuard<'a, T>),
    Empty(Box<T>),
}

impl<'a, T: Default> Guard<'a, T> {
    pub fn new(lock: impl FnOnce() -> MutexGuard<'a, T>) -> Guard<'a, T> {
        match is_forked() {
            true => Guard::Empty(empty()),
            false => Guard::Locked(lock()),
        }
    }
}

/// This is a separate function, because a large value would take up space on its callers' stacks.
#[cold]
#[inline(never)]
fn empty<T: Default>() -> Box<T> {
    Box::default()
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Guard::Locked(guard) => guard,
            Guard::Empty(empty) => empty,
        }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match self {
            Guard::Locked(guard) => guard,
            Guard::Empty(empty) => empty,
        }
    }
}

/// A locked value, created by the first thread that locks it.
#[derive(Debug)]
pub struct LazyGuard<'a, T>(Guard<'a, Option<T>>);

impl<'a, T> LazyGuard<'a, T> {
    pub fn new(mut lock: Guard<'a, Option<T>>, create: impl FnOnce() -> T) -> LazyGuard<'a, T> {
        lock.get_or_insert_with(create);
        LazyGuard(lock)
    }
}

impl<T> Deref for LazyGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
            .as_ref()
            .expect("`new` creates the value, and nothing removes it")
    }
}

impl<T> DerefMut for LazyGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
            .as_mut()
            .expect("`new` creates the value, and nothing removes it")
    }
}

/// A mutex that threads acquire in the order in which they requested it.
///
/// The standard library's mutex goes to the first thread that requests it after its release. If other threads lock it
/// in a loop, a sleeping thread always wakes up too late, so on a busy machine, a thread that ends a frame may have to
/// wait while other threads lock the mutex hundreds of times. `parking_lot`'s fair mutex has the same problem, because
/// threads spin before they queue.
///
/// Each thread draws a number, and only the thread with the next number waits for the value.
#[derive(Debug)]
pub struct FairMutex<T> {
    drawn: StaticU32,
    /// The number of the next thread. That thread keeps this mutex locked while it waits for the value.
    next: Mutex<u32>,
    changed: Condvar,
    value: Mutex<T>,
}

impl<T> FairMutex<T> {
    pub const fn new(value: T) -> FairMutex<T> {
        FairMutex {
            drawn: StaticU32::new(0),
            next: Mutex::new(0),
            changed: Condvar::new(),
            value: Mutex::new(value),
        }
    }

    /// Locks the value when it is this thread's turn, even if it is poisoned.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let mine = self.drawn.fetch_add(1, Relaxed);
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.changed.wait_while(next, |next| *next != mine);
        let mut next = next.unwrap_or_else(PoisonError::into_inner);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        *next = mine.wrapping_add(1);
        // Waking threads costs a system call. A waiting thread drew its number before `next` was locked here, so this
        // load sees the new value of `drawn`.
        if self.drawn.load(Relaxed) != *next {
            self.changed.notify_all();
        }
        value
    }

    /// Locks the value if no thread holds it at the moment, even if other threads are waiting.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        try_lock(&self.value)
    }
}

/// A substitute for targets without 64-bit atomics. Recording does not compile for them (see `lib.rs`), but libraries
/// with zones do.
#[cfg(not(target_has_atomic = "64"))]
pub(super) mod locked {
    use super::{Mutex, lock};
    use crate::sync::Ordering;

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

#[cfg(test)]
mod tests {
    use super::{FairMutex, Relaxed};
    use std::thread;

    #[test]
    fn fair_mutex_is_locked_in_order() {
        let mutex = FairMutex::new(Vec::new());
        let held = mutex.lock();
        thread::scope(|scope| {
            for number in 0..8 {
                let mutex = &mutex;
                scope.spawn(move || mutex.lock().push(number));
                while mutex.drawn.load(Relaxed) < number + 2 {
                    thread::yield_now();
                }
            }
            drop(held);
        });
        assert_eq!(*mutex.lock(), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn fair_mutex_starves_no_thread() {
        let mutex = FairMutex::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..2_000).for_each(|_| *mutex.lock() += 1));
            }
        });
        assert_eq!(*mutex.lock(), 16_000);
    }
}
