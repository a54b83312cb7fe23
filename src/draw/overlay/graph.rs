//! Draws the graph into a frame.

use super::frame::Screen;
use super::{DRAW_GRAPH, FARTHEST_PX, Frame, Overlay, Source};
use crate::draw::{GRAPH_MARGIN, Subject};
use iprof_report::Graph;
use iprof_report::View;

/// The position of a graph, in screen units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphPlace {
    /// The top left corner.
    pub(crate) at: [f32; 2],
    /// The width of a frame and the height of a millisecond.
    pub(crate) spacing: [f32; 2],
    /// The limits for the right and bottom edges, or `None` for the edges of the screen minus a margin.
    pub(crate) end: Option<[f32; 2]>,
}

impl GraphPlace {
    pub(crate) fn at(x: f32, y: f32, x_spacing: f32, y_spacing: f32) -> GraphPlace {
        GraphPlace {
            at: [x, y],
            spacing: [x_spacing, y_spacing],
            end: None,
        }
    }
}

impl Frame<'_> {
    /// Adds the default view's graph, with its top left corner at `x`, `y`: one bar for each remembered frame, with the
    /// newest on the right.
    ///
    /// A bar is `x_spacing` wide and `y_spacing` high per millisecond. It stacks the frame's zones by self time, with
    /// [idle](crate::View::idle_ranked) time dimmed on top. Clicking a zone in the legend triggers
    /// [`Action::SelectZone`](crate::Action::SelectZone).
    ///
    /// The graph is as wide as the history plus the time axis labels. The labels are on the left, and are omitted if
    /// the bars would have less than three times the labels' width. Below its two lines of text, the graph is
    /// `40 * y_spacing` high, or as high as the screen allows.
    ///
    /// If frames in view are too long for this height, the height of a millisecond shrinks immediately, and grows back
    /// later. So all frames are fully visible, unless a few are much longer than the others. Those bars are cut and
    /// labeled with the frame's length. The longest frame is always labeled. Horizontal lines mark round times, the
    /// [frame budget](crate::Config::frame_budget), and twice the budget. The user can zoom and scroll: see
    /// [`Action::ZoomGraphVertically`](crate::Action::ZoomGraphVertically).
    ///
    /// If the view shows all threads, the bars are for the thread that calls `update`.
    ///
    /// Draws nothing if either spacing is not positive or an argument is not finite. The cost of drawing appears as the
    /// zone `iprof_draw_graph`.
    pub fn draw_default_graph(&mut self, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        self.draw_graph_at(None, GraphPlace::at(x, y, x_spacing, y_spacing));
    }

    /// Adds the current graph of one of your views, or a [`Graph`] that you hold. See
    /// [`draw_default_graph`](Frame::draw_default_graph).
    pub fn draw_graph<'a>(
        &mut self,
        of: impl Into<Source<'a, Graph>>,
        x: f32,
        y: f32,
        x_spacing: f32,
        y_spacing: f32,
    ) {
        let place = GraphPlace::at(x, y, x_spacing, y_spacing);
        let graph = match of.into() {
            Source::View(view) => return self.draw_graph_at(Some(view), place),
            Source::Held(graph) => graph,
        };
        self.overlay.forget_graph();
        if self.overlay.begin_part().is_some() {
            self.overlay.lay_out_graph(graph, place);
        }
    }

    fn draw_graph_at(&mut self, view: Option<&View>, place: GraphPlace) {
        crate::zone!(&DRAW_GRAPH);
        self.with_screen(view, |screen| screen.draw_graph(place));
    }
}

impl Screen<'_> {
    pub(crate) fn draw_graph(&mut self, place: GraphPlace) {
        self.overlay.forget_graph();
        if self.overlay.begin_part().is_some() {
            let graph = self.display.graph(self.profiler, self.view);
            self.overlay.lay_out_graph(graph, place);
            let bars = &self.overlay.bars;
            self.display.limit_graph(bars.min_zoom(), bars.raised());
        }
    }
}

impl Overlay {
    pub(crate) fn forget_graph(&mut self) {
        self.bars.forget();
        self.tooltip.forget(Subject::Frame);
    }

    fn lay_out_graph(&mut self, graph: &Graph, place: GraphPlace) {
        let [sx, sy] = self.scale;
        let in_px = |[x, y]: [f32; 2]| [x * sx, y * sy];
        let (at, spacing) = (in_px(place.at), in_px(place.spacing));
        let [width, height] = self.size;
        let limits = match place.end.map(in_px) {
            Some([right, foot]) => [right.min(width), foot.min(height)],
            None => [width - GRAPH_MARGIN, height - GRAPH_MARGIN],
        };
        let numbers = [at, spacing];
        let is_finite = numbers.as_flattened().iter().all(|n| n.is_finite());
        if !is_finite || spacing.iter().any(|spacing| *spacing <= 0.0) {
            return;
        }
        let at = at.map(|px| px.clamp(-FARTHEST_PX, FARTHEST_PX));
        // Parts covered by the report cannot be hovered.
        let hover = self.hovered().filter(|at| !self.rows.covers(*at));
        self.bars.hover = hover;
        let Overlay {
            font, bars, theme, ..
        } = self;
        bars.lay_out(font, theme, graph, at, spacing, limits);
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use iprof_report::Action;

    /// Drawing sets the minimum zoom. Without the minimum, reaching the session would take seven steps, and frames
    /// would become narrower than necessary.
    #[test]
    fn zooming_out_beyond_all_frames_shows_the_session() {
        let (mut overlay, mut view) = (Overlay::new(), View::default());
        let mut shows_session = |view: &mut View, factor: f32| {
            overlay.act(view, Action::ZoomGraph(factor));
            let mut frame = overlay.begin([640.0, 480.0]);
            frame.draw_graph(&*view, 10.0, 10.0, 2.0, 4.0);
            overlay.display.graph_view.shows_session()
        };
        assert!(!shows_session(&mut view, 1.0));
        let steps = (1..9).find(|_| shows_session(&mut view, 0.5));
        // After the first step, half of the 1,024 frames fit into 570 px. After the second, all of them fit.
        assert!(steps.is_some_and(|steps| steps <= 3), "{steps:?}");
        assert!(!shows_session(&mut view, 2.0));
        assert!(shows_session(&mut view, 0.5));
    }
}
