//! Keys: what they do when they are pressed, and which action each one has.

use crate::actions::numbered;
use crate::border::{Error, INTERNAL, VALUE, caught, code_of, optional_text, text};
use crate::controls::with_controls;
use crate::recording::copy_text;
use iprof::{Bindings, Chord, Modifiers};
use std::ffi::{c_char, c_double, c_int, c_uint};

/// The modifiers of a bit set; bits that mean nothing are ignored.
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
    caught(false, || {
        // SAFETY: the caller's promise.
        let Some(key) = (unsafe { optional_text(key) }) else {
            return false;
        };
        with_controls(false, |controls| {
            controls.key(&key, modifiers_of(modifiers))
        })
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

/// Changes the program's bindings.
fn change(f: impl FnOnce(&mut Bindings)) -> Result<(), Error> {
    with_controls(Err(()), |controls| {
        f(&mut controls.bindings);
        Ok(())
    })
    .map_err(|()| Error::new(INTERNAL, "keys cannot be bound while one is handled"))
}

/// The key with its modifiers.
///
/// # Safety
///
/// `key` is NULL or a string.
unsafe fn chord(key: *const c_char, modifiers: c_uint) -> Result<Chord, Error> {
    // SAFETY: the caller's promise.
    let key = unsafe { text(key, "name of the key") }?;
    if key.is_empty() {
        return Err(Error::new(VALUE, "the name of the key is empty"));
    }
    if modifiers > 15 {
        return Err(Error(
            VALUE,
            format!("invalid modifiers {modifiers}; expected a sum of IPROF_SHIFT and the like"),
        ));
    }
    Ok(Chord::from(&*key).with(modifiers_of(modifiers)))
}

/// See `iprof.h`.
///
/// # Safety
///
/// `key` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_bind_key(
    key: *const c_char,
    modifiers: c_uint,
    action: c_int,
    value: c_double,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let chord = unsafe { chord(key, modifiers) }?;
        let action = numbered(action, value)?;
        change(|bindings| bindings.bind(chord, action))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `key` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_unbind_key(key: *const c_char, modifiers: c_uint) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let chord = unsafe { chord(key, modifiers) }?;
        change(|bindings| bindings.unbind(chord))
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_reset_keys(has_defaults: bool) {
    with_controls((), |controls| {
        controls.bindings = match has_defaults {
            true => Bindings::default(),
            false => Bindings::none(),
        };
    });
}

/// See `iprof.h`.
///
/// # Safety
///
/// Both are NULL or strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_describe_own_key(
    keys: *const c_char,
    meaning: *const c_char,
) -> c_int {
    code_of(|| {
        // SAFETY: the caller's promise.
        let (keys, meaning) =
            unsafe { (text(keys, "name of the key")?, text(meaning, "meaning")?) };
        change(|bindings| bindings.describe_own_key(&keys, &meaning))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_key_of(
    action: c_int,
    value: c_double,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    caught(0, || {
        let action = numbered(action, value).ok();
        let of = |action| with_controls(None, |controls| controls.bindings.key_of(&action));
        let key = action.and_then(of).unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { copy_text(&key, buffer, size) }
    })
}

/// Lines of the help.
fn lines() -> Vec<(String, &'static str)> {
    with_controls(Vec::new(), |controls| controls.bindings.lines())
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_key_line_count() -> usize {
    caught(0, || lines().len())
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_key_line_keys(at: usize, buffer: *mut c_char, size: usize) -> usize {
    caught(0, || {
        let lines = lines();
        let keys = lines.get(at).map_or("", |(keys, _)| keys);
        // SAFETY: the caller's promise.
        unsafe { copy_text(keys, buffer, size) }
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `buffer` is NULL, or `size` bytes can be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_key_line_meaning(
    at: usize,
    buffer: *mut c_char,
    size: usize,
) -> usize {
    caught(0, || {
        let lines = lines();
        let meaning = lines.get(at).map_or("", |(_, meaning)| meaning);
        // SAFETY: the caller's promise.
        unsafe { copy_text(meaning, buffer, size) }
    })
}
