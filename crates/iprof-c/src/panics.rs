//! Tests that no panic crosses the border: defects are made up, in each function and below it.

use crate::border::{INTERNAL, NULL, OK, VALUE, iprof_error_message};
use crate::views::{iprof_view_free, iprof_view_new, iprof_view_use, with_view};
use crate::{actions, alarms, budgets, controls, endpoint, gpu_timeline, keys, layout, output};
use crate::{overlay, prof, recording, report, sampling, settings, values, views, zones};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::{null, null_mut};

thread_local! {
    static IS_ASKED: Cell<bool> = const { Cell::new(false) };
}

/// The made-up defect, in what runs within the border.
pub(crate) fn panic_if_asked() {
    assert!(!IS_ASKED.get(), "a defect, for the test");
}

fn message() -> String {
    // SAFETY: it is this thread's, and nothing fails meanwhile.
    let message = unsafe { CStr::from_ptr(iprof_error_message()) };
    message.to_string_lossy().into_owned()
}

/// What `f` returns of a library whose functions all panic within, and the message.
fn broken<R>(f: impl FnOnce() -> R) -> (R, String) {
    IS_ASKED.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    IS_ASKED.set(false);
    (result.expect("no panic gets here"), message())
}

unsafe extern "C" fn ignore(_: *mut c_void, _: *const c_char, _: usize) -> c_int {
    0
}

/// Records a frame and reads it back.
fn check_that_it_works() {
    static NAME: &CStr = c"after the defect";
    let mut zone = [NAME.as_ptr() as usize, 0, 0, 0, 0, 0];
    // SAFETY: it is laid out as an `iprof_zone`; a name alone.
    let made = unsafe { zones::iprof_make_zone((&raw mut zone).cast()) };
    assert!(!made.is_null());
    // SAFETY: the zone is from there.
    unsafe {
        zones::iprof_enter(made);
        zones::iprof_leave(made);
    }
    recording::iprof_update(true);
    // SAFETY: the function takes anything, the timing is a text.
    unsafe {
        assert_eq!(output::iprof_write_report(Some(ignore), null_mut()), OK);
        assert_eq!(recording::iprof_set_timing(c"exact".as_ptr()), OK);
        assert_eq!(recording::iprof_set_timing(c"never".as_ptr()), VALUE);
    }
    assert!(message().contains("never"));
    let csv = iprof::snapshot();
    assert!(
        csv.zones
            .iter()
            .any(|zone| &*zone.name == "after the defect")
    );
}

#[test]
fn a_panic_becomes_an_error_with_a_message_and_the_library_works_on() {
    let text = c"text".as_ptr();
    // SAFETY: what each function takes; nothing is followed before the panic.
    let codes: [(&str, &dyn Fn() -> c_int); 24] = unsafe {
        [
            ("act", &|| actions::iprof_act(5, 0.0)),
            ("act_text", &|| actions::iprof_act_text(text)),
            ("bind_key", &|| keys::iprof_bind_key(text, 0, 5, 0.0)),
            ("describe_own_key", &|| {
                keys::iprof_describe_own_key(text, text)
            }),
            ("drawing_begin", &|| layout::iprof_drawing_begin(10.0, 10.0)),
            ("frames_write", &|| {
                output::iprof_frames_write(0, 9, text, Some(ignore), null_mut())
            }),
            ("gl_init", &|| overlay::iprof_gl_init(None)),
            ("gpu_timeline_end", &|| {
                gpu_timeline::iprof_gpu_timeline_end(null(), 0)
            }),
            ("http_serve", &|| {
                endpoint::iprof_http_serve(text, null_mut())
            }),
            ("mark", &|| recording::iprof_mark(text)),
            ("on_slow_frame", &|| {
                alarms::iprof_on_slow_frame(None, null_mut(), 0.0)
            }),
            ("sampling_start", &|| sampling::iprof_sampling_start(100.0)),
            ("set_baseline", &|| views::iprof_set_baseline(0, 0)),
            ("set_column", &|| views::iprof_set_column(5, true)),
            ("set_frame_budget", &|| {
                recording::iprof_set_frame_budget(5.0)
            }),
            ("set_report_mode", &|| controls::iprof_set_report_mode(0)),
            ("set_theme", &|| overlay::iprof_set_theme(0)),
            ("set_thread_name", &|| {
                recording::iprof_set_thread_name(text)
            }),
            ("set_zone_budget", &|| {
                budgets::iprof_set_zone_budget(text, 1.0)
            }),
            ("settings_now", &|| settings::iprof_settings_now(null_mut())),
            ("show_thread_group", &|| {
                recording::iprof_show_thread_group(text)
            }),
            ("snapshot_write_file", &|| {
                output::iprof_snapshot_write_file(null(), text)
            }),
            ("write_report", &|| {
                output::iprof_write_report(Some(ignore), null_mut())
            }),
            ("write_report_as", &|| {
                output::iprof_write_report_as(text, Some(ignore), null_mut())
            }),
        ]
    };
    for (name, call) in codes {
        let (code, message) = broken(call);
        assert_eq!(code, INTERNAL, "{name}");
        assert!(message.contains("defect of iprof"), "{name}: {message}");
    }
    // SAFETY: as above.
    unsafe {
        assert!(broken(|| report::iprof_report_new()).0.is_null());
        assert!(broken(|| output::iprof_snapshot_new()).0.is_null());
        assert!(broken(|| zones::iprof_make_zone(null_mut())).0.is_null());
        assert!(broken(|| values::iprof_make_value(null_mut())).0.is_null());
        assert!(broken(|| sampling::iprof_sampling_finish()).0.is_null());
        assert!(broken(|| iprof_view_new()).0.is_null());
        assert!(!broken(|| keys::iprof_key(text, 0)).0);
        assert!(!broken(|| controls::iprof_touch(0, 0, 1.0, 1.0)).0);
        assert_eq!(broken(|| recording::iprof_timing(null_mut(), 0)).0, 0);
        assert_eq!(
            broken(|| gpu_timeline::iprof_gpu_timeline_begin(null())).0,
            0
        );
    }
    broken(|| recording::iprof_update(true));
    broken(|| prof::Prof_update(1));
    broken(|| overlay::iprof_draw_gl(0.0, 0.0, 9.0, 9.0, 2));
    broken(|| layout::iprof_draw_report(0.0, 0.0, 9.0, 9.0, 2));
    check_that_it_works();
}

/// A lock is held then.
#[test]
fn a_panic_in_a_view_or_in_the_controls_leaves_them_usable() {
    let defect = || -> () { panic!("a defect, for the test") };
    let caught = || crate::border::caught((), || with_view(|_| defect()));
    caught();
    assert!(message().contains("defect of iprof"));
    assert_eq!(controls::iprof_set_report_mode(1), OK);
    let own = iprof_view_new();
    // SAFETY: it is a view, which is freed once.
    unsafe {
        iprof_view_use(own);
        caught();
        assert_eq!(controls::iprof_set_report_mode(4), OK);
        assert!(with_view(|view| view.report_mode()) == iprof::ReportMode::CallTree);
        iprof_view_use(null());
        iprof_view_free(own);
    }
    controls::with_controls((), |_| defect());
    // SAFETY: it is a text.
    assert_eq!(unsafe { keys::iprof_unbind_key(c"F24".as_ptr(), 0) }, OK);
    assert_eq!(layout::iprof_drawing_begin(90.0, 90.0), OK);
    crate::border::caught((), || {
        layout::with_layout(|_| defect());
    });
    assert_eq!(layout::iprof_drawing_begin(90.0, 90.0), OK);
    layout::iprof_drawing_destroy();
    // SAFETY: NULL is an error.
    assert_eq!(unsafe { recording::iprof_mark(null()) }, NULL);
    check_that_it_works();
}

/// Functions that have nothing which could panic: they enter, leave and count zones, or pass on to one that is caught.
const UNCAUGHT: [&str; 20] = [
    "Prof_count",
    "Prof_make",
    "Prof_set_average",
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
    "iprof_report_free",
    "iprof_sampled_free",
    "iprof_set_zone_limit",
    "iprof_this_thread_1",
];

/// What runs all that it is given within the border.
const CAUGHT: [&str; 8] = [
    " caught(",
    " code_of(",
    " with_controls(",
    " with_overlay(",
    " with_zone(",
    " copy_of_value(",
    " pointer(",
    " add(|drawing| ",
];

#[test]
fn each_other_function_runs_within_the_border() {
    let mut uncaught = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in fs::read_dir(folder).expect("the sources") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a source");
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
