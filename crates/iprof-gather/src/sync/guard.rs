//! Locks in children of `fork`, where the threads that held them may not exist.

use super::{MutexGuard, Ordering::Relaxed, StaticBool};
use std::ops::{Deref, DerefMut};

/// Whether this process is a child of `fork`: there nothing is recorded, until it calls `exec`.
static IS_FORKED: StaticBool = StaticBool::new(false);

pub fn is_forked() -> bool {
    // Relaxed: it is set by the only thread of the process.
    IS_FORKED.load(Relaxed)
}

/// Notes that this process is a child of `fork`.
#[cfg_attr(any(not(unix), target_family = "wasm"), allow(dead_code))]
pub fn set_forked() {
    IS_FORKED.store(true, Relaxed);
}

/// A locked value; where the caller must not wait for the lock, an empty value instead, which belongs to the caller: in a
/// child of `fork`, where the thread that held the lock does not exist, and where a thread that holds it panics.
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

/// Outlined, since a large value would take room on the stacks of callers that lock.
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

/// A locked value that the first thread that locks it creates.
#[derive(Debug)]
pub struct Created<'a, T>(Guard<'a, Option<T>>);

impl<'a, T> Created<'a, T> {
    pub fn new(mut lock: Guard<'a, Option<T>>, create: impl FnOnce() -> T) -> Created<'a, T> {
        lock.get_or_insert_with(create);
        Created(lock)
    }
}

impl<T> Deref for Created<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it was created, and stays")
    }
}

impl<T> DerefMut for Created<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it was created, and stays")
    }
}
