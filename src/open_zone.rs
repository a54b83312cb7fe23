//! An open zone that the host holds as a value: dropping it closes the zone, and `relabel!` closes
//! the zone and opens another in its place.

#[cfg(feature = "enable")]
use crate::{Zone, gather::local};

/// An open zone, made by [`open_zone!`](crate::open_zone!). Dropping it closes the zone;
/// [`relabel!`](crate::relabel!) closes it and opens another in its place. It belongs to the thread
/// that opened it, hence is not `Send`.
#[derive(Debug)]
#[must_use = "dropping it closes the zone"]
pub struct OpenZone {
    #[cfg(feature = "enable")]
    guard: local::Guard,
    #[cfg(not(feature = "enable"))]
    _not_send: std::marker::PhantomData<*const ()>,
}

#[cfg(feature = "enable")]
impl OpenZone {
    /// The thread's record and the node's index; `None` if the zone was not recorded.
    pub(crate) fn node(&self) -> Option<(&'static crate::gather::ThreadRecord, u32)> {
        self.guard.node()
    }

    #[cfg(feature = "_gl")]
    pub(crate) fn guard(&self) -> &local::Guard {
        &self.guard
    }
}

/// Enters `zone`, which has no site.
#[cfg(feature = "enable")]
#[inline]
pub(crate) fn open_without_site(zone: &'static Zone) -> OpenZone {
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

/// A value without an open zone.
#[cfg(not(feature = "enable"))]
#[allow(missing_docs)]
pub const fn open_nothing() -> OpenZone {
    OpenZone {
        _not_send: std::marker::PhantomData,
    }
}
