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

mod callsites;
#[cfg(feature = "tracing-subscriber-0-3")]
mod layer;
mod levels;
mod name;
mod subscriber;
mod zones;

pub use crate::subscriber::Options;
#[cfg(feature = "tracing-subscriber-0-3")]
pub use layer::Layer;
pub use subscriber::Subscriber;
