//! The overlay without a renderer: report, graph, flame graph, help and tooltip as vertices, and what a pointer does on them.
//!
//! An [`Overlay`] turns what the profiler has measured into plain data: vertices and indices of textured triangles, and
//! the texture that they refer to. [`gl::Painter`](crate::gl::Painter) draws these with OpenGL, and the package
//! `iprof-wgpu` with wgpu. A program with another renderer, by Vulkan, Metal, Direct3D or in software, draws them
//! itself:
//!
//! ```
//! use iprof::overlay::Overlay;
//!
//! let mut overlay = Overlay::new();
//! // each frame, for a target of 1280 by 720 pixels:
//! iprof::update(true);
//! let mut frame = overlay.begin([1280.0, 720.0]);
//! frame.draw_default(20.0, 20.0, 560.0, 400.0, 2);
//! frame.draw_default_graph(20.0, 460.0, 2.0, 4.0);
//! frame.draw_tooltip();
//!
//! let data = overlay.draw_data();
//! # let (mut texture_version, mut vertex_buffer) = (0, Vec::new());
//! if let Some(changed) = data.atlas_changes(texture_version) {
//!     // Upload `changed.pixels` to that rectangle of a texture with one channel.
//!     texture_version = data.atlas_version();
//! }
//! vertex_buffer.extend_from_slice(data.vertices());
//! // One draw call of `data.index_count()` indices: see `DrawData`.
//! ```
//!
//! `examples/software.rs` draws them into a picture in memory, with no graphics library at all.
//!
//! This module connects `iprof-report`, which turns measurements into plain data, with the rest of `draw`, which turns plain
//! data into rectangles. Neither depends on the other.

mod draw_data;
mod frame;
mod graph;
mod pointer;
mod report;
mod touch;

pub use crate::draw::{AtlasRect, FontError, Theme, Vertex};
pub use draw_data::{DrawData, quad_indices};
pub use frame::{Frame, Source};
pub(crate) use graph::GraphPlace;
pub use pointer::{PointerButton, PointerEvent, PointerResponse};
pub use touch::TouchPhase;

use crate::draw::help::HelpText;
use crate::draw::{BarsArea, FlameArea, Font, HelpArea, ReportArea, Tooltip};
use crate::program::shown::Shown;
use frame::Listed;
use iprof_report::CallPath;
use pointer::{Drawn, Pointer};
use std::fmt;
use std::sync::Arc;
use touch::Touch;

// One zone for each kind of drawing: two zones of the same name would be two rows.
crate::define_zone!(pub(crate) DRAW, "iprof_draw");
crate::define_zone!(pub(crate) DRAW_GRAPH, "iprof_draw_graph");
crate::define_zone!(pub(crate) DRAW_FLAME, "iprof_draw_flame");

/// Default height of the text in px.
const TEXT_PX: f32 = 12.0;

/// Limit of coordinates: no target is larger, and from 16 million on a float cannot distinguish pixels.
/// No row or character is laid out beyond it.
const FARTHEST_PX: f32 = 65_536.0;

/// Lays out the report, the graph, the help and the tooltip as vertices, and handles pointer and touch.
///
/// The origin is the top left corner of the target, y points down, and the unit is a pixel, unless
/// [`set_screen`](Overlay::set_screen) or [`set_scale`](Overlay::set_scale) changes it.
///
/// Each frame, [`begin`](Overlay::begin) a frame, add the parts to it, and draw its
/// [data](Overlay::draw_data): see the [module](crate::overlay). [`gl::Painter::draw`](crate::gl::Painter::draw) does this
/// for the current viewport.
///
/// ```
/// use iprof::overlay::{Hit, Overlay};
///
/// let mut overlay = Overlay::new();
/// overlay.set_screen(640.0, 480.0);
/// // each frame:
/// overlay.begin([1920.0, 1440.0]).draw_default(10.0, 10.0, 400.0, 300.0, 2);
/// // on a click:
/// match overlay.hit(50.0, 80.0) {
///     Some(Hit::Row(row)) => iprof::set_cursor(row),
///     Some(Hit::Frame { number, .. }) => {
///         iprof::act(iprof::Action::SetFrames(iprof::Frames::Number(number)));
///     }
///     _ => {}
/// }
/// ```
pub struct Overlay {
    /// Of the target, in px.
    size: [f32; 2],
    font: Font,
    rows: ReportArea,
    /// Whose rows are in `rows`.
    listed: Listed,
    /// What the view of the host's has on the screen that was drawn last.
    shown: Shown,
    bars: BarsArea,
    flame: FlameArea,
    tooltip: Tooltip,
    help: HelpArea,
    help_text: HelpText,
    pointer: Pointer,
    touch: Touch,
    /// The theme of the current frame, and those to choose from.
    theme: Theme,
    themes: ThemeChoice,
    screen: Option<[f32; 2]>,
    /// px per unit, if `screen` is not set.
    unit_px: f32,
    text_px: f32,
    /// px per unit of the screen at the last draw.
    scale: [f32; 2],
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay")
            .field("size", &self.size)
            .field("screen", &self.screen)
            .field("unit_px", &self.unit_px)
            .field("text_px", &self.text_px)
            .finish_non_exhaustive()
    }
}

impl Default for Overlay {
    fn default() -> Overlay {
        Overlay::new()
    }
}

/// The row, the frame or the call path at a point of the overlay: the result of [`Overlay::hit`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hit {
    /// A row of the report: its position, for [`set_cursor`](crate::set_cursor).
    Row(usize),
    /// A frame of the graph.
    #[non_exhaustive]
    Frame {
        /// Its number, for [`Frames::Number`](crate::Frames::Number).
        number: u64,
        /// The name of the zone whose segment of the bar was hit; `None` above the bar. With
        /// [`GraphStyle::Lines`](crate::GraphStyle::Lines), the zone of the line next to the point, if one
        /// is near.
        zone: Option<Arc<str>>,
    },
    /// A call path of the flame graph, for [`View::set_flame_cursor`](crate::View::set_flame_cursor). Of callees that
    /// are folded into one box, that with the most time.
    CallPath(CallPath),
}

impl Overlay {
    /// An overlay with the font of this crate, in 12 pixels, and the dark theme. Nothing is drawn yet.
    #[must_use]
    pub fn new() -> Overlay {
        Overlay {
            size: [0.0; 2],
            font: Font::new(TEXT_PX),
            rows: ReportArea::default(),
            listed: Listed::default(),
            shown: Shown::default(),
            bars: BarsArea::default(),
            flame: FlameArea::default(),
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
        }
    }

    /// Begins a frame, for a target of that width and height in pixels. It discards what was drawn
    /// before. What is added to the frame is in [`draw_data`](Overlay::draw_data).
    ///
    /// If a side is less than a pixel, or not finite, nothing is drawn.
    pub fn begin(&mut self, size: [f32; 2]) -> Frame<'_> {
        let is_valid = size.iter().all(|px| px.is_finite() && *px >= 1.0);
        self.size = if is_valid { size } else { [0.0; 2] };
        self.font.list.clear();
        if is_valid {
            self.fit_scale();
            self.font.begin(self.text_px * self.scale[1]);
        }
        self.theme = self.themes.current();
        self.go_on()
    }

    /// The frame that [`begin`](Overlay::begin) has begun, for C, which cannot hold it.
    #[doc(hidden)]
    pub fn go_on(&mut self) -> Frame<'_> {
        Frame { overlay: self }
    }

    /// Fits scale and font to the target. Returns the target's size; `None` if nothing is drawn there.
    fn begin_part(&mut self) -> Option<[f32; 2]> {
        if self.size[0] < 1.0 {
            return None;
        }
        self.fit_scale();
        self.font.set_px(self.text_px * self.scale[1]);
        Some(self.size)
    }

    fn fit_scale(&mut self) {
        let screen = self.screen.unwrap_or(self.size.map(|px| px / self.unit_px));
        self.scale = [self.size[0] / screen[0], self.size[1] / screen[1]];
    }

    /// A rectangle in px: left, top, right and bottom edge. `None` if it is empty or not finite.
    fn rect_px(&self, [x, y, w, h]: [f32; 4]) -> Option<[f32; 4]> {
        let [sx, sy] = self.scale;
        let rect = [x * sx, y * sy, (x + w) * sx, (y + h) * sy];
        let is_valid = rect.iter().all(|edge| edge.is_finite()) && w > 0.0 && h > 0.0;
        is_valid.then(|| rect.map(|edge| edge.clamp(-FARTHEST_PX, FARTHEST_PX)))
    }

    /// The pointer's position, unless the help lies there.
    fn hovered(&self) -> Option<[f32; 2]> {
        self.pointer.hover().filter(|at| !self.help.covers(*at))
    }

    /// Whether there is a tooltip to draw.
    pub(crate) fn has_tooltip(&self) -> bool {
        self.pointer.hover().is_some() && !self.tooltip.is_empty()
    }

    /// Handles a pointer event. Returns whether the overlay used it, and the action for the view that it
    /// shows. Buttons select rows and frames, or expand rows in place; dragging over bars selects a
    /// [range](crate::Frames::Range); the wheel moves the cursor, or scrolls and zooms the
    /// graph, over the labels of its axis vertically; the tooltip describes what is under the pointer.
    ///
    /// ```
    /// use iprof::View;
    /// use iprof::overlay::{Overlay, PointerButton, PointerEvent};
    ///
    /// let (mut overlay, mut view) = (Overlay::new(), View::default());
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
    /// It refers to what was drawn last. While the overlay is not drawn, pass it no events
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
        let now = crate::clock::Instant::now();
        let drawn = Drawn {
            rows: &self.rows,
            bars: &self.bars,
            flame: &self.flame,
            help: &self.help,
        };
        self.pointer.take(event, now, drawn)
    }

    /// Sets the size of the screen in the host's units, independent of the size of the target: 640 by 480
    /// for any window, for example. A value that is not positive and finite restores pixels.
    ///
    /// Text keeps its shape: it scales with the height of the target over that of the screen.
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
    /// collection, its first font. What the current frame has so far is discarded.
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
    /// let mut overlay = iprof::overlay::Overlay::new();
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
    /// cached glyphs have not been used for 256 drawings.
    pub fn set_text_size(&mut self, size: f32) {
        if size.is_finite() && size > 0.0 {
            self.text_px = size;
        }
    }

    /// The row, frame or call path that was last drawn at the point `x`, `y`, in the units in which it was drawn. The report lies
    /// over the flame graph, and that over the graph.
    #[must_use]
    pub fn hit(&self, x: f32, y: f32) -> Option<Hit> {
        let [x, y] = [x * self.scale[0], y * self.scale[1]];
        if self.help.covers([x, y]) {
            return None;
        }
        if let Some(row) = self.rows.hit(x, y) {
            return Some(Hit::Row(row));
        }
        if let Some(hit) = self.flame.hit(x, y) {
            return Some(Hit::CallPath(hit.path));
        }
        let hit = self.bars.hit(x, y)?;
        Some(Hit::Frame {
            number: hit.frame,
            zone: hit.zone,
        })
    }
}

/// The host's theme, and how often the user has changed it: here, and in the default view when that was drawn
/// last.
#[derive(Clone, Copy, Debug)]
struct ThemeChoice {
    hosts: Theme,
    turns: u32,
    turns_of_view: u32,
}

impl Default for ThemeChoice {
    fn default() -> ThemeChoice {
        ThemeChoice {
            hosts: Theme::DARK,
            turns: 0,
            turns_of_view: 0,
        }
    }
}

impl ThemeChoice {
    /// The theme after these changes: the host's, then the others of this crate, the host's again.
    fn current(&self) -> Theme {
        let hosts = &self.hosts;
        let others = || Theme::ALL.into_iter().filter(|theme| theme != hosts);
        let turns = self.turns.wrapping_add(self.turns_of_view) as usize;
        let turns = turns % (1 + others().count());
        let other = turns.checked_sub(1).and_then(|at| others().nth(at));
        other.unwrap_or(self.hosts)
    }
}

impl Overlay {
    /// Sets the colors: [`Theme::DARK`] by default. The user can change them, by
    /// [`Action::NextTheme`](crate::Action::NextTheme), and returns to these.
    ///
    /// ```
    /// use iprof::overlay::Theme;
    ///
    /// let mut overlay = iprof::overlay::Overlay::new();
    /// overlay.set_theme(Theme::LIGHT);
    /// ```
    pub fn set_theme(&mut self, theme: Theme) {
        self.themes = ThemeChoice {
            hosts: theme,
            ..ThemeChoice::default()
        };
    }

    /// Takes over the user's changes of the theme in the default view.
    fn follow_theme(&mut self, turns: u32) {
        self.themes.turns_of_view = turns;
        self.theme = self.themes.current();
    }

    /// Changes to the next theme: the host's, then the other ones of dark, light, and for the color-blind. For
    /// reports and graphs of the host's: in the default view, [`Action::NextTheme`](crate::Action::NextTheme)
    /// does so.
    pub fn next_theme(&mut self) {
        self.themes.turns = self.themes.turns.wrapping_add(1);
    }
}

#[cfg(all(test, not(loom)))]
mod theme_tests {
    use super::*;

    #[test]
    fn themes_take_turns_beginning_with_the_hosts() {
        let mut own = Theme::LIGHT;
        own.text = [1, 2, 3, 255];
        for hosts in [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND, own] {
            let count = if hosts == own { 4_u32 } else { 3 };
            let after = |turns: u32| {
                let choice = ThemeChoice {
                    hosts,
                    turns: turns / 2,
                    turns_of_view: turns - turns / 2,
                };
                choice.current()
            };
            let seen: Vec<Theme> = (0..count).map(after).collect();
            assert_eq!(seen[0], hosts);
            assert!(Theme::ALL.iter().all(|theme| seen.contains(theme)));
            assert_eq!(after(count), hosts, "it returns");
        }
    }
}
