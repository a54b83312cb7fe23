//! Frames, timing and threads.

use crate::border::{Error, NOT_FOUND, VALUE, caught, code_of, text};
use crate::durations::milliseconds;
use iprof::{ThreadId, Threads, Timing};
use std::ffi::{c_char, c_int};
use std::time::Duration;

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_update(record: bool) {
    caught((), || iprof::update(record));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_reset() {
    caught((), iprof::reset);
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_mark(name: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        iprof::mark(&unsafe { text(name, "name of the mark") }?);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_history(frames: usize) {
    caught((), || iprof::set_history(frames));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_history_memory(bytes: usize) {
    caught((), || {
        iprof::set_history_memory((bytes > 0).then_some(bytes))
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_longest_frames(frames: usize) {
    caught((), || iprof::set_longest_frames(frames));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_frame_budget(ms: f64) -> c_int {
    code_of(|| {
        let budget = Duration::try_from_secs_f64(ms / 1e3).ok();
        let budget = budget.filter(|budget| *budget > Duration::ZERO);
        let budget = budget.ok_or_else(|| {
            Error::new(
                VALUE,
                format!("a frame budget of {ms} ms; expected a positive number"),
            )
        })?;
        iprof::set_frame_budget(budget);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_frame_budget() -> f64 {
    caught(0.0, || iprof::frame_budget().as_secs_f64() * 1e3)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `limits_ms` is NULL or seven numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_session_bands(limits_ms: *const f64) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let limits_ms = unsafe { limits_ms.cast::<[f64; 7]>().as_ref() };
        let Some(limits_ms) = limits_ms else {
            iprof::set_session_bands(None);
            return Ok(());
        };
        let mut limits = [Duration::ZERO; 7];
        for (limit, ms) in limits.iter_mut().zip(limits_ms) {
            *limit = milliseconds(*ms)?;
        }
        iprof::set_session_bands(Some(limits));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_history_bytes() -> usize {
    caught(0, iprof::history_bytes)
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timing` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_timing(timing: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let timing = unsafe { text(timing, "timing") }?;
        let timing: Timing = timing.parse().map_err(|error| Error::new(VALUE, error))?;
        iprof::set_timing(timing);
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_timing(buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        // SAFETY: the caller's promise.
        unsafe { copy_text(&iprof::timing().to_string(), buffer, size) }
    })
}

/// Writes as much of the text as there is room for, and a 0; returns the length of all of it.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
pub(crate) unsafe fn copy_text(text: &str, buffer: *mut c_char, size: usize) -> usize {
    if !buffer.is_null() && size > 0 {
        let length = text.len().min(size - 1);
        // SAFETY: the caller's promise; `length` is smaller than `size`.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length);
            *buffer.add(length) = 0;
        }
    }
    text.len()
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_thread_name(at: usize, buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        let threads = iprof::threads();
        let name = threads.get(at).map_or("", |thread| &thread.name);
        // SAFETY: the caller's promise.
        unsafe { copy_text(name, buffer, size) }
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_thread_count() -> usize {
    caught(0, || iprof::threads().len())
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_recording(record: bool) {
    caught((), || iprof::set_recording(record));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_is_recording() -> bool {
    caught(false, iprof::is_recording)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_register_thread() {
    caught((), iprof::register_thread);
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_thread_name(name: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        iprof::set_thread_name(unsafe { text(name, "name of the thread") }?);
        Ok(())
    })
}

fn show(threads: Threads) {
    crate::views::with_view(|view| view.set_threads(threads));
}

/// The first thread of that name.
fn thread_of(name: &str) -> Result<ThreadId, Error> {
    let threads = iprof::threads();
    let found = threads.iter().find(|thread| thread.name == name);
    found.map(|thread| thread.id).ok_or_else(|| {
        Error(
            NOT_FOUND,
            format!("no thread with a zone is called \"{name}\""),
        )
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_show_thread(name: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        show(match unsafe { crate::border::optional_text(name) } {
            None => Threads::All,
            Some(name) => Threads::One(thread_of(&name)?),
        });
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_show_thread_group(name: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "name of the thread") }?;
        show(Threads::Group(thread_of(&name)?));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_show_frame_thread() {
    caught((), || show(Threads::Frame));
}
