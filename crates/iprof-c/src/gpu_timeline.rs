//! GPU times that the host measures by itself: [`GpuTimeline`], whose zones are numbers in C.

use crate::border::{Error, NOT_FOUND, NULL, VALUE, caught, code_of};
use iprof::__private::innermost;
use iprof::{GpuTimeline, GpuZone};
use std::collections::HashMap;
use std::ffi::c_int;
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// The `iprof_gpu_timeline` of the header.
#[derive(Debug, Default)]
pub struct CGpuTimeline(Mutex<Timeline>);

#[derive(Debug, Default)]
struct Timeline {
    timeline: GpuTimeline,
    /// Those that are not finished, by their numbers; as many as the timeline allows.
    zones: HashMap<u64, GpuZone>,
    /// The numbers of those that have not ended; the innermost is the last.
    open: Vec<u64>,
    last: u64,
}

impl Timeline {
    /// The number of the zone; 0 if it is not recorded.
    fn begin(&mut self) -> u64 {
        let Some(on_cpu) = innermost() else {
            return 0;
        };
        let zone = self.timeline.begin(&on_cpu);
        if !zone.is_recorded() {
            return 0;
        }
        self.last += 1;
        self.zones.insert(self.last, zone);
        self.open.push(self.last);
        self.last
    }

    fn end(&mut self, number: u64) -> Result<(), Error> {
        let zone = self.zone(number)?;
        let at = self.open.iter().rposition(|open| *open == number);
        let ended = || Error(VALUE, format!("the GPU zone {number} has ended already"));
        self.open.truncate(at.ok_or_else(ended)?);
        self.timeline.end(zone);
        Ok(())
    }

    fn finish(&mut self, number: u64, ns: Option<[u64; 2]>) -> Result<(), Error> {
        let zone = self.zone(number)?;
        if self.open.contains(&number) {
            let said = format!("the GPU zone {number} has not ended");
            return Err(Error(VALUE, said));
        }
        self.zones.remove(&number);
        self.timeline.finish(zone, ns);
        Ok(())
    }

    fn zone(&self, number: u64) -> Result<GpuZone, Error> {
        let zone = self.zones.get(&number).copied();
        zone.ok_or_else(|| {
            Error(
                NOT_FOUND,
                format!("the timeline has no unfinished GPU zone {number}"),
            )
        })
    }
}

impl CGpuTimeline {
    fn with<R>(&self, f: impl FnOnce(&mut Timeline) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_gpu_timeline_new() -> *mut CGpuTimeline {
    caught(ptr::null_mut(), || Box::into_raw(Box::default()))
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timeline` is NULL, or [`iprof_gpu_timeline_new`] returned it, and it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_free(timeline: *mut CGpuTimeline) {
    caught((), || {
        if !timeline.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(timeline) });
        }
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timeline` is NULL, or [`iprof_gpu_timeline_new`] returned it and it is not freed meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_begin(timeline: *const CGpuTimeline) -> u64 {
    caught(0, || {
        // SAFETY: the caller's promise.
        let timeline = unsafe { timeline.as_ref() };
        timeline.map_or(0, |timeline| timeline.with(Timeline::begin))
    })
}

/// Runs `f` with the timeline, unless the zone is one that is not recorded.
///
/// # Safety
///
/// That of [`iprof_gpu_timeline_begin`].
unsafe fn with_zone(
    timeline: *const CGpuTimeline,
    number: u64,
    f: impl FnOnce(&mut Timeline) -> Result<(), Error>,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let timeline = unsafe { timeline.as_ref() };
        let timeline = timeline.ok_or_else(|| Error::new(NULL, "the timeline is NULL"))?;
        match number {
            0 => Ok(()),
            _ => timeline.with(f),
        }
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_gpu_timeline_begin`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_end(timeline: *const CGpuTimeline, zone: u64) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { with_zone(timeline, zone, |timeline| timeline.end(zone)) }
}

/// See `iprof.h`.
///
/// # Safety
///
/// That of [`iprof_gpu_timeline_begin`]; `ns` is NULL or two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gpu_timeline_finish(
    timeline: *const CGpuTimeline,
    zone: u64,
    ns: *const u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let ns = ns.cast::<[u64; 2]>().as_ref().copied();
        with_zone(timeline, zone, |timeline| timeline.finish(zone, ns))
    }
}
