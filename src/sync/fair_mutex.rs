//! A mutex that threads get in the order in which they ask for it.
//!
//! The standard library's mutex goes to the first thread that asks after its release. A thread that sleeps wakes
//! up too late for that if others lock it in a loop: on a busy machine, the end of a frame waited for hundreds of
//! copies. (A second mutex, held by the thread that waits for the first, helps against one such thread, not
//! against two.)

use super::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, PoisonError};

/// See the module's comment.
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
}

/// The turn of a thread; dropping it makes it the next one's.
#[derive(Debug)]
struct Turn<'a>(&'a Mutex<Queue>, &'a Condvar);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = locked(self.0);
        queue.now += 1;
        if queue.now != queue.next {
            self.1.notify_all();
        }
    }
}

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

impl<T> FairMutex<T> {
    pub(crate) const fn new(value: T) -> FairMutex<T> {
        FairMutex {
            queue: Mutex::new(Queue { next: 0, now: 0 }),
            changed: Condvar::new(),
            value: Mutex::new(value),
        }
    }

    /// Locks the value, when it is this thread's turn. Even if it is poisoned.
    pub(crate) fn lock(&self) -> FairGuard<'_, T> {
        let turn = self.turn();
        FairGuard {
            value: locked(&self.value),
            _turn: turn,
        }
    }

    fn turn(&self) -> Turn<'_> {
        let wait = |queue| {
            let queue = self.changed.wait(queue);
            queue.unwrap_or_else(PoisonError::into_inner)
        };
        let mut queue = locked(&self.queue);
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
        super::try_lock(&self.value).map(|mut value| f(&mut value))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
