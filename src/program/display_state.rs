//! A view's state on the screen: its report, graph, flame graph, and tooltip details.
//!
//! The report's numbers change slowly enough to be read, and its rows keep their places while the pointer is over the
//! rows. The default view has one display state, and each overlay has one for the host's own view.

use crate::clock::Instant;
use crate::program::graph_view::GraphView;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_report::Action;
use iprof_report::Average;
use iprof_report::Baseline;
use iprof_report::Flame;
use iprof_report::Graph;
use iprof_report::Report;
use iprof_report::View;
use iprof_report::query;
use iprof_report::query::flame::FlameWork;
use iprof_report::query::graph::GraphWork;
use iprof_report::query::row_tree::Previous;
use iprof_report::{ColumnSet, Distribution, Row, RowKey};
use std::time::Duration;

/// How long rows keep their places after the cursor moved or a row was expanded or collapsed. The time must be longer
/// than it takes to press the next key.
pub(super) const ORDER_HOLD: Duration = Duration::from_secs(2);
/// How long a report must be on the screen before the pointer can hold the order of its rows. A new report is ordered
/// by averages over only a few frames, and a resting pointer would freeze that order.
const SETTLING: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct DisplayState {
    /// The view shown by the report.
    view: View,
    report: Report,
    /// The number of turns so far. A new turn starts when the numbers are due for a refresh. The report and the flame
    /// graph are rebuilt in the same turn, so that they show the same frames.
    turn: u64,
    /// The time when the numbers were last refreshed, and the value of [`Profiler::times_outdated`] at that time;
    /// `None` if a refresh is due.
    renewed: Option<(Instant, u32)>,
    /// The turn in which the report was built; `None` if it was built for a different view.
    report_turn: Option<u64>,
    pub(super) drawn_at: Option<Instant>,
    /// The time when the report was first drawn after it was last hidden.
    drawn_since: Option<Instant>,
    /// The number of pointer moves over the rows at the time when the report had been drawn for [`SETTLING`].
    moves_before: u64,
    /// The time when a control last moved the cursor, or expanded or collapsed a row.
    pub(super) pointed_at: Option<Instant>,
    /// The graph's style, scroll position and zoom.
    pub(crate) graph_view: GraphView,
    pub(crate) is_typing: bool,
    pub(crate) theme_changes: u32,
    graph: Graph,
    graph_work: GraphWork,
    flame: Flame,
    flame_work: FlameWork,
    flame_turn: Option<u64>,
    /// The row last requested from [`details`](DisplayState::details), and the turn in which its report was built.
    details_of: Option<(RowKey, u64)>,
    averages: Vec<Row>,
    parts: Vec<Row>,
    distribution: Option<Distribution>,
}

/// A row's details for its tooltip, in addition to its values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Details<'a> {
    pub(crate) report: &'a Report,
    /// The row's values in the newest frame and then by each average. Empty unless the live view is shown.
    pub(crate) averages: &'a [Row],
    /// The rows that this row sums up: one per thread, or the idle zones.
    pub(crate) parts: &'a [Row],
    pub(crate) distribution: Option<&'a Distribution>,
}

impl DisplayState {
    /// Returns the report to draw, and rebuilds it if it is older than the refresh time.
    ///
    /// `moves` is the number of pointer moves so far, if the pointer is over the rows. Once the pointer moves over the
    /// rows and the report has been drawn for [`SETTLING`], the rows keep their order.
    pub(crate) fn report_to_draw(
        &mut self,
        profiler: &Profiler,
        view: &View,
        moves: Option<u64>,
    ) -> &Report {
        let now = Instant::now();
        if !self.is_on_screen() {
            self.drawn_since = Some(now);
        }
        self.drawn_at = Some(now);
        let is_settled = |since: Instant| now.saturating_duration_since(since) >= SETTLING;
        if !self.drawn_since.is_some_and(is_settled) {
            self.moves_before = moves.unwrap_or_default();
        }
        let is_aimed_at = moves.is_some_and(|moves| moves > self.moves_before);
        self.report(profiler, view, is_aimed_at)
    }

    /// Pretends that the report has been on the screen for [`SETTLING`].
    #[cfg(all(test, not(loom)))]
    pub(super) fn settle(&mut self) {
        let earlier = |since: Instant| since.checked_sub(SETTLING);
        self.drawn_since = self.drawn_since.and_then(earlier);
    }

    /// Returns the report on the screen, and rebuilds it if it is older than the refresh time.
    pub(super) fn report(&mut self, profiler: &Profiler, view: &View, is_hovered: bool) -> &Report {
        self.follow(view);
        self.renew(profiler, Instant::now(), is_hovered);
        &self.report
    }

    /// Returns the current turn. Starts a new turn if the numbers are older than the refresh time.
    fn turn(&mut self, profiler: &Profiler, now: Instant) -> u64 {
        let times_outdated = profiler.times_outdated();
        let is_recent = |(at, outdated): (Instant, u32)| {
            outdated == times_outdated && now.saturating_duration_since(at) < profiler.refresh()
        };
        if !self.renewed.is_some_and(is_recent) {
            self.turn += 1;
            self.renewed = Some((now, times_outdated));
        }
        self.turn
    }

    /// Restarts the refresh time, so that it excludes the time spent building.
    fn end_renewal(&mut self) {
        if let Some((at, _)) = &mut self.renewed {
            *at = Instant::now();
        }
    }

    fn renew(&mut self, profiler: &Profiler, now: Instant, is_hovered: bool) {
        let turn = self.turn(profiler, now);
        if self.report_turn == Some(turn) {
            return;
        }
        let is_in_use = |at: Instant| now.saturating_duration_since(at) < ORDER_HOLD;
        let previous = Previous {
            report: &self.report,
            is_held: is_hovered || self.pointed_at.is_some_and(is_in_use),
            is_typing: self.is_typing,
        };
        let view = &self.view;
        self.report = query::report(profiler, view, Some(previous));
        self.report_turn = Some(turn);
        self.end_renewal();
    }

    /// Returns whether the report is on the screen. If so, controls refer to its rows even if it is outdated, because
    /// the next report may show different rows in their places.
    pub(crate) fn is_on_screen(&self) -> bool {
        let is_drawn = self.drawn_at.is_some_and(|at| at.elapsed() < ORDER_HOLD);
        is_drawn && self.report_turn.is_some()
    }

    /// Returns the graph on the screen, which is always up to date.
    pub(crate) fn graph(&mut self, profiler: &Profiler, view: &View) -> &Graph {
        let shows_session = self.graph_view.shows_session();
        self.graph_work
            .update(profiler, view, shows_session, &mut self.graph);
        self.graph_view.apply(&mut self.graph);
        &self.graph
    }

    /// See [`GraphView::limit`].
    pub(crate) fn limit_graph(&mut self, min_zoom: Option<f32>, raised: Option<f32>) {
        self.graph_view.limit(min_zoom, raised);
    }

    /// Returns the flame graph on the screen. It is rebuilt together with the report, but its selection is always up to
    /// date.
    pub(crate) fn flame(&mut self, profiler: &Profiler, view: &View) -> &Flame {
        self.follow(view);
        let turn = self.turn(profiler, Instant::now());
        if self.flame_turn == Some(turn) {
            query::flame::resolve_nodes(view, &mut self.flame);
            return &self.flame;
        }
        self.flame_work.update(profiler, view, &mut self.flame);
        self.flame_turn = Some(turn);
        self.end_renewal();
        &self.flame
    }

    /// Returns tooltip details for a row of the report on the screen. Builds single rows rather than complete reports.
    pub(crate) fn details(&mut self, profiler: &Profiler, row: usize) -> Details<'_> {
        let view = &self.view;
        let key = self.report.rows.get(row).map(|row| row.key);
        let asked = key.zip(self.report_turn);
        if self.details_of != asked {
            self.details_of = asked;
            self.averages.clear();
            let parts = |key| query::parts(profiler, view, key);
            self.parts = key.map(parts).unwrap_or_default();
            let distribution = |key| query::distribution(profiler, view, key);
            self.distribution = key.and_then(distribution);
            let is_now = view.frame == Frames::Live;
            if let Some(key) = key.filter(|_| is_now && view.baseline() == Baseline::None) {
                let mut other = view.clone();
                other.columns = ColumnSet::default();
                for &average in Average::ALL {
                    if average == view.average {
                        self.averages.push(self.report.rows[row].clone());
                        continue;
                    }
                    other.average = average;
                    let row = query::row(profiler, &other, key);
                    self.averages.extend(row);
                }
            }
        }
        Details {
            report: &self.report,
            averages: &self.averages,
            parts: &self.parts,
            distribution: self.distribution.as_ref(),
        }
    }

    /// Applies an action to the view, relative to the rows on the screen, or to this display state. Returns whether the
    /// action applies to either.
    pub(crate) fn act(&mut self, profiler: &Profiler, view: &mut View, action: Action) -> bool {
        let graph = &mut self.graph_view;
        match action {
            Action::ScrollGraph(bars) => graph.scroll(profiler.history().len(), bars),
            Action::ZoomGraph(factor) => graph.zoom(factor),
            Action::ZoomGraphVertically(factor) => graph.zoom_vertically(factor),
            Action::ScrollGraphVertically(heights) => graph.scroll_vertically(heights),
            Action::NextGraphStyle => graph.next_style(),
            Action::NextTheme => self.theme_changes = self.theme_changes.wrapping_add(1),
            Action::EditFilter | Action::EndFilter => {
                self.set_typing(matches!(action, Action::EditFilter));
            }
            Action::MoveFrame(frames) if graph.shows_session() => {
                view.move_frame_in_session(profiler.session(), frames);
                self.follow(view);
            }
            Action::ExtendRange(buckets) if graph.shows_session() => {
                view.extend_buckets(profiler.session(), buckets);
                self.follow(view);
            }
            action => return self.act_on_view(profiler, view, action),
        }
        true
    }

    fn act_on_view(&mut self, profiler: &Profiler, view: &mut View, action: Action) -> bool {
        if action == Action::ClearFilter {
            self.set_typing(false);
        }
        let needs_rows = view.asks_for_rows(&action);
        self.change(profiler, view, needs_rows, |view, shown| {
            view.act_on(profiler, shown, action)
        })
    }

    /// Sets whether the filter is being typed, and marks the report as outdated, because its title shows whether the
    /// filter is being typed.
    fn set_typing(&mut self, is_typing: bool) {
        if self.is_typing != is_typing {
            self.is_typing = is_typing;
            self.renewed = None;
        }
    }

    /// Changes the view relative to the report on the screen, which is built first if the change needs rows. The change
    /// is visible immediately.
    pub(super) fn change<R>(
        &mut self,
        profiler: &Profiler,
        view: &mut View,
        needs_rows: bool,
        change: impl FnOnce(&mut View, &Report) -> R,
    ) -> R {
        let now = Instant::now();
        if needs_rows && !self.is_on_screen() {
            self.renew(profiler, now, false);
        }
        let result = change(view, &self.report);
        if !view.has_same_cursor_and_expansion(&self.view) {
            self.pointed_at = Some(now);
        }
        self.follow(view);
        result
    }

    /// Adapts to a changed view: rebuilds the report the next time it is drawn, unless only the cursor has moved.
    pub(crate) fn follow(&mut self, view: &View) {
        if view.min_share.is_nan() {
            // NaN is replaced, because a view with NaN is not equal to itself and would always seem to have changed.
            let mut view = view.clone();
            view.min_share = 0.0;
            return self.follow(&view);
        }
        let has_moved = self.view.take_cursor(view);
        if *view == self.view {
            if has_moved {
                // The rows are the same, but the cursor is on a different row.
                view.mark_cursor(&mut self.report.rows);
            }
            return;
        }
        self.renewed = None;
        self.report_turn = None;
        if !view.lists_the_same_as(&self.view) {
            // Discards the row order, which applies to the previous list of rows.
            self.report = Report::default();
        }
        self.view = view.clone();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn title_shows_filter_from_first_key() {
        let profiler = Profiler::new(iprof_gather::clock::Pair::read(iprof_gather::anchor().1));
        let (mut view, mut shown) = (View::default(), DisplayState::default());
        let mut typed = |action| {
            shown.act(&profiler, &mut view, action);
            let report = shown.report(&profiler, &view, false);
            report.title.last().unwrap().clone()
        };
        assert_eq!(typed(Action::EditFilter), "filter: \"_\"");
        assert_eq!(typed(Action::TypeFilter('p')), "filter: \"p_\"");
        assert_eq!(typed(Action::EndFilter), "filter: \"p\"");
        let title = typed(Action::ClearFilter);
        assert!(!title.starts_with("filter"), "{title}");
        typed(Action::EditFilter);
        let title = typed(Action::ClearFilter);
        assert!(!title.starts_with("filter"), "{title}");
    }

    #[test]
    fn nan_min_share_does_not_force_rebuilds() {
        let profiler = Profiler::new(iprof_gather::clock::Pair::read(iprof_gather::anchor().1));
        let (mut view, mut shown) = (View::default(), DisplayState::default());
        view.min_share = f64::NAN;
        shown.report(&profiler, &view, false);
        let turn = shown.turn;
        shown.report(&profiler, &view, false);
        assert_eq!(shown.turn, turn);
    }
}
