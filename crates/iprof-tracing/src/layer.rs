//! A layer that makes zones of the spans of a registry.

use crate::options::Options;
use crate::spans::Spans;
use crate::zones::Zones;
use iprof::RunTimeZone;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tracing_core::Subscriber;
use tracing_core::span::{Attributes, Id};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A layer that makes zones of spans, beside other layers on a `tracing_subscriber::Registry`.
///
/// Filters are those of tracing-subscriber: `with_filter` for this layer, or one for the whole registry.
///
/// In a destructor of a thread-local that runs after the registry's own, a registry panics when a span is created or entered, with
/// this layer or without; [`Subscriber`](crate::Subscriber) does not.
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

/// The numbers of spans that are named by a value, as long as they are not closed. The registry would allocate for each.
#[derive(Debug, Default)]
struct ByValue {
    numbers: Mutex<HashMap<u64, u32>>,
    /// How many there are: most programs name no span by a value.
    count: AtomicUsize,
}

impl ByValue {
    fn numbers(&self) -> MutexGuard<'_, HashMap<u64, u32>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, id: &Id, number: u32) {
        let mut numbers = self.numbers();
        numbers.insert(id.into_u64(), number);
        // Relaxed: whoever enters or closes the span has its id by something that synchronizes.
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
    /// With zones named by the places of spans alone.
    #[must_use]
    pub fn new() -> Layer {
        Layer::with_options(Options::new())
    }

    /// With zones that are named as the options say.
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

    /// Where another span has its place in `spans`, or it was created before the layer was there.
    #[cold]
    #[inline(never)]
    fn number_by_registry<S>(&self, id: &Id, context: &Context<'_, S>) -> Option<u32>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let by_place = || Some(self.zones.of_place(context.span(id)?.metadata()));
        self.by_value.get(id).or_else(by_place)
    }
}

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    #[inline]
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let numbered = self.zones.of_span(attributes);
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
