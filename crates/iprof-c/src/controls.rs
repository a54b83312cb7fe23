//! What is shown: the default view, and the program's controls, by pointer and by finger.

use crate::border::{Error, NOT_FOUND, VALUE, caught, code_of, optional_text, text};
use crate::layout::with_layout;
use crate::views::with_view;
use iprof::overlay::{PointerButton, PointerEvent, TouchPhase};
use iprof::{Average, Controls, FrameSelection, Recursion, ReportMode, View};
use std::cell::Cell;
use std::ffi::{c_char, c_double, c_float, c_int};
use std::sync::{Mutex, OnceLock, PoisonError};

thread_local! {
    static IN_CONTROLS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `f` with the program's controls; `otherwise` in a call from within such a call.
pub(crate) fn with_controls<R>(otherwise: R, f: impl FnOnce(&mut Controls) -> R) -> R {
    static CONTROLS: OnceLock<Mutex<Controls>> = OnceLock::new();
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_CONTROLS.set(false);
        }
    }
    caught(None, || {
        if IN_CONTROLS.replace(true) {
            return None;
        }
        let _leave = Leave;
        let controls = CONTROLS.get_or_init(Mutex::default);
        let mut controls = controls.lock().unwrap_or_else(PoisonError::into_inner);
        Some(f(&mut controls))
    })
    .unwrap_or(otherwise)
}

/// To the overlay in OpenGL, and to the layout of a renderer of the host's, if this thread has them.
fn pointer(event: PointerEvent) -> bool {
    with_controls(false, |controls| {
        let used = with_layout(|layout| controls.with_overlay(layout).pointer(event));
        controls.pointer(event) || used == Some(true)
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_pointer_moved(x: c_float, y: c_float) -> bool {
    pointer(PointerEvent::Moved { x, y })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_pointer_left() -> bool {
    pointer(PointerEvent::LeftWindow)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_pointer_button(button: c_int, down: bool) -> bool {
    let button = match button {
        0 => PointerButton::Primary,
        1 => PointerButton::Secondary,
        _ => PointerButton::Other,
    };
    pointer(match down {
        true => PointerEvent::Pressed(button),
        false => PointerEvent::Released(button),
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_pointer_wheel(lines: c_float, zoom: bool) -> bool {
    pointer(PointerEvent::Wheel { lines, zoom })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_touch(finger: u64, phase: c_int, x: c_float, y: c_float) -> bool {
    let phase = match phase {
        0 => TouchPhase::Started,
        1 => TouchPhase::Moved,
        2 => TouchPhase::Ended,
        3 => TouchPhase::Cancelled,
        _ => return false,
    };
    with_controls(false, |controls| {
        let used = with_layout(|layout| {
            let mut controls = controls.with_overlay(layout);
            controls.touch(finger, phase, x, y)
        });
        controls.touch(finger, phase, x, y) || used == Some(true)
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_is_paused() -> bool {
    with_controls(false, |controls| controls.paused)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_is_hidden() -> bool {
    with_controls(false, |controls| controls.hidden)
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_report_mode(mode: c_int) -> c_int {
    code_of(|| {
        let mode = match mode {
            0 => ReportMode::SelfTime,
            1 => ReportMode::HierarchicalTime,
            2 => ReportMode::CallGraph,
            3 => ReportMode::CallGraphDescendants,
            4 => ReportMode::CallTree,
            _ => return Err(Error(VALUE, format!("there is no report mode {mode}"))),
        };
        with_view(|view| view.set_report_mode(mode));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_move_cursor(rows: c_int) {
    caught((), || with_view(|view| view.move_cursor(rows)));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_cursor(row: c_int) {
    caught((), || {
        with_view(|view| view.set_cursor(row.max(0) as usize))
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_select() {
    caught((), || with_view(View::select));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_select_parent() {
    caught((), || with_view(View::select_parent));
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_select_zone(name: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, "name of the zone") }?;
        match with_view(|view| view.select_zone(&name)) {
            true => Ok(()),
            false => Err(Error(NOT_FOUND, format!("no zone is called \"{name}\""))),
        }
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_move_frame(frames: c_int) {
    caught((), || with_view(|view| view.move_frame(frames)));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_frame(back: c_int) {
    caught((), || iprof::set_frame(back.max(0) as usize));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_show_frames(first: u64, last: u64) -> c_int {
    code_of(
        || match with_view(|view| view.set_frames(FrameSelection::Range { first, last })) {
            true => Ok(()),
            false => Err(Error(
                NOT_FOUND,
                format!("no frame from {first} to {last} is remembered"),
            )),
        },
    )
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_average(average: c_int) -> c_int {
    code_of(|| {
        let average = match average {
            0 => Average::Newest,
            1 => Average::Fast,
            2 => Average::Slow,
            _ => return Err(Error(VALUE, format!("there is no average {average}"))),
        };
        with_view(|view| view.set_average(average));
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_recursion(recursion: c_int) -> c_int {
    code_of(|| {
        let recursion = match recursion {
            0 => Recursion::Flatten,
            1 => Recursion::Spread,
            _ => return Err(Error(VALUE, format!("there is no recursion {recursion}"))),
        };
        with_view(|view| view.set_recursion(recursion));
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `filter` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_filter(filter: *const c_char) {
    caught((), || {
        // SAFETY: the caller's promise.
        let filter = unsafe { optional_text(filter) }.unwrap_or_default();
        with_view(|view| view.set_filter(&filter));
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_min_share(share: c_double) {
    caught((), || with_view(|view| view.set_min_share(share)));
}
