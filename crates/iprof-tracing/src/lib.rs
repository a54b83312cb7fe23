//! The spans of [`tracing`](https://docs.rs/tracing) as zones of [iprof](https://docs.rs/iprof).
//!
//! Bevy, wgpu, tokio, hyper and many others contain spans. They become zones in the same trees as the program's own
//! zones, with the same sums, and in the same reports.
//!
//! [`Subscriber`] is the cheapest way if you need spans for nothing else. [`Layer`] works with other layers on a
//! `tracing_subscriber::Registry`.
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
//! The program itself must also depend on iprof and enable its feature `enable`; otherwise the spans do nothing.
//!
//! # How a span becomes a zone
//!
//! * A zone has the span's name, file, line and module: one zone per place in the source. With [`Options::named_by`]
//!   the value of a field is part of the name, and each value makes a zone of its own: `system::gravity`. These are
//!   run-time zones, so their number [is limited](iprof::ZoneBuilder::set_limit).
//! * An entry of the span is an entry of the zone, on the same thread. A future with a span is entered once per poll,
//!   so its time never includes waiting. `tracing` enters its span once more when the future is dropped.
//! * Zones nest in the order in which spans are *entered*. A span's explicit parent and `follows_from` are ignored,
//!   because they say nothing about time.
//! * Creating, cloning and closing a span measures nothing.
//! * Events and recorded values are ignored.
//!
//! # Spans that are left in another order
//!
//! Leaving a span closes its zone, together with the open zones that this thread entered after it. When those are left
//! later, they have no open zone and are ignored. The report warns of both. Self times still add up to the time of the
//! thread, and each entry is counted once. This applies to
//!
//! * guards that are dropped in another order than they were made,
//! * guards that are kept over an `.await`, whose thread polls other futures meanwhile,
//! * guards that are leaked: their zone is closed with the zone around it,
//! * spans that are left on a thread that did not enter them, which only code that calls a `Dispatch` itself can do.

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

/// Settings for how spans become zones, for [`Subscriber::with_options`] and [`Layer::with_options`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    fields: Vec<Box<str>>,
}

impl Options {
    /// Names zones only by the place of their span.
    pub fn new() -> Options {
        Options::default()
    }

    /// Makes the value of a field part of the zone's name, for spans that have the field.
    ///
    /// Each value is a zone of its own: Bevy's spans `system` and `schedule` have the field `name`, so their zones are
    /// `system::gravity` or `schedule::Update`. After several calls, the first field for which a span has a value
    /// counts. Values are read when the span is created, not when they are recorded later.
    ///
    /// Creating such a span looks up the value under a lock that all threads share. Strings, integers of up to 64 bits
    /// and bools are looked up directly, other values are first formatted into a buffer of the thread. The zone's name
    /// is made once per value. Known values allocate nothing, and entering or leaving the span costs nothing extra.
    ///
    /// A [`Layer`] takes another lock when such a span is created or closed, and, as long as one exists, when any other
    /// span is closed. A [`Subscriber`] does nothing when a span is closed.
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
