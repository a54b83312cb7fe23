//! Marks a thread while the profiler allocates for it: zones missed meanwhile belong to the host's
//! allocator and are not counted as a signal handler's fault.

use std::cell::Cell;

thread_local! {
    static IS_ALLOCATING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, which may allocate, with this thread marked: zones missed meanwhile are not counted as
/// faults, since they are zones of the host's allocator.
pub(super) fn while_allocating<R>(f: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_ALLOCATING.set(self.0);
        }
    }
    let _restore = Restore(IS_ALLOCATING.replace(true));
    f()
}

/// Whether this thread is in an `f` of [`while_allocating`].
pub(super) fn is_allocating() -> bool {
    IS_ALLOCATING.get()
}
