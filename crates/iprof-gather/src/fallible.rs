//! Copies text and leaks values, or returns `None` if there is no memory. The standard library's usual functions would
//! abort the program. With the functions here, the profiler stops growing and the host continues.

#![allow(unsafe_code)] // Reserved memory stays uninitialized until it is used.

use std::cell::Cell;
use std::hint::black_box;
use std::mem::MaybeUninit;

pub(super) fn try_string(text: &str) -> Option<String> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).ok()?;
    copy.push_str(text);
    Some(copy)
}

pub(super) fn try_leak_slots<T>(count: usize) -> Option<&'static mut [MaybeUninit<T>]> {
    let mut slots = Vec::<MaybeUninit<T>>::new();
    while_allocating(|| slots.try_reserve_exact(count)).ok()?;
    // SAFETY: the slots are reserved and need no value.
    unsafe { slots.set_len(count) };
    Some(slots.leak())
}

pub(super) fn try_leak<T>(value: T) -> Option<&'static T> {
    let [slot] = try_leak_slots(1)? else {
        return None;
    };
    Some(slot.write(value))
}

/// Returns whether about 64 KB can be allocated. The system allocates memory when a thread first uses thread-locals,
/// and some C libraries abort the program if there is none.
pub(super) fn can_allocate() -> bool {
    let mut room = Vec::<u8>::new();
    let result = room.try_reserve_exact(64 << 10);
    // Keep the compiler from removing the unused allocation.
    black_box(&room);
    result.is_ok()
}

thread_local! {
    static IS_ALLOCATING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f`, which may allocate, while this thread is flagged as allocating. Zones that are not recorded during `f`
/// belong to the host's allocator and are not counted as faults.
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

pub(super) fn is_allocating() -> bool {
    IS_ALLOCATING.get()
}
