//! A frame of the overlay, to which the host adds the parts that it wants.

use super::{DRAW, DRAW_FLAME, Overlay};
use crate::draw::Subject;
use crate::input::bindings::Bindings;
use crate::program;
use crate::program::shown::Shown;
use iprof_process::Profiler;
use iprof_report::{Flame, Graph, Report, View};

/// A frame of the overlay, which [`Overlay::begin`] begins: add parts, from the lowest to the uppermost.
///
/// Rectangles are left, top, width and height in pixels of the target, or in the unit of
/// [`Overlay::set_scale`] or [`Overlay::set_screen`].
#[derive(Debug)]
#[must_use = "add parts, then draw the overlay's `draw_data`"]
pub struct Frame<'a> {
    pub(super) overlay: &'a mut Overlay,
}

/// What a part of a frame shows, a report, a graph or a flame graph: made from a reference to it, or to a view.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a, T> {
    /// That of a view of the host's, of this moment.
    View(&'a View),
    /// One that the host holds, of a moment that is over or of another program.
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
    /// Sets the height of text of the parts that are added from now on, in this frame and in later ones: see
    /// [`Overlay::set_text_size`].
    pub fn set_text_size(&mut self, size: f32) {
        self.overlay.set_text_size(size);
    }

    /// Adds the tooltip of the row or frame under the pointer, in a box beside the pointer that lies
    /// within the target. For a row it shows the zone's name, where it is defined, and all values with four
    /// decimal places; for a frame its length, its marks, and the zone under the pointer.
    ///
    /// Add it last, so that the box lies over all else. If there is no [pointer](Overlay::pointer) over what was drawn,
    /// this draws nothing and costs nothing.
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
        // What is not drawn in the next frame has no tooltip.
        tooltip.clear();
    }
}

/// Whose rows were drawn last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Listed {
    #[default]
    Nothing,
    DefaultView,
    /// Those of a view of the host's.
    View,
    /// Those of a report that the host holds.
    Report,
}

/// A view and what it has on the screen, of the running program under its lock, while parts are drawn.
pub(crate) struct Screen<'a> {
    pub(crate) overlay: &'a mut Overlay,
    pub(super) profiler: &'a Profiler,
    pub(super) view: &'a View,
    pub(super) shown: &'a mut Shown,
    pub(super) listed: Listed,
}

impl Frame<'_> {
    /// Calls `draw` with a view of the host's, or with the default view. The lock is taken once, however many parts it draws.
    pub(crate) fn with_screen(&mut self, view: Option<&View>, draw: impl FnOnce(&mut Screen<'_>)) {
        let overlay = &mut *self.overlay;
        let mut program = program::lock();
        if let Some(view) = view {
            let mut shown = std::mem::take(&mut overlay.shown);
            draw(&mut Screen {
                overlay,
                profiler: program.profiler(),
                view,
                shown: &mut shown,
                listed: Listed::View,
            });
            overlay.shown = shown;
        } else {
            let (profiler, view, shown) = program.parts();
            overlay.follow_theme(shown.theme_turns);
            draw(&mut Screen {
                overlay,
                profiler,
                view,
                shown,
                listed: Listed::DefaultView,
            });
        }
    }
}

impl Frame<'_> {
    /// Adds a page of the help in the rectangle: keys as they are bound, the pointer, modes, columns, colors. Returns
    /// the number of pages, at least 1: it depends on the size of the rectangle and of the text, and nothing is cut.
    /// Pages are counted from 1; a page beyond the last is the last.
    ///
    /// [`Controls::draw_help`](crate::Controls::draw_help) adds the page that the user has turned to.
    ///
    /// If the rectangle is empty or not finite, or has no room for a line of each, nothing is drawn.
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

    /// Adds the hint that there is help, `F1 help` with the key that is bound, in the rectangle of the report: in the
    /// lines above its rows where these have room, else at the upper right corner. A click on it is
    /// [`Action::NextHelpPage`](crate::Action::NextHelpPage).
    ///
    /// Draws nothing if no key is bound to that action, or if there is no room.
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
    /// Brings the text of the help up to date. Returns the rectangle in px, unless nothing is drawn there.
    fn begin_help(&mut self, bindings: &Bindings, rect: [f32; 4]) -> Option<[f32; 4]> {
        self.help_text.update(bindings);
        self.begin_part()?;
        self.rect_px(rect)
    }
}

impl Frame<'_> {
    /// Adds the flame graph of the default view in the rectangle with its top left corner at `x`, `y`: the call tree of
    /// the frames and threads that the view shows, the root on top.
    ///
    /// A box is as wide as its call path took time, in the color that the zone has in the graph. Threads are added up,
    /// and [idle](crate::View::idle_ranked) time has no width unless it is ranked. Callees that are narrower
    /// than a pixel are folded into one box. The selected zone, of the row under the cursor or of the flame graph's
    /// own cursor, is lit wherever it stands. With a [baseline](crate::View::set_baseline), colors say what took more
    /// time than there, and what less.
    ///
    /// A click puts the flame graph's cursor on a call path ([`Action::ClickFlame`](crate::Action::ClickFlame)), a double
    /// click, within half a second, zooms to it ([`Action::ZoomFlame`](crate::Action::ZoomFlame)), and the secondary button
    /// shows all again. Lines that do not fit are not drawn, and nothing lies outside of the rectangle. Numbers change as seldom as those of the report.
    ///
    /// If the rectangle is empty or not finite, nothing is drawn. The cost of drawing appears as the zone
    /// `iprof_draw_flame`.
    pub fn draw_default_flame(&mut self, x: f32, y: f32, w: f32, h: f32) {
        self.draw_flame_of(None, [x, y, w, h]);
    }

    /// Adds the flame graph of a view of the host's, or one that the host holds, as
    /// [`draw_default_flame`](Frame::draw_default_flame) adds that of the default view.
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
    /// The flame graph of the view.
    pub(crate) fn draw_flame(&mut self, rect: [f32; 4]) {
        self.overlay.forget_flame();
        if self.overlay.begin_part().is_some() {
            let flame = self.shown.flame(self.profiler, self.view);
            self.overlay.lay_out_flame(flame, rect);
        }
    }
}

impl Overlay {
    /// Forgets the flame graph that was drawn before.
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
        // What the report covers is not under the pointer.
        let hover = self.hovered().filter(|at| !self.rows.covers(*at));
        if let Some([x, y]) = hover
            && let Some(hovered) = self.flame.box_at(x, y)
        {
            self.tooltip.describe_call_path(flame, &hovered);
        }
    }
}
