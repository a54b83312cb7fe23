//! Frames, budgets, timing and threads.

use crate::{Error, ErrorCode, IO, VALUE, catch_panic, code_of, optional_text, text};
use iprof::Timing;
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::time::Duration;

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_update(record: bool) {
    catch_panic((), || iprof::update(record));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_reset() {
    catch_panic((), iprof::reset);
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_mark(name: *const c_char) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        iprof::mark(&unsafe { text(name, "name of the mark") }?);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_history(frames: usize) {
    catch_panic((), || iprof::configure(|config| config.history = frames));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_history_memory(bytes: usize) {
    catch_panic((), || {
        iprof::configure(|config| config.history_memory = (bytes > 0).then_some(bytes))
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_longest_frames(frames: usize) {
    catch_panic((), || {
        iprof::configure(|config| config.longest_frames = frames)
    });
}

fn duration(seconds: f64, what: &str) -> Result<Duration, Error> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        let message = format!("{what} of {seconds} s; expected 0 or a positive number");
        Error(VALUE, message)
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_frame_budget(ms: f64) -> ErrorCode {
    code_of(|| {
        let budget = duration(ms / 1e3, "a frame budget")?;
        if budget.is_zero() {
            return Err(Error::new(VALUE, "the frame budget is 0"));
        }
        iprof::configure(|config| config.frame_budget = budget);
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_zone_budget(name: *const c_char, ms: f64) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        let name = unsafe { text(name, "name of the zone") }?;
        let budget = duration(ms / 1e3, "a zone budget")?;
        iprof::set_zone_budget(&name, (ms > 0.0).then_some(budget));
        Ok(())
    })
}

/// The header's `iprof_slow_frame`.
pub type CSlowFrame =
    Option<unsafe extern "C" fn(context: *mut c_void, number: u64, ms: f64, budget_ms: f64)>;

/// A pointer that is passed back to C.
struct Context(*mut c_void);

// SAFETY: the pointer is not dereferenced here, and the header documents that the function is called on the thread that
// ends the frame.
unsafe impl Send for Context {}

impl Context {
    /// Returns the pointer. A closure that calls this method captures the whole `Context`, which is `Send`, and not
    /// just the pointer.
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `callback` is NULL or a function that may be called with `context` on any thread that ends a frame, until a later
/// call replaces it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_on_slow_frame(
    callback: CSlowFrame,
    context: *mut c_void,
    dead_time: f64,
) -> ErrorCode {
    code_of(|| {
        let dead_time = duration(dead_time, "a dead time")?;
        let context = Context(context);
        iprof::on_slow_frame(dead_time, move |frame| {
            let Some(callback) = callback else { return };
            let [ms, budget] = [frame.duration, frame.budget].map(|time| time.as_secs_f64() * 1e3);
            // SAFETY: the caller guarantees this.
            unsafe { callback(context.pointer(), frame.number, ms, budget) }
        });
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `file` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_stall_timeout(timeout: f64, file: *const c_char) -> ErrorCode {
    code_of(|| {
        let timeout = duration(timeout, "a timeout")?;
        // SAFETY: the caller guarantees this.
        let file = unsafe { optional_text(file) };
        let timeout = (!timeout.is_zero()).then_some(timeout);
        iprof::set_stall_timeout(timeout, file.as_deref().map(Path::new))
            .map_err(|error| Error::new(IO, error))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `timing` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_timing(timing: *const c_char) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
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
    catch_panic(0, || {
        let text = iprof::timing().to_string();
        if !buffer.is_null() && size > 0 {
            let length = text.len().min(size - 1);
            // SAFETY: the caller guarantees this; `length` is smaller than `size`.
            unsafe {
                std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length);
                *buffer.add(length) = 0;
            }
        }
        text.len()
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_recording(record: bool) {
    catch_panic((), || iprof::set_recording(record));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_is_recording() -> bool {
    catch_panic(false, iprof::is_recording)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_register_thread() {
    catch_panic((), iprof::register_thread);
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_thread_name(name: *const c_char) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        iprof::set_thread_name(unsafe { text(name, "name of the thread") }?);
        Ok(())
    })
}
