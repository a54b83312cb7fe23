//! The spans of [`tracing`](https://docs.rs/tracing) as zones of [iprof](https://docs.rs/iprof).
//!
//! Bevy, wgpu, tokio, hyper and many others carry spans. They become zones of the same trees as the program's own, with the
//! same sums, and show in the same reports.
//!
//! [`Subscriber`] is for programs that want the spans for nothing else, and is the cheapest. [`Layer`] stands beside other
//! layers on a `tracing_subscriber::Registry`.
//!
//! ```
//! iprof_tracing::Subscriber::new().init();
//!
//! #[tracing::instrument]
//! fn physics(bodies: usize) {
//!     let _span = tracing::info_span!("solve").entered();
//!     // …
//! }
//!
//! physics(3);
//! # let snapshot = iprof::snapshot();
//! # assert!(snapshot.zones.iter().any(|zone| &*zone.name == "solve"));
//! ```
//!
//! The program itself depends on iprof, too, with the feature `enable`; without it the spans are nothing.
//!
//! # What becomes of a span
//!
//! * A zone has the span's name, file, line and module: one zone a place in the source. With [`Options::named_by`] the value of
//!   a field is part of the name, and each value makes a zone of its own: `system::gravity`. They are run-time zones, so
//!   their number [is limited](iprof::ZoneBuilder::set_limit).
//! * An entry of the span is an entry of the zone, on the thread that enters. A future with a span is entered once per poll:
//!   its time is that of its polls, never that of waiting. `tracing` enters its span once more when the future is dropped.
//! * Zones nest as spans are *entered*. A span's explicit parent and `follows_from` say nothing about time, and are ignored.
//! * Creating, cloning and closing a span, on any thread, measures nothing.
//! * Events and recorded values are ignored.
//!
//! # Spans that are left in another order
//!
//! Leaving a span closes its zone together with the zones that were entered after it on this thread and are still open. The
//! report warns of it. When those are left later, they have no open zone and are ignored: the report warns of that, too. Self times still
//! sum to the time of the thread, and each entry is counted once. So it is for
//!
//! * guards that are dropped in another order than they were made,
//! * guards that are kept over an `.await`, whose thread polls other futures meanwhile,
//! * guards that are leaked: their zone is closed with the zone around it,
//! * spans left on another thread than that which entered them, as only code that calls a `Dispatch` itself can do.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "tracing-subscriber-0-3"),
    allow(rustdoc::broken_intra_doc_links)
)]

#[cfg(feature = "tracing-subscriber-0-3")]
mod layer;
mod subscriber;
mod tables;
mod zones;

#[cfg(feature = "tracing-subscriber-0-3")]
pub use layer::Layer;
pub use subscriber::Subscriber;

/// How spans become zones; for [`Subscriber::with_options`] and
/// [`Layer::with_options`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    fields: Vec<Box<str>>,
}

impl Options {
    /// Zones by the place of their span alone.
    pub fn new() -> Options {
        Options::default()
    }

    /// Makes the value of a field part of the zone's name, where a span has that field: each value is a zone of its own. May be
    /// called several times; the first field that a span has a value of counts.
    ///
    /// Bevy's spans `system` and `schedule` have the field `name`: the zones are `system::gravity`, `schedule::Update`.
    ///
    /// The value is read when the span is created. One that is recorded later does not count.
    ///
    /// Cost: when a span with such a field is created, its value is looked up under a lock that all threads share. A string, an
    /// integer of up to 64 bits and a bool are looked up as they stand. Any other value is formatted first, into a buffer of the
    /// thread. The zone's name is put together once for each value. Nothing is allocated for a value that is known, and nothing of
    /// this is done when a span is entered or left.
    ///
    /// A [`Layer`] takes another lock when such a span is created, and again when it is closed; as long as one is
    /// there, closing any other span takes it, too. A [`Subscriber`] does nothing when a span is closed.
    ///
    /// ```
    /// use iprof_tracing::{Options, Subscriber};
    ///
    /// Subscriber::with_options(Options::new().named_by("name")).init();
    /// tracing::info_span!("system", name = "gravity").in_scope(|| {});
    /// # let snapshot = iprof::snapshot();
    /// # assert!(snapshot.zones.iter().any(|zone| &*zone.name == "system::gravity"));
    /// ```
    pub fn named_by(mut self, field: &str) -> Options {
        self.fields.push(field.into());
        self
    }
}
