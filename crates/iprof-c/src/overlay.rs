//! The overlay, drawn in the host's OpenGL context or returned as vertices for the host's own renderer.

use crate::actions::with_controls;
use crate::{Error, ErrorCode, GL, NO_OVERLAY, NULL, VALUE, catch_panic, code_of, text};
use iprof::overlay::{DrawData, Frame, Overlay, Theme, Vertex};
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The header's `iprof_gl_loader`.
pub type CLoader = Option<unsafe extern "C" fn(name: *const c_char) -> *mut c_void>;

/// See `iprof.h`.
///
/// # Safety
///
/// `loader` is NULL or returns the functions of the context that is current on this thread. The context is also current
/// in every later call to a drawing function on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_gl_init(loader: CLoader) -> ErrorCode {
    code_of(|| {
        let loader = loader.ok_or_else(|| Error::new(NULL, "the loader function is NULL"))?;
        // SAFETY: the caller guarantees this for the loader and the context.
        unsafe { iprof::gl::init_from_loader(|name| loader(name.as_ptr()).cast_const()) }
            .map_err(|error| Error::new(GL, error))
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_gl_destroy() {
    catch_panic((), || {
        if let Some((_, painter)) = iprof::gl::make_current(None) {
            painter.destroy();
        }
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_gl(x: f32, y: f32, w: f32, h: f32, precision: c_int) {
    catch_panic((), || iprof::draw_gl(x, y, w, h, precision.max(0) as u32));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_graph_gl(x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
    catch_panic((), || iprof::draw_graph_gl(x, y, x_spacing, y_spacing));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_controls_gl(x: f32, y: f32, w: f32, h: f32) {
    with_controls((), |controls| controls.draw_gl(x, y, w, h));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_help_gl(x: f32, y: f32, w: f32, h: f32) {
    with_controls((), |controls| controls.draw_help_gl(x, y, w, h));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_tooltip_gl() {
    catch_panic((), iprof::draw_tooltip_gl);
}

thread_local! {
    /// The overlay for the host's own renderer on this thread.
    static OVERLAY: RefCell<Option<Box<Overlay>>> = const { RefCell::new(None) };
}

/// Calls `f` with this thread's overlay. Returns `None` if the thread has no overlay, if called from within `f`, or if
/// the thread-local has been destroyed.
pub(crate) fn with_own_overlay<R>(f: impl FnOnce(&mut Overlay) -> R) -> Option<R> {
    let with = |overlay: &RefCell<Option<Box<Overlay>>>| {
        let mut overlay = overlay.try_borrow_mut().ok()?;
        overlay.as_deref_mut().map(f)
    };
    OVERLAY.try_with(with).ok().flatten()
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_drawing_begin(w: f32, h: f32) -> ErrorCode {
    code_of(|| {
        if ![w, h].iter().all(|px| px.is_finite() && *px >= 1.0) {
            return Err(Error(
                VALUE,
                format!("invalid target size: {w} by {h} pixels"),
            ));
        }
        let _fails_at_thread_end = OVERLAY.try_with(|overlay| {
            let mut overlay = overlay.try_borrow_mut().ok()?;
            let overlay = overlay.get_or_insert_with(Box::default);
            _ = overlay.begin([w, h]);
            Some(())
        });
        Ok(())
    })
}

/// Adds parts to the current drawing.
fn add(f: impl FnOnce(&mut Frame<'_>)) {
    catch_panic((), || {
        with_own_overlay(|overlay| f(&mut overlay.current_frame()));
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_report(x: f32, y: f32, w: f32, h: f32, precision: c_int) {
    add(|frame| frame.draw_default(x, y, w, h, precision.max(0) as u32));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_graph(x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
    add(|frame| frame.draw_default_graph(x, y, x_spacing, y_spacing));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_controls(x: f32, y: f32, w: f32, h: f32) {
    add(|frame| with_controls((), |controls| controls.draw(frame, x, y, w, h)));
}

/// The header's `iprof_drawing`.
#[derive(Debug)]
#[repr(C)]
pub struct CDrawing {
    vertices: *const Vertex,
    vertex_count: usize,
    atlas_version: u64,
    atlas_width: c_uint,
    atlas_height: c_uint,
    x: c_uint,
    y: c_uint,
    width: c_uint,
    height: c_uint,
    pixels: *const u8,
}

/// See `iprof.h`.
///
/// # Safety
///
/// `drawing` is NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_drawing_data(version: u64, drawing: *mut CDrawing) -> ErrorCode {
    code_of(|| {
        if drawing.is_null() {
            return Err(Error::new(NULL, "the drawing is NULL"));
        }
        let data = with_own_overlay(|overlay| {
            let data = overlay.draw_data();
            let changed = data.atlas_changes(version);
            let [atlas_width, atlas_height] = DrawData::ATLAS_SIZE;
            let part = changed.map_or([0; 4], |part| [part.x, part.y, part.width, part.height]);
            CDrawing {
                vertices: data.vertices().as_ptr(),
                vertex_count: data.vertices().len(),
                atlas_version: data.atlas_version(),
                atlas_width,
                atlas_height,
                x: part[0],
                y: part[1],
                width: part[2],
                height: part[3],
                pixels: changed.map_or(std::ptr::null(), |part| part.pixels.as_ptr()),
            }
        });
        // SAFETY: the caller guarantees this.
        unsafe { drawing.write(data.ok_or_else(no_overlay)?) };
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_drawing_destroy() {
    catch_panic((), || {
        let overlay = OVERLAY.try_with(|overlay| overlay.try_borrow_mut().ok()?.take());
        drop(overlay);
    });
}

fn no_overlay() -> Error {
    let message = "this thread has no overlay; call iprof_gl_init or iprof_drawing_begin on it";
    Error::new(NO_OVERLAY, message)
}

/// Changes this thread's OpenGL overlay and the overlay for the host's own renderer, whichever exist.
fn with_overlay(f: impl Fn(&mut Overlay) -> Result<(), Error>) -> ErrorCode {
    code_of(|| {
        let in_gl = iprof::gl::with_current(|overlay, _| f(overlay));
        in_gl
            .or(with_own_overlay(&f))
            .unwrap_or_else(|| Err(no_overlay()))
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_set_scale(scale: f32) -> ErrorCode {
    with_overlay(|overlay| {
        overlay.set_scale(scale);
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `name` is NULL or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_theme(name: *const c_char) -> ErrorCode {
    with_overlay(|overlay| {
        // SAFETY: the caller guarantees this.
        let name = unsafe { text(name, "name of the theme") }?;
        overlay.set_theme(match &*name {
            "dark" => Theme::DARK,
            "light" => Theme::LIGHT,
            "color-blind" => Theme::COLOR_BLIND,
            _ => {
                return Err(Error(
                    VALUE,
                    format!("unknown theme \"{name}\"; expected dark, light or color-blind"),
                ));
            }
        });
        Ok(())
    })
}

/// See `iprof.h`.
///
/// # Safety
///
/// `bytes` is NULL, or `length` bytes can be read from it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn iprof_set_font(bytes: *const c_void, length: usize) -> ErrorCode {
    with_overlay(|overlay| {
        if bytes.is_null() {
            return Err(Error::new(NULL, "the font is NULL"));
        }
        // SAFETY: the caller guarantees this.
        let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
        overlay
            .set_font(bytes)
            .map_err(|error| Error::new(VALUE, error))
    })
}
