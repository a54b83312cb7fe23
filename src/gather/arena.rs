//! Where a thread's nodes lie: in chunks that double in size and never move.
//!
//! The owner appends; anybody reads what is published. Chunk `k` holds `FIRST << k` nodes, so an
//! index names its place without a search.

#![allow(unsafe_code)] // Nodes are published to other threads without a lock.

use super::node::Node;
use crate::sync::{AtomicPtr, AtomicU32, Ordering};
use std::mem::MaybeUninit;
use std::ptr;

/// Nodes in the first chunk; few under the model checker, so that models get to the second.
const FIRST: u32 = if cfg!(loom) { 2 } else { 64 };
/// 14 chunks: a good million nodes, 64 MiB, for one thread.
const CHUNKS: usize = 14;
/// Nodes are allocated by pairs, so that no two threads' nodes lie on one pair of cache lines.
type Pair = crate::sync::Apart<[Node; 2]>;
const _: () = assert!(size_of::<Pair>() == 2 * size_of::<Node>() && FIRST.is_multiple_of(2));

/// How many nodes a thread can have.
pub(super) const CAPACITY: u32 = FIRST * ((1 << CHUNKS) - 1);

#[derive(Debug)]
pub(super) struct Arena {
    /// Invariant: null, or a leaked allocation of `FIRST << k` slots, set once by the owner.
    chunks: [AtomicPtr<MaybeUninit<Node>>; CHUNKS],
    /// Invariant: all slots of a smaller index are initialised, and their chunks are set. Stored
    /// with release after the slot is written; loaded with acquire by readers.
    len: AtomicU32,
}

impl Arena {
    pub(super) fn new() -> Arena {
        Arena {
            chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
            len: AtomicU32::new(0),
        }
    }

    /// How many nodes are published.
    pub(super) fn len(&self) -> u32 {
        // Acquire: pairs with the release in `push`, so that what is counted can be read.
        self.len.load(Ordering::Acquire)
    }

    /// Appends what `make` makes of its index. `None` when the arena is full.
    ///
    /// # Safety
    ///
    /// One thread at a time: the owner of the tree.
    pub(super) unsafe fn push(&self, make: impl FnOnce(u32) -> Node) -> Option<&'static Node> {
        let index = self.len.load(Ordering::Relaxed);
        if index >= CAPACITY {
            return None;
        }
        let (chunk, offset) = place(index);
        let mut slots = self.chunks[chunk].load(Ordering::Relaxed);
        if slots.is_null() {
            let size = (FIRST as usize) << chunk;
            let pairs = Box::<[Pair]>::new_uninit_slice(size / 2);
            slots = Box::leak(pairs).as_mut_ptr().cast();
            // Relaxed: published by the release of `len` below.
            self.chunks[chunk].store(slots, Ordering::Relaxed);
        }
        // SAFETY: invariant of `chunks`: the chunk has `FIRST << chunk` slots and `offset` is
        // smaller. No reader looks at this slot before `len` says so, and the caller is the one
        // writer.
        let node: &'static Node = unsafe { (*slots.add(offset)).write(make(index)) };
        // Release: pairs with the acquire in `len`.
        self.len.store(index + 1, Ordering::Release);
        Some(node)
    }

    /// The node of that index.
    pub(super) fn get(&self, index: u32) -> Option<&'static Node> {
        if index >= self.len() {
            return None;
        }
        let (chunk, offset) = place(index);
        let slots = self.chunks[chunk].load(Ordering::Relaxed);
        // SAFETY: invariant of `len`, just loaded with acquire: the chunk is set and the slot is
        // initialised. Chunks are leaked, so the node lives as long as the program.
        Some(unsafe { (*slots.add(offset)).assume_init_ref() })
    }
}

/// Chunk and offset of an index.
fn place(index: u32) -> (usize, usize) {
    let shifted = index / FIRST + 1;
    let chunk = shifted.ilog2();
    (
        chunk as usize,
        (index - FIRST * ((1 << chunk) - 1)) as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own_in_order() {
        let mut expected = (0, 0);
        for index in 0..10_000 {
            assert_eq!(place(index), expected);
            expected.1 += 1;
            if expected.1 == (FIRST as usize) << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(
            place(CAPACITY - 1),
            (CHUNKS - 1, ((FIRST as usize) << (CHUNKS - 1)) - 1)
        );
    }
}
