//! Draws the report, graph, help and tooltip into one rectangle, or just the help.

use super::Controls;
#[cfg(feature = "gl")]
use crate::gl;
use crate::overlay::{DRAW, DRAW_FLAME, DRAW_GRAPH, Frame, GraphPlace};
use iprof_report::View;

/// The fraction of the width that the report takes.
const REPORT_PART: f32 = 0.485;
/// The report's minimum and maximum width.
const REPORT_WIDTH: (f32, f32) = (560.0, 600.0);
/// The gap between report and graph, as a fraction of the width.
const GAP_PART: f32 = 0.025;
/// The minimum and maximum gap between report and graph.
const GAP: (f32, f32) = (8.0, 20.0);
const FRAME_WIDTH: f32 = 2.0;
/// The time range that the graph shows if there is room.
const GRAPH_MS: f32 = 40.0;
/// The height of the graph's two lines of text.
const GRAPH_TEXT: f32 = 32.0;
/// The height of a millisecond, as a fraction of the rectangle's height.
const MS_PART: f32 = 1.0 / 180.0;
/// The minimum and maximum height of a millisecond.
const MS_HEIGHT: (f32, f32) = (2.0, 8.0);
/// The minimum height of a millisecond if there is little room.
const MIN_MS_HEIGHT: f32 = 0.5;
/// The maximum fraction of the height that the graph takes.
const GRAPH_PART: f32 = 0.5;

/// The help extends this far into the margin, which lets it fit on one page in a 1280×720 window.
const HELP_OVERHANG: f32 = 12.0;

/// The positions of the report and the graph in a rectangle, in screen units.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Places {
    report_size: [f32; 2],
    graph_y: f32,
    ms_height: f32,
}

impl Places {
    fn of([_, y, w, h]: [f32; 4]) -> Places {
        let gap = (w * GAP_PART).clamp(GAP.0, GAP.1);
        let wanted = (h * MS_PART).round().clamp(MS_HEIGHT.0, MS_HEIGHT.1);
        let graph_height = (GRAPH_MS * wanted + GRAPH_TEXT).min(GRAPH_PART * h);
        let graph_y = (y + h - graph_height).floor();
        let width = (w * REPORT_PART).clamp(REPORT_WIDTH.0, REPORT_WIDTH.1);
        Places {
            report_size: [width.min(w), graph_y - y - gap],
            graph_y,
            ms_height: ((graph_height - GRAPH_TEXT) / GRAPH_MS).max(MIN_MS_HEIGHT),
        }
    }
}

impl Controls {
    /// Draws everything that these controls manage into the rectangle, from back to front:
    ///
    /// * the report of the default view, in the upper left corner
    /// * its graph or [flame graph](Controls::flame), at the bottom
    /// * the help, or a hint about how to open it
    /// * the tooltip
    ///
    /// Draws nothing while [`hidden`](Controls::hidden). The rectangle is usually the whole target minus a margin. The
    /// help uses up to 12 px of that margin on each side, and the tooltip may be anywhere. The graph is as wide as the
    /// remembered frames require, but no wider than the rectangle.
    ///
    /// ```
    /// let (mut controls, mut overlay) = (iprof::Controls::new(), iprof::overlay::Overlay::new());
    /// # let (width, height) = (1280.0, 720.0);
    /// // each frame:
    /// iprof::update(!controls.paused);
    /// let mut frame = overlay.begin([width, height]);
    /// controls.draw(&mut frame, 20.0, 20.0, width - 40.0, height - 40.0);
    /// ```
    ///
    /// To place the parts yourself, use [`Frame`]'s methods and [`draw_help`](Controls::draw_help).
    pub fn draw(&mut self, frame: &mut Frame<'_>, x: f32, y: f32, w: f32, h: f32) {
        self.draw_parts(frame, None, [x, y, w, h]);
    }

    /// Draws the help page [`help_page`](Controls::help_page) into the rectangle. Until the help has been opened once,
    /// draws the hint `F1 help` above the report's rows instead.
    ///
    /// Call it each frame after drawing the report, with the same rectangle. Draws nothing while
    /// [`hidden`](Controls::hidden). [`Controls::draw`] calls this method.
    ///
    /// ```
    /// let (mut controls, mut overlay) = (iprof::Controls::new(), iprof::overlay::Overlay::new());
    /// // each frame:
    /// let mut frame = overlay.begin([1280.0, 720.0]);
    /// if !controls.hidden {
    ///     frame.draw_default(20.0, 20.0, 560.0, 400.0, controls.precision);
    ///     frame.draw_default_graph(20.0, 460.0, 2.0, 4.0);
    ///     controls.draw_help(&mut frame, 20.0, 20.0, 560.0, 400.0);
    ///     frame.draw_tooltip();
    /// }
    /// ```
    pub fn draw_help(&mut self, frame: &mut Frame<'_>, x: f32, y: f32, w: f32, h: f32) {
        if !self.shows_help() {
            return;
        }
        if self.help_page == 0 {
            frame.draw_help_hint(&self.bindings, x, y, w, h);
        } else {
            self.has_seen_help = true;
            self.help_pages = frame.draw_help(&self.bindings, self.help_page, x, y, w, h);
        }
    }

    /// Draws everything that these controls manage with this thread's current overlay. See [`draw`](Controls::draw).
    ///
    /// The frame is painted immediately. The rectangle is in the same units as in [`draw_gl`](crate::draw_gl()), and is
    /// usually the window minus a margin.
    ///
    /// ```no_run
    /// let mut controls = iprof::Controls::new();
    /// # let (width, height) = (1280.0, 720.0);
    /// // each frame:
    /// iprof::update(!controls.paused);
    /// controls.draw_gl(20.0, 20.0, width - 40.0, height - 40.0);
    /// ```
    ///
    /// To place the parts yourself, or to use a different overlay, call [`gl::Painter::draw`](crate::gl::Painter::draw).
    #[cfg(feature = "gl")]
    pub fn draw_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        if !self.hidden {
            gl::draw(|frame| self.draw(frame, x, y, w, h));
        }
    }

    /// Draws only the help, as a separate frame, with this thread's current overlay. See
    /// [`draw_help`](Controls::draw_help).
    ///
    /// Call it each frame after [`draw_gl`](crate::draw_gl()), with the same rectangle.
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
    #[cfg(feature = "gl")]
    pub fn draw_help_gl(&mut self, x: f32, y: f32, w: f32, h: f32) {
        if self.shows_help() {
            gl::with_current(|overlay, painter| {
                painter.draw(overlay, |frame| self.draw_help(frame, x, y, w, h));
            });
        }
    }

    /// Draws everything that these controls manage, with your own view. See [`Controls::draw`].
    pub fn draw_view(
        &mut self,
        frame: &mut Frame<'_>,
        view: &View,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
    ) {
        self.draw_parts(frame, Some(view), [x, y, w, h]);
    }

    fn draw_parts(&mut self, frame: &mut Frame<'_>, view: Option<&View>, [x, y, w, h]: [f32; 4]) {
        if self.hidden {
            return;
        }
        let places = Places::of([x, y, w, h]);
        let [report_w, report_h] = places.report_size;
        // The zone is opened before the program is locked, so that it includes waiting for the lock.
        let drawing = crate::open_zone!(&DRAW);
        frame.with_screen(view, |screen| {
            screen.draw_report([x, y, report_w, report_h], self.precision);
            drop(drawing);
            // Only the graph or the flame graph is drawn. The one that is not drawn must not receive pointer events.
            if self.flame {
                crate::zone!(&DRAW_FLAME);
                screen.overlay.forget_graph();
                screen.draw_flame([x, places.graph_y, w, y + h - places.graph_y]);
            } else {
                crate::zone!(&DRAW_GRAPH);
                screen.overlay.forget_flame();
                screen.draw_graph(GraphPlace {
                    at: [x, places.graph_y],
                    spacing: [FRAME_WIDTH, places.ms_height],
                    end: Some([x + w, y + h]),
                });
            }
        });
        if self.help_page == 0 {
            self.draw_help(frame, x, y, report_w, report_h);
        } else {
            // The help uses the whole rectangle and some of its margin. The hint is drawn inside the report instead.
            let more = x.min(y).clamp(0.0, HELP_OVERHANG);
            let [w, h] = [w + 2.0 * more, h + 2.0 * more];
            self.draw_help(frame, x - more, y - more, w, h);
        }
        frame.draw_tooltip();
    }

    /// Returns whether a help page or the hint should be drawn.
    fn shows_help(&self) -> bool {
        !self.hidden && (self.help_page > 0 || !self.has_seen_help)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn report_and_graph_fit_without_overlap() {
        for w in [200.0, 320.0, 640.0, 1280.0, 3840.0] {
            for h in [120.0, 240.0, 480.0, 720.0, 2160.0] {
                let places = Places::of([7.0, 9.0, w, h]);
                let [report_w, report_h] = places.report_size;
                assert!(0.0 < report_w && report_w <= w, "{w} {places:?}");
                assert!(
                    0.0 < report_h && 9.0 + report_h < places.graph_y,
                    "{places:?}"
                );
                let text_and_bars = GRAPH_TEXT + GRAPH_MS * places.ms_height;
                if places.ms_height > MIN_MS_HEIGHT {
                    assert!(
                        places.graph_y + text_and_bars <= 9.0 + h + 1.0,
                        "{places:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn layout_at_1280x720_matches_the_demo() {
        let places = Places::of([20.0, 20.0, 1240.0, 680.0]);
        assert_eq!(places.report_size, [600.0, 468.0]);
        assert_eq!((places.graph_y, places.ms_height), (508.0, 4.0));
    }
}
