//! `tracing` with tracing-subscriber's `Registry` and a layer that measures and adds up times. This is about the
//! smallest possible profiler based on `tracing`.

use crate::address_map::AddressMap;
use crate::contender::{BARE, Contender};
use crate::entry_counts::{self, Counts};
use std::cell::RefCell;
use std::time::{Duration, Instant};
use tracing::span::Id;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

pub(crate) const REGISTRY: Contender = Contender {
    name: "tracing + Registry",
    package: Some("tracing-subscriber"),
    set: "info_span, entered; the global dispatcher is a Registry with one layer: Instant on enter and exit, totals by call site",
    start: || {
        let subscriber = tracing_subscriber::registry().with(Timing);
        tracing::subscriber::set_global_default(subscriber).expect("a subscriber is already set");
    },
    counts: Some(counts),
    work: &WORK,
    ..BARE
};

#[derive(Clone, Copy)]
struct Total {
    name: &'static str,
    entries: u64,
    time: Duration,
}

thread_local! {
    static ENTERED: RefCell<Vec<Instant>> = const { RefCell::new(Vec::new()) };
    static TOTALS: RefCell<AddressMap<Total>> = RefCell::default();
}

fn counts() -> Counts {
    let mut counts = Counts::new();
    TOTALS.with_borrow(|totals| {
        for total in totals.values() {
            entry_counts::add(&mut counts, total.name, total.entries);
        }
    });
    counts
}

struct Timing;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Timing {
    fn on_enter(&self, _: &Id, _: Context<'_, S>) {
        ENTERED.with_borrow_mut(|entered| entered.push(Instant::now()));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(entered) = ENTERED.with_borrow_mut(Vec::pop) else {
            return;
        };
        let time = entered.elapsed();
        let Some(metadata) = context.metadata(id) else {
            return;
        };
        let address = std::ptr::from_ref::<Metadata<'_>>(metadata).addr();
        TOTALS.with_borrow_mut(|totals| {
            let total = totals.entry(address).or_insert(Total {
                name: metadata.name(),
                entries: 0,
                time: Duration::ZERO,
            });
            total.entries += 1;
            total.time += time;
        });
    }
}

macro_rules! enter {
    ($name:ident) => {
        let _zone = ::tracing::info_span!(stringify!($name)).entered();
    };
}
work!(zone, counter);
