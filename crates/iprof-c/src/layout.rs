//! The overlay as vertices, for a renderer of the host's: this thread's layout.

use crate::border::{Error, NULL, VALUE, caught, code_of};
use crate::controls::with_controls;
use crate::views::used;
use iprof::overlay::{Drawing, Layout, Vertex};
use std::cell::RefCell;
use std::ffi::{c_float, c_int, c_uint};

thread_local! {
    static LAYOUT: RefCell<Option<Box<Layout>>> = const { RefCell::new(None) };
}

/// Calls `f` with this thread's layout; `None` without one, in a call from within `f`, and past the thread's end.
pub(crate) fn with_layout<R>(f: impl FnOnce(&mut Layout) -> R) -> Option<R> {
    let with = |layout: &RefCell<Option<Box<Layout>>>| {
        let mut layout = layout.try_borrow_mut().ok()?;
        layout.as_deref_mut().map(f)
    };
    LAYOUT.try_with(with).ok().flatten()
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_drawing_begin(w: c_float, h: c_float) -> c_int {
    code_of(|| {
        let is_valid = [w, h].iter().all(|px| px.is_finite() && *px >= 1.0);
        if !is_valid {
            return Err(Error(VALUE, format!("a target of {w} by {h} pixels")));
        }
        let _past_the_end = LAYOUT.try_with(|layout| {
            let mut layout = layout.try_borrow_mut().ok()?;
            let layout = layout.get_or_insert_with(Box::default);
            _ = layout.begin([w, h]);
            Some(())
        });
        Ok(())
    })
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_drawing_destroy() {
    caught((), || {
        let layout = LAYOUT.try_with(|layout| layout.try_borrow_mut().ok()?.take());
        drop(layout);
    });
}

/// Adds to the drawing that was begun.
fn add(f: impl FnOnce(&mut Drawing<'_>)) {
    caught((), || {
        with_layout(|layout| f(&mut layout.go_on()));
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_report(
    x: c_float,
    y: c_float,
    w: c_float,
    h: c_float,
    precision: c_int,
) {
    let precision = precision.max(0) as u32;
    add(|drawing| match used() {
        None => drawing.draw_default(x, y, w, h, precision),
        Some(view) => view.with(|view| drawing.draw_view(view, x, y, w, h, precision)),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_graph(x: c_float, y: c_float, x_spacing: c_float, y_spacing: c_float) {
    add(|drawing| match used() {
        None => drawing.draw_default_graph(x, y, x_spacing, y_spacing),
        Some(view) => view.with(|view| drawing.draw_view_graph(view, x, y, x_spacing, y_spacing)),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_flame(x: c_float, y: c_float, w: c_float, h: c_float) {
    add(|drawing| match used() {
        None => drawing.draw_default_flame(x, y, w, h),
        Some(view) => view.with(|view| drawing.draw_view_flame(view, x, y, w, h)),
    });
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_tooltip() {
    add(|drawing| drawing.draw_tooltip());
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_controls(x: c_float, y: c_float, w: c_float, h: c_float) {
    add(|drawing| with_controls((), |controls| controls.draw(drawing, x, y, w, h)));
}

/// See `iprof.h`.
#[unsafe(no_mangle)]
pub extern "C" fn iprof_draw_help(x: c_float, y: c_float, w: c_float, h: c_float) {
    add(|drawing| with_controls((), |controls| controls.draw_help(drawing, x, y, w, h)));
}

/// The `iprof_drawing` of the header.
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
pub unsafe extern "C" fn iprof_drawing_data(version: u64, drawing: *mut CDrawing) -> c_int {
    code_of(|| {
        if drawing.is_null() {
            return Err(Error::new(NULL, "the drawing is NULL"));
        }
        let data = with_layout(|layout| {
            let data = layout.draw_data();
            let atlas = data.atlas();
            let changed = atlas.changed_since(version);
            let [atlas_width, atlas_height] = atlas.size();
            let part = changed.map_or([0; 4], |part| [part.x, part.y, part.width, part.height]);
            CDrawing {
                vertices: data.vertices().as_ptr(),
                vertex_count: data.vertices().len(),
                atlas_version: atlas.version(),
                atlas_width,
                atlas_height,
                x: part[0],
                y: part[1],
                width: part[2],
                height: part[3],
                pixels: changed.map_or(std::ptr::null(), |part| part.pixels.as_ptr()),
            }
        });
        let data = data.ok_or_else(|| {
            Error::new(
                crate::border::NO_OVERLAY,
                "nothing was drawn on this thread; call iprof_drawing_begin on it",
            )
        })?;
        // SAFETY: the caller's promise.
        unsafe { drawing.write(data) };
        Ok(())
    })
}
