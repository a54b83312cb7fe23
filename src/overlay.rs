//! The overlay: draws the report, the graph and the tooltip in the host's GL context, and handles the
//! pointer.
//!
//! This module connects `process`, which turns measurements into plain data, with `draw`, which turns plain
//! data into pixels. Neither depends on the other.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on to the painter.

/// Draws in a zone, which has the GPU's time, too, unless that would need an extra query.
macro_rules! draw_in_zone {
    ($overlay:ident, $zone:ident, $draw:expr) => {
        if $overlay.mode == StateMode::Restore {
            let gl = $overlay.gl.held().clone();
            crate::gpu_zone!(gl.context(), &$zone);
            $draw
        } else {
            crate::scope!($zone);
            $draw
        }
    };
}

mod current;
mod gpu_zones;
mod graph;
mod help;
mod pointer;
mod report;
mod theme;
mod touch;

#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub use current::init_from_loader;
pub use current::{
    draw_gl, draw_graph_gl, draw_help_gl, draw_tooltip_gl, hit, init, make_current, pointer,
    set_screen, with_current,
};
pub use gpu_zones::{collect_gpu_times, disable_gpu_zones, enable_gpu_zones};
pub use pointer::{PointerButton, PointerEvent, PointerResponse};
pub use touch::TouchPhase;

use crate::draw::AttributeCalls;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use crate::draw::glow;
use crate::draw::{
    BarsArea, BoundPainter, DrawList, Font, FontError, GlError, HelpArea, HostState, PaintContext,
    ReportArea, StateMode, Theme, Tooltip,
};
use crate::gpu::GpuContext;
use crate::help::HelpText;
#[cfg(feature = "enable")]
use crate::process::shown::Shown;
use gpu_zones::WithGpuZones;
use pointer::Pointer;
use report::Listed;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::ffi::{CStr, c_void};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use theme::ThemeChoice;
use touch::Touch;

// One zone for each kind of drawing: two zones of the same name would be two rows.
crate::define_zone!(DRAW, "iprof_draw");
crate::define_zone!(DRAW_GRAPH, "iprof_draw_graph");

/// Default height of the text in px.
const TEXT_PX: f32 = 12.0;

/// Limit of coordinates: no viewport is larger, and from 16 million on a float cannot distinguish pixels.
/// No row or character is laid out beyond it.
const FARTHEST_PX: f32 = 65_536.0;

/// Draws the report and the graph in the host's GL context, and restores all GL state that it changes.
///
/// It draws into the bound framebuffer, through the current viewport. The origin is the top left corner of
/// the viewport, y points down, and the unit is a pixel, unless [`set_screen`](Overlay::set_screen) changes
/// it.
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
/// use iprof::gl::{Hit, Overlay};
///
/// // SAFETY: the context is current on this thread, and stays so.
/// let mut overlay = unsafe { Overlay::new(std::rc::Rc::new(context())) }?;
/// overlay.set_screen(640.0, 480.0);
/// // each frame:
/// overlay.draw_gl(10.0, 10.0, 400.0, 300.0, 2);
/// overlay.draw_graph_gl(10.0, 320.0, 1.0, 3.0);
/// // on a click:
/// let (x, y) = mouse();
/// match overlay.hit(x, y) {
///     Some(Hit::Row(row)) => iprof::set_cursor(row),
///     Some(Hit::Frame { number, .. }) => iprof::with_view(|view| {
///         view.set_frames(iprof::FrameSelection::Number(number));
///     }),
///     _ => {}
/// }
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// Dropping an overlay makes no GL call, since its context may no longer exist or may not be current. Its
/// few GL objects are left to the context; [`destroy`](Overlay::destroy) deletes them. When a context is
/// lost, drop its overlay and create one in the new context.
pub struct Overlay {
    /// The context, for GPU zones.
    gl: WithGpuZones,
    bound_painter: Box<dyn BoundPainter>,
    font: Font,
    list: DrawList,
    rows: ReportArea,
    /// Whose rows are in `rows`.
    listed: Listed,
    /// What the view of the host's has on the screen that was drawn last.
    #[cfg(feature = "enable")]
    shown: Shown,
    bars: BarsArea,
    tooltip: Tooltip,
    help: HelpArea,
    help_text: HelpText,
    pointer: Pointer,
    touch: Touch,
    /// The theme of the current draw, and those to choose from.
    theme: Theme,
    themes: ThemeChoice,
    screen: Option<[f32; 2]>,
    /// px per unit, if `screen` is not set.
    unit_px: f32,
    text_px: f32,
    /// px per unit of the screen at the last draw.
    scale: [f32; 2],
    mode: StateMode,
    /// Whether the viewport is queried in any mode.
    asks_viewport: bool,
}

/// Whether the context belongs to a web page: `glow` cannot query what is bound there.
const IS_IN_BROWSER: bool = cfg!(all(target_arch = "wasm32", not(target_os = "emscripten")));

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay")
            .field("screen", &self.screen)
            .field("unit_px", &self.unit_px)
            .field("text_px", &self.text_px)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// A context of a supported version of `glow`: 0.18 with the feature `glow-0-18`, 0.17 with `glow-0-17`. With both
/// features, either works.
///
/// A program with another version of `glow`, or without `glow`, creates its overlay by
/// [`Overlay::from_loader`].
#[diagnostic::on_unimplemented(
    message = "iprof was not built for a context of type `{Self}`",
    note = "glow 0.18 needs iprof's feature `glow-0-18`; glow 0.17 needs `glow-0-17`",
    note = "for other versions, or without glow, use `iprof::gl::init_from_loader`"
)]
#[allow(private_bounds, reason = "there are no other versions than these")]
pub trait Glow: PaintContext + GpuContext {}

#[cfg(feature = "glow-0-18")]
impl Glow for ::glow::Context {}

#[cfg(feature = "glow-0-17")]
impl Glow for ::glow_0_17::Context {}

/// The row or the frame at a point of the overlay: the result of [`Overlay::hit`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hit {
    /// A row of the report: its position, for [`set_cursor`](crate::set_cursor).
    Row(usize),
    /// A frame of the graph.
    #[non_exhaustive]
    Frame {
        /// Its number, for [`FrameSelection::Number`](crate::FrameSelection::Number).
        number: u64,
        /// The name of the zone whose segment of the bar was hit; `None` above the bar. With
        /// [`GraphStyle::Lines`](crate::GraphStyle::Lines), the zone of the line next to the point, if one
        /// is near.
        zone: Option<Arc<str>>,
    },
}

impl Overlay {
    /// Creates an overlay for the context of `gl`: an `Rc`, an `Arc` or a `Box` of a context of
    /// [`glow`](Glow), or a reference to a static one.
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
    ///   uses it as the [current](make_current) one;
    /// * as long as the overlay lives, where a [`gpu_zone!`](crate::gpu_zone!) of this `gl` begins and
    ///   ends, and where [`collect_gpu_times`] is called with it.
    ///
    /// No debug callback that the host has set makes a GL call, or unwinds out of itself: those of `glow`
    /// do not.
    ///
    /// Dropping the overlay needs no context.
    pub unsafe fn new<C: Glow>(gl: impl Deref<Target = C> + 'static) -> Result<Overlay, GlError> {
        // SAFETY: the context is current (contract).
        unsafe { Overlay::with_calls(gl, None) }
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
            Overlay::with_calls(gl, calls)
        }
    }

    /// # Safety
    ///
    /// As [`new`](Overlay::new); `calls` were loaded for the context.
    unsafe fn with_calls<C: Glow>(
        gl: impl Deref<Target = C> + 'static,
        calls: Option<AttributeCalls>,
    ) -> Result<Overlay, GlError> {
        let gl = Rc::new(gl);
        // SAFETY: the context is current (contract), also where its zones are.
        let (bound_painter, gl) = unsafe { (C::bound_painter(&gl, calls)?, WithGpuZones::new(gl)) };
        Ok(Overlay {
            gl,
            bound_painter,
            font: Font::new(TEXT_PX),
            list: DrawList::default(),
            rows: ReportArea::default(),
            listed: Listed::default(),
            #[cfg(feature = "enable")]
            shown: Shown::default(),
            bars: BarsArea::default(),
            tooltip: Tooltip::default(),
            help: HelpArea::default(),
            help_text: HelpText::default(),
            pointer: Pointer::default(),
            touch: Touch::default(),
            theme: Theme::DARK,
            themes: ThemeChoice::default(),
            screen: None,
            unit_px: 1.0,
            text_px: TEXT_PX,
            scale: [1.0; 2],
            mode: match IS_IN_BROWSER {
                false => StateMode::Restore,
                true => StateMode::Declared(HostState::new([0; 4])),
            },
            asks_viewport: IS_IN_BROWSER,
        })
    }

    /// Deletes the overlay's GL objects, and the queries of this context's GPU zones on this thread. Times
    /// that are not known yet are discarded.
    ///
    /// The context must be current, as for every method.
    pub fn destroy(mut self) {
        self.gl.held().context().delete_queries();
        // SAFETY: the context is current (contract of `new`); the overlay is not used any more.
        unsafe { self.bound_painter.destroy() }
    }

    /// The pointer's position, unless the help lies there.
    fn hovered(&self) -> Option<[f32; 2]> {
        self.pointer.hover().filter(|at| !self.help.covers(*at))
    }

    /// Draws the tooltip of the row or frame under the pointer, in a box beside the pointer that lies
    /// within the screen. For a row it shows the zone's name, where it is defined, and all values with four
    /// decimal places; for a frame its length, its marks, and the zone under the pointer.
    ///
    /// Call it after [`draw_gl`](Overlay::draw_gl) and [`draw_graph_gl`](Overlay::draw_graph_gl), so that
    /// the box lies over both. If there is no [`pointer`](Overlay::pointer) over what they drew, this draws
    /// nothing and costs nothing.
    pub fn draw_tooltip_gl(&mut self) {
        let Some(point) = self.pointer.hover().filter(|_| !self.tooltip.is_empty()) else {
            return;
        };
        crate::scope!(DRAW);
        self.paint(|overlay, screen| {
            let Overlay {
                font,
                list,
                tooltip,
                theme,
                ..
            } = overlay;
            tooltip.lay_out(font, list, theme, point, screen);
        });
        // What is not drawn in the next frame has no tooltip.
        self.tooltip.clear();
    }

    /// Handles a pointer event. Returns whether the overlay used it, and the action for the view that it
    /// shows. Buttons select rows and frames, or expand rows in place; dragging over bars selects a
    /// [range](crate::FrameSelection::Range); the wheel moves the cursor, or scrolls and zooms the
    /// graph, over the labels of its axis vertically;
    /// [`draw_tooltip_gl`](Overlay::draw_tooltip_gl) describes what is under the pointer.
    ///
    /// ```no_run
    /// # fn overlay() -> iprof::gl::Overlay { unimplemented!() }
    /// use iprof::View;
    /// use iprof::gl::{PointerButton, PointerEvent};
    ///
    /// let (mut overlay, mut view) = (overlay(), View::new());
    /// // on events of the window:
    /// for event in [
    ///     PointerEvent::Moved { x: 100.0, y: 80.0 },
    ///     PointerEvent::Pressed(PointerButton::Primary),
    /// ] {
    ///     let response = overlay.pointer(event);
    ///     if let Some(action) = response.action {
    ///         overlay.act(&mut view, action);
    ///     }
    ///     if !response.consumed {
    ///         // The event is for the camera.
    ///     }
    /// }
    /// ```
    ///
    /// It refers to what the draw functions drew last. While the overlay is not drawn, pass it no events
    /// except [`PointerEvent::LeftWindow`].
    ///
    /// All actions are also available without a pointer: each [`Action`](crate::Action) has a function.
    pub fn pointer(&mut self, event: PointerEvent) -> PointerResponse {
        let event = match event {
            PointerEvent::Moved { x, y } => PointerEvent::Moved {
                x: x * self.scale[0],
                y: y * self.scale[1],
            },
            other => other,
        };
        self.pointer_in_px(event)
    }

    /// The same, in pixels instead of the unit of the screen.
    pub(crate) fn pointer_in_px(&mut self, event: PointerEvent) -> PointerResponse {
        self.pointer.take(event, &self.rows, &self.bars, &self.help)
    }

    /// Sets the size of the screen in the host's units, independent of the size of the viewport: 640 by 480
    /// for any window, for example. A value that is not positive and finite restores pixels.
    ///
    /// Text keeps its shape: it scales with the height of the viewport over that of the screen.
    pub fn set_screen(&mut self, w: f32, h: f32) {
        let valid = |size: f32| size.is_finite() && size > 0.0;
        self.screen = (valid(w) && valid(h)).then_some([w, h]);
        self.unit_px = 1.0;
    }

    /// Sets the number of pixels per unit, for coordinates and for the size of text: the display's scale
    /// factor, for example 1.25 or 2, that windowing libraries report. A value that is not positive and
    /// finite counts as 1.
    ///
    /// This and [`set_screen`](Overlay::set_screen) replace each other. Text and edges lie on whole
    /// pixels at any scale: text of 12 is 15 px high at 1.25, and of 13 it is 16 px, not 16.25.
    pub fn set_scale(&mut self, scale: f32) {
        let valid = scale.is_finite() && scale > 0.0;
        self.unit_px = if valid { scale } else { 1.0 };
        self.screen = None;
    }

    /// Draws text with the font `ttf` from now on, the bytes of a TrueType or OpenType file; of a
    /// collection, its first font.
    ///
    /// A font need not be monospaced, but its digits should have the same width, as in most fonts, so that
    /// columns of numbers do not move. Missing characters are drawn with the overlay's own font, which has
    /// Latin-1, `Δ` `σ` `…` `–` `≤` `≥`, arrows and boxes; characters that both lack are drawn as an empty
    /// box. There is no shaping: each character is a glyph, from left to right.
    ///
    /// All outlines are parsed at once: half a millisecond for 400 characters, some hundred milliseconds
    /// for a font of all of Chinese. The bytes are not needed afterward.
    ///
    /// ```no_run
    /// # fn overlay() -> iprof::gl::Overlay { unimplemented!() }
    /// let mut overlay = overlay();
    /// overlay.set_font(&std::fs::read("fonts/Inter.ttf")?)?;
    /// overlay.set_text_size(13.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the bytes are not a valid font. The overlay keeps its previous font.
    pub fn set_font(&mut self, ttf: &[u8]) -> Result<(), FontError> {
        self.font.set_ttf(ttf)
    }

    /// Sets the height of text: 12 by default, in pixels or in the units of
    /// [`set_scale`](Overlay::set_scale) or [`set_screen`](Overlay::set_screen). In pixels it is rounded,
    /// and clamped to 6 to 96.
    ///
    /// It may change from call to call at no cost: glyphs of all sizes are kept in one texture of 1 MiB, of
    /// which the part in use takes the same amount of memory again. That is room for about 400 characters
    /// of 48 px, or 4,000 of 12 px. Characters that do not fit are drawn as blocks, until half of the
    /// cached glyphs have not been used for 256 calls.
    pub fn set_text_size(&mut self, size: f32) {
        if size.is_finite() && size > 0.0 {
            self.text_px = size;
        }
    }

    /// Sets how the overlay treats the host's GL state: it queries and restores it, which is the default,
    /// or it queries nothing and leaves what the host declares. In a browser the default is to leave the
    /// state of a new context: see [`StateMode`].
    ///
    /// # Panics
    ///
    /// In a browser, with [`StateMode::Restore`].
    #[track_caller]
    pub fn set_state_mode(&mut self, mode: StateMode) {
        assert!(
            !IS_IN_BROWSER || mode != StateMode::Restore,
            "StateMode::Restore is not supported in a browser, where GL bindings cannot be queried; use \
             StateMode::Declared"
        );
        self.asks_viewport = false;
        self.mode = mode;
    }

    /// The row or frame that the last calls of the draw functions drew at the point `x`, `y`, in the units
    /// in which they drew. The report lies over the graph.
    #[must_use]
    pub fn hit(&self, x: f32, y: f32) -> Option<Hit> {
        let [x, y] = [x * self.scale[0], y * self.scale[1]];
        if self.help.covers([x, y]) {
            return None;
        }
        if let Some(row) = self.rows.hit(x, y) {
            return Some(Hit::Row(row));
        }
        let hit = self.bars.hit(x, y)?;
        Some(Hit::Frame {
            number: hit.frame,
            zone: hit.zone,
        })
    }

    /// Fits scale and font to the viewport, lets `lay_out` fill the list for a screen of that many pixels,
    /// and draws it.
    ///
    /// GL is never called with a lock held, so `lay_out` must not call it: a debug callback of the driver
    /// may call back into the program, and from there any function here.
    fn paint(&mut self, lay_out: impl FnOnce(&mut Overlay, [f32; 2])) {
        let viewport = match &self.mode {
            StateMode::Declared(host) if !self.asks_viewport => host.viewport,
            // SAFETY: the context is current (contract of `new`), here and below.
            _ => unsafe { self.bound_painter.viewport() },
        };
        let size = [viewport[2] as f32, viewport[3] as f32];
        if size[0] < 1.0 || size[1] < 1.0 {
            return;
        }
        let screen = self.screen.unwrap_or(size.map(|px| px / self.unit_px));
        self.scale = [size[0] / screen[0], size[1] / screen[1]];
        self.font.begin(self.text_px * self.scale[1]);
        self.list.clear();
        self.theme = self.themes.current();
        lay_out(self, size);
        let declared = match &self.mode {
            StateMode::Restore => None,
            StateMode::Declared(host) => Some(host),
        };
        // SAFETY: as above.
        unsafe {
            let image = &mut self.font.image;
            self.bound_painter
                .paint(&self.list, image, viewport, declared)
        }
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
