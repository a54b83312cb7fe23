//! The overlay without a renderer. This module lays out the report, graph, flame graph, help and tooltip as vertices,
//! and handles pointer input.
//!
//! An [`Overlay`] produces plain data: vertices and indices of textured triangles, and the texture that they use.
//! [`gl::Painter`](crate::gl::Painter) draws them with OpenGL, and the `iprof-wgpu` crate draws them with wgpu. A
//! program with any other renderer, such as Vulkan, Metal, Direct3D or software, draws them itself:
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
//! `examples/software.rs` draws into an image in memory, without any graphics library.

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
use crate::program::display_state::DisplayState;
use frame::ReportSource;
use iprof_report::CallPath;
use pointer::{Drawn, Pointer};
use std::fmt;
use std::sync::Arc;
use touch::Touch;

// Each kind of drawing has a single zone, because two zones with the same name would appear as two rows.
crate::define_zone!(pub(crate) DRAW, "iprof_draw");
crate::define_zone!(pub(crate) DRAW_GRAPH, "iprof_draw_graph");
crate::define_zone!(pub(crate) DRAW_FLAME, "iprof_draw_flame");

/// The default text height in px.
const TEXT_PX: f32 = 12.0;

/// No row or character is laid out beyond this coordinate. No target is larger, and floats cannot distinguish pixels
/// above 16 million.
const FARTHEST_PX: f32 = 65_536.0;

/// Lays out the report, the graph, the help and the tooltip as vertices, and handles pointer and touch input.
///
/// The origin is the top left corner of the target, y points down, and the unit is a pixel, unless
/// [`set_screen`](Overlay::set_screen) or [`set_scale`](Overlay::set_scale) changes it.
///
/// Each frame, call [`begin`](Overlay::begin), add parts to the frame, and draw the frame's [data](Overlay::draw_data),
/// as shown in the [module](crate::overlay). [`gl::Painter::draw`](crate::gl::Painter::draw) does all this for the
/// current viewport.
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
    /// The size of the target in px.
    size: [f32; 2],
    font: Font,
    rows: ReportArea,
    /// The source of the report in `rows`.
    report_source: ReportSource,
    /// The display state for the host's view, as last drawn.
    display: DisplayState,
    bars: BarsArea,
    flame: FlameArea,
    tooltip: Tooltip,
    help: HelpArea,
    help_text: HelpText,
    pointer: Pointer,
    touch: Touch,
    /// The theme of the current frame.
    theme: Theme,
    themes: ThemeChoice,
    screen: Option<[f32; 2]>,
    /// The number of px per unit, if `screen` is not set.
    unit_px: f32,
    text_px: f32,
    /// The number of px per screen unit at the last draw.
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

/// The row, frame or call path at a point of the overlay, as returned by [`Overlay::hit`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hit {
    /// The position of a row in the report, for [`set_cursor`](crate::set_cursor).
    Row(usize),
    /// A frame in the graph.
    #[non_exhaustive]
    Frame {
        /// The frame's number, for [`Frames::Number`](crate::Frames::Number).
        number: u64,
        /// The zone whose segment of the bar was hit, or `None` above the bar. With
        /// [`GraphStyle::Lines`](crate::GraphStyle::Lines), the zone of the nearest line, if one is near the point.
        zone: Option<Arc<str>>,
    },
    /// A call path in the flame graph, for [`View::set_flame_cursor`](crate::View::set_flame_cursor). If callees are
    /// folded into one box, this is the callee with the most time.
    CallPath(CallPath),
}

impl Overlay {
    /// Creates an overlay with this crate's font, at 12 pixels, and the dark theme.
    #[must_use]
    pub fn new() -> Overlay {
        Overlay {
            size: [0.0; 2],
            font: Font::new(TEXT_PX),
            rows: ReportArea::default(),
            report_source: ReportSource::default(),
            display: DisplayState::default(),
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

    /// Begins a frame for a target of width and height `size`, in pixels, and discards the previous frame.
    ///
    /// [`draw_data`](Overlay::draw_data) returns the parts that you add to the frame. Nothing is drawn if the width or
    /// height is less than a pixel or not finite.
    pub fn begin(&mut self, size: [f32; 2]) -> Frame<'_> {
        let is_valid = size.iter().all(|px| px.is_finite() && *px >= 1.0);
        self.size = if is_valid { size } else { [0.0; 2] };
        self.font.list.clear();
        if is_valid {
            self.fit_scale();
            self.font.begin(self.text_px * self.scale[1]);
        }
        self.theme = self.themes.current();
        self.current_frame()
    }

    /// Returns the frame started by [`begin`](Overlay::begin), for the C API, which cannot hold a [`Frame`].
    #[doc(hidden)]
    pub fn current_frame(&mut self) -> Frame<'_> {
        Frame { overlay: self }
    }

    /// Adapts the scale and font to the target. Returns the target's size, or `None` if nothing should be drawn.
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

    /// Converts a rectangle to its left, top, right and bottom edges in px, or returns `None` if it is empty or not
    /// finite.
    fn rect_px(&self, [x, y, w, h]: [f32; 4]) -> Option<[f32; 4]> {
        let [sx, sy] = self.scale;
        let rect = [x * sx, y * sy, (x + w) * sx, (y + h) * sy];
        let is_valid = rect.iter().all(|edge| edge.is_finite()) && w > 0.0 && h > 0.0;
        is_valid.then(|| rect.map(|edge| edge.clamp(-FARTHEST_PX, FARTHEST_PX)))
    }

    /// Returns the pointer's position, unless the help covers it.
    fn hovered(&self) -> Option<[f32; 2]> {
        self.pointer.hover().filter(|at| !self.help.covers(*at))
    }

    pub(crate) fn has_tooltip(&self) -> bool {
        self.pointer.hover().is_some() && !self.tooltip.is_empty()
    }

    /// Handles a pointer event. Returns whether the overlay used it, and an action for the view that it shows.
    ///
    /// Buttons select rows and frames, or expand rows in place. Dragging over bars selects a
    /// [range](crate::Frames::Range). The wheel moves the cursor, or scrolls and zooms the graph, vertically if the
    /// pointer is over the axis labels. The tooltip describes the item under the pointer.
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
    /// Positions refer to the last drawn frame. While the overlay is not drawn, pass it no events except
    /// [`PointerEvent::LeftWindow`]. All actions also work without a pointer: pass an [`Action`](crate::Action) to
    /// [`act`](crate::act).
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

    /// Works like [`pointer`](Overlay::pointer), with positions in pixels.
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

    /// Sets the size of the screen in units of your choice, independent of the target's size. For example, use 640×480
    /// for any window.
    ///
    /// Text is not distorted: it scales with the target's height divided by the screen's height. A value that is not
    /// positive and finite restores pixels.
    pub fn set_screen(&mut self, w: f32, h: f32) {
        let valid = |size: f32| size.is_finite() && size > 0.0;
        self.screen = (valid(w) && valid(h)).then_some([w, h]);
        self.unit_px = 1.0;
    }

    /// Sets the number of pixels per unit, for coordinates and text size. Window libraries report this number as the
    /// display's scale factor, such as 1.25 or 2.
    ///
    /// This setting and [`set_screen`](Overlay::set_screen) override each other. Text and edges are aligned to whole
    /// pixels at any scale: at 1.25, text of size 12 is 15 px high, and text of size 13 is 16 px high, not 16.25. A
    /// value that is not positive and finite counts as 1.
    pub fn set_scale(&mut self, scale: f32) {
        let valid = scale.is_finite() && scale > 0.0;
        self.unit_px = if valid { scale } else { 1.0 };
        self.screen = None;
    }

    /// Uses the font `ttf` for all subsequent text, and discards the current frame's contents.
    ///
    /// `ttf` is the contents of a TrueType or OpenType file. In a font collection, the first font is used. All digits
    /// should have the same width, as in most fonts, so that number columns do not move. The font doesn't have to be
    /// monospaced.
    ///
    /// Characters that the font lacks are drawn with the overlay's own font, which contains Latin-1, `Δ` `σ` `…` `–`
    /// `≤` `≥`, arrows and boxes. Characters missing from both fonts are drawn as an empty box. There is no text
    /// shaping: each character is one glyph, from left to right.
    ///
    /// This method parses all of the font's outlines, which takes a long time for a font with full Chinese coverage.
    /// The bytes are not needed afterward.
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
    /// Returns an error if the bytes are not a valid font. The overlay then keeps its previous font.
    pub fn set_font(&mut self, ttf: &[u8]) -> Result<(), FontError> {
        self.font.set_ttf(ttf)
    }

    /// Sets the height of text: 12 by default, in pixels or in the units of [`set_scale`](Overlay::set_scale) or
    /// [`set_screen`](Overlay::set_screen).
    ///
    /// In pixels, the height is rounded and clamped to 6 to 96. Changing the size between calls costs nothing: glyphs
    /// of all sizes share a single 1 MiB texture. The used portion is also kept in main memory. The texture has room
    /// for about 400 characters at 48 px, or 4,000 at 12 px. Further characters are drawn as blocks, until half of the
    /// cached glyphs have been unused for 256 drawings.
    pub fn set_text_size(&mut self, size: f32) {
        if size.is_finite() && size > 0.0 {
            self.text_px = size;
        }
    }

    /// Returns the row, frame or call path last drawn at the point `x`, `y`, in the units used for drawing.
    ///
    /// The report covers the flame graph, and the flame graph covers the graph.
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

/// The host's theme, and the number of times the user has changed the theme: in this overlay, and in the default view
/// when it was last drawn.
#[derive(Clone, Copy, Debug)]
struct ThemeChoice {
    host_theme: Theme,
    changes: u32,
    changes_of_view: u32,
}

impl Default for ThemeChoice {
    fn default() -> ThemeChoice {
        ThemeChoice {
            host_theme: Theme::DARK,
            changes: 0,
            changes_of_view: 0,
        }
    }
}

impl ThemeChoice {
    /// Returns the theme after the user's changes. The changes cycle from the host's theme through this crate's other
    /// themes and back.
    fn current(&self) -> Theme {
        let host_theme = &self.host_theme;
        let others = || Theme::ALL.into_iter().filter(|theme| theme != host_theme);
        let changes = self.changes.wrapping_add(self.changes_of_view) as usize;
        let changes = changes % (1 + others().count());
        let other = changes.checked_sub(1).and_then(|at| others().nth(at));
        other.unwrap_or(self.host_theme)
    }
}

impl Overlay {
    /// Sets the colors: [`Theme::DARK`] by default. [`Action::NextTheme`](crate::Action::NextTheme) lets the user cycle
    /// through the other themes and back to this one.
    ///
    /// ```
    /// use iprof::overlay::Theme;
    ///
    /// let mut overlay = iprof::overlay::Overlay::new();
    /// overlay.set_theme(Theme::LIGHT);
    /// ```
    pub fn set_theme(&mut self, theme: Theme) {
        self.themes = ThemeChoice {
            host_theme: theme,
            ..ThemeChoice::default()
        };
    }

    /// Adopts the theme changes that the user made in the default view.
    fn follow_theme(&mut self, changes: u32) {
        self.themes.changes_of_view = changes;
        self.theme = self.themes.current();
    }

    /// Changes to the next theme. The themes in the cycle are your own theme, followed by the remaining themes out of
    /// dark, light and color-blind.
    ///
    /// Use it with your own views. In the default view, [`Action::NextTheme`](crate::Action::NextTheme) does this.
    pub fn next_theme(&mut self) {
        self.themes.changes = self.themes.changes.wrapping_add(1);
    }
}

#[cfg(all(test, not(loom)))]
mod theme_tests {
    use super::*;

    #[test]
    fn next_theme_cycles_through_all_themes() {
        let mut own = Theme::LIGHT;
        own.text = [1, 2, 3, 255];
        for host_theme in [Theme::DARK, Theme::LIGHT, Theme::COLOR_BLIND, own] {
            let count = if host_theme == own { 4_u32 } else { 3 };
            let after = |changes: u32| {
                let choice = ThemeChoice {
                    host_theme,
                    changes: changes / 2,
                    changes_of_view: changes - changes / 2,
                };
                choice.current()
            };
            let seen: Vec<Theme> = (0..count).map(after).collect();
            assert_eq!(seen[0], host_theme);
            assert!(Theme::ALL.iter().all(|theme| seen.contains(theme)));
            assert_eq!(
                after(count),
                host_theme,
                "the cycle should return to the host's theme"
            );
        }
    }
}
