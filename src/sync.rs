//! The atomics that recording threads share with others, so that they can be replaced in one place: under
//! `cfg(loom)` they are loom's, and where nothing is optimized they may be `unoptimized`'s. Also helpers that
//! lock a mutex even if it is poisoned.
//!
//! Locks are always the standard library's, and so is the sampler's condition variable: a recording
//! thread never waits for any of them.

/// What is named below stands in place of the standard library's.
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::*;

#[cfg(all(not(loom), not(target_has_atomic = "64")))]
pub(crate) use locked::AtomicU64;

#[cfg(all(
    debug_assertions,
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(loom, miri)),
))]
mod unoptimized;
#[cfg(all(
    debug_assertions,
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(any(loom, miri)),
))]
pub(crate) use unoptimized::{AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};

use std::ops::{Deref, DerefMut};
#[cfg(loom)]
pub(crate) use std::sync::atomic::{AtomicBool as StaticBool, AtomicU32 as StaticU32};
use std::sync::{Condvar, PoisonError, TryLockError};
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock};
/// For statics, which loom cannot reset between runs.
#[cfg(not(loom))]
pub(crate) use {AtomicBool as StaticBool, AtomicU32 as StaticU32};

/// Pads its content to cache lines of its own: 128 bytes, because processors fetch lines of 64 in
/// pairs, and some have lines of 128.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub(crate) T);

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
/// because another thread of the host panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// As [`lock`]; `None` if the lock is taken.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The holder of a lock may need some time, for a report or a snapshot.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
const BETWEEN_ATTEMPTS: std::time::Duration = std::time::Duration::from_micros(50);

/// As [`lock`]; `None` if the lock is still taken at `end`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn lock_within<T>(
    mutex: &Mutex<T>,
    end: std::time::Instant,
) -> Option<MutexGuard<'_, T>> {
    loop {
        if let Some(guard) = try_lock(mutex) {
            return Some(guard);
        }
        if std::time::Instant::now() > end {
            return None;
        }
        std::thread::sleep(BETWEEN_ATTEMPTS);
    }
}

/// A mutex that threads get in the order in which they ask for it.
///
/// The standard library's mutex goes to the first thread that asks after its release. A thread that sleeps wakes
/// up too late for that if others lock it in a loop: on a busy machine, the end of a frame waited for hundreds of
/// copies. (A second mutex, held by the thread that waits for the first, helps against one such thread, not
/// against two.)
#[derive(Debug)]
pub(crate) struct FairMutex<T> {
    /// Locked for an instant only.
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Locked by the thread whose turn it is, and by those that do not wait for one.
    value: Mutex<T>,
}

/// Threads that wait for their turn.
#[derive(Debug)]
struct Queue {
    /// The number of the next thread that asks.
    next: u64,
    /// The number of the thread whose turn it is. As `next`: it is no thread's turn.
    now: u64,
    /// The number of threads that wait for that; meanwhile no other thread joins the queue.
    closed: u32,
}

/// The turn of a thread; dropping it makes it the next one's.
#[derive(Debug)]
struct Turn<'a>(&'a Mutex<Queue>, &'a Condvar);

/// A [`FairMutex`] while it is locked.
#[derive(Debug)]
pub(crate) struct FairGuard<'a, T> {
    // Unlocked before it is the next thread's turn.
    value: MutexGuard<'a, T>,
    _turn: Turn<'a>,
}

impl<T> Deref for FairGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for FairGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// The lock of a value that is created by the first who locks it.
#[derive(Debug)]
pub(crate) struct Created<G>(G);

impl<T, G: DerefMut<Target = Option<T>>> Created<G> {
    pub(crate) fn new(mut lock: G, create: impl FnOnce() -> T) -> Created<G> {
        lock.get_or_insert_with(create);
        Created(lock)
    }
}

impl<T, G: DerefMut<Target = Option<T>>> Deref for Created<G> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it was created, and stays")
    }
}

impl<T, G: DerefMut<Target = Option<T>>> DerefMut for Created<G> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it was created, and stays")
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = lock(self.0);
        queue.now += 1;
        if queue.now != queue.next {
            self.1.notify_all();
        }
    }
}

impl<T> FairMutex<T> {
    pub(crate) const fn new(value: T) -> FairMutex<T> {
        FairMutex {
            queue: Mutex::new(Queue {
                next: 0,
                now: 0,
                closed: 0,
            }),
            changed: Condvar::new(),
            value: Mutex::new(value),
        }
    }

    /// Locks the value, when it is this thread's turn. A panic leaves it as [`lock`] does.
    pub(crate) fn lock(&self) -> FairGuard<'_, T> {
        let turn = self.turn();
        FairGuard {
            value: lock(&self.value),
            _turn: turn,
        }
    }

    fn turn(&self) -> Turn<'_> {
        let wait = |queue| {
            let queue = self.changed.wait(queue);
            queue.unwrap_or_else(PoisonError::into_inner)
        };
        let mut queue = lock(&self.queue);
        while queue.closed > 0 {
            queue = wait(queue);
        }
        let mine = queue.next;
        queue.next += 1;
        while queue.now != mine {
            queue = wait(queue);
        }
        Turn(&self.queue, &self.changed)
    }

    /// Calls `f` with the value if no thread has it at this moment, whoever waits.
    #[cfg(feature = "environment")]
    pub(crate) fn try_with<R>(&self, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        try_lock(&self.value).map(|mut value| f(&mut value))
    }

    /// Locks the queue, and the value when no thread waits for its turn any more; only the queue if the value cannot
    /// be had until `end`, perhaps since this thread has it.
    #[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
    pub(crate) fn lock_for_fork(
        &self,
        end: std::time::Instant,
    ) -> Option<(HeldQueue<'_>, Option<MutexGuard<'_, T>>)> {
        let mut queue = lock_within(&self.queue, end)?;
        queue.closed += 1;
        let value = loop {
            let is_free = queue.now == queue.next;
            let value = is_free.then(|| try_lock(&self.value)).flatten();
            if value.is_some() || std::time::Instant::now() > end {
                break value;
            }
            drop(queue);
            std::thread::sleep(BETWEEN_ATTEMPTS);
            queue = lock(&self.queue);
        };
        queue.closed -= 1;
        // They wait for the lock of the queue now.
        self.changed.notify_all();
        Some((HeldQueue(queue), value))
    }
}

/// The queue of a [`FairMutex`], which no thread enters or leaves while this exists.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
#[derive(Debug)]
pub(crate) struct HeldQueue<'a>(MutexGuard<'a, Queue>);

#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
impl HeldQueue<'_> {
    /// In a forked child, which has none of the threads that wait: no thread has the turn, or this one has.
    pub(crate) fn forget_waiting(&mut self) {
        let queue = &mut *self.0;
        queue.next = queue.next.min(queue.now + 1);
        queue.closed = 0;
    }
}

/// Yields between two attempts at a consistent reading.
pub(crate) fn pause() {
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
    pub(crate) struct AtomicU64(Mutex<u64>);

    impl AtomicU64 {
        pub(crate) const fn new(value: u64) -> AtomicU64 {
            AtomicU64(Mutex::new(value))
        }

        pub(crate) fn load(&self, _: Ordering) -> u64 {
            *lock(&self.0)
        }

        pub(crate) fn store(&self, value: u64, _: Ordering) {
            *lock(&self.0) = value;
        }

        pub(crate) fn compare_exchange(
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

        pub(crate) fn fetch_add(&self, value: u64, _: Ordering) -> u64 {
            let mut mine = lock(&self.0);
            let before = *mine;
            *mine = before.wrapping_add(value);
            before
        }
    }
}
