//! The lock of a value that the first who locks it creates.

use std::ops::{Deref, DerefMut};

/// See the module's comment.
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
