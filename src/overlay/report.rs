//! Draws the report.

use super::{DRAW, FARTHEST_PX, Overlay, StateMode};
use crate::action::Action;
use crate::draw::Subject;
use crate::process::View;
#[cfg(feature = "enable")]
use crate::process::{default_view::with_default_view, shown::Shown};
use crate::report::{Report, clamp_precision};

/// Whose rows an overlay drew last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Listed {
    #[default]
    Nothing,
    DefaultView,
    /// Those of a view of the host's.
    View,
    /// Those of a report that the host holds.
    Report,
}

impl Overlay {
    /// Draws the report of the default view in the rectangle with its top left corner at `x`, `y`.
    ///
    /// Columns keep their width; names are cut with an ellipsis; rows scroll to keep the cursor visible;
    /// what does not fit is not drawn, and nothing lies outside of the rectangle. `precision` is the number
    /// of decimal places of times in whatever [unit](Report::unit) they are shown, clamped to 1 to 4; 2 is
    /// usual. Numbers change at most ten times a
    /// second, see [`set_refresh_rate`](crate::set_refresh_rate).
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
    pub fn draw_gl(&mut self, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        if_enabled!(draw_in_zone!(self, DRAW, {
            let moves = self.begin_report(Listed::DefaultView);
            self.paint(|overlay, _| {
                with_default_view(|default| {
                    let (view, shown) = default.parts();
                    overlay.follow_theme(view.theme_turns);
                    overlay.lay_out_shown(shown, view, moves, [x, y, w, h], precision);
                });
            });
        }));
    }

    /// Draws the report of a view of the host's, as [`draw_gl`](Overlay::draw_gl) draws that of the default view:
    /// with numbers that change slowly enough to be read, rows that stand still under the pointer, and all that a
    /// tooltip says. An action on a row, given to [`act`](Overlay::act), means the rows drawn here.
    ///
    /// One view at a time: if an overlay draws several views in one frame, their reports are built for each draw,
    /// and no order is held. An overlay for each view has no such limit.
    pub fn draw_view(&mut self, view: &View, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        if_enabled!(draw_in_zone!(self, DRAW, {
            let moves = self.begin_report(Listed::View);
            self.paint(|overlay, _| {
                let mut shown = std::mem::take(&mut overlay.shown);
                overlay.lay_out_shown(&mut shown, view, moves, [x, y, w, h], precision);
                overlay.shown = shown;
            });
        }));
    }

    /// Applies an action to a view of the host's, like [`View::act`], except that an action on a row is about the
    /// rows that [`draw_view`](Overlay::draw_view) drew, even if the view has others in their places by now.
    /// Returns whether the action concerns a view.
    #[allow(clippy::must_use_candidate, reason = "most hosts need not know")]
    pub fn act(&mut self, view: &mut View, action: Action) -> bool {
        if action == Action::NextTheme {
            self.next_theme();
            return true;
        }
        if_enabled!(if self.shown.is_on_screen() {
            let mut is_of_view = false;
            self.shown
                .control(view, |view, shown| is_of_view = view.act_in(shown, action));
            return is_of_view;
        });
        view.act(action)
    }

    /// Draws a report that the host holds, of a moment that is over or of another program; otherwise like
    /// [`draw_gl`](Overlay::draw_gl). For a view of the host's there is [`draw_view`](Overlay::draw_view).
    pub fn draw_report(&mut self, report: &Report, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        self.begin_report(Listed::Report);
        self.paint(|overlay, _| overlay.lay_out_report(report, [x, y, w, h], precision));
    }

    /// Forgets the report that was drawn before. Returns how often the pointer has moved, if it is over a row of the same
    /// source: over rows of another it holds the order of those, not of these.
    fn begin_report(&mut self, listed: Listed) -> Option<u64> {
        let is_hovered = self.listed == listed && self.hovered_row().is_some();
        self.listed = listed;
        self.rows.forget();
        self.help.forget();
        self.tooltip.forget(Subject::Row);
        self.tooltip.forget(Subject::Header);
        is_hovered.then(|| self.pointer.moves())
    }

    #[cfg(feature = "enable")]
    fn lay_out_shown(
        &mut self,
        shown: &mut Shown,
        view: &View,
        moves: Option<u64>,
        rect: [f32; 4],
        precision: u32,
    ) {
        self.lay_out_report(shown.report_to_draw(view, moves), rect, precision);
        if let Some(row) = self.hovered_row() {
            let details = shown.details(row);
            self.tooltip
                .describe_averages(details.report, details.averages);
            self.tooltip
                .describe_parts(details.report, row, details.parts);
        }
    }

    fn lay_out_report(&mut self, report: &Report, [x, y, w, h]: [f32; 4], precision: u32) {
        let [sx, sy] = self.scale;
        let rect = [x * sx, y * sy, (x + w) * sx, (y + h) * sy];
        if !rect.iter().all(|edge| edge.is_finite()) || w <= 0.0 || h <= 0.0 {
            return;
        }
        let rect = rect.map(|edge| edge.clamp(-FARTHEST_PX, FARTHEST_PX));
        self.rows.hover = self.hovered();
        self.rows.covered = self.help.covered(rect);
        let Overlay {
            font,
            list,
            rows,
            theme,
            ..
        } = self;
        rows.lay_out(font, list, theme, report, rect, clamp_precision(precision));
        if let Some(row) = self.hovered_row() {
            self.tooltip.describe_row(report, row);
        } else if let Some([x, y]) = self.hovered()
            && let Some(header) = self.rows.hit_header(x, y)
        {
            self.tooltip.describe_header(report, header);
        }
    }

    /// The row of the report under the pointer.
    pub(super) fn hovered_row(&self) -> Option<usize> {
        let [x, y] = self.hovered()?;
        self.rows.hit(x, y)
    }
}
