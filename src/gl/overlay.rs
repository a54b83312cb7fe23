//! The overlay in the host's GL context.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on to the painter.

use super::gpu_zones::{SharedContext, WithGpuZones};
use super::painter::Painter;
use super::state;
use super::{AttributeCalls, GlError, HostState, StateMode};
use crate::gpu::context;
use crate::overlay::{self, DRAW, Frame};
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::ffi::{CStr, c_void};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Draws the report and the graph in the host's GL context, and restores all GL state that it changes.
///
/// It draws into the bound framebuffer, through the current viewport. The origin is the top left corner of
/// the viewport, y points down, and the unit is a pixel, unless [`set_screen`](overlay::Overlay::set_screen) or
/// [`set_scale`](overlay::Overlay::set_scale) changes it. It derefs to its [`overlay::Overlay`], which has what concerns no renderer:
/// units, font, theme, pointer and touch.
///
/// Needs OpenGL 2.1, OpenGL ES 2.0 or WebGL 2, or later. In contexts without vertex array objects, which
/// are an extension before OpenGL 3.0 and OpenGL ES 3.0, create it by
/// [`from_loader`](Overlay::from_loader). An overlay belongs to one context, or to several that share
/// objects except vertex arrays: to be safe, create one for each.
///
/// # The host's state
///
/// The overlay neither adds errors to the context's error queue nor removes any. An active transform
/// feedback is paused and resumed, which requires OpenGL 4.0, OpenGL ES 3.0 or `ARB_transform_feedback2`:
/// without these, end it before a draw. If a draw would do harm, nothing is drawn. This is the case if
///
/// * the framebuffer is incomplete, or its colors are integers. Of several draw buffers, the first whose
///   colors are not integers is painted; in OpenGL ES and WebGL it is the first of all or none;
/// * the program in use has been deleted, or its last link has failed: such a program lives only as long as
///   it is in use.
///
/// The overlay's drawing is subject to conditional rendering and counted by active queries, like the host's
/// own. In OpenGL ES without `EXT_sRGB_write_control`, colors on an sRGB framebuffer are brighter. The
/// host's selected subroutines (OpenGL 4.0) are lost, as with any change of the program. State of these
/// older extensions is not preserved: `EXT_draw_buffers2` before OpenGL 3.0, `EXT_draw_buffers` in OpenGL
/// ES 2.0, `OES_draw_buffers_indexed` before OpenGL ES 3.2, integer attributes of `EXT_gpu_shader4`.
/// `glPixelTransfer` and `glPixelMap` are not preserved either, and multiple views (`OVR_multiview`) are
/// not supported.
///
/// [`set_state_mode`](Overlay::set_state_mode) avoids the queries that this takes.
///
/// In a browser, only the viewport is queried, and the state after a draw is that of a new context, or as
/// declared: see [`StateMode`].
///
/// ```no_run
/// # fn context() -> glow::Context { unimplemented!() }
/// # fn mouse() -> (f32, f32) { (0.0, 0.0) }
/// use iprof::{gl::Overlay, overlay::Hit};
///
/// // SAFETY: the context is current on this thread, and stays so.
/// let mut overlay = unsafe { Overlay::new(std::rc::Rc::new(context())) }?;
/// overlay.set_screen(640.0, 480.0);
/// // each frame:
/// overlay.draw(|frame| {
///     frame.draw_default(10.0, 10.0, 400.0, 300.0, 2);
///     frame.draw_default_graph(10.0, 320.0, 1.0, 3.0);
/// });
/// // on a click:
/// let (x, y) = mouse();
/// match overlay.hit(x, y) {
///     Some(Hit::Row(row)) => iprof::set_cursor(row),
///     Some(Hit::Frame { number, .. }) => {
///         iprof::act(iprof::Action::SetFrames(iprof::FrameSelection::Number(number)));
///     }
///     _ => {}
/// }
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// Dropping an overlay makes no GL call, since its context may no longer exist or may not be current. Its
/// few GL objects are left to the context; [`destroy`](Overlay::destroy) deletes them. When a context is
/// lost, drop its overlay and create one in the new context.
pub struct Overlay {
    overlay: overlay::Overlay,
    gl: WithGpuZones,
    painter: Painter,
    mode: StateMode,
    /// Whether the viewport is queried in any mode.
    asks_viewport: bool,
}

/// Whether the context belongs to a web page: `glow` cannot query what is bound there.
const IS_IN_BROWSER: bool = cfg!(all(target_arch = "wasm32", not(target_os = "emscripten")));

/// The mode of a new overlay, and whether it queries the viewport all the same.
fn default_mode() -> (StateMode, bool) {
    match IS_IN_BROWSER {
        false => (StateMode::Restore, false),
        true => (StateMode::Declared(HostState::new([0; 4])), true),
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay")
            .field("overlay", &self.overlay)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

impl Deref for Overlay {
    type Target = overlay::Overlay;

    fn deref(&self) -> &overlay::Overlay {
        &self.overlay
    }
}

impl DerefMut for Overlay {
    fn deref_mut(&mut self) -> &mut overlay::Overlay {
        &mut self.overlay
    }
}

impl Overlay {
    /// Creates an overlay for the context of `gl`: an `Rc`, an `Arc` or a `Box` of a context of
    /// `glow` 0.18, or a reference to a static one. A host with another version of `glow` calls
    /// [`from_loader`](Overlay::from_loader).
    ///
    /// # Errors
    ///
    /// If the context is too old, has no vertex array objects, or is lost, or if the driver rejects the
    /// shaders or the objects.
    ///
    /// # Safety
    ///
    /// `gl` derefs to the same context each time, as `Rc`, `Arc`, `Box` and references do. The context
    /// must be current on the calling thread
    ///
    /// * now, and whenever a method of the overlay is called, or a free function of this crate that
    ///   uses it as the [current](super::make_current) one;
    /// * as long as the overlay lives, where a [`gpu_zone!`](crate::gpu_zone!) of this `gl` begins and
    ///   ends, and where [`collect_gpu_times`](super::collect_gpu_times) is called with it;
    /// * and so where a zone of [`enter_gpu_zone`](super::enter_gpu_zone) is entered that finds the overlay current,
    ///   and where it is closed.
    ///
    /// No debug callback that the host has set makes a GL call, or unwinds out of itself: those of `glow`
    /// do not.
    ///
    /// Dropping the overlay needs no context.
    pub unsafe fn new(
        gl: impl Deref<Target = glow::Context> + 'static,
    ) -> Result<Overlay, GlError> {
        // SAFETY: the context is current (contract).
        unsafe { Overlay::with_calls(Rc::new(gl), None) }
    }

    /// Creates an overlay for a host without `glow`: `loader` returns the address of a GL function by its
    /// name, or null, as `eglGetProcAddress`, `SDL_GL_GetProcAddress` and the like do.
    ///
    /// # Errors
    ///
    /// As [`new`](Overlay::new), except that vertex array objects are not needed; and if the loader finds
    /// no GL.
    ///
    /// # Safety
    ///
    /// As [`new`](Overlay::new); and what `loader` returns must be null or the GL function of that
    /// name.
    #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
    pub unsafe fn from_loader(
        mut loader: impl FnMut(&CStr) -> *const c_void,
    ) -> Result<Overlay, GlError> {
        // SAFETY: the loader returns GL functions, and the context is current (contract).
        unsafe {
            if !has_version(&mut loader) {
                return Err(GlError::NoContext);
            }
            let calls = AttributeCalls::load(&mut loader);
            let gl = Box::new(glow::Context::from_loader_function_cstr(loader));
            Overlay::with_calls(Rc::new(gl), calls)
        }
    }

    /// # Safety
    ///
    /// As [`new`](Overlay::new); `calls` were loaded for the context.
    unsafe fn with_calls(
        gl: SharedContext,
        calls: Option<AttributeCalls>,
    ) -> Result<Overlay, GlError> {
        // SAFETY: the context is current (contract), also where its zones are.
        let (painter, gl) = unsafe { (Painter::new(&gl, calls)?, WithGpuZones::new(gl)) };
        let (mode, asks_viewport) = default_mode();
        Ok(Overlay {
            overlay: overlay::Overlay::new(),
            gl,
            painter,
            mode,
            asks_viewport,
        })
    }

    /// The context, for GPU zones.
    pub(super) fn context(&self) -> SharedContext {
        self.gl.shared().clone()
    }

    /// Deletes the overlay's GL objects, and the queries of this context's GPU zones on this thread. Times
    /// that are not known yet are discarded.
    ///
    /// The context must be current, as for every method.
    pub fn destroy(mut self) {
        context::delete_queries(self.gl.shared());
        // SAFETY: the context is current (contract of `new`); the overlay is not used any more.
        unsafe { self.painter.destroy(self.gl.shared()) }
    }

    /// Draws a frame: calls `add_parts`, which adds the parts from the lowest to the uppermost, and paints them all at once.
    /// The host's state is saved once, and restored once.
    ///
    /// The cost of painting appears as the zone `iprof_draw`, with the GPU's time where the host's state is
    /// [restored](StateMode::Restore).
    ///
    /// ```no_run
    /// # fn overlay() -> iprof::gl::Overlay { unimplemented!() }
    /// # let (mut overlay, view) = (overlay(), iprof::View::new());
    /// overlay.draw(|frame| {
    ///     frame.draw_view(&view, 20.0, 20.0, 560.0, 400.0, 2);
    ///     frame.draw_view_graph(&view, 20.0, 460.0, 2.0, 4.0);
    ///     frame.draw_tooltip();
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// If `add_parts` does. Then nothing is painted.
    pub fn draw<R>(&mut self, add_parts: impl FnOnce(&mut Frame<'_>) -> R) -> R {
        let viewport = match &self.mode {
            StateMode::Declared(host) if !self.asks_viewport => host.viewport,
            // SAFETY: the context is current (contract of `new`).
            _ => unsafe { state::viewport(self.gl.shared()) },
        };
        let size = [viewport[2] as f32, viewport[3] as f32];
        let result = add_parts(&mut self.overlay.begin(size));
        // No lock is held here: a debug callback of the driver may call any function of this crate.
        self.paint(viewport);
        result
    }

    /// Paints what was added to the frame.
    fn paint(&mut self, viewport: [i32; 4]) {
        let (gl, data) = (self.gl.shared(), self.overlay.draw_data());
        if data.is_empty() {
            return;
        }
        match &self.mode {
            StateMode::Restore => {
                crate::gpu_zone!(gl, &DRAW);
                // SAFETY: the context is current (contract of `new`), here and below.
                unsafe { self.painter.paint(gl, data, viewport, None) }
            }
            // A query of the GPU's time would be one of the queries that this mode avoids.
            StateMode::Declared(host) => {
                crate::zone!(&DRAW);
                // SAFETY: as above.
                unsafe { self.painter.paint(gl, data, viewport, Some(host)) }
            }
        }
    }

    /// Sets how the overlay treats the host's GL state: it queries and restores it, which is the default,
    /// or it queries nothing and leaves what the host declares. In a browser the default is to leave the
    /// state of a new context, and so does [`StateMode::Restore`] there: see [`StateMode`].
    pub fn set_state_mode(&mut self, mode: StateMode) {
        (self.mode, self.asks_viewport) = match mode {
            StateMode::Restore => default_mode(),
            StateMode::Declared(_) => (mode, false),
        };
    }
}

/// Whether a context is current that reports its version: `glow` panics otherwise.
///
/// # Safety
///
/// What `loader` returns is null or the GL function of that name.
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
unsafe fn has_version(loader: &mut impl FnMut(&CStr) -> *const c_void) -> bool {
    let address = loader(c"glGetString");
    if address.is_null() {
        return false;
    }
    // SAFETY: the type is that of the GL registry; the context is current, or the string null.
    unsafe {
        let get_string: unsafe extern "system" fn(u32) -> *const u8 = std::mem::transmute(address);
        !get_string(glow::VERSION).is_null()
    }
}
