//! A frame of the overlay, to which the host adds parts.

use super::{DRAW, DRAW_FLAME, Overlay};
use crate::draw::Subject;
use crate::input::bindings::Bindings;
use crate::program;
use crate::program::display_state::DisplayState;
use iprof_process::Profiler;
use iprof_report::{Flame, Graph, Report, View};

/// A frame of the overlay, started by [`Overlay::begin`]. Add parts to it from back to front.
///
/// Rectangles are given as left, top, width and height, in target pixels or in the units of [`Overlay::set_scale`] or
/// [`Overlay::set_screen`].
#[derive(Debug)]
#[must_use = "add parts, then draw the overlay's `draw_data`"]
pub struct Frame<'a> {
    pub(super) overlay: &'a mut Overlay,
}

/// The source of a report, graph or flame graph. References to a view, or to the data itself, convert into it.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a, T> {
    /// The current data of one of your views.
    View(&'a View),
    /// Data that you hold, from the past or from a different program.
    Held(&'a T),
}

impl<'a, T> From<&'a View> for Source<'a, T> {
    fn from(view: &'a View) -> Source<'a, T> {
        Source::View(view)
    }
}

impl<'a> From<&'a Report> for Source<'a, Report> {
    fn from(report: &'a Report) -> Source<'a, Report> {
        Source::Held(report)
    }
}

impl<'a> From<&'a Graph> for Source<'a, Graph> {
    fn from(graph: &'a Graph) -> Source<'a, Graph> {
        Source::Held(graph)
    }
}

impl<'a> From<&'a Flame> for Source<'a, Flame> {
    fn from(flame: &'a Flame) -> Source<'a, Flame> {
        Source::Held(flame)
    }
}

impl Frame<'_> {
    /// Sets the text height for all parts added from now on, including in later frames: see [`Overlay::set_text_size`].
    pub fn set_text_size(&mut self, size: f32) {
        self.overlay.set_text_size(size);
    }

    /// Adds the tooltip for the row or frame under the pointer, in a box next to the pointer and inside the target.
    ///
    /// For a row, the tooltip shows the zone's name, its source location, and all values with four decimal places. For
    /// a frame, it shows the length, the marks, and the zone under the pointer.
    ///
    /// Add the tooltip last, so that the box covers all other parts. If the [pointer](Overlay::pointer) is not over a
    /// drawn part, this draws nothing and costs nothing.
    pub fn draw_tooltip(&mut self) {
        if !self.overlay.has_tooltip() {
            return;
        }
        crate::zone!(&DRAW);
        let (Some(point), Some(size)) = (self.overlay.pointer.hover(), self.overlay.begin_part())
        else {
            return;
        };
        let Overlay {
            font,
            tooltip,
            theme,
            ..
        } = &mut *self.overlay;
        tooltip.lay_out(font, theme, point, size);
        // A part that is not drawn in the next frame must not leave its tooltip behind.
        tooltip.clear();
    }
}

/// The source of the last drawn report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ReportSource {
    #[default]
    Nothing,
    DefaultView,
    /// A view owned by the host.
    View,
    /// A report held by the host.
    Report,
}

/// A view and its display state, with the program's lock held, while parts are being drawn.
pub(crate) struct Screen<'a> {
    pub(crate) overlay: &'a mut Overlay,
    pub(super) profiler: &'a Profiler,
    pub(super) view: &'a View,
    pub(super) display: &'a mut DisplayState,
    pub(super) report_source: ReportSource,
}

impl Frame<'_> {
    /// Calls `draw` with the host's view, or with the default view. Takes the lock only once, for any number of parts.
    pub(crate) fn with_screen(&mut self, view: Option<&View>, draw: impl FnOnce(&mut Screen<'_>)) {
        let overlay = &mut *self.overlay;
        let mut program = program::lock();
        if let Some(view) = view {
            let mut display = std::mem::take(&mut overlay.display);
            draw(&mut Screen {
                overlay,
                profiler: program.profiler(),
                view,
                display: &mut display,
                report_source: ReportSource::View,
            });
            overlay.display = display;
        } else {
            let (profiler, view, display) = program.parts();
            overlay.follow_theme(display.theme_changes);
            draw(&mut Screen {
                overlay,
                profiler,
                view,
                display,
                report_source: ReportSource::DefaultView,
            });
        }
    }
}

impl Frame<'_> {
    /// Adds a page of the help in the rectangle: key bindings, pointer, modes, columns and colors. Returns the number
    /// of pages.
    ///
    /// The number of pages is at least 1 and depends on the size of the rectangle and the text, since nothing is cut
    /// off. Pages are counted from 1. A number beyond the last page shows the last page.
    /// [`Controls::draw_help`](crate::Controls::draw_help) adds the page selected by the user.
    ///
    /// Draws nothing if the rectangle is empty, not finite, or too small for a title, a line of text and the footer.
    pub fn draw_help(
        &mut self,
        bindings: &Bindings,
        page: usize,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    ) -> usize {
        crate::zone!(&DRAW);
        let Some(rect) = self.overlay.begin_help(bindings, [x, y, w, h]) else {
            return 1;
        };
        let Overlay {
            font,
            help,
            help_text,
            theme,
            ..
        } = &mut *self.overlay;
        help.lay_out(font, theme, help_text, page, rect)
    }

    /// Adds a hint about the help, `F1 help` with the bound key, in the report's rectangle.
    ///
    /// The hint is in one of the lines above the rows if there is room, or else in the upper right corner. Clicking the
    /// hint triggers [`Action::NextHelpPage`](crate::Action::NextHelpPage). Draws nothing if no key is bound to that
    /// action, or if there is no room.
    pub fn draw_help_hint(&mut self, bindings: &Bindings, x: f32, y: f32, w: f32, h: f32) {
        crate::zone!(&DRAW);
        let Some(rect) = self.overlay.begin_help(bindings, [x, y, w, h]) else {
            return;
        };
        let Overlay {
            font,
            rows,
            help,
            help_text,
            theme,
            ..
        } = &mut *self.overlay;
        help.lay_out_hint(font, theme, help_text.hint(), rect, rows.free());
    }
}

impl Overlay {
    /// Updates the help text. Returns the rectangle in px, or `None` if nothing should be drawn.
    fn begin_help(&mut self, bindings: &Bindings, rect: [f32; 4]) -> Option<[f32; 4]> {
        self.help_text.update(bindings);
        self.begin_part()?;
        self.rect_px(rect)
    }
}

impl Frame<'_> {
    /// Adds the default view's flame graph in the rectangle with its top left corner at `x`, `y`: the call tree of the
    /// frames and threads in view, with the root on top.
    ///
    /// A box's width is proportional to its call path's time, and its color is the zone's color in the graph. Threads
    /// are added up, and [idle](crate::View::idle_ranked) time has no width unless it is ranked. Callees narrower than
    /// a pixel are folded into one box. The selected zone, under the cursor in the rows or in the flame graph, is
    /// highlighted in all its boxes. With a [baseline](crate::View::set_baseline), colors show which call paths took
    /// more or less time than in the baseline.
    ///
    /// A click moves the flame graph's cursor to a call path: [`Action::ClickFlame`](crate::Action::ClickFlame). A
    /// double click, within half a second, zooms to it: [`Action::ZoomFlame`](crate::Action::ZoomFlame). The secondary
    /// button resets the zoom. Lines that do not fit are not drawn, and nothing is drawn outside the rectangle. Numbers
    /// are refreshed at the same rate as in the report.
    ///
    /// Draws nothing if the rectangle is empty or not finite. The cost of drawing appears as the zone
    /// `iprof_draw_flame`.
    pub fn draw_default_flame(&mut self, x: f32, y: f32, w: f32, h: f32) {
        self.draw_flame_of(None, [x, y, w, h]);
    }

    /// Adds the current flame graph of one of your views, or a [`Flame`] that you hold. See
    /// [`draw_default_flame`](Frame::draw_default_flame).
    pub fn draw_flame<'a>(
        &mut self,
        of: impl Into<Source<'a, Flame>>,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    ) {
        let flame = match of.into() {
            Source::View(view) => return self.draw_flame_of(Some(view), [x, y, w, h]),
            Source::Held(flame) => flame,
        };
        self.overlay.forget_flame();
        if self.overlay.begin_part().is_some() {
            self.overlay.lay_out_flame(flame, [x, y, w, h]);
        }
    }

    fn draw_flame_of(&mut self, view: Option<&View>, rect: [f32; 4]) {
        crate::zone!(&DRAW_FLAME);
        self.with_screen(view, |screen| screen.draw_flame(rect));
    }
}

impl Screen<'_> {
    pub(crate) fn draw_flame(&mut self, rect: [f32; 4]) {
        self.overlay.forget_flame();
        if self.overlay.begin_part().is_some() {
            let flame = self.display.flame(self.profiler, self.view);
            self.overlay.lay_out_flame(flame, rect);
        }
    }
}

impl Overlay {
    pub(crate) fn forget_flame(&mut self) {
        self.flame.forget();
        self.tooltip.forget(Subject::CallPath);
    }

    fn lay_out_flame(&mut self, flame: &Flame, rect: [f32; 4]) {
        let Some(rect) = self.rect_px(rect) else {
            return;
        };
        let Overlay {
            font,
            flame: area,
            bars,
            theme,
            ..
        } = self;
        area.lay_out(font, theme, flame, rect, bars.colors());
        // Parts covered by the report cannot be hovered.
        let hover = self.hovered().filter(|at| !self.rows.covers(*at));
        if let Some([x, y]) = hover
            && let Some(hovered) = self.flame.box_at(x, y)
        {
            self.tooltip.describe_call_path(flame, &hovered);
        }
    }
}
