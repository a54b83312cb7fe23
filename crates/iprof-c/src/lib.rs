//! iprof for C and C++. `include/iprof.h` documents the functions; `include/prof.h` is the original's interface.
//!
//! No panic crosses the border: `caught` runs what could panic. Entering and leaving a zone cannot. Errors are codes, and their
//! texts are kept for the thread.

#![allow(unsafe_code)] // The border to C.
#![allow(unreachable_pub, reason = "C sees every extern function")]
// The header says which results may be ignored.
#![allow(clippy::must_use_candidate)]

pub mod actions;
pub mod gpu;
pub mod input;
pub mod overlay;
#[cfg(test)]
mod panic_tests;
pub mod prof;
#[cfg(unix)]
mod prof_gl;
/// Other systems have no function that finds OpenGL's: nothing but text is drawn.
#[cfg(not(unix))]
mod prof_gl {
    pub(crate) fn set_color(_color: [f32; 4]) {}

    pub(crate) fn fill(_rectangle: [f32; 4]) {}

    pub(crate) fn draw_graph(_place: [f32; 4]) {}
}
pub mod recording;
pub mod report;
pub mod zones;

use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The type that the header calls `iprof_error`, and its values.
pub type ErrorCode = c_int;
const OK: ErrorCode = 0;
const NULL: ErrorCode = 1;
const VALUE: ErrorCode = 2;
const NOT_FOUND: ErrorCode = 3;
const NO_OVERLAY: ErrorCode = 4;
const GL: ErrorCode = 5;
const IO: ErrorCode = 6;
const INTERNAL: ErrorCode = 7;

const MESSAGE_BYTES: usize = 512;

thread_local! {
    /// Without a destructor, so that it is there until the thread is gone.
    static MESSAGE: UnsafeCell<[u8; MESSAGE_BYTES]> = const { UnsafeCell::new([0; MESSAGE_BYTES]) };
}

/// Why a call fails: its code, and what to say.
struct Error(pub(crate) ErrorCode, pub(crate) String);

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Display) -> Error {
        Error(code, message.to_string())
    }
}

/// Runs `f`; `otherwise` if it panics.
fn caught<R>(otherwise: R, f: impl FnOnce() -> R) -> R {
    let run = || {
        #[cfg(test)]
        panic_tests::panic_if_asked();
        f()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        keep_message("a defect of iprof: it panicked; please report what stderr says");
        otherwise
    })
}

/// Runs `f`; returns its code, having kept its message.
fn code_of(f: impl FnOnce() -> Result<(), Error>) -> ErrorCode {
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
unsafe fn optional_text<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: the caller's promise.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// A text for C, which has no NUL in it.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Like [`optional_text`], but NULL is an error.
///
/// # Safety
///
/// That of [`optional_text`].
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Cow<'a, str>, Error> {
    // SAFETY: the caller's promise is the same.
    unsafe { optional_text(text) }.ok_or_else(|| Error(NULL, format!("the {what} is NULL")))
}

/// Has the linker keep what the headers' inline functions call, for libraries that this program opens and that do not
/// bring iprof along.
pub fn keep_functions() {
    std::hint::black_box((
        zones::iprof_make_zone as *const (),
        zones::iprof_enter as *const (),
        zones::iprof_leave as *const (),
        zones::iprof_leave_innermost as *const (),
        zones::iprof_open as *const (),
        zones::iprof_close as *const (),
        zones::iprof_count as *const (),
        zones::iprof_make_value as *const (),
        zones::iprof_add as *const (),
        prof::Prof_make as *const (),
        prof::Prof_count as *const (),
    ));
    #[cfg(target_os = "linux")]
    std::hint::black_box((
        zones::iprof_this_thread_1 as *const (),
        zones::iprof_open_node as *const (),
        zones::iprof_close_node as *const (),
        zones::iprof_expect_end as *const (),
    ));
}
