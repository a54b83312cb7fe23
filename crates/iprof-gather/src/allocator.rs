//! A global allocator that counts a program's allocations by call stack.
//!
//! # What is counted
//!
//! There are four named values. `alloc_objects` and `alloc_space` count allocations and their bytes; `inuse_objects`
//! and `inuse_space` subtract whatever was freed. A freed block is subtracted from the call stack and thread that free
//! it; subtracting it where it was allocated would require a header in each block. So a zone that frees blocks
//! allocated elsewhere has a negative `inuse`, and only the sum over all zones and threads is the live memory. (In
//! other tools' pprof profiles, `inuse` belongs to the allocating stack.) A reallocation counts as an allocation of the
//! new size and a free of the old one.
//!
//! Some allocations belong to no call stack: a thread's allocations before its first zone or after the last destructor
//! that enters a zone, and the profiler's own allocations while it creates a node. Only [`Allocator::totals`] includes
//! these. Nothing is counted while timing is off.

#![allow(unsafe_code)] // `GlobalAlloc` is an unsafe trait.

use crate::local::allocation::{self, VALUES};
use crate::sync::StaticU64;
use crate::zone::Zone;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;

static COUNTED: [Zone; VALUES] = {
    const fn value(name: &'static str, unit: &'static str) -> Zone {
        Zone::new(name, file!(), line!(), module_path!()).with_unit(unit, 1)
    }
    [
        value("alloc_objects", "count"),
        value("alloc_space", "bytes"),
        value("inuse_objects", "count"),
        value("inuse_space", "bytes"),
    ]
};

/// Amounts that belong to no call stack, in the same order as [`COUNTED`].
static WITHOUT_STACK: [StaticU64; VALUES] = [const { StaticU64::new(0) }; VALUES];

/// A global allocator that wraps another one and counts its allocations by call stack.
///
/// It counts allocations and bytes, both all of them and those still in use, as the [named
/// values](https://docs.rs/iprof/latest/iprof/macro.value.html) `alloc_objects`, `alloc_space`, `inuse_objects` and
/// `inuse_space`.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: iprof::Allocator = iprof::Allocator::new(std::alloc::System);
///
/// fn main() {
///     iprof::with_view(|view| view.value = iprof::ShownValue::Named("alloc_space".into()));
/// }
/// ```
///
/// A freed block is subtracted from the zone in which it is freed, on any thread. So a zone that frees blocks allocated
/// elsewhere has a negative `inuse`. A reallocation counts as an allocation of the new size and a free of the old one.
///
/// Reports show one frame or a per-frame mean, so in a report `inuse` is the growth of live memory. In a
/// [`snapshot`](https://docs.rs/iprof/latest/iprof/fn.snapshot.html) since the program's start, its sum over all zones
/// and threads is the live memory, unless memory was freed while nothing was counted.
///
/// Only [`totals`](Allocator::totals) includes a thread's allocations before its first zone or after its end, and
/// iprof's own allocations for a new call stack. Nothing is counted while [timing is
/// off](https://docs.rs/iprof/latest/iprof/enum.Timing.html#variant.Off), or without the `enable` feature.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator<A = System> {
    inner: A,
}

/// A program's allocations so far, as returned by [`Allocator::totals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationTotals {
    /// The number of allocations.
    pub allocations: u64,
    /// The number of bytes allocated.
    pub bytes: u64,
    /// The number of allocations not yet freed.
    pub live_allocations: i64,
    /// The number of bytes not yet freed.
    pub live_bytes: i64,
}

impl<A> Allocator<A> {
    /// Wraps `inner` and counts its allocations.
    #[must_use]
    pub const fn new(inner: A) -> Allocator<A> {
        Allocator { inner }
    }
}

impl Allocator {
    /// Returns the program's allocations since its start, on all threads, inside and outside zones. Does not allocate.
    #[must_use]
    pub fn totals() -> AllocationTotals {
        let mut sums = allocation::sums(&COUNTED);
        for (sum, without_stack) in sums.iter_mut().zip(&WITHOUT_STACK) {
            *sum = sum.wrapping_add(without_stack.load(Relaxed));
        }
        let [allocations, bytes, live_allocations, live_bytes] = sums;
        AllocationTotals {
            allocations,
            bytes,
            live_allocations: live_allocations as i64,
            live_bytes: live_bytes as i64,
        }
    }
}

/// Adds `steps` to the last `N` values.
#[inline(always)]
fn count<const N: usize>(steps: [u64; N]) {
    if_enabled!(if !allocation::add_steps(&COUNTED, steps) {
        count_without_stack(&steps);
    });
}

#[cold]
fn count_without_stack(steps: &[u64]) {
    for (sum, steps) in WITHOUT_STACK[VALUES - steps.len()..].iter().zip(steps) {
        // Addition wraps around, because steps may be negative.
        sum.fetch_add(*steps, Relaxed);
    }
}

#[inline(always)]
fn count_allocation(memory: *mut u8, bytes: usize) {
    if !memory.is_null() {
        count([1, bytes as u64, 1, bytes as u64]);
    }
}

// SAFETY: every method calls the same method of `A` with the same arguments. Counting neither unwinds nor touches the
// blocks.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of this method, which is also `A`'s, here and below.
        let memory = unsafe { self.inner.alloc(layout) };
        count_allocation(memory, layout.size());
        memory
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: see above.
        let memory = unsafe { self.inner.alloc_zeroed(layout) };
        count_allocation(memory, layout.size());
        memory
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count([u64::MAX, (layout.size() as u64).wrapping_neg()]);
        // SAFETY: see above.
        unsafe { self.inner.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: see above.
        let moved = unsafe { self.inner.realloc(memory, layout, size) };
        if !moved.is_null() {
            let (old, new) = (layout.size() as u64, size as u64);
            count([1, new, 0, new.wrapping_sub(old)]);
        }
        moved
    }
}
