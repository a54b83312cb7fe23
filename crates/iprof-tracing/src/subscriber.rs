//! A subscriber for programs that use spans only as zones.

use crate::Options;
use crate::zones::Zones;
use tracing_core::metadata::{LevelFilter, Metadata};
use tracing_core::span::{Attributes, Current, Id, Record};
use tracing_core::subscriber::Interest;
use tracing_core::{Dispatch, Event, dispatcher};

/// A subscriber that turns spans into zones and does nothing else.
///
/// A span's id is derived from its zone's number, so spans have no state. Creating a span takes a lookup in a table of
/// callsites, and closing a span is free. The current span, for `Span::current()` and `in_current_span`, is the
/// innermost span whose zone is open on the thread, so there is no current span while recording is off.
///
/// A callsite's level and target determine whether its spans are enabled. The decision is made once per callsite.
/// Events are never enabled.
///
/// ```
/// use iprof_tracing::Subscriber;
/// use tracing::level_filters::LevelFilter;
///
/// Subscriber::new()
///     .with_max_level(LevelFilter::INFO)
///     .with_target("wgpu_core", LevelFilter::TRACE)
///     .with_target("hyper", LevelFilter::OFF)
///     .init();
/// ```
#[derive(Debug)]
#[must_use = "does nothing until `init` is called"]
pub struct Subscriber {
    zones: Zones,
    max_level: LevelFilter,
    /// The targets' levels, longest path first.
    targets: Vec<(Box<str>, LevelFilter)>,
}

impl Default for Subscriber {
    fn default() -> Self {
        Self::new()
    }
}

impl Subscriber {
    /// Creates a subscriber for spans at all levels and in all targets, which names zones only after their spans.
    pub fn new() -> Subscriber {
        Subscriber::with_options(Options::new())
    }

    /// Creates a subscriber for spans at all levels and in all targets, which names zones according to `options`.
    pub fn with_options(options: Options) -> Subscriber {
        Subscriber {
            zones: Zones::new(options),
            max_level: LevelFilter::TRACE,
            targets: Vec::new(),
        }
    }

    /// Ignores spans at more verbose levels, unless their target has its own level.
    pub fn with_max_level(mut self, level: impl Into<LevelFilter>) -> Subscriber {
        self.max_level = level.into();
        self
    }

    /// Sets the level for a target and the targets below it. `wgpu` includes `wgpu::api` but not `wgpu_core`.
    ///
    /// The longest matching path takes precedence. A span's target is its module path, unless the span sets a different
    /// one.
    pub fn with_target(mut self, target: &str, level: impl Into<LevelFilter>) -> Subscriber {
        self.targets.retain(|(known, _)| &**known != target);
        self.targets.push((target.into(), level.into()));
        self.targets
            .sort_by_key(|(known, _)| std::cmp::Reverse(known.len()));
        self
    }

    /// Makes this the subscriber of the whole program.
    ///
    /// # Panics
    ///
    /// Panics if the program already has a subscriber. Call this once, at the beginning of `main`.
    pub fn init(self) {
        let result = dispatcher::set_global_default(Dispatch::new(self));
        result.expect("the program already has a subscriber");
    }

    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        let is_below = |path: &str| {
            let rest = target.strip_prefix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let own = self.targets.iter().find(|(path, _)| is_below(path));
        let level = own.map_or(self.max_level, |(_, level)| *level);
        metadata.is_span() && *metadata.level() <= level
    }
}

fn id(number: u32) -> Id {
    Id::from_u64(u64::from(number) + 1)
}

/// Returns the number of the span's zone, which is the span's id minus one.
fn number(id: &Id) -> Option<u32> {
    u32::try_from(id.into_u64() - 1).ok()
}

impl tracing_core::Subscriber for Subscriber {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.wants(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let of_targets = self.targets.iter().map(|(_, level)| *level);
        of_targets.chain([self.max_level]).max()
    }

    #[inline]
    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        id(self.zones.number_span(attributes).number)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn current_span(&self) -> Current {
        let current = self.zones.current();
        current.map_or_else(Current::none, |(number, metadata)| {
            Current::new(id(number), metadata)
        })
    }

    #[inline]
    fn enter(&self, id: &Id) {
        if let Some(zone) = number(id).and_then(|number| self.zones.get(number)) {
            zone.begin();
        }
    }

    #[inline]
    fn exit(&self, id: &Id) {
        if let Some(zone) = number(id).and_then(|number| self.zones.get(number)) {
            zone.end();
        }
    }
}
