//! A graph's display settings: its style, scroll position and zoom, from single frames to the whole session.
//!
//! The zoom is the product of two factors, `factor` and `beyond`. Once all frames are in view, zooming out changes only
//! `beyond`. So zooming back in by the same number of steps restores the same bars, and a touchpad's small steps can
//! also reach the session.

use iprof_report::Graph;
use iprof_report::GraphStyle;

/// The minimum factor by which bars are widened. If all frames fit at a larger factor, the painter raises the minimum.
const MIN_ZOOM: f32 = 1.0 / 64.0;
/// The maximum factor by which bars are widened.
const MAX_ZOOM: f32 = 16.0;
/// The minimum of `beyond`, which a single key press reaches.
const MIN_BEYOND: f32 = 0.5;
/// The value of `beyond` below which the session is shown.
const SESSION_BELOW: f32 = 0.75;

#[derive(Clone, Debug)]
pub(crate) struct GraphView {
    style: GraphStyle,
    /// The number of bars scrolled off the right edge.
    scrolled: usize,
    zoom: GraphZoom,
    /// The height factor of the bars.
    vertical_zoom: f32,
    /// How far the graph is scrolled up, in multiples of its height.
    raised: f32,
}

impl Default for GraphView {
    fn default() -> GraphView {
        GraphView {
            style: GraphStyle::default(),
            scrolled: 0,
            zoom: GraphZoom::default(),
            vertical_zoom: 1.0,
            raised: 0.0,
        }
    }
}

impl GraphView {
    /// Returns whether the whole session is shown instead of frames.
    pub(crate) fn shows_session(&self) -> bool {
        self.zoom.shows_session()
    }

    pub(crate) fn apply(&self, graph: &mut Graph) {
        graph.style = self.style;
        graph.zoom = self.zoom.factor;
        // The session is always entirely in view.
        graph.scrolled = if self.shows_session() {
            0
        } else {
            self.scrolled
        };
        graph.vertical_zoom = self.vertical_zoom;
        graph.raised = self.raised;
    }

    pub(crate) fn next_style(&mut self) {
        self.style = match self.style {
            GraphStyle::Bars => GraphStyle::Lines,
            GraphStyle::Lines => GraphStyle::Bars,
        };
    }

    /// Scrolls through that many remembered frames: see [`Action::ScrollGraph`](crate::Action::ScrollGraph).
    pub(crate) fn scroll(&mut self, frames: usize, bars: i32) {
        if self.shows_session() {
            return;
        }
        let most = frames.saturating_sub(1);
        let scrolled = self.scrolled as i64 - i64::from(bars);
        self.scrolled = scrolled.clamp(0, most as i64) as usize;
    }

    /// See [`Action::ZoomGraph`](crate::Action::ZoomGraph).
    pub(crate) fn zoom(&mut self, factor: f32) {
        if factor > 0.0 {
            self.zoom.zoom(factor);
        }
    }

    /// See [`Action::ZoomGraphVertically`](crate::Action::ZoomGraphVertically).
    pub(crate) fn zoom_vertically(&mut self, factor: f32) {
        if factor > 0.0 {
            let before = self.vertical_zoom;
            self.vertical_zoom = (before * factor).clamp(1.0 / 16.0, 64.0);
            self.raised *= self.vertical_zoom / before;
        }
    }

    /// See [`Action::ScrollGraphVertically`](crate::Action::ScrollGraphVertically).
    pub(crate) fn scroll_vertically(&mut self, heights: f32) {
        if !heights.is_nan() {
            self.raised = (self.raised + heights).clamp(0.0, 1e6);
        }
    }

    /// Applies the limits that a painter found: the zoom factor at which all frames fit, and how far up the graph can
    /// be scrolled. Steps up beyond that limit must not count, or else the same number of steps down would do nothing.
    pub(crate) fn limit(&mut self, min_zoom: Option<f32>, raised: Option<f32>) {
        if let Some(min) = min_zoom {
            self.zoom.set_min(min);
        }
        if let Some(raised) = raised {
            self.raised = self.raised.min(raised);
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct GraphZoom {
    /// The width factor of per-frame bars.
    factor: f32,
    /// The additional zoom factor; 1 unless zoomed out further than all frames.
    beyond: f32,
    /// The factor below which no more frames come into view, according to the last painter.
    min: f32,
}

impl Default for GraphZoom {
    fn default() -> GraphZoom {
        GraphZoom {
            factor: 1.0,
            beyond: 1.0,
            min: MIN_ZOOM,
        }
    }
}

impl GraphZoom {
    /// Zooms in by a factor, or out if it is less than 1.
    fn zoom(&mut self, factor: f32) {
        let wanted = self.factor * self.beyond * factor;
        self.factor = wanted.clamp(self.min.min(self.factor), MAX_ZOOM);
        self.beyond = (wanted / self.factor).clamp(MIN_BEYOND, 1.0);
    }

    /// Returns whether the whole session is shown instead of frames.
    fn shows_session(self) -> bool {
        self.beyond < SESSION_BELOW
    }

    fn set_min(&mut self, factor: f32) {
        self.min = factor.clamp(MIN_ZOOM, 1.0);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn session_graph_does_not_scroll() {
        let mut view = GraphView::default();
        let mut scroll = |bars| {
            view.scroll(10, bars);
            view.scrolled
        };
        assert_eq!([scroll(-3), scroll(1), scroll(5)], [3, 2, 0]);
        assert_eq!([scroll(-9), scroll(-1), scroll(i32::MIN)], [9, 9, 9]);
        assert_eq!(scroll(i32::MAX), 0);
        view.scroll(0, -5);
        assert_eq!(view.scrolled, 0);
        view.zoom(1e-9);
        view.scroll(50, -10);
        assert_eq!(view.scrolled, 0);
    }

    #[test]
    fn vertical_zoom_and_scroll_are_limited() {
        let mut view = GraphView::default();
        view.scroll_vertically(0.5);
        assert_eq!([view.vertical_zoom, view.raised], [1.0, 0.5]);
        view.zoom_vertically(4.0);
        let place = [view.vertical_zoom, view.raised];
        assert_eq!(
            place,
            [4.0, 2.0],
            "the time at the bottom edge should not change"
        );
        view.scroll_vertically(-9.0);
        assert_eq!([view.vertical_zoom, view.raised], [4.0, 0.0]);
        view.zoom_vertically(1e9);
        assert_eq!(view.vertical_zoom, 64.0);
        for odd in [1e-9, f32::NAN, 0.0, -1.0] {
            view.zoom_vertically(odd);
            assert_eq!(view.vertical_zoom, 1.0 / 16.0);
        }
        view.scroll_vertically(f32::NAN);
        assert_eq!(view.raised, 0.0);
        view.scroll_vertically(f32::INFINITY);
        assert!(view.raised.is_finite());
    }

    fn after(zoom: &mut GraphZoom, factors: &[f32]) -> (f32, bool) {
        factors.iter().for_each(|factor| zoom.zoom(*factor));
        (zoom.factor, zoom.shows_session())
    }

    #[test]
    fn zooming_back_from_session_restores_frames() {
        let mut zoom = GraphZoom::default();
        assert_eq!(after(&mut zoom, &[0.5; 6]), (MIN_ZOOM, false));
        assert_eq!(after(&mut zoom, &[0.5]), (MIN_ZOOM, true));
        assert_eq!(
            after(&mut zoom, &[0.5; 9]),
            (MIN_ZOOM, true),
            "zoom should stop there"
        );
        assert_eq!(after(&mut zoom, &[2.0]), (MIN_ZOOM, false));
        assert_eq!(after(&mut zoom, &[2.0; 6]), (1.0, false));
        assert_eq!(after(&mut zoom, &[1e9]), (MAX_ZOOM, false));
        assert_eq!(after(&mut zoom, &[f32::MIN_POSITIVE]), (MIN_ZOOM, true));
    }

    #[test]
    fn zooming_out_past_all_frames_shows_session() {
        let mut zoom = GraphZoom::default();
        zoom.set_min(0.5);
        assert_eq!(after(&mut zoom, &[0.5]), (0.5, false));
        assert_eq!(after(&mut zoom, &[0.5]), (0.5, true));
        assert_eq!(after(&mut zoom, &[2.0]), (0.5, false));
        // This zoom was set in a smaller window, where fewer bars fit.
        zoom = GraphZoom::default();
        after(&mut zoom, &[0.125]);
        zoom.set_min(0.5);
        assert_eq!(after(&mut zoom, &[0.5]), (0.125, true));
        for odd in [f32::NAN, 0.0, f32::INFINITY] {
            zoom.set_min(odd);
            zoom.zoom(0.5);
            assert!(zoom.factor > 0.0, "{odd}: {zoom:?}");
        }
    }

    #[test]
    fn small_zoom_steps_reach_the_session_and_back() {
        let mut zoom = GraphZoom::default();
        zoom.zoom(MIN_ZOOM);
        let mut step = |factor: f32| {
            let steps = (1..100).find(|_| {
                zoom.zoom(factor);
                zoom.shows_session() == (factor < 1.0)
            });
            steps.expect("fewer than 100 steps should be enough")
        };
        let (out, back) = (step(0.97), step(1.0 / 0.97));
        assert!(out > 3 && back < 20, "{out} {back}");
    }
}
