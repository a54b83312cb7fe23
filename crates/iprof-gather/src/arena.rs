//! Stores a thread's nodes in chunks that double in size and never move.
//!
//! The owner appends nodes, and any thread reads the published ones. Chunk `k` holds `FIRST << k` nodes, so a node's
//! chunk and offset are computed from its index, without a search.

#![allow(unsafe_code)] // Nodes are published to other threads without a lock.

use super::fallible;
use super::node::Node;
use crate::sync::{AtomicPtr, AtomicU32, IS_MODELED, Ordering, array_of, const_unless_loom};
use std::mem::MaybeUninit;
use std::ptr;

/// The number of nodes in the first chunk. Loom tests use a small chunk, so that they reach the second one.
const FIRST: u32 = if IS_MODELED { 2 } else { 64 };
/// The number of chunks. Together, the chunks hold about a million nodes in 64 MiB.
const CHUNKS: usize = 14;
/// Nodes are allocated in pairs, so that two threads' nodes never share a pair of cache lines.
type Pair = crate::sync::CachePadded<[Node; 2]>;
const _: () = assert!(size_of::<Pair>() == 2 * size_of::<Node>() && FIRST.is_multiple_of(2));

/// The maximum number of nodes per thread.
pub(super) const CAPACITY: u32 = FIRST * ((1 << CHUNKS) - 1);

/// The reason why a node could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PushError {
    /// The arena already holds [`CAPACITY`] nodes.
    Full,
    /// There is no memory for another chunk.
    NoMemory,
}

#[derive(Debug)]
pub(super) struct Arena {
    /// Invariant: null, or a leaked allocation of `FIRST << k` slots, set once by the owner.
    chunks: [AtomicPtr<MaybeUninit<Node>>; CHUNKS],
    /// Invariant: slots with smaller indices are initialized, and their chunks are set. Stored with release after the
    /// slot is written; readers load it with acquire.
    len: AtomicU32,
    /// The number of consecutive pushes that found no memory for a chunk. Only the owner accesses it.
    refused: AtomicU32,
}

impl Arena {
    const_unless_loom! {
        pub(super) fn new() -> Arena {
            Arena {
                chunks: array_of![AtomicPtr::new(ptr::null_mut()); CHUNKS],
                len: AtomicU32::new(0),
                refused: AtomicU32::new(0),
            }
        }
    }

    /// The number of published nodes.
    pub(super) fn len(&self) -> u32 {
        // Acquire: pairs with the release in `push`, so that the counted nodes are initialized.
        self.len.load(Ordering::Acquire)
    }

    /// Appends the node that `make` returns for the new index.
    ///
    /// # Safety
    ///
    /// Only the tree's owner may call this, so that only one thread at a time appends nodes.
    pub(super) unsafe fn push(
        &self,
        make: impl FnOnce(u32) -> Node,
    ) -> Result<&'static Node, PushError> {
        let index = self.len.load(Ordering::Relaxed);
        if index >= CAPACITY {
            return Err(PushError::Full);
        }
        let (chunk, offset) = chunk_and_offset(index);
        let mut slots = self.chunks[chunk].load(Ordering::Relaxed);
        if slots.is_null() {
            // A failed allocation takes microseconds, so retry less and less often.
            let refused = self.refused.load(Ordering::Relaxed);
            let is_time = refused == 0 || refused.is_power_of_two();
            let pairs = (FIRST as usize) << chunk >> 1;
            let Some(new) = is_time
                .then(|| fallible::try_leak_slots::<Pair>(pairs))
                .flatten()
            else {
                let refused = refused.saturating_add(1);
                self.refused.store(refused, Ordering::Relaxed);
                return Err(PushError::NoMemory);
            };
            self.refused.store(0, Ordering::Relaxed);
            slots = new.as_mut_ptr().cast();
            // Relaxed: the release store to `len` below publishes the chunk.
            self.chunks[chunk].store(slots, Ordering::Relaxed);
        }
        // SAFETY: the chunk has `FIRST << chunk` slots, by the invariant of `chunks`, and `offset` is smaller. No
        // reader accesses the slot before `len` includes it, and the caller is the only writer. The node is borrowed
        // again as shared, because later readers would invalidate the mutable borrow that `write` returns.
        let node: &'static Node = unsafe {
            (*slots.add(offset)).write(make(index));
            (*slots.add(offset)).assume_init_ref()
        };
        // Release: pairs with the acquire in `len`.
        self.len.store(index + 1, Ordering::Release);
        Ok(node)
    }

    pub(super) fn get(&self, index: u32) -> Option<&'static Node> {
        if index >= self.len() {
            return None;
        }
        let (chunk, offset) = chunk_and_offset(index);
        let slots = self.chunks[chunk].load(Ordering::Relaxed);
        // SAFETY: the chunk is set and the slot is initialized, by the invariant of `len`, which was loaded with
        // acquire. Chunks are leaked, so the node lives as long as the program.
        Some(unsafe { (*slots.add(offset)).assume_init_ref() })
    }
}

fn chunk_and_offset(index: u32) -> (usize, usize) {
    let shifted = index / FIRST + 1;
    let chunk = shifted.ilog2();
    (
        chunk as usize,
        (index - FIRST * ((1 << chunk) - 1)) as usize,
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_index_maps_to_the_next_slot() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(chunk_and_offset(index), expected);
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(
            chunk_and_offset(CAPACITY - 1),
            (CHUNKS - 1, ((FIRST as usize) << (CHUNKS - 1)) - 1)
        );
    }
}
