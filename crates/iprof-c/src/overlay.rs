//! The overlay in the host's OpenGL context.

use crate::border::{Error, GL, NO_OVERLAY, NULL, VALUE, caught, code_of};
use crate::controls::with_controls;
use crate::layout::with_layout;
use crate::views::used;
use iprof::overlay::{Hit, Layout, Theme};
use std::ffi::{c_char, c_float, c_int, c_uint, c_void};

/// The `iprof_gl_loader` of the header.
pub type CLoader = Option<unsafe extern "C" fn(name: *const c_char) -> *mut c_void>;

/// See `iprof.h`.
///
/// # Safety
///
/// `loader` is NULL or returns the functions of the context that is current on this thread. It is current in every
/// later call of a drawing function on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gl_init(loader: CLoader) -> c_int {
    code_of(|| {
        let loader = loader.ok_or_else(|| Error::new(NULL, "the loader function is NULL"))?;
        // SAFETY: the caller's promise, of the loader and of the context.
        unsafe { iprof::gl::init_from_loader(|name| loader(name.as_ptr()).cast_const()) }
            .map_err(|error| Error::new(GL, error))
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_gl_destroy() {
    caught((), || {
        if let Some(overlay) = iprof::gl::make_current(None) {
            overlay.destroy();
        }
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_gl(x: c_float, y: c_float, w: c_float, h: c_float, precision: c_int) {
    let precision = precision.max(0) as u32;
    caught((), || match used() {
        None => iprof::draw_gl(x, y, w, h, precision),
        Some(view) => view.with(|view| {
            iprof::gl::with_current(|overlay| overlay.draw_view(view, x, y, w, h, precision));
        }),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_graph_gl(
    x: c_float,
    y: c_float,
    x_spacing: c_float,
    y_spacing: c_float,
) {
    caught((), || match used() {
        None => iprof::draw_graph_gl(x, y, x_spacing, y_spacing),
        Some(view) => view.with(|view| {
            iprof::gl::with_current(|overlay| {
                overlay.draw_view_graph(view, x, y, x_spacing, y_spacing);
            });
        }),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_flame_gl(x: c_float, y: c_float, w: c_float, h: c_float) {
    caught((), || match used() {
        None => iprof::draw_flame_gl(x, y, w, h),
        Some(view) => view.with(|view| {
            iprof::gl::with_current(|overlay| overlay.draw_view_flame(view, x, y, w, h));
        }),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_tooltip_gl() {
    caught((), iprof::draw_tooltip_gl);
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_controls_gl(x: c_float, y: c_float, w: c_float, h: c_float) {
    with_controls((), |controls| controls.draw_gl(x, y, w, h));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_help_gl(x: c_float, y: c_float, w: c_float, h: c_float) {
    with_controls((), |controls| controls.draw_help_gl(x, y, w, h));
}

/// Changes this thread's overlay in OpenGL, and the layout of its renderer, whichever it has.
fn with_overlay(f: impl Fn(&mut Layout) -> Result<(), Error>) -> c_int {
    code_of(|| {
        let in_gl = iprof::gl::with_current(|overlay| f(overlay));
        in_gl.or(with_layout(&f)).unwrap_or_else(|| {
            Err(Error::new(
                NO_OVERLAY,
                "this thread has no overlay; call iprof_gl_init or iprof_drawing_begin on it",
            ))
        })
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_screen(w: c_float, h: c_float) -> c_int {
    with_overlay(|overlay| {
        overlay.set_screen(w, h);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_scale(scale: c_float) -> c_int {
    with_overlay(|overlay| {
        overlay.set_scale(scale);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_text_size(px: c_float) -> c_int {
    with_overlay(|overlay| {
        overlay.set_text_size(px);
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_theme(theme: c_int) -> c_int {
    with_overlay(|overlay| {
        overlay.set_theme(match theme {
            0 => Theme::DARK,
            1 => Theme::LIGHT,
            2 => Theme::COLOR_BLIND,
            _ => return Err(Error(VALUE, format!("there is no theme {theme}"))),
        });
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `bytes` is NULL, or `length` bytes can be read there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_font(bytes: *const c_void, length: usize) -> c_int {
    with_overlay(|overlay| {
        if bytes.is_null() {
            return Err(Error::new(NULL, "the font is NULL"));
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
        overlay
            .set_font(bytes)
            .map_err(|error| Error::new(VALUE, error))
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `row` and `frame` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_hit(
    x: c_float,
    y: c_float,
    row: *mut c_uint,
    frame: *mut u64,
) -> c_int {
    let found = || iprof::hit(x, y).or_else(|| with_layout(|layout| layout.hit(x, y)).flatten());
    caught(0, || match found() {
        Some(Hit::Row(at)) => {
            // SAFETY: the caller's promise.
            if let Some(row) = unsafe { row.as_mut() } {
                *row = at as c_uint;
            }
            1
        }
        Some(Hit::Frame { number, .. }) => {
            // SAFETY: the caller's promise.
            if let Some(frame) = unsafe { frame.as_mut() } {
                *frame = number;
            }
            2
        }
        _ => 0,
    })
}
