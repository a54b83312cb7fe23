//! The program's default view, its state on the screen, and the global functions that control them.

use crate::program::display_state::DisplayState;
use crate::program::{self, DefaultView, Held, Program};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_report::Action;
use iprof_report::Average;
use iprof_report::View;
use iprof_report::{Recursion, Report, ReportMode};

impl Program {
    pub(crate) fn display(&self) -> &DisplayState {
        &self.default.display
    }

    pub(crate) fn view(&self) -> &View {
        &self.default.view
    }

    /// Returns the recorded data, the default view, and its state on the screen.
    pub(crate) fn parts(&mut self) -> (&Profiler, &mut View, &mut DisplayState) {
        let DefaultView { view, display } = &mut *self.default;
        (&self.profiler, view, display)
    }

    /// Applies an action to the default view, relative to the rows on the screen. Returns whether the action applies to
    /// views.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        self.keeping_frames(|program| {
            let (profiler, view, display) = program.parts();
            display.act(profiler, view, action)
        })
    }

    fn set_view(&mut self, mut changed: View) {
        changed.settle();
        self.keeping_frames(|program| {
            let (_, view, display) = program.parts();
            *view = changed;
            display.follow(view);
        });
    }

    /// Pins the frames that the view shows after `change`, since a user may look at a frame for longer than the history
    /// would keep it.
    fn keeping_frames<R>(&mut self, change: impl FnOnce(&mut Program) -> R) -> R {
        let before = self.view().shown_frames();
        let result = change(self);
        let frames = self.view().shown_frames();
        if frames != before {
            self.profiler.history_mut().pin(frames);
        }
        result
    }
}

/// Sets what the default view's rows show: [`View::report_mode`].
pub fn set_report_mode(mode: ReportMode) {
    with_view(|view| view.report_mode = mode);
}

/// Moves the cursor by `delta` rows, downwards if positive: [`Action::MoveCursor`].
pub fn move_cursor(delta: i32) {
    act(Action::MoveCursor(delta));
}

/// Moves the cursor to row `position`, counted from 0: [`Action::SetCursor`].
pub fn set_cursor(position: usize) {
    act(Action::SetCursor(position));
}

/// Shows the call graph of the zone under the cursor: [`Action::Select`].
pub fn select() {
    act(Action::Select);
}

/// Moves to the selected zone's costliest direct caller: [`Action::SelectParent`].
pub fn select_parent() {
    act(Action::SelectParent);
}

/// Moves `delta` frames forward, or into the past if negative: [`Action::MoveFrame`].
pub fn move_frame(delta: i32) {
    act(Action::MoveFrame(delta));
}

/// Shows the frame `back` frames before the newest one in the default view ([`Frames::Back`]). `back` is not a frame
/// number; 0 returns to the live view ([`Frames::Live`]).
pub fn set_frame(back: usize) {
    let selection = match back {
        0 => Frames::Live,
        _ => Frames::Back(back),
    };
    act(Action::SetFrames(selection));
}

/// Sets the average that the live default view shows: [`View::average`].
pub fn set_average(average: Average) {
    with_view(|view| view.average = average);
}

/// Sets whether the default view shows one row for a recursive zone or one per depth: [`View::recursion`].
pub fn set_recursion(recursion: Recursion) {
    with_view(|view| view.recursion = recursion);
}

/// Applies an action to the default view, and returns whether the action applies to views: [`View::act`].
#[allow(clippy::must_use_candidate, reason = "most hosts ignore the result")]
pub fn act(action: Action) -> bool {
    !program::is_held_by_panic() && program::lock().act(action)
}

/// Calls `change` with the default view, and returns its result. The change is visible immediately.
///
/// Use it for settings without a dedicated function, and to change several settings at once. If a change depends on
/// recorded data, such as stepping through frames or rows, use [`act`].
///
/// `change` runs under iprof's lock, so concurrent changes are serialized and none is lost. Keep it short: other
/// threads that draw, end a frame or use the default view have to wait.
///
/// ```
/// iprof::with_view(|view| {
///     view.filter = "physics".to_owned();
///     view.grouping = true;
/// });
/// let filter = iprof::with_view(|view| view.filter.clone());
/// assert_eq!(filter, "physics");
/// ```
///
/// `change` may read recorded data through [`profiler`](crate::profiler()), which shares the lock:
///
/// ```
/// iprof::with_view(|view| {
///     view.show_frames(&iprof::profiler(), iprof::Frames::Longest);
///     view.set_baseline(iprof::Baseline::Average);
/// });
/// ```
///
/// # Panics
///
/// Panics if `change` panics; the default view then remains as it was. Also panics if `change` calls
/// [`snapshot`](crate::snapshot) or a function that changes recording or the default view, such as
/// [`update`](crate::update), [`act`] or this one, because that would deadlock. Entering a zone does not panic. A panic
/// hook may always call these functions; while the lock is held, the functions find no frames.
pub fn with_view<R>(change: impl FnOnce(&mut View) -> R) -> R {
    if program::is_held_by_panic() {
        return change(&mut View::default());
    }
    let mut held = Held::new();
    let mut view = held.program().view().clone();
    let result = change(&mut view);
    held.program_mut().set_view(view);
    result
}

/// Builds the report that the default view shows, with current values: [`View::report`]. Inside a [`with_view`]
/// closure, the view is the one from before the call.
#[must_use]
pub fn report() -> Report {
    let held = Held::shared();
    held.program().view().report(held.program().profiler())
}

/// Writes the report of the default view as text: [`Report::write`].
///
/// ```
/// iprof::update(true);
/// iprof::write_report(std::io::stdout())?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Returns any error from `out`.
pub fn write_report(out: impl std::io::Write) -> std::io::Result<()> {
    report().write(out, 2)
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;
    use crate::program::display_state::ORDER_HOLD;
    use iprof_process::Frames;
    use iprof_report::Average;
    use iprof_report::ReportMode;
    use iprof_report::Row;
    use iprof_report::query;
    use std::time::Duration;

    /// A view like the default view, showing the program's own data.
    struct Display {
        view: View,
        state: DisplayState,
    }

    impl Display {
        fn new() -> Display {
            Display {
                view: View::default(),
                state: DisplayState::default(),
            }
        }

        fn act(&mut self, action: Action) {
            let frames = self.view.shown_frames();
            let mut program = program::lock();
            let is_of_view = self.state.act(program.profiler(), &mut self.view, action);
            assert!(is_of_view);
            if self.view.shown_frames() != frames {
                let frames = self.view.shown_frames();
                program.profiler_mut().history_mut().pin(frames);
            }
        }

        fn control(&mut self, change: impl FnOnce(&mut View, &Report)) {
            let program = program::lock();
            self.state
                .change(program.profiler(), &mut self.view, true, change);
        }

        fn report(&mut self, is_hovered: bool) -> &Report {
            let program = program::lock();
            self.state
                .report(program.profiler(), &self.view, is_hovered)
        }

        fn report_to_draw(&mut self, moves: Option<u64>) -> &Report {
            let program = program::lock();
            self.state
                .report_to_draw(program.profiler(), &self.view, moves)
        }

        fn averages(&mut self, row: usize) -> Vec<Row> {
            let program = program::lock();
            self.state
                .details(program.profiler(), row)
                .averages
                .to_vec()
        }
    }

    fn set_refresh(refresh: Duration) {
        program::lock().profiler_mut().set_refresh(refresh);
    }

    fn frame(zones: u32) {
        for _ in 0..zones {
            crate::zone!(shown);
        }
        crate::update(true);
    }

    fn count(report: &Report) -> f64 {
        let row = report.rows.iter().find(|row| &*row.name == "shown");
        row.map_or(0.0, |row| row.number(iprof_report::ColumnId::Count))
    }

    fn select(display: &mut Display, frames: Frames) {
        display.act(Action::SetFrames(frames));
    }

    fn position(report: &Report, name: &str) -> usize {
        let rows = &mut report.rows.iter();
        rows.position(|row| &*row.name == name).unwrap()
    }

    /// This is the only test that uses the program's own profiler.
    #[test]
    fn controls_refresh_numbers_immediately() {
        let mut display = Display::new();
        set_refresh(Duration::from_secs(3600));
        display.control(|view, _| view.average = Average::Newest);
        frame(3);
        assert_eq!(count(display.report(false)), 3.0);
        frame(5);
        assert_eq!(
            count(display.report(false)),
            3.0,
            "numbers should not change before the refresh time"
        );
        display.control(|view, shown| {
            assert_eq!(
                count(shown),
                3.0,
                "controls should act on the rows on the screen"
            );
            view.report_mode = ReportMode::HierarchicalTime;
        });
        assert_eq!(count(display.report(false)), 5.0);
        frame(7);
        set_refresh(Duration::ZERO);
        assert_eq!(count(display.report(false)), 7.0);

        display.act(Action::MoveFrame(-1));
        assert_eq!(count(display.report(false)), 5.0);
        select(&mut display, Frames::Back(2));
        assert_eq!(count(display.report(false)), 3.0);
        display.act(Action::MoveFrame(-100));
        assert_eq!(display.view.frames(), Frames::Number(1));
        display.act(Action::MoveFrame(100));
        assert_eq!(display.view.frames(), Frames::Live);
        select(&mut display, Frames::Back(usize::MAX));
        assert_eq!(display.view.frames(), Frames::Number(1));
        frame(9);
        assert_eq!(
            display.view.frames(),
            Frames::Number(1),
            "the selected frame should stay while new frames are recorded"
        );
        assert_eq!(count(display.report(false)), 3.0);
        select(&mut display, Frames::Live);
        assert_eq!(count(display.report(false)), 9.0);

        let rows = display.report(false).rows.len();
        display.control(|view, shown| view.set_cursor(shown, usize::MAX));
        assert_eq!(display.report(false).cursor(), Some(rows - 1));
        display.control(|view, shown| view.move_cursor(shown, 1));
        assert_eq!(display.report(false).cursor(), Some(rows - 1));
        display.control(|view, shown| view.move_cursor(shown, i32::MIN));
        assert_eq!(display.report(false).cursor(), Some(0));
        let at = display
            .report(false)
            .rows
            .iter()
            .position(|row| &*row.name == "shown");
        display.control(|view, shown| view.set_cursor(shown, at.unwrap()));
        display.control(|view, shown| view.select(shown));
        assert_eq!(display.view.report_mode, ReportMode::CallGraph);
        let names: Vec<_> = display
            .report(false)
            .rows
            .iter()
            .map(|r| r.name.to_string())
            .collect();
        assert_eq!(names, ["(outside zones)", "shown"]);
        assert_eq!(display.report(false).cursor(), Some(1));
        display.control(|view, shown| view.select(shown));
        assert_eq!(
            display.report(false).rows.len(),
            2,
            "selecting the selected zone should change nothing"
        );
        display.act(Action::SelectParent);
        assert_eq!(
            display.report(false).rows[0].name.as_ref(),
            "(outside zones)"
        );
        display.act(Action::SelectParent);
        assert_eq!(
            display.report(false).rows[0].name.as_ref(),
            "(outside zones)"
        );
        display.control(|view, _| view.average = Average::Slow);
        assert_eq!(display.view.average, Average::Slow);

        // The history keeps a frame as long as it is shown.
        select(&mut display, Frames::Number(2));
        crate::configure(|config| config.longest_frames = 0);
        crate::configure(|config| config.history = 2);
        let shown = |display: &mut Display| {
            let graph = display.view.graph(program::lock().profiler());
            (count(display.report(false)), graph.bars.len(), graph.cursor)
        };
        assert_eq!(shown(&mut display), (5.0, 3, Some(2)));
        (0..5).for_each(frame);
        program::lock().profiler_mut().outdate();
        assert_eq!(shown(&mut display), (5.0, 3, Some(2)));
        select(&mut display, Frames::Live);
        display.control(|view, _| view.average = Average::Newest);
        assert_eq!(shown(&mut display), (4.0, 2, None));

        crate::reset();
        assert_eq!(count(display.report(false)), 0.0);
        frame(4);
        display.control(|view, _| view.report_mode = ReportMode::SelfTime);
        assert_eq!(count(display.report(false)), 4.0);

        {
            (0..3).for_each(|_| frame(4));
            frame(100);
            let shown = |row: &Row| &*row.name == "shown";
            let row = display.report(false).rows.iter().position(shown).unwrap();
            let averages = display.averages(row);
            let counts: Vec<f64> = averages
                .iter()
                .map(|row| row.number(iprof_report::ColumnId::Count))
                .collect();
            assert!(counts[0] == 100.0 && counts[1] < 100.0, "{counts:?}");
            assert!(counts[1] > counts[2] && counts[2] > 4.0, "{counts:?}");
            select(&mut display, Frames::Back(1));
            display.report(false);
            assert!(
                display.averages(row).is_empty(),
                "only the live view should have averages"
            );
            select(&mut display, Frames::Live);
        }
        keys_and_hovering_build_few_reports(&mut display);
        rows_stay_under_the_pointer_and_the_cursor(&mut display);
        report_and_flame_graph_show_the_same_frame(&mut display);
    }

    /// The report and the flame graph must show the same frame even if the flame graph is first drawn some time after
    /// the report.
    fn report_and_flame_graph_show_the_same_frame(display: &mut Display) {
        use iprof_process::REFRESH;
        use iprof_report::ColumnId;
        let frame = |times: u32| {
            for _ in 0..times {
                crate::zone!(in_step);
            }
            crate::update(true);
        };
        let count_in_report = |display: &mut Display| {
            let report = display.report(false);
            let row = report.rows.iter().find(|row| &*row.name == "in_step");
            row.expect("the report should contain the zone")
                .number(ColumnId::Count)
        };
        let count_in_flame = |display: &mut Display| {
            let program = program::lock();
            let flame = display.state.flame(program.profiler(), &display.view);
            let of_zone = |node: &&iprof_report::FlameNode| {
                &*flame.zones[node.zone as usize].name == "in_step"
            };
            flame
                .nodes
                .iter()
                .skip(1)
                .find(of_zone)
                .expect("the flame graph should contain the zone")
                .entries
        };
        display.control(|view, _| {
            *view = View::default();
            view.average = Average::Newest;
        });
        frame(1);
        assert_eq!(count_in_report(display), 1.0);
        std::thread::sleep(REFRESH * 6 / 10);
        assert_eq!(count_in_flame(display), 1.0);
        frame(2);
        std::thread::sleep(REFRESH / 2);
        assert_eq!(
            [count_in_report(display), count_in_flame(display)],
            [2.0; 2]
        );
    }

    /// The rows are ordered by count, which the test controls.
    fn rows_stay_under_the_pointer_and_the_cursor(display: &mut Display) {
        use iprof_report::{ColumnId, Sort};
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
            *view = View::default();
            view.average = Average::Newest;
            view.filter = "held_".to_owned();
            view.set_sort(Sort::Column(ColumnId::Count), false);
        });
        set_refresh(Duration::ZERO);
        let names = |report: &Report| -> Vec<String> {
            let rows = report.rows.iter();
            rows.map(|row| row.name.to_string()).collect()
        };
        let (one_way, other_way) = (["held_few", "held_many"], ["held_many", "held_few"]);
        display.state.pointed_at = None;
        counted(9, 5);
        assert_eq!(names(display.report(false)), one_way);
        counted(5, 9);
        let held = display.report(true);
        assert_eq!(
            (names(held), held.order_held),
            (one_way.map(String::from).to_vec(), true)
        );
        // A row whose zone was not entered keeps its place.
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

        // A key press holds the order for some time.
        display.control(|view, shown| view.set_cursor(shown, 1));
        counted(9, 5);
        assert_eq!(names(display.report(false)), other_way);
        display.state.pointed_at = display
            .state
            .pointed_at
            .and_then(|at| at.checked_sub(ORDER_HOLD));
        assert_eq!(names(display.report(false)), one_way);
        // Changing the sort order does not count as moving the cursor.
        display.control(|view, _| view.set_sort(Sort::Name, false));
        assert!(
            display
                .state
                .pointed_at
                .is_some_and(|at| at.elapsed() >= ORDER_HOLD)
        );

        {
            // A click refers to the rows as drawn, even if the current data would order them differently.
            display.control(|view, _| view.set_sort(Sort::Column(ColumnId::Count), false));
            counted(9, 5);
            let at = position(display.report_to_draw(None), "held_few");
            assert_eq!(at, 0);
            counted(5, 9);
            display.control(|view, shown| view.set_cursor(shown, at));
            let report = display.report_to_draw(None);
            assert_eq!(&*report.rows[report.cursor().unwrap()].name, "held_few");

            // If rows appear under a resting pointer, the pointer does not hold their order until it moves.
            display.state.pointed_at = None;
            display.state.drawn_at = None;
            counted(9, 5);
            assert_eq!(names(display.report_to_draw(Some(0))), one_way);
            counted(5, 9);
            assert_eq!(names(display.report_to_draw(Some(3))), other_way);
            display.state.settle();
            counted(9, 5);
            assert_eq!(names(display.report_to_draw(Some(3))), one_way);
            counted(5, 9);
            assert_eq!(names(display.report_to_draw(Some(4))), one_way);
            assert_eq!(names(display.report_to_draw(None)), other_way);
        }
    }

    /// A key press builds at most one report, which shows its effect. With a host's own view, a key press builds at
    /// most one more, to find the rows. Hovering builds none.
    fn keys_and_hovering_build_few_reports(display: &mut Display) {
        let made = || query::REPORTS_MADE.get();
        set_refresh(Duration::from_secs(3600));
        display.control(|view, _| *view = View::default());
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
            (Action::SetFrames(Frames::Live), 1),
        ] {
            let before = made();
            display.act(action.clone());
            display.report(false);
            assert!(made() - before <= reports, "{action:?}");

            let before = made();
            View::default().act(program::lock().profiler(), action.clone());
            assert!(made() - before <= 1, "{action:?} on a host's own view");
        }
        for mode in [
            ReportMode::SelfTime,
            ReportMode::CallGraph,
            ReportMode::CallTree,
        ] {
            display.control(|view, _| view.report_mode = mode);
            let rows = display.report(false).rows.len();
            let (before, mut found) = (made(), Vec::new());
            for row in 0..rows {
                let of = display.report(false).rows[row].clone();
                let averages = display.averages(row);
                assert_eq!(averages.len(), Average::ALL.len(), "{of:?}");
                found.push((of.key, averages));
            }
            assert_eq!(
                made(),
                before,
                "hovering over {rows} rows built a report in {mode:?}"
            );
            // The rows built for tooltips equal the rows of complete reports.
            for (at, &average) in Average::ALL.iter().enumerate() {
                let mut view = display.view.clone();
                view.average = average;
                let report = view.report(program::lock().profiler());
                for (key, averages) in &found {
                    let it = report.rows.iter().find(|row| row.key == *key);
                    let it = it.unwrap();
                    for column in display.report(false).shown_columns() {
                        assert_eq!(averages[at].value(column), it.value(column));
                    }
                }
            }
        }
    }
}
