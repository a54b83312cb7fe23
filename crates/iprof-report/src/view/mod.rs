//! The view: the settings for a report and the graph, such as mode, selected zone, frames and filter.

mod act;
mod cursor;
mod flame;
mod frames;
mod navigation;

use crate::display_and_from_str;
use crate::report::{
    ColumnId, ColumnSet, Recursion, ReportMode, RowKey, Section, ShownValue, Sort,
};
use crate::variant_name::VariantName;
use cursor::Cursor;
pub(crate) use flame::FlameChoice;
use iprof_process::Frames;
use iprof_process::Threads;
use iprof_process::indices::ZoneKey;
use std::collections::HashSet;

/// The frames or averages that a view compares the shown frames with.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Baseline {
    /// No comparison.
    #[default]
    None,
    /// The average.
    ///
    /// For a remembered frame or a range, this is the mean of the 30 remembered frames before it and the 30 after it.
    /// The mean does not change while the frame is shown. For a set, it is the mean of the newest 60 frames outside the
    /// set. If there are no frames to average, and for the live view and part of the session, the baseline is the
    /// view's average, or [`Average::Fast`](crate::Average::Fast) if the view shows the newest frame's values.
    Average,
    /// Each row's median time and median count, which a few slow frames don't affect.
    ///
    /// The medians are taken over the 30 remembered frames before the shown frame or range and the 30 after it. For the
    /// live view they cover the 60 frames before the newest, and for a set the newest 60 frames outside it. If there
    /// are no frames to take the median of, this is the same as [`Average`](Baseline::Average).
    ///
    /// Medians don't add up: the medians of a zone's callees don't have to sum to the zone's median, and a zone that
    /// most frames do not enter has a median of 0.
    Median,
    /// One frame, or the mean of a set, a range or part of the session. The frames are looked up for each report.
    Frames(Frames),
    /// The mean of all other remembered frames, or in the live view, of all remembered frames. For part of the session,
    /// the mean of the rest of the session.
    Rest,
}

/// The sets of columns that [`Action::NextColumns`](crate::Action::NextColumns) cycles through.
const COLUMN_SETS: [&[ColumnId]; 3] = [
    ColumnId::TIMES_PER_FRAME,
    &[ColumnId::Rescued],
    ColumnId::VALUES_PER_FRAME,
];

/// The columns that a view can [add](View::set_column).
const CHOOSABLE: ColumnSet = ColumnSet::of(&[ColumnId::NetTime])
    .or(ColumnSet::of(COLUMN_SETS[0]))
    .or(ColumnSet::of(COLUMN_SETS[1]))
    .or(ColumnSet::of(COLUMN_SETS[2]));

/// An entry in the view's selection history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selection {
    mode: ReportMode,
    selected: ZoneKey,
    cursor: Cursor,
}

/// A view of the recorded data: mode, cursor, selected zone, frames, average, threads and so on. It holds no recorded
/// data, and building a report doesn't change any.
///
/// [`with_view`](fn.with_view.html) gives access to the default view, which the overlay draws and which the free
/// functions with the same names change. Create another `View` for a separate report.
///
/// ```
/// use iprof::{ColumnId, Recursion, ReportMode, View};
///
/// let mut view = View::default();
/// view.report_mode = ReportMode::HierarchicalTime;
/// view.recursion = Recursion::Spread;
/// for row in view.report(&iprof::profiler()).rows {
///     let time = row.value(ColumnId::HierarchicalTime).unwrap_or_default();
///     println!("{} {:.2} ms", row.name, time.number);
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The kind of report; by default [`ReportMode::SelfTime`].
    ///
    /// In each mode the cursor starts at the top, or in a call graph on the selected zone. The selected zone is
    /// `(outside zones)` until a zone is [selected](crate::Action::Select).
    pub report_mode: ReportMode,
    /// The average that the live view shows; by default [`Average::Fast`]. Remembered frames show their own values, and
    /// a [range](enum.Frames.html#variant.Range) shows its own mean.
    pub average: Average,
    /// Whether a recursive zone has one row (the default) or one row for each depth.
    pub recursion: Recursion,
    /// Lists only rows whose names contain this text, ignoring case. Empty by default, which lists all rows.
    ///
    /// Parents of matching rows and the selected zone are always listed, and sums include rows that are not listed.
    /// Matches are listed even if they are below the [minimum share](View::min_share). Collapsed rows are expanded down
    /// to a match, except for [groups](View::grouping) whose own names match.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.filter = "Update".to_owned();
    /// let names = view.report(&iprof::profiler()).rows.into_iter().map(|row| row.name);
    /// assert!(names.into_iter().all(|name| name.contains("update")));
    /// ```
    pub filter: String,
    /// The fraction of the frame time, from 0 to 1, below which rows are folded into a last row `others (12)`.
    ///
    /// The default of 0 folds no rows, as do negative numbers and NaN. Numbers above 1 count as 1. The fraction is
    /// based on self or hierarchical time, depending on the mode. A row's time is summed over all threads in view, but
    /// the frame time is not.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.min_share = 0.01;
    /// view.report(&iprof::profiler()).write(std::io::stdout(), 2)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// Sums remain exact. The folded row's self time and count are sums over its rows. In the call graph and the call
    /// tree, so is its hierarchical time, and each expanded row has its own folded row. In lists, where zones overlap
    /// in time, the hierarchical time is the time during which any of the folded zones was open, counting each moment
    /// once.
    ///
    /// The folded row is [expanded](crate::Action::Expand) in place. It cannot be selected, and never replaces a single
    /// row. To avoid flicker, a folded row must exceed the limit by 25% to be listed again. In a
    /// [comparison](View::set_baseline), a row is folded if it is small on both sides. With a [filter](View::filter),
    /// nothing is folded.
    pub min_share: f64,
    /// Groups zones by name prefix in [`ReportMode::SelfTime`] and [`ReportMode::HierarchicalTime`]. Off by default.
    ///
    /// A prefix ends with `::`, so `physics::solve` and `physics::collide` are in the group `physics::`. Groups can be
    /// nested: `a::b::c` is in `a::b::`, which is in `a::`. Zones without a prefix are listed next to the groups.
    ///
    /// ```
    /// iprof::zone!("physics::solve");
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.grouping = true;
    /// let report = view.report(&iprof::profiler());
    /// # if !iprof::is_recording() { return }
    /// assert!(report.rows.iter().any(|row| &*row.name == "physics::"));
    /// ```
    ///
    /// A group's self time and count are the sums over its zones. Its hierarchical time is the time during which any of
    /// its zones was open, counting each moment once. Groups are collapsed until they are
    /// [expanded](crate::Action::Expand), and show no heat.
    pub grouping: bool,
    /// Whether idle rows are ranked among the others. Off by default, because waiting is not work.
    ///
    /// Idle time is the self time of zones in which the program only waits, [declared](macro.zone.html) like
    /// `zone!(wait_for_work, idle)`. Time outside zones is also idle, on the GPU and on all threads except the frame's
    /// thread. That is the thread that calls [`update`](fn.update.html), or the first thread if none does.
    ///
    /// By default, [`ReportMode::SelfTime`] and [`ReportMode::HierarchicalTime`] end with a dimmed `(idle)` row, which
    /// can be [expanded](crate::Action::Expand). Its self time and count are sums, so the self times of all rows still
    /// sum to the threads' time. Its hierarchical time is the time during which any idle zone was open, counting each
    /// moment once, plus the idle time outside zones. In the other modes, idle zones are dimmed and come last. When
    /// idle rows are ranked, they are sorted like all others in every mode, but still dimmed.
    ///
    /// ```
    /// iprof::zone!(wait_for_work, idle);
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// # if !iprof::is_recording() { return }
    /// assert_eq!(&*view.report(&iprof::profiler()).rows.last().unwrap().name, "(idle)");
    /// view.idle_ranked = true;
    /// let rows = view.report(&iprof::profiler()).rows;
    /// assert!(rows.iter().any(|row| &*row.name == "wait_for_work" && row.is_idle));
    /// ```
    pub idle_ranked: bool,
    /// The [named value](macro.value.html) to show; by default the one that the program added to first.
    ///
    /// Reports show the value's sum, and the main time per unit. A diff also shows the sum in the baseline, and splits
    /// differences by units instead of calls. The graph draws the sums as a line.
    ///
    /// ```
    /// iprof::with_view(|view| view.value = iprof::ShownValue::Named("bodies".into()));
    /// ```
    pub value: ShownValue,
    cursor: Cursor,
    /// The zone that the call graph shows.
    selected: ZoneKey,
    /// The expanded rows. The root of the call tree is included only if it is collapsed.
    open_rows: HashSet<RowKey>,
    /// The selections to go back to.
    past: Vec<Selection>,
    /// The selections to go forward to.
    future: Vec<Selection>,
    /// How recursive zones were shown when the cursor, the expanded rows and the selections were last set.
    settled_recursion: Recursion,
    #[doc(hidden)]
    pub frame: Frames,
    threads: Threads,
    /// Whether the frame's thread is shown instead of all threads until the baseline is cleared.
    is_frame_thread_only: bool,
    /// Whether all threads were chosen despite a baseline.
    keeps_all_threads: bool,
    #[doc(hidden)]
    pub flame: FlameChoice,
    /// Columns that the view adds to every report.
    #[doc(hidden)]
    pub columns: ColumnSet,
    #[doc(hidden)]
    pub baseline: Baseline,
    /// The sort order of each mode, in the order of [`ReportMode::ALL`], and whether it is reversed.
    sorts: [(Sort, bool); ReportMode::ALL.len()],
    /// The sort orders to restore when the baseline is cleared.
    sorts_without_baseline: Option<[(Sort, bool); ReportMode::ALL.len()]>,
}

impl View {
    /// Updates the state that depends on fields set by a host: the cursor, the depths of recursive rows, and the
    /// threads. Reports show the updated state even if this has not been called yet.
    #[doc(hidden)]
    pub fn settle(&mut self) {
        if self.settled_recursion != self.recursion {
            // Except in lists, row keys depend on how recursive zones are shown.
            self.open_rows.retain(|row| row.section == Section::Flat);
            for selection in self.past.iter_mut().chain(&mut self.future) {
                selection.selected.level = 0;
                selection.cursor = selection.cursor.without_level();
            }
        }
        self.selected = self.selected();
        self.cursor = self.cursor();
        self.settled_recursion = self.recursion;
        self.is_frame_thread_only |= self.shows_only_frame_thread();
        self.threads = self.threads();
    }

    pub(crate) fn selected(&self) -> ZoneKey {
        match self.settled_recursion == self.recursion {
            true => self.selected,
            false => ZoneKey {
                level: 0,
                ..self.selected
            },
        }
    }

    pub(crate) fn set_selected(&mut self, selected: ZoneKey) {
        self.settle();
        self.selected = selected;
    }

    #[doc(hidden)]
    pub fn selected_row(&self) -> RowKey {
        let selected = self.selected();
        RowKey::top(Section::Selected, selected.zone, selected.level)
    }

    /// Returns the frames that the view shows. A single frame is given by [number](Frames::Number), and a
    /// [range](Frames::Range) has the lower number first.
    #[must_use]
    pub fn frames(&self) -> Frames {
        match self.frame {
            Frames::Range { first, last } => Frames::Range {
                first: first.min(last),
                last: first.max(last),
            },
            _ => self.frame.clone(),
        }
    }

    /// Chooses which threads the view shows.
    ///
    /// The threads are not a public field, because threads chosen while there is a [baseline](View::set_baseline) are
    /// kept.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
        self.is_frame_thread_only = false;
        self.keeps_all_threads = threads == Threads::All;
    }

    /// Returns whether a comparison is narrowed to the frame's thread although the view shows all threads.
    ///
    /// A worker thread that did more work during a longer frame did not cause the frame's length. Call graphs are not
    /// narrowed, since their zone may be on a different thread.
    fn shows_only_frame_thread(&self) -> bool {
        let is_compared = self.baseline != Baseline::None && !is_call_graph(self.report_mode);
        is_compared && self.threads == Threads::All && !self.keeps_all_threads
    }

    /// Returns the threads that the view shows.
    #[must_use]
    pub fn threads(&self) -> Threads {
        match self.shows_only_frame_thread() {
            true => Threads::Frame,
            false => self.threads,
        }
    }

    /// Adds a column to the report, or removes it.
    ///
    /// It can be one of the [times per frame](ColumnId#times-per-frame), [`Rescued`](ColumnId::Rescued), one of the
    /// [values per frame](ColumnId#values-per-frame), or [net times](ColumnId::NetTime). Other columns are ignored.
    ///
    /// ```
    /// # iprof::update(true);
    /// use iprof::{ColumnId, Sort};
    ///
    /// let mut view = iprof::View::default();
    /// view.set_column(ColumnId::P99, true);
    /// view.set_sort(Sort::Column(ColumnId::P99), false);
    /// # if !iprof::is_recording() { return }
    /// assert!(view.report(&iprof::profiler()).columns.contains(&ColumnId::P99));
    /// ```
    pub fn set_column(&mut self, column: ColumnId, shown: bool) {
        if CHOOSABLE.has(column) {
            self.columns.set(column, shown);
        }
    }

    /// Switches from one [set of columns](COLUMN_SETS) to the next, and to none after the last. Skips the last set if
    /// no value is shown. Net times are unaffected.
    #[doc(hidden)]
    pub fn next_columns(&mut self, has_value: bool) {
        let has = |columns: &&[ColumnId]| columns.iter().any(|column| self.column(*column));
        let at = COLUMN_SETS.iter().position(has);
        let columns = at.map_or(&[][..], |at| COLUMN_SETS[at]);
        columns
            .iter()
            .for_each(|column| self.set_column(*column, false));
        let sets = &COLUMN_SETS[..COLUMN_SETS.len() - usize::from(!has_value)];
        let next = sets.get(at.map_or(0, |at| at + 1));
        let next = next.copied().unwrap_or_default();
        next.iter()
            .for_each(|column| self.set_column(*column, true));
    }

    /// Returns whether a column was [added](View::set_column).
    #[must_use]
    pub fn column(&self, column: ColumnId) -> bool {
        self.columns.has(column)
    }

    /// Compares the shown frames, typically a slow frame, with a baseline.
    ///
    /// Rows are sorted by their difference in self or hierarchical time, depending on the mode. If the frame got
    /// faster, the largest decreases come first. Each difference is split into two portions,
    /// [by count](ColumnId::ByCount) and [by cost](ColumnId::ByCost). All modes support comparison, so you can trace a
    /// cause through callers and callees.
    ///
    /// A [sort order](View::set_sort) chosen beforehand is restored when the baseline is cleared. Any sort order chosen
    /// in the meantime is then dropped.
    ///
    /// A view of all threads is narrowed to the [frame's thread](Threads::Frame), except in call graphs. The
    /// differences then sum to the difference in frame time, and exclude threads that only worked longer because the
    /// frame was long. [`set_threads`](View::set_threads) shows all threads again.
    ///
    /// ```
    /// use iprof::ColumnId;
    ///
    /// # iprof::update(true);
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.show_frames(&iprof::profiler(), iprof::Frames::Longest);
    /// view.set_baseline(iprof::Baseline::Average);
    /// for row in view.report(&iprof::profiler()).rows {
    ///     let ms = |column| row.value(column).map_or(0.0, |value| value.number);
    ///     let (by_count, by_cost) = (ms(ColumnId::ByCount), ms(ColumnId::ByCost));
    ///     println!("{}: {by_count:+.2} ms by count, {by_cost:+.2} ms by cost", row.name);
    /// }
    /// ```
    ///
    /// A zone group or folded row shows the sums of its rows' portions. If one of its zones was called instead of
    /// another, the portion by count rises for one and falls for the other. In lists by hierarchical time, where zones
    /// overlap in time, the portions are computed from the row's own time and count instead.
    ///
    /// A diff has no columns for net times and standard errors, but sampled times are still marked.
    pub fn set_baseline(&mut self, baseline: Baseline) {
        let had_one = self.baseline != Baseline::None;
        self.baseline = baseline;
        match (had_one, self.baseline != Baseline::None) {
            (false, true) => {
                self.sorts_without_baseline = Some(std::mem::take(&mut self.sorts));
                self.keeps_all_threads = false;
                self.settle();
            }
            (true, false) => {
                self.sorts = self.sorts_without_baseline.take().unwrap_or_default();
                if std::mem::take(&mut self.is_frame_thread_only) {
                    self.threads = Threads::All;
                }
            }
            _ => {}
        }
    }

    /// Returns the view's baseline.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        self.baseline.clone()
    }

    /// Sets what the current mode's rows are sorted by, and whether in reverse: smallest first, names from `z` to `a`.
    ///
    /// The column's header is marked, see [`Report::sorted`](crate::Report::sorted). The rows below a parent are sorted
    /// among themselves. Rows above the selected zone of a call graph are in reverse order, so that the first is next
    /// to the selected zone.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.set_sort(iprof::Sort::Column(iprof::ColumnId::Count), false);
    /// let count = |row: &iprof::Row| row.value(iprof::ColumnId::Count).unwrap().number;
    /// let counts: Vec<f64> = view.report(&iprof::profiler()).rows.iter().map(count).collect();
    /// assert!(counts.is_sorted_by(|a, b| a >= b));
    /// ```
    ///
    /// Each mode has its own sort order. If the report doesn't include the column, rows are sorted by [`Sort::Mode`].
    /// An order set without a [baseline](View::set_baseline) is set aside while there is one.
    pub fn set_sort(&mut self, sort: Sort, reversed: bool) {
        self.sorts[self.report_mode as usize] = (sort, reversed);
    }

    /// Returns what the current mode's rows are sorted by, and whether in reverse.
    #[must_use]
    pub fn sort(&self) -> (Sort, bool) {
        self.sorts[self.report_mode as usize]
    }

    /// Returns the first and last number of the remembered frame or range that the view shows.
    #[doc(hidden)]
    pub fn remembered(&self) -> Option<(u64, u64)> {
        match self.frame {
            Frames::Number(number) => Some((number, number)),
            Frames::Range { first, last } => Some((first.min(last), first.max(last))),
            _ => None,
        }
    }

    #[doc(hidden)]
    pub fn shown_set(&self) -> Option<&Frames> {
        Some(&self.frame).filter(|frames| frames.is_set())
    }

    #[doc(hidden)]
    pub fn shown_part(&self) -> Option<&Frames> {
        Some(&self.frame).filter(|frames| frames.is_session())
    }
}

/// Returns whether a mode shows a selected zone with its callers and callees.
pub(crate) fn is_call_graph(mode: ReportMode) -> bool {
    matches!(
        mode,
        ReportMode::CallGraph | ReportMode::CallGraphDescendants
    )
}

/// The averaging window of the live view, see [`View::average`](crate::View::average).
///
/// ```
/// use iprof::Average;
///
/// let mut view = iprof::View::default();
/// view.average = Average::Slow;
/// assert_eq!(view.average, Average::Slow);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Average {
    /// The newest frame's values, without averaging.
    Newest,
    /// An exponential moving average that reaches 90% of a step in 0.8 s.
    #[default]
    Fast,
    /// An exponential moving average that reaches 90% of a step in 2.5 s.
    Slow,
}

impl Average {
    /// All averages, from the newest frame's values to the slowest average.
    ///
    /// ```
    /// assert_eq!(iprof::Average::ALL[1], iprof::Average::default());
    /// ```
    pub const ALL: &[Average] = &[Average::Newest, Average::Fast, Average::Slow];

    /// Returns the index among the computed averages, or `None` for the newest frame's values.
    #[doc(hidden)]
    pub fn slot(self) -> Option<usize> {
        match self {
            Average::Newest => None,
            Average::Fast => Some(0),
            Average::Slow => Some(1),
        }
    }

    /// Returns the [`slot`](Average::slot), or the default average's slot for the newest frame's values.
    #[doc(hidden)]
    pub fn slot_or_default(self) -> usize {
        self.slot().unwrap_or(0)
    }
}

impl VariantName for Average {
    const KIND: &'static str = "average";
    const NAMES: &'static [(Average, &'static str)] = &[
        (Average::Newest, "newest"),
        (Average::Fast, "fast"),
        (Average::Slow, "slow"),
    ];
}
display_and_from_str!(Average);
