//! The unsorted tree of a report's rows. [`row_order`](crate::query::row_order) sorts the rows and lists them as lines.
//!
//! While the order is held, rows keep their places from the [`Previous`] report. Rows nest as deeply as a program's
//! stacks, which may be thousands of levels. They are therefore stored in a single list in which each row refers to its
//! parent, and all functions here loop instead of recursing.
//!
//! [`Fold`] decides whether a row is too small to be listed, and `report_builder` folds such rows into one. To avoid
//! flicker near the limit, a row that was folded in the previous report is listed again only when it clearly exceeds
//! the limit. While the order is held, rows stay folded or listed.

use crate::report::{ColumnId, Expansion, Report, Row, RowKey, RowKind, Section};
use crate::view::View;
use iprof_process::NONE;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The previously shown report, which has the same kind of list.
#[derive(Clone, Copy, Debug)]
pub struct Previous<'a> {
    pub report: &'a Report,
    /// Whether rows keep their order because the pointer is over them or the cursor was just moved. New rows then come
    /// last, and rows without values keep their places and show zeros.
    pub is_held: bool,
    pub is_typing: bool,
}

/// A tree of rows.
#[derive(Clone, Debug, Default)]
pub struct RowTree {
    pub(super) list: Vec<Row>,
    /// The parent of each row, which comes before it; [`NONE`] at the top level.
    pub(super) above: Vec<u32>,
    /// The position of each row in the previous report, or [`NONE`] for new rows. Empty unless the order is held.
    pub(super) positions: Vec<u32>,
}

impl RowTree {
    pub fn reserve(&mut self, rows: usize) {
        self.list.reserve(rows);
        self.above.reserve(rows);
    }

    /// Adds a row below the earlier row `above`, or at the top level if `above` is [`NONE`]. Returns its index.
    pub fn push(&mut self, row: Row, above: u32) -> u32 {
        self.list.push(row);
        self.above.push(above);
        (self.list.len() - 1) as u32
    }

    /// Returns the row with the largest value in a column, or of several such rows the first by name.
    pub fn largest(&self, column: ColumnId) -> Option<RowKey> {
        let by_value = |a: &&Row, b: &&Row| {
            let by_value = a.number(column).total_cmp(&b.number(column));
            by_value.then_with(|| by_name(b, a))
        };
        let largest = self.list.iter().max_by(by_value);
        largest.map(|row| row.key)
    }

    pub fn into_under(self, key: RowKey) -> Vec<Row> {
        let parent = self.list.iter().position(|row| row.key == key);
        let rows = self.list.into_iter().zip(self.above);
        let under = rows.filter(|(_, above)| Some(*above as usize) == parent);
        under.map(|(row, _)| row).collect()
    }

    pub fn is_open(&self, row: u32) -> bool {
        self.list[row as usize].expansion == Expansion::Expanded
    }

    fn is_closed(&self, row: u32) -> bool {
        self.list[row as usize].expansion == Expansion::Collapsed
    }

    /// Assigns each row its position in the previous report, which had `count` rows.
    ///
    /// Rows of `before` that are missing here are added with zeros, unless a parent was collapsed. `before` lists rows
    /// with their positions, parents first. A parent has a smaller `depth` than its children.
    fn hold_order<'r>(
        &mut self,
        position_of: &HashMap<RowKey, u32>,
        count: usize,
        before: impl Iterator<Item = (u32, &'r Row)>,
        depth: fn(&Row) -> i64,
    ) {
        let position = |row: &Row| position_of.get(&row.key).copied().unwrap_or(NONE);
        self.positions = self.list.iter().map(position).collect();
        // The row that is now at each position.
        let mut row_at = vec![NONE; count];
        for (row, position) in (0..).zip(&self.positions) {
            if let Some(at) = row_at.get_mut(*position as usize) {
                *at = row;
            }
        }
        // The depth and position of each ancestor.
        let mut ancestors: Vec<(i64, u32)> = Vec::new();
        for (position, row) in before {
            let depth = depth(row);
            while ancestors.last().is_some_and(|(above, _)| *above >= depth) {
                ancestors.pop();
            }
            let parent = ancestors.last().map(|(_, position)| *position);
            ancestors.push((depth, position));
            if row_at[position as usize] != NONE {
                continue;
            }
            let above = match parent.map(|parent| row_at[parent as usize]) {
                None => NONE,
                Some(above) if above != NONE && !self.is_closed(above) => above,
                Some(_) => continue,
            };
            if let Some(above) = self.list.get_mut(above as usize) {
                // The parent may have lost all of its rows.
                above.expansion = Expansion::Expanded;
            }
            row_at[position as usize] = self.push(row.with_zeros(), above);
            self.positions.push(position);
        }
    }
}

#[derive(Debug, Default)]
pub struct RowTrees {
    /// The callers, which are listed above the selected row.
    pub callers: RowTree,
    pub selected: Option<Row>,
    pub below: RowTree,
    /// The selected row's position in the previous report.
    pub selected_position: Option<u32>,
}

impl RowTrees {
    /// Returns all rows in no particular order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        let rows = self.callers.list.iter().chain(&self.selected);
        rows.chain(&self.below.list)
    }

    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let rows = self.callers.list.iter_mut().chain(&mut self.selected);
        rows.chain(&mut self.below.list)
    }

    /// Keeps rows at their positions in `before`. Rows of `before` that no longer have values are added with zeros, so
    /// no other row takes their places.
    pub fn hold_order(&mut self, before: &[Row]) {
        let keys = before.iter().map(|row| row.key).zip(0..);
        let position_of: HashMap<RowKey, u32> = keys.collect();
        let section = |(_, row): &(u32, &Row)| row.key.section;
        // A caller's own callers are listed above it with a smaller indent.
        let callers = (0..before.len() as u32).zip(before).rev();
        let callers = callers.filter(|row| section(row) == Section::Caller);
        let depth = |row: &Row| -i64::from(row.indent);
        self.callers
            .hold_order(&position_of, before.len(), callers, depth);
        let selected = self.selected.as_ref().map(|row| row.key);
        let position = |key| position_of.get(&key).copied().unwrap_or(NONE);
        self.selected_position = selected.map(position);
        let is_below =
            |row: &(u32, &Row)| !matches!(section(row), Section::Caller | Section::Selected);
        let below = (0..).zip(before).filter(is_below);
        let depth = |row: &Row| row.indent.into();
        self.below
            .hold_order(&position_of, before.len(), below, depth);
    }

    pub fn find(self, key: RowKey) -> Option<Row> {
        let rows = self.callers.list.into_iter().chain(self.selected);
        let mut rows = rows.chain(self.below.list);
        rows.find(|row| row.key == key)
    }
}

fn by_name(a: &Row, b: &Row) -> Ordering {
    a.name
        .cmp(&b.name)
        .then_with(|| tie_order(a).cmp(&tie_order(b)))
}

/// Returns a key that orders rows with the same name.
pub(super) fn tie_order(row: &Row) -> (RowKind, u32, u32) {
    (row.key.kind, row.key.zone, row.key.level)
}

/// The possible parents of rows on one level: the row above the level, and the level's folded row if it has one.
#[derive(Clone, Copy, Debug)]
pub struct LevelParents {
    above: u32,
    others: Option<u32>,
}

impl LevelParents {
    pub fn new(rows: &mut RowTree, above: u32, others: Option<Row>) -> LevelParents {
        LevelParents {
            above,
            others: others.map(|others| rows.push(others, above)),
        }
    }

    /// Returns the parent for a row at this level: the folded row if `is_folded`, or `None` if the folded row is
    /// collapsed.
    pub fn parent(self, rows: &RowTree, is_folded: bool) -> Option<u32> {
        match is_folded {
            true => self.others.filter(|others| rows.is_open(*others)),
            false => Some(self.above),
        }
    }
}

/// A folded row is listed again when its fraction of the frame exceeds the limit by this factor.
const UNFOLD_FACTOR: f64 = 1.25;
/// The minimum number of rows to fold. A single small row is listed instead.
const MIN_FOLDED: u32 = 2;

#[derive(Debug)]
pub struct Fold {
    min_share: f64,
    /// The rows listed in the previous report, including folded ones. Empty if values do not change.
    listed: HashSet<RowKey>,
    is_held: bool,
}

impl Fold {
    /// Returns `None` if no row can be folded, because there is no limit or because a filter always lists its matches.
    pub fn new(view: &View, previous: Option<&Previous<'_>>) -> Option<Fold> {
        let folds = view.min_share > 0.0 && view.filter.is_empty();
        folds.then(|| Fold {
            min_share: view.min_share.min(1.0),
            listed: previous.map_or(HashSet::new(), |previous| listed(&previous.report.rows)),
            is_held: previous.is_some_and(|previous| previous.is_held),
        })
    }

    /// Returns whether `count` small rows are folded into `others`. While the order is held, an existing folded row
    /// stays.
    pub fn folds(&self, count: u32, others: RowKey) -> bool {
        let is_kept = self.is_held && self.listed.contains(&others);
        count >= if is_kept { 1 } else { MIN_FOLDED }
    }

    pub fn is_small(&self, share: f64, row: RowKey, others: RowKey) -> bool {
        let was_listed = self.listed.contains(&row);
        let was_folded = self.listed.contains(&others) && !was_listed;
        if self.is_held && (was_listed || was_folded) {
            return was_folded;
        }
        let factor = if was_folded { UNFOLD_FACTOR } else { 1.0 };
        share < self.min_share * factor
    }
}

/// Returns the rows that are not below a folded row.
fn listed(before: &[Row]) -> HashSet<RowKey> {
    let mut listed = HashSet::new();
    let is_caller = |row: &&Row| row.key.section == Section::Caller;
    // A caller's own callers are listed before it with a smaller indent.
    let mut folded_in = None;
    for row in before.iter().filter(is_caller).rev() {
        if folded_in.is_none_or(|indent| row.indent >= indent) {
            listed.insert(row.key);
            folded_in = (row.key.kind == RowKind::Others).then_some(row.indent);
        }
    }
    let mut folded_in = None;
    for row in before.iter().filter(|row| !is_caller(row)) {
        if folded_in.is_none_or(|indent| row.indent <= indent) {
            listed.insert(row.key);
            folded_in = (row.key.kind == RowKind::Others).then_some(row.indent);
        }
    }
    listed
}
