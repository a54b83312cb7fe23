//! The view: the settings of a report and of the graph (mode, selected zone, frames, threads, order,
//! filter, baseline). It holds no measurements.

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

/// The baseline of a view: the average, the frame or the frames that the shown ones are compared with, or none.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Baseline {
    /// No comparison: values are shown as they are.
    #[default]
    None,
    /// The average. For a remembered frame, or a range, the mean of the 30 frames before and the 30
    /// after it, as far as these are remembered; it excludes the frame itself and stays the same while
    /// the frame is shown. For a set, the mean of the newest 60 frames that are not in it. If there are none of
    /// them, for a part of the session, and for the live view, the average of the view; [`Average::Fast`](crate::Average::Fast) if the view shows the newest frame's values.
    Average,
    /// The median, which a few slow frames do not change: each row's median time and median count in the 30
    /// frames before the shown frame or range and the 30 after it, and for the live view in the 60 frames
    /// before the newest, as far as these are remembered; for a set in the newest 60 frames that are not in it. If
    /// there are none of them, as [`Average`](Baseline::Average).
    ///
    /// Medians do not add up: a zone's callees need not have the zone's median time in sum, and a zone
    /// that most frames do without has the median 0.
    Median,
    /// One frame, or the mean of several: of a set, a range or a part of the session. They are looked for again in each report.
    Frames(Frames),
    /// The mean of all remembered frames that are not shown: of the complement of the set that is shown, of the
    /// frames before and after a range or a frame. For the live view, of all remembered frames. For a part of the
    /// session, of all other frames of the session.
    Rest,
}

/// The columns that are chosen together by [`Action::NextColumns`](crate::Action::NextColumns).
const COLUMN_SETS: [&[ColumnId]; 3] = [
    ColumnId::TIMES_PER_FRAME,
    &[ColumnId::Rescued],
    ColumnId::VALUES_PER_FRAME,
];

/// The columns that a view [chooses](View::set_column).
const CHOOSABLE: ColumnSet = ColumnSet::of(&[ColumnId::NetTime])
    .or(ColumnSet::of(COLUMN_SETS[0]))
    .or(ColumnSet::of(COLUMN_SETS[1]))
    .or(ColumnSet::of(COLUMN_SETS[2]));

/// An entry of the view's history of selections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selection {
    mode: ReportMode,
    selected: ZoneKey,
    cursor: Cursor,
}

/// A view of the measurements: mode, cursor, selected zone, frame, average, threads, recursion. It
/// holds no measurements, and reading through a view changes none.
///
/// [`with_view`](fn.with_view.html) lends the default view, the one that the overlay draws; the free
/// functions of the same names change it, too. Create a `View` for a second report beside it.
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
    /// What the report lists: [`ReportMode::SelfTime`] by default. The cursor stands where it was put in this mode; in
    /// another it is at the top, in the call graph on the selected zone, which is `(outside zones)` until one was
    /// [selected](crate::Action::Select).
    pub report_mode: ReportMode,
    /// The average that the live view shows: [`Average::Fast`] by default. Remembered frames show their own values in any
    /// case, and a [range](enum.Frames.html#variant.Range) of them its own mean.
    pub average: Average,
    /// How recursive zones are shown: flattened to one row, which is the default, or as a row for each depth.
    pub recursion: Recursion,
    /// The text that the names of all listed rows contain, ignoring case, but for their parent rows and the selected
    /// zone. Sums still include the rows that are not listed. An empty text, the default, lists all rows.
    ///
    /// A matching row is listed however small it is, whatever the [minimum share](View::min_share),
    /// and however deep: closed rows are open down to a match, be they [groups](View::grouping),
    /// callers, callees or rows of the call tree. Only a group whose own name matches stays as it is.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.filter = "Update".to_owned();
    /// let names = view.report(&iprof::profiler()).rows.into_iter().map(|row| row.name);
    /// assert!(names.into_iter().all(|name| name.contains("update")));
    /// ```
    pub filter: String,
    /// The part of the frame's time, from 0 to 1, below which rows are folded into one, which comes last:
    /// `others (12)`. 0, the default, folds none, nor does what is less or not a number; what is more is 1. The time is the one that the report is about, self time or hierarchical time; with
    /// several threads in view all of them add to it, and the frame's time stays that of one.
    ///
    /// ```
    /// # iprof::update(true);
    /// let mut view = iprof::View::default();
    /// view.min_share = 0.01;
    /// view.report(&iprof::profiler()).write(std::io::stdout(), 2)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// Sums stay exact. Self time and count of that row are the sums of those it stands for. So is
    /// its hierarchical time in the call graph and the call tree, where each row has such a row of
    /// its own below it (above it, if it is a caller). In lists, where a zone's hierarchical time is
    /// part of its caller's, it is the time in which any of them was open, each moment once.
    ///
    /// The row is [opened](crate::Action::Expand) in place. It is never selected, and never stands for one
    /// row alone. Where numbers change, a folded row is listed again once it is larger by a quarter
    /// than it needs to be, so that it does not flicker. In a [comparison](View::set_baseline) a row
    /// is small if it is so in both frames. With a [filter](View::filter) nothing is folded.
    pub min_share: f64,
    /// Whether [`ReportMode::SelfTime`] and [`ReportMode::HierarchicalTime`] list zones
    /// whose names begin alike, up to a `::`, as a group: `physics::solve` and `physics::collide` in
    /// `physics::`. Off by default. Groups can have groups in them: `a::b::c` is in
    /// `a::b::`, which is in `a::`. Zones of other names stand beside them, and the other modes show
    /// no groups.
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
    /// A group's self time and count are the sums of its zones'. Its hierarchical time is the time
    /// in which any of its zones was open, each moment once: what the subsystem took, with all that
    /// it called. Groups are closed until they are [opened](crate::Action::Expand), and show no heat.
    pub grouping: bool,
    /// Whether idle rows are ranked among the others. Off by default: waiting is not work.
    ///
    /// Idle is the self time of zones in which the program only waits, [declared](macro.zone.html) as in
    /// `zone!(wait_for_work, idle)`; and the time outside zones on all threads, the GPU's included, but
    /// the thread of the frames, which calls [`update`](fn.update.html) (in a program that never does, the first
    /// thread).
    ///
    /// By default one dimmed row, `(idle)`, stands for all of it at the end of
    /// [`ReportMode::SelfTime`] and [`ReportMode::HierarchicalTime`], and [opens](crate::Action::Expand). Its self time
    /// and count are sums. Its hierarchical time is the time in which any idle zone was open, each moment once,
    /// and the idle time outside zones. So the self times of all rows still sum to the threads' time. In the
    /// other modes idle zones come after the others, dimmed. If ranked, idle rows stand where their values
    /// say, in all modes, and are still dimmed.
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
    /// The [named value](macro.value.html) that reports show: its sum, and the main time per unit; in a diff the sum in the baseline
    /// too, and differences split by its units instead of calls. The graph has its sums as a line. By default the value
    /// that the program added to first.
    ///
    /// ```
    /// iprof::with_view(|view| view.value = iprof::ShownValue::Named("bodies".into()));
    /// ```
    pub value: ShownValue,
    cursor: Cursor,
    /// The zone of the call graph.
    selected: ZoneKey,
    /// Opened rows; for the root of the call tree, whether it was closed.
    open_rows: HashSet<RowKey>,
    /// The selections to go back to, and those to go forward to after going back.
    past: Vec<Selection>,
    future: Vec<Selection>,
    /// How recursive zones were shown when the cursor was put and rows were opened and selected.
    recursion_of_rows: Recursion,
    #[doc(hidden)]
    pub frame: Frames,
    threads: Threads,
    /// Whether the frame's thread is shown in place of all threads, until the baseline is cleared; and whether all
    /// threads were chosen although there is a baseline.
    is_narrowed: bool,
    keeps_all_threads: bool,
    #[doc(hidden)]
    pub flame: FlameChoice,
    /// The columns that were chosen beside those that a report has anyway.
    #[doc(hidden)]
    pub columns: ColumnSet,
    #[doc(hidden)]
    pub baseline: Baseline,
    /// The order of rows in each mode, in the order of [`ReportMode::ALL`], and whether it is reversed.
    sorts: [(Sort, bool); ReportMode::ALL.len()],
    /// While there is a baseline: the orders to go back to when it is cleared.
    sorts_without_baseline: Option<[(Sort, bool); ReportMode::ALL.len()]>,
}

impl View {
    /// Carries over what follows from the fields that a host sets: the cursor goes to the top of another mode, rows of
    /// recursive zones to the depth that all have, and threads are narrowed. Until then reports show it so anyway.
    #[doc(hidden)]
    pub fn settle(&mut self) {
        if self.recursion_of_rows != self.recursion {
            // The keys of rows depend on how recursive zones are shown, but for those of lists.
            self.open_rows.retain(|row| row.section == Section::Flat);
            for selection in self.past.iter_mut().chain(&mut self.future) {
                selection.selected.level = 0;
                selection.cursor = selection.cursor.of_all_depths();
            }
        }
        self.selected = self.selected();
        self.cursor = self.cursor();
        self.recursion_of_rows = self.recursion;
        self.is_narrowed |= self.is_to_narrow();
        self.threads = self.threads();
    }

    /// The zone of the call graph.
    pub(crate) fn selected(&self) -> ZoneKey {
        match self.recursion_of_rows == self.recursion {
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

    /// The row of the selected zone in its call graph.
    #[doc(hidden)]
    pub fn selected_row(&self) -> RowKey {
        let selected = self.selected();
        RowKey::top(Section::Selected, selected.zone, selected.level)
    }

    /// The frames that are shown: one frame by [number](Frames::Number), a [range](Frames::Range) with the lower number
    /// first.
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

    /// Chooses the threads that the view shows: one, those of one name, the frame's, or all. It is no field because what is
    /// chosen while there is a [baseline](View::set_baseline) stays, be it all threads.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
        self.is_narrowed = false;
        self.keeps_all_threads = threads == Threads::All;
    }

    /// Whether a comparison shows the frame's thread in place of all: a worker that worked for a longer frame is not
    /// what made the frame longer. Not in a call graph, whose zone may be another thread's.
    fn is_to_narrow(&self) -> bool {
        let is_compared = self.baseline != Baseline::None && !is_call_graph(self.report_mode);
        is_compared && self.threads == Threads::All && !self.keeps_all_threads
    }

    /// The threads that the view shows.
    #[must_use]
    pub fn threads(&self) -> Threads {
        match self.is_to_narrow() {
            true => Threads::Frame,
            false => self.threads,
        }
    }

    /// Chooses a column beside those that a report has anyway: one of
    /// [times per frame](ColumnId#times-per-frame), [`Rescued`](ColumnId::Rescued), one of
    /// [values per frame](ColumnId#values-per-frame), or [net times](ColumnId::NetTime). For any other column nothing
    /// happens.
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

    /// To the next chosen columns beside net times: none of a row's frames, then each [set of them](COLUMN_SETS), the
    /// last one only if a value is shown.
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

    /// Whether a column was [chosen](View::set_column).
    #[must_use]
    pub fn column(&self, column: ColumnId) -> bool {
        self.columns.has(column)
    }

    /// Compares the shown frame, most usefully a slow one, with a baseline. Rows are then sorted by
    /// their difference in the mode's time: self time or hierarchical time. The difference is split by
    /// count and by cost, and the two parts sum to it: see
    /// [`ColumnId::ByCount`] and
    /// [`ColumnId::ByCost`]. All modes can be compared, so a cause can
    /// be followed through callers and callees. If the frame got faster, the rows with the largest
    /// decrease come first.
    ///
    /// An [order](View::set_sort) that was chosen before yields to that, and comes back when the baseline is
    /// cleared; one that is chosen while there is a baseline goes with it.
    ///
    /// A view of all threads shows the [frame's thread](Threads::Frame) meanwhile, in all modes but the call graph:
    /// its differences sum to that of the frames' times, and threads that worked on because the frame was long are
    /// not in the way. [`set_threads`](View::set_threads) shows all again.
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
    /// A row that stands for several rows, a group or a folded row, has the sums of their parts: if one
    /// of its zones was called instead of another, the part by count rises for the one and falls for
    /// the other. Lists by hierarchical time are an exception, because there zones have moments in
    /// common: the parts are computed from the row's own time and count.
    ///
    /// A diff has no columns for net times and standard errors; sampled times are still marked.
    ///
    /// It is no field because of the orders and threads that change with it, and change back.
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
                if std::mem::take(&mut self.is_narrowed) {
                    self.threads = Threads::All;
                }
            }
            _ => {}
        }
    }

    /// The baseline of the view.
    #[must_use]
    pub fn baseline(&self) -> Baseline {
        self.baseline.clone()
    }

    /// Chooses what rows are sorted by in the present mode, and whether the other way round: smallest first, names from `z`
    /// to `a`. [`Report::sorted`](crate::Report::sorted) says so, and the header
    /// of the column has a mark. Rows that stand under others are sorted among themselves; those above
    /// the selected zone of a call graph the other way round, so that what comes first is next to it.
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
    /// Each mode keeps what was chosen in it. While the report has no such column, as the standard error
    /// where nothing was sampled, rows are sorted as with [`Sort::Mode`]. What was chosen without a
    /// [baseline](View::set_baseline) waits while there is one.
    pub fn set_sort(&mut self, sort: Sort, reversed: bool) {
        self.sorts[self.report_mode as usize] = (sort, reversed);
    }

    /// What rows are sorted by in the present mode, and whether the other way round.
    #[must_use]
    pub fn sort(&self) -> (Sort, bool) {
        self.sorts[self.report_mode as usize]
    }

    /// The remembered frame or range of frames that the view shows, as first and last number.
    #[doc(hidden)]
    pub fn remembered(&self) -> Option<(u64, u64)> {
        match self.frame {
            Frames::Number(number) => Some((number, number)),
            Frames::Range { first, last } => Some((first.min(last), first.max(last))),
            _ => None,
        }
    }

    /// The set whose frames the view shows.
    #[doc(hidden)]
    pub fn shown_set(&self) -> Option<&Frames> {
        Some(&self.frame).filter(|frames| frames.is_set())
    }

    /// The part of the session that the view shows.
    #[doc(hidden)]
    pub fn shown_part(&self) -> Option<&Frames> {
        Some(&self.frame).filter(|frames| frames.is_session())
    }
}

/// Whether a mode shows the surroundings of a selected zone.
pub(crate) fn is_call_graph(mode: ReportMode) -> bool {
    matches!(
        mode,
        ReportMode::CallGraph | ReportMode::CallGraphDescendants
    )
}

/// The averaging window of the live view; see [`View::average`](crate::View::average).
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
    /// No average: the newest frame's values.
    Newest,
    /// An exponential moving average that follows a step by 90 % in 0.8 s.
    #[default]
    Fast,
    /// An exponential moving average that follows a step by 90 % in 2.5 s.
    Slow,
}

impl Average {
    /// All averages, from the newest frame's values to the slowest average.
    ///
    /// ```
    /// assert_eq!(iprof::Average::ALL[1], iprof::Average::default());
    /// ```
    pub const ALL: &[Average] = &[Average::Newest, Average::Fast, Average::Slow];

    /// The position of the average among those that are computed; `None` for the newest frame's values.
    #[doc(hidden)]
    pub fn slot(self) -> Option<usize> {
        match self {
            Average::Newest => None,
            Average::Fast => Some(0),
            Average::Slow => Some(1),
        }
    }

    /// As [`slot`](Average::slot); that of the default for the newest frame's values, which have no
    /// average of their own.
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
