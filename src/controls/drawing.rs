//! What controls draw: report, graph, help and tooltip in one rectangle, and the help alone.

use super::{Controls, ViewControls};
use crate::overlay::{Overlay, draw_gl, draw_graph_gl, draw_tooltip_gl, with_current};

/// The report's part of the width, and its limits.
const REPORT_PART: f32 = 0.485;
const REPORT_WIDTH: (f32, f32) = (560.0, 600.0);
/// The part of the width that is left free between report and graph, and its limits.
const GAP_PART: f32 = 0.025;
const GAP: (f32, f32) = (8.0, 20.0);
/// The width of a frame in the graph.
const FRAME_WIDTH: f32 = 2.0;
/// The graph shows 40 ms where there is room for them, and has two lines of text.
const GRAPH_MS: f32 = 40.0;
const GRAPH_TEXT: f32 = 32.0;
/// The height of a millisecond: a part of the height, and its limits.
const MS_PART: f32 = 1.0 / 180.0;
const MS_HEIGHT: (f32, f32) = (2.0, 8.0);
const LEAST_MS_HEIGHT: f32 = 0.5;
/// The graph's largest part of the height.
const GRAPH_PART: f32 = 0.5;
/// The help covers the graph, which ends closer to the edge of the screen than the rectangle usually does.
const HELP_OVERHANG: f32 = 12.0;

/// Where report and graph are in a rectangle, in units of the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layout {
    report_size: [f32; 2],
    graph_y: f32,
    ms_height: f32,
}

impl Layout {
    fn of([_, y, w, h]: [f32; 4]) -> Layout {
        let gap = (w * GAP_PART).clamp(GAP.0, GAP.1);
        let wanted = (h * MS_PART).round().clamp(MS_HEIGHT.0, MS_HEIGHT.1);
        let graph_height = (GRAPH_MS * wanted + GRAPH_TEXT).min(GRAPH_PART * h);
        let graph_y = (y + h - graph_height).floor();
        let width = (w * REPORT_PART).clamp(REPORT_WIDTH.0, REPORT_WIDTH.1);
        Layout {
            report_size: [width.min(w), graph_y - y - gap],
            graph_y,
            ms_height: ((graph_height - GRAPH_TEXT) / GRAPH_MS).max(LEAST_MS_HEIGHT),
        }
    }
}

impl Controls {
    /// Draws all that the controls drive into the rectangle, with the overlay that is current on this thread:
    /// the report in the upper left, the graph at the foot, the help, or the hint that there is one, over
    /// them, and last the tooltip. While [`hidden`](Controls::hidden), draws nothing. The rectangle is that of
    /// [`draw_gl`](crate::draw_gl()): usually the window, less a margin.
    ///
    /// ```no_run
    /// let mut controls = iprof::Controls::new();
    /// # let (width, height) = (1280.0, 720.0);
    /// // each frame:
    /// iprof::update(!controls.paused);
    /// controls.draw_gl(20.0, 20.0, width - 40.0, height - 40.0);
    /// ```
    ///
    /// To place the parts yourself, call [`draw_gl`](crate::draw_gl()),
    /// [`draw_graph_gl`](crate::draw_graph_gl()), [`draw_help_gl`](Controls::draw_help_gl) and
    /// [`draw_tooltip_gl`](crate::draw_tooltip_gl()).
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn draw_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        if self.hidden {
            return;
        }
        let layout = Layout::of([x, y, w, h]);
        let [report_w, report_h] = layout.report_size;
        draw_gl(x, y, report_w, report_h, self.precision);
        draw_graph_gl(x, layout.graph_y, FRAME_WIDTH, layout.ms_height);
        with_current(|overlay| self.draw_help_in(overlay, layout, [x, y, w, h]));
        draw_tooltip_gl();
    }

    /// Draws what [`help_page`](Controls::help_page) says, with the overlay that is current on this thread: that
    /// page of the help in the rectangle, or, until the help was shown for the first time, a hint in the lines above
    /// the rows of the report, `F1 help`. Call it each frame after [`draw_gl`](crate::draw_gl()), with the same rectangle.
    /// While [`hidden`](Controls::hidden), draws nothing. [`Controls::draw_gl`] calls it.
    ///
    /// ```no_run
    /// let mut controls = iprof::Controls::new();
    /// // each frame:
    /// if !controls.hidden {
    ///     iprof::draw_gl(20.0, 20.0, 560.0, 400.0, controls.precision);
    ///     iprof::draw_graph_gl(20.0, 460.0, 2.0, 4.0);
    ///     controls.draw_help_gl(20.0, 20.0, 560.0, 400.0);
    ///     iprof::draw_tooltip_gl();
    /// }
    /// ```
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn draw_help_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        with_current(|overlay| self.draw_help_with(overlay, [x, y, w, h]));
    }

    /// The help has the whole rectangle and some of its margin; the hint is in the report.
    fn draw_help_in(&mut self, overlay: &mut Overlay, layout: Layout, [x, y, w, h]: [f32; 4]) {
        let [report_w, report_h] = layout.report_size;
        let more = x.min(y).clamp(0.0, HELP_OVERHANG);
        let whole = [x - more, y - more, w + 2.0 * more, h + 2.0 * more];
        match self.help_page {
            0 => self.draw_help_with(overlay, [x, y, report_w, report_h]),
            _ => self.draw_help_with(overlay, whole),
        }
    }

    fn draw_help_with(&mut self, overlay: &mut Overlay, [x, y, w, h]: [f32; 4]) {
        match self.help_page {
            _ if self.hidden => {}
            0 if self.has_seen_help => {}
            0 => overlay.draw_help_hint_gl(&self.bindings, x, y, w, h),
            page => {
                self.has_seen_help = true;
                self.help_pages = overlay.draw_help_gl(&self.bindings, page, x, y, w, h);
            }
        }
    }
}

impl ViewControls<'_> {
    /// Draws all that the controls drive into the rectangle; see [`Controls::draw_gl`].
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn draw_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        let Some(overlay) = self.overlay.as_mut().filter(|_| !self.controls.hidden) else {
            return;
        };
        let layout = Layout::of([x, y, w, h]);
        let [report_w, report_h] = layout.report_size;
        let precision = self.controls.precision;
        overlay.draw_view(self.view, x, y, report_w, report_h, precision);
        let (graph_y, ms_height) = (layout.graph_y, layout.ms_height);
        overlay.draw_view_graph(self.view, x, graph_y, FRAME_WIDTH, ms_height);
        self.controls.draw_help_in(overlay, layout, [x, y, w, h]);
        overlay.draw_tooltip_gl();
    }

    /// Draws the help, or the hint that there is one; see [`Controls::draw_help_gl`].
    #[cfg_attr(docsrs, doc(cfg(any(feature = "gl", feature = "glow-0-17"))))]
    pub fn draw_help_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        if let Some(overlay) = &mut self.overlay {
            self.controls.draw_help_with(overlay, [x, y, w, h]);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn report_and_graph_lie_within_the_rectangle_and_apart() {
        for w in [200.0, 320.0, 640.0, 1280.0, 3840.0] {
            for h in [120.0, 240.0, 480.0, 720.0, 2160.0] {
                let layout = Layout::of([7.0, 9.0, w, h]);
                let [report_w, report_h] = layout.report_size;
                assert!(0.0 < report_w && report_w <= w, "{w} {layout:?}");
                assert!(
                    0.0 < report_h && 9.0 + report_h < layout.graph_y,
                    "{layout:?}"
                );
                let text_and_bars = GRAPH_TEXT + GRAPH_MS * layout.ms_height;
                if layout.ms_height > LEAST_MS_HEIGHT {
                    assert!(
                        layout.graph_y + text_and_bars <= 9.0 + h + 1.0,
                        "{layout:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_window_of_1280_by_720_has_the_layout_of_the_demo() {
        let layout = Layout::of([20.0, 20.0, 1240.0, 680.0]);
        assert_eq!(layout.report_size, [600.0, 468.0]);
        assert_eq!((layout.graph_y, layout.ms_height), (508.0, 4.0));
    }
}
