//! Where a thread's nodes lie: in chunks that double in size and never move.
//!
//! The owner appends; anybody reads what is published. Chunk `k` holds `FIRST << k` nodes, so an
//! index names its place without a search.

#![allow(unsafe_code)] // Nodes are published to other threads without a lock.

use super::node::Node;
use super::reserved;
use crate::sync::{AtomicPtr, AtomicU32, Ordering, const_unless_modelled};
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

/// Why there is no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// There are [`CAPACITY`].
    Full,
    /// The program has no memory for more.
    NoMemory,
}

#[derive(Debug)]
pub(super) struct Arena {
    /// Invariant: null, or a leaked allocation of `FIRST << k` slots, set once by the owner.
    chunks: [AtomicPtr<MaybeUninit<Node>>; CHUNKS],
    /// Invariant: all slots of a smaller index are initialised, and their chunks are set. Stored
    /// with release after the slot is written; loaded with acquire by readers.
    len: AtomicU32,
    /// How often in a row there was no memory for a chunk. Only the owner touches it.
    refused: AtomicU32,
}

impl Arena {
    const_unless_modelled! {
        pub(super) fn new() -> Arena {
            Arena {
                #[cfg(not(loom))]
                chunks: [const { AtomicPtr::new(ptr::null_mut()) }; CHUNKS],
                #[cfg(loom)]
                chunks: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
                len: AtomicU32::new(0),
                refused: AtomicU32::new(0),
            }
        }
    }

    /// How many nodes are published.
    pub(super) fn len(&self) -> u32 {
        // Acquire: pairs with the release in `push`, so that what is counted can be read.
        self.len.load(Ordering::Acquire)
    }

    /// Appends what `make` makes of its index.
    ///
    /// # Safety
    ///
    /// One thread at a time: the owner of the tree.
    pub(super) unsafe fn push(
        &self,
        make: impl FnOnce(u32) -> Node,
    ) -> Result<&'static Node, Refused> {
        let index = self.len.load(Ordering::Relaxed);
        if index >= CAPACITY {
            return Err(Refused::Full);
        }
        let (chunk, offset) = place(index);
        let mut slots = self.chunks[chunk].load(Ordering::Relaxed);
        if slots.is_null() {
            // Where memory was refused, it is asked for seldom: that takes microseconds.
            let refused = self.refused.load(Ordering::Relaxed);
            let is_time = refused == 0 || refused.is_power_of_two();
            let pairs = (FIRST as usize) << chunk >> 1;
            let Some(new) = is_time.then(|| reserved::slots::<Pair>(pairs)).flatten() else {
                let refused = refused.saturating_add(1);
                self.refused.store(refused, Ordering::Relaxed);
                return Err(Refused::NoMemory);
            };
            self.refused.store(0, Ordering::Relaxed);
            slots = new.as_mut_ptr().cast();
            // Relaxed: published by the release of `len` below.
            self.chunks[chunk].store(slots, Ordering::Relaxed);
        }
        // SAFETY: invariant of `chunks`: the chunk has `FIRST << chunk` slots and `offset` is
        // smaller. No reader looks at this slot before `len` says so, and the caller is the one
        // writer.
        // The node is borrowed anew, shared: what `write` returns is borrowed mutably, and a later
        // reader would end that.
        let node: &'static Node = unsafe {
            (*slots.add(offset)).write(make(index));
            (*slots.add(offset)).assume_init_ref()
        };
        // Release: pairs with the acquire in `len`.
        self.len.store(index + 1, Ordering::Release);
        Ok(node)
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
