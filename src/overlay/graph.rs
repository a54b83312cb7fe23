//! The frame graph of a drawing.

use super::{FARTHEST_PX, Layout};
use crate::graph::Graph;
use crate::layout::Subject;
#[cfg(feature = "enable")]
use crate::process::{View, default_view::with_default_view, shown::Shown};

impl Layout {
    /// Adds the graph of the default view, with its top left corner at `at`, in units of the screen.
    #[cfg(feature = "enable")]
    pub(crate) fn add_default_graph(&mut self, at: [f32; 2], spacing: [f32; 2]) {
        self.forget_graph();
        if let Some(size) = self.begin_part() {
            with_default_view(|default| {
                let (view, shown) = default.parts();
                self.follow_theme(view.theme_turns);
                self.lay_out_shown_graph(shown, view, at, spacing, size);
            });
        }
    }

    /// Adds the graph of a view of the host's.
    #[cfg(feature = "enable")]
    pub(crate) fn add_view_graph(&mut self, view: &mut View, at: [f32; 2], spacing: [f32; 2]) {
        self.forget_graph();
        if let Some(size) = self.begin_part() {
            let mut shown = std::mem::take(&mut self.shown);
            self.lay_out_shown_graph(&mut shown, view, at, spacing, size);
            self.shown = shown;
        }
    }

    /// Adds a graph that the host holds.
    pub(crate) fn add_graph(&mut self, graph: &Graph, at: [f32; 2], spacing: [f32; 2]) {
        self.forget_graph();
        if let Some(size) = self.begin_part() {
            self.lay_out_graph(graph, at, spacing, size);
        }
    }

    #[cfg(feature = "enable")]
    fn lay_out_shown_graph(
        &mut self,
        shown: &mut Shown,
        view: &mut View,
        at: [f32; 2],
        spacing: [f32; 2],
        screen: [f32; 2],
    ) {
        self.lay_out_graph(shown.graph(view), at, spacing, screen);
        if let Some(raised) = self.bars.raised() {
            view.limit_graph_scroll(raised);
        }
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
        let at = at.map(|px| px.clamp(-FARTHEST_PX, FARTHEST_PX));
        // What the report covers is not under the pointer.
        let hover = self.hovered().filter(|at| !self.rows.covers(*at));
        self.bars.hover = hover;
        let Layout {
            font,
            list,
            bars,
            theme,
            ..
        } = self;
        bars.lay_out(font, list, theme, graph, at, spacing, screen);
        let Some([x, y]) = hover else {
            return;
        };
        if let Some(hit) = self.bars.hit(x, y) {
            self.tooltip.describe_frame(graph, &hit);
        } else if let Some((zone, is_idle, mean)) = self.bars.legend_at(x, y) {
            self.tooltip.describe_zone(&zone, is_idle, mean);
        }
    }
}
