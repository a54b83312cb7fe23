//! Turns [`tracing`](https://docs.rs/tracing) spans into [iprof](https://docs.rs/iprof) zones.
//!
//! Bevy, wgpu, tokio, hyper and many other crates contain spans. The spans become zones in the same trees, reports and
//! sums as the program's own zones.
//!
//! [`Subscriber`] is the cheapest option if you don't need spans for anything else. [`Layer`] works alongside other
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
//! The program itself must also depend on iprof and enable its `enable` feature; otherwise the spans do nothing.
//!
//! # How a span becomes a zone
//!
//! * A zone has the span's name, file, line and module, so there is one zone per place in the source. With
//!   [`Options::named_by`], a field's value is part of the name, and each value gets a separate zone, such as
//!   `system::gravity`. Zones for field values are run-time zones, so their number [is
//!   limited](iprof::ZoneBuilder::set_limit).
//! * Entering the span enters the zone, on the same thread. A future's span is entered once per poll, so its time never
//!   includes waiting. When the future is dropped, `tracing` enters the span once more.
//! * A zone is nested in the zone of the span that was *entered* before it. A span's explicit parent and `follows_from`
//!   are ignored, because they don't describe where time is spent.
//! * Creating, cloning and closing a span records nothing.
//! * Events and recorded values are ignored.
//!
//! # Spans that are exited out of order
//!
//! Exiting a span closes its zone, together with any open zones that this thread entered after it. When the spans of
//! those zones are exited later, they have no open zone and are ignored. The report warns about both situations. Self
//! times still add up to the thread's time, and each entry is counted once. This applies to
//!
//! * guards that are not dropped in reverse order of creation,
//! * guards that are held across an `.await`, while the thread polls other futures,
//! * guards that are leaked, whose zones are closed along with the enclosing zone,
//! * spans that are exited on a thread that did not enter them, which only code that calls a `Dispatch` directly can
//!   do.

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

/// Options that control how spans become zones, for [`Subscriber::with_options`] and [`Layer::with_options`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    fields: Vec<Box<str>>,
}

impl Options {
    /// Creates options that name zones only after their spans, not after field values.
    pub fn new() -> Options {
        Options::default()
    }

    /// Makes a field's value part of the zone's name, for spans that have the field.
    ///
    /// Each value gets a separate zone. For example, Bevy's `system` and `schedule` spans have a `name` field, so their
    /// zones are called `system::gravity` or `schedule::Update`. If you call this several times, a span uses the first
    /// field for which it has a value. Values are read when the span is created, not when they are recorded later.
    ///
    /// Creating such a span looks up the value under a lock shared by all threads. Strings, integers of up to 64 bits
    /// and bools are looked up directly. Other values are first formatted into a per-thread buffer. The zone's name is
    /// created once per value. Known values cause no allocations, and entering or exiting the span costs nothing extra.
    ///
    /// A [`Layer`] takes a second lock when such a span is created or closed. As long as such a span exists, the layer
    /// also takes that lock when any other span is closed. A [`Subscriber`] does nothing when a span is closed.
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
