//! The builder of run-time zones.

use crate::RunTimeZone;
use crate::first_zone::entered;
use crate::zone::run_time::{self, Description};
use crate::zone::{MAX_BUDGET_US, Zone, rounded_us};
use std::time::Duration;

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
