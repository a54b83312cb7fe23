//! `zone_named!`: makes and enters a run-time zone at a place in the source.

use crate::{RunTimeZone, ZoneBuilder};
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
