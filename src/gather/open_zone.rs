//! An open zone that the program holds, so that it can go on as another.

#[cfg(feature = "enable")]
use super::local;

/// An open zone, made by [`open_zone!`](crate::open_zone!). Dropping it closes the zone;
/// [`relabel!`](crate::relabel!) goes on as another zone. It belongs to the thread that opened it,
/// hence is not `Send`.
#[derive(Debug)]
#[must_use = "dropping it closes the zone"]
pub struct OpenZone {
    #[cfg(feature = "enable")]
    guard: local::Guard,
    #[cfg(not(feature = "enable"))]
    _not_send: std::marker::PhantomData<*const ()>,
}

/// Enters `zone` from `site`.
#[cfg(feature = "enable")]
#[cfg_attr(not(debug_assertions), inline(always))]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn open(
    key: &'static std::thread::LocalKey<local::Site>,
    zone: &'static crate::Zone,
) -> OpenZone {
    OpenZone {
        guard: local::enter(key, zone),
    }
}

/// Goes on as `zone`.
#[cfg(feature = "enable")]
#[cfg_attr(not(debug_assertions), inline)]
#[cfg_attr(debug_assertions, inline(never))]
#[allow(missing_docs)]
pub fn relabel(
    key: &'static std::thread::LocalKey<local::Site>,
    zone: &'static crate::Zone,
    open: &mut OpenZone,
) {
    local::relabel(key, zone, &mut open.guard);
}

/// No zone is open.
#[cfg(not(feature = "enable"))]
#[allow(missing_docs)]
pub const fn open_nothing() -> OpenZone {
    OpenZone {
        _not_send: std::marker::PhantomData,
    }
}
