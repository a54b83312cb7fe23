//! A layer that turns a registry's spans into zones.

use crate::Options;
use crate::zones::Zones;
use iprof::RunTimeZone;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracing_core::Subscriber;
use tracing_core::span::{Attributes, Id};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A layer that turns spans into zones, for use with other layers on a `tracing_subscriber::Registry`.
///
/// Filter spans with tracing-subscriber, either with `with_filter` on this layer or with a filter for the whole
/// registry.
///
/// Even without this layer, a registry panics if a span is created or entered in a thread-local's destructor that runs
/// after the registry's own thread-locals are destroyed. [`Subscriber`](crate::Subscriber) does not panic there.
///
/// ```
/// # fn main() {
/// use tracing_subscriber::filter::LevelFilter;
/// use tracing_subscriber::prelude::*;
///
/// let registry = tracing_subscriber::registry()
///     .with(iprof_tracing::Layer::new().with_filter(LevelFilter::INFO));
/// tracing::subscriber::set_global_default(registry).unwrap();
/// # }
/// ```
#[derive(Debug)]
pub struct Layer {
    zones: Zones,
    spans: Spans,
    by_value: ByValue,
}

impl Default for Layer {
    fn default() -> Self {
        Self::new()
    }
}

/// The zone numbers of open spans that are named by a value. The layer stores the numbers itself, because the registry
/// would allocate memory for each of them.
#[derive(Debug, Default)]
struct ByValue {
    numbers: Mutex<HashMap<u64, u32>>,
    /// The number of such spans, which is 0 in most programs.
    count: AtomicUsize,
}

impl ByValue {
    fn numbers(&self) -> MutexGuard<'_, HashMap<u64, u32>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, id: &Id, number: u32) {
        let mut numbers = self.numbers();
        numbers.insert(id.into_u64(), number);
        // Relaxed: a thread that enters or closes the span received its id through something that synchronizes.
        self.count.store(numbers.len(), Relaxed);
    }

    fn get(&self, id: &Id) -> Option<u32> {
        match self.count.load(Relaxed) {
            0 => None,
            _ => self.numbers().get(&id.into_u64()).copied(),
        }
    }

    fn remove(&self, id: &Id) {
        if self.count.load(Relaxed) > 0 {
            let mut numbers = self.numbers();
            numbers.remove(&id.into_u64());
            self.count.store(numbers.len(), Relaxed);
        }
    }
}

impl Layer {
    /// Creates a layer that names zones only after their spans, not after field values.
    #[must_use]
    pub fn new() -> Layer {
        Layer::with_options(Options::new())
    }

    /// Creates a layer that names zones according to `options`.
    #[must_use]
    pub fn with_options(options: Options) -> Layer {
        Layer {
            zones: Zones::new(options),
            spans: Spans::new(),
            by_value: ByValue::default(),
        }
    }

    #[inline(always)]
    fn zone<S>(&self, id: &Id, context: &Context<'_, S>) -> Option<RunTimeZone>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let number = match self.spans.get(id) {
            Some(number) => number,
            None => self.number_by_registry(id, context)?,
        };
        self.zones.get(number)
    }

    /// Looks up spans whose place in `spans` was taken by a different span, and spans that are older than the layer.
    #[cold]
    #[inline(never)]
    fn number_by_registry<S>(&self, id: &Id, context: &Context<'_, S>) -> Option<u32>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let by_place = || Some(self.zones.number_of_place(context.span(id)?.metadata()));
        self.by_value.get(id).or_else(by_place)
    }
}

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    #[inline]
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let numbered = self.zones.number_span(attributes);
        self.spans.set(id, numbered.number);
        if numbered.is_by_value {
            self.by_value.insert(id, numbered.number);
        }
    }

    #[inline]
    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.by_value.remove(&id);
    }

    #[inline]
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(zone) = self.zone(id, &context) {
            zone.begin();
        }
    }

    #[inline]
    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if let Some(zone) = self.zone(id, &context) {
            zone.end();
        }
    }
}

/// How many of an id's low bits are replaced by the zone's number in a word.
const NUMBER_BITS: u32 = 14;
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;

/// A lock-free cache that maps span ids to zone numbers.
///
/// A registry reuses the ids of closed spans, and querying a registry for a layer's data about a span takes longer than
/// two clock reads. This table avoids most queries. In the table, several ids share a place. A place stores the most
/// recent id and its number in a single word, so that readers never see a partial update.
///
/// An id can be found until a different span with the same place is created. After that, the layer queries the
/// registry. A number found in the table is always correct: a thread that creates a span with a reused id writes the
/// new number, and a thread that enters the span got the id from the creating thread.
///
/// A word is 0, or an id with its low bits replaced by the zone's number plus one.
#[derive(Debug)]
pub(crate) struct Spans(Box<[AtomicU64; 1 << NUMBER_BITS]>);

impl Spans {
    pub(crate) fn new() -> Spans {
        let words: Box<[AtomicU64]> = (0..=NUMBER).map(|_| AtomicU64::new(0)).collect();
        Spans(
            words
                .try_into()
                .expect("the range and the array should have the same length"),
        )
    }

    /// Stores a new span's number.
    #[inline(always)]
    pub(crate) fn set(&self, id: &Id, number: u32) {
        let id = id.into_u64();
        let number = u64::from(number) + 1;
        let word = if number <= NUMBER {
            id & !NUMBER | number
        } else {
            0
        };
        // Relaxed: a thread that enters the span received its id from the creating thread through something that
        // synchronizes. The table of zones by number has its own ordering.
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

/// Returns the id's place in the table. Ids with the same place have different words, because an id's place and its
/// high bits determine its low bits.
///
/// Starting with the lowest bit, a registry's id has 38 bits for the span's index within its thread, 13 bits for the
/// thread, and the number of times that the index has been used. So one thread's ids get consecutive places, and
/// different threads' ids start 64 places apart.
#[inline(always)]
fn place(id: u64) -> usize {
    ((id ^ id >> 32) & NUMBER) as usize
}

#[cfg(test)]
mod spans_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn too_large_numbers_are_not_cached() {
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

    /// Returns ids like a registry's, from a range small enough for collisions, and some arbitrary ids.
    fn ids() -> impl Strategy<Value = u64> {
        let index = prop_oneof![0..64u64, 0..1u64 << 38, 16_300..16_500u64];
        let like_a_registry = (index, 0..70u64, 0..4u64)
            .prop_map(|(index, thread, used)| 1 + (index | thread << 38 | used << 51));
        prop_oneof![9 => like_a_registry, 1 => 1..u64::MAX]
    }

    proptest! {
        #[test]
        fn lookup_finds_the_last_number_set(steps in prop::collection::vec((ids(), 0..NUMBER as u32), 1..300)) {
            let spans = Spans::new();
            let mut last = std::collections::HashMap::new();
            for (id, number) in steps {
                spans.set(&Id::from_u64(id), number);
                last.insert(id, number);
                for (id, number) in &last {
                    let found = spans.get(&Id::from_u64(*id));
                    prop_assert!(found.is_none_or(|found| found == *number), "{id} {number} {found:?}");
                }
                // No other id has taken the place since then.
                prop_assert_eq!(spans.get(&Id::from_u64(id)), Some(number));
            }
        }
    }
}
