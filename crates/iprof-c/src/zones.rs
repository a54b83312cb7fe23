//! Zones and named values. On the C side, each zone or value is a static that caches a pointer to its counterpart in
//! the profiler's memory.

use crate::{catch_panic, optional_text};
use iprof::__private::for_c::{self, CSite, NodePointer};
use iprof::{RunTimeValue, RunTimeZone, Zone, ZoneBuilder};
use std::ffi::{c_char, c_uint, c_ulonglong, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

const IDLE: c_uint = 1;

/// The header's `iprof_zone`.
#[derive(Debug)]
#[repr(C)]
pub struct CZone {
    name: *const c_char,
    file: *const c_char,
    line: c_uint,
    flags: c_uint,
    /// Invariant: NULL, or a zone returned by [`RunTimeZone::zone`]. C only reads it.
    made: AtomicPtr<Zone>,
    /// The zone budget in microseconds, or 0 for none.
    budget: c_uint,
}

/// Returns the zone that is used if C passes NULL.
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
    catch_panic(ptr::null(), || {
        // SAFETY: the caller guarantees this.
        let Some(zone) = (unsafe { zone.as_ref() }) else {
            return ptr::from_ref(unnamed());
        };
        // SAFETY: the caller guarantees this.
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
        let builder = match zone.budget {
            0 => builder,
            us => builder.budget(Duration::from_micros(us.into())),
        };
        let made = builder.build().zone();
        // Release: readers of the pointer see the zone. C's inline functions read it with acquire.
        zone.made
            .store(ptr::from_ref(made).cast_mut(), Ordering::Release);
        made
    })
}

/// Returns the zone for a pointer that C passes back.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[inline(always)]
pub(crate) unsafe fn zone_of(made: *const Zone) -> Option<RunTimeZone> {
    // SAFETY: the caller guarantees that it is a zone. Zones live as long as the program.
    unsafe { made.as_ref() }.map(RunTimeZone::of)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_enter(made: *const Zone) {
    // SAFETY: this function has the same contract.
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
    // SAFETY: this function has the same contract.
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
    // SAFETY: this function has the same contract.
    if let Some(zone) = unsafe { zone_of(made) } {
        zone.count();
    }
}

/// The header's `struct iprof_thread`.
pub type CThread = c_void;

/// The header's pointer to `struct iprof_record`.
pub type RecordPointer = NodePointer;

/// See `iprof_inline.h`. The number in the name changes with the layout.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub extern "C" fn iprof_this_thread_1() -> *const CThread {
    for_c::this_thread()
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_zone`] returned it. `site` is NULL, or only this thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_open(site: *mut CSite, made: *const Zone) -> NodePointer {
    // SAFETY: the caller guarantees this. Zones live as long as the program.
    let (site, made) = unsafe { (site.as_mut(), made.as_ref()) };
    made.map_or(ptr::null(), |zone| for_c::open(site, zone))
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `record` is this thread's, and `node` is a child of its current node.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_open_node(record: RecordPointer, node: NodePointer) {
    // SAFETY: this function has the same contract.
    unsafe { for_c::open_node(record, node) };
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `record` is this thread's, and `node` is its current node.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_close_node(record: RecordPointer, node: NodePointer) {
    // SAFETY: this function has the same contract.
    unsafe { for_c::close_node(record, node) };
}

/// See `iprof_inline.h`.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub extern "C" fn iprof_expect_end() {
    for_c::expect_end();
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `opened` is NULL, or [`iprof_open`] or the header's inline function returned it on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_close(opened: NodePointer) {
    // SAFETY: the caller guarantees this, and no function opens the root.
    unsafe { for_c::close(opened) };
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_zone_limit(limit: usize) {
    ZoneBuilder::set_limit(limit);
}

/// The header's `iprof_value`.
#[derive(Debug)]
#[repr(C)]
pub struct CValue {
    name: *const c_char,
    unit: *const c_char,
    steps: c_uint,
    /// Invariant: NULL, or a zone returned by [`RunTimeValue::zone`]. C only reads it.
    made: AtomicPtr<Zone>,
}

/// See `iprof.h`.
///
/// # Safety
///
/// `value` is NULL or points to an `iprof_value` whose texts are NULL or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_make_value(value: *mut CValue) -> *const Zone {
    catch_panic(ptr::null(), || {
        // SAFETY: the caller guarantees this.
        let Some(value) = (unsafe { value.as_ref() }) else {
            return ptr::null();
        };
        // SAFETY: the caller guarantees this.
        let [name, unit] = [value.name, value.unit].map(|text| unsafe { optional_text(text) });
        let [name, unit] = [name, unit].map(Option::unwrap_or_default);
        let made = RunTimeValue::with_steps(&name, &unit, value.steps).zone();
        let made = made.map_or(ptr::null(), ptr::from_ref);
        // Release: readers of the pointer see the value. C's inline functions read it with acquire.
        value.made.store(made.cast_mut(), Ordering::Release);
        made
    })
}

/// See `iprof_inline.h`.
///
/// # Safety
///
/// `made` is NULL, or [`iprof_make_value`] returned it. `site` is NULL, or only this thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_add(site: *mut CSite, made: *const Zone, steps: c_ulonglong) {
    // SAFETY: the caller guarantees this. Values live as long as the program.
    let (site, made) = unsafe { (site.as_mut(), made.as_ref()) };
    if let Some(value) = made {
        for_c::add(site, value, steps);
    }
}
