//! Slow frames and stalls: the host is called back, or told in a file.

use crate::border::{Error, IO, caught, code_of, optional_text};
use crate::durations::seconds;
use crate::recording::copy_text;
use std::ffi::{c_char, c_double, c_int, c_void};
use std::path::Path;
use std::time::Duration;

/// The `iprof_slow_frame` of the header.
pub type CSlowFrame =
    Option<unsafe extern "C" fn(context: *mut c_void, number: u64, ms: c_double, budget: c_double)>;

/// The host's pointer, which it gets back.
struct Context(*mut c_void);

// SAFETY: it is not followed here; the header says that the function is called on whichever thread ends the frame.
unsafe impl Send for Context {}

impl Context {
    /// By a method, so that a closure takes all of it.
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `callback` is NULL or a function that may be called with `context` on any thread that ends a frame, until another call
/// replaces it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_on_slow_frame(
    callback: CSlowFrame,
    context: *mut c_void,
    dead_time: c_double,
) -> c_int {
    code_of(|| {
        let dead_time = seconds(dead_time, "a dead time")?;
        let context = Context(context);
        iprof::on_slow_frame(dead_time, move |frame| {
            let Some(callback) = callback else { return };
            let [ms, budget] = [frame.duration, frame.budget].map(|time| time.as_secs_f64() * 1e3);
            // SAFETY: the caller's promise.
            unsafe { callback(context.pointer(), frame.number, ms, budget) }
        });
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_stall_timeout(timeout: c_double) -> c_int {
    code_of(|| {
        let timeout = seconds(timeout, "a timeout")?;
        iprof::set_stall_timeout((timeout > Duration::ZERO).then_some(timeout))
            .map_err(|error| Error::new(IO, error))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `path` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_stall_file(path: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { optional_text(path) };
        iprof::set_stall_file(path.as_deref().map(Path::new)).map_err(|error| Error::new(IO, error))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_last_stall(buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        let stall = iprof::last_stall();
        let text = stall.map_or_else(String::new, |stall| stall.to_string());
        // SAFETY: the caller's promise.
        unsafe { copy_text(&text, buffer, size) }
    })
}
