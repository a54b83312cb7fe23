//! The run-time zone: a zone that a host holds, and enters from anywhere.

use crate::local::without_site;
use crate::open_zone::{OpenZone, ToOpen};
use crate::zone::Zone;

/// A zone whose name is known only at run time, made by a [`ZoneBuilder`]. It is as small as a
/// reference, and lives as long as the program.
///
/// A macro such as [`zone!`] remembers at its place in the source where its zone was in the call stack
/// last. Here the zone is searched among those that were entered from the same caller, which is as fast if they
/// follow one another as they did the last time.
///
/// ```
/// fn run(script: &str) {
///     let _open = iprof::ZoneBuilder::new(script).build().enter();
///     // …
/// }
/// # run("patrol");
/// ```
///
/// [`ZoneBuilder`]: https://docs.rs/iprof/latest/iprof/struct.ZoneBuilder.html
/// [`zone!`]: https://docs.rs/iprof/latest/iprof/macro.zone.html
#[derive(Clone, Copy, Debug)]
pub struct RunTimeZone {
    zone: &'static Zone,
}

impl RunTimeZone {
    /// The run-time zone that [`zone`](RunTimeZone::zone) returned; for C, which holds it as a pointer.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of(zone: &'static Zone) -> RunTimeZone {
        RunTimeZone { zone }
    }

    /// What `f` returns of the zones that are open on this thread, from the innermost on, the first time it is something;
    /// for tracing, which asks for the current span.
    #[doc(hidden)]
    pub fn find_open<T>(f: impl FnMut(&'static Zone) -> Option<T>) -> Option<T> {
        if_enabled!(without_site::find_open(f), {
            let _ = f;
            None
        })
    }

    /// Its name and place.
    #[must_use]
    pub fn zone(self) -> &'static Zone {
        self.zone
    }

    /// Opens the zone; dropping the returned value closes it, as that of `open_zone!` does.
    #[inline]
    pub fn enter(self) -> OpenZone {
        ToOpen::new(self.zone).open()
    }

    /// Opens the zone until [`end`](RunTimeZone::end), as `begin!` does.
    #[inline]
    pub fn begin(self) {
        if_enabled!(without_site::begin(self.zone));
    }

    /// Closes the zone's innermost opening on this thread, as `end!` does: with the zones that are
    /// still open above it.
    #[inline]
    pub fn end(self) {
        if_enabled!(without_site::end(self.zone));
    }

    /// Counts an entry without measuring time, as `counter!` does. Below one caller a zone is
    /// either entered or counted.
    pub fn count(self) {
        if_enabled!(without_site::add(self.zone, 1));
    }
}

impl From<RunTimeZone> for &'static Zone {
    fn from(zone: RunTimeZone) -> &'static Zone {
        zone.zone()
    }
}
