//! The border to C: no panic crosses it, errors are codes, and their texts are kept for the thread.

use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The type that the header calls `iprof_error`, and its values.
pub type ErrorCode = c_int;
pub(crate) const OK: ErrorCode = 0;
pub(crate) const NULL: ErrorCode = 1;
pub(crate) const VALUE: ErrorCode = 2;
pub(crate) const NOT_FOUND: ErrorCode = 3;
pub(crate) const NO_OVERLAY: ErrorCode = 4;
pub(crate) const GL: ErrorCode = 5;
pub(crate) const IO: ErrorCode = 6;
pub(crate) const INTERNAL: ErrorCode = 7;

const MESSAGE_BYTES: usize = 512;

thread_local! {
    /// Without a destructor, so that it is there until the thread is gone.
    static MESSAGE: UnsafeCell<[u8; MESSAGE_BYTES]> = const { UnsafeCell::new([0; MESSAGE_BYTES]) };
}

/// Why a call fails: its code, and what to say.
pub(crate) struct Error(pub(crate) ErrorCode, pub(crate) String);

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Display) -> Error {
        Error(code, message.to_string())
    }
}

/// Runs `f`; `otherwise` if it panics.
pub(crate) fn caught<R>(otherwise: R, f: impl FnOnce() -> R) -> R {
    let run = || {
        #[cfg(test)]
        crate::panic_tests::panic_if_asked();
        f()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        keep_message("a defect of iprof: it panicked; please report what stderr says");
        otherwise
    })
}

/// Runs `f`; returns its code, having kept its message.
pub(crate) fn code_of(f: impl FnOnce() -> Result<(), Error>) -> ErrorCode {
    caught(INTERNAL, || match f() {
        Ok(()) => OK,
        Err(Error(code, message)) => {
            keep_message(&message);
            code
        }
    })
}

fn keep_message(message: &str) {
    MESSAGE.with(|kept| {
        // SAFETY: the array is the calling thread's alone, and no reference to it outlives this function; the
        // pointer that `iprof_error_message` gave out is read by C between calls.
        let kept = unsafe { &mut *kept.get() };
        let end = (0..=message.len().min(MESSAGE_BYTES - 1)).rev();
        let end = end
            .into_iter()
            .find(|at| message.is_char_boundary(*at))
            .unwrap_or(0);
        kept[..end].copy_from_slice(&message.as_bytes()[..end]);
        kept[end] = 0;
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_error_message() -> *const c_char {
    MESSAGE.with(|kept| kept.get().cast_const().cast())
}

/// A text of C's; what is not UTF-8 in it becomes U+FFFD.
///
/// # Safety
///
/// `text` is NULL or a string that lives as long as `'a`.
pub(crate) unsafe fn optional_text<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Like [`optional_text`], but NULL is an error.
///
/// # Safety
///
/// That of [`optional_text`].
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Cow<'a, str>, Error> {
    // SAFETY: the caller's promise is the same.
    unsafe { optional_text(text) }.ok_or_else(|| Error(NULL, format!("the {what} is NULL")))
}
