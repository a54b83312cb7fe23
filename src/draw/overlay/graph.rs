//! The graph of a frame.

use super::frame::Screen;
use super::{DRAW_GRAPH, FARTHEST_PX, Frame, Overlay, Source};
use crate::draw::{GRAPH_MARGIN, Subject};
use iprof_report::Graph;
use iprof_report::View;

/// Where a graph is, in units of the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphPlace {
    /// Its top left corner.
    pub(crate) at: [f32; 2],
    /// Width of a frame and height of a millisecond.
    pub(crate) spacing: [f32; 2],
    /// Its right and bottom edge at most; `None` for those of the screen, less a margin.
    pub(crate) end: Option<[f32; 2]>,
}

impl GraphPlace {
    /// With no limits but those of the screen.
    pub(crate) fn at(x: f32, y: f32, x_spacing: f32, y_spacing: f32) -> GraphPlace {
        GraphPlace {
            at: [x, y],
            spacing: [x_spacing, y_spacing],
            end: None,
        }
    }
}

impl Frame<'_> {
    /// Adds the graph of the default view: its remembered frames as bars, with the top left corner at `x`, `y`.
    ///
    /// A bar is `x_spacing` wide and `y_spacing` high per millisecond: the frame's zones, stacked by self
    /// time, with [idle](crate::View::idle_ranked) time dimmed on top. The newest frame is on the right. A
    /// click on a zone in the legend is [`Action::SelectZone`](crate::Action::SelectZone). The graph is as wide as
    /// history and the labels of its time axis, which are on the left and left out where bars would have less than
    /// three times their width. It is `40 * y_spacing` high, or as far as the screen allows, under two lines of text.
    ///
    /// If frames in view are longer than that, a millisecond becomes less high, at once, and higher again later:
    /// all frames are in sight, unless a few are much longer than the others. Those are cut, and
    /// say how long they are. The longest frame always does. Lines are at round times, at the
    /// [frame budget](crate::Config::frame_budget), and at twice that. The user can zoom and scroll:
    /// [`Action::ZoomGraphVertically`](crate::Action::ZoomGraphVertically).
    ///
    /// If the view shows all threads, the bars are those of the thread that calls `update`.
    ///
    /// If a spacing is not positive, or any argument is not finite, nothing is drawn. The cost of drawing
    /// appears as the zone `iprof_draw_graph`.
    pub fn draw_default_graph(&mut self, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        self.draw_graph_at(None, GraphPlace::at(x, y, x_spacing, y_spacing));
    }

    /// Adds the graph of a view of the host's, or one that the host holds, as
    /// [`draw_default_graph`](Frame::draw_default_graph) adds that of the default view.
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
    /// The graph of the view, in place of a flame graph.
    pub(crate) fn draw_graph(&mut self, place: GraphPlace) {
        self.overlay.forget_graph();
        if self.overlay.begin_part().is_some() {
            let graph = self.shown.graph(self.profiler, self.view);
            self.overlay.lay_out_graph(graph, place);
            let bars = &self.overlay.bars;
            self.shown.limit_graph(bars.least_zoom(), bars.raised());
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
        // What the report covers is not under the pointer.
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

    /// Without a painter it takes seven steps, after which frames are narrower than they need be.
    #[test]
    fn the_step_after_all_frames_are_in_view_shows_the_session() {
        let (mut overlay, mut view) = (Overlay::new(), View::default());
        let mut shows_session = |view: &mut View, factor: f32| {
            overlay.act(view, Action::ZoomGraph(factor));
            let mut frame = overlay.begin([640.0, 480.0]);
            frame.draw_graph(&*view, 10.0, 10.0, 2.0, 4.0);
            overlay.shown.graph_view.shows_session()
        };
        assert!(!shows_session(&mut view, 1.0));
        let steps = (1..9).find(|_| shows_session(&mut view, 0.5));
        // Of 1,024 frames half of 570 have room, then all.
        assert!(steps.is_some_and(|steps| steps <= 3), "{steps:?}");
        assert!(!shows_session(&mut view, 2.0));
        assert!(shows_session(&mut view, 0.5));
    }
}
