//! A cache of the numbers of spans' zones, by the spans' ids, read and written without a lock.
//!
//! A registry reuses the ids of spans that were closed, and a layer that asks it for what it keeps of a span
//! takes longer than the two reads of the clock. So there is a table whose place for an id holds the id created last of those
//! that share the place, with its number, in one word: it is there as a whole or not at all.
//!
//! An id has a place of its own as long as no other span is created that shares it; then the registry is asked. So any id may
//! be missing, but what is found is right: whoever creates a span with an id used before writes its number, and whoever
//! enters it has the id from there.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tracing_core::span::Id;

/// A place, of 12 bits, and the rest of a packed id: 44 bits, with 20 for the number.
const PLACES: usize = 1 << 12;
const NUMBER_BITS: u32 = 20;

#[derive(Debug)]
pub(crate) struct Spans(Box<[AtomicU64]>);

impl Spans {
    pub(crate) fn new() -> Spans {
        Spans((0..PLACES).map(|_| AtomicU64::new(EMPTY)).collect())
    }

    /// Notes the number of a span that is created.
    #[inline]
    pub(crate) fn set(&self, id: &Id, number: u32) {
        if let Some((place, rest)) = split(id)
            && number < 1 << NUMBER_BITS
        {
            // Relaxed: whoever enters the span has its id from who created it, by something that
            // synchronizes; and the numbers' zones are read with an order of their own.
            self.0[place].store(rest << NUMBER_BITS | u64::from(number), Relaxed);
        } else if let Some((place, _)) = split(id) {
            self.0[place].store(EMPTY, Relaxed);
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: &Id) -> Option<u32> {
        let (place, rest) = split(id)?;
        let found = self.0[place].load(Relaxed);
        let is_it = found >> NUMBER_BITS == rest && found != EMPTY;
        is_it.then_some((found & ((1 << NUMBER_BITS) - 1)) as u32)
    }
}

/// No number has all bits: there are not so many zones.
const EMPTY: u64 = u64::MAX;

/// The place of an id, and what of the id the place does not say. `None` for an id that does not fit into so many bits.
///
/// A registry's id is, from the lowest bit on: the index of a span within its thread, 38 bits; the thread, 13 bits; and how
/// often that index was used. So ids of one thread follow one another, and those of threads begin 64 places apart. The index fits if there are less
/// than 2^30 spans. Other ids would work, too, only slower.
#[inline]
fn split(id: &Id) -> Option<(usize, u64)> {
    let id = id.into_u64() - 1;
    let (index, above) = (id & ((1 << 38) - 1), id >> 38);
    if index >> 30 != 0 {
        return None;
    }
    let rest = above << 18 | index >> 12;
    // The rest says by what the index' low bits were moved.
    let place = index ^ above << 6;
    Some((place as usize & (PLACES - 1), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_too_large_are_not_kept() {
        let (spans, id) = (Spans::new(), Id::from_u64(5));
        assert_eq!(spans.get(&id), None);
        spans.set(&id, 7);
        assert_eq!(spans.get(&id), Some(7));
        spans.set(&id, 1 << NUMBER_BITS);
        assert_eq!(spans.get(&id), None);
    }

    /// Ids as a registry makes them, few enough to collide, and any.
    fn ids() -> impl Strategy<Value = u64> {
        let index = prop_oneof![0..64u64, 0..1u64 << 31, 4_000..4_200u64];
        let like_a_registry = (index, 0..70u64, 0..4u64)
            .prop_map(|(index, thread, used)| 1 + (index | thread << 38 | used << 51));
        prop_oneof![9 => like_a_registry, 1 => 1..u64::MAX]
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_set_last(steps in prop::collection::vec((ids(), 0..1u32 << 20), 1..300)) {
            let spans = Spans::new();
            let mut last = std::collections::HashMap::new();
            for (id, number) in steps {
                spans.set(&Id::from_u64(id), number);
                last.insert(id, number);
                for (id, number) in &last {
                    let found = spans.get(&Id::from_u64(*id));
                    prop_assert!(found.is_none_or(|found| found == *number), "{id} {number} {found:?}");
                }
                // Of the last, nothing else has the place.
                let fits = (id - 1) & ((1 << 38) - 1) < 1 << 30;
                prop_assert_eq!(spans.get(&Id::from_u64(id)), fits.then_some(number));
            }
        }
    }
}
