//! Draws the frame graph.

use super::{DRAW_GRAPH, FARTHEST_PX, Overlay, StateMode};
use crate::draw::Subject;
use crate::graph::Graph;
use crate::process::View;
#[cfg(feature = "enable")]
use crate::process::{default_view::with_default_view, shown::Shown};

impl Overlay {
    /// Draws the remembered frames of the default view as bars, with the graph's top left corner
    /// at `x`, `y`.
    ///
    /// A bar is `x_spacing` wide and `y_spacing` high per millisecond: the frame's zones, stacked by self
    /// time, with [idle](crate::View::set_idle_ranked) time dimmed on top. The newest frame is on the right. A
    /// click on a zone in the legend is [`Action::SelectZone`](crate::Action::SelectZone). The graph is as wide as history
    /// and the labels of its time axis, which are on the left and left out where bars would have less than three times
    /// their width. It is `40 * y_spacing` high, or as far as the screen allows, under two lines of text.
    ///
    /// If frames in view are longer than that, a millisecond becomes less high, at once, and higher again later:
    /// all frames are in sight, unless a few are much longer than the others. Those are cut, and
    /// say how long they are. The longest frame always does. Lines are at round times, at the
    /// [target frame time](Overlay::set_target_frame_ms), and at twice that. The user can zoom and scroll:
    /// [`View::zoom_graph_vertically`](crate::View::zoom_graph_vertically).
    ///
    /// If the view shows all threads, the bars are those of the thread that calls `update`.
    ///
    /// If a spacing is not positive, or any argument is not finite, nothing is drawn. The cost of drawing
    /// appears as the zone `iprof_draw_graph`.
    pub fn draw_graph_gl(&mut self, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        if_enabled!(draw_in_zone!(self, DRAW_GRAPH, {
            self.forget_graph();
            self.paint(|overlay, screen| {
                with_default_view(|default| {
                    let (view, shown) = default.parts();
                    overlay.follow_theme(view.theme_turns);
                    overlay.lay_out_shown_graph(
                        shown,
                        view,
                        [x, y],
                        [x_spacing, y_spacing],
                        screen,
                    );
                });
            });
        }));
    }

    /// Draws the graph of a view of the host's, as [`draw_graph_gl`](Overlay::draw_graph_gl) draws that of the
    /// default view. Where the user has scrolled it up further than it goes, the view is changed to where it ends.
    pub fn draw_view_graph(
        &mut self,
        view: &mut View,
        x: f32,
        y: f32,
        x_spacing: f32,
        y_spacing: f32,
    ) {
        if_enabled!(draw_in_zone!(self, DRAW_GRAPH, {
            self.forget_graph();
            self.paint(|overlay, screen| {
                let mut shown = std::mem::take(&mut overlay.shown);
                overlay.lay_out_shown_graph(
                    &mut shown,
                    view,
                    [x, y],
                    [x_spacing, y_spacing],
                    screen,
                );
                overlay.shown = shown;
            });
        }));
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

    /// Draws a graph that the host holds; otherwise like [`draw_graph_gl`](Overlay::draw_graph_gl).
    pub fn draw_graph(&mut self, graph: &Graph, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        self.forget_graph();
        self.paint(|overlay, screen| {
            overlay.lay_out_graph(graph, [x, y], [x_spacing, y_spacing], screen);
        });
    }

    /// Sets the time that a frame should take, in milliseconds, which the graph has a line for: that of the
    /// display, for example 1000 / 144. The default, for 60 frames per second, is 1000 / 60; a time that is not
    /// positive and finite restores it.
    pub fn set_target_frame_ms(&mut self, ms: f32) {
        self.bars.set_target(ms);
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
        let Overlay {
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
