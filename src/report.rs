//! The report: plain data, ready to be drawn or written. It knows nothing of where it came from,
//! nor of where it goes.

use crate::decimal::push_decimal;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What a report lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportMode {
    /// All zones by self time: the time spent in the zone but in no zone that it calls.
    #[default]
    SelfTime,
    /// All zones by hierarchical time: self time and that of everything called from the zone.
    HierarchicalTime,
    /// The selected zone, its callers above it and its callees below it, by hierarchical time.
    ///
    /// A caller's row says what *the selected zone* cost on the caller's behalf, so the callers
    /// sum to the zone. A callee's row says what *the callee* cost on the selected zone's behalf,
    /// so the callees' hierarchical times sum to the zone's, less its self time.
    ///
    /// A row with a `+` [opens](crate::View::expand) in place: above a caller then stand *its*
    /// callers, with what the selected zone cost when it was called by that chain; below a callee
    /// *its* callees, with what they cost on behalf of the selected zone when they were called by
    /// that chain. Both sum up as callers and callees do, to any depth.
    CallGraph,
    /// The same with everything below the selected zone, not only its direct callees. Their self
    /// times sum to the zone's hierarchical time, less its self time.
    CallGraphDescendants,
    /// The call tree from `_global` down, by hierarchical time, opened and closed row by row. What
    /// stands under a row sums to its hierarchical time, less its self time.
    ///
    /// With recursion flattened, a zone that was called again by what it called is the row
    /// that it was before; with recursion spread, a row is a full stack of zones.
    CallTree,
}

/// How zones that call themselves, directly or by others, are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recursion {
    /// A recursive zone is one zone; its name is followed by the depth it reached, as in
    /// `visit (12)`.
    #[default]
    Flatten,
    /// Every depth is a zone of its own: `visit`, `visit (2)`, `visit (3)`.
    Spread,
}

/// What the rows of a report are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sort {
    /// What the report is about: self time in [`ReportMode::SelfTime`], hierarchical time in all
    /// other modes, largest first; in a comparison the difference, those first that made the frame
    /// what it is, slower or faster.
    #[default]
    Mode,
    /// A column, largest value first. While the report does not have that column, as
    /// [`Mode`](Sort::Mode).
    Column(Column),
    /// The names, from `a` to `z`, in capital or small letters.
    Name,
}

/// Whether there is more behind a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// Shown as a blank: the zone calls no other.
    #[default]
    None,
    /// Shown as `+`: the zone can be drilled into, or the rows of a group be listed.
    Plus,
    /// Shown as `-`: the zone or the group is open, what belongs to it is around it.
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

/// How a column's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Milliseconds, with as many decimal places as asked for.
    Milliseconds,
    /// A number of times. Averages of counts have a fraction, of which one digit is shown.
    Count,
}

/// The head of a column of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// What stands over the column.
    pub title: &'static str,
    /// How its values are written.
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
    /// Time of the GPU in milliseconds, beside the times of the processor: what the zone's GPU zones
    /// took. See [`gpu_zone!`](crate::gpu_zone!). Only if any row has such a time.
    ///
    /// It is what self and hierarchical times are, of the GPU's time. In a report about self times
    /// it is that of the GPU zones that the zone submitted itself, less those of GPU zones within
    /// them. In any other it is that and what was submitted by all that the zone called, each moment
    /// counted once: a zone that is no GPU zone shows there what its passes took together. So in the
    /// call graph callers sum to the zone, and callees to what is not the zone's own.
    ///
    /// The GPU works while the processor does something else, so this is no part of the other times.
    /// It comes frames later: a remembered frame shows its own, once that is complete; the newest
    /// frame shows the newest that is known; averages go as far as is known.
    pub const GPU: Column = Column {
        title: "gpu ms",
        unit: Unit::Milliseconds,
    };
    /// Self time in milliseconds without what recording is estimated to have added to it, never
    /// below zero; beside the raw self time, if the view [shows it](crate::View::set_net_times).
    pub const NET: Column = Column {
        title: "net ms",
        unit: Unit::Milliseconds,
    };
    /// The standard error, in milliseconds, of the time that the report is sorted by: the last
    /// column, and only if any time of the report was sampled. Rows whose time is exact show none.
    pub const ERROR: Column = Column {
        title: "\u{b1} ms",
        unit: Unit::Milliseconds,
    };
    /// The part of a row in the difference to a [baseline](crate::View::set_baseline), in
    /// milliseconds: of its self or its hierarchical time, whichever the report is about.
    pub const DIFFERENCE: Column = Column {
        title: "diff ms",
        unit: Unit::Milliseconds,
    };
    /// What of it is due to more calls, each at what a call cost in the baseline.
    pub const MORE_CALLS: Column = Column {
        title: "more",
        unit: Unit::Milliseconds,
    };
    /// And what to calls that cost more than they did. The two sum to the difference.
    pub const DEARER_CALLS: Column = Column {
        title: "dearer",
        unit: Unit::Milliseconds,
    };
    /// Entry count in the baseline.
    pub const COUNT_BEFORE: Column = Column {
        title: "was",
        unit: Unit::Count,
    };
    /// Entry count, after the times. Of one frame it is whole, of an average it has a fraction.
    pub const COUNT: Column = Column {
        title: "count",
        unit: Unit::Count,
    };

    /// Appends `value` as it is to be shown in this column.
    ///
    /// `precision` is the number of decimal places of times, 1 to 4, clamped. `whole` says that
    /// counts have no fraction.
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

/// Values that a record can have.
pub const MAX_VALUES: usize = 6;

/// A line of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: &'static str,
    /// From 1 on.
    pub line: u32,
}

/// One line of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The zone's name; that of a group of zones, as in `physics::`; or `others (3)`, for three
    /// rows that are [too small](crate::View::set_min_share) to be listed.
    pub name: Arc<str>,
    /// How far the name is moved in, in steps of two characters.
    pub indent: u32,
    /// Whether there is more behind it.
    pub prefix: Prefix,
    /// The values, in the order of [`Report::columns`].
    pub values: [f64; MAX_VALUES],
    /// Which of the values are shown.
    pub shown: [bool; MAX_VALUES],
    /// The standard errors of the values, in their units. 0 is exact; a value that is not was
    /// sampled, and is written with a `~` before it.
    pub errors: [f64; MAX_VALUES],
    /// How much the value that the record is sorted by fluctuates: 0 calm, 1 hot. Twice the
    /// standard deviation over the mean, clamped; both are moving averages, of the value and of its
    /// square, with the weights of the chosen average (of the quick one, if that is the newest
    /// frame's value). It is followed for zones; rows that stand for several show none.
    pub heat: f32,
    /// Whether the cursor is on it.
    pub cursor: bool,
    /// Where the zone is defined; none if the row stands for several.
    pub place: Option<Place>,
    /// Which row of the view it is, whatever its place.
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

    /// Appends the value at position `at` as it is to be shown in `column`: as
    /// [`Column::format`] does, after a `~` if it was sampled.
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

/// Tells a row from the others of its report, and finds it again in the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowKey {
    pub(crate) section: Section,
    pub(crate) kind: RowKind,
    /// The number of the zone or of the family; of other rows 0.
    pub(crate) zone: u32,
    pub(crate) level: u32,
    /// A hash of the rows that it stands under; 0 if it needs none.
    path: u64,
}

impl RowKey {
    /// Of a zone that stands under no other.
    pub(crate) fn top(section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            section,
            kind: RowKind::Zone,
            zone,
            level,
            path: 0,
        }
    }

    /// Of a zone that stands under this row.
    pub(crate) fn under(&self, section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top(section, zone, level)
        }
    }

    /// Of a family in a list of all zones: it stands there once, whatever it stands under.
    pub(crate) fn family(family: u32) -> RowKey {
        RowKey {
            kind: RowKind::Family,
            ..RowKey::top(Section::Flat, family, 0)
        }
    }

    /// Of the small rows of a section that stand under no row.
    pub(crate) fn top_others(section: Section) -> RowKey {
        RowKey {
            kind: RowKind::Others,
            ..RowKey::top(section, 0, 0)
        }
    }

    /// Of the small rows that stand under this one.
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
    /// All zones whose names begin alike.
    Family,
    /// Small rows, folded into one.
    Others,
}

/// The part of a report in which a row stands.
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

/// A report: title lines, column heads, records.
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
    /// What the report shows; the first line is the most important.
    pub title: Vec<String>,
    /// What is wrong, to be shown in red.
    pub warnings: Vec<String>,
    /// The heads of the columns of values, at most [`MAX_VALUES`].
    pub columns: Vec<Column>,
    /// The lines.
    pub records: Vec<Record>,
    /// Whether counts are counts, not averages of counts; in a comparison those of the frame itself.
    pub whole_counts: bool,
    /// Whether the counts are that it is compared with.
    pub whole_counts_before: bool,
    /// The time of a frame in milliseconds, of which times may be shown as a part; 0 if there is
    /// none.
    pub frame_ms: f64,
    /// What the rows are sorted by, to be marked; none if that is what the mode is about.
    pub sorted: Option<Sorted>,
}

/// An order of rows that was [chosen](crate::View::set_sort).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sorted {
    /// The position of the column in [`Report::columns`]; none if it is the names.
    pub column: Option<usize>,
    /// Whether the smallest comes first; of names, `a` before `z`.
    pub rising: bool,
}

impl Sorted {
    /// The character that stands before the head of the column.
    pub fn as_char(self) -> char {
        if self.rising { '\u{25b2}' } else { '\u{25bc}' }
    }
}

impl Report {
    /// Whether the counts of a column are counts, not averages of counts.
    pub(crate) fn is_whole(&self, column: Column) -> bool {
        match column == Column::COUNT_BEFORE {
            true => self.whole_counts_before,
            false => self.whole_counts,
        }
    }

    /// The position of the record that the cursor is on.
    pub fn cursor(&self) -> Option<usize> {
        self.records.iter().position(|record| record.cursor)
    }

    /// The character that stands before the head of the column at that position, or before that of
    /// the names; none if the rows are not sorted by it.
    pub(crate) fn mark(&self, column: Option<usize>) -> Option<char> {
        let sorted = self.sorted.filter(|sorted| sorted.column == column);
        sorted.map(Sorted::as_char)
    }
}
