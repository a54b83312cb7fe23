//! Sampling sessions, and their profiles as data of C's.

use crate::border::{BUSY, Error, NOT_FOUND, caught, code_of, keep_error};
use iprof::{SampledProfile, SamplingSession};
use std::ffi::{CString, c_char, c_double, c_int, c_uint};
use std::ptr;
use std::sync::{Mutex, PoisonError};

/// The session in progress: there is one in a program.
static SESSION: Mutex<Option<SamplingSession>> = Mutex::new(None);

/// The `iprof_sampled_row` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CSampledRow {
    name: *const c_char,
    samples: u64,
    depth: c_uint,
    is_self: bool,
}

/// The `iprof_sampled` of the header.
#[derive(Debug)]
#[repr(C)]
pub struct CSampled {
    threads: usize,
    samples: u64,
    rows: *const CSampledRow,
    row_count: usize,
}

/// The profile, and what its pointers point to. Invariant: nothing in it is changed once it is made.
#[repr(C)]
struct Owned {
    /// First, so that a pointer to it is one to all.
    profile: CSampled,
    rows: Vec<CSampledRow>,
    names: Vec<CString>,
}

fn owned(profile: &SampledProfile) -> Box<Owned> {
    let name = |row: &iprof::SampledRow| CString::new(row.name.replace('\0', ""));
    let names: Vec<CString> = profile
        .rows
        .iter()
        .map(|row| name(row).unwrap_or_default())
        .collect();
    let rows: Vec<CSampledRow> = profile
        .rows
        .iter()
        .zip(&names)
        .map(|(row, name)| CSampledRow {
            name: name.as_ptr(),
            samples: row.samples,
            depth: row.depth as c_uint,
            is_self: row.is_self,
        })
        .collect();
    Box::new(Owned {
        profile: CSampled {
            threads: profile.threads,
            samples: profile.samples,
            rows: rows.as_ptr(),
            row_count: rows.len(),
        },
        rows,
        names,
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_sampling_start(hz: c_double) -> c_int {
    code_of(|| {
        let started = SamplingSession::start(hz).map_err(|error| Error::new(BUSY, error))?;
        *SESSION.lock().unwrap_or_else(PoisonError::into_inner) = Some(started);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_sampling_finish() -> *const CSampled {
    caught(ptr::null(), || {
        let session = SESSION
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(session) = session else {
            keep_error(Error::new(NOT_FOUND, "no sampling session is in progress"));
            return ptr::null();
        };
        Box::into_raw(owned(&session.finish())).cast_const().cast()
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `sampled` is NULL, or [`iprof_sampling_finish`] returned it, and it is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_sampled_free(sampled: *const CSampled) {
    if !sampled.is_null() {
        // SAFETY: by the caller's promise it is the beginning of an `Owned` that was boxed.
        let owned = unsafe { Box::from_raw(sampled.cast_mut().cast::<Owned>()) };
        debug_assert_eq!(owned.rows.len(), owned.names.len());
    }
}
