//! iprof for C and C++. The functions are documented in `include/iprof.h`. `include/prof.h` provides the interface of
//! the original IProf.
//!
//! No panic reaches C: code that could panic runs inside `catch_panic`. Entering and leaving a zone cannot panic.
//! Errors are returned as codes, and each thread keeps the message of its last error.

#![allow(unsafe_code)] // The functions are called from C.
#![allow(unreachable_pub, reason = "C sees every extern function")]
// The header does not require callers to use the functions' results.
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
/// Stubs for systems other than Unix, where OpenGL's functions cannot be looked up and only text is drawn.
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

/// The header's `iprof_error`, and its values.
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
    /// The last error's message. It has no destructor, so it remains usable until the thread is gone.
    static MESSAGE: UnsafeCell<[u8; MESSAGE_BYTES]> = const { UnsafeCell::new([0; MESSAGE_BYTES]) };
}

/// The reason why a call failed: its code and message.
struct Error(pub(crate) ErrorCode, pub(crate) String);

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Display) -> Error {
        Error(code, message.to_string())
    }
}

/// Runs `f`. Returns `otherwise` if it panics.
fn catch_panic<R>(otherwise: R, f: impl FnOnce() -> R) -> R {
    let run = || {
        #[cfg(test)]
        panic_tests::panic_if_requested();
        f()
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        keep_message("bug in iprof: it panicked; please report the message on stderr");
        otherwise
    })
}

/// Runs `f`, stores the error message if it fails, and returns the error code.
fn code_of(f: impl FnOnce() -> Result<(), Error>) -> ErrorCode {
    catch_panic(INTERNAL, || match f() {
        Ok(()) => OK,
        Err(Error(code, message)) => {
            keep_message(&message);
            code
        }
    })
}

fn keep_message(message: &str) {
    MESSAGE.with(|kept| {
        // SAFETY: only this thread uses the array, and no reference to it outlives this function. C reads the pointer
        // from `iprof_error_message` only between calls.
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

/// Converts a C string. Invalid UTF-8 becomes U+FFFD. Returns `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or a string that lives at least as long as `'a`.
unsafe fn optional_text<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: the caller guarantees this.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Converts text for C, removing NULs.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}

/// Like [`optional_text`], but NULL is an error.
///
/// # Safety
///
/// The rules of [`optional_text`] apply.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<Cow<'a, str>, Error> {
    // SAFETY: this function has the same contract.
    unsafe { optional_text(text) }.ok_or_else(|| Error(NULL, format!("the {what} is NULL")))
}

/// Makes the linker keep the functions that the headers' inline functions call. Libraries that this program opens and
/// that do not link iprof themselves use the program's copy of the functions.
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
