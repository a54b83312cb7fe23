//! The overlay: the report and the graph in the host's GL frame.
//!
//! This is where what is measured and what is drawn meet: `process` makes plain data of the one,
//! `draw` makes pixels of plain data, and neither knows of the other.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on to the painter.

mod pointer;

pub use pointer::{PointerButton, PointerEvent, PointerResponse};

use crate::draw::AttributeCalls;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use crate::draw::glow;
use crate::draw::{
    BarsArea, Canvas, DrawList, Font, FontError, GlError, HostState, PaintContext, StateMode,
    Subject, TextArea, Tooltip,
};
use crate::gpu::GpuContext;
use crate::graph::Graph;
use crate::process::display::with_display;
use crate::process::{act, is_recording_possible};
use crate::report::{Report, clamp_precision};
use pointer::Pointer;
use std::cell::RefCell;
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
use std::ffi::{CStr, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

// A zone each, wherever and however it is drawn: two of a name would be two rows.
crate::define_zone!(DRAW, "iprof_draw");
crate::define_zone!(DRAW_GRAPH, "iprof_draw_graph");

/// Height of the text in px unless told otherwise.
const TEXT_PX: f32 = 12.0;

/// No viewport reaches farther, and from 16 million on a float cannot tell one px from the next. Nor is there
/// a row or a character to be laid out beyond it.
const FARTHEST_PX: f32 = 65_536.0;

/// Draws the report and the graph into the host's GL frame, and leaves every piece of GL state as
/// it found it.
///
/// It draws into whatever framebuffer is bound, through whatever viewport is set. The origin is the
/// top left corner of the viewport, y grows downwards, and the unit is a pixel, unless
/// [`set_screen`](Overlay::set_screen) says otherwise.
///
/// Needs OpenGL 2.1, OpenGL ES 2.0 or WebGL 2, or later; without vertex array objects, which before
/// OpenGL 3.0 and OpenGL ES 3.0 are an extension, it must be made by
/// [`from_loader`](Overlay::from_loader). One overlay belongs to one context, or to several that share
/// objects but for vertex arrays: to be safe, make one for each.
///
/// # The host's state
///
/// Nothing is added to the context's error queue, nor taken from it. An active transform feedback
/// is paused and resumed, which takes OpenGL 4.0, OpenGL ES 3.0 or `ARB_transform_feedback2`: without,
/// end it before a draw. Where a draw could not be without harm, nothing is drawn: if
///
/// * the framebuffer is incomplete, or its colours are integers. Of several draw buffers the first is
///   painted whose colours are not integers; in OpenGL ES and WebGL it is the first of all or none;
/// * the program in use has been deleted, or its last link has failed: such a one lives on only as
///   long as it is in use.
///
/// What is drawn is subject to conditional rendering and counted by open queries, as if the host had
/// drawn it. In OpenGL ES without `EXT_sRGB_write_control` colours on an sRGB framebuffer are brighter.
/// The host's choice of subroutines (OpenGL 4.0) is lost, as with any change of the program.
/// Of older extensions, these are not looked after: `EXT_draw_buffers2` before OpenGL 3.0,
/// `EXT_draw_buffers` in OpenGL ES 2.0, `OES_draw_buffers_indexed` before OpenGL ES 3.2, integer
/// attributes of `EXT_gpu_shader4`; nor are `glPixelTransfer` and `glPixelMap`, nor several views at
/// once (`OVR_multiview`).
///
/// [`set_state_mode`](Overlay::set_state_mode) spares the questions that all of that takes.
///
/// In a browser, nothing but the viewport is asked for, and what is left is the state of a new context,
/// or what is declared: see [`StateMode`].
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
///     Some(Hit::Frame { number, .. }) => iprof::change_view(|view| view.set_frame_number(number)),
///     _ => {}
/// }
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
///
/// Dropping an overlay makes no GL call: nobody knows whether its context is still there, or is the
/// one that is current. Its few GL objects are left to the context; [`destroy`](Overlay::destroy)
/// deletes them. When a context is lost, drop its overlay and make one in the new context.
pub struct Overlay {
    /// The context, for GPU zones.
    gl: WithGpuZones,
    canvas: Box<dyn Canvas>,
    font: Font,
    list: DrawList,
    text: TextArea,
    bars: BarsArea,
    tooltip: Tooltip,
    pointer: Pointer,
    screen: Option<[f32; 2]>,
    /// px per unit, if there is no `screen`.
    unit_px: f32,
    text_px: f32,
    /// Of the last draw: px per unit of the screen.
    scale: [f32; 2],
    mode: StateMode,
    /// Whether the viewport is asked for in any mode.
    asks_viewport: bool,
}

/// Whether the context is that of a page: `glow` cannot ask it what is bound.
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

/// A context of a version of `glow` that this crate was built for: `glow` 0.18 with the feature `gl`,
/// 0.17 with `glow-0-17`. Where both are on, either will do.
///
/// A program whose `glow` is of another version, or that has none, makes its overlay by
/// [`Overlay::from_loader`].
#[diagnostic::on_unimplemented(
    message = "iprof was not built for a context of type `{Self}`",
    note = "glow 0.18 takes iprof's feature `gl`, glow 0.17 its feature `glow-0-17`",
    note = "for any other, and for none: `iprof::gl::init_from_loader`"
)]
#[allow(private_bounds, reason = "there are no other versions than these")]
pub trait Glow: PaintContext + GpuContext {}

#[cfg(feature = "gl")]
impl Glow for ::glow::Context {}

#[cfg(feature = "glow-0-17")]
impl Glow for ::glow_0_17::Context {}

/// What holds a context.
trait Held {
    fn context(&self) -> &dyn GpuContext;
}

impl<D: Deref<Target: Glow>> Held for D {
    fn context(&self) -> &dyn GpuContext {
        self.as_gpu_context()
    }
}

/// A context whose GPU zones are measured as long as this is there.
struct WithGpuZones(Rc<dyn Held>);

impl WithGpuZones {
    /// # Safety
    ///
    /// As for [`enable_gpu_zones`], until it is dropped.
    unsafe fn new(gl: Rc<dyn Held>) -> WithGpuZones {
        // SAFETY: the contract is the same; the context stays where it is, since it is held.
        unsafe { gl.context().enable() };
        WithGpuZones(gl)
    }
}

impl Drop for WithGpuZones {
    fn drop(&mut self) {
        self.0.context().disable();
    }
}

/// What lies under a point of the screen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Hit {
    /// A row of the report: its position, for [`set_cursor`](crate::set_cursor).
    Row(usize),
    /// A frame of the graph.
    Frame {
        /// Its number, for [`View::set_frame_number`](crate::View::set_frame_number).
        number: u64,
        /// The name of the zone whose part of the bar it is, none above the bar; with
        /// [`GraphStyle::Lines`](crate::GraphStyle::Lines) that of the line next to the point, if
        /// one is near.
        zone: Option<Arc<str>>,
    },
}

impl Overlay {
    /// Makes an overlay for the context of `gl`: an `Rc`, an `Arc` or a `Box` of a context of
    /// [`glow`](Glow), or a reference to a static one.
    ///
    /// # Errors
    ///
    /// If the context is too old, has no vertex array objects, or is lost, or if the driver refuses
    /// the shaders or the objects.
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

    /// Makes an overlay for a host that has no `glow`: `loader` gives the address of a GL function
    /// by its name, or null, as `eglGetProcAddress`, `SDL_GL_GetProcAddress` and the like do.
    ///
    /// # Errors
    ///
    /// As [`new`](Overlay::new), but for vertex array objects, which are not needed; and if the loader
    /// finds no GL.
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
        let (canvas, gl) = unsafe { (C::canvas(&gl, calls)?, WithGpuZones::new(gl)) };
        Ok(Overlay {
            gl,
            canvas,
            font: Font::new(TEXT_PX),
            list: DrawList::default(),
            text: TextArea::default(),
            bars: BarsArea::default(),
            tooltip: Tooltip::default(),
            pointer: Pointer::default(),
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

    /// Deletes the overlay's GL objects, and the queries of this context's GPU zones on this thread: those
    /// whose times are not known yet are given up.
    ///
    /// The context must be current, as for every method.
    pub fn destroy(mut self) {
        self.gl.0.context().delete_queries();
        // SAFETY: the context is current (contract of `new`); the overlay is not used any more.
        unsafe { self.canvas.destroy() }
    }

    /// Draws the report of the default view in the rectangle with its top left corner at `x`, `y`.
    ///
    /// Columns keep their width; names are cut with an ellipsis; rows scroll to keep the cursor in
    /// view; what does not fit is not drawn, and nothing lies outside of the rectangle. `precision`
    /// is the number of decimal places of times, 1 to 4, clamped; 2 is usual. Numbers change ten
    /// times a second at most, see [`set_refresh_rate`](crate::set_refresh_rate).
    ///
    /// With a rectangle that is empty or not finite, nothing is drawn. What this costs shows as the
    /// zone `iprof_draw`.
    pub fn draw_gl(&mut self, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        if !is_recording_possible() {
            return;
        }
        if self.mode == StateMode::Restore {
            let gl = self.gl.0.clone();
            crate::gpu_zone!(gl.context(), &DRAW);
            self.draw_default_report(x, y, w, h, precision);
        } else {
            // What the GPU took would have to be asked for.
            crate::scope!(DRAW);
            self.draw_default_report(x, y, w, h, precision);
        }
    }

    fn draw_default_report(&mut self, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        self.forget_report();
        self.paint(|overlay, _| {
            with_display(|display| {
                overlay.lay_out_report(display.report(), [x, y, w, h], precision);
                if let Some(row) = overlay.hovered_row() {
                    let (report, averages) = display.averages_of(row);
                    overlay.tooltip.tell_averages(report, averages);
                }
            });
        });
    }

    /// Draws a report of one's own, say of a [`View`](crate::View) of one's own; otherwise like
    /// [`draw_gl`](Overlay::draw_gl).
    pub fn draw_report(&mut self, report: &Report, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        self.forget_report();
        self.paint(|overlay, _| overlay.lay_out_report(report, [x, y, w, h], precision));
    }

    fn forget_report(&mut self) {
        self.text.forget();
        self.tooltip.forget(Subject::Row);
    }

    fn lay_out_report(&mut self, report: &Report, [x, y, w, h]: [f32; 4], precision: u32) {
        let [sx, sy] = self.scale;
        let rect = [x * sx, y * sy, (x + w) * sx, (y + h) * sy];
        if !rect.iter().all(|edge| edge.is_finite()) || w <= 0.0 || h <= 0.0 {
            return;
        }
        let rect = rect.map(|edge| edge.clamp(-FARTHEST_PX, FARTHEST_PX));
        let Overlay {
            font, list, text, ..
        } = self;
        text.lay_out(font, list, report, rect, clamp_precision(precision));
        if let Some(row) = self.hovered_row() {
            self.tooltip.tell_row(report, row);
        }
    }

    /// Draws the remembered frames of the default view as bars, with the graph's top left corner
    /// at `x`, `y`.
    ///
    /// A bar is `x_spacing` wide and `y_spacing` high per millisecond: the frame's zones, stacked by
    /// self time. The newest frame is on the right. The graph is as wide as history, and 40 ms
    /// high, or as far as the screen goes; there are lines at 16.7 and 33.3 ms. Bars that are
    /// higher are cut, with a red top. With all threads in view, bars are those of the thread that
    /// calls `update`.
    ///
    /// With spacings that are not above zero, or anything not finite, nothing is drawn. What this
    /// costs shows as the zone `iprof_draw_graph`.
    pub fn draw_graph_gl(&mut self, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        if !is_recording_possible() {
            return;
        }
        if self.mode == StateMode::Restore {
            let gl = self.gl.0.clone();
            crate::gpu_zone!(gl.context(), &DRAW_GRAPH);
            self.draw_default_graph([x, y], [x_spacing, y_spacing]);
        } else {
            // As above.
            crate::scope!(DRAW_GRAPH);
            self.draw_default_graph([x, y], [x_spacing, y_spacing]);
        }
    }

    fn draw_default_graph(&mut self, at: [f32; 2], spacing: [f32; 2]) {
        self.forget_graph();
        self.paint(|overlay, screen| {
            with_display(|display| overlay.lay_out_graph(display.graph(), at, spacing, screen));
        });
    }

    /// Draws a graph of one's own; otherwise like [`draw_graph_gl`](Overlay::draw_graph_gl).
    pub fn draw_graph(&mut self, graph: &Graph, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        self.forget_graph();
        self.paint(|overlay, screen| {
            overlay.lay_out_graph(graph, [x, y], [x_spacing, y_spacing], screen);
        });
    }

    fn forget_graph(&mut self) {
        self.bars.forget();
        self.tooltip.forget(Subject::Frame);
    }

    fn lay_out_graph(
        &mut self,
        graph: &Graph,
        [x, y]: [f32; 2],
        [x_spacing, y_spacing]: [f32; 2],
        screen: [f32; 2],
    ) {
        let [sx, sy] = self.scale;
        let (at, spacing) = ([x * sx, y * sy], [x_spacing * sx, y_spacing * sy]);
        let numbers = [at, spacing];
        let is_finite = numbers.as_flattened().iter().all(|n| n.is_finite());
        if !is_finite || spacing.iter().any(|spacing| *spacing <= 0.0) {
            return;
        }
        let Overlay {
            font, list, bars, ..
        } = self;
        bars.lay_out(font, list, graph, at, spacing, screen);
        if let (None, Some([x, y])) = (self.hovered_row(), self.pointer.hover())
            && let Some(hit) = self.bars.hit(x, y)
        {
            self.tooltip.tell_frame(graph, &hit);
        }
    }

    /// The row of the report under the pointer.
    fn hovered_row(&self) -> Option<usize> {
        let [x, y] = self.pointer.hover()?;
        self.text.hit(x, y)
    }

    /// Draws what is known of the row or the frame under the pointer in a box beside it, which lies
    /// within the screen: of a row the zone's name, where it is defined, and all values with four
    /// decimal places; of a frame its length, its marks, and the zone under the pointer.
    ///
    /// Call it after [`draw_gl`](Overlay::draw_gl) and [`draw_graph_gl`](Overlay::draw_graph_gl), so
    /// that the box lies over both. Without a [`pointer`](Overlay::pointer), or with none over what
    /// they drew, this draws nothing and costs nothing.
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
                ..
            } = overlay;
            tooltip.lay_out(font, list, point, screen);
        });
        // Of what is not drawn in the next frame nothing is told.
        self.tooltip.clear();
    }

    /// Takes an event of the pointer: says whether it was the overlay's, and what is to be done to
    /// the view that it shows. Buttons select rows and frames, or open rows in place; dragging over
    /// bars selects a [range](crate::View::set_range); the wheel moves the cursor, or scrolls and
    /// zooms the graph; and what is under the pointer is told by
    /// [`draw_tooltip_gl`](Overlay::draw_tooltip_gl).
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
    ///         view.act(action);
    ///     }
    ///     if !response.taken {
    ///         // The event is for the camera.
    ///     }
    /// }
    /// ```
    ///
    /// It goes by what the draw functions drew last. While the overlay is not drawn, give it no
    /// events but [`PointerEvent::Left`].
    ///
    /// Everything that the pointer does can be done without one: each [`Action`](crate::Action) has
    /// a function.
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

    /// The same, in pixels whatever the unit of the screen.
    pub(crate) fn pointer_in_px(&mut self, event: PointerEvent) -> PointerResponse {
        self.pointer.take(event, &self.text, &self.bars)
    }

    /// Says how large the screen is in the host's own units, whatever the size of the viewport:
    /// 640 by 480 on any window, say. Anything not above zero, or not finite, goes back to pixels.
    ///
    /// Text keeps its shape: it grows with the height of the viewport over that of the screen.
    pub fn set_screen(&mut self, w: f32, h: f32) {
        let valid = |size: f32| size.is_finite() && size > 0.0;
        self.screen = (valid(w) && valid(h)).then_some([w, h]);
        self.unit_px = 1.0;
    }

    /// Says how many pixels a unit is, of coordinates as well as of the size of text: the scale of
    /// the display, 1.25 or 2, say, that windowing libraries tell. Anything not above zero, or not
    /// finite, is 1.
    ///
    /// This and [`set_screen`](Overlay::set_screen) replace each other. Text and edges lie on whole
    /// pixels at any scale: text of 12 is 15 px high at 1.25, and of 13 it is 16 px, not 16.25.
    pub fn set_scale(&mut self, scale: f32) {
        let valid = scale.is_finite() && scale > 0.0;
        self.unit_px = if valid { scale } else { 1.0 };
        self.screen = None;
    }

    /// Takes text from the font `ttf`, the bytes of a TrueType or OpenType file, from now on; of a
    /// collection, from its first font.
    ///
    /// A font need not be monospaced, but digits should be of one width, as they are in most, for
    /// columns of numbers to stand still. What the font lacks is taken from the overlay's own, which
    /// has Latin-1, `Δ` `σ` `…` `–` `≤` `≥`, arrows and boxes; what both lack shows as an empty box.
    /// There is no shaping: each character is a glyph, from left to right.
    ///
    /// All outlines are read at once: half a millisecond for 400 characters, some hundred for
    /// a font of all of Chinese. The bytes are not needed any more afterwards.
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
    /// If the bytes are no such font. The overlay keeps the font that it has.
    pub fn set_font(&mut self, ttf: &[u8]) -> Result<(), FontError> {
        self.font.set_ttf(ttf)
    }

    /// Sets the height of text: 12 unless told otherwise, in pixels or in the units of
    /// [`set_scale`](Overlay::set_scale) or [`set_screen`](Overlay::set_screen). In pixels it is
    /// rounded, and clamped to 6 to 96.
    ///
    /// It may change from call to call at no cost: all sizes are kept, in one texture of 1 MiB, of
    /// which the part in use takes as much memory again. That is room for some 400 characters of
    /// 48 px, or 4,000 of 12 px. What does not fit shows as blocks, until
    /// half of what is there has not been used for 256 calls.
    pub fn set_text_size(&mut self, size: f32) {
        if size.is_finite() && size > 0.0 {
            self.text_px = size;
        }
    }

    /// Says what to do about the host's GL state: to ask for it and put it back, which is the
    /// default, or to ask nothing and leave what the host declares. In a browser the default is to leave
    /// what a new context has: see [`StateMode`].
    ///
    /// # Panics
    ///
    /// In a browser, with [`StateMode::Restore`].
    #[track_caller]
    pub fn set_state_mode(&mut self, mode: StateMode) {
        assert!(
            !IS_IN_BROWSER || mode != StateMode::Restore,
            "in a browser GL state cannot be restored, for what is bound cannot be asked for: declare it by \
             StateMode::Declared"
        );
        self.asks_viewport = false;
        self.mode = mode;
    }

    /// What was drawn under the point `px`, `py` by the last calls of the draw functions; in
    /// pixels, or in the units of [`set_screen`](Overlay::set_screen). The report is over the
    /// graph.
    pub fn hit(&self, px: f32, py: f32) -> Option<Hit> {
        let [x, y] = [px * self.scale[0], py * self.scale[1]];
        if let Some(row) = self.text.hit(x, y) {
            return Some(Hit::Row(row));
        }
        let hit = self.bars.hit(x, y)?;
        Some(Hit::Frame {
            number: hit.frame,
            zone: hit.zone,
        })
    }

    /// Fits scale and font to the viewport, has `lay_out` fill the list for a screen of that many
    /// pixels, and draws it.
    ///
    /// GL is never called with a lock held, so not by `lay_out`: a debug callback of the driver's may
    /// call back into the program, and that anything here.
    fn paint(&mut self, lay_out: impl FnOnce(&mut Overlay, [f32; 2])) {
        let viewport = match &self.mode {
            StateMode::Declared(host) if !self.asks_viewport => host.viewport,
            // SAFETY: the context is current (contract of `new`), here and below.
            _ => unsafe { self.canvas.viewport() },
        };
        let size = [viewport[2] as f32, viewport[3] as f32];
        if size[0] < 1.0 || size[1] < 1.0 {
            return;
        }
        let screen = self.screen.unwrap_or(size.map(|px| px / self.unit_px));
        self.scale = [size[0] / screen[0], size[1] / screen[1]];
        self.font.begin(self.text_px * self.scale[1]);
        self.list.clear();
        lay_out(self, size);
        let declared = match &self.mode {
            StateMode::Restore => None,
            StateMode::Declared(host) => Some(host),
        };
        // SAFETY: as above.
        unsafe {
            let image = &mut self.font.image;
            self.canvas.paint(&self.list, image, viewport, declared)
        }
    }
}

/// Whether there is a context that says its version: `glow` panics where there is none.
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

/// Lets [`gpu_zone!`](crate::gpu_zone!) measure in the context of `gl`, in a program that makes no
/// overlay of this `glow` context, or for longer than the overlay lives. Calls no GL.
///
/// `gl` is an `Rc`, an `Arc` or a `Box` of a context, or a reference to a static one. It is kept for as
/// long as the program runs, or until [`disable_gpu_zones`] is called on this thread: a context is known
/// by its address, at which there must be no other.
///
/// # Safety
///
/// Until then, the context must be current on the calling thread where a GPU zone of this `gl` begins and
/// ends, and where [`collect_gpu_times`] is called with it. `gl` derefs to the same context each time, as
/// `Rc`, `Arc`, `Box` and references do.
///
/// ```no_run
/// # fn context() -> glow::Context { unimplemented!() }
/// let gl = std::rc::Rc::new(context());
/// // SAFETY: it is the only context of this program, and made current on this thread.
/// unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
/// iprof::gpu_zone!(gl, "everything");
/// ```
pub unsafe fn enable_gpu_zones<C: Glow>(gl: impl Deref<Target = C> + 'static) {
    let gl: Rc<dyn Held> = Rc::new(gl);
    let keep = |contexts: &RefCell<Vec<ManuallyDrop<WithGpuZones>>>| {
        let mut contexts = contexts.borrow_mut();
        if !contexts.iter().any(|known| is_same(&*known.0, &*gl)) {
            // SAFETY: the caller's promise is the same.
            contexts.push(ManuallyDrop::new(unsafe { WithGpuZones::new(gl) }));
        }
    };
    // Past the end of the thread no more is measured on it.
    let _past_the_end = WITH_GPU_ZONES.try_with(keep);
}

/// Takes back [`enable_gpu_zones`], which was called on this thread, and lets go of the context: before
/// a context is destroyed, say. Zones that are open, and times that are not known yet, are given up; their
/// queries stay in the context unused. Calls no GL, so the context need not be current.
///
/// An overlay that was made of this `gl` goes on measuring.
pub fn disable_gpu_zones(gl: &impl Glow) {
    let take = |contexts: &RefCell<Vec<ManuallyDrop<WithGpuZones>>>| {
        let mut contexts = contexts.borrow_mut();
        let is_it = |known: &ManuallyDrop<WithGpuZones>| is_at(&*known.0, gl);
        let at = contexts.iter().position(is_it)?;
        Some(contexts.swap_remove(at))
    };
    // Dropped with nothing borrowed: it holds what is the host's, which may do anything.
    if let Ok(Some(context)) = WITH_GPU_ZONES.try_with(take) {
        drop(ManuallyDrop::into_inner(context));
    }
}

thread_local! {
    /// Contexts that were enabled on this thread. They outlive it, since dropping a context may call GL,
    /// and none is current where a thread ends.
    static WITH_GPU_ZONES: RefCell<Vec<ManuallyDrop<WithGpuZones>>> =
        const { RefCell::new(Vec::new()) };
}

fn is_same(held: &dyn Held, other: &dyn Held) -> bool {
    std::ptr::addr_eq(held.context(), other.context())
}

fn is_at(held: &dyn Held, gl: &impl Glow) -> bool {
    std::ptr::addr_eq(held.context(), gl.as_gpu_context())
}

/// Reads the times of the GPU zones of `gl` that are ready, of all frames that have ended: for a
/// program that goes on updating but draws nothing, where the next GPU zone would do that otherwise.
/// Waits for nothing, though the driver may send off what it has gathered.
///
/// Only zones of the calling thread are looked after. If nobody has promised that the context is
/// current, as [`enable_gpu_zones`] does, nothing is read, and no GL is called.
pub fn collect_gpu_times(gl: &impl Glow) {
    if is_recording_possible() {
        gl.collect();
    }
}

/// What the free functions use on a thread.
struct Current {
    /// None also while it is in use: who calls from within finds none.
    overlay: Option<Box<Overlay>>,
    /// How often another one was made current.
    changes: u64,
}

thread_local! {
    static CURRENT: RefCell<Current> = const {
        RefCell::new(Current { overlay: None, changes: 0 })
    };
}

/// The current overlay in use. Dropping it, be it by a panic, puts it back, unless another one has
/// been made current meanwhile.
struct InUse {
    overlay: Option<Box<Overlay>>,
    /// [`Current::changes`] when it was taken.
    changes: u64,
}

impl InUse {
    /// None if there is none, if it is in use already, or past the thread's end.
    fn take() -> Option<InUse> {
        let take = |current: &RefCell<Current>| {
            let mut current = current.borrow_mut();
            let overlay = Some(current.overlay.take()?);
            let changes = current.changes;
            Some(InUse { overlay, changes })
        };
        CURRENT.try_with(take).ok().flatten()
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // What is not put back is dropped by the caller, with nothing borrowed: it holds what is the
        // host's, which may do anything.
        let _past_the_end = CURRENT.try_with(|current| {
            let mut current = current.borrow_mut();
            if current.changes == self.changes {
                current.overlay = self.overlay.take();
            }
        });
    }
}

/// Makes an overlay for the context of `gl` and makes it current on this thread, for
/// [`draw_gl`] and the other free functions. The one that was current before is dropped.
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
/// As [`Overlay::new`].
///
/// # Safety
///
/// As [`Overlay::new`]: the context must be current on this thread now and whenever one of the free
/// functions is called on it.
pub unsafe fn init<C: Glow>(gl: impl Deref<Target = C> + 'static) -> Result<(), GlError> {
    // SAFETY: the caller's promise is the same.
    let overlay = unsafe { Overlay::new(gl) }?;
    make_current(Some(overlay));
    Ok(())
}

/// Like [`init`], for a host that has no `glow`.
///
/// # Errors
///
/// As [`Overlay::new`].
///
/// # Safety
///
/// As [`Overlay::from_loader`], for as long as [`init`] says.
#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
pub unsafe fn init_from_loader(loader: impl FnMut(&CStr) -> *const c_void) -> Result<(), GlError> {
    // SAFETY: the caller's promise is the same.
    let overlay = unsafe { Overlay::from_loader(loader) }?;
    make_current(Some(overlay));
    Ok(())
}

/// Makes `overlay` the one that the free functions use on this thread, or none; returns the one
/// that was. A program with several contexts swaps overlays when it swaps contexts.
///
/// If the one that was is in use, by [`with_current`] or by a function that has made the driver call back
/// into the program, it cannot be returned: it is dropped at the end of that use. In the destructor of
/// a thread-local value there may be none any more: then `overlay` is dropped.
pub fn make_current(overlay: Option<Overlay>) -> Option<Overlay> {
    let overlay = overlay.map(Box::new);
    let replace = |current: &RefCell<Current>| {
        let mut current = current.borrow_mut();
        current.changes += 1;
        std::mem::replace(&mut current.overlay, overlay)
    };
    Some(*CURRENT.try_with(replace).ok()??)
}

/// Calls `f` with the overlay that is current on this thread; `None` if there is none, or if it is in
/// use: within `f` there is no current overlay, and [`draw_gl`] and the other free functions do
/// nothing.
///
/// # Panics
///
/// If `f` does. The overlay stays current.
pub fn with_current<R>(f: impl FnOnce(&mut Overlay) -> R) -> Option<R> {
    let mut in_use = InUse::take()?;
    in_use.overlay.as_deref_mut().map(f)
}

/// [`Overlay::draw_gl`] of the overlay that is current on this thread; nothing if there is none.
///
/// A debug callback of the driver's (`GL_DEBUG_OUTPUT_SYNCHRONOUS`) may call any function of this
/// crate while this draws, as long as it makes no GL call. Those that use the current overlay do
/// nothing there.
pub fn draw_gl(x: f32, y: f32, w: f32, h: f32, precision: u32) {
    with_current(|overlay| overlay.draw_gl(x, y, w, h, precision));
}

/// [`Overlay::draw_graph_gl`] of the overlay that is current on this thread; nothing if there is
/// none.
pub fn draw_graph_gl(x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
    with_current(|overlay| overlay.draw_graph_gl(x, y, x_spacing, y_spacing));
}

/// [`Overlay::set_screen`] of the overlay that is current on this thread.
pub fn set_screen(w: f32, h: f32) {
    with_current(|overlay| overlay.set_screen(w, h));
}

/// [`Overlay::draw_tooltip_gl`] of the overlay that is current on this thread; nothing if there is
/// none.
pub fn draw_tooltip_gl() {
    with_current(Overlay::draw_tooltip_gl);
}

/// [`Overlay::pointer`] of the overlay that is current on this thread, done to the default view;
/// returns whether the overlay took the event. No if there is none.
///
/// ```no_run
/// use iprof::gl::PointerEvent;
///
/// // when the mouse has moved:
/// let taken = iprof::pointer(PointerEvent::Moved { x: 100.0, y: 80.0 });
/// if !taken {
///     // The event is for the camera.
/// }
/// ```
pub fn pointer(event: PointerEvent) -> bool {
    let response = with_current(|overlay| overlay.pointer(event)).unwrap_or_default();
    if let Some(action) = response.action {
        act(action);
    }
    response.taken
}

/// [`Overlay::hit`] of the overlay that is current on this thread.
pub fn hit(px: f32, py: f32) -> Option<Hit> {
    with_current(|overlay| overlay.hit(px, py)).flatten()
}
