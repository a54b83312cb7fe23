//! The commands that a host can bind to keys, buttons and menus, as plain data; `Controls` performs
//! them.

use crate::flame::{CallPath, FlameStep};
use crate::report::{ReportMode, Sort};
use crate::view::Average;
use iprof_process::Frames;
use std::sync::Arc;

/// A user action, for a key, a button, a menu or a gamepad.
///
/// [`act`](fn.act.html) applies an action to the default view, [`View::act`](crate::View::act) to any
/// view; [`Controls`](struct.Controls.html) also handles the actions that do not concern a view.
///
/// ```
/// use iprof::{Action, ReportMode};
///
/// iprof::act(Action::SetReportMode(ReportMode::CallGraph));
/// iprof::act(Action::MoveFrame(-1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Moves the cursor by so many rows, down if positive; it stops at both ends. From then on it follows its row when
    /// rows change places.
    MoveCursor(i32),
    /// Puts the cursor on the row at that position, 0 the first; on the last one if there are fewer.
    SetCursor(usize),
    /// A click on the row at that position: moves the cursor there; if the cursor was there already,
    /// [selects](Action::Select) the row.
    ClickRow(usize),
    /// A click with the secondary button: moves the cursor to the row, and opens or closes the row in
    /// place.
    ToggleRow(usize),
    /// Goes to the call graph of the zone under the cursor. A group of zones, the row of those that are too small to be
    /// listed, or that of all that is idle, opens or closes instead. On the zone that is selected already nothing happens.
    Select,
    /// Goes to the call graph of the costliest direct caller: the one on whose behalf the selected zone took most
    /// hierarchical time. From a list of all zones: of the zone under the cursor. `(outside zones)` has no caller: nothing
    /// happens.
    SelectParent,
    /// [`View::select_zone`](crate::View::select_zone): a click on a zone in the graph's legend.
    SelectZone(Arc<str>),
    /// Opens the row under the cursor in place, or selects its zone where rows do not open.
    ///
    /// A row with a `+` opens: its callers appear above it or its callees below it, see [`ReportMode`]; of a
    /// [zone group](crate::View::grouping), of the [folded row](crate::View::min_share) or of
    /// [all that is idle](crate::View::idle_ranked), the rows that it stands for. On a zone in a list of all zones or of all
    /// descendants this is [`Select`](Action::Select). What was opened stays open, under each selected zone by itself.
    Expand,
    /// Closes the row under the cursor; if that is closed already, goes to the row that it was opened from.
    Collapse,
    /// Goes back to the mode and the zone before the last [`Select`](Action::Select) or
    /// [`SelectParent`](Action::SelectParent), with the cursor where it was, in the same frames: as often as something was
    /// selected, up to 256 times. Before the first nothing happens.
    GoBack,
    /// Undoes [`GoBack`](Action::GoBack), until something else is selected.
    GoForward,

    /// Steps through the remembered frames by so many, into the past if negative. Stops at the oldest; a step past the newest
    /// returns to the live view.
    ///
    /// From a bucket of the session, and while the graph [shows](Action::ZoomGraph) buckets, it steps from bucket to bucket
    /// as [`MoveBucket`](Action::MoveBucket) does. From a set or a band, a step into the past shows its newest remembered frame.
    MoveFrame(i32),
    /// [`View::show_frames`](crate::View::show_frames).
    SetFrames(Frames),
    /// Compares the frames that took longer than the [frame budget](struct.Config.html#structfield.frame_budget) with the
    /// [rest](crate::Baseline::Rest); if these are compared already, goes back to the live view without a baseline.
    CompareSlowFrames,
    /// Shows the frames of the session of one [band](enum.Frames.html#the-session) of frame length: of the next slower one with frames,
    /// so many times, or of faster ones if it is negative. Where no band is shown, the slowest one with frames. It stops at
    /// both ends, and does nothing before the first frame.
    MoveBand(i32),
    /// Shows the frames of the session of one [bucket](enum.Frames.html#the-session) of time: of one so many later, or earlier if it is
    /// negative. Where none is shown, the newest. It stops at the oldest, a step past the newest returns to the live view, and
    /// it does nothing before the first frame.
    MoveBucket(i32),
    /// Moves the end of the [range](Frames::Range) by so many frames, into the past if negative; where there is no
    /// range, starts one at the shown frame. In the live view that is the newest frame. While the graph
    /// [shows](Action::ZoomGraph) buckets of the session, shows so many more of them in that direction.
    ExtendRange(i32),
    /// Shows the last spike before the shown frame: a frame that took more than one and a half times the median of the
    /// remembered frames, and longer than its neighbors. If there is none, nothing happens.
    PreviousSpike,
    /// Shows the next [spike](Action::PreviousSpike) after the shown frame. If there is none, nothing happens.
    NextSpike,
    /// Shows the last spike of the zone under the cursor before the shown frame: a frame in which the zone took
    /// far more than usual on the threads in view, whatever the rest of the frame took. On a row of several zones
    /// nothing happens, nor if there is no such frame.
    ///
    /// What counts is self time if the view lists that, else hierarchical time. Usual is the median over the
    /// newest remembered frames, with 0 for those in which the zone had no time. Far more is more than half as
    /// much again, than eight median absolute deviations on top, and than a twentieth of the median frame
    /// on top: so a zone whose times always vary has no spikes, and neither has one that is never large. Of
    /// consecutive frames the longest counts.
    PreviousZoneSpike,
    /// Shows the next [spike of the zone](Action::PreviousZoneSpike) under the cursor after the shown frame.
    NextZoneSpike,
    /// Shows the last [marked](fn.mark.html) frame before the shown frame. If there is none, nothing happens.
    PreviousMark,
    /// Shows the next [marked](fn.mark.html) frame after the shown frame. If there is none, nothing happens.
    NextMark,
    /// Scrolls the graph by so many bars, into the past if negative; it stops at both ends. The frame that the view shows stays
    /// visible in any case.
    ScrollGraph(i32),
    /// Makes the graph's bars wider by this factor, or narrower if it is below 1: by 1/64 to 16 in all, clamped. Where bars are
    /// narrower than a pixel, the longest of several stands for all of them. NaN and factors of zero or less are ignored.
    ///
    /// Zoomed out further than to 1/64, or where the overlay has room for all remembered frames, the graph shows the whole
    /// session: a bar for each [bucket](enum.Frames.html#the-session) of time, which is the mean of its frames. Then
    /// [`MoveFrame`](Action::MoveFrame) steps from bucket to bucket. Zooming in leads back to frames.
    ZoomGraph(f32),
    /// Makes the graph's bars higher by this factor, or lower if it is below 1: by 1/16 to 64 in all, clamped, of the height
    /// that fits the frames in view. The time at the foot stays. NaN and factors of zero or less are ignored.
    ZoomGraphVertically(f32),
    /// Scrolls the graph up by so many of its own heights, down if it is negative: to no time at the foot, and no further up
    /// than to the top of the longest frame in view. NaN is ignored.
    ScrollGraphVertically(f32),
    /// Switches the graph between bars and lines.
    NextGraphStyle,
    /// Draws the flame graph in place of the graph, or the graph again: see
    /// [`Controls::flame`](struct.Controls.html#method.flame).
    ToggleFlame,
    /// Moves the flame graph's cursor a step; the first step puts it at the top. Left and right it passes over call paths that
    /// are too narrow to be seen.
    WalkFlame(FlameStep),
    /// A click on a call path of the flame graph: puts its cursor there. The second click of a double click is
    /// [`ZoomFlame`](Action::ZoomFlame).
    ClickFlame(CallPath),
    /// Zooms the flame graph to the call path under its cursor: it gets the whole width, under its callers.
    ZoomFlame,
    /// Shows all of the flame graph again.
    UnzoomFlame,
    /// Draws with the next theme: dark, light, for the color-blind, and the host's own, if it has one, beginning with that of
    /// the overlay.
    NextTheme,

    /// [`View::report_mode`](crate::View::report_mode).
    SetReportMode(ReportMode),
    /// Next mode: self time, hierarchical time, call graph, descendants, call tree, self time again.
    NextReportMode,
    /// [`View::average`](crate::View::average).
    SetAverage(Average),
    /// Next average: the newest frame, 0.8 s, 2.5 s.
    NextAverage,
    /// Switches between flattened and spread recursion.
    NextRecursion,
    /// Switches to the next selection of threads: all threads, then each one; before the first of several
    /// threads of one name (but for a number at its end), that thread group. The thread of the frames is the first
    /// one, the others follow by name, and the GPU, which is none of the threads that titles count, is the last.
    NextThreads,
    /// Next baseline: the average, [`Baseline::Average`](crate::Baseline::Average), then the median,
    /// [`Baseline::Median`](crate::Baseline::Median), then none. For a part of the session: the rest of it,
    /// [`Baseline::Rest`](crate::Baseline::Rest), then the live average, then none.
    NextBaseline,
    /// Makes the shown frame the baseline, or the shown part of the session; in the live view, the newest frame.
    SetBaselineToShownFrame,
    /// Next order: that of the mode, then each shown column, then names.
    NextSort,
    /// A click on the header of a column, or of the names: sorts by it; if rows are sorted by it already,
    /// reverses the order; then the order of the mode again.
    ClickHeader(Sort),
    /// Reverses the order of rows.
    ReverseSort,
    /// Next fold limit: rows below 1 % of the frame, below 5 %, none.
    NextMinShare,
    /// Switches zone groups on or off.
    ToggleGrouping,
    /// Ranks idle zones among the others, or folds them: [`View::idle_ranked`](crate::View::idle_ranked).
    ToggleIdle,
    /// Switches net times on or off.
    ToggleNetTimes,
    /// Next [chosen columns](crate::View::set_column): none, then the row's
    /// [times per frame](crate::ColumnId#times-per-frame), then the frames that it would have
    /// [rescued](crate::ColumnId::Rescued), then, where a value is shown, its
    /// [values per frame](crate::ColumnId#values-per-frame).
    NextColumns,
    /// Shows the next [named value](crate::View::value): in the order in which the program added to them first, those of
    /// [`Allocator`](struct.Allocator.html) last; then none, then the first again.
    NextValue,
    /// Appends a character to the [filter](crate::View::filter).
    TypeFilter(char),
    /// Removes the last character of the filter.
    EraseFilter,
    /// Clears the filter.
    ClearFilter,
    /// Starts typing the filter, which the title shows meanwhile.
    EditFilter,
    /// Ends typing the filter.
    EndFilter,

    /// Next timing mode: exact, automatic, sampled, off; see [`set_timing`](fn.set_timing.html).
    NextTiming,
    /// [Marks](fn.mark.html) the frame with a generated name, as in `mark 3`.
    Mark,
    /// Next memory limit of history: 16, 4, 1 megabytes, none; see
    /// [`Config::history_memory`](struct.Config.html#structfield.history_memory).
    NextHistoryMemory,
    /// Next number of longest frames to keep: 16, 64, none; see
    /// [`Config::longest_frames`](struct.Config.html#structfield.longest_frames).
    NextLongestFrames,
    /// Pauses recording, or continues it.
    TogglePause,
    /// Hides the overlay, or shows it.
    ToggleHidden,
    /// Shows the help, then its next page, and after the last page none: see
    /// [`Controls::help_page`](struct.Controls.html#method.help_page).
    NextHelpPage,
    /// Closes the help.
    CloseHelp,
    /// Shows times with one decimal place fewer, at least 1.
    LessPrecision,
    /// Shows times with one decimal place more, at most 4.
    MorePrecision,
}

impl Action {
    /// What the action does, in a few words, for menus and help. Actions of opposite directions share a
    /// description.
    ///
    /// ```
    /// assert_eq!(iprof::Action::Mark.description(), "mark the frame");
    /// ```
    #[must_use]
    pub const fn description(&self) -> &'static str {
        match self {
            Action::MoveCursor(_) => "move the cursor",
            Action::SetCursor(_) => "put the cursor on a row",
            Action::ClickRow(_) => "put the cursor on a row, or open its zone",
            Action::ToggleRow(_) => "expand or collapse a row",
            Action::Select => "open the zone: callers, callees",
            Action::SelectParent => "go to the caller that costs most",
            Action::SelectZone(_) => "open a zone: callers, callees",
            Action::Expand | Action::Collapse => "expand, collapse the row",
            Action::GoBack | Action::GoForward => "previous, next visited zone",
            Action::MoveFrame(_) => "previous, next frame",
            Action::SetFrames(Frames::Live) => "back to the live view",
            Action::SetFrames(Frames::Longest) => "the longest frame",
            Action::SetFrames(_) => "show other frames",
            Action::CompareSlowFrames => "slow frames against the rest",
            Action::MoveBand(_) | Action::MoveBucket(_) => "session: by length, by time",
            Action::ExtendRange(_) => "extend the range of frames",
            Action::PreviousSpike | Action::NextSpike => "previous, next spike",
            Action::PreviousZoneSpike | Action::NextZoneSpike => {
                "previous, next spike of the row's zone"
            }
            Action::PreviousMark | Action::NextMark => "previous, next mark",
            Action::ScrollGraph(_) => "graph: scroll back, forward",
            Action::ZoomGraph(_) => "graph: zoom out to the session, in",
            Action::ZoomGraphVertically(_) => "graph: zoom out, in vertically",
            Action::ScrollGraphVertically(_) => "graph: scroll down, up",
            Action::NextGraphStyle => "graph: bars or lines",
            Action::ToggleFlame => "flame graph, or bars of frames",
            Action::WalkFlame(FlameStep::Caller | FlameStep::Callee) => "flame: caller, callee",
            Action::WalkFlame(_) => "flame: left, right",
            Action::ClickFlame(_) => "flame: put the cursor on a call path",
            Action::ZoomFlame => "flame: zoom in; Esc zooms out",
            Action::UnzoomFlame => "flame: all of it",
            Action::NextTheme => "colors: dark, light, color-blind, custom",
            Action::SetReportMode(_) => "set the mode",
            Action::NextReportMode => "next mode: self, hier, graph, descendants, tree",
            Action::NextAverage => "next average: newest frame, 0.8 s, 2.5 s",
            Action::SetAverage(_) => "average: none, 0.8 s, 2.5 s",
            Action::NextRecursion => "flatten or spread recursion",
            Action::NextThreads => "show threads: all, a group, one",
            Action::NextBaseline => "compare: average, median, off",
            Action::SetBaselineToShownFrame => "compare with the shown frame",
            Action::NextSort => "sort by the next column",
            Action::ClickHeader(_) => "sort by the column, or reverse",
            Action::ReverseSort => "reverse the order",
            Action::NextMinShare => "fold small rows",
            Action::ToggleGrouping => "group zones by name prefix",
            Action::ToggleIdle => "idle zones in one row, or ranked",
            Action::ToggleNetTimes => "net times: self times minus recording cost",
            Action::NextColumns => "next set of columns",
            Action::NextValue => "next named value",
            Action::TypeFilter(_) | Action::EraseFilter => "type a filter",
            Action::ClearFilter => "clear the filter",
            Action::EditFilter => "filter by name; Esc clears it",
            Action::EndFilter => "end typing the filter",
            Action::NextTiming => "timing: exact, auto, sampled, off",
            Action::Mark => "mark the frame",
            Action::NextHistoryMemory => "history memory limit",
            Action::NextLongestFrames => "number of longest frames kept",
            Action::TogglePause => "pause or continue",
            Action::ToggleHidden => "hide or show the overlay",
            Action::NextHelpPage => "this help: next page, close",
            Action::CloseHelp => "close the help",
            Action::LessPrecision | Action::MorePrecision => "fewer, more decimal places",
        }
    }
}
