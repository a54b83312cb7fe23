//! User actions as plain data that can be bound to keys, buttons and menus. `Controls` carries them out.

use crate::flame::{CallPath, FlameStep};
use crate::report::{ReportMode, Sort};
use crate::view::Average;
use iprof_process::Frames;
use std::sync::Arc;

/// A user action that can be bound to a key, button, menu item or gamepad button.
///
/// [`act`](fn.act.html) applies an action to the default view, and [`View::act`](crate::View::act) to any view.
/// [`Controls`](struct.Controls.html) also handles the actions that don't affect a view.
///
/// ```
/// use iprof::{Action, ReportMode};
///
/// iprof::act(Action::SetReportMode(ReportMode::CallGraph));
/// iprof::act(Action::MoveFrame(-1));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Moves the cursor by this many rows, down if positive, stopping at either end. The cursor then follows that row.
    MoveCursor(i32),
    /// Moves the cursor to this row, counted from 0, or to the last row if there are fewer.
    SetCursor(usize),
    /// Moves the cursor to this row, as a click would. If it is already there, [selects](Action::Select) the row.
    ClickRow(usize),
    /// Moves the cursor to this row and expands or collapses the row in place, as a secondary click would.
    ToggleRow(usize),
    /// Opens the call graph of the zone under the cursor. Does nothing on the selected zone.
    ///
    /// On a zone group, the folded row or the `(idle)` row, this action expands or collapses the row instead.
    Select,
    /// Opens the call graph of the selected zone's direct caller for which it took the most hierarchical time. In a
    /// list of all zones, uses the zone under the cursor instead of the selected zone. Does nothing for
    /// `(outside zones)`.
    SelectParent,
    /// Selects a zone with [`View::select_zone`](crate::View::select_zone), as a click in the graph's legend would.
    SelectZone(Arc<str>),
    /// Expands the row under the cursor in place, or selects its zone if the row cannot be expanded.
    ///
    /// Rows with a `+` can be expanded. In a call graph or call tree, this shows callers above the row or callees below
    /// it (see [`ReportMode`]). A [zone group](crate::View::grouping), the [folded row](crate::View::min_share) and the
    /// [`(idle)` row](crate::View::idle_ranked) show the rows that they summarize. On a zone in a list, this is the
    /// same as [`Select`](Action::Select). Each selected zone remembers its expanded rows.
    Expand,
    /// Collapses the row under the cursor. If it is already collapsed, moves to the row that it was expanded from.
    Collapse,
    /// Goes back to the mode, zone and cursor before the last [`Select`](Action::Select) or
    /// [`SelectParent`](Action::SelectParent), without changing the frames shown. Up to 256 selections are remembered.
    GoBack,
    /// Undoes [`GoBack`](Action::GoBack), until another zone is selected.
    GoForward,

    /// Steps by this many remembered frames, into the past if negative. Stops at the oldest frame. A step past the
    /// newest frame returns to the live view.
    ///
    /// Steps by buckets, like [`MoveBucket`](Action::MoveBucket), while the view shows a bucket or the graph is
    /// [zoomed out](Action::ZoomGraph) to buckets. From a set or a band, a step into the past shows its newest
    /// remembered frame.
    MoveFrame(i32),
    /// Shows other frames with [`View::show_frames`](crate::View::show_frames).
    SetFrames(Frames),
    /// Compares the frames over the [frame budget](struct.Config.html#structfield.frame_budget) with the
    /// [rest](crate::Baseline::Rest). If the view already does so, returns to the live view without a baseline.
    CompareSlowFrames,
    /// Shows the session's frames in a different frame-length [band](enum.Frames.html#the-session).
    ///
    /// Moves by this many non-empty bands, toward slower ones if positive, stopping at either end. If no band is shown
    /// yet, shows the slowest non-empty one. Does nothing before the first frame.
    MoveBand(i32),
    /// Shows the session's frames in a different time [bucket](enum.Frames.html#the-session).
    ///
    /// Moves by this many buckets, toward earlier ones if negative. If no bucket is shown yet, shows the newest. Stops
    /// at the oldest bucket. A step past the newest returns to the live view. Does nothing before the first frame.
    MoveBucket(i32),
    /// Moves the end of the [range](Frames::Range) by this many frames, into the past if negative.
    ///
    /// If no range is shown, starts one at the shown frame, or at the newest one in the live view. While the graph is
    /// [zoomed out](Action::ZoomGraph) to buckets, adds this many buckets in that direction.
    ExtendRange(i32),
    /// Shows the last spike before the shown frame, if any. A spike is a frame that is longer than its neighbors and
    /// more than 1.5 times as long as the median remembered frame.
    PreviousSpike,
    /// Shows the next [spike](Action::PreviousSpike) after the shown frame, if any.
    NextSpike,
    /// Shows the last frame before the shown one in which the zone under the cursor took far more time than usual.
    ///
    /// The time is self or hierarchical time, depending on the mode, summed over the threads in view. The usual time is
    /// the median over the newest remembered frames, counting 0 for frames without the zone. A spike must exceed 1.5
    /// times the median. It must also exceed the median by eight median absolute deviations and by 5% of the median
    /// frame time. Zones whose times always vary, and zones that never take much time, therefore have no spikes. Of
    /// consecutive spikes, only the longest counts. Does nothing if there is no earlier spike, or if the row covers
    /// several zones.
    PreviousZoneSpike,
    /// Shows the next frame after the shown one with a [spike](Action::PreviousZoneSpike) in the zone under the cursor.
    NextZoneSpike,
    /// Shows the last [marked](fn.mark.html) frame before the shown frame, if any.
    PreviousMark,
    /// Shows the next [marked](fn.mark.html) frame after the shown frame, if any.
    NextMark,
    /// Scrolls the graph by this many bars, into the past if negative, stopping at either end. The shown frame remains
    /// visible.
    ScrollGraph(i32),
    /// Multiplies the width of the graph's bars by this factor. NaN and factors of zero or less are ignored.
    ///
    /// The total zoom is clamped to between 1/64 and 16. If bars are narrower than a pixel, only the longest of the
    /// bars that share a pixel is drawn. Zooming out further, or beyond all remembered frames, shows the whole session.
    /// Each bar is then a [bucket](enum.Frames.html#the-session) of time, drawn as the mean of its frames, and
    /// [`MoveFrame`](Action::MoveFrame) steps by buckets. Zooming in returns to frames.
    ZoomGraph(f32),
    /// Multiplies the height of the graph's bars by this factor. NaN and factors of zero or less are ignored.
    ///
    /// The total zoom is clamped to between 1/16 and 64, relative to the height that fits the frames in view. The time
    /// at the bottom edge stays the same.
    ZoomGraphVertically(f32),
    /// Scrolls the graph up by this many graph heights, or down if negative. Scrolling down stops at zero, and
    /// scrolling up stops at the top of the longest frame in view. NaN is ignored.
    ScrollGraphVertically(f32),
    /// Switches the graph between bars and lines.
    NextGraphStyle,
    /// Switches between the graph and the flame graph, see [`Controls::flame`](struct.Controls.html#method.flame).
    ToggleFlame,
    /// Moves the flame graph's cursor one step. The first step puts the cursor at the top. Steps to the left and right
    /// skip call paths that are too narrow to see.
    WalkFlame(FlameStep),
    /// Moves the flame graph's cursor to this call path, as a click would. The second click of a double click performs
    /// [`ZoomFlame`](Action::ZoomFlame).
    ClickFlame(CallPath),
    /// Zooms the flame graph to the call path under its cursor, which then fills the width below its callers.
    ZoomFlame,
    /// Shows the whole flame graph again.
    UnzoomFlame,
    /// Switches to the next theme: dark, light, color-blind, and the host's own theme if it has one.
    NextTheme,

    /// Sets [`View::report_mode`](crate::View::report_mode).
    SetReportMode(ReportMode),
    /// Switches to the next mode: self time, hierarchical time, call graph, descendants, call tree.
    NextReportMode,
    /// Sets [`View::average`](crate::View::average).
    SetAverage(Average),
    /// Switches to the next average: the newest frame, 0.8 s, 2.5 s.
    NextAverage,
    /// Switches between flattened and spread recursion.
    NextRecursion,
    /// Cycles through the threads: all threads, then each thread in turn.
    ///
    /// The frame's thread comes first, then the other threads by name, and the GPU last. A group of several threads
    /// comes before its first thread.
    NextThreads,
    /// Switches to the next baseline: [average](crate::Baseline::Average), [median](crate::Baseline::Median), none. For
    /// part of the session, the baselines are the [rest](crate::Baseline::Rest), the live average, and none.
    NextBaseline,
    /// Makes the shown frame, or the shown part of the session, the baseline. In the live view, the newest frame
    /// becomes the baseline.
    SetBaselineToShownFrame,
    /// Switches to the next sort order: the mode's own order, by each shown column, by name.
    NextSort,
    /// Sorts by this column or by name, as a click on the header would. A second click reverses the order, and a third
    /// restores the mode's own order.
    ClickHeader(Sort),
    /// Reverses the order of the rows.
    ReverseSort,
    /// Switches to the next fold limit: 1% of the frame, 5%, none.
    NextMinShare,
    /// Switches zone groups on or off.
    ToggleGrouping,
    /// Ranks idle zones among the others, or folds them into one row: [`View::idle_ranked`](crate::View::idle_ranked).
    ToggleIdle,
    /// Switches net times on or off.
    ToggleNetTimes,
    /// Switches to the next set of [extra columns](crate::View::set_column): none,
    /// [times per frame](crate::ColumnId#times-per-frame), [rescued](crate::ColumnId::Rescued) frames, and
    /// [values per frame](crate::ColumnId#values-per-frame) if a value is shown.
    NextColumns,
    /// Shows the next [named value](crate::View::value), or none after the last one. Values are in the order in which
    /// the program first added to them, with [`Allocator`](struct.Allocator.html) values last.
    NextValue,
    /// Appends a character to the [filter](crate::View::filter).
    TypeFilter(char),
    /// Removes the last character of the filter.
    EraseFilter,
    /// Clears the filter.
    ClearFilter,
    /// Starts filter input. The title shows the filter while it is being typed.
    EditFilter,
    /// Ends filter input.
    EndFilter,

    /// Switches to the next timing mode: exact, automatic, sampled, off. See [`set_timing`](fn.set_timing.html).
    NextTiming,
    /// [Marks](fn.mark.html) the frame with a generated name, such as `mark 3`.
    Mark,
    /// Switches to the next history memory limit: 16 MB, 4 MB, 1 MB, none. See
    /// [`Config::history_memory`](struct.Config.html#structfield.history_memory).
    NextHistoryMemory,
    /// Switches to the next number of longest frames to keep: 16, 64, none. See
    /// [`Config::longest_frames`](struct.Config.html#structfield.longest_frames).
    NextLongestFrames,
    /// Pauses or continues recording.
    TogglePause,
    /// Hides or shows the overlay.
    ToggleHidden,
    /// Shows the next page of the help, or closes it after the last page. See
    /// [`Controls::help_page`](struct.Controls.html#method.help_page).
    NextHelpPage,
    /// Closes the help.
    CloseHelp,
    /// Shows times with one decimal place fewer, but at least 1.
    LessPrecision,
    /// Shows times with one decimal place more, but at most 4.
    MorePrecision,
}

impl Action {
    /// Returns a short description for menus and help. Actions in opposite directions share one description.
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
            Action::SelectParent => "go to the most expensive caller",
            Action::SelectZone(_) => "open a zone: callers, callees",
            Action::Expand | Action::Collapse => "expand, collapse the row",
            Action::GoBack | Action::GoForward => "previous, next visited zone",
            Action::MoveFrame(_) => "previous, next frame",
            Action::SetFrames(Frames::Live) => "back to the live view",
            Action::SetFrames(Frames::Longest) => "the longest frame",
            Action::SetFrames(_) => "show other frames",
            Action::CompareSlowFrames => "slow frames vs. the rest",
            Action::MoveBand(_) | Action::MoveBucket(_) => "session: by length, by time",
            Action::ExtendRange(_) => "extend the range of frames",
            Action::PreviousSpike | Action::NextSpike => "previous, next spike",
            Action::PreviousZoneSpike | Action::NextZoneSpike => {
                "previous, next spike of the row's zone"
            }
            Action::PreviousMark | Action::NextMark => "previous, next mark",
            Action::ScrollGraph(_) => "graph: scroll back, forward",
            Action::ZoomGraph(_) => "graph: zoom out (to session), in",
            Action::ZoomGraphVertically(_) => "graph: zoom out, in vertically",
            Action::ScrollGraphVertically(_) => "graph: scroll down, up",
            Action::NextGraphStyle => "graph: bars or lines",
            Action::ToggleFlame => "flame graph or frame bars",
            Action::WalkFlame(FlameStep::Caller | FlameStep::Callee) => "flame: caller, callee",
            Action::WalkFlame(_) => "flame: left, right",
            Action::ClickFlame(_) => "flame: put the cursor on a call path",
            Action::ZoomFlame => "flame: zoom in; Esc zooms out",
            Action::UnzoomFlame => "flame: show all",
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
            Action::EndFilter => "finish typing the filter",
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
