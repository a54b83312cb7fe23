//! A subscriber for programs that want spans for nothing but zones.

use crate::Options;
use crate::zones::Zones;
use tracing_core::metadata::{LevelFilter, Metadata};
use tracing_core::span::{Attributes, Current, Id, Record};
use tracing_core::subscriber::Interest;
use tracing_core::{Dispatch, Event, dispatcher};

/// A subscriber that makes zones of spans, and nothing else of anything.
///
/// A span's id is the number of its zone. So spans have no state: creating one costs a look into a table of callsites, and
/// closing one nothing. The current span, that of `Span::current()` and `in_current_span`, is the innermost one whose zone is
/// open on the thread; so there is none while recording is off.
///
/// What is enabled is decided once per callsite, by level and target. Events are not enabled.
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
#[must_use = "`init` makes it the program's"]
pub struct Subscriber {
    zones: Zones,
    max_level: LevelFilter,
    /// The longest first.
    targets: Vec<(Box<str>, LevelFilter)>,
}

impl Default for Subscriber {
    fn default() -> Self {
        Self::new()
    }
}

impl Subscriber {
    /// With spans of all levels and targets, named by their places alone.
    pub fn new() -> Subscriber {
        Subscriber::with_options(Options::new())
    }

    /// With spans of all levels and targets.
    pub fn with_options(options: Options) -> Subscriber {
        Subscriber {
            zones: Zones::new(options),
            max_level: LevelFilter::TRACE,
            targets: Vec::new(),
        }
    }

    /// Spans of more verbose levels are no zones, unless their target has a level of its own.
    pub fn with_max_level(mut self, level: impl Into<LevelFilter>) -> Subscriber {
        self.max_level = level.into();
        self
    }

    /// The level of a target and those below it: `wgpu` is that of `wgpu` and `wgpu::api`, not of `wgpu_core`. That of the
    /// longest path counts. A target is the path of a span's module, unless the span says otherwise.
    pub fn with_target(mut self, target: &str, level: impl Into<LevelFilter>) -> Subscriber {
        self.targets.retain(|(known, _)| &**known != target);
        self.targets.push((target.into(), level.into()));
        self.targets
            .sort_by_key(|(known, _)| std::cmp::Reverse(known.len()));
        self
    }

    /// Makes it the subscriber of the program.
    ///
    /// # Panics
    ///
    /// If the program has one already: call it once, first in `main`.
    pub fn init(self) {
        let result = dispatcher::set_global_default(Dispatch::new(self));
        result.expect("the program has no other subscriber");
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

/// An id is the number of a zone, and one more.
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
        id(self.zones.of_span(attributes).number)
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
