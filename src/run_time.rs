//! Zones and values by names that are known only at run time: `zone_named!`, `ZoneBuilder`, `RunTimeValue`.

use crate::Amount;
use crate::RunTimeZone;
use crate::gather::local::without_site;
use crate::macros::entered;
use crate::zone::run_time::{self, Description};
use crate::zone::{MAX_BUDGET_US, Zone, rounded_us};
use std::time::Duration;
use std::{cell::Cell, thread::LocalKey};

/// Measures from here to the end of the enclosing scope as a run-time zone: its name is an expression of type
/// `&str`, evaluated at each entry.
///
/// The zone is that of the name and of this place in the source; otherwise like [`zone!`](crate::zone!). For one
/// zone in several places, or a place in a script, see [`ZoneBuilder`](crate::ZoneBuilder), which also says what limits
/// their number.
///
/// Cost: that of `zone!`, and the comparison of the name with that of the last entry here; where it differs, some
/// 65 ns. Without the feature `enable` the expression is checked and not evaluated.
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

/// Without `enable`: checks the name only.
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

/// The zone that a place in the source entered last, on one thread.
pub type LastZone = Cell<Option<RunTimeZone>>;

/// The zone of a name at a place in the source, which has `last`.
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

/// Makes a *run-time zone*: a zone whose name is known only at run time, such as that of a script, of a system of
/// an engine or of a request's kind.
///
/// The same name and place make the same zone, for the life of the program. So the number of such zones is limited:
/// beyond [`set_limit`](ZoneBuilder::set_limit) all names that are new share the zone `(other names)`, and a
/// warning of the report says how often.
///
/// [`build`](ZoneBuilder::build) computes a hash of the texts and compares them with those that exist: some 50 ns.
/// Keep its result where the zone is entered often: it is entered at nearly the price of
/// [`zone!`](crate::zone!).
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
/// Without the feature `enable` all names are the zone `(other names)`, and nothing is kept.
#[derive(Clone, Copy, Debug)]
#[must_use = "`build` makes the zone"]
pub struct ZoneBuilder<'a>(Description<'a>);

impl<'a> ZoneBuilder<'a> {
    /// How many run-time zones there may be, unless [`set_limit`](ZoneBuilder::set_limit) says otherwise.
    pub const DEFAULT_LIMIT: usize = run_time::DEFAULT_LIMIT;

    /// A zone of that name. An empty name becomes `(unnamed)`; a name, a file or a module of more than 1,000 bytes is
    /// cut.
    pub const fn new(name: &'a str) -> ZoneBuilder<'a> {
        ZoneBuilder(Description::new(name))
    }

    /// Where the zone is in a source, of any language; the line counts from 1. Without a place reports show the name
    /// alone.
    pub const fn place(mut self, file: &'a str, line: u32) -> ZoneBuilder<'a> {
        self.0.file = file;
        self.0.line = line;
        self
    }

    /// The path of the zone's module, as [`Zone::module`] returns it; empty by default.
    pub const fn module(mut self, module: &'a str) -> ZoneBuilder<'a> {
        self.0.module = module;
        self
    }

    /// The program only waits in the zone: see [`zone!`](crate::zone!).
    pub const fn idle(mut self) -> ZoneBuilder<'a> {
        self.0.is_idle = true;
        self
    }

    /// The longest that the zone should take in a frame: see [`zone!`](crate::zone!). Rounded to a microsecond and
    /// clamped to 1 µs to an hour.
    pub const fn budget(mut self, budget: Duration) -> ZoneBuilder<'a> {
        self.0.budget_us = match rounded_us(budget) {
            0 => 1,
            us if us > MAX_BUDGET_US => MAX_BUDGET_US as u32,
            us => us as u32,
        };
        self
    }

    /// The zone; it is made if there is none of the same name, place, module, kind and budget.
    ///
    /// Where there is no memory for it, the zone is `(other names)`.
    #[must_use]
    pub fn build(self) -> RunTimeZone {
        static OTHER_NAMES: Zone =
            Zone::new(run_time::OTHER_NAMES, "", 0, "").on_first_zone(entered);
        RunTimeZone::of(run_time::zone(self.0, entered).unwrap_or(&OTHER_NAMES))
    }

    /// Sets how many run-time zones there may be. Those that exist stay, even if they are more.
    ///
    /// A zone takes some 100 bytes, its texts, and as much as a zone of a macro in the call stacks in which it is
    /// entered.
    pub fn set_limit(limit: usize) {
        run_time::set_limit(limit);
    }
}

/// A [named value](crate::value!) whose name is known only at run time, such as that of a counter of a script or of an
/// engine. It is as small as a reference, and lives as long as the program.
///
/// The same name, unit and number of steps are the same value, wherever it is made. It is another one than that of a
/// [`define_value!`](crate::define_value!) of the same name. The limit of [run-time zones](crate::ZoneBuilder::set_limit)
/// counts values, too: beyond it nothing is added to a new name, and a warning of the report says so.
///
/// Keep the value where it is added to often: to make it takes some 50 ns, to add to it nearly what
/// [`value!`](crate::value!) does.
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
    /// `None` without `enable`, beyond the limit, and where there was no memory.
    zone: Option<&'static Zone>,
}

impl RunTimeValue {
    /// A value of whole numbers with that name, and the name of one unit, which may be empty. An empty name becomes
    /// `(unnamed)`; a name or a unit of more than 1,000 bytes is cut.
    #[must_use]
    pub fn new(name: &str, unit: &str) -> RunTimeValue {
        RunTimeValue::with_steps(name, unit, 1)
    }

    /// A value with that number of steps to a unit, at least 1: what is added is rounded to the nearest step.
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

    /// What is added to; for C, which holds it as a pointer.
    #[doc(hidden)]
    #[must_use]
    pub fn zone(self) -> Option<&'static Zone> {
        self.zone
    }

    /// Adds a number at the zone that is open, as [`value!`](crate::value!) does: an integer or a float, which may be
    /// negative. A float that is no number adds nothing; one too large adds 2^63 steps.
    #[inline]
    pub fn add(self, amount: impl Amount) {
        if let Some(zone) = self.zone
            && let Some((_, steps)) = zone.unit()
        {
            let _ = without_site::add(zone, amount.steps_of(steps));
        }
    }
}
