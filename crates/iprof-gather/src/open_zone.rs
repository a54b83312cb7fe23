//! An open zone that the host holds as a value: dropping it closes the zone, and `relabel!` closes
//! the zone and opens another in its place.

use crate::ThreadRecord;
#[cfg(feature = "enable")]
use crate::{Zone, local};

/// An open zone, made by [`open_zone!`]. Dropping it closes the zone; [`relabel!`] closes it and opens another in its
/// place. It belongs to the thread that opened it, hence is not `Send`.
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
#[must_use = "dropping it closes the zone"]
pub struct OpenZone {
    #[cfg(feature = "enable")]
    guard: local::Guard,
    #[cfg(not(feature = "enable"))]
    _not_send: std::marker::PhantomData<*const ()>,
}

impl OpenZone {
    /// The thread's record and the node's index; `None` if the zone was not recorded.
    #[doc(hidden)]
    pub fn node(&self) -> Option<(&'static ThreadRecord, u32)> {
        if_enabled!(self.guard.node(), None)
    }
}

/// Enters `zone`, which has no site.
#[cfg(feature = "enable")]
#[inline]
pub fn open_without_site(zone: &'static Zone) -> OpenZone {
    OpenZone {
        guard: local::without_site::enter(zone),
    }
}

/// Enters `zone` from the site of `key`.
#[cfg(feature = "enable")]
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn open(key: &'static std::thread::LocalKey<local::Site>, zone: &'static Zone) -> OpenZone {
    OpenZone {
        guard: local::enter(key, zone),
    }
}

/// Closes the open zone and enters `zone` in its place.
#[cfg(feature = "enable")]
#[cfg_attr(not(debug_assertions), inline)]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn relabel(
    key: &'static std::thread::LocalKey<local::Site>,
    zone: &'static Zone,
    open: &mut OpenZone,
) {
    local::relabel(key, zone, &mut open.guard);
}

/// The innermost zone that is open on this thread, which the value does not close: `None` if there is none, and if it
/// is not recorded. For C, whose zones are no values.
#[cfg(feature = "enable")]
#[must_use]
pub fn innermost() -> Option<std::mem::ManuallyDrop<OpenZone>> {
    let guard = local::for_c::innermost()?;
    let guard = std::mem::ManuallyDrop::into_inner(guard);
    Some(std::mem::ManuallyDrop::new(OpenZone { guard }))
}

/// A value without an open zone.
#[cfg(not(feature = "enable"))]
#[allow(missing_docs)]
pub const fn open_nothing() -> OpenZone {
    OpenZone {
        _not_send: std::marker::PhantomData,
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::innermost;
    use crate::local;

    fn name() -> Option<String> {
        let zone = innermost()?;
        let (thread, node) = zone.node()?;
        Some(thread.node(node)?.zone().label().to_string())
    }

    #[test]
    fn the_innermost_zone_is_the_one_that_is_recorded_and_stays_open() {
        let test = || {
            assert_eq!(name(), None, "before any zone");
            begin!(innermost_outer);
            begin!(innermost_inner);
            assert_eq!(name().as_deref(), Some("innermost_inner"));
            assert_eq!(
                name().as_deref(),
                Some("innermost_inner"),
                "it was not closed"
            );
            local::set_recording_off(true);
            begin!(innermost_unrecorded);
            local::set_recording_off(false);
            assert_eq!(name(), None, "the innermost one is not recorded");
            end!(innermost_unrecorded);
            assert_eq!(name().as_deref(), Some("innermost_inner"));
            end!(innermost_inner);
            assert_eq!(name().as_deref(), Some("innermost_outer"));
            end!(innermost_outer);
            assert_eq!(name(), None, "after all zones");
        };
        std::thread::spawn(test).join().expect("no assertion fails");
    }
}
