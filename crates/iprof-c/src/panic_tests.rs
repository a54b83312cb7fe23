//! Tests that no panic reaches C, by simulating a bug in each kind of function.

use crate::{INTERNAL, OK, VALUE, iprof_error_message};
use crate::{actions, gpu, input, overlay, prof, recording, report, zones};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::{null, null_mut};

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Panics inside `catch_panic` if a test requested it.
pub(crate) fn panic_if_requested() {
    assert!(!PANICS.get(), "a bug, for the test");
}

fn message() -> String {
    // SAFETY: the message belongs to this thread, and no call fails while it is in use.
    let message = unsafe { CStr::from_ptr(iprof_error_message()) };
    message.to_string_lossy().into_owned()
}

/// Runs `f` while all of the library's functions panic. Returns the result of `f` and the error message.
fn while_panicking<R>(f: impl FnOnce() -> R) -> (R, String) {
    PANICS.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    PANICS.set(false);
    (result.expect("a panic left the library"), message())
}

unsafe extern "C" fn ignore(_: *mut c_void, _: *const c_char, _: usize) -> c_int {
    0
}

fn check_still_works() {
    static NAME: &CStr = c"after the panic";
    let mut zone = [NAME.as_ptr() as usize, 0, 0, 0, 0, 0];
    // SAFETY: the array has the layout of an `iprof_zone` with only a name.
    let made = unsafe { zones::iprof_make_zone((&raw mut zone).cast()) };
    assert!(!made.is_null());
    // SAFETY: `iprof_make_zone` returned the zone.
    unsafe {
        zones::iprof_enter(made);
        zones::iprof_leave(made);
    }
    recording::iprof_update(true);
    // SAFETY: the function accepts any arguments, and the timings are strings.
    unsafe {
        assert_eq!(report::iprof_write_report(Some(ignore), null_mut()), OK);
        assert_eq!(recording::iprof_set_timing(c"exact".as_ptr()), OK);
        assert_eq!(recording::iprof_set_timing(c"never".as_ptr()), VALUE);
    }
    assert!(message().contains("never"));
    let csv = iprof::snapshot();
    assert!(
        csv.zones
            .iter()
            .any(|zone| &*zone.name == "after the panic")
    );
}

#[test]
fn panic_becomes_an_error() {
    let text = c"text".as_ptr();
    // SAFETY: the functions accept these arguments, and panic before using them.
    let codes: [(&str, &dyn Fn() -> c_int); 6] = unsafe {
        [
            ("act", &|| actions::iprof_act(text)),
            ("bind_key", &|| input::iprof_bind_key(text, 0, text)),
            ("mark", &|| recording::iprof_mark(text)),
            ("set_theme", &|| overlay::iprof_set_theme(text)),
            ("write_file", &|| report::iprof_write_file(text)),
            ("gpu_timeline_end", &|| {
                gpu::iprof_gpu_timeline_end(null(), 0)
            }),
        ]
    };
    for (name, call) in codes {
        let (code, message) = while_panicking(call);
        assert_eq!(code, INTERNAL, "{name}");
        assert!(message.contains("bug in iprof"), "{name}: {message}");
    }
    // SAFETY: as above.
    unsafe {
        assert!(
            while_panicking(|| zones::iprof_make_zone(null_mut()))
                .0
                .is_null()
        );
        assert!(
            while_panicking(|| zones::iprof_make_value(null_mut()))
                .0
                .is_null()
        );
        assert!(!while_panicking(|| input::iprof_key(text, 0)).0);
        assert_eq!(
            while_panicking(|| recording::iprof_timing(null_mut(), 0)).0,
            0
        );
    }
    while_panicking(|| recording::iprof_update(true));
    while_panicking(|| prof::Prof_update(1));
    while_panicking(|| overlay::iprof_draw_gl(0.0, 0.0, 9.0, 9.0, 2));
    check_still_works();
}

/// Tests a panic while a lock is held.
#[test]
fn panic_leaves_controls_and_overlay_usable() {
    let panics = || -> () { panic!("a bug, for the test") };
    actions::with_controls((), |_| panics());
    assert!(message().contains("bug in iprof"));
    // SAFETY: the key is a string.
    let unbound = unsafe { input::iprof_bind_key(c"F24".as_ptr(), 0, null()) };
    assert_eq!(unbound, OK);
    assert_eq!(overlay::iprof_drawing_begin(90.0, 90.0), OK);
    crate::catch_panic((), || {
        overlay::with_own_overlay(|_| panics());
    });
    assert_eq!(overlay::iprof_drawing_begin(90.0, 90.0), OK);
    overlay::iprof_drawing_destroy();
    check_still_works();
}

/// The functions that cannot panic: they enter, leave or count zones, or call a function that catches panics.
const UNCAUGHT: [&str; 17] = [
    "Prof_count",
    "Prof_make",
    "Prof_set_smoothing",
    "Prof_update",
    "iprof_add",
    "iprof_close",
    "iprof_close_node",
    "iprof_count",
    "iprof_enter",
    "iprof_error_message",
    "iprof_expect_end",
    "iprof_leave",
    "iprof_leave_innermost",
    "iprof_open",
    "iprof_open_node",
    "iprof_set_zone_limit",
    "iprof_this_thread_1",
];

/// The functions that run their argument inside `catch_panic`.
const CAUGHT: [&str; 7] = [
    " catch_panic(",
    " code_of(",
    " with_controls(",
    " with_overlay(",
    " with_zone(",
    " pointer(",
    " add(|frame| ",
];

#[test]
fn every_other_function_catches_panics() {
    let mut uncaught = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in fs::read_dir(folder).expect("failed to read the source folder") {
        let text = fs::read_to_string(file.expect("failed to read the source folder").path())
            .expect("failed to read a source file");
        for function in text.split("extern \"C\" fn ").skip(1) {
            let name = function.split('(').next().unwrap_or_default();
            let body = function.split("\n}").next().unwrap_or_default();
            let is_ours = name.starts_with("iprof_") || name.starts_with("Prof_");
            let is_it = |call: &&str| body.contains(*call);
            if is_ours && !CAUGHT.iter().any(is_it) {
                uncaught.push(name.to_owned());
            }
        }
    }
    uncaught.sort();
    assert_eq!(uncaught, UNCAUGHT);
}
