//! The flame graph of a frame.

use super::frame::Screen;
use super::{DRAW_FLAME, Frame, Overlay};
use crate::draw::Subject;
use iprof_report::Flame;
use iprof_report::View;

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

    /// Adds the flame graph of a view of the host's, as [`draw_default_flame`](Frame::draw_default_flame) adds that
    /// of the default view.
    pub fn draw_view_flame(&mut self, view: &View, x: f32, y: f32, w: f32, h: f32) {
        self.draw_flame_of(Some(view), [x, y, w, h]);
    }

    /// Adds a flame graph that the host holds; otherwise like [`draw_default_flame`](Frame::draw_default_flame).
    pub fn draw_flame(&mut self, flame: &Flame, x: f32, y: f32, w: f32, h: f32) {
        self.overlay.forget_flame();
        if self.overlay.begin_part().is_some() {
            self.overlay.lay_out_flame(flame, [x, y, w, h]);
        }
    }

    fn draw_flame_of(&mut self, view: Option<&View>, rect: [f32; 4]) {
        self.with_screen(view, |screen| screen.draw_flame(rect));
    }
}

impl Screen<'_> {
    /// The flame graph of the view.
    pub(crate) fn draw_flame(&mut self, rect: [f32; 4]) {
        crate::zone!(&DRAW_FLAME);
        let Screen {
            overlay,
            profiler,
            view,
            shown,
            ..
        } = self;
        overlay.forget_flame();
        if overlay.begin_part().is_some() {
            overlay.lay_out_flame(shown.flame(profiler, view), rect);
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
            list,
            flame: area,
            bars,
            theme,
            ..
        } = self;
        area.lay_out(font, list, theme, flame, rect, bars.colors());
        // What the report covers is not under the pointer.
        let hover = self.hovered().filter(|at| !self.rows.covers(*at));
        if let Some([x, y]) = hover
            && let Some(hovered) = self.flame.box_at(x, y)
        {
            self.tooltip.describe_call_path(flame, &hovered);
        }
    }
}
