//! Tables that are read without a lock, by index or by callsite.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Mutex, OnceLock, PoisonError};
use tracing_core::Metadata;

/// The number of elements in the first level.
const FIRST: u32 = 1_024;
/// The number of further levels, enough for every `u32` index.
const FURTHER: usize = 22;

/// A table of default-initialized elements by index, in levels that double in size. Elements never move, so readers
/// need no lock.
#[derive(Debug)]
pub(crate) struct Levels<T> {
    /// The first level. It is a separate field, because nearly all elements are in it.
    first: Box<[T]>,
    further: [OnceLock<Box<[T]>>; FURTHER],
}

impl<T: Default> Levels<T> {
    pub(crate) fn new() -> Levels<T> {
        Levels {
            first: defaults(FIRST as usize),
            further: [const { OnceLock::new() }; FURTHER],
        }
    }

    #[inline]
    pub(crate) fn level(&self, level: usize) -> Option<&[T]> {
        match level.checked_sub(1) {
            None => Some(&self.first),
            Some(further) => Some(self.further.get(further)?.get()?),
        }
    }

    /// Returns an iterator over all levels that creates each missing level when it reaches that level.
    pub(crate) fn made(&self) -> impl Iterator<Item = &[T]> {
        let further = self.further.iter().zip(1..).map(|(made, level)| {
            let level = made.get_or_init(|| defaults((FIRST as usize) << level));
            &**level
        });
        std::iter::once(&*self.first).chain(further)
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        if let Some(element) = self.first.get(index as usize) {
            return Some(element);
        }
        let (level, at) = place(index)?;
        self.level(level)?.get(at)
    }

    /// Like [`get`](Self::get), but first creates any missing levels, up to the one that contains the element.
    pub(crate) fn get_or_make(&self, index: u32) -> Option<&T> {
        let (level, at) = place(index)?;
        self.made().nth(level)?.get(at)
    }
}

fn defaults<T: Default>(size: usize) -> Box<[T]> {
    (0..size).map(|_| T::default()).collect()
}

/// Returns the level that contains an index, and the position in that level. The lower levels together have
/// `FIRST * (2^level - 1)` elements.
#[cold]
fn place(index: u32) -> Option<(usize, usize)> {
    let shifted = index.checked_add(FIRST)?;
    let level = shifted.ilog2() - FIRST.ilog2();
    Some((level as usize, (shifted - (FIRST << level)) as usize))
}

const WINDOW: usize = 4;

/// A map from a callsite's metadata to a number.
///
/// Elements are never removed. Each level is a hash table, and an element is stored in the first level with a free
/// place in the [`WINDOW`] for its hash. So a search ends at the first empty place that it reaches.
#[derive(Debug)]
pub(crate) struct Callsites {
    levels: Levels<Slot>,
    adding: Mutex<()>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The address of a callsite's metadata, or 0 in an empty place.
    metadata: AtomicUsize,
    number: AtomicU32,
}

impl Callsites {
    pub(crate) fn new() -> Callsites {
        Callsites {
            levels: Levels::new(),
            adding: Mutex::new(()),
        }
    }

    #[inline]
    pub(crate) fn get(&self, metadata: &'static Metadata<'static>) -> Option<u32> {
        let address = address(metadata);
        let mut level = 0;
        loop {
            for place in window(self.levels.level(level)?, address) {
                // Acquire: pairs with the release in `add`, after which the number is visible.
                let found = place.metadata.load(Acquire);
                if found == address {
                    return Some(place.number.load(Relaxed));
                }
                if found == 0 {
                    return None;
                }
            }
            level += 1;
        }
    }

    /// Assigns a number to a callsite, unless it already has one. Returns the callsite's number.
    pub(crate) fn add(&self, metadata: &'static Metadata<'static>, number: u32) -> u32 {
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.get(metadata) {
            return known;
        }
        let address = address(metadata);
        let mut places = self.levels.made().flat_map(|level| window(level, address));
        if let Some(place) = places.find(|place| place.metadata.load(Relaxed) == 0) {
            place.number.store(number, Relaxed);
            place.metadata.store(address, Release);
        }
        number
    }
}

#[inline]
fn address(metadata: &'static Metadata<'static>) -> usize {
    std::ptr::from_ref(metadata).addr()
}

/// Returns an element's possible places in a level, whose size is a power of two.
#[inline]
fn window(level: &[Slot], address: usize) -> impl Iterator<Item = &Slot> {
    // The upper half of the product depends on all bits of the address.
    let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let mask = level.len() - 1;
    (0..WINDOW).filter_map(move |at| level.get((hash as usize + at) & mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_distinct_element() {
        let all = Levels::<AtomicU32>::new();
        assert!(all.get(1_024).is_none());
        for index in 0..10_000 {
            let element = all.get_or_make(index).unwrap();
            assert_eq!(element.swap(index + 1, Relaxed), 0, "{index}");
        }
        for index in 0..10_000 {
            assert_eq!(all.get(index).unwrap().load(Relaxed), index + 1);
        }
        assert!(all.get(u32::MAX).is_none());
    }
}
