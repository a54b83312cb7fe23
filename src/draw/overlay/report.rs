//! Draws the report into a frame.

use super::frame::{ReportSource, Screen};
use super::{DRAW, Frame, Overlay, Source};
use crate::draw::Subject;
use crate::program;
use iprof_process::Profiler;
use iprof_report::Action;
use iprof_report::View;
use iprof_report::{Report, clamp_precision};

impl Frame<'_> {
    /// Adds the default view's report in the rectangle with its top left corner at `x`, `y`.
    ///
    /// Columns keep their width, names are truncated with an ellipsis, and rows scroll to keep the cursor visible.
    /// Parts that do not fit are not drawn, and nothing is drawn outside the rectangle. `precision` is the number of
    /// decimal places for times in any [unit](Report::unit), clamped to 1 to 4; 2 is typical. By default, numbers
    /// change at most ten times a second: see [`Config::refresh_rate`](crate::Config::refresh_rate).
    ///
    /// Rows are sorted by their values. They keep their places while the [pointer](Overlay::pointer) is over them, and
    /// for 2 seconds after an action that moved the cursor or expanded or collapsed a row. So a click or a key hits the
    /// intended row. During this time, new rows come last, or are only counted in the header if they would move other
    /// rows. Rows without current data keep their places and show zeros. The name column's header shows `order held` if
    /// the rows are no longer in the order of their values. A pointer holds the order only if it moves at least 2
    /// seconds after the report appeared.
    ///
    /// Draws nothing if the rectangle is empty or not finite. The cost of drawing appears as the zone `iprof_draw`.
    pub fn draw_default(&mut self, x: f32, y: f32, w: f32, h: f32, precision: u32) {
        self.draw_report_of(None, [x, y, w, h], precision);
    }

    /// Adds the current report for one of your views, or a [`Report`] that you hold. See
    /// [`draw_default`](Frame::draw_default).
    ///
    /// If you have a view, pass it rather than a report. Numbers then change slowly enough to be readable, rows keep
    /// their places under the pointer, tooltips are complete, and a row action passed to [`Overlay::act`] refers to the
    /// rows drawn here. Pass a report for data from the past or from a different program.
    ///
    /// Draw only one view per overlay. If a frame draws several views, their reports are rebuilt for each draw, and
    /// rows do not keep their places.
    ///
    /// ```
    /// # let mut overlay = iprof::overlay::Overlay::new();
    /// # let (view, report) = (iprof::View::default(), iprof::report());
    /// # let mut frame = overlay.begin([640.0, 480.0]);
    /// frame.draw_report(&view, 20.0, 20.0, 300.0, 400.0, 2);
    /// frame.draw_report(&report, 330.0, 20.0, 300.0, 400.0, 2);
    /// ```
    pub fn draw_report<'a>(
        &mut self,
        of: impl Into<Source<'a, Report>>,
        x: f32,
        y: f32,
        w: f32,
        h: f32,
        precision: u32,
    ) {
        let report = match of.into() {
            Source::View(view) => return self.draw_report_of(Some(view), [x, y, w, h], precision),
            Source::Held(report) => report,
        };
        self.overlay.begin_report(ReportSource::Report);
        if self.overlay.begin_part().is_some() {
            self.overlay.lay_out_report(report, [x, y, w, h], precision);
        }
    }

    fn draw_report_of(&mut self, view: Option<&View>, rect: [f32; 4], precision: u32) {
        crate::zone!(&DRAW);
        self.with_screen(view, |screen| screen.draw_report(rect, precision));
    }
}

impl Screen<'_> {
    /// Draws the view's report, and describes the hovered row in the tooltip.
    pub(crate) fn draw_report(&mut self, rect: [f32; 4], precision: u32) {
        let Screen {
            overlay,
            profiler,
            display,
            view,
            report_source,
        } = self;
        let moves = overlay.begin_report(*report_source);
        if overlay.begin_part().is_none() {
            return;
        }
        let report = display.report_to_draw(profiler, view, moves);
        overlay.lay_out_report(report, rect, precision);
        if let Some(row) = overlay.hovered_row() {
            let details = display.details(profiler, row);
            let tooltip = &mut overlay.tooltip;
            tooltip.describe_averages(details.report, details.averages);
            tooltip.describe_parts(details.report, row, details.parts);
            if let Some(distribution) = details.distribution {
                tooltip.describe_distribution(details.report, distribution);
            }
        }
    }
}

impl Overlay {
    /// Applies an action to one of your views. Returns whether the action applies to views.
    ///
    /// This method works like [`View::act`], except that an action on a row refers to the rows that
    /// [`draw_report`](super::Frame::draw_report) drew, even if the view would now show different rows in their places.
    #[allow(clippy::must_use_candidate, reason = "most hosts ignore the result")]
    pub fn act(&mut self, view: &mut View, action: Action) -> bool {
        self.act_on(program::lock().profiler(), view, action)
    }

    /// Works like [`act`](Overlay::act), with the profiler already locked.
    pub(crate) fn act_on(&mut self, profiler: &Profiler, view: &mut View, action: Action) -> bool {
        if action == Action::NextTheme {
            self.next_theme();
            return true;
        }
        // The host may have changed the view.
        view.settle();
        self.display.follow(view);
        self.display.act(profiler, view, action)
    }

    /// Returns whether the user is typing the filter of one of your views.
    ///
    /// Typing starts with [`Action::EditFilter`] and ends with [`EndFilter`](Action::EndFilter) or
    /// [`ClearFilter`](Action::ClearFilter). In between, typed characters are [`TypeFilter`](Action::TypeFilter)
    /// actions, not key bindings.
    #[must_use]
    pub fn is_typing_filter(&self) -> bool {
        self.display.is_typing
    }

    /// Forgets the previously drawn report. If the pointer is over a row from the same source, returns the number of
    /// pointer moves. A pointer over a different source's rows does not hold this report's order.
    fn begin_report(&mut self, report_source: ReportSource) -> Option<u64> {
        let is_hovered = self.report_source == report_source && self.hovered_row().is_some();
        self.report_source = report_source;
        self.rows.forget();
        self.help.forget();
        self.tooltip.forget(Subject::Row);
        self.tooltip.forget(Subject::Header);
        is_hovered.then(|| self.pointer.moves())
    }

    fn lay_out_report(&mut self, report: &Report, rect: [f32; 4], precision: u32) {
        let Some(rect) = self.rect_px(rect) else {
            return;
        };
        self.rows.hover = self.hovered();
        self.rows.covered = self.help.covered(rect);
        let Overlay {
            font, rows, theme, ..
        } = self;
        rows.lay_out(font, theme, report, rect, clamp_precision(precision));
        if let Some(row) = self.hovered_row() {
            self.tooltip.describe_row(report, row);
        } else if let Some([x, y]) = self.hovered()
            && let Some(header) = self.rows.hit_header(x, y)
        {
            self.tooltip.describe_header(report, header);
        }
    }

    pub(super) fn hovered_row(&self) -> Option<usize> {
        let [x, y] = self.hovered()?;
        self.rows.hit(x, y)
    }
}
