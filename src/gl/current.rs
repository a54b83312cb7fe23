//! Keeps one overlay and its painter current on each thread, for the free functions that draw with them.

#![allow(unsafe_code)] // The painter relies on the host's promise about its GL context.

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

type Pair = Box<(Overlay, Painter)>;

/// A thread's current overlay, used by the free functions.
struct Current {
    /// The overlay and its painter. This is also `None` while the overlay is in use, so nested calls find no overlay.
    pair: Option<Pair>,
    /// The number of calls to [`make_current`].
    changes: u64,
}

thread_local! {
    static CURRENT: RefCell<Current> = const {
        RefCell::new(Current { pair: None, changes: 0 })
    };
}

/// The current overlay while it is in use. Dropping this, even in a panic, puts the overlay back unless a different
/// overlay has been made current in the meantime.
pub(crate) struct InUse {
    pair: Option<Pair>,
    /// The value of [`Current::changes`] when the overlay was taken.
    changes: u64,
}

impl InUse {
    /// Takes the current overlay. Returns `None` if there is none, if it is already in use, or if the thread's locals
    /// have been destroyed.
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
        // If the overlay is not put back, it is dropped after the borrow has ended: it owns a host value, whose
        // destructor may do anything.
        let _fails_at_thread_end = CURRENT.try_with(|current| {
            let mut current = current.borrow_mut();
            if current.changes == self.changes {
                current.pair = self.pair.take();
            }
        });
    }
}

/// Creates an overlay and its painter for the context `gl`, and makes both current on this thread. [`draw_gl`] and the
/// other free functions then use them. The previous overlay and painter are dropped.
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
/// Returns the same errors as [`Painter::new`].
///
/// # Safety
///
/// The rules of [`Painter::new`] apply: the context must be current on this thread now, and whenever one of the free
/// functions is called on this thread.
pub unsafe fn init(gl: impl Deref<Target = glow::Context> + 'static) -> Result<(), GlError> {
    // SAFETY: this function has the same contract.
    let painter = unsafe { Painter::new(gl) }?;
    make_current(Some((Overlay::new(), painter)));
    Ok(())
}

/// Works like [`init`], for hosts that do not use `glow`, or use a version other than 0.18.
///
/// # Errors
///
/// Returns the same errors as [`Painter::from_loader`].
///
/// # Safety
///
/// The rules of [`Painter::from_loader`] apply. The context must be current at the times listed for [`init`].
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub unsafe fn init_from_loader(loader: impl FnMut(&CStr) -> *const c_void) -> Result<(), GlError> {
    // SAFETY: this function has the same contract.
    let painter = unsafe { Painter::from_loader(loader) }?;
    make_current(Some((Overlay::new(), painter)));
    Ok(())
}

/// Makes an overlay and its painter current for the free functions on this thread, and returns the previous ones.
/// `None` leaves the thread without an overlay.
///
/// A program with several contexts calls this when it switches contexts.
///
/// The previous overlay and painter cannot be returned while they are in use, by [`with_current`] or because the driver
/// called back into the program. In that case, they are dropped when that use ends. If `make_current` is called from a
/// thread-local value's destructor, the new overlay and painter may be dropped immediately.
pub fn make_current(pair: Option<(Overlay, Painter)>) -> Option<(Overlay, Painter)> {
    let pair = pair.map(Box::new);
    let replace = |current: &RefCell<Current>| {
        let mut current = current.borrow_mut();
        current.changes += 1;
        std::mem::replace(&mut current.pair, pair)
    };
    Some(*CURRENT.try_with(replace).ok()??)
}

/// Calls `f` with this thread's current overlay and its painter. Returns `None` if there is no overlay or it is in use.
///
/// There is no current overlay while `f` runs, so [`draw_gl`] and the other free functions do nothing.
///
/// # Panics
///
/// Panics if `f` panics. The overlay stays current.
pub fn with_current<R>(f: impl FnOnce(&mut Overlay, &mut Painter) -> R) -> Option<R> {
    let mut in_use = InUse::take()?;
    let (overlay, painter) = in_use.pair.as_deref_mut()?;
    Some(f(overlay, painter))
}

/// Draws a frame with the current overlay. If the host forgot to call `init`, debug builds print one warning on stderr.
pub(crate) fn draw<R>(add_parts: impl FnOnce(&mut Frame<'_>) -> R) -> Option<R> {
    static HAS_WARNED: AtomicBool = AtomicBool::new(false);
    let drawn = with_current(|overlay, painter| painter.draw(overlay, add_parts));
    if drawn.is_some() || !cfg!(debug_assertions) || !IS_ENABLED {
        return drawn;
    }
    // If an overlay was ever made current, the host either removed the overlay on purpose or is using it right now.
    let was_never_set = CURRENT.try_with(|current| current.borrow().changes == 0);
    if was_never_set == Ok(true) && !HAS_WARNED.swap(true, Relaxed) {
        // A failed write is ignored. `eprintln` would panic if stderr were closed.
        let _ = stderr().write_all(
            b"iprof: nothing is drawn because this thread has no overlay; call iprof::gl::init or \
              iprof::gl::init_from_loader once, on this thread, while its GL context is current\n",
        );
    }
    None
}

/// Draws only the default view's report, as a separate frame, with this thread's current overlay. See
/// [`Frame::draw_default`].
///
/// Draws nothing if there is no current overlay. If this thread never had one, debug builds print one warning on
/// stderr.
///
/// While this function draws, a driver's debug callback (`GL_DEBUG_OUTPUT_SYNCHRONOUS`) may call any function in this
/// crate, as long as the callback makes no GL calls. Functions that use the current overlay do nothing in such a
/// callback.
pub fn draw_gl(x: f32, y: f32, w: f32, h: f32, precision: u32) {
    draw(|frame| frame.draw_default(x, y, w, h, precision));
}

/// Draws only the default view's flame graph, as a separate frame, with this thread's current overlay, if any. See
/// [`Frame::draw_default_flame`].
pub fn draw_flame_gl(x: f32, y: f32, w: f32, h: f32) {
    draw(|frame| frame.draw_default_flame(x, y, w, h));
}

/// Draws only the default view's graph, as a separate frame, with this thread's current overlay, if any. See
/// [`Frame::draw_default_graph`].
pub fn draw_graph_gl(x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
    draw(|frame| frame.draw_default_graph(x, y, x_spacing, y_spacing));
}

/// Calls [`Overlay::set_screen`](crate::overlay::Overlay::set_screen) on this thread's current overlay, if any.
pub fn set_screen(w: f32, h: f32) {
    with_current(|overlay, _| overlay.set_screen(w, h));
}

/// Draws only the tooltip for the row or frame under the pointer, as a separate frame. See [`Frame::draw_tooltip`].
///
/// Does nothing without a current overlay. Call it last, so that the tooltip covers everything else.
pub fn draw_tooltip_gl() {
    with_current(|overlay, painter| {
        if overlay.has_tooltip() {
            painter.draw(overlay, |frame| frame.draw_tooltip());
        }
    });
}

/// Draws only a help page, as a separate frame, with this thread's current overlay. See [`Frame::draw_help`]. Without a
/// current overlay, draws nothing and returns 1.
///
/// ```no_run
/// let controls = iprof::Controls::new();
/// iprof::draw_help_gl(&controls.bindings, 1, 20.0, 20.0, 560.0, 400.0);
/// ```
#[allow(
    clippy::must_use_candidate,
    reason = "a host may show only the first page"
)]
pub fn draw_help_gl(bindings: &Bindings, page: usize, x: f32, y: f32, w: f32, h: f32) -> usize {
    draw(|frame| frame.draw_help(bindings, page, x, y, w, h)).unwrap_or(1)
}

/// Passes a pointer event to this thread's current overlay and performs the resulting action on the default view. See
/// [`Overlay::pointer`](crate::overlay::Overlay::pointer).
///
/// Returns whether the overlay used the event. Returns false if there is no overlay.
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
#[allow(clippy::must_use_candidate, reason = "most hosts ignore the result")]
pub fn pointer(event: PointerEvent) -> bool {
    let response = with_current(|overlay, _| overlay.pointer(event)).unwrap_or_default();
    if let Some(action) = response.action {
        act(action);
    }
    response.consumed
}

/// Returns what this thread's current overlay drew at this position. See
/// [`Overlay::hit`](crate::overlay::Overlay::hit).
#[must_use]
pub fn hit(x: f32, y: f32) -> Option<Hit> {
    with_current(|overlay, _| overlay.hit(x, y)).flatten()
}
