//! The painter draws an overlay's frames in the host's GL context. If the host declares its GL state, the painter does
//! not query it.

#![allow(unsafe_code)] // Relies on the host's promise about its GL context.

use super::GlError;
use super::gpu_zones::{EnabledGpuContext, SharedContext};
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

/// Paints an [`Overlay`]'s frames in the host's GL context and restores all GL state that it changes.
///
/// The painter draws into the bound framebuffer through the current viewport, with one draw call per frame. The painter
/// holds a copy of the overlay's glyph atlas, so each overlay needs its own painter.
///
/// The context must be OpenGL 2.1, OpenGL ES 2.0 or WebGL 2, or later. Vertex array objects are an extension before
/// OpenGL 3.0 and OpenGL ES 3.0. In contexts without them, create the painter with
/// [`from_loader`](Painter::from_loader). A painter belongs to one context. Contexts that share objects do not share
/// vertex arrays, so create a painter for each context.
///
/// # The host's state
///
/// The painter neither adds errors to the context's error queue nor removes any. The painter pauses and resumes active
/// transform feedback, which requires OpenGL 4.0, OpenGL ES 3.0 or `ARB_transform_feedback2`. Without any of these, end
/// transform feedback before a frame is painted.
///
/// The painter draws nothing if drawing would do harm:
///
/// * The framebuffer is incomplete or has integer colors. If there are several draw buffers, the first one without
///   integer colors is painted. In OpenGL ES and WebGL only the first buffer is considered.
/// * The program in use has been deleted, or its last link failed. Such a program lives only as long as it is in use.
///
/// Conditional rendering and active query objects apply to the overlay as they do to anything the host draws. In OpenGL
/// ES without `EXT_sRGB_write_control`, colors on an sRGB framebuffer are too bright. The host's subroutine selection
/// (OpenGL 4.0) is lost, as it is whenever the program changes.
///
/// The following state is not preserved: `glPixelTransfer`, `glPixelMap`, `EXT_draw_buffers2` before OpenGL 3.0,
/// `EXT_draw_buffers` in OpenGL ES 2.0, `OES_draw_buffers_indexed` before OpenGL ES 3.2, and integer attributes of
/// `EXT_gpu_shader4`. Multiple views (`OVR_multiview`) are not supported.
///
/// Saving state requires queries such as `glGetIntegerv`, which [`set_host_state`](Painter::set_host_state) avoids.
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
/// Dropping a painter makes no GL calls, since its context may no longer exist or may not be current. Its few GL
/// objects stay in the context unless [`destroy`](Painter::destroy) deletes them. When a context is lost, drop its
/// painter and create one in the new context.
pub struct Painter {
    gl: EnabledGpuContext,
    objects: Objects,
    /// The declared state, or `None` to query and restore it.
    host_state: Option<HostState>,
}

/// Whether the context belongs to a web page, where `glow` cannot query bindings.
const IS_IN_BROWSER: bool = cfg!(all(target_arch = "wasm32", not(target_os = "emscripten")));

impl fmt::Debug for Painter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Painter")
            .field("host_state", &self.host_state)
            .finish_non_exhaustive()
    }
}

impl Painter {
    /// Creates a painter for the context `gl`.
    ///
    /// `gl` is an `Rc`, an `Arc` or a `Box` of a `glow` 0.18 context, or a reference to a static one. If your program
    /// uses a different version of `glow`, call [`from_loader`](Painter::from_loader).
    ///
    /// # Errors
    ///
    /// Returns an error if the context is too old, has no vertex array objects, or is lost, or if the driver rejects
    /// the shaders or fails to create an object.
    ///
    /// # Safety
    ///
    /// `gl` must deref to the same context each time, as `Rc`, `Arc`, `Box` and references do. It must be current on
    /// the calling thread at these times:
    ///
    /// * Now, whenever a method of the painter is called, and whenever a free function of this crate uses it as the
    ///   [current](super::make_current) painter.
    /// * While the painter is alive, when a [`gpu_zone!`](crate::gpu_zone!) with this `gl` begins or ends, and when
    ///   [`collect_gpu_times`](super::collect_gpu_times) is called with it.
    /// * While the painter is alive, when [`enter_gpu_zone`](super::enter_gpu_zone) is called with it as the current
    ///   painter, and when that zone is closed.
    ///
    /// Debug callbacks set by the host must not call GL or unwind. Callbacks set through `glow` meet this requirement.
    ///
    /// Dropping the painter does not require the context to be current.
    pub unsafe fn new(
        gl: impl Deref<Target = glow::Context> + 'static,
    ) -> Result<Painter, GlError> {
        // SAFETY: the context is current (contract).
        unsafe { Painter::with_calls(Rc::new(gl), None) }
    }

    /// Creates a painter for a host that does not use `glow`.
    ///
    /// `loader` returns the address of the GL function with the given name, or null, like `eglGetProcAddress` or
    /// `SDL_GL_GetProcAddress`.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`new`](Painter::new), except that vertex array objects are not required. Also fails
    /// if the loader finds no GL functions.
    ///
    /// # Safety
    ///
    /// The rules of [`new`](Painter::new) apply. `loader` must return null or the GL function with the given name.
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
    /// The rules of [`new`](Painter::new) apply, and `calls` were loaded for this context.
    unsafe fn with_calls(
        gl: SharedContext,
        calls: Option<AttributeCalls>,
    ) -> Result<Painter, GlError> {
        // SAFETY: the context is current here and wherever its zones begin and end (contract).
        let (objects, gl) = unsafe { (Objects::new(&gl, calls)?, EnabledGpuContext::new(gl)) };
        Ok(Painter {
            gl,
            objects,
            host_state: None,
        })
    }

    pub(super) fn context(&self) -> SharedContext {
        self.gl.shared().clone()
    }

    /// Deletes the painter's GL objects and this thread's queries for GPU zones in this context. Pending GPU times are
    /// discarded.
    ///
    /// The context must be current, as for every method.
    pub fn destroy(mut self) {
        context::delete_queries(self.gl.shared());
        // SAFETY: the context is current (contract of `new`), and the painter is not used afterward.
        unsafe { self.objects.destroy(self.gl.shared()) }
    }

    /// Draws a frame of the viewport's size. Calls `add_parts`, which adds the frame's parts from back to front, and
    /// then [paints](Painter::paint) the frame.
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
    /// Panics if `add_parts` panics. In that case, nothing is painted.
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
        // No lock is held here, because a driver's debug callback may call any function in this crate.
        self.paint(overlay.draw_data());
        result
    }

    /// Paints a frame, which must have been [begun](Overlay::begin) with the viewport's size. The host's state is saved
    /// and restored once.
    ///
    /// The cost appears as the zone `iprof_draw`. The zone includes GPU time unless the host
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
            // Measuring GPU time requires queries, which this host wants to avoid.
            crate::zone!(&DRAW);
            paint();
        }
    }

    /// Declares the GL state that the painter leaves behind after each frame.
    ///
    /// With a declared state, the painter makes no queries and draws correctly regardless of the state that the host
    /// has set. With `None`, the default, the painter queries each piece of state that it changes and restores it.
    ///
    /// Restoring takes about 50 state queries per frame. Most drivers answer them quickly, but a driver that queues
    /// calls for its own thread has to drain the queue before it can answer the first query.
    ///
    /// In a browser, the state cannot be restored, because `glow` cannot query which objects the host has bound, and
    /// each query is a round trip to the GPU process. In a browser, `None` means a default [`HostState`]. The default
    /// is enough for hosts that set their program, vertex array, buffers, textures and capabilities in each frame.
    pub fn set_host_state(&mut self, state: Option<HostState>) {
        self.host_state = state;
    }
}

/// Returns whether the current context reports its version. `glow` would panic without one.
///
/// # Safety
///
/// `loader` must return null or the GL function with the given name.
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
unsafe fn has_version(loader: &mut impl FnMut(&CStr) -> *const c_void) -> bool {
    let address = loader(c"glGetString");
    if address.is_null() {
        return false;
    }
    // SAFETY: the type is the one in the GL registry. If no context is current, the string is null.
    unsafe {
        let get_string: unsafe extern "system" fn(u32) -> *const u8 = std::mem::transmute(address);
        !get_string(glow::VERSION).is_null()
    }
}
