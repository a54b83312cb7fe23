//! What a person can ask of the profiler: plain data, for keys, buttons and menus to stand for.

use crate::report::ReportMode;

/// What a person can ask for, by a key, a button, a menu or a gamepad. Each has a function that does
/// the same.
///
/// [`act`](crate::act) does it to the default view, [`View::act`](crate::View::act) to one of one's
/// own; [`Controls`](crate::Controls) knows those, too, that are not about a view.
///
/// ```
/// use iprof::{Action, ReportMode};
///
/// iprof::act(Action::SetReportMode(ReportMode::CallGraph));
/// iprof::act(Action::MoveFrame(-1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// [`View::move_cursor`](crate::View::move_cursor).
    MoveCursor(i32),
    /// [`View::set_cursor`](crate::View::set_cursor).
    SetCursor(usize),
    /// A click on the row at that position: it gets the cursor, and if it had it already, it is
    /// [selected](crate::View::select).
    PickRow(usize),
    /// A click with the other button: the row gets the cursor, and opens or closes in place.
    ToggleRow(usize),
    /// [`View::select`](crate::View::select).
    Select,
    /// [`View::select_parent`](crate::View::select_parent).
    SelectParent,
    /// [`View::expand`](crate::View::expand).
    Expand,
    /// [`View::collapse`](crate::View::collapse).
    Collapse,
    /// [`View::go_back`](crate::View::go_back).
    GoBack,
    /// [`View::go_forward`](crate::View::go_forward).
    GoForward,

    /// [`View::move_frame`](crate::View::move_frame).
    MoveFrame(i32),
    /// [`View::set_frame`](crate::View::set_frame): 0 is now.
    SetFrame(usize),
    /// [`View::set_frame_number`](crate::View::set_frame_number).
    SetFrameNumber(u64),
    /// [`View::set_range`](crate::View::set_range).
    SetRange(u64, u64),
    /// [`View::extend_range`](crate::View::extend_range).
    ExtendRange(i32),
    /// [`View::previous_spike`](crate::View::previous_spike).
    PreviousSpike,
    /// [`View::next_spike`](crate::View::next_spike).
    NextSpike,
    /// [`View::previous_mark`](crate::View::previous_mark).
    PreviousMark,
    /// [`View::next_mark`](crate::View::next_mark).
    NextMark,
    /// [`View::set_frame_worst`](crate::View::set_frame_worst).
    SetFrameWorst,
    /// [`View::scroll_graph`](crate::View::scroll_graph).
    ScrollGraph(i32),
    /// [`View::zoom_graph`](crate::View::zoom_graph).
    ZoomGraph(f32),
    /// Bars, or lines.
    NextGraphStyle,

    /// [`View::set_report_mode`](crate::View::set_report_mode).
    SetReportMode(ReportMode),
    /// Self time, hierarchical time, call graph, descendants, call tree, self time again.
    NextReportMode,
    /// [`View::set_average`](crate::View::set_average).
    SetAverage(usize),
    /// Recursion spread, or flattened.
    NextRecursion,
    /// All threads, then each; before the first of several that have the same name those together.
    NextThreads,
    /// Compared with what is usual, [`Baseline::Average`](crate::Baseline::Average), or with
    /// nothing.
    NextBaseline,
    /// From here on compared with the frame that is looked at; for now, with the newest.
    SetBaselineHere,
    /// Sorted as the mode has it, by each column that there is, by name.
    NextSort,
    /// Turns the order of rows round.
    ReverseSort,
    /// Folds rows below 1 % of the frame, below 5 %, none.
    NextMinShare,
    /// Zones in groups, or one by one.
    ToggleGrouping,
    /// Net times beside the self times, or not.
    ToggleNetTimes,
    /// A character more at the end of the [filter](crate::View::set_filter).
    TypeFilter(char),
    /// One less.
    EraseFilter,
    /// No filter.
    ClearFilter,
    /// What is typed from here on goes into the filter, which the title shows...
    EditFilter,
    /// ... up to here.
    EndFilter,

    /// Timing exact, automatic, sampled, off: see [`set_timing`](crate::set_timing).
    NextTiming,
    /// [Marks](crate::mark) the frame with a name of its own, as in `mark 3`.
    Mark,
    /// History may take 16, 4, 1 megabytes, or what it likes: see
    /// [`set_history_budget`](crate::set_history_budget).
    NextHistoryBudget,
    /// The 16, 64, none of the longest frames stay: see
    /// [`set_worst_frames`](crate::set_worst_frames).
    NextWorstFrames,
    /// Records frames, or not.
    TogglePause,
    /// Shows the overlay, or not.
    ToggleHidden,
    /// One decimal place of times less, at least 1.
    LessPrecision,
    /// One more, at most 4.
    MorePrecision,
}
