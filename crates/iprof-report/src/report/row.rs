//! A row of a report: its name, its values, and whether it can be expanded.

use super::{ColumnId, ColumnSet};
use iprof_process::ZoneBudget;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Whether a row can be expanded, or is expanded: `+` and `-` before its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// A blank: the row cannot be expanded. Its zone has no callees; or, in a row of callers, no further
    /// callers.
    #[default]
    Leaf,
    /// `+`: the zone or the group can be expanded.
    Collapsed,
    /// `-`: the zone or the group is expanded, its rows are listed next to it.
    Expanded,
}

impl Expansion {
    /// That of a row with rows below it.
    pub(crate) fn of_open(is_open: bool) -> Expansion {
        match is_open {
            true => Expansion::Expanded,
            false => Expansion::Collapsed,
        }
    }

    /// The sign before the name: a blank, `+` or `-`.
    #[must_use]
    pub fn as_char(self) -> char {
        match self {
            Expansion::Leaf => ' ',
            Expansion::Collapsed => '+',
            Expansion::Expanded => '-',
        }
    }
}

/// The value of a row in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Value {
    /// The number, in the [unit](ColumnId::unit) of the column.
    pub number: f64,
    /// Its standard error, in the same unit; 0 for an exact value. Any other value was sampled, and is
    /// written with a `~` before it.
    pub standard_error: f64,
}

impl Value {
    /// An exact value.
    #[must_use]
    pub const fn exact(number: f64) -> Value {
        Value::sampled(number, 0.0)
    }

    /// A sampled value with its standard error; exact if that is 0.
    #[must_use]
    pub const fn sampled(number: f64, standard_error: f64) -> Value {
        Value {
            number,
            standard_error,
        }
    }

    /// Whether the value was sampled.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.standard_error > 0.0
    }
}

/// A row of a report: its name, its values, and how it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Row {
    /// The zone's name, with as much of its source location as it takes where several zones have the same,
    /// as in `update (physics.rs)`; the name of a zone group, as in `physics::`; `others (3)`, for three rows
    /// that are [too small](crate::View::min_share) to be listed; or `(idle)`, for all that is
    /// [idle](crate::View::idle_ranked).
    pub name: Arc<str>,
    /// The indent, in steps of two characters.
    pub indent: u32,
    /// Whether the row can be [expanded](crate::Action::Expand), or is expanded.
    pub expansion: Expansion,
    #[doc(hidden)]
    pub values: ColumnValues,
    /// How much the report's main time, self or hierarchical by its mode, fluctuates: 0 calm, 1 hot. It is
    /// the standard deviation over the mean, clamped. Mean and mean square are moving averages with the
    /// weights of the chosen average ([`Average::Fast`](crate::Average::Fast) if the newest frame's values are shown). Only
    /// rows of single zones have heat, and none has in a remembered frame or a comparison.
    pub heat: f32,
    /// In a [comparison](crate::View::set_baseline), the row's part in the difference of all threads in view, apart
    /// from waiting that is not [ranked](crate::View::idle_ranked): 1 if it took longer by all of that, negative
    /// if it took less time, clamped to -1 to 1. Where the whole difference is less than a tenth of the baseline's
    /// frame, the part in that tenth. 0 without a comparison.
    pub change: f32,
    /// Whether the row stands for waiting, not for work: for an idle zone, for idle time outside zones, or for
    /// all of these. See [`View::idle_ranked`](crate::View::idle_ranked).
    pub is_idle: bool,
    /// Whether the row's zone is one of iprof's own, such as `iprof_update`: what the profiler itself takes. Such rows
    /// are dimmed, and rank among the others.
    pub is_own: bool,
    /// Whether the row's zone is only counted, by [`counter!`](macro.counter.html): it has no time to show.
    pub is_counter: bool,
    /// The [budget](fn.set_zone_budget.html) of the row's zone and its misses, if it has one and the row stands for all of
    /// the zone's calls.
    pub budget: Option<ZoneBudget>,
    /// Whether the zone exceeds it on a thread in view, in the shown frame or on average: the row is red, and text has
    /// `(over budget)` after its name.
    pub is_over_budget: bool,
    /// Whether the cursor is on the row.
    pub cursor: bool,
    /// Where the zone is defined; none if the row stands for several zones, or if a run-time zone has no place.
    pub location: Option<(&'static str, u32)>,
    /// The identity of the row, independent of its position.
    pub key: RowKey,
}

impl Row {
    /// A row with a name and exact values.
    ///
    /// ```
    /// use iprof::{ColumnId, Row};
    ///
    /// let row = Row::new("physics", [(ColumnId::SelfTime, 1.5), (ColumnId::Count, 2.0)]);
    /// assert_eq!(row.value(ColumnId::SelfTime).unwrap().number, 1.5);
    /// assert_eq!(row.value(ColumnId::HierarchicalTime), None);
    /// ```
    #[must_use]
    pub fn new(name: &str, values: impl IntoIterator<Item = (ColumnId, f64)>) -> Row {
        let mut row = Row {
            name: name.into(),
            ..Row::default()
        };
        for (column, number) in values {
            row.set_value(column, Value::exact(number));
        }
        row
    }

    /// The value in a column; `None` if the row shows none there, or the report does not have that
    /// column.
    #[must_use]
    pub fn value(&self, column: ColumnId) -> Option<Value> {
        self.values.get(column)
    }

    /// Sets the value in a column. It is drawn and written if [`Report::columns`](super::Report::columns)
    /// lists the column.
    pub fn set_value(&mut self, column: ColumnId, value: Value) {
        self.values.set(column, value);
    }

    /// The number in a column; 0 if there is none.
    #[doc(hidden)]
    pub fn number(&self, column: ColumnId) -> f64 {
        self.value(column).map_or(0.0, |value| value.number)
    }

    /// The standard error in a column; 0 if there is no value.
    #[doc(hidden)]
    pub fn standard_error(&self, column: ColumnId) -> f64 {
        self.value(column).map_or(0.0, |value| value.standard_error)
    }

    /// The numbers in some columns.
    #[cfg(any(test, feature = "test-support", iprof_fuzzing))]
    #[doc(hidden)]
    pub fn numbers<const N: usize>(&self, columns: [ColumnId; N]) -> [f64; N] {
        columns.map(|column| self.number(column))
    }

    /// Removes the values in all columns but these from some rows.
    #[doc(hidden)]
    pub fn keep_columns<'a>(rows: impl IntoIterator<Item = &'a mut Row>, columns: &[ColumnId]) {
        let kept = ColumnSet::of(columns);
        for row in rows {
            row.values.set = row.values.set.and(kept);
        }
    }

    /// The same row with zeros for values.
    #[doc(hidden)]
    pub fn with_zeros(&self) -> Row {
        let mut row = Row {
            heat: 0.0,
            change: 0.0,
            cursor: false,
            is_over_budget: false,
            ..self.clone()
        };
        row.values.first = Default::default();
        row.values.others.fill(Value::default());
        row
    }

    /// Removes all values.
    #[doc(hidden)]
    pub fn clear_values(&mut self) {
        self.values.set = ColumnSet::default();
    }
}

/// How many of the first [columns](ColumnId::ALL) have a place in each row.
const FIRST: usize = 10;

/// Values by column. Rows are made by the thousand, so those of the first columns, which most reports have, are part of
/// them. A column beyond these takes nothing of a row without it.
#[derive(Clone, Debug, Default)]
pub struct ColumnValues {
    /// The columns with a value.
    set: ColumnSet,
    first: [Value; FIRST],
    /// Those of all later columns, or none.
    others: Vec<Value>,
}

impl ColumnValues {
    fn get(&self, column: ColumnId) -> Option<Value> {
        self.set
            .has(column)
            .then(|| match self.first.get(column as usize) {
                Some(value) => *value,
                None => self.others[column as usize - FIRST],
            })
    }

    fn set(&mut self, column: ColumnId, value: Value) {
        self.set.set(column, true);
        if let Some(first) = self.first.get_mut(column as usize) {
            *first = value;
            return;
        }
        let others = ColumnId::ALL.len() - FIRST;
        self.others.resize(others, Value::default());
        self.others[column as usize - FIRST] = value;
    }
}

impl PartialEq for ColumnValues {
    fn eq(&self, other: &ColumnValues) -> bool {
        let all = ColumnId::ALL.iter();
        self.set == other.set
            && all
                .into_iter()
                .all(|column| self.get(*column) == other.get(*column))
    }
}

/// The identity of a row: no other row of its report has it, and the same row of the next report does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowKey {
    #[doc(hidden)]
    pub section: Section,
    #[doc(hidden)]
    pub kind: RowKind,
    /// The number of the zone or of the zone group; 0 for other rows.
    #[doc(hidden)]
    pub zone: u32,
    #[doc(hidden)]
    pub level: u32,
    /// A hash of the keys of its parent rows; 0 at the top level.
    path: u64,
}

/// Two writes instead of the five of a derived one: a held order hashes every row.
impl Hash for RowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.zone) << 32 | u64::from(self.level));
        let of_row = (self.section as u64) << 8 | self.kind as u64;
        // The path is a hash itself.
        state.write_u64(self.path ^ of_row);
    }
}

impl RowKey {
    /// A top-level row of a zone.
    #[doc(hidden)]
    pub fn top(section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            section,
            kind: RowKind::Zone,
            zone,
            level,
            path: 0,
        }
    }

    /// A row of a zone below this row.
    #[doc(hidden)]
    pub fn under(&self, section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top(section, zone, level)
        }
    }

    /// The row of a zone group in a list of all zones. A group is listed once, so its key has no
    /// parent.
    #[doc(hidden)]
    pub fn zone_group(group: u32) -> RowKey {
        RowKey {
            kind: RowKind::ZoneGroup,
            ..RowKey::top(Section::Flat, group, 0)
        }
    }

    /// The top-level folded row of a section.
    #[doc(hidden)]
    pub fn top_others(section: Section) -> RowKey {
        RowKey {
            kind: RowKind::Others,
            ..RowKey::top(section, 0, 0)
        }
    }

    /// The folded row below this row.
    #[doc(hidden)]
    pub fn others(&self, section: Section) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top_others(section)
        }
    }

    /// The row of everything that is idle, in a list of all zones.
    #[doc(hidden)]
    pub fn idle() -> RowKey {
        RowKey {
            kind: RowKind::Idle,
            ..RowKey::top(Section::Flat, 0, 0)
        }
    }

    /// The row of the idle time outside zones, in a list of all zones; `root` is the zone of roots.
    #[doc(hidden)]
    pub fn idle_outside_zones(root: u32) -> RowKey {
        RowKey::idle().under(Section::Flat, root, 0)
    }

    /// Whether it is the key of [idle time outside zones](RowKey::idle_outside_zones): in lists no other row of a zone
    /// has the key of a row under another one.
    #[doc(hidden)]
    pub fn is_idle_outside_zones(&self) -> bool {
        (self.section, self.kind) == (Section::Flat, RowKind::Zone) && self.path != 0
    }

    fn as_path(&self) -> u64 {
        let mut path = DefaultHasher::new();
        self.hash(&mut path);
        path.finish()
    }
}

/// What a row stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// A zone.
    #[default]
    Zone,
    /// A zone group: all zones with a common name prefix.
    ZoneGroup,
    /// Small rows, folded into one.
    Others,
    /// Idle zones and idle time outside zones, folded into one.
    Idle,
}

/// The part of a report that a row belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// A list of zones.
    #[default]
    Flat,
    /// Above the selected zone: its callers.
    Caller,
    /// The selected zone.
    Selected,
    /// Below the selected zone: its callees.
    Callee,
    /// What the selected zone calls, and what that calls.
    Descendant,
    /// The call tree.
    Tree,
}

/// How many ranges of times are counted.
pub const BINS: usize = 32;

/// The distribution of a row's times per frame, for its tooltip.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The row with the columns of times per frame.
    pub row: Row,
    /// How many frames have a time in each of so many equal ranges from 0 to `most`; the last one includes `most`.
    pub bins: [u32; BINS],
    /// In milliseconds.
    pub most: f64,
    /// How many frames there are.
    pub frames: usize,
}

impl Distribution {
    /// That of some times in milliseconds; none if all are 0.
    pub fn new(row: Row, times: impl Iterator<Item = f64> + Clone) -> Option<Distribution> {
        let most = times.clone().fold(0.0, f64::max);
        let mut bins = [0; BINS];
        for time in times.clone() {
            // A float is clamped when it becomes an integer, and NaN becomes 0.
            let bin = (time / most * BINS as f64) as usize;
            bins[bin.min(BINS - 1)] += 1;
        }
        (most > 0.0).then(|| Distribution {
            row,
            bins,
            most,
            frames: times.count(),
        })
    }
}

#[cfg(all(test, not(loom)))]
mod distribution_tests {
    use super::*;

    #[test]
    fn each_time_is_in_the_bin_of_its_range() {
        let of = |times: &[f64]| Distribution::new(Row::default(), times.iter().copied());
        let of_three = of(&[0.0, 16.0, 32.0, 0.999, 1.0]).unwrap();
        let mut wanted = [0; BINS];
        (wanted[0], wanted[1], wanted[16], wanted[31]) = (2, 1, 1, 1);
        assert_eq!((of_three.bins, of_three.most), (wanted, 32.0));
        assert_eq!(of_three.frames, 5);
        assert_eq!(of(&[0.0, 0.0]), None);
        assert_eq!(of(&[]), None);
    }
}
