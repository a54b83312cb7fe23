//! A frame of the overlay, to which the host adds the parts that it wants.

use super::{DRAW, DRAW_FLAME, DRAW_GRAPH, GraphPlace, Overlay};
use crate::bindings::Bindings;
use iprof_report::flame::Flame;
use iprof_report::graph::Graph;
use iprof_report::report::Report;
use iprof_report::view::View;

/// A frame of the overlay, which [`Overlay::begin`] begins: add parts, from the lowest to the uppermost.
///
/// Rectangles are left, top, width and height in pixels of the target, or in the unit of
/// [`Overlay::set_scale`] or [`Overlay::set_screen`].
#[derive(Debug)]
#[must_use = "add parts, then draw the overlay's `draw_data`"]
pub struct Frame<'a> {
    overlay: &'a mut Overlay,
}

impl Frame<'_> {
    pub(super) fn new(overlay: &mut Overlay) -> Frame<'_> {
        Frame { overlay }
    }

    /// Forgets the graph, or the flame graph, that is drawn no more.
    pub(crate) fn forget(&mut self, flame: bool) {
        match flame {
            true => self.overlay.forget_flame(),
            false => self.overlay.forget_graph(),
        }
    }

    /// Sets the height of text of the parts that are added from now on, in this frame and in later ones: see
    /// [`Overlay::set_text_size`].
    pub fn set_text_size(&mut self, size: f32) {
        self.overlay.set_text_size(size);
    }

    /// Adds the report of the default view in the rectangle with its top left corner at `x`, `y`.
    ///
    /// Columns keep their width; names are cut with an ellipsis; rows scroll to keep the cursor visible;
    /// what does not fit is not drawn, and nothing lies outside of the rectangle. `precision` is the number
    /// of decimal places of times in whatever [unit](Report::unit) they are shown, clamped to 1 to 4; 2 is
    /// usual. Numbers change at most ten times a
    /// second, see [`Config::refresh_rate`](crate::Config::refresh_rate).
    ///
    /// Rows are sorted by their values. While the [pointer](Overlay::pointer) is over the rows, and for 2
    /// seconds after an action that moved the cursor or opened or closed a row, they stay where they stand,
    /// so that a click or a key hits the row it was aimed at: new rows come last, or are only counted in the
    /// header where they would move others, and rows with nothing to show any more keep their places, with zeros.
    /// The pointer does so once it has moved, two seconds or more after the report appeared.
    /// The header of the names says `order held` where that differs from the order of the values.
    ///
    /// If the rectangle is empty or not finite, nothing is drawn. The cost of drawing appears as the zone
    /// `iprof_draw`.
    pub fn draw_default(&mut self, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        crate::zone!(&DRAW);
        self.overlay.add_default_report([x, y, w, h], precision);
    }

    /// Adds the report of a view of the host's, as [`draw_default`](Frame::draw_default) adds that of the default
    /// view: with numbers that change slowly enough to be read, rows that stand still under the pointer, and all that
    /// a tooltip says. An action on a row, given to [`Overlay::act`], means the rows drawn here.
    ///
    /// One view at a time: if several views are drawn in one frame, their reports are built for each draw,
    /// and no order is held. An overlay for each view has no such limit.
    pub fn draw_view(&mut self, view: &View, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        crate::zone!(&DRAW);
        self.overlay.add_view_report(view, [x, y, w, h], precision);
    }

    /// Adds a report that the host holds, of a moment that is over or of another program; otherwise like
    /// [`draw_default`](Frame::draw_default). For a view of the host's there is [`draw_view`](Frame::draw_view).
    pub fn draw_report(&mut self, report: &Report, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        self.overlay.add_report(report, [x, y, w, h], precision);
    }

    /// Adds the graph of the default view: its remembered frames as bars, with the top left corner at `x`, `y`.
    ///
    /// A bar is `x_spacing` wide and `y_spacing` high per millisecond: the frame's zones, stacked by self
    /// time, with [idle](crate::View::set_idle_ranked) time dimmed on top. The newest frame is on the right. A
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

    /// Adds the graph of a view of the host's, as [`draw_default_graph`](Frame::draw_default_graph) adds that of the
    /// default view.
    pub fn draw_view_graph(&mut self, view: &View, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        self.draw_graph_at(Some(view), GraphPlace::at(x, y, x_spacing, y_spacing));
    }

    pub(crate) fn draw_graph_at(&mut self, view: Option<&View>, place: GraphPlace) {
        crate::zone!(&DRAW_GRAPH);
        self.overlay.add_view_graph(view, place);
    }

    /// Adds a graph that the host holds; otherwise like [`draw_default_graph`](Frame::draw_default_graph).
    pub fn draw_graph(&mut self, graph: &Graph, x: f32, y: f32, x_spacing: f32, y_spacing: f32) {
        let place = GraphPlace::at(x, y, x_spacing, y_spacing);
        self.overlay.add_graph(graph, place);
    }

    /// Adds the flame graph of the default view in the rectangle with its top left corner at `x`, `y`: the call tree of
    /// the frames and threads that the view shows, the root on top.
    ///
    /// A box is as wide as its call path took time, in the color that the zone has in the graph. Threads are added up,
    /// and [idle](crate::View::set_idle_ranked) time has no width unless it is ranked. Callees that are narrower
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
        crate::zone!(&DRAW_FLAME);
        self.overlay.add_default_flame([x, y, w, h]);
    }

    /// Adds the flame graph of a view of the host's, as [`draw_default_flame`](Frame::draw_default_flame) adds that
    /// of the default view.
    pub fn draw_view_flame(&mut self, view: &View, x: f32, y: f32, w: f32, h: f32) {
        crate::zone!(&DRAW_FLAME);
        self.overlay.add_view_flame(view, [x, y, w, h]);
    }

    /// Adds a flame graph that the host holds; otherwise like [`draw_default_flame`](Frame::draw_default_flame).
    pub fn draw_flame(&mut self, flame: &Flame, x: f32, y: f32, w: f32, h: f32) {
        self.overlay.add_flame(flame, [x, y, w, h]);
    }

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
        self.overlay.add_help(bindings, page, [x, y, w, h])
    }

    /// Adds the hint that there is help, `F1 help` with the key that is bound, in the rectangle of the report: in the
    /// lines above its rows where these have room, else at the upper right corner. A click on it is
    /// [`Action::NextHelpPage`](crate::Action::NextHelpPage).
    ///
    /// Draws nothing if no key is bound to that action, or if there is no room.
    pub fn draw_help_hint(&mut self, bindings: &Bindings, x: f32, y: f32, w: f32, h: f32) {
        crate::zone!(&DRAW);
        self.overlay.add_help_hint(bindings, [x, y, w, h]);
    }

    /// Adds the tooltip of the row or frame under the pointer, in a box beside the pointer that lies
    /// within the target. For a row it shows the zone's name, where it is defined, and all values with four
    /// decimal places; for a frame its length, its marks, and the zone under the pointer.
    ///
    /// Add it last, so that the box lies over all else. If there is no [pointer](Overlay::pointer) over what was drawn,
    /// this draws nothing and costs nothing.
    pub fn draw_tooltip(&mut self) {
        if self.overlay.has_tooltip() {
            crate::zone!(&DRAW);
            self.overlay.add_tooltip();
        }
    }
}
