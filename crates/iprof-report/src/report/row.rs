//! A row of a report, with its name, its values, and whether it can be expanded.

use super::{ColumnId, ColumnSet};
use iprof_process::ZoneBudget;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Whether a row can be expanded or collapsed, shown as `+` or `-` before its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Expansion {
    /// The row cannot be expanded: its zone has no callees, or no callers in a row of callers. Shown as a space.
    #[default]
    Leaf,
    /// The row can be expanded. Shown as `+`.
    Collapsed,
    /// The row is expanded, and its rows are listed next to it. Shown as `-`.
    Expanded,
}

impl Expansion {
    /// Returns the expansion state for a row that has rows below it.
    pub(crate) fn of_open(is_open: bool) -> Expansion {
        match is_open {
            true => Expansion::Expanded,
            false => Expansion::Collapsed,
        }
    }

    /// Returns the sign before the name: a space, `+` or `-`.
    #[must_use]
    pub fn as_char(self) -> char {
        match self {
            Expansion::Leaf => ' ',
            Expansion::Collapsed => '+',
            Expansion::Expanded => '-',
        }
    }
}

/// A row's value in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Value {
    /// The number, in the [unit](ColumnId::unit) of the column.
    pub number: f64,
    /// The standard error, in the same unit; 0 for an exact value. Any other value is sampled, and marked with `~`.
    pub standard_error: f64,
}

impl Value {
    /// Creates an exact value.
    #[must_use]
    pub const fn exact(number: f64) -> Value {
        Value::sampled(number, 0.0)
    }

    /// Creates a sampled value with its standard error. The value is exact if the error is 0.
    #[must_use]
    pub const fn sampled(number: f64, standard_error: f64) -> Value {
        Value {
            number,
            standard_error,
        }
    }

    /// Returns whether the value was sampled.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.standard_error > 0.0
    }
}

/// A row of a report.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(not(feature = "test-support"), non_exhaustive)]
pub struct Row {
    /// The name of the zone, zone group or folded rows.
    ///
    /// Zones with the same name are distinguished by part of their source locations, as in `update (physics.rs)`. A
    /// zone group is named like `physics::`, and three rows that are [too small](crate::View::min_share) to be listed
    /// are named `others (3)`. `(idle)` is everything that is [idle](crate::View::idle_ranked).
    pub name: Arc<str>,
    /// The indent, in steps of two characters.
    pub indent: u32,
    /// Whether the row can be [expanded](crate::Action::Expand) or collapsed.
    pub expansion: Expansion,
    #[doc(hidden)]
    pub values: ColumnValues,
    /// How much the report's main time fluctuates, from 0 (calm) to 1 (hot).
    ///
    /// The main time is self or hierarchical time, depending on the mode. Heat is its standard deviation divided by its
    /// mean, clamped. Both are moving averages like the one shown, or like [`Average::Fast`](crate::Average::Fast) if
    /// the newest frame's values are shown. Only single zones in the live view have heat. Rows in a comparison have
    /// none.
    pub heat: f32,
    /// The row's fraction of the total difference in a [comparison](crate::View::set_baseline), from -1 to 1. Without a
    /// comparison, it is 0.
    ///
    /// It is positive if the row took longer. The total difference covers all threads in view, without waiting that is
    /// not [ranked](crate::View::idle_ranked), but is at least a tenth of the baseline's frame.
    pub change: f32,
    /// Whether the row represents waiting: an idle zone, idle time outside zones, or everything idle. See
    /// [`View::idle_ranked`](crate::View::idle_ranked).
    pub is_idle: bool,
    /// Whether the row's zone is one of iprof's own, such as `iprof_update`. Such rows are dimmed.
    pub is_own: bool,
    /// Whether the row's zone is only counted, by [`counter!`](macro.counter.html), and has no time to show.
    pub is_counter: bool,
    /// The [budget](fn.set_zone_budget.html) of the row's zone and how many times it was missed. `None` if the zone has
    /// no budget, or if the row does not include all calls to the zone.
    pub budget: Option<ZoneBudget>,
    /// Whether the zone is over its budget on a thread in view, in the shown frame or on average. Such rows are red,
    /// and marked `(over budget)` in text.
    pub is_over_budget: bool,
    /// Whether the cursor is on the row.
    pub cursor: bool,
    /// The zone's source location, if the row is for a single zone that has one.
    pub location: Option<(&'static str, u32)>,
    /// The identity of the row, independent of its position.
    pub key: RowKey,
}

impl Row {
    /// Creates a row with a name and exact values.
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

    /// Returns the value in a column, or `None` if the row has none.
    #[must_use]
    pub fn value(&self, column: ColumnId) -> Option<Value> {
        self.values.get(column)
    }

    /// Sets the value in a column. It is only shown if [`Report::columns`](super::Report::columns) lists the column.
    pub fn set_value(&mut self, column: ColumnId, value: Value) {
        self.values.set(column, value);
    }

    #[doc(hidden)]
    pub fn number(&self, column: ColumnId) -> f64 {
        self.value(column).map_or(0.0, |value| value.number)
    }

    #[doc(hidden)]
    pub fn standard_error(&self, column: ColumnId) -> f64 {
        self.value(column).map_or(0.0, |value| value.standard_error)
    }

    #[cfg(any(test, feature = "test-support", iprof_fuzzing))]
    #[doc(hidden)]
    pub fn numbers<const N: usize>(&self, columns: [ColumnId; N]) -> [f64; N] {
        columns.map(|column| self.number(column))
    }

    #[doc(hidden)]
    pub fn keep_columns<'a>(rows: impl IntoIterator<Item = &'a mut Row>, columns: &[ColumnId]) {
        let kept = ColumnSet::of(columns);
        for row in rows {
            row.values.set = row.values.set.and(kept);
        }
    }

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

    #[doc(hidden)]
    pub fn clear_values(&mut self) {
        self.values.set = ColumnSet::default();
    }
}

/// How many of the first [columns](ColumnId::ALL) are stored inline.
const FIRST: usize = 10;

/// Values by column. Rows are created by the thousands, so the first columns, which most reports include, are stored
/// inline. Later columns take no memory in rows that don't have them.
#[derive(Clone, Debug, Default)]
pub struct ColumnValues {
    /// The columns with a value.
    set: ColumnSet,
    first: [Value; FIRST],
    /// The values of all later columns; empty if there are none.
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

/// The identity of a row. A key is unique within a report, and the same row has the same key in the next report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowKey {
    #[doc(hidden)]
    pub section: Section,
    #[doc(hidden)]
    pub kind: RowKind,
    /// The number of the zone or zone group; 0 for other rows.
    #[doc(hidden)]
    pub zone: u32,
    #[doc(hidden)]
    pub level: u32,
    /// A hash of the keys of the row's parents; 0 at the top level.
    path: u64,
}

/// While the order is held, every row is hashed. This implementation therefore makes two writes, where the derived one
/// would make five.
impl Hash for RowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.zone) << 32 | u64::from(self.level));
        let of_row = (self.section as u64) << 8 | self.kind as u64;
        // The path is already a hash.
        state.write_u64(self.path ^ of_row);
    }
}

impl RowKey {
    /// Returns the key of a zone's top-level row.
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

    /// Returns the key of a zone's row below this row.
    #[doc(hidden)]
    pub fn under(&self, section: Section, zone: u32, level: u32) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top(section, zone, level)
        }
    }

    /// Returns the key of a zone group's row in a list of all zones. A group is listed once, so its key has no parent.
    #[doc(hidden)]
    pub fn zone_group(group: u32) -> RowKey {
        RowKey {
            kind: RowKind::ZoneGroup,
            ..RowKey::top(Section::Flat, group, 0)
        }
    }

    /// Returns the key of a section's top-level folded row.
    #[doc(hidden)]
    pub fn top_others(section: Section) -> RowKey {
        RowKey {
            kind: RowKind::Others,
            ..RowKey::top(section, 0, 0)
        }
    }

    /// Returns the key of the folded row below this row.
    #[doc(hidden)]
    pub fn others(&self, section: Section) -> RowKey {
        RowKey {
            path: self.as_path(),
            ..RowKey::top_others(section)
        }
    }

    /// Returns the key of the `(idle)` row in a list of all zones.
    #[doc(hidden)]
    pub fn idle() -> RowKey {
        RowKey {
            kind: RowKind::Idle,
            ..RowKey::top(Section::Flat, 0, 0)
        }
    }

    /// Returns the key of idle time outside zones in a list of all zones, where `root` is the root zone.
    #[doc(hidden)]
    pub fn idle_outside_zones(root: u32) -> RowKey {
        RowKey::idle().under(Section::Flat, root, 0)
    }

    /// Returns whether this is [idle time outside zones](RowKey::idle_outside_zones), the only listed zone with a
    /// parent.
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

/// The kind of item that a row shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// A zone.
    #[default]
    Zone,
    /// A zone group: all zones with a common name prefix.
    ZoneGroup,
    /// Small rows that are folded into one.
    Others,
    /// Idle zones and idle time outside zones, folded into one row.
    Idle,
}

/// The part of a report that a row belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// A list of zones.
    #[default]
    Flat,
    /// The callers of the selected zone, above it.
    Caller,
    /// The selected zone.
    Selected,
    /// The callees of the selected zone, below it.
    Callee,
    /// Everything called from the selected zone, directly or indirectly.
    Descendant,
    /// The call tree.
    Tree,
}

/// The number of equal ranges into which a distribution sorts times.
pub const BINS: usize = 32;

/// The distribution of a row's times per frame, for its tooltip.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// The row, with the times-per-frame columns.
    pub row: Row,
    /// The number of frames in each of the equal ranges from 0 to `most`. The last range includes `most`.
    pub bins: [u32; BINS],
    /// The longest time in milliseconds.
    pub most: f64,
    /// The number of frames.
    pub frames: usize,
}

impl Distribution {
    /// Creates the distribution of times in milliseconds. Returns `None` if all are 0.
    pub fn new(row: Row, times: impl Iterator<Item = f64> + Clone) -> Option<Distribution> {
        let most = times.clone().fold(0.0, f64::max);
        let mut bins = [0; BINS];
        for time in times.clone() {
            // The integer conversion clamps, and turns NaN into 0.
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
    fn each_time_falls_in_its_bin() {
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
