//! Zones: a static of C's holds where its zone is in the profiler's memory.

use crate::border::{caught, optional_text};
use iprof::{RunTimeZone, Zone, ZoneBuilder};
use std::ffi::{c_char, c_uint};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

const IDLE: c_uint = 1;

/// The `iprof_zone` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CZone {
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
    flags: c_uint,
    /// Invariant: NULL, or a zone that [`RunTimeZone::zone`] returned. C only reads it.
    made: AtomicPtr<Zone>,
}

/// The zone of calls without one.
fn unnamed() -> &'static Zone {
    static UNNAMED: OnceLock<RunTimeZone> = OnceLock::new();
    UNNAMED.get_or_init(|| ZoneBuilder::new("").build()).zone()
}

/// See `iprof.h`.
///
/// # Safety
///
/// `zone` is NULL or points to an `iprof_zone` whose texts are NULL or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_make_zone(zone: *mut CZone) -> *const Zone {
    caught(std::ptr::null(), || {
        // SAFETY: the caller's promise.
        let Some(zone) = (unsafe { zone.as_ref() }) else {
            return std::ptr::from_ref(unnamed());
        };
        // SAFETY: the caller's promise.
        let (name, file) = unsafe { (optional_text(zone.name), optional_text(zone.file)) };
        let name = name.unwrap_or_default();
        let builder = ZoneBuilder::new(&name);
        let builder = match &file {
            Some(file) => builder.place(file, zone.line),
            None => builder,
        };
        let builder = match zone.flags & IDLE {
            0 => builder,
            _ => builder.idle(),
        };
        let made = builder.build().zone();
        // Release: whoever reads the pointer sees the zone. C's inline functions read it with acquire.
        zone.made
            .store(std::ptr::from_ref(made).cast_mut(), Ordering::Release);
        made
    })
}

/// The zone that C passes back.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[inline(always)]
unsafe fn zone_of(made: *const Zone) -> Option<RunTimeZone> {
    // SAFETY: by the caller's promise it is a zone; zones live as long as the program.
    unsafe { made.as_ref() }.map(RunTimeZone::of)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_enter(made: *const Zone) {
    // SAFETY: the caller's promise is the same.
    if let Some(zone) = unsafe { zone_of(made) } {
        zone.begin();
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_leave(made: *const Zone) {
    // SAFETY: the caller's promise is the same.
    if let Some(zone) = unsafe { zone_of(made) } {
        zone.end();
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_leave_innermost() {
    static NONE_OPEN: Zone = Zone::new("iprof_end", "", 0, "");
    iprof::__private::end_innermost(&NONE_OPEN);
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_count(made: *const Zone) {
    // SAFETY: the caller's promise is the same.
    if let Some(zone) = unsafe { zone_of(made) } {
        zone.count();
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_zone_limit(limit: usize) {
    ZoneBuilder::set_limit(limit);
}
