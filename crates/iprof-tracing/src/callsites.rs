//! A map from the metadata of a callsite to a number, read without a lock.
//!
//! Nothing is ever removed. A hash table a level; an element stands in the first level that has room within the
//! [`WINDOW`] of its hash. So a search ends at the first place that is empty.

use crate::levels::Levels;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use tracing_core::Metadata;

const WINDOW: usize = 4;

#[derive(Debug)]
pub(crate) struct Callsites {
    levels: Levels<Place>,
    adding: Mutex<()>,
}

#[derive(Debug, Default)]
struct Place {
    /// The address of metadata, which are static; 0 in an empty place.
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
                // Acquire: the partner of the release in `add`, by which the number is there.
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

    /// The number of a callsite from now on, unless it has one; returns that.
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

/// The places of a level, whose size is a power of two, at which an element may stand.
#[inline]
fn window(level: &[Place], address: usize) -> impl Iterator<Item = &Place> {
    // The upper half of a product depends on all bits of the address.
    let hash = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let mask = level.len() - 1;
    (0..WINDOW).filter_map(move |at| level.get((hash as usize + at) & mask))
}
