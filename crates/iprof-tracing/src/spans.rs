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

/// The low bits of an id are left out of its word, where the number stands instead.
const NUMBER_BITS: u32 = 14;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// A word is 0, or an id without its low bits, and the number of its zone and one more.
#[derive(Debug)]
pub(crate) struct Spans(Box<[AtomicU64; 1 << NUMBER_BITS]>);

impl Spans {
    pub(crate) fn new() -> Spans {
        let words: Box<[AtomicU64]> = (0..=NUMBER).map(|_| AtomicU64::new(0)).collect();
        Spans(words.try_into().expect("so many"))
    }

    /// Notes the number of a span that is created.
    #[inline(always)]
    pub(crate) fn set(&self, id: &Id, number: u32) {
        let id = id.into_u64();
        let number = u64::from(number) + 1;
        let word = if number <= NUMBER {
            id & !NUMBER | number
        } else {
            0
        };
        // Relaxed: whoever enters the span has its id from who created it, by something that
        // synchronizes; and the numbers' zones are read with an order of their own.
        self.0[place(id)].store(word, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn get(&self, id: &Id) -> Option<u32> {
        let id = id.into_u64();
        let word = self.0[place(id)].load(Relaxed);
        let number = (word & NUMBER) as u32;
        if (word ^ id) & !NUMBER != 0 {
            return None;
        }
        number.checked_sub(1)
    }
}

/// The place of an id. Of two ids with one place, the words differ, since the rest says by what the low bits were changed.
///
/// A registry's id is, from the lowest bit on: the index of a span within its thread, 38 bits; the thread, 13 bits; and how
/// often that index was used. So ids of one thread follow one another, and those of threads begin 64 places apart.
#[inline(always)]
fn place(id: u64) -> usize {
    ((id ^ id >> 32) & NUMBER) as usize
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
        spans.set(&id, NUMBER as u32 - 1);
        assert_eq!(spans.get(&id), Some(NUMBER as u32 - 1));
        for too_large in [NUMBER as u32, 1 << 20, u32::MAX] {
            spans.set(&id, too_large);
            assert_eq!(spans.get(&id), None);
        }
    }

    /// Ids as a registry makes them, few enough to collide, and any.
    fn ids() -> impl Strategy<Value = u64> {
        let index = prop_oneof![0..64u64, 0..1u64 << 38, 16_300..16_500u64];
        let like_a_registry = (index, 0..70u64, 0..4u64)
            .prop_map(|(index, thread, used)| 1 + (index | thread << 38 | used << 51));
        prop_oneof![9 => like_a_registry, 1 => 1..u64::MAX]
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_was_set_last(steps in prop::collection::vec((ids(), 0..NUMBER as u32), 1..300)) {
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
                prop_assert_eq!(spans.get(&Id::from_u64(id)), Some(number));
            }
        }
    }
}
