//! The run-time value: a named value whose name is known only at run time.

use crate::Amount;
use crate::first_zone::entered;
use crate::gather::local::without_site;
use crate::zone::Zone;
use crate::zone::run_time::{self, Description};

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
