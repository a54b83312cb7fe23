//! Passes key, text, pointer and touch events to the program's controls.

use crate::actions::{parse, with_controls};
use crate::overlay::with_own_overlay;
use crate::{Error, ErrorCode, INTERNAL, VALUE, catch_panic, code_of, optional_text, text};
use iprof::overlay::{PointerButton, PointerEvent, TouchPhase};
use iprof::{Chord, Modifiers};
use std::ffi::{c_char, c_int, c_uint};

/// Converts a bit set of modifiers. Unknown bits are ignored.
fn modifiers_of(bits: c_uint) -> Modifiers {
    Modifiers {
        shift: bits & 1 != 0,
        control: bits & 2 != 0,
        alt: bits & 4 != 0,
        meta: bits & 8 != 0,
    }
}

/// See `iprof.h`.
///
/// # Safety
///
/// `key` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_key(key: *const c_char, modifiers: c_uint) -> bool {
    catch_panic(false, || {
        // SAFETY: the caller guarantees this.
        let key = unsafe { optional_text(key) };
        let press =
            |key: &str| with_controls(false, |controls| controls.key(key, modifiers_of(modifiers)));
        key.is_some_and(|key| press(&key))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `typed` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_text(typed: *const c_char) -> bool {
    catch_panic(false, || {
        // SAFETY: the caller guarantees this.
        let typed = unsafe { optional_text(typed) };
        typed.is_some_and(|typed| with_controls(false, |controls| controls.text(&typed)))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// Both texts are NULL or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_bind_key(
    key: *const c_char,
    modifiers: c_uint,
    action: *const c_char,
) -> ErrorCode {
    code_of(|| {
        // SAFETY: the caller guarantees this.
        let (key, action) = unsafe { (text(key, "name of the key")?, optional_text(action)) };
        if key.is_empty() || modifiers > 15 {
            let message = format!("invalid key \"{key}\" or modifiers {modifiers}");
            return Err(Error(VALUE, message));
        }
        let chord = Chord::from(&*key).with(modifiers_of(modifiers));
        let action = action.map(|action| parse(&action)).transpose()?;
        let is_done = with_controls(false, |controls| {
            match action {
                Some(action) => controls.bindings.bind(chord, action),
                None => controls.bindings.unbind(chord),
            }
            true
        });
        match is_done {
            true => Ok(()),
            false => Err(Error::new(
                INTERNAL,
                "cannot bind a key while a key is being handled",
            )),
        }
    })
}

/// Passes the event to this thread's OpenGL overlay and to the overlay for the host's renderer, if they exist.
fn pointer(event: PointerEvent) -> bool {
    with_controls(false, |controls| {
        let used = with_own_overlay(|overlay| controls.with_overlay(overlay).pointer(event));
        controls.pointer(event) || used == Some(true)
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_pointer_moved(x: f32, y: f32) -> bool {
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
pub extern "C" fn iprof_pointer_wheel(lines: f32, zoom: bool) -> bool {
    pointer(PointerEvent::Wheel { lines, zoom })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_touch(finger: u64, phase: c_int, x: f32, y: f32) -> bool {
    let phase = match phase {
        0 => TouchPhase::Started,
        1 => TouchPhase::Moved,
        2 => TouchPhase::Ended,
        3 => TouchPhase::Cancelled,
        _ => return false,
    };
    with_controls(false, |controls| {
        let used = with_own_overlay(|overlay| {
            let mut controls = controls.with_overlay(overlay);
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
