//! Zones that a program holds as values: open zones, and run-time zones, which can be opened from anywhere.

use crate::local::without_site;
use crate::{ThreadRecord, Zone};
use variant::GuardIfEnabled;
pub(crate) use variant::ZoneToOpen;

/// An open zone, created by [`open_zone!`]. Dropping it closes the zone.
///
/// [`relabel!`] closes the zone and opens a different one in its place. The value is tied to its thread, so it is not
/// `Send`.
///
/// ```
/// let mut phase = iprof::open_zone!(read);
/// // …
/// iprof::relabel!(phase, sort);
/// // …
/// drop(phase);
/// ```
///
/// [`open_zone!`]: https://docs.rs/iprof/latest/iprof/macro.open_zone.html
/// [`relabel!`]: https://docs.rs/iprof/latest/iprof/macro.relabel.html
#[derive(Debug)]
#[must_use = "if unused, the zone closes immediately"]
pub struct OpenZone {
    guard: GuardIfEnabled,
}

impl OpenZone {
    /// Returns the thread's record and the node's index, if the zone was recorded.
    #[doc(hidden)]
    pub fn node(&self) -> Option<(&'static ThreadRecord, u32)> {
        if_enabled!(self.guard.node(), None)
    }
}

/// Items used by macros.
#[cfg(feature = "enable")]
pub mod variant {
    use super::OpenZone;
    use crate::Zone;
    use crate::local::{self, Site, for_c, without_site};
    use std::mem::ManuallyDrop;
    use std::thread::LocalKey;

    pub(super) type GuardIfEnabled = local::Guard;

    /// A zone that is opened without a site. Without the `enable` feature, this type is empty.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ZoneToOpen(&'static Zone);

    impl ZoneToOpen {
        #[inline]
        pub(crate) fn new(zone: &'static Zone) -> ZoneToOpen {
            ZoneToOpen(zone)
        }

        #[inline]
        pub(crate) fn open(self) -> OpenZone {
            OpenZone {
                guard: without_site::enter(self.0),
            }
        }
    }

    /// Enters `zone` through the site in `key`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(missing_docs)]
    pub fn open(key: &'static LocalKey<Site>, zone: &'static Zone) -> OpenZone {
        OpenZone {
            guard: local::enter(key, zone),
        }
    }

    /// Closes the open zone and enters `zone` in its place.
    #[cfg_attr(not(debug_assertions), inline)]
    #[allow(missing_docs)]
    pub fn relabel(key: &'static LocalKey<Site>, zone: &'static Zone, open: &mut OpenZone) {
        local::relabel(key, zone, &mut open.guard);
    }

    /// Returns this thread's innermost open zone, which stays open when the value is dropped. Returns `None` if no zone
    /// is open or the innermost one is not recorded. The C interface uses this, because zones are not values in C.
    #[must_use]
    pub fn innermost() -> Option<ManuallyDrop<OpenZone>> {
        let guard = ManuallyDrop::into_inner(for_c::innermost()?);
        Some(ManuallyDrop::new(OpenZone { guard }))
    }
}

/// Items used by macros.
#[cfg(not(feature = "enable"))]
pub mod variant {
    use super::OpenZone;
    use crate::Zone;
    use std::marker::PhantomData;

    /// A marker that is not `Send`.
    pub(super) type GuardIfEnabled = PhantomData<*const ()>;

    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ZoneToOpen;

    impl ZoneToOpen {
        #[inline]
        pub(crate) fn new(_: &'static Zone) -> ZoneToOpen {
            ZoneToOpen
        }

        #[inline]
        pub(crate) fn open(self) -> OpenZone {
            open_nothing()
        }
    }

    /// Returns a value without an open zone.
    #[allow(missing_docs)]
    pub const fn open_nothing() -> OpenZone {
        OpenZone { guard: PhantomData }
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::variant::innermost;
    use crate::local;

    fn name() -> Option<String> {
        let zone = innermost()?;
        let (thread, node) = zone.node()?;
        Some(thread.node(node)?.zone().label().to_string())
    }

    #[test]
    fn innermost_zone_is_recorded_and_stays_open() {
        let test = || {
            assert_eq!(name(), None, "before any zone");
            begin!(innermost_outer);
            begin!(innermost_inner);
            assert_eq!(name().as_deref(), Some("innermost_inner"));
            assert_eq!(
                name().as_deref(),
                Some("innermost_inner"),
                "the zone should still be open"
            );
            local::set_recording_off(true);
            begin!(innermost_unrecorded);
            local::set_recording_off(false);
            assert_eq!(name(), None, "an unrecorded zone should not be returned");
            end!(innermost_unrecorded);
            assert_eq!(name().as_deref(), Some("innermost_inner"));
            end!(innermost_inner);
            assert_eq!(name().as_deref(), Some("innermost_outer"));
            end!(innermost_outer);
            assert_eq!(name(), None, "after all zones");
        };
        std::thread::spawn(test)
            .join()
            .expect("an assertion failed on the thread");
    }
}

/// A zone whose name is known only at run time, created by a [`ZoneBuilder`]. The value is the size of a reference, and
/// the zone lives as long as the program.
///
/// A macro such as [`zone!`] caches its zone's last position in the call tree. A run-time zone has no such cache, so
/// entering it searches the zones that were entered from the same caller. The search is just as fast if these zones are
/// entered in the same order as last time.
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
    /// Wraps a zone that [`zone`](RunTimeZone::zone) returned. The C interface uses this.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn of(zone: &'static Zone) -> RunTimeZone {
        RunTimeZone { zone }
    }

    /// Calls `f` with this thread's open zones, innermost first, and returns its first result. `iprof-tracing` uses
    /// this to find the current span.
    #[doc(hidden)]
    pub fn find_open<T>(f: impl FnMut(&'static Zone) -> Option<T>) -> Option<T> {
        if_enabled!(without_site::find_open(f), {
            let _ = f;
            None
        })
    }

    /// Returns the zone, which holds the name and the source location.
    #[must_use]
    pub fn zone(self) -> &'static Zone {
        self.zone
    }

    /// Opens the zone. Dropping the returned value closes it, as with `open_zone!`.
    #[inline]
    pub fn enter(self) -> OpenZone {
        ZoneToOpen::new(self.zone).open()
    }

    /// Opens the zone, which stays open until [`end`](RunTimeZone::end) is called, as with `begin!`.
    #[inline]
    pub fn begin(self) {
        if_enabled!(without_site::begin(self.zone));
    }

    /// Closes this thread's most recent entry of the zone, along with any zones opened inside it, as `end!` does.
    #[inline]
    pub fn end(self) {
        if_enabled!(without_site::end(self.zone));
    }

    /// Counts an entry without measuring time, as `counter!` does. Under the same caller, a zone can be either entered
    /// or counted, but not both.
    pub fn count(self) {
        if_enabled!(without_site::add(self.zone, 1));
    }
}

impl From<RunTimeZone> for &'static Zone {
    fn from(zone: RunTimeZone) -> &'static Zone {
        zone.zone()
    }
}
