//! GPU zones, either in the OpenGL context of this thread's overlay, or on a timeline for which the program measures
//! the times.

use crate::zones::zone_of;
use crate::{Error, ErrorCode, NOT_FOUND, NULL, catch_panic, code_of};
use iprof::__private::innermost;
use iprof::gl::{OpenGpuZone, enter_gpu_zone};
use iprof::{GpuTimeline, GpuZone, Zone};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr;
use std::sync::{Mutex, PoisonError};

thread_local! {
    /// The GPU zones that are open on this thread, the innermost last.
    static OPEN: RefCell<Vec<(*const Zone, OpenGpuZone)>> = const { RefCell::new(Vec::new()) };
}

/// See `iprof.h`.
///
/// # Safety
///
/// `made` is NULL, or `iprof_make_zone` returned it. The context of this thread's overlay is current, if there is one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_begin(made: *const Zone) {
    catch_panic((), || {
        // SAFETY: this function has the same contract.
        let Some(zone) = (unsafe { zone_of(made) }) else {
            return;
        };
        let open = enter_gpu_zone(zone);
        // If the thread-local has been destroyed, there is no place to store the zone, so it closes immediately.
        let _fails_at_thread_end = OPEN.try_with(|zones| zones.borrow_mut().push((made, open)));
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// The rules of [`iprof_gpu_begin`] apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_end(made: *const Zone) {
    catch_panic((), || {
        let ended = OPEN.try_with(|zones| {
            let mut zones = zones.borrow_mut();
            let at = zones.iter().rposition(|(open, _)| *open == made)?;
            Some(zones.split_off(at))
        });
        match ended {
            // Close the innermost zone first.
            Ok(Some(mut ended)) => while ended.pop().is_some() {},
            _ => {
                // SAFETY: the caller guarantees this. The zone is not open, so count the call as a mistake.
                if let Some(zone) = unsafe { zone_of(made) } {
                    zone.end();
                }
            }
        }
    });
}

/// The header's `iprof_gpu_timeline`.
#[derive(Debug, Default)]
pub struct CGpuTimeline(Mutex<Timeline>);

#[derive(Debug, Default)]
struct Timeline {
    timeline: GpuTimeline,
    /// The unfinished zones, keyed by the numbers that C uses for them.
    zones: HashMap<u64, GpuZone>,
    /// The number of the most recently begun zone.
    last_number: u64,
}

impl Timeline {
    /// Returns the zone's number, or 0 if it is not recorded.
    fn begin(&mut self) -> u64 {
        let zone = innermost().map(|on_cpu| self.timeline.begin(&on_cpu));
        let Some(zone) = zone.filter(|zone| zone.is_recorded()) else {
            return 0;
        };
        self.last_number += 1;
        self.zones.insert(self.last_number, zone);
        self.last_number
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_gpu_timeline_new() -> *mut CGpuTimeline {
    catch_panic(ptr::null_mut(), || Box::into_raw(Box::default()))
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timeline` is NULL, or [`iprof_gpu_timeline_new`] returned it. It is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_free(timeline: *mut CGpuTimeline) {
    catch_panic((), || {
        if !timeline.is_null() {
            // SAFETY: the caller guarantees this.
            drop(unsafe { Box::from_raw(timeline) });
        }
    });
}

/// Runs `f` with the timeline.
///
/// # Safety
///
/// `timeline` is NULL, or [`iprof_gpu_timeline_new`] returned it and it is not freed in the meantime.
unsafe fn with_timeline<R>(
    timeline: *const CGpuTimeline,
    f: impl FnOnce(&mut Timeline) -> R,
) -> Result<R, Error> {
    // SAFETY: the caller guarantees this.
    let timeline = unsafe { timeline.as_ref() };
    let timeline = timeline.ok_or_else(|| Error::new(NULL, "the timeline is NULL"))?;
    Ok(f(&mut timeline
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner)))
}

/// Runs `f` with one of the timeline's zones. Zone 0, which is not recorded, is ignored.
///
/// # Safety
///
/// The rules of [`with_timeline`] apply.
unsafe fn with_zone(
    timeline: *const CGpuTimeline,
    number: u64,
    f: impl FnOnce(&mut Timeline, GpuZone),
) -> ErrorCode {
    let missing = || {
        let message = format!("the timeline has no unfinished GPU zone {number}");
        Error(NOT_FOUND, message)
    };
    let run = |timeline: &mut Timeline| match timeline.zones.get(&number).copied() {
        Some(zone) => {
            f(timeline, zone);
            Ok(())
        }
        None if number == 0 => Ok(()),
        None => Err(missing()),
    };
    // SAFETY: this function has the same contract.
    code_of(|| unsafe { with_timeline(timeline, run) }?)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timeline` is NULL, or [`iprof_gpu_timeline_new`] returned it and it is not freed in the meantime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_begin(timeline: *const CGpuTimeline) -> u64 {
    catch_panic(0, || {
        // SAFETY: the caller guarantees this.
        unsafe { with_timeline(timeline, Timeline::begin) }.unwrap_or(0)
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// The rules of [`iprof_gpu_timeline_begin`] apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_end(
    timeline: *const CGpuTimeline,
    zone: u64,
) -> ErrorCode {
    // SAFETY: the caller guarantees this.
    unsafe { with_zone(timeline, zone, |timeline, zone| timeline.timeline.end(zone)) }
}

/// See `iprof.h`.
///
/// # Safety
///
/// The rules of [`iprof_gpu_timeline_begin`] apply. `ns` is NULL or points to two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_finish(
    timeline: *const CGpuTimeline,
    zone: u64,
    ns: *const u64,
) -> ErrorCode {
    // SAFETY: the caller guarantees this.
    let ns = unsafe { ns.cast::<[u64; 2]>().as_ref() }.copied();
    let finish = |timeline: &mut Timeline, open: GpuZone| {
        timeline.zones.remove(&zone);
        // End the zone in case the program has not done so. Ending a zone twice does nothing.
        timeline.timeline.end(open);
        timeline.timeline.finish(open, ns);
    };
    // SAFETY: the caller guarantees this.
    unsafe { with_zone(timeline, zone, finish) }
}
