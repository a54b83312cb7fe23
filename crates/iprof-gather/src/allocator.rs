//! A global allocator that counts by call stack what a program allocates.
//!
//! # What is counted
//!
//! Four named values: `alloc_objects` and `alloc_space`, allocations and their bytes; `inuse_objects` and `inuse_space`, the
//! same less what was freed. What is freed goes off the call stack that frees it, on the thread that frees it, not off the
//! one that allocated it: for that each block would need a header. So a zone's `inuse` is what it allocated beyond what it
//! freed, below 0 where it frees others' blocks; over all zones and threads it is what is live. (pprof's `inuse` of other
//! profilers is by the stack that allocated.) A reallocation is an allocation of the new size, and frees the old one.
//!
//! A thread's allocations before its first zone, after its last destructor with zones, and those that the profiler makes
//! while it makes a node belong to no call stack: they are in [`Allocator::totals`] alone. While timing is off nothing is
//! counted.

#![allow(unsafe_code)] // An allocator is.

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

/// What belongs to no call stack, in the order of [`COUNTED`].
static ELSEWHERE: [StaticU64; VALUES] = [const { StaticU64::new(0) }; VALUES];

/// A global allocator that counts what another one allocates, by call stack: allocations and bytes, and both less what
/// was freed, as [named values](https://docs.rs/iprof/latest/iprof/macro.value.html) `alloc_objects`, `alloc_space`, `inuse_objects` and `inuse_space`.
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
/// A block that is freed goes off the zone that is open where it is freed, on any thread: `inuse` of a zone is what it
/// allocated beyond what it freed, and below 0 where it frees what others allocated. In reports, which show a frame or a
/// mean per frame, that is by how much live memory grew; in a [`snapshot`](https://docs.rs/iprof/latest/iprof/fn.snapshot.html) of everything since the program's
/// start, over all zones and threads, it is what is live, but for what was freed while nothing was counted. A reallocation counts as an allocation of the new size that frees the old one.
///
/// What a thread allocates before its first zone and after its end, and what iprof allocates for a new call stack, is in
/// [`totals`](Allocator::totals) alone. Nothing is counted while [timing is off](https://docs.rs/iprof/latest/iprof/enum.Timing.html#variant.Off), nor without the
/// feature `enable`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allocator<A = System> {
    inner: A,
}

/// What a program has allocated: see [`Allocator::totals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationTotals {
    /// Allocations so far.
    pub allocations: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Allocations less those that were freed.
    pub live_allocations: i64,
    /// Their bytes.
    pub live_bytes: i64,
}

impl<A> Allocator<A> {
    /// Counts what `inner` allocates.
    #[must_use]
    pub const fn new(inner: A) -> Allocator<A> {
        Allocator { inner }
    }
}

impl Allocator {
    /// What the program has allocated since its start, in zones and outside, on all threads. It needs no memory itself.
    #[must_use]
    pub fn totals() -> AllocationTotals {
        let mut sums = allocation::sums(&COUNTED);
        for (sum, elsewhere) in sums.iter_mut().zip(&ELSEWHERE) {
            *sum = sum.wrapping_add(elsewhere.load(Relaxed));
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

/// Adds to the last of the values.
#[inline(always)]
fn count<const N: usize>(steps: [u64; N]) {
    if_enabled!(if !allocation::add_steps(&COUNTED, steps) {
        count_elsewhere(&steps);
    });
}

#[cold]
fn count_elsewhere(steps: &[u64]) {
    for (sum, steps) in ELSEWHERE[VALUES - steps.len()..].iter().zip(steps) {
        // Wraps around.
        sum.fetch_add(*steps, Relaxed);
    }
}

#[inline(always)]
fn count_allocation(memory: *mut u8, bytes: usize) {
    if !memory.is_null() {
        count([1, bytes as u64, 1, bytes as u64]);
    }
}

// SAFETY: `A` does the work, with the same arguments; what counts it neither unwinds nor touches the blocks.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same, here and below.
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
