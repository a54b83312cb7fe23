//! What is shown: the default view, and the program's controls, by number, by text, by key and by pointer.

use crate::border::{Error, NOT_FOUND, VALUE, caught, code_of, optional_text, text};
use crate::layout::with_layout;
use crate::views::{used, with_view};
use iprof::overlay::{PointerButton, PointerEvent};
use iprof::{
    Action, Average, Controls, FlameStep, FrameSelection, Modifiers, Recursion, ReportMode, View,
};
use std::cell::Cell;
use std::ffi::{c_char, c_double, c_float, c_int, c_uint};
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

/// An action's number and name, and what it makes of its value.
pub type NamedAction = (c_int, &'static str, fn(f64) -> Action);

/// The actions by their numbers, which stand in the header, too.
pub const ACTIONS: &[NamedAction] = &[
    (1, "move_cursor", |value| Action::MoveCursor(value as i32)),
    (2, "set_cursor", |value| Action::SetCursor(value as usize)),
    (3, "click_row", |value| Action::ClickRow(value as usize)),
    (4, "toggle_row", |value| Action::ToggleRow(value as usize)),
    (5, "select", |_| Action::Select),
    (6, "select_parent", |_| Action::SelectParent),
    (7, "expand", |_| Action::Expand),
    (8, "collapse", |_| Action::Collapse),
    (9, "go_back", |_| Action::GoBack),
    (10, "go_forward", |_| Action::GoForward),
    (11, "move_frame", |value| Action::MoveFrame(value as i32)),
    (12, "extend_range", |value| {
        Action::ExtendRange(value as i32)
    }),
    (13, "previous_spike", |_| Action::PreviousSpike),
    (14, "next_spike", |_| Action::NextSpike),
    (15, "previous_zone_spike", |_| Action::PreviousZoneSpike),
    (16, "next_zone_spike", |_| Action::NextZoneSpike),
    (17, "previous_mark", |_| Action::PreviousMark),
    (18, "next_mark", |_| Action::NextMark),
    (19, "scroll_graph", |value| {
        Action::ScrollGraph(value as i32)
    }),
    (20, "zoom_graph", |value| Action::ZoomGraph(value as f32)),
    (21, "zoom_graph_vertically", |value| {
        Action::ZoomGraphVertically(value as f32)
    }),
    (22, "scroll_graph_vertically", |value| {
        Action::ScrollGraphVertically(value as f32)
    }),
    (23, "next_graph_style", |_| Action::NextGraphStyle),
    (24, "next_theme", |_| Action::NextTheme),
    (25, "next_report_mode", |_| Action::NextReportMode),
    (26, "next_average", |_| Action::NextAverage),
    (27, "next_recursion", |_| Action::NextRecursion),
    (28, "next_threads", |_| Action::NextThreads),
    (29, "next_baseline", |_| Action::NextBaseline),
    (30, "set_baseline_to_shown_frame", |_| {
        Action::SetBaselineToShownFrame
    }),
    (31, "next_sort", |_| Action::NextSort),
    (32, "reverse_sort", |_| Action::ReverseSort),
    (33, "next_min_share", |_| Action::NextMinShare),
    (34, "toggle_grouping", |_| Action::ToggleGrouping),
    (35, "toggle_idle", |_| Action::ToggleIdle),
    (36, "toggle_net_times", |_| Action::ToggleNetTimes),
    (37, "erase_filter", |_| Action::EraseFilter),
    (38, "clear_filter", |_| Action::ClearFilter),
    (39, "edit_filter", |_| Action::EditFilter),
    (40, "end_filter", |_| Action::EndFilter),
    (41, "next_timing", |_| Action::NextTiming),
    (42, "mark", |_| Action::Mark),
    (43, "next_history_memory", |_| Action::NextHistoryMemory),
    (44, "next_longest_frames", |_| Action::NextLongestFrames),
    (45, "toggle_pause", |_| Action::TogglePause),
    (46, "toggle_hidden", |_| Action::ToggleHidden),
    (47, "next_help_page", |_| Action::NextHelpPage),
    (48, "close_help", |_| Action::CloseHelp),
    (49, "less_precision", |_| Action::LessPrecision),
    (50, "more_precision", |_| Action::MorePrecision),
    (51, "compare_slow_frames", |_| Action::CompareSlowFrames),
    (52, "toggle_flame", |_| Action::ToggleFlame),
    (53, "walk_flame", |value| {
        Action::WalkFlame(match value as i32 {
            0 => FlameStep::Caller,
            1 => FlameStep::Callee,
            2 => FlameStep::Left,
            _ => FlameStep::Right,
        })
    }),
    (54, "zoom_flame", |_| Action::ZoomFlame),
    (55, "unzoom_flame", |_| Action::UnzoomFlame),
    (56, "next_columns", |_| Action::NextColumns),
    (57, "move_band", |value| Action::MoveBand(value as i32)),
    (58, "move_bucket", |value| Action::MoveBucket(value as i32)),
    (59, "next_value", |_| Action::NextValue),
];

fn act(action: Action) {
    with_controls((), |controls| match used() {
        Some(view) => view.with(|view| controls.on(view).act(action)),
        None => controls.act(action),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_act(action: c_int, value: c_double) -> c_int {
    code_of(|| {
        let known = ACTIONS.iter().find(|(number, ..)| *number == action);
        let (_, _, make) =
            known.ok_or_else(|| Error(VALUE, format!("there is no action {action}")))?;
        act(make(value));
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `action` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_act_text(action: *const c_char) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let text = unsafe { text(action, "action") }?;
        let (name, value) = text.trim().split_once(' ').unwrap_or((text.trim(), "0"));
        let known = ACTIONS.iter().find(|(_, known, _)| *known == name);
        let (_, _, make) =
            known.ok_or_else(|| Error(VALUE, format!("there is no action \"{name}\"")))?;
        let value = value.trim().parse().map_err(|_| {
            Error(
                VALUE,
                format!("invalid value \"{value}\" of the action {name}; expected a number"),
            )
        })?;
        act(make(value));
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `key` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_key(key: *const c_char, modifiers: c_uint) -> bool {
    caught(false, || {
        // SAFETY: the caller's promise.
        let Some(key) = (unsafe { optional_text(key) }) else {
            return false;
        };
        let modifiers = Modifiers {
            shift: modifiers & 1 != 0,
            control: modifiers & 2 != 0,
            alt: modifiers & 4 != 0,
            meta: modifiers & 8 != 0,
        };
        with_controls(false, |controls| controls.key(&key, modifiers))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `typed` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_text(typed: *const c_char) -> bool {
    caught(false, || {
        // SAFETY: the caller's promise.
        let typed = unsafe { optional_text(typed) };
        typed.is_some_and(|typed| with_controls(false, |controls| controls.text(&typed)))
    })
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
