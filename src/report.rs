//! The report: plain data, ready to be drawn or written. It depends neither on its source nor on its
//! destination.

use crate::decimal::push_decimal;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a report lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportMode {
    /// All zones by self time: the time spent in the zone itself, without the zones that it calls.
    #[default]
    SelfTime,
    /// All zones by hierarchical time (other profilers call it inclusive or total time): self time plus
    /// the time of everything called from the zone.
    HierarchicalTime,
    /// The selected zone, its callers above it and its callees below it, by hierarchical time.
    ///
    /// A caller's row shows the cost of *the selected zone* on behalf of that caller, so the callers
    /// sum to the zone. A callee's row shows the cost of *the callee* on behalf of the selected zone,
    /// so the callees' hierarchical times sum to the zone's minus its self time.
    ///
    /// A row with a `+` [opens](crate::View::expand) in place. An opened caller shows *its* callers
    /// above it, each with the cost of the selected zone when called along that call path. An opened
    /// callee shows *its* callees below it, each with its cost on behalf of the selected zone when
    /// called along that call path. Both sum up as callers and callees do, to any depth.
    CallGraph,
    /// As `CallGraph`, with all descendants of the selected zone instead of its direct callees. Their
    /// self times sum to the zone's hierarchical time minus its self time.
    CallGraphDescendants,
    /// The call tree from `_global` down, by hierarchical time, opened and closed row by row. The
    /// children of a row sum to its hierarchical time minus its self time.
    ///
    /// With [`Recursion::Flatten`], a zone called again by its own callees shares the row of its first
    /// occurrence; with [`Recursion::Spread`], a row is a full call stack.
    CallTree,
}

impl ReportMode {
    /// All report modes, for menus and tests: lists first, then the call graph, then the call tree.
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

/// How recursive zones are shown, those that call themselves directly or through others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// A recursive zone is one zone; its name is followed by the recursion depth it reached, as in
    /// `visit (12)`.
    #[default]
    Flatten,
    /// Every recursion depth is a zone of its own: `visit`, `visit (2)`, `visit (3)`.
    Spread,
}

/// What the rows of a report are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sort {
    /// The main value of the mode, largest first: self time in [`ReportMode::SelfTime`], hierarchical
    /// time in all other modes. In a diff the time difference, with the rows first that account for it,
    /// whether the frame got slower or faster.
    #[default]
    Mode,
    /// A column, largest value first. While the report does not have that column, as
    /// [`Mode`](Sort::Mode).
    Column(Column),
    /// The names, from `a` to `z`, ignoring case.
    Name,
}

/// Whether a record can be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// Shown as a blank: the zone has no callees.
    #[default]
    None,
    /// Shown as `+`: the zone or the group can be opened.
    Plus,
    /// Shown as `-`: the zone or the group is open, its rows are listed next to it.
    Minus,
}

impl Prefix {
    /// The character that stands before the name.
    pub fn as_char(self) -> char {
        match self {
            Prefix::None => ' ',
            Prefix::Plus => '+',
            Prefix::Minus => '-',
        }
    }
}

/// The unit of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Milliseconds, with a chosen number of decimal places.
    Milliseconds,
    /// A count. Averages of counts have a fraction, of which one digit is shown.
    Count,
}

/// A column of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// The heading of the column.
    pub title: &'static str,
    /// The unit of its values.
    pub unit: Unit,
}

impl Column {
    /// Self time in milliseconds, the first value of a record.
    pub const SELF: Column = Column {
        title: "self ms",
        unit: Unit::Milliseconds,
    };
    /// Hierarchical time in milliseconds, after the self times.
    pub const HIER: Column = Column {
        title: "hier ms",
        unit: Unit::Milliseconds,
    };
    /// GPU time in milliseconds, beside the CPU times: the time of the zone's GPU zones, see
    /// [`gpu_zone!`](crate::gpu_zone!). Shown only if any row has such a time.
    ///
    /// GPU time is split as CPU time is. A report of self times shows the time of the GPU zones that
    /// the zone submitted itself, minus that of GPU zones nested in them. Any other report adds the GPU
    /// time submitted by everything the zone called, each moment counted once: a zone that is no GPU
    /// zone shows there the GPU time of all its passes. So in the call graph callers sum to the zone,
    /// and callees to the zone minus its own GPU time.
    ///
    /// The GPU works in parallel to the CPU, so GPU time is no part of the other times. GPU times
    /// arrive some frames late: a remembered frame shows its own, once they are complete; the newest
    /// frame shows the newest complete ones; averages include all that have arrived.
    pub const GPU: Column = Column {
        title: "gpu ms",
        unit: Unit::Milliseconds,
    };
    /// Self time in milliseconds minus the estimated recording overhead, never below zero. Shown beside
    /// the self time if the view [asks for it](crate::View::set_net_times).
    pub const NET: Column = Column {
        title: "net ms",
        unit: Unit::Milliseconds,
    };
    /// The standard error, in milliseconds, of the time that the report is sorted by. The last column,
    /// shown only if any time of the report was sampled. Rows with exact times show none.
    pub const ERROR: Column = Column {
        title: "\u{b1} ms",
        unit: Unit::Milliseconds,
    };
    /// The difference of a row to the [baseline](crate::View::set_baseline), in milliseconds: of its
    /// self time or its hierarchical time, depending on the mode.
    pub const DIFFERENCE: Column = Column {
        title: "diff ms",
        unit: Unit::Milliseconds,
    };
    /// The part of the difference by count: additional calls, at the cost per call of the baseline.
    pub const BY_COUNT: Column = Column {
        title: "by count",
        unit: Unit::Milliseconds,
    };
    /// The part of the difference by cost: the change of the cost per call. The two parts sum to the
    /// difference.
    pub const BY_COST: Column = Column {
        title: "by cost",
        unit: Unit::Milliseconds,
    };
    /// Entry count in the baseline.
    pub const BASELINE_COUNT: Column = Column {
        title: "baseline",
        unit: Unit::Count,
    };
    /// Entry count, after the times. A whole number for one frame; an average has a fraction.
    pub const COUNT: Column = Column {
        title: "count",
        unit: Unit::Count,
    };

    /// Appends `value` formatted for this column.
    ///
    /// `precision` is the number of decimal places of times, 1 to 4, clamped. `whole` says that counts
    /// have no fraction.
    pub fn format(self, value: f64, precision: u32, whole: bool, out: &mut String) {
        let places = match self.unit {
            Unit::Milliseconds => clamp_precision(precision),
            Unit::Count if whole || value >= 99_999.5 => 0,
            Unit::Count => 1,
        };
        push_decimal(out, value, places);
    }
}

/// Decimal places of times: 1 to 4.
pub(crate) fn clamp_precision(precision: u32) -> u32 {
    precision.clamp(1, 4)
}

/// The maximum number of values in a record.
pub const MAX_VALUES: usize = 6;

/// A source location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as named to the compiler.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
}

/// One line of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The zone's name; the name of a zone group, as in `physics::`; or `others (3)`, for three rows
    /// that are [too small](crate::View::set_min_share) to be listed.
    pub name: Arc<str>,
    /// The indent, in steps of two characters.
    pub indent: u32,
    /// Whether the record can be opened.
    pub prefix: Prefix,
    /// The values, in the order of [`Report::columns`].
    pub values: [f64; MAX_VALUES],
    /// Which of the values are shown.
    pub shown: [bool; MAX_VALUES],
    /// The standard errors of the values, in their units. An exact value has 0; any other value was
    /// sampled and is written with a `~` before it.
    pub errors: [f64; MAX_VALUES],
    /// How much the value that the record is sorted by fluctuates: 0 calm, 1 hot. It is the standard
    /// deviation over the mean, doubled and clamped. Mean and mean square are moving averages with the
    /// weights of the chosen average (of the quick one if the newest frame's values are shown). Only
    /// rows of single zones have heat.
    pub heat: f32,
    /// Whether the cursor is on the record.
    pub cursor: bool,
    /// Where the zone is defined; none if the row stands for several zones.
    pub place: Option<Place>,
    /// The identity of the row, independent of its position.
    pub key: RowKey,
}

impl Record {
    /// A record with a name and its first values, all shown.
    pub fn new(name: &str, values: &[f64]) -> Record {
        let mut record = Record {
            name: name.into(),
            ..Record::default()
        };
        for (at, value) in values.iter().take(MAX_VALUES).enumerate() {
            record.values[at] = *value;
            record.shown[at] = true;
        }
        record
    }

    /// Appends the value at index `at` formatted for `column`: as [`Column::format`], after a `~` if
    /// the value was sampled.
    ///
    /// # Panics
    ///
    /// If `at` is not smaller than [`MAX_VALUES`].
    pub fn format(&self, at: usize, column: Column, precision: u32, whole: bool, out: &mut String) {
        if self.errors[at] > 0.0 {
            out.push('~');
        }
        column.format(self.values[at], precision, whole, out);
    }
}

/// The identity of a row: distinguishes it within its report, and finds it in the next report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowKey {
    pub(crate) section: Section,
    pub(crate) kind: RowKind,
    /// The number of the zone or of the zone group; 0 for other rows.
    pub(crate) zone: u32,
    pub(crate) level: u32,
    /// A hash of the keys of its parent rows; 0 at the top level.
    path: u64,
}

impl RowKey {
    /// A top-level row of a zone.
    pub(crate) fn top(section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            section,
            kind: RowKind::Zone,
            zone,
            level,
            path: 0,
        }
    }

    /// A row of a zone below this row.
    pub(crate) fn under(&self, section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top(section, zone, level)
        }
    }

    /// The row of a zone group in a list of all zones. A group is listed once, so its key has no
    /// parent.
    pub(crate) fn zone_group(group: u32) -> RowKey {
        RowKey {
            kind: RowKind::ZoneGroup,
            ..RowKey::top(Section::Flat, group, 0)
        }
    }

    /// The top-level folded row of a section.
    pub(crate) fn top_others(section: Section) -> RowKey {
        RowKey {
            kind: RowKind::Others,
            ..RowKey::top(section, 0, 0)
        }
    }

    /// The folded row below this row.
    pub(crate) fn others(&self, section: Section) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top_others(section)
        }
    }

    fn as_path(&self) -> u64 {
        let mut path = DefaultHasher::new();
        self.hash(&mut path);
        path.finish()
    }
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RowKind {
    #[default]
    Zone,
    /// A zone group: all zones with a common name prefix.
    ZoneGroup,
    /// Small rows, folded into one.
    Others,
}

/// The part of a report that a row belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Section {
    #[default]
    Flat,
    Caller,
    Selected,
    Callee,
    Descendant,
    Tree,
}

/// A report: title lines, columns, records.
///
/// ```
/// use iprof::{Column, Record, Report};
///
/// let mut report = Report::default();
/// report.title.push("a report of my own".into());
/// report.columns = vec![Column::SELF, Column::COUNT];
/// report.records.push(Record::new("everything", &[16.6, 1.0]));
/// let mut text = Vec::new();
/// report.write(&mut text, 2)?;
/// assert!(String::from_utf8(text).unwrap().contains("16.60"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The title; the first line is the most important.
    pub title: Vec<String>,
    /// Warnings, to be shown in red.
    pub warnings: Vec<String>,
    /// The columns of values, at most [`MAX_VALUES`].
    pub columns: Vec<Column>,
    /// The rows.
    pub records: Vec<Record>,
    /// Whether counts are whole numbers, not averages; in a diff, the counts of the frame itself.
    pub whole_counts: bool,
    /// Whether the baseline's counts are whole numbers.
    pub baseline_whole_counts: bool,
    /// The frame time in milliseconds, for showing times as fractions of it; 0 if there is none.
    pub frame_ms: f64,
    /// The chosen order of rows, to be marked; none for the default order of the mode.
    pub sorted: Option<Sorted>,
}

/// An order of rows that was [chosen](crate::View::set_sort).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sorted {
    /// The position of the column in [`Report::columns`]; none if rows are sorted by name.
    pub column: Option<usize>,
    /// Whether the order is ascending; for names, `a` before `z`.
    pub ascending: bool,
}

impl Sorted {
    /// The character before the heading of the column.
    pub fn as_char(self) -> char {
        if self.ascending {
            '\u{25b2}'
        } else {
            '\u{25bc}'
        }
    }
}

impl Report {
    /// Whether the counts of a column are whole numbers, not averages.
    pub(crate) fn is_whole(&self, column: Column) -> bool {
        match column == Column::BASELINE_COUNT {
            true => self.baseline_whole_counts,
            false => self.whole_counts,
        }
    }

    /// The position of the record under the cursor.
    pub fn cursor(&self) -> Option<usize> {
        self.records.iter().position(|record| record.cursor)
    }

    /// The character before the heading of the column at that position, or of the names; none if the
    /// rows are not sorted by it.
    pub(crate) fn mark(&self, column: Option<usize>) -> Option<char> {
        let sorted = self.sorted.filter(|sorted| sorted.column == column);
        sorted.map(Sorted::as_char)
    }
}
