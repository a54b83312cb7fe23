//! Memory that may be refused: a profiler that finds none stops growing, and its host goes on.
//!
//! What the standard library offers for the same ends the program when there is none.

#![allow(unsafe_code)] // Nobody writes to megabytes that may never be used.

use std::cell::Cell;
use std::mem::MaybeUninit;

thread_local! {
    static ALLOCATES: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, which may allocate: zones that come meanwhile are taken for the host's allocator's.
pub(super) fn allocating<R>(f: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            ALLOCATES.set(self.0);
        }
    }
    let _back = Back(ALLOCATES.replace(true));
    f()
}

/// Whether this thread is in an `f` of [`allocating`].
pub(super) fn is_allocating() -> bool {
    ALLOCATES.get()
}

/// `text` in memory of its own; `None` if there is none.
pub(super) fn text(text: &str) -> Option<String> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).ok()?;
    copy.push_str(text);
    Some(copy)
}

/// So many slots that nobody gives back.
pub(super) fn slots<T>(count: usize) -> Option<&'static mut [MaybeUninit<T>]> {
    let mut slots = Vec::<MaybeUninit<T>>::new();
    allocating(|| slots.try_reserve_exact(count)).ok()?;
    // SAFETY: they are reserved, and a slot needs no value.
    unsafe { slots.set_len(count) };
    Some(slots.leak())
}

/// `value` where nobody gives it back.
pub(super) fn leak<T>(value: T) -> Option<&'static T> {
    let [slot] = slots(1)? else { return None };
    Some(slot.write(value))
}

/// Whether there are some 64 KB left: for a thread that is new to it, the system needs memory, and
/// some C libraries end the program if they cannot have it.
pub(super) fn has_room() -> bool {
    crate::memory::can_allocate(64 << 10)
}
