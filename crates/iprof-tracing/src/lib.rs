//! The spans of [`tracing`](https://docs.rs/tracing) as zones of [iprof](https://docs.rs/iprof).
//!
//! Bevy, wgpu, tokio, hyper and many others contain spans. They become zones in the same trees as the program's own
//! zones, with the same sums and in the same reports.
//!
//! [`Subscriber`] is the cheapest way, for programs that need spans for nothing else. [`Layer`] works together with
//! other layers on a `tracing_subscriber::Registry`.
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
//! The program itself also has to depend on iprof with the feature `enable`. Without that feature the spans do nothing.
//!
//! # How a span becomes a zone
//!
//! * A zone has the span's name, file, line and module, so there is one zone for each place in the source. With
//!   [`Options::named_by`] the value of a field is part of the name, and each value makes a zone of its own:
//!   `system::gravity`. They are run-time zones, so their number [is limited](iprof::ZoneBuilder::set_limit).
//! * An entry of the span is an entry of the zone, on the thread that enters it. A future with a span is entered once
//!   per poll, so its time is the time of its polls and never includes waiting. `tracing` enters the span once more
//!   when the future is dropped.
//! * Zones nest in the order in which spans are *entered*. A span's explicit parent and `follows_from` are ignored,
//!   because they say nothing about time.
//! * Creating, cloning and closing a span measures nothing, on any thread.
//! * Events and recorded values are ignored.
//!
//! # Spans that are left in another order
//!
//! Leaving a span closes its zone, together with the zones that were entered after it on this thread and are still
//! open. When those spans are left later, they have no open zone and are ignored. The report warns of both cases. Self
//! times still add up to the time of the thread, and each entry is counted once. This applies to
//!
//! * guards that are dropped in another order than they were made,
//! * guards that are kept over an `.await`, whose thread polls other futures meanwhile,
//! * guards that are leaked: their zone is closed with the zone around it,
//! * spans left on another thread than the one that entered them, which only code that calls a `Dispatch` itself can
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
    /// Each value is a zone of its own. This may be called several times; the first field for which a span has a value
    /// counts. Bevy's spans `system` and `schedule` have the field `name`, so their zones are `system::gravity` or
    /// `schedule::Update`. The value is read when the span is created, so a value that is recorded later does not
    /// count.
    ///
    /// When a span with such a field is created, its value is looked up under a lock that all threads share. Strings,
    /// integers of up to 64 bits and bools are looked up directly, and any other value is first formatted into a buffer
    /// of the thread. The zone's name is made once for each value. Known values allocate nothing, and entering or
    /// leaving a span costs nothing extra.
    ///
    /// A [`Layer`] also takes a second lock when such a span is created and when it is closed. As long as one exists,
    /// closing any other span takes that lock too. A [`Subscriber`] does nothing when a span is closed.
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
