//! The flame graph of a frame.

use super::Overlay;
use crate::layout::Subject;
use iprof_report::flame::Flame;
use iprof_report::view::View;

impl Overlay {
    /// Adds the flame graph of the default view. Rectangles are left, top, width and height in units of the screen.
    pub(crate) fn add_default_flame(&mut self, rect: [f32; 4]) {
        self.forget_flame();
        if let Some(mut program) = self.begin_default_part() {
            let (profiler, view, shown) = program.parts();
            self.lay_out_flame(shown.flame(profiler, view), rect);
        }
    }

    /// Adds the flame graph of a view of the host's.
    pub(crate) fn add_view_flame(&mut self, view: &View, rect: [f32; 4]) {
        self.forget_flame();
        if let Some((program, mut shown)) = self.begin_view_part() {
            self.lay_out_flame(shown.flame(program.profiler(), view), rect);
            self.shown = shown;
        }
    }

    /// Adds a flame graph that the host holds.
    pub(crate) fn add_flame(&mut self, flame: &Flame, rect: [f32; 4]) {
        self.forget_flame();
        if self.begin_part().is_some() {
            self.lay_out_flame(flame, rect);
        }
    }

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
