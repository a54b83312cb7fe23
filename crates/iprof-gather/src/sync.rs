//! Locks, and the atomics that recording threads share with other threads. The atomics are loom's under `cfg(loom)`;
//! the locks are always the standard library's.

mod locks;

pub use locks::{FairMutex, Guard, LazyGuard, is_forked, lock, set_forked, try_lock};
pub use primitives::*;
pub use std::sync::{Mutex, MutexGuard, OnceLock};

/// Pads its content to 128 bytes, because CPUs fetch 64-byte cache lines in pairs, and some have 128-byte lines.
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

/// The primitives used in normal builds.
#[cfg(not(loom))]
mod primitives {
    /// Yields between two attempts at a consistent reading.
    pub use std::hint::spin_loop as pause;
    pub use std::sync::atomic::*;

    #[cfg(not(target_has_atomic = "64"))]
    pub use super::locks::locked::AtomicU64;

    /// Atomics for statics, which loom cannot reset between runs.
    pub use {AtomicBool as StaticBool, AtomicU32 as StaticU32, AtomicU64 as StaticU64};

    pub const IS_MODELED: bool = false;

    /// Makes functions `const`, except under loom, whose atomics have no `const` constructors.
    macro_rules! const_unless_loom {
        ($($(#[$attribute:meta])* $visibility:vis fn $name:ident $arguments:tt -> $result:ty $body:block)*) => {
            $($(#[$attribute])* $visibility const fn $name $arguments -> $result $body)*
        };
    }

    /// Creates an array of `length` values, like `[value; length]`, for values that cannot be copied.
    macro_rules! array_of {
        ($value:expr; $length:expr) => {
            [const { $value }; $length]
        };
    }

    pub(crate) use {array_of, const_unless_loom};

    /// A field that, under loom, is written when its struct is created and read by threads that see the struct.
    #[derive(Debug)]
    pub(crate) struct InitFlag;

    impl InitFlag {
        pub(crate) const fn new() -> InitFlag {
            InitFlag
        }
    }
}

/// The primitives that loom checks, and functions that run a recording thread and a reader in loom tests.
///
/// [`run_with_reader`] runs the recording thread to completion before the reader starts. That misses nothing, because a
/// load may return a stale value: for each of the reader's loads, loom tries every value that the load could have
/// returned while the recording thread was running. In the other direction, nothing can go wrong: a reader stores
/// nothing that a recording thread reads, because pending reclassifications are behind a lock.
///
/// Interleaving the threads would not cover these values. Loom (0.7.2) never moves a store ahead of another thread's
/// load if the storing thread has itself loaded from the same location in between, and recording threads always do.
#[cfg(loom)]
mod primitives {
    use loom::{model::Builder, thread};

    pub use loom::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
    };
    pub use loom::thread::yield_now as pause;
    pub use std::sync::atomic::{
        AtomicBool as StaticBool, AtomicU32 as StaticU32, AtomicU64 as StaticU64,
    };

    pub const IS_MODELED: bool = true;

    macro_rules! const_unless_loom {
        ($($function:item)*) => {
            $($function)*
        };
    }

    macro_rules! array_of {
        ($value:expr; $length:expr) => {
            std::array::from_fn::<_, { $length }, _>(|_| $value)
        };
    }

    pub(crate) use {array_of, const_unless_loom};

    #[derive(Debug)]
    pub(crate) struct InitFlag(AtomicU8);

    impl InitFlag {
        pub(crate) fn new() -> InitFlag {
            let init = AtomicU8::new(0);
            init.store(1, Ordering::Relaxed);
            InitFlag(init)
        }

        /// Returns whether the thread sees what was stored before the struct was published.
        pub(crate) fn is_seen(&self) -> bool {
            self.0.load(Ordering::Relaxed) == 1
        }
    }

    /// Runs `f` with every combination of values that the reader in [`run_with_reader`] may load. Loom remembers only
    /// the last six stores to each location, so older values are not tried.
    pub fn model(f: impl Fn() + Sync + Send + 'static) {
        let mut builder = Builder::new();
        // Never preempt a thread. The module's comment explains why.
        builder.preemption_bound = Some(0);
        builder.check(f);
    }

    /// Runs `writer`, and runs `reader` on another thread as if at any point during `writer`. Returns the reader's
    /// result.
    pub fn run_with_reader<T: 'static>(
        writer: impl FnOnce(),
        reader: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let reader = thread::spawn(reader);
        writer();
        reader.join().unwrap()
    }
}
