//! The report of a frame.

use super::Overlay;
use crate::layout::Subject;
use crate::process::program;
use crate::process::shown::Shown;
use iprof_process::Profiler;
use iprof_report::action::Action;
use iprof_report::report::{Report, clamp_precision};
use iprof_report::view::View;

/// Whose rows were drawn last.
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
    /// Adds the report of the default view. Rectangles are left, top, width and height in units of the screen.
    pub(crate) fn add_default_report(&mut self, rect: [f32; 4], precision: u32) {
        let moves = self.begin_report(Listed::DefaultView);
        if let Some(mut program) = self.begin_default_part() {
            let (profiler, view, shown) = program.parts();
            self.lay_out_shown(profiler, shown, view, moves, rect, precision);
        }
    }

    /// Adds the report of a view of the host's.
    pub(crate) fn add_view_report(&mut self, view: &View, rect: [f32; 4], precision: u32) {
        let moves = self.begin_report(Listed::View);
        if let Some((program, mut shown)) = self.begin_view_part() {
            self.lay_out_shown(program.profiler(), &mut shown, view, moves, rect, precision);
            self.shown = shown;
        }
    }

    /// Adds a report that the host holds.
    pub(crate) fn add_report(&mut self, report: &Report, rect: [f32; 4], precision: u32) {
        self.begin_report(Listed::Report);
        if self.begin_part().is_some() {
            self.lay_out_report(report, rect, precision);
        }
    }

    /// Applies an action to a view of the host's, like [`View::act`], except that an action on a row is about the
    /// rows that [`draw_view`](super::Frame::draw_view) drew, even if the view has others in their places by now.
    /// Returns whether the action concerns a view.
    #[allow(clippy::must_use_candidate, reason = "most hosts need not know")]
    pub fn act(&mut self, view: &mut View, action: Action) -> bool {
        self.act_on(program::lock().profiler(), view, action)
    }

    /// The same, where the profiler is locked.
    pub(crate) fn act_on(&mut self, profiler: &Profiler, view: &mut View, action: Action) -> bool {
        if action == Action::NextTheme {
            self.next_theme();
            return true;
        }
        // The host may have changed it.
        self.shown.follow(view);
        self.shown.act(profiler, view, action)
    }

    /// Whether the user is typing the filter of a view of the host's: from [`Action::EditFilter`] to
    /// [`EndFilter`](Action::EndFilter) or [`ClearFilter`](Action::ClearFilter). Typed characters are
    /// [`TypeFilter`](Action::TypeFilter) then, instead of keys with actions of their own.
    #[must_use]
    pub fn is_typing_filter(&self) -> bool {
        self.shown.is_typing
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

    fn lay_out_shown(
        &mut self,
        profiler: &Profiler,
        shown: &mut Shown,
        view: &View,
        moves: Option<u64>,
        rect: [f32; 4],
        precision: u32,
    ) {
        self.lay_out_report(shown.report_to_draw(profiler, view, moves), rect, precision);
        if let Some(row) = self.hovered_row() {
            let details = shown.details(profiler, row);
            self.tooltip
                .describe_averages(details.report, details.averages);
            self.tooltip
                .describe_parts(details.report, row, details.parts);
            if let Some(distribution) = details.distribution {
                self.tooltip
                    .describe_distribution(details.report, distribution);
            }
        }
    }

    fn lay_out_report(&mut self, report: &Report, rect: [f32; 4], precision: u32) {
        let Some(rect) = self.rect_px(rect) else {
            return;
        };
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
