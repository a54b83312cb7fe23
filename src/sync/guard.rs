//! Locks in children of `fork`, where the threads that held them may not exist.

use super::{Ordering::Relaxed, StaticBool};
use std::ops::{Deref, DerefMut};

/// Whether this process is a child of `fork`: there nothing is recorded, until it calls `exec`.
static IS_FORKED: StaticBool = StaticBool::new(false);

pub(crate) fn is_forked() -> bool {
    // Relaxed: it is set by the only thread of the process.
    IS_FORKED.load(Relaxed)
}

/// Notes that this process is a child of `fork`.
#[cfg_attr(any(not(unix), target_family = "wasm"), allow(dead_code))]
pub(crate) fn set_forked() {
    IS_FORKED.store(true, Relaxed);
}

/// A locked value; in a child of `fork` an empty value instead, which belongs to the caller. A child must not wait for
/// a lock: the thread that held it at the time of the fork does not exist there.
#[derive(Debug)]
pub(crate) enum Guard<G: Deref<Target: Sized>> {
    Locked(G),
    Forked(Box<G::Target>),
}

impl<G: Deref<Target: Sized + Default>> Guard<G> {
    pub(crate) fn new(lock: impl FnOnce() -> G) -> Guard<G> {
        match is_forked() {
            true => Guard::Forked(empty()),
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

impl<G: Deref<Target: Sized>> Deref for Guard<G> {
    type Target = G::Target;

    fn deref(&self) -> &G::Target {
        match self {
            Guard::Locked(guard) => guard,
            Guard::Forked(empty) => empty,
        }
    }
}

impl<G: DerefMut<Target: Sized>> DerefMut for Guard<G> {
    fn deref_mut(&mut self) -> &mut G::Target {
        match self {
            Guard::Locked(guard) => guard,
            Guard::Forked(empty) => empty,
        }
    }
}
