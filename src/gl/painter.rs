//! The painter: draws an overlay's frames in the host's GL context. A host may declare its GL state, so that the painter need
//! not query it.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on to the GL objects.

use super::GlError;
use super::gpu_zones::{SharedContext, WithGpuZones};
use super::objects::Objects;
use super::state;
use super::state::AttributeCalls;
use super::state::host_state::HostState;
use crate::gl::gpu_context as context;
use crate::overlay::{DRAW, DrawData, Frame, Overlay};
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::ffi::{CStr, c_void};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// Paints the frames of an [`Overlay`] in the host's GL context, and restores all GL state that it changes.
///
/// It draws into the bound framebuffer, through the current viewport, with one draw call for each frame. It holds a copy of one
/// overlay's glyph atlas, so each overlay needs a painter of its own.
///
/// Needs OpenGL 2.1, OpenGL ES 2.0 or WebGL 2, or later. In contexts without vertex array objects, which
/// are an extension before OpenGL 3.0 and OpenGL ES 3.0, create it by
/// [`from_loader`](Painter::from_loader). A painter belongs to one context, or to several that share
/// objects except vertex arrays: to be safe, create one for each.
///
/// # The host's state
///
/// The painter neither adds errors to the context's error queue nor removes any. An active transform
/// feedback is paused and resumed, which requires OpenGL 4.0, OpenGL ES 3.0 or `ARB_transform_feedback2`:
/// without these, end it before a frame is painted. If that would do harm, nothing is drawn. This is the case if
///
/// * the framebuffer is incomplete, or its colors are integers. Of several draw buffers, the first whose
///   colors are not integers is painted; in OpenGL ES and WebGL it is the first of all or none;
/// * the program in use has been deleted, or its last link has failed: such a program lives only as long as
///   it is in use.
///
/// What it draws is subject to conditional rendering and counted by active queries, like what
/// the host draws. In OpenGL ES without `EXT_sRGB_write_control`, colors on an sRGB framebuffer are brighter. The
/// host's selected subroutines (OpenGL 4.0) are lost, as with any change of the program. State of these
/// older extensions is not preserved: `EXT_draw_buffers2` before OpenGL 3.0, `EXT_draw_buffers` in OpenGL
/// ES 2.0, `OES_draw_buffers_indexed` before OpenGL ES 3.2, integer attributes of `EXT_gpu_shader4`.
/// `glPixelTransfer` and `glPixelMap` are not preserved either, and multiple views (`OVR_multiview`) are
/// not supported.
///
/// [`set_host_state`](Painter::set_host_state) avoids the queries that this takes.
///
/// ```no_run
/// # fn context() -> glow::Context { unimplemented!() }
/// # let (width, height) = (1280.0, 720.0);
/// use iprof::{gl::Painter, overlay::Overlay};
///
/// let mut overlay = Overlay::new();
/// // SAFETY: the context is current on this thread, and stays so.
/// let mut painter = unsafe { Painter::new(std::rc::Rc::new(context())) }?;
/// // each frame:
/// let mut frame = overlay.begin([width, height]);
/// frame.draw_default(10.0, 10.0, 400.0, 300.0, 2);
/// frame.draw_default_graph(10.0, 320.0, 1.0, 3.0);
/// painter.paint(overlay.draw_data());
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// Dropping a painter makes no GL call, since its context may no longer exist or may not be current. Its
/// few GL objects are left to the context; [`destroy`](Painter::destroy) deletes them. When a context is
/// lost, drop its painter and create one in the new context.
pub struct Painter {
    gl: WithGpuZones,
    objects: Objects,
    /// `None` to restore what is queried.
    host_state: Option<HostState>,
}

/// Whether the context belongs to a web page: `glow` cannot query what is bound there.
const IS_IN_BROWSER: bool = cfg!(all(target_arch = "wasm32", not(target_os = "emscripten")));

impl fmt::Debug for Painter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Painter")
            .field("host_state", &self.host_state)
            .finish_non_exhaustive()
    }
}

impl Painter {
    /// Creates a painter for the context of `gl`: an `Rc`, an `Arc` or a `Box` of a context of
    /// `glow` 0.18, or a reference to a static one. A host with another version of `glow` calls
    /// [`from_loader`](Painter::from_loader).
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
    /// * now, and whenever a method of the painter is called, or a free function of this crate that
    ///   uses it as the [current](super::make_current) one;
    /// * as long as the painter lives, where a [`gpu_zone!`](crate::gpu_zone!) of this `gl` begins and
    ///   ends, and where [`collect_gpu_times`](super::collect_gpu_times) is called with it;
    /// * and so where a zone of [`enter_gpu_zone`](super::enter_gpu_zone) is entered that finds the painter current,
    ///   and where it is closed.
    ///
    /// No debug callback that the host has set makes a GL call, or unwinds out of itself: those of `glow`
    /// do not.
    ///
    /// Dropping the painter needs no context.
    pub unsafe fn new(
        gl: impl Deref<Target = glow::Context> + 'static,
    ) -> Result<Painter, GlError> {
        // SAFETY: the context is current (contract).
        unsafe { Painter::with_calls(Rc::new(gl), None) }
    }

    /// Creates a painter for a host without `glow`: `loader` returns the address of a GL function by its
    /// name, or null, as `eglGetProcAddress`, `SDL_GL_GetProcAddress` and the like do.
    ///
    /// # Errors
    ///
    /// As [`new`](Painter::new), except that vertex array objects are not needed; and if the loader finds
    /// no GL.
    ///
    /// # Safety
    ///
    /// As [`new`](Painter::new); and what `loader` returns must be null or the GL function of that
    /// name.
    #[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
    pub unsafe fn from_loader(
        mut loader: impl FnMut(&CStr) -> *const c_void,
    ) -> Result<Painter, GlError> {
        // SAFETY: the loader returns GL functions, and the context is current (contract).
        unsafe {
            if !has_version(&mut loader) {
                return Err(GlError::NoContext);
            }
            let calls = AttributeCalls::load(&mut loader);
            let gl = Box::new(glow::Context::from_loader_function_cstr(loader));
            Painter::with_calls(Rc::new(gl), calls)
        }
    }

    /// # Safety
    ///
    /// As [`new`](Painter::new); `calls` were loaded for the context.
    unsafe fn with_calls(
        gl: SharedContext,
        calls: Option<AttributeCalls>,
    ) -> Result<Painter, GlError> {
        // SAFETY: the context is current (contract), also where its zones are.
        let (objects, gl) = unsafe { (Objects::new(&gl, calls)?, WithGpuZones::new(gl)) };
        Ok(Painter {
            gl,
            objects,
            host_state: None,
        })
    }

    /// The context, for GPU zones.
    pub(super) fn context(&self) -> SharedContext {
        self.gl.shared().clone()
    }

    /// Deletes the painter's GL objects, and the queries of this context's GPU zones on this thread. Times
    /// that are not known yet are discarded.
    ///
    /// The context must be current, as for every method.
    pub fn destroy(mut self) {
        context::delete_queries(self.gl.shared());
        // SAFETY: the context is current (contract of `new`); the painter is not used any more.
        unsafe { self.objects.destroy(self.gl.shared()) }
    }

    /// Draws a frame of the viewport's size: calls `add_parts`, which adds the parts from the lowest to the uppermost, and
    /// [paints](Painter::paint) them.
    ///
    /// ```no_run
    /// # fn painter() -> iprof::gl::Painter { unimplemented!() }
    /// # let (mut painter, mut overlay, view) = (painter(), iprof::overlay::Overlay::new(), iprof::View::default());
    /// painter.draw(&mut overlay, |frame| {
    ///     frame.draw_report(&view, 20.0, 20.0, 560.0, 400.0, 2);
    ///     frame.draw_graph(&view, 20.0, 460.0, 2.0, 4.0);
    ///     frame.draw_tooltip();
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// If `add_parts` does. Then nothing is painted.
    pub fn draw<R>(
        &mut self,
        overlay: &mut Overlay,
        add_parts: impl FnOnce(&mut Frame<'_>) -> R,
    ) -> R {
        let viewport = match &self.host_state {
            Some(host) => host.viewport,
            // SAFETY: the context is current (contract of `new`).
            None => unsafe { state::viewport(self.gl.shared()) },
        };
        let result = add_parts(&mut overlay.begin([viewport[2] as f32, viewport[3] as f32]));
        // No lock is held here: a debug callback of the driver may call any function of this crate.
        self.paint(overlay.draw_data());
        result
    }

    /// Paints a frame through the viewport, for whose size the frame was [begun](Overlay::begin). The host's state is saved
    /// once, and restored once.
    ///
    /// The cost appears as the zone `iprof_draw`, with the GPU's time unless the host
    /// [declares](Painter::set_host_state) its state.
    pub fn paint(&mut self, data: DrawData<'_>) {
        if data.is_empty() {
            return;
        }
        let gl = self.gl.shared();
        let new_context = IS_IN_BROWSER.then(|| HostState::new([0; 4]));
        let declared = self.host_state.as_ref().or(new_context.as_ref());
        // SAFETY: the context is current (contract of `new`).
        let mut paint = || unsafe { self.objects.paint(gl, data, declared) };
        if declared.is_none() {
            crate::gpu_zone!(gl, &DRAW);
            paint();
        } else {
            // A query of the GPU's time would be one of those that the host avoids.
            crate::zone!(&DRAW);
            paint();
        }
    }

    /// Declares the state that the painter leaves after each frame. It queries nothing then, and draws correctly whatever the
    /// host has set. `None`, the default, restores the host's state: the painter queries each piece of state that its drawing
    /// changes, and leaves everything as it was.
    ///
    /// To restore takes about 50 queries for each frame, a few microseconds with most drivers.
    /// A driver that queues calls for a thread of its own must empty its queue before it can answer the
    /// first query.
    ///
    /// In a browser, the state cannot be restored: `glow` cannot tell which of the host's
    /// objects are bound, and each query takes a round trip from the page's process to the GPU process. There
    /// `None` is a new [`HostState`], so a host that sets program, vertex array, buffers, textures and switches
    /// in each frame need not do anything.
    pub fn set_host_state(&mut self, state: Option<HostState>) {
        self.host_state = state;
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
