//! The tree of a report's rows: filters and orders the rows, so that they do not jump while values
//! change, and lists them as lines.
//!
//! Rows nest as deep as a program's stacks, which may be thousands of levels. So the rows are one list
//! in which each names its parent, and all functions here loop over that list instead of recursing.

use crate::process::NONE;
use crate::process::query::ranking::Ranking;
use crate::report::{ColumnId, Prefix, Row, RowKey, RowKind};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A row moves up past another one only if its value is larger by this fraction ...
const OVERTAKE_PART: f64 = 0.1;
/// ... and by this many milliseconds, or calls.
const OVERTAKE: f64 = 0.005;

/// A tree of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    list: Vec<Row>,
    /// By row: its parent row, which comes before it; [`NONE`] at the top level.
    above: Vec<u32>,
}

impl Rows {
    /// Adds a row under the row `above`, added before, or at the top level under [`NONE`]; returns its
    /// number.
    pub(crate) fn push(&mut self, record: Row, above: u32) -> u32 {
        self.list.push(record);
        self.above.push(above);
        (self.list.len() - 1) as u32
    }

    /// The row with the largest value of a column; of several such rows the first by name.
    pub(crate) fn largest(&self, column: ColumnId) -> Option<RowKey> {
        let by_value = |a: &&Row, b: &&Row| {
            let by_value = a.number(column).total_cmp(&b.number(column));
            by_value.then_with(|| by_name(b, a))
        };
        let largest = self.list.iter().max_by(by_value);
        largest.map(|record| record.key)
    }

    /// Whether a row's children are shown.
    pub(crate) fn is_open(&self, row: u32) -> bool {
        self.list[row as usize].prefix == Prefix::Minus
    }
}

/// All rows of a report.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The callers, which stand above the selected row, if there is one.
    pub(crate) callers: Rows,
    pub(crate) selected: Option<Row>,
    pub(crate) below: Rows,
}

impl Outline {
    /// The lines of the report, largest values next to the selected row: callers in ascending order,
    /// all other rows in descending order.
    pub(crate) fn lines(self, order: &Order) -> Vec<Row> {
        let mut lines = Vec::new();
        let mut indent = 0;
        if let Some(mut selected) = self.selected {
            selected.indent = order.list_rising(self.callers, &mut lines).max(1);
            indent = selected.indent + 1;
            lines.push(selected);
        }
        order.list(self.below, indent, &mut lines);
        lines
    }

    /// Whether `is` holds for any row.
    pub(crate) fn any(&self, is: fn(&Row) -> bool) -> bool {
        let records = self.callers.list.iter().chain(&self.selected);
        records.chain(&self.below.list).any(is)
    }

    /// The row with that key.
    #[cfg(feature = "_overlay")]
    pub(crate) fn find(self, key: RowKey) -> Option<Row> {
        let records = self.callers.list.into_iter().chain(self.selected);
        let mut records = records.chain(self.below.list);
        records.find(|record| record.key == key)
    }
}

/// What rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The values of that column, the largest first.
    Value(ColumnId),
    /// Names, from `a` on.
    Name,
}

/// The order of rows of one parent. The folded row is always the last one.
#[derive(Debug)]
pub(crate) struct Order {
    /// Text that row names must contain, in lower case. A row whose descendants match stays, too.
    pub(crate) filter: String,
    pub(crate) by: By,
    /// Whether the order is reversed.
    pub(crate) reversed: bool,
    /// The previous positions of rows, if rows are to stay there until one is clearly larger than one
    /// above it.
    pub(crate) positions: Option<HashMap<RowKey, usize>>,
}

impl Order {
    /// The position of each row in a report.
    pub(crate) fn positions(before: &[Row]) -> HashMap<RowKey, usize> {
        let keys = before.iter().map(|record| record.key);
        keys.enumerate().map(|(at, key)| (key, at)).collect()
    }

    /// Appends the rows in descending order, each before its children, which are indented.
    pub(crate) fn list(&self, mut rows: Rows, indent: u32, out: &mut Vec<Row>) {
        let (order, _) = self.order(&rows, false);
        for (row, level) in order {
            let mut record = std::mem::take(&mut rows.list[row as usize]);
            record.indent = indent + level;
            out.push(record);
        }
    }

    /// Appends the rows in ascending order, each after its children: the largest values stand last,
    /// next to the selected row. Top-level rows are indented most. Returns the indent of the next row.
    pub(crate) fn list_rising(&self, mut rows: Rows, out: &mut Vec<Row>) -> u32 {
        let (order, depth) = self.order(&rows, true);
        for (row, level) in order.into_iter().rev() {
            let mut record = std::mem::take(&mut rows.list[row as usize]);
            record.indent = depth - 1 - level;
            out.push(record);
        }
        depth
    }

    /// The listed rows in descending order, each before its children, with its depth; and the number of
    /// levels. `rising` says that the report lists them in reverse.
    fn order(&self, rows: &Rows, rising: bool) -> (Vec<(u32, u32)>, u32) {
        let is_listed = self.listed(rows);
        // `under` holds the rows by parent, top level first; `begins` and `ends` say where each
        // parent's rows lie in it.
        let level_of = |above: u32| above.wrapping_add(1) as usize;
        let listed = || (0..rows.above.len()).filter(|row| is_listed[*row]);
        let mut ends = vec![0; rows.above.len() + 2];
        listed().for_each(|row| ends[level_of(rows.above[row]) + 1] += 1);
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let begins = ends.clone();
        let mut under = vec![0; listed().count()];
        for row in listed() {
            let end = &mut ends[level_of(rows.above[row])];
            under[*end] = row as u32;
            *end += 1;
        }
        let mut order = Vec::with_capacity(under.len());
        let mut depth = 0;
        // The stack of rows to visit, the next one on top.
        let mut ahead: Vec<(u32, u32)> = Vec::new();
        let mut level = (NONE, 0);
        loop {
            let at = level_of(level.0);
            let sorted = self.sort(&rows.list, &under[begins[at]..begins[at + 1]], rising);
            ahead.extend(sorted.into_iter().rev().map(|row| (row, level.1)));
            let Some((row, above)) = ahead.pop() else {
                break;
            };
            order.push((row, above));
            depth = depth.max(above + 1);
            level = (row, above + 1);
        }
        (order, depth)
    }

    /// By row: whether the filter matches it or one of its descendants.
    fn listed(&self, rows: &Rows) -> Vec<bool> {
        if self.filter.is_empty() {
            return vec![true; rows.above.len()];
        }
        let is_match = |record: &Row| record.name.to_lowercase().contains(&self.filter);
        let mut listed: Vec<bool> = rows.list.iter().map(is_match).collect();
        for (row, above) in rows.above.iter().enumerate().rev() {
            if listed[row] && *above != NONE {
                listed[*above as usize] = true;
            }
        }
        listed
    }

    /// Rows in order; equal ones by name and by the number of their zone.
    fn sort(&self, records: &[Row], rows: &[u32], rising: bool) -> Vec<u32> {
        if rows.len() < 2 {
            return rows.to_vec();
        }
        let record = |row: u32| &records[row as usize];
        let is_others = |row: &u32| record(*row).key.kind == RowKind::Others;
        let (others, mut rows): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| is_others(row));
        match self.by {
            By::Value(column) => {
                let sign = if self.reversed { -1.0 } else { 1.0 };
                let value = |row: u32| sign * record(row).number(column);
                // Records are large: a comparison that fetches two of them takes longer than sorting.
                let mut valued: Vec<(f64, u32)> =
                    rows.iter().map(|row| (value(*row), *row)).collect();
                valued.sort_by(|a, b| {
                    let by_value = b.0.total_cmp(&a.0);
                    by_value.then_with(|| by_name(record(a.1), record(b.1)))
                });
                rows = valued.into_iter().map(|(_, row)| row).collect();
                if let Some(positions) = &self.positions {
                    let position = |row: u32| positions.get(&record(row).key).copied();
                    rows = keep(&rows, value, position, rising);
                }
            }
            By::Name => {
                rows.sort_by_cached_key(|row| (name_and_level(record(*row)), age(record(*row))));
                if self.reversed {
                    rows.reverse();
                }
            }
        }
        rows.extend(others);
        rows
    }
}

fn by_name(a: &Row, b: &Row) -> Ordering {
    a.name.cmp(&b.name).then_with(|| age(a).cmp(&age(b)))
}

fn age(record: &Row) -> (RowKind, u32, u32) {
    (record.key.kind, record.key.zone, record.key.level)
}

/// The name in lower case, without the recursion depth if it is the row's own, and that depth: `visit
/// (10)` comes after `visit (2)`.
fn name_and_level(record: &Row) -> (String, u32) {
    let level = record.key.level;
    let name = match record.name.rsplit_once(" (") {
        Some((name, _)) if level > 0 => name,
        _ => &record.name,
    };
    (name.to_lowercase(), level)
}

/// Restores the previous order, given by `position`, except where a row is clearly larger than one above
/// it. `rows` are sorted by `value`.
fn keep(
    rows: &[u32],
    value: impl Fn(u32) -> f64,
    position: impl Fn(u32) -> Option<usize>,
    rising: bool,
) -> Vec<u32> {
    // The `Ranking` numbers rows by their index in `rows`.
    let of = |at: u32| value(rows[at as usize]);
    let mut known: Vec<(usize, u32)> = Vec::new();
    let mut new = Vec::new();
    for (at, row) in (0..).zip(rows) {
        match position(*row) {
            Some(position) => known.push((position, at)),
            None => new.push(at),
        }
    }
    known.sort_unstable();
    if rising {
        known.reverse();
    }
    let mut ranking = Ranking::new(rows.len());
    for (_, at) in known {
        let value = of(at);
        ranking.put(at, value, value + value.abs() * OVERTAKE_PART + OVERTAKE);
    }
    ranking.mark(of);
    for at in new {
        ranking.put(at, of(at), of(at));
    }
    let ranked = ranking.members().into_iter();
    ranked.map(|at| rows[at as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Section;

    fn record(zone: u32, value: f64) -> Row {
        let key = RowKey::top(Section::Flat, zone, 0);
        let record = Row::new(&zone.to_string(), [(ColumnId::SelfTime, value)]);
        Row { key, ..record }
    }

    /// Zones with their values, each under the row with that index.
    fn rows(rows: &[(u32, f64, u32)]) -> Rows {
        let mut all = Rows::default();
        for (zone, value, above) in rows {
            all.push(record(*zone, *value), *above);
        }
        all
    }

    fn flat(of: &[(u32, f64)]) -> Rows {
        let of: Vec<_> = of
            .iter()
            .map(|(zone, value)| (*zone, *value, NONE))
            .collect();
        rows(&of)
    }

    fn order(before: &[(u32, f64)], now: &[(u32, f64)]) -> Vec<u32> {
        let order = Order {
            filter: String::new(),
            by: By::Value(ColumnId::SelfTime),
            reversed: false,
            positions: Some(Order::positions(&flat(before).list)),
        };
        let mut records = Vec::new();
        order.list(flat(now), 0, &mut records);
        records.iter().map(|record| record.key.zone).collect()
    }

    #[test]
    fn rows_change_places_only_when_one_is_clearly_larger() {
        let before = [(1, 3.0), (2, 2.9), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.1), (3, 1.0)]), [1, 2, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.4), (3, 1.0)]), [2, 1, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 2.9), (3, 9.0)]), [3, 1, 2]);
    }

    /// Differences may mostly be negative.
    #[test]
    fn negative_rows_keep_their_places_too() {
        let before = [(1, -5.0), (2, -5.2), (3, -8.0)];
        assert_eq!(order(&before, &before), [1, 2, 3]);
        assert_eq!(
            order(&before, &[(1, -5.0), (2, -4.8), (3, -8.0)]),
            [1, 2, 3]
        );
        assert_eq!(
            order(&before, &[(1, -5.0), (2, -4.4), (3, -8.0)]),
            [2, 1, 3]
        );
    }

    #[test]
    fn many_small_differences_cannot_hold_back_a_clearly_larger_row() {
        let before = [(1, 1.0), (2, 1.08), (3, 1.16)];
        assert_eq!(order(&before, &before), [3, 1, 2]);
    }

    #[test]
    fn new_rows_are_inserted_by_value_and_removed_rows_are_skipped() {
        let before = [(1, 3.0), (2, 2.0), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (4, 2.5), (3, 1.0)]), [1, 4, 3]);
        assert_eq!(order(&[], &[(1, 3.0), (4, 3.1)]), [4, 1]);
    }

    #[test]
    fn the_filter_keeps_matching_rows_and_their_ancestors() {
        let mut order = Order {
            filter: "2".into(),
            by: By::Value(ColumnId::SelfTime),
            reversed: false,
            positions: None,
        };
        let parent = (1, 9.0, NONE);
        let under = [(22, 4.0, 0), (3, 5.0, 0)];
        let rows = rows(&[parent, under[0], under[1], (4, 8.0, NONE), (42, 7.0, NONE)]);
        let list = |order: &Order| {
            let mut records = Vec::new();
            order.list(rows.clone(), 0, &mut records);
            let zones: Vec<u32> = records.iter().map(|r| r.key.zone).collect();
            zones
        };
        assert_eq!(list(&order), [1, 22, 42]);
        order.filter = "x".into();
        assert!(list(&order).is_empty());
        order.filter.clear();
        assert_eq!(list(&order), [1, 3, 22, 4, 42]);
    }

    #[test]
    fn callers_stand_above_from_the_outermost_to_the_largest() {
        let rows = rows(&[(4, 5.0, NONE), (1, 1.0, NONE), (2, 0.4, 1), (3, 0.6, 1)]);
        let order = Order {
            filter: String::new(),
            by: By::Value(ColumnId::SelfTime),
            reversed: false,
            positions: None,
        };
        let mut records = Vec::new();
        let indent = order.list_rising(rows, &mut records);
        let lines: Vec<(u32, u32)> = records.iter().map(|r| (r.key.zone, r.indent)).collect();
        assert_eq!(lines, [(2, 0), (3, 0), (1, 1), (4, 1)]);
        assert_eq!(indent, 2);
    }

    /// The reference: each row is compared with all rows above it.
    fn keep_naively(
        rows: &[u32],
        value: impl Fn(u32) -> f64,
        position: impl Fn(u32) -> Option<usize>,
        rising: bool,
    ) -> Vec<u32> {
        let mut ordered: Vec<u32> = Vec::new();
        let (mut known, new): (Vec<u32>, Vec<u32>) =
            rows.iter().partition(|row| position(**row).is_some());
        known.sort_by_key(|row| position(*row));
        if rising {
            known.reverse();
        }
        for row in known {
            let overtakes = |above: &u32| {
                let above = value(*above);
                value(row) > above + above.abs() * OVERTAKE_PART + OVERTAKE
            };
            let at = ordered.iter().position(overtakes);
            ordered.insert(at.unwrap_or(ordered.len()), row);
        }
        for row in new {
            let larger = |above: &u32| value(row) > value(*above);
            let at = ordered.iter().position(larger);
            ordered.insert(at.unwrap_or(ordered.len()), row);
        }
        ordered
    }

    #[cfg(not(loom))]
    mod random {
        use super::*;
        use proptest::prelude::*;

        fn value() -> impl Strategy<Value = f64> {
            prop_oneof![
                8 => (-40i32..400).prop_map(|hundredths| f64::from(hundredths) / 100.0),
                4 => -1e4..1e4f64,
                2 => -0.02..0.02f64,
                1 => prop::sample::select(vec![
                    0.0, -0.0, -0.005, -0.005 / 0.9, f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
                ]),
            ]
        }

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(2_000))]

            #[test]
            fn order_matches_a_comparison_with_all_rows_above(
                rows in prop::collection::vec((value(), prop::option::of(0usize..60)), 0..40),
                rising in any::<bool>(),
            ) {
                let value = |row: u32| rows[row as usize].0;
                let position = |row: u32| rows[row as usize].1.map(|at| 100 * at + row as usize);
                let mut sorted: Vec<u32> = (0..rows.len() as u32).collect();
                sorted.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
                prop_assert_eq!(
                    keep(&sorted, value, position, rising),
                    keep_naively(&sorted, value, position, rising)
                );
            }
        }
    }
}
