//! The overlay and the painter that are current on a thread, and the free functions that draw with it.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on to the painter.

use super::{GlError, Painter};
use crate::gather::IS_ENABLED;
use crate::input::bindings::Bindings;
use crate::overlay::{Frame, Hit, Overlay, PointerEvent};
use crate::program::act;
use std::cell::RefCell;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::ffi::{CStr, c_void};
use std::io::{Write as _, stderr};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// An overlay and its painter.
type Pair = Box<(Overlay, Painter)>;

/// The current overlay of a thread, for the free functions.
struct Current {
    /// Also `None` while it is in use: nested calls find no overlay.
    pair: Option<Pair>,
    /// How often the current overlay was changed.
    changes: u64,
}

thread_local! {
    static CURRENT: RefCell<Current> = const {
        RefCell::new(Current { pair: None, changes: 0 })
    };
}

/// The current overlay while it is in use. Dropping it, also during a panic, puts it back, unless another
/// overlay has been made current meanwhile.
pub(crate) struct InUse {
    pair: Option<Pair>,
    /// [`Current::changes`] when the overlay was taken.
    changes: u64,
}

impl InUse {
    /// `None` if there is no current overlay, if it is already in use, or after the thread's locals are
    /// destroyed.
    pub(crate) fn take() -> Option<InUse> {
        let take = |current: &RefCell<Current>| {
            let mut current = current.borrow_mut();
            let pair = Some(current.pair.take()?);
            let changes = current.changes;
            Some(InUse { pair, changes })
        };
        CURRENT.try_with(take).ok().flatten()
    }

    #[cfg(any(feature = "web-sys-0-3", feature = "winit-0-30"))]
    pub(crate) fn overlay(&mut self) -> Option<&mut Overlay> {
        self.pair.as_deref_mut().map(|(overlay, _)| overlay)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // An overlay that is not put back is dropped by the caller, without a borrow: it holds a value of
        // the host, whose destructor may do anything.
        let _past_the_end = CURRENT.try_with(|current| {
            let mut current = current.borrow_mut();
            if current.changes == self.changes {
                current.pair = self.pair.take();
            }
        });
    }
}

/// Creates an overlay, and its painter in the context of `gl`, and makes both current on this thread, for [`draw_gl`] and the
/// other free functions. The previous ones are dropped.
///
/// ```no_run
/// # fn context() -> glow::Context { unimplemented!() }
/// let gl = std::rc::Rc::new(context());
/// // SAFETY: the context is current on this thread, and stays so.
/// unsafe { iprof::gl::init(gl.clone()) }?;
/// // each frame:
/// iprof::update(true);
/// iprof::draw_gl(20.0, 20.0, 560.0, 400.0, 2);
/// iprof::draw_graph_gl(20.0, 460.0, 2.0, 4.0);
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// # Errors
///
/// As [`Painter::new`].
///
/// # Safety
///
/// As [`Painter::new`]: the context must be current on this thread now and whenever one of the free
/// functions is called on it.
pub unsafe fn init(gl: impl Deref<Target = glow::Context> + 'static) -> Result<(), GlError> {
    // SAFETY: the caller's promise is the same.
    let painter = unsafe { Painter::new(gl) }?;
    make_current(Some((Overlay::new(), painter)));
    Ok(())
}

/// Like [`init`], for a host that has no `glow`, or another version than 0.18.
///
/// # Errors
///
/// As [`Painter::new`].
///
/// # Safety
///
/// As [`Painter::from_loader`], for as long as [`init`] says.
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub unsafe fn init_from_loader(loader: impl FnMut(&CStr) -> *const c_void) -> Result<(), GlError> {
    // SAFETY: the caller's promise is the same.
    let painter = unsafe { Painter::from_loader(loader) }?;
    make_current(Some((Overlay::new(), painter)));
    Ok(())
}

/// Makes an overlay and its painter current for the free functions on this thread, or none; returns the previous ones. A
/// program with several contexts swaps them when it swaps contexts.
///
/// If the previous ones are in use, by [`with_current`] or by a function that made the driver call back
/// into the program, they cannot be returned: they are dropped at the end of that use. In the destructor of a
/// thread-local value, there may be no current overlay any more: then the new ones are dropped.
pub fn make_current(pair: Option<(Overlay, Painter)>) -> Option<(Overlay, Painter)> {
    let pair = pair.map(Box::new);
    let replace = |current: &RefCell<Current>| {
        let mut current = current.borrow_mut();
        current.changes += 1;
        std::mem::replace(&mut current.pair, pair)
    };
    Some(*CURRENT.try_with(replace).ok()??)
}

/// Calls `f` with the overlay that is current on this thread, and its painter; `None` if there is none, or if it is in use.
/// Within `f` there is no current overlay, and [`draw_gl`] and the other free functions do nothing.
///
/// # Panics
///
/// If `f` does. The overlay stays current.
pub fn with_current<R>(f: impl FnOnce(&mut Overlay, &mut Painter) -> R) -> Option<R> {
    let mut in_use = InUse::take()?;
    let (overlay, painter) = in_use.pair.as_deref_mut()?;
    Some(f(overlay, painter))
}

/// Draws a frame with the current overlay. A program that has forgotten `init` sees nothing, and is told why: once,
/// on stderr, in debug builds.
pub(crate) fn draw<R>(add_parts: impl FnOnce(&mut Frame<'_>) -> R) -> Option<R> {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    let drawn = with_current(|overlay, painter| painter.draw(overlay, add_parts));
    if drawn.is_some() || !cfg!(debug_assertions) || !IS_ENABLED {
        return drawn;
    }
    // A host that has set an overlay once knows that there is none now; or the overlay is in use.
    let was_never_set = CURRENT.try_with(|current| current.borrow().changes == 0);
    if was_never_set == Ok(true) && !HAS_WARNED.swap(true, Relaxed) {
        // Errors are ignored; `eprintln` would panic if stderr is closed.
        let _ = stderr().write_all(
            b"iprof: nothing is drawn, since this thread has no overlay; call iprof::gl::init or \
              iprof::gl::init_from_loader once, on this thread, while its GL context is current\n",
        );
    }
    None
}

/// Draws the report of the default view with the overlay that is current on this thread, as a frame with nothing else:
/// [`Frame::draw_default`]. Draws nothing if there is no current overlay; if this thread never had one, a debug build says
/// so once on stderr.
///
/// A debug callback of the driver (`GL_DEBUG_OUTPUT_SYNCHRONOUS`) may call any function of this crate
/// during the draw, as long as it makes no GL call. Functions that use the current overlay do nothing
/// there.
pub fn draw_gl(x: f32, y: f32, w: f32, h: f32, precision: u32) {
    draw(|frame| frame.draw_default(x, y, w, h, precision));
}

/// Draws the flame graph of the default view with the overlay that is current on this thread, if there is one, as a frame
/// with nothing else: [`Frame::draw_default_flame`].
pub fn draw_flame_gl(x: f32, y: f32, w: f32, h: f32) {
    draw(|frame| frame.draw_default_flame(x, y, w, h));
}

/// Draws the graph of the default view with the overlay that is current on this thread, if there is one, as a frame with
/// nothing else: [`Frame::draw_default_graph`].
pub fn draw_graph_gl(x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
    draw(|frame| frame.draw_default_graph(x, y, x_spacing, y_spacing));
}

/// [`Overlay::set_screen`](crate::overlay::Overlay::set_screen) of the overlay that is current on this thread.
pub fn set_screen(w: f32, h: f32) {
    with_current(|overlay, _| overlay.set_screen(w, h));
}

/// Draws the tooltip of the row or frame under the pointer with the overlay that is current on this thread, if there is one,
/// as a frame with nothing else: [`Frame::draw_tooltip`]. Call it last, so that the tooltip lies over all else.
pub fn draw_tooltip_gl() {
    with_current(|overlay, painter| {
        if overlay.has_tooltip() {
            painter.draw(overlay, |frame| frame.draw_tooltip());
        }
    });
}

/// Draws a page of the help with the overlay that is current on this thread, as a frame with nothing else:
/// [`Frame::draw_help`]. Draws nothing, and returns 1, if there is no current overlay.
///
/// ```no_run
/// let controls = iprof::Controls::new();
/// iprof::draw_help_gl(&controls.bindings, 1, 20.0, 20.0, 560.0, 400.0);
/// ```
#[allow(
    clippy::must_use_candidate,
    reason = "a host may show the first page alone"
)]
pub fn draw_help_gl(bindings: &Bindings, page: usize, x: f32, y: f32, w: f32, h: f32) -> usize {
    draw(|frame| frame.draw_help(bindings, page, x, y, w, h)).unwrap_or(1)
}

/// [`Overlay::pointer`](crate::overlay::Overlay::pointer) of the overlay that is current on this thread; performs the action on the default
/// view. Returns whether the overlay used the event; false without an overlay.
///
/// ```no_run
/// use iprof::overlay::PointerEvent;
///
/// // when the mouse has moved:
/// let taken = iprof::pointer(PointerEvent::Moved { x: 100.0, y: 80.0 });
/// if !taken {
///     // The event is for the camera.
/// }
/// ```
#[allow(clippy::must_use_candidate, reason = "most hosts need not know")]
pub fn pointer(event: PointerEvent) -> bool {
    let response = with_current(|overlay, _| overlay.pointer(event)).unwrap_or_default();
    if let Some(action) = response.action {
        act(action);
    }
    response.consumed
}

/// [`Overlay::hit`](crate::overlay::Overlay::hit) of the overlay that is current on this thread.
#[must_use]
pub fn hit(x: f32, y: f32) -> Option<Hit> {
    with_current(|overlay, _| overlay.hit(x, y)).flatten()
}
