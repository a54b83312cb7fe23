//! How loom tests run a recording thread and its readers.
//!
//! A reader stores nothing that a recording thread reads (pending reclassifications are behind a lock).
//! So every value that a reader may find while that thread runs, it may also find afterward, as an old
//! value: the memory model sets no deadline for a store to become visible. Hence [`beside`] lets the
//! recording thread run first and the reader then choose among all values that it may still find, and
//! [`model`] tries no other order of the two.
//!
//! Other orders would not work anyway: loom (0.7.2) tries another order where it sees that a store
//! follows another thread's load of the same place, but it does not see that if the storing thread has
//! loaded the place itself in between. Recording threads do so all the time.

use loom::{model::Builder, thread};

/// Checks `f` with every value that the reader of [`beside`] may find. At most six stores to one place,
/// because loom forgets older ones.
pub fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    // See the module documentation.
    builder.preemption_bound = Some(0);
    builder.check(f);
}

/// Runs `reader` on another thread, at any time while `writer` runs; returns the reader's result.
pub fn beside<T: 'static>(writer: impl FnOnce(), reader: impl FnOnce() -> T + Send + 'static) -> T {
    let reader = thread::spawn(reader);
    writer();
    reader.join().unwrap()
}
