//! The program-wide default view, as the overlay and the global controls use it: caches its report
//! and graph, refreshes their numbers slowly enough to be read, and applies controls to the rows as
//! shown.

#[cfg(any(feature = "_overlay", all(test, feature = "enable", not(loom))))]
use crate::average::Average;
use crate::clock::Instant;
#[cfg(feature = "_overlay")]
use crate::graph::Graph;
use crate::process::program::with_profiler;
use crate::process::query;
#[cfg(feature = "_overlay")]
use crate::process::query::graph::GraphWork;
use crate::process::query::previous::Previous;
use crate::process::view::View;
#[cfg(feature = "_overlay")]
use crate::process::view::{Baseline, FrameChoice};
use crate::report::Report;
#[cfg(feature = "_overlay")]
use crate::report::{Row, RowKey};
use crate::sync::{Mutex, Ordering::Relaxed, StaticBool, lock};
use std::cell::Cell;
use std::time::Duration;

/// The least time between two changes of the numbers; the default.
pub(super) const REFRESH: Duration = Duration::from_millis(100);
/// How long rows stay where they stand after the cursor moved or a row was opened or closed. It must be
/// longer than it takes to press the next key.
const ORDER_HOLD: Duration = Duration::from_secs(2);

static DEFAULT_VIEW: Mutex<Option<DefaultView>> = Mutex::new(None);
/// Whether the report on the screen is out of date. Set without the lock, which a host may hold: see
/// [`with_view`].
static IS_OUTDATED: StaticBool = StaticBool::new(false);

thread_local! {
    /// Whether this thread is in a closure of [`with_view`], and so holds the lock.
    static IS_CHANGING: Cell<bool> = const { Cell::new(false) };
}

/// The default view, with the report and the graph on the screen.
#[derive(Debug)]
pub(crate) struct DefaultView {
    view: View,
    shown: Report,
    shown_at: Option<Instant>,
    /// When the report was last drawn.
    #[cfg(feature = "_overlay")]
    drawn_at: Option<Instant>,
    /// When a control last moved the cursor, or opened or closed a row.
    pointed_at: Option<Instant>,
    refresh: Duration,
    #[cfg(feature = "_overlay")]
    graph: Graph,
    #[cfg(feature = "_overlay")]
    graph_work: GraphWork,
    /// The row last asked for in [`averages_of`](DefaultView::averages_of), when, and its values by
    /// each average.
    #[cfg(feature = "_overlay")]
    averages_of: Option<(RowKey, Instant)>,
    #[cfg(feature = "_overlay")]
    averages: Vec<Row>,
    /// Its parts.
    #[cfg(feature = "_overlay")]
    parts: Vec<Row>,
}

/// The lock of the program's default view, for `fork`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn mutex() -> &'static Mutex<Option<DefaultView>> {
    &DEFAULT_VIEW
}

/// Whether this thread is in a closure of [`with_view`], and so holds the lock.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn is_changing() -> bool {
    IS_CHANGING.get()
}

impl DefaultView {
    fn new() -> DefaultView {
        DefaultView {
            view: View::new(),
            shown: Report::default(),
            shown_at: None,
            #[cfg(feature = "_overlay")]
            drawn_at: None,
            pointed_at: None,
            refresh: REFRESH,
            #[cfg(feature = "_overlay")]
            graph: Graph::default(),
            #[cfg(feature = "_overlay")]
            graph_work: GraphWork::default(),
            #[cfg(feature = "_overlay")]
            averages_of: None,
            #[cfg(feature = "_overlay")]
            averages: Vec::new(),
            #[cfg(feature = "_overlay")]
            parts: Vec::new(),
        }
    }

    /// The report to draw; rebuilt if it is older than the refresh time. `is_hovered`: the pointer is over
    /// its rows. Then the rows keep their order, unless the report was hidden for a while.
    #[cfg(feature = "_overlay")]
    pub(crate) fn report_to_draw(&mut self, is_hovered: bool) -> &Report {
        let is_aimed_at = is_hovered && self.is_on_screen();
        self.drawn_at = Some(Instant::now());
        self.report(is_aimed_at)
    }

    /// The report on the screen; rebuilt if it is older than the refresh time.
    fn report(&mut self, is_hovered: bool) -> &Report {
        if IS_OUTDATED.swap(false, Relaxed) {
            self.shown_at = None;
        }
        if self.shown_at.is_none_or(|at| at.elapsed() >= self.refresh) {
            let is_in_use = |at: Instant| at.elapsed() < ORDER_HOLD;
            let previous = Previous {
                report: &self.shown,
                is_held: is_hovered || self.pointed_at.is_some_and(is_in_use),
            };
            self.shown =
                with_profiler(|profiler| query::report(profiler, &self.view, Some(previous)));
            self.shown_at = Some(Instant::now());
        }
        &self.shown
    }

    /// Whether the shown report is on the screen. Then a control is about its rows, even if it is older than
    /// the refresh time: the next report may have others in their places.
    fn is_on_screen(&self) -> bool {
        #[cfg(feature = "_overlay")]
        let is_drawn = self.drawn_at.is_some_and(|at| at.elapsed() < ORDER_HOLD);
        #[cfg(not(feature = "_overlay"))]
        let is_drawn = false;
        is_drawn && self.shown_at.is_some()
    }

    /// The graph could not be scrolled up further than this: further steps up must not count, or as many steps
    /// down would do nothing.
    #[cfg(feature = "_overlay")]
    pub(crate) fn limit_graph_scroll(&mut self, raised: f32) {
        self.view.graph_raised = self.view.graph_raised.min(raised);
    }

    /// How often the user has changed the theme.
    #[cfg(feature = "_overlay")]
    pub(crate) fn theme_turns(&self) -> u32 {
        self.view.theme_turns
    }

    /// The graph on the screen; always up to date.
    #[cfg(feature = "_overlay")]
    pub(crate) fn graph(&mut self) -> &Graph {
        with_profiler(|profiler| {
            self.graph_work
                .update(profiler, &self.view, &mut self.graph)
        });
        &self.graph
    }

    /// The report on the screen, and the values of one of its rows in the newest frame and by each
    /// average, in this order. No values unless the live view is shown.
    /// Builds no whole report: one of the rows is on the screen, and the others are built as single
    /// rows.
    #[cfg(feature = "_overlay")]
    pub(crate) fn averages_of(&mut self, row: usize) -> (&Report, &[Row]) {
        let key = self.shown.rows.get(row).map(|row| row.key);
        let asked = key.zip(self.shown_at);
        if self.averages_of != asked {
            self.averages_of = asked;
            self.averages.clear();
            let parts = |key| with_profiler(|profiler| query::parts(profiler, &self.view, key));
            self.parts = key.map(parts).unwrap_or_default();
            let is_now = self.view.frame == FrameChoice::Live;
            if let Some(key) = key.filter(|_| is_now && self.view.baseline() == Baseline::None) {
                let mut view = self.view.clone();
                for &average in Average::ALL {
                    if average == self.view.average() {
                        self.averages.push(self.shown.rows[row].clone());
                        continue;
                    }
                    view.set_average(average);
                    self.averages
                        .extend(with_profiler(|profiler| query::row(profiler, &view, key)));
                }
            }
        }
        (&self.shown, &self.averages)
    }

    /// The report on the screen.
    #[cfg(feature = "_overlay")]
    pub(crate) fn shown(&self) -> &Report {
        &self.shown
    }

    /// The parts of the row that [`averages_of`](Self::averages_of) was last asked for: by thread, or idle zones.
    #[cfg(feature = "_overlay")]
    pub(crate) fn parts(&self) -> &[Row] {
        &self.parts
    }

    /// Changes the view in response to the report on the screen, and shows the change at once.
    pub(crate) fn control(&mut self, change: impl FnOnce(&mut View, &Report)) {
        if !self.is_on_screen() {
            self.report(false);
        }
        let mut changed = self.view.clone();
        change(&mut changed, &self.shown);
        if !changed.points_as(&self.view) {
            self.pointed_at = Some(Instant::now());
        }
        self.set_view(changed);
    }

    /// Changes the view, and shows the change at once. If `change` panics, the view stays as it was.
    fn change<R>(&mut self, change: impl FnOnce(&mut View) -> R) -> R {
        let mut changed = self.view.clone();
        let result = change(&mut changed);
        self.set_view(changed);
        result
    }

    fn set_view(&mut self, view: View) {
        let before = std::mem::replace(&mut self.view, view);
        if self.view.is_alike(&before) {
            // The same rows, with the cursor on another one.
            self.view.mark_cursor(&mut self.shown.rows);
            return;
        }
        self.shown_at = None;
        // Reading a frame takes longer than history remembers it.
        with_profiler(|profiler| profiler.history_mut().pin(self.view.shown_frames()));
        if !self.view.lists_the_same_as(&before) {
            // The order of the shown rows belongs to another list.
            self.shown = Report::default();
        }
    }

    pub(crate) fn set_refresh(&mut self, refresh: Duration) {
        self.refresh = refresh;
        self.shown_at = None;
    }
}

/// Calls `f` with the program's default view.
///
/// Lock order: the default view before the profiler, here and everywhere.
///
/// # Panics
///
/// In a closure of [`with_view`], which holds the lock.
pub(crate) fn with_default_view<R>(f: impl FnOnce(&mut DefaultView) -> R) -> R {
    assert!(
        !IS_CHANGING.get(),
        "called inside `with_view`, which holds the default view's lock; use the closure's view, or call \
         this after `with_view` returns"
    );
    f(lock(&DEFAULT_VIEW).get_or_insert_with(DefaultView::new))
}

/// Whether a panic of this thread is in a closure of [`with_view`], which holds the lock until it has unwound: to
/// panic for that in a panic hook, or in a destructor, would end the program.
pub(super) fn is_held_by_panic() -> bool {
    IS_CHANGING.get() && std::thread::panicking()
}

/// The report where the view [is held](is_held_by_panic).
pub(super) fn no_report() -> Report {
    let warning = "no report: the panic is in a closure of `with_view`, which holds the view";
    Report {
        warnings: vec![warning.to_owned()],
        ..Report::default()
    }
}

/// Makes the next report on the screen a new one.
pub(crate) fn refresh() {
    IS_OUTDATED.store(true, Relaxed);
}

/// Changes the default view under its lock.
pub(super) fn with_view<R>(change: impl FnOnce(&mut View) -> R) -> R {
    struct Changing;

    impl Drop for Changing {
        fn drop(&mut self) {
            IS_CHANGING.set(false);
        }
    }

    with_default_view(|display| {
        display.change(|view| {
            IS_CHANGING.set(true);
            let _changing = Changing;
            change(view)
        })
    })
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::frame_selection::FrameSelection;
    use crate::graph::Graph;
    use crate::process::query::graph::GraphWork;
    use crate::report::ReportMode;

    fn frame(zones: u32) {
        for _ in 0..zones {
            crate::zone!(shown);
        }
        crate::update(true);
    }

    fn count(report: &Report) -> f64 {
        let row = report.rows.iter().find(|row| &*row.name == "shown");
        row.map_or(0.0, |row| row.number(crate::report::ColumnId::Count))
    }

    fn select(display: &mut DefaultView, frames: FrameSelection) {
        display.control(|view, _| assert!(view.set_frames(frames)));
    }

    #[cfg(feature = "_overlay")]
    fn position(report: &Report, name: &str) -> usize {
        let rows = &mut report.rows.iter();
        rows.position(|row| &*row.name == name).unwrap()
    }

    /// The only test that uses the program's own profiler.
    #[test]
    fn numbers_stay_for_the_refresh_time_and_controls_show_at_once() {
        let mut display = DefaultView::new();
        display.set_refresh(Duration::from_secs(3600));
        display.control(|view, _| view.set_average(Average::Newest));
        frame(3);
        assert_eq!(count(display.report(false)), 3.0);
        frame(5);
        assert_eq!(
            count(display.report(false)),
            3.0,
            "it is too early for a change"
        );
        display.control(|view, shown| {
            assert_eq!(count(shown), 3.0, "controls act on what is shown");
            view.set_report_mode(ReportMode::HierarchicalTime);
        });
        assert_eq!(count(display.report(false)), 5.0);
        frame(7);
        display.set_refresh(Duration::ZERO);
        assert_eq!(count(display.report(false)), 7.0);

        // The nine controls, in this program.
        display.control(|view, _| view.move_frame(-1));
        assert_eq!(count(display.report(false)), 5.0);
        select(&mut display, FrameSelection::Back(2));
        assert_eq!(count(display.report(false)), 3.0);
        display.control(|view, _| view.move_frame(-100));
        assert_eq!(display.view.frames(), FrameSelection::Number(1));
        display.control(|view, _| view.move_frame(100));
        assert_eq!(display.view.frames(), FrameSelection::Live);
        select(&mut display, FrameSelection::Back(usize::MAX));
        assert_eq!(display.view.frames(), FrameSelection::Number(1));
        frame(9);
        assert_eq!(
            display.view.frames(),
            FrameSelection::Number(1),
            "the frame stays while others come"
        );
        assert_eq!(count(display.report(false)), 3.0);
        select(&mut display, FrameSelection::Live);
        assert_eq!(count(display.report(false)), 9.0);

        let rows = display.report(false).rows.len();
        display.control(|view, shown| view.set_cursor_in(shown, usize::MAX));
        assert_eq!(display.report(false).cursor(), Some(rows - 1));
        display.control(|view, shown| view.move_cursor_in(shown, 1));
        assert_eq!(display.report(false).cursor(), Some(rows - 1));
        display.control(|view, shown| view.move_cursor_in(shown, i32::MIN));
        assert_eq!(display.report(false).cursor(), Some(0));
        let at = display
            .report(false)
            .rows
            .iter()
            .position(|row| &*row.name == "shown");
        display.control(|view, shown| view.set_cursor_in(shown, at.unwrap()));
        display.control(|view, shown| view.select_in(shown));
        assert_eq!(display.view.report_mode(), ReportMode::CallGraph);
        let names: Vec<_> = display
            .report(false)
            .rows
            .iter()
            .map(|r| r.name.to_string())
            .collect();
        assert_eq!(names, ["(outside zones)", "shown"]);
        assert_eq!(display.report(false).cursor(), Some(1));
        display.control(|view, shown| view.select_in(shown));
        assert_eq!(
            display.report(false).rows.len(),
            2,
            "it is selected already"
        );
        display.control(|view, shown| view.select_parent_in(shown));
        assert_eq!(
            display.report(false).rows[0].name.as_ref(),
            "(outside zones)"
        );
        display.control(|view, shown| view.select_parent_in(shown));
        assert_eq!(
            display.report(false).rows[0].name.as_ref(),
            "(outside zones)"
        );
        display.control(|view, _| view.set_average(Average::Slow));
        assert_eq!(display.view.average(), Average::Slow);

        // A frame that is shown stays remembered.
        select(&mut display, FrameSelection::Number(2));
        crate::set_longest_frames(0);
        crate::set_history(2);
        let shown = |display: &mut DefaultView| {
            let graph = with_profiler(|profiler| {
                let mut graph = Graph::default();
                GraphWork::default().update(profiler, &display.view, &mut graph);
                graph
            });
            (count(display.report(false)), graph.bars.len(), graph.cursor)
        };
        assert_eq!(shown(&mut display), (5.0, 3, Some(2)));
        (0..5).for_each(frame);
        refresh();
        assert_eq!(shown(&mut display), (5.0, 3, Some(2)));
        select(&mut display, FrameSelection::Live);
        display.control(|view, _| view.set_average(Average::Newest));
        assert_eq!(shown(&mut display), (4.0, 2, None));

        crate::reset();
        assert_eq!(count(display.report(false)), 0.0);
        frame(4);
        display.control(|view, _| view.set_report_mode(ReportMode::SelfTime));
        assert_eq!(count(display.report(false)), 4.0);

        #[cfg(feature = "_overlay")]
        {
            (0..3).for_each(|_| frame(4));
            frame(100);
            let shown = |row: &Row| &*row.name == "shown";
            let row = display.report(false).rows.iter().position(shown).unwrap();
            let averages = display.averages_of(row).1.iter();
            let counts: Vec<f64> = averages
                .map(|row| row.number(crate::report::ColumnId::Count))
                .collect();
            assert!(counts[0] == 100.0 && counts[1] < 100.0, "{counts:?}");
            assert!(counts[1] > counts[2] && counts[2] > 4.0, "{counts:?}");
            select(&mut display, FrameSelection::Back(1));
            display.report(false);
            assert!(display.averages_of(row).1.is_empty(), "it is not now");
            select(&mut display, FrameSelection::Live);
        }
        keys_and_hovering_make_few_reports(&mut display);
        rows_stay_under_the_pointer_and_the_cursor(&mut display);
    }

    /// Rows are ordered by count here, which a test controls.
    fn rows_stay_under_the_pointer_and_the_cursor(display: &mut DefaultView) {
        use crate::report::{ColumnId, Sort};
        let counted = |few: u32, many: u32| {
            for _ in 0..few {
                crate::zone!(held_few);
            }
            for _ in 0..many {
                crate::zone!(held_many);
            }
            crate::update(true);
        };
        display.control(|view, _| {
            *view = View::new();
            view.set_average(Average::Newest);
            view.set_filter("held_");
            view.set_sort(Sort::Column(ColumnId::Count));
        });
        display.set_refresh(Duration::ZERO);
        let names = |report: &Report| -> Vec<String> {
            let rows = report.rows.iter();
            rows.map(|row| row.name.to_string()).collect()
        };
        let (one_way, other_way) = (["held_few", "held_many"], ["held_many", "held_few"]);
        display.pointed_at = None;
        counted(9, 5);
        assert_eq!(names(display.report(false)), one_way);
        counted(5, 9);
        let held = display.report(true);
        assert_eq!(
            (names(held), held.order_held),
            (one_way.map(String::from).to_vec(), true)
        );
        // A row with nothing to show keeps its place.
        counted(0, 9);
        let held = display.report(true);
        assert_eq!(
            (names(held), held.rows[0].number(ColumnId::Count)),
            (one_way.map(String::from).to_vec(), 0.0)
        );
        counted(5, 9);
        let free = display.report(false);
        assert_eq!(
            (names(free), free.order_held),
            (other_way.map(String::from).to_vec(), false)
        );

        // A key holds the order, for some time.
        display.control(|view, shown| view.set_cursor_in(shown, 1));
        counted(9, 5);
        assert_eq!(names(display.report(false)), other_way);
        display.pointed_at = display.pointed_at.and_then(|at| at.checked_sub(ORDER_HOLD));
        assert_eq!(names(display.report(false)), one_way);
        // It is not a key on the rows that changes what is listed.
        display.control(|view, _| view.set_sort(Sort::Name));
        assert!(
            display
                .pointed_at
                .is_some_and(|at| at.elapsed() >= ORDER_HOLD)
        );

        #[cfg(feature = "_overlay")]
        {
            // A click is about the rows that were drawn, even if others are there by now.
            display.control(|view, _| view.set_sort(Sort::Column(ColumnId::Count)));
            counted(9, 5);
            let at = position(display.report_to_draw(false), "held_few");
            assert_eq!(at, 0);
            counted(5, 9);
            display.control(|view, shown| view.set_cursor_in(shown, at));
            let report = display.report_to_draw(false);
            assert_eq!(&*report.rows[report.cursor().unwrap()].name, "held_few");
        }
    }

    /// A key builds the report that shows its effect; one that needs rows that are not on the screen
    /// builds at most one more; none if the rows stay the same. Hovering builds none.
    fn keys_and_hovering_make_few_reports(display: &mut DefaultView) {
        use crate::action::Action;
        let made = || query::REPORTS_MADE.get();
        display.set_refresh(Duration::from_secs(3600));
        display.control(|view, _| *view = View::new());
        display.report(false);
        for (action, reports) in [
            (Action::MoveCursor(1), 0),
            (Action::SetCursor(0), 0),
            (Action::NextSort, 1),
            (Action::ReverseSort, 1),
            (Action::NextReportMode, 1),
            (Action::TypeFilter('s'), 1),
            (Action::ClearFilter, 1),
            (Action::SetCursor(1), 0),
            (Action::Select, 1),
            (Action::SelectParent, 1),
            (Action::GoBack, 1),
            (Action::ToggleRow(0), 1),
            (Action::MoveFrame(-1), 1),
            (Action::SetFrames(FrameSelection::Live), 1),
        ] {
            let before = made();
            display.control(|view, shown| assert!(view.act_in(shown, action.clone())));
            display.report(false);
            assert!(made() - before <= reports, "{action:?}");

            let before = made();
            View::new().act(action.clone());
            assert!(made() - before <= 1, "{action:?} on a view of one's own");
        }
        #[cfg(feature = "_overlay")]
        for mode in [
            ReportMode::SelfTime,
            ReportMode::CallGraph,
            ReportMode::CallTree,
        ] {
            display.control(|view, _| view.set_report_mode(mode));
            let rows = display.report(false).rows.len();
            let (before, mut found) = (made(), Vec::new());
            for row in 0..rows {
                let of = display.shown.rows[row].clone();
                let (_, averages) = display.averages_of(row);
                let averages = averages.to_vec();
                assert_eq!(averages.len(), Average::ALL.len(), "{of:?}");
                found.push((of.key, averages));
            }
            assert_eq!(made(), before, "of {rows} rows in {mode:?}");
            // They equal those of whole reports.
            for (at, &average) in Average::ALL.iter().enumerate() {
                let mut view = display.view.clone();
                view.set_average(average);
                let report = with_profiler(|profiler| query::report(profiler, &view, None));
                for (key, averages) in &found {
                    let it = report.rows.iter().find(|row| row.key == *key);
                    let it = it.unwrap();
                    for column in display.shown.shown_columns() {
                        assert_eq!(averages[at].value(column), it.value(column));
                    }
                }
            }
        }
    }
}
