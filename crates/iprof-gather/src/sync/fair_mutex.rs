//! A mutex that threads get in the order in which they ask for it.
//!
//! The standard library's mutex goes to the first thread that asks after its release. A thread that sleeps wakes
//! up too late for that if others lock it in a loop: on a busy machine, the end of a frame waited for hundreds of
//! copies. `parking_lot`'s fair mutex has the same problem, since threads spin before they queue.

use super::{Mutex, MutexGuard, Ordering::Relaxed, StaticU32};
use std::sync::{Condvar, PoisonError};

/// See the module's comment. Each thread draws a number, and only the thread whose number is next waits for the value.
#[derive(Debug)]
pub struct FairMutex<T> {
    drawn: StaticU32,
    /// The number of the thread that is next. That thread keeps this locked while it waits for the value.
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

    /// Locks the value, even if it is poisoned, when it is this thread's turn.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let mine = self.drawn.fetch_add(1, Relaxed);
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.changed.wait_while(next, |next| *next != mine);
        let mut next = next.unwrap_or_else(PoisonError::into_inner);
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        *next = mine.wrapping_add(1);
        self.changed.notify_all();
        value
    }

    /// Locks the value if no thread has it at this moment, whoever waits.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        super::try_lock(&self.value)
    }
}
