//! Named values: a static of C's holds where its value is in the profiler's memory.

use crate::border::{caught, optional_text};
use crate::recording::copy_text;
use crate::views::with_view;
use iprof::__private::for_c;
use iprof::{RunTimeValue, ShownValue, ValueInfo, Zone};
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
pub unsafe extern "C" fn iprof_add(site: *mut for_c::CSite, made: *const Zone, steps: c_ulonglong) {
    // SAFETY: by the caller's promise; values live as long as the program.
    let (site, made) = unsafe { (site.as_mut(), made.as_ref()) };
    if let Some(value) = made {
        for_c::add(site, value, steps);
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_value_count() -> usize {
    caught(0, || iprof::named_values().len())
}

/// Writes a text of one value.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
unsafe fn copy_of_value(
    at: usize,
    text: fn(&ValueInfo) -> &str,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    caught(0, || {
        let values = iprof::named_values();
        // SAFETY: the caller's promise.
        unsafe { copy_text(values.get(at).map_or("", text), buffer, size) }
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_value_name(at: usize, buffer: *mut c_char, size: usize) -> usize {
    // SAFETY: the caller's promise is the same.
    unsafe { copy_of_value(at, |value| &value.name, buffer, size) }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_value_unit(at: usize, buffer: *mut c_char, size: usize) -> usize {
    // SAFETY: the caller's promise is the same.
    unsafe { copy_of_value(at, |value| &value.unit, buffer, size) }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_show_value(name: *const c_char) {
    caught((), || {
        // SAFETY: the caller's promise.
        let value = match unsafe { optional_text(name) } {
            None => ShownValue::First,
            Some(name) if name.is_empty() => ShownValue::None,
            Some(name) => ShownValue::Named((*name).into()),
        };
        with_view(|view| view.set_value(value));
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_shown_value(buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        let value = with_view(|view| view.value().clone());
        let values = iprof::named_values();
        let name = match &value {
            ShownValue::First => values.first().map_or("", |value| &value.name),
            ShownValue::Named(name) => name,
            _ => "",
        };
        // SAFETY: the caller's promise.
        unsafe { copy_text(name, buffer, size) }
    })
}
