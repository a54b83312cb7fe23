//! Zones and values whose names are known only at run time: `zone_named!`, `ZoneBuilder` and `RunTimeValue`.

use crate::Amount;
use crate::RunTimeZone;
use crate::gather::local::without_site;
use crate::macros::entered;
use crate::zone::run_time::{self, Description};
use crate::zone::{MAX_BUDGET_US, Zone, rounded_us};
use std::time::Duration;
use std::{cell::Cell, thread::LocalKey};

/// Measures the time from here to the end of the enclosing scope as a run-time zone, whose name is a `&str` evaluated
/// at each entry.
///
/// The name, together with this place in the source, identifies the zone. In all other ways, this macro works like
/// [`zone!`](crate::zone!). To use one zone in several places, or to specify a location in a script, see
/// [`ZoneBuilder`](crate::ZoneBuilder). The docs of `ZoneBuilder` also explain the limit on the number of run-time
/// zones.
///
/// Costs as much as `zone!` plus a comparison with the name last used at this place. A different name has to be looked
/// up. Without the `enable` feature, the expression is type-checked but not evaluated.
///
/// ```
/// struct System {
///     name: String,
///     run: fn(),
/// }
///
/// fn run(systems: &[System]) {
///     for system in systems {
///         iprof::zone_named!(&system.name);
///         (system.run)();
///     }
/// }
/// # run(&[System { name: "gravity".into(), run: || {} }]);
/// ```
#[macro_export]
macro_rules! zone_named {
    ($name:expr $(,)?) => {
        let _iprof_zone = $crate::__run_time_zone!($name);
    };
}

/// Enters the zone. Without `enable`, only checks the name's type.
#[doc(hidden)]
#[macro_export]
macro_rules! __run_time_zone {
    ($name:expr) => {
        $crate::__if_enabled!({{
            ::std::thread_local! {
                static LAST: $crate::__private::LastZone = const { $crate::__private::LastZone::new(None) };
            }
            let name: &str = $name;
            let place = (::core::file!(), ::core::line!(), ::core::module_path!());
            $crate::__private::zone_of_name(&LAST, name, place).enter()
        }} {{
            let _ = || {
                let _: &str = $name;
            };
        }})
    };
}

/// The last zone that one place in the source entered on one thread.
pub type LastZone = Cell<Option<RunTimeZone>>;

/// Returns the zone for a name at a place in the source; `last` is the place's cache.
#[allow(missing_docs)]
#[inline]
#[must_use]
pub fn zone_of_name(
    last: &'static LocalKey<LastZone>,
    name: &str,
    (file, line, module): (&'static str, u32, &'static str),
) -> RunTimeZone {
    let known = last.get().filter(|last| last.zone().is_labeled(name));
    known.unwrap_or_else(|| {
        let builder = ZoneBuilder::new(name).place(file, line).module(module);
        let zone = builder.build();
        last.set(Some(zone));
        zone
    })
}

/// Builds a *run-time zone*, whose name is known only at run time, such as the name of a script, an ECS system, or a
/// request type.
///
/// Building a zone with the same name and place again returns the same zone. Zones are never freed, so their number is
/// limited. Beyond [`set_limit`](ZoneBuilder::set_limit), all new names share the zone `(other names)`, and a warning
/// in the report states how many there are.
///
/// [`build`](ZoneBuilder::build) looks the zone up by a hash of its strings. Keep the result if you enter the zone
/// often. Entering it then costs hardly more than [`zone!`](crate::zone!).
///
/// ```
/// struct System {
///     zone: iprof::RunTimeZone,
///     run: fn(),
/// }
///
/// let names = ["gravity", "collisions"];
/// let systems = names.map(|name| System {
///     zone: iprof::ZoneBuilder::new(name).build(),
///     run: || {},
/// });
/// for system in &systems {
///     let _open = system.zone.enter();
///     (system.run)();
/// }
/// # if !iprof::is_recording() { return }
/// assert_eq!(systems[1].zone.zone().label(), "collisions");
/// ```
///
/// Without the `enable` feature, every zone is `(other names)`, and nothing is stored.
#[derive(Clone, Copy, Debug)]
#[must_use = "does nothing until `build` is called"]
pub struct ZoneBuilder<'a>(Description<'a>);

impl<'a> ZoneBuilder<'a> {
    /// The default limit on the number of run-time zones; [`set_limit`](ZoneBuilder::set_limit) changes it.
    pub const DEFAULT_LIMIT: usize = run_time::DEFAULT_LIMIT;

    /// Starts building a zone with this name. An empty name becomes `(unnamed)`. Names, files and modules are truncated
    /// to 1,000 bytes.
    pub const fn new(name: &'a str) -> ZoneBuilder<'a> {
        ZoneBuilder(Description::new(name))
    }

    /// Sets the zone's place in a source file of any language. Lines are numbered from 1. Without a place, reports show
    /// only the name.
    pub const fn place(mut self, file: &'a str, line: u32) -> ZoneBuilder<'a> {
        self.0.file = file;
        self.0.line = line;
        self
    }

    /// Sets the path of the zone's module, which [`Zone::module`] returns; empty by default.
    pub const fn module(mut self, module: &'a str) -> ZoneBuilder<'a> {
        self.0.module = module;
        self
    }

    /// Marks the zone as one in which the program only waits: see [`zone!`](crate::zone!).
    pub const fn idle(mut self) -> ZoneBuilder<'a> {
        self.0.is_idle = true;
        self
    }

    /// Sets the zone's [budget](crate::zone!) per frame, rounded to a microsecond and clamped to 1 µs to an hour.
    pub const fn budget(mut self, budget: Duration) -> ZoneBuilder<'a> {
        self.0.budget_us = match rounded_us(budget) {
            0 => 1,
            us if us > MAX_BUDGET_US => MAX_BUDGET_US as u32,
            us => us as u32,
        };
        self
    }

    /// Returns the zone, creating it unless one with the same name, place, module, kind and budget exists.
    ///
    /// Returns `(other names)` if a new zone cannot be allocated.
    #[must_use]
    pub fn build(self) -> RunTimeZone {
        static OTHER_NAMES: Zone =
            Zone::new(run_time::OTHER_NAMES, "", 0, "").on_first_zone(entered);
        RunTimeZone::of(run_time::zone(self.0, entered).unwrap_or(&OTHER_NAMES))
    }

    /// Sets the maximum number of run-time zones. Existing zones are kept, even if there are more than `limit`.
    ///
    /// A run-time zone takes about 100 bytes plus its strings, in addition to the memory that any zone takes for each
    /// call stack in which it is entered.
    pub fn set_limit(limit: usize) {
        run_time::set_limit(limit);
    }
}

/// A [named value](crate::value!) whose name is known only at run time, such as a script's or an engine's counter.
///
/// A `RunTimeValue` is the size of a reference, and the value that it refers to is never freed. The same name, unit and
/// number of steps always give the same value, which is distinct from a [`define_value!`](crate::define_value!) with
/// the same name. Values count toward the limit on [run-time zones](crate::ZoneBuilder::set_limit). Beyond the limit,
/// values with new names add nothing, and the report shows a warning.
///
/// Creating a value requires a lookup, so keep the value if you add to it often. Adding costs hardly more than with
/// [`value!`](crate::value!).
///
/// ```
/// let names = ["bodies", "contacts"];
/// let values = names.map(|name| iprof::RunTimeValue::new(name, "item"));
/// {
///     iprof::zone!(physics);
///     values[0].add(120);
///     values[1].add(35);
/// }
/// # iprof::update(true);
/// # if !iprof::is_recording() { return }
/// assert_eq!(&*iprof::named_values()[1].name, "contacts");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RunTimeValue {
    /// The zone that the value is stored as. `None` without `enable`, beyond the limit, or if allocation failed.
    zone: Option<&'static Zone>,
}

impl RunTimeValue {
    /// Creates an integer value with this name. `unit` is the unit's name in the singular and may be empty. An empty
    /// name becomes `(unnamed)`. Names and units are truncated to 1,000 bytes.
    #[must_use]
    pub fn new(name: &str, unit: &str) -> RunTimeValue {
        RunTimeValue::with_steps(name, unit, 1)
    }

    /// Creates a value with `steps` steps per unit, at least 1. Added numbers are rounded to the nearest step.
    ///
    /// ```
    /// let energy = iprof::RunTimeValue::with_steps("energy", "J", 1_000);
    /// energy.add(0.25);
    /// ```
    #[must_use]
    pub fn with_steps(name: &str, unit: &str, steps: u32) -> RunTimeValue {
        RunTimeValue {
            zone: run_time::zone(
                Description {
                    unit,
                    steps: steps.max(1),
                    ..Description::new(name)
                },
                entered,
            ),
        }
    }

    /// Returns the zone that the value is stored as. The C API uses it as a pointer.
    #[doc(hidden)]
    #[must_use]
    pub fn zone(self) -> Option<&'static Zone> {
        self.zone
    }

    /// Adds an integer or a float, which may be negative, at the open zone, as [`value!`](crate::value!) does. NaN adds
    /// nothing. Floats that are too large add ±2^63 steps.
    #[inline]
    pub fn add(self, amount: impl Amount) {
        if let Some(zone) = self.zone
            && let Some((_, steps)) = zone.unit()
        {
            let _ = without_site::add(zone, amount.steps_of(steps));
        }
    }
}
