//! Named values: a static of C holds a pointer to its value in the profiler's memory.

use crate::border::{caught, optional_text};
use iprof::__private::for_c::{self, CSite};
use iprof::{RunTimeValue, Zone};
use std::ffi::{c_char, c_uint, c_ulonglong};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The `iprof_value` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CValue {
    name: *const c_char,
    unit: *const c_char,
    steps: c_uint,
    /// Invariant: NULL, or what [`RunTimeValue::zone`] returned. C only reads it.
    made: AtomicPtr<Zone>,
}

/// See `iprof.h`.
///
/// # Safety
///
/// `value` is NULL or points to an `iprof_value` whose texts are NULL or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_make_value(value: *mut CValue) -> *const Zone {
    caught(ptr::null(), || {
        // SAFETY: the caller's promise.
        let Some(value) = (unsafe { value.as_ref() }) else {
            return ptr::null();
        };
        // SAFETY: the caller's promise.
        let [name, unit] = [value.name, value.unit].map(|text| unsafe { optional_text(text) });
        let [name, unit] = [name, unit].map(Option::unwrap_or_default);
        let made = RunTimeValue::with_steps(&name, &unit, value.steps).zone();
        let made = made.map_or(ptr::null(), ptr::from_ref);
        // Release: whoever reads the pointer sees the value. C's inline functions read it with acquire.
        value.made.store(made.cast_mut(), Ordering::Release);
        made
    })
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_value`] returned it. `site` is NULL, or the calling thread's alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_add(site: *mut CSite, made: *const Zone, steps: c_ulonglong) {
    // SAFETY: by the caller's promise; values live as long as the program.
    let (site, made) = unsafe { (site.as_mut(), made.as_ref()) };
    if let Some(value) = made {
        for_c::add(site, value, steps);
    }
}
