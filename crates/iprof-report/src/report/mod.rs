//! The report as plain data, ready to be drawn or written: title, warnings, columns and rows. Nothing here depends on
//! where a report comes from or on where it is shown.

mod column;
mod row;
mod text;
mod units;

pub use column::ColumnSet;
pub use column::clamp_precision;
pub use column::{ColumnId, Unit};
pub use row::{BINS, Distribution, Expansion, Row, RowKey, RowKind, Section, Value};
pub(crate) use units::Units;

use crate::display_and_from_str;
use crate::variant_name::VariantName;
use iprof_process::ValueInfo;
use iprof_process::text_parts::push_decimal;
use iprof_process::thread_tree::TreeNode;
use std::sync::Arc;

/// The kind of report: a list of zones, a call graph, or the call tree.
///
/// Modes can be parsed from names and formatted as names, for command lines and settings:
///
/// ```
/// use iprof::ReportMode;
///
/// assert_eq!("call-graph".parse(), Ok(ReportMode::CallGraph));
/// assert_eq!(ReportMode::SelfTime.to_string(), "self-time");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportMode {
    /// All zones by self time: the time spent in the zone itself, excluding the zones that it calls.
    #[default]
    SelfTime,
    /// All zones by hierarchical (also inclusive or total) time: self time plus the time of everything called.
    HierarchicalTime,
    /// The selected zone with its callers above and its callees below, by hierarchical time.
    ///
    /// A caller's row shows the time of *the selected zone* when called from there, so the callers sum to the zone. A
    /// callee's row shows the time of *the callee* when called from the selected zone, so the callees sum to the zone's
    /// hierarchical time minus its self time.
    ///
    /// A row with a `+` can be [expanded](crate::Action::Expand) in place, to show a caller's own callers above it, or
    /// a callee's own callees below it. Each row shows its time along that call path. Rows listed this way sum in the
    /// same manner as the direct callers and callees, at any depth.
    CallGraph,
    /// Like `CallGraph`, but with all descendants of the selected zone instead of its direct callees. Their self times
    /// sum to the zone's hierarchical time minus its self time.
    CallGraphDescendants,
    /// The call tree from `(outside zones)` down, by hierarchical time. Its rows are expanded one by one. The children
    /// of a row sum to its hierarchical time minus its self time.
    ///
    /// With [`Recursion::Flatten`], a zone that its own callees call again shares the row of its first occurrence. With
    /// [`Recursion::Spread`], each row is a full call stack.
    CallTree,
}

impl ReportMode {
    /// All report modes, for menus and tests: lists first, then call graphs, then the call tree.
    ///
    /// ```
    /// assert_eq!(iprof::ReportMode::ALL[0], iprof::ReportMode::default());
    /// ```
    pub const ALL: &[ReportMode] = &[
        ReportMode::SelfTime,
        ReportMode::HierarchicalTime,
        ReportMode::CallGraph,
        ReportMode::CallGraphDescendants,
        ReportMode::CallTree,
    ];
}

impl VariantName for ReportMode {
    const KIND: &'static str = "report mode";
    const NAMES: &'static [(ReportMode, &'static str)] = &[
        (ReportMode::SelfTime, "self-time"),
        (ReportMode::HierarchicalTime, "hierarchical-time"),
        (ReportMode::CallGraph, "call-graph"),
        (ReportMode::CallGraphDescendants, "call-graph-descendants"),
        (ReportMode::CallTree, "call-tree"),
    ];
}
display_and_from_str!(ReportMode);

/// How to show recursive zones, which call themselves directly or through others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// A recursive zone has a single row. Its name is followed by the maximum recursion depth, as in `visit (12)`.
    #[default]
    Flatten,
    /// Each recursion depth is a separate zone: `visit`, `visit (2)`, `visit (3)`.
    Spread,
}

impl VariantName for Recursion {
    const KIND: &'static str = "recursion";
    const NAMES: &'static [(Recursion, &'static str)] = &[
        (Recursion::Flatten, "flatten"),
        (Recursion::Spread, "spread"),
    ];
}
display_and_from_str!(Recursion);

impl Recursion {
    #[doc(hidden)]
    pub fn row_of(self, node: &TreeNode) -> u32 {
        match self {
            Recursion::Flatten => node.zone,
            Recursion::Spread => node.spread,
        }
    }
}

/// The order of a report's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sort {
    /// By the main value of the mode, largest first: self time in [`ReportMode::SelfTime`], hierarchical time in all
    /// other modes. In a diff, by the difference in time. The largest increase comes first if the frame got slower, and
    /// the largest decrease if it got faster.
    #[default]
    Mode,
    /// By a column, largest value first. If the report doesn't include that column, by [`Mode`](Sort::Mode).
    Column(ColumnId),
    /// By name, from `a` to `z`, ignoring case.
    Name,
}

/// A report as plain data: title, warnings, columns and rows.
///
/// ```
/// use iprof::{ColumnId, Row, Report};
///
/// let mut report = Report::default();
/// report.title.push("a report of my own".into());
/// report.columns = vec![ColumnId::SelfTime, ColumnId::Count];
/// let values = [(ColumnId::SelfTime, 16.6), (ColumnId::Count, 1.0)];
/// report.rows.push(Row::new("everything", values));
/// let mut text = Vec::new();
/// report.write(&mut text, 2)?;
/// assert!(String::from_utf8(text).unwrap().contains("16.60"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Report {
    /// The title. The first line is the most important.
    pub title: Vec<String>,
    /// The title parts that show a setting of the view and can be clicked.
    #[doc(hidden)]
    pub title_parts: Vec<TitlePart>,
    /// The kind of report.
    pub mode: ReportMode,
    /// Warnings, to be shown in red.
    pub warnings: Vec<String>,
    /// The columns, from left to right. A column that is listed twice is shown once.
    pub columns: Vec<ColumnId>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Whether the counts (in a diff, the shown frame's) are whole numbers rather than averages.
    pub whole_counts: bool,
    /// Whether the baseline's counts are whole numbers.
    pub baseline_whole_counts: bool,
    /// The frame time in milliseconds, used to show times as fractions of it; 0 if there is none.
    pub frame_ms: f64,
    /// The number of threads that the values are summed over.
    pub threads: usize,
    /// The named value, if any, for the columns [`NamedValue`](ColumnId::NamedValue),
    /// [`TimePerUnit`](ColumnId::TimePerUnit), [`BaselineValue`](ColumnId::BaselineValue), and
    /// [values per frame](ColumnId#values-per-frame).
    pub value: Option<ValueInfo>,
    /// The sort order to mark in the headers, and whether it is ascending: smallest first, names from `a` to `z`.
    /// `None` for the mode's default order.
    pub sorted: Option<(Sort, bool)>,
    /// Whether rows keep their previous places because the pointer is over them or a key has just moved the cursor: see
    /// [`draw_gl`](fn.draw_gl.html). Always false in reports that a view [builds](crate::View::report).
    pub order_held: bool,
    /// The number of new rows that are not listed yet because the order is held and they would move other rows.
    pub rows_withheld: usize,
    #[doc(hidden)]
    pub units: Units,
}

impl Report {
    /// Appends a row's value in a column as text, in the column's [unit](Report::unit). A sampled value is preceded by
    /// `~`. Appends nothing if there is no value.
    ///
    /// `precision` is the number of decimal places for times in any unit, clamped to between 1 and 4.
    ///
    /// ```
    /// use iprof::{ColumnId, Row, Report, Value};
    ///
    /// let mut row = Row::new("physics", []);
    /// row.set_value(ColumnId::SelfTime, Value::sampled(1.5, 0.1));
    /// let mut text = String::new();
    /// Report::default().push_value(&row, ColumnId::SelfTime, 2, &mut text);
    /// assert_eq!(text, "~1.50");
    /// ```
    pub fn push_value(&self, row: &Row, column: ColumnId, precision: u32, out: &mut String) {
        if let Some(value) = row.value(column) {
            if value.is_sampled() {
                out.push('~');
            }
            self.push_number(value.number, column, precision, out);
        }
    }

    /// Appends a number, given in [the column's own unit](ColumnId::unit), converted to the unit in which the column is
    /// shown.
    #[doc(hidden)]
    pub fn push_number(&self, number: f64, column: ColumnId, precision: u32, out: &mut String) {
        let unit = self.unit(column);
        let is_sum = matches!(column, ColumnId::NamedValue | ColumnId::BaselineValue);
        if (is_sum || column.is_of_value())
            && let Some(value) = &self.value
            && value.places() > 0
        {
            push_decimal(out, number, value.places());
            return;
        }
        unit.format(number / unit.ms(), precision, self.is_whole(column), out);
    }

    /// Appends the header of a column, with the unit in which it is shown: `self ms`, `hier µs`.
    ///
    /// ```
    /// let mut title = String::new();
    /// iprof::Report::default().push_header(iprof::ColumnId::SelfTime, &mut title);
    /// assert_eq!(title, "self ms");
    /// ```
    pub fn push_header(&self, column: ColumnId, out: &mut String) {
        if column == ColumnId::GpuTime {
            // GPU times are self or hierarchical times, like the mode's CPU times.
            out.push_str(match self.mode {
                ReportMode::SelfTime => "gpu self ",
                _ => "gpu hier ",
            });
            out.push_str(self.unit(column).symbol());
            return;
        }
        let Some(value) = &self.value else {
            return column.push_header(self.unit(column), out);
        };
        match column {
            ColumnId::NamedValue => out.push_str(&value.name),
            ColumnId::BaselineValue => out.extend(["base ", &value.name]),
            column if column.is_of_value() => {
                out.extend([column.header().trim_end_matches("value"), &value.name]);
            }
            ColumnId::TimePerUnit => {
                out.extend([self.unit(column).symbol(), "/", value.unit_or_default()]);
            }
            _ => column.push_header(self.unit(column), out),
        }
    }

    /// Chooses the unit of each time column by its largest values: see [`unit`](Report::unit). Call this on a report
    /// built by hand once its rows are complete. A view's report already uses these units.
    ///
    /// ```
    /// use iprof::{ColumnId, Report, Row, Unit};
    ///
    /// let mut report = Report::default();
    /// report.columns = vec![ColumnId::SelfTime];
    /// report.rows = vec![Row::new("solve", [(ColumnId::SelfTime, 0.0125)])];
    /// report.fit_units();
    /// assert_eq!(report.unit(ColumnId::SelfTime), Unit::Microseconds);
    /// ```
    pub fn fit_units(&mut self) {
        self.units = Units::fitting(&self.rows, ColumnId::ALL, None);
    }

    /// Returns the unit in which a column is shown. The unit of the values themselves is [`ColumnId::unit`].
    ///
    /// A view's report shows all times in the unit that fits the largest of them: milliseconds from 1 ms, and seconds
    /// from 10 s. A column uses its own unit if all its times are below a hundredth of the shared one. On screen, a
    /// unit is kept until the largest time falls below a tenth of it. A report built by hand shows milliseconds until
    /// [`fit_units`](Report::fit_units) is called.
    #[must_use]
    pub fn unit(&self, column: ColumnId) -> Unit {
        self.units.of(column)
    }

    #[doc(hidden)]
    pub fn shown_columns(&self) -> impl Iterator<Item = ColumnId> {
        let columns = self.columns.iter().enumerate();
        let is_first = |(at, column): &(usize, &ColumnId)| !self.columns[..*at].contains(column);
        columns.filter(is_first).map(|(_, column)| *column)
    }

    fn is_whole(&self, column: ColumnId) -> bool {
        match column {
            ColumnId::BaselineCount | ColumnId::BaselineValue => self.baseline_whole_counts,
            // A percentile is always the actual value of some frame.
            ColumnId::Rescued | ColumnId::ValueP50 | ColumnId::ValueP95 => true,
            ColumnId::ValueP99 | ColumnId::ValueMax => true,
            ColumnId::ValueDeviation => false,
            _ => self.whole_counts,
        }
    }

    /// Returns the position of the row under the cursor.
    #[must_use]
    pub fn cursor(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.cursor)
    }

    /// Returns the sort mark for a column's header, or for the names' header if `column` is `None`. Returns `None` if
    /// rows are not sorted by it.
    #[doc(hidden)]
    pub fn mark(&self, column: Option<ColumnId>) -> Option<char> {
        let of = column.map_or(Sort::Name, Sort::Column);
        let (_, ascending) = self.sorted.filter(|(by, _)| *by == of)?;
        Some(if ascending { '\u{25b2}' } else { '\u{25bc}' })
    }
}

/// A clickable part of a title line that shows a setting of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct TitlePart {
    /// The index of the title line.
    pub line: usize,
    /// The start of the part, as a byte offset in the line.
    pub start: usize,
    /// The end of the part, exclusive, as a byte offset.
    pub end: usize,
    /// The setting shown.
    pub choice: TitleChoice,
}

/// A setting of the view that a title line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TitleChoice {
    /// The [mode](ReportMode).
    Mode,
    /// The threads.
    Threads,
    /// Whether the view is live or paused.
    Live,
    /// The remembered frames that are shown.
    Frames,
    /// The average of the live view.
    Average,
    /// The timing mode.
    Timing,
    /// The filter.
    Filter,
}

impl TitleChoice {
    #[doc(hidden)]
    pub fn description(self) -> &'static str {
        match self {
            TitleChoice::Mode => "click: next mode",
            TitleChoice::Threads => "click: show all threads, a group, or one",
            TitleChoice::Live => "click: pause or continue recording",
            TitleChoice::Frames => "click: back to the live view",
            TitleChoice::Average => "click: next average",
            TitleChoice::Timing => "click: next timing mode",
            TitleChoice::Filter => "click: change the filter",
        }
    }

    #[doc(hidden)]
    pub fn explanation(self) -> &'static [&'static str] {
        match self {
            TitleChoice::Threads => &["the GPU is not counted; its report comes last"],
            TitleChoice::Timing => &[
                "how times are measured, and iprof's overhead",
                "overhead, measured: share of thread time spent recording",
                "update: share spent ending frames; overlay: drawing",
                "sampled: call stacks that are counted but not timed",
                "missed: frames that took longer than the frame budget",
            ],
            _ => &[],
        }
    }
}

/// The [named value](macro.value.html) that a view's reports show in their columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShownValue {
    /// The value that the program added to first. [`Allocator`](struct.Allocator.html) values come last.
    #[default]
    First,
    /// The first value with this name, once something has been added to it.
    Named(Arc<str>),
    /// No value.
    None,
}
