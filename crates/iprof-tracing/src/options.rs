//! What a subscriber and a layer have in common: how zones are named.

/// How spans become zones; for [`Subscriber::with_options`](crate::Subscriber::with_options) and
/// [`Layer::with_options`](crate::Layer::with_options).
#[cfg_attr(
    not(feature = "tracing-subscriber-0-3"),
    allow(rustdoc::broken_intra_doc_links)
)]
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Options {
    pub(crate) fields: Vec<Box<str>>,
}

#[cfg_attr(
    not(feature = "tracing-subscriber-0-3"),
    allow(rustdoc::broken_intra_doc_links)
)]
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
    /// A [`Layer`](crate::Layer) takes another lock when such a span is created, and again when it is closed; as long as one is
    /// there, closing any other span takes it, too. A [`Subscriber`](crate::Subscriber) does nothing when a span is closed.
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
