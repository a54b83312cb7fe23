//! Orders a report's rows: filters them, sorts each parent's rows, and lists them as lines. While the order is held,
//! rows keep their places.

use crate::query::row_tree::{RowTree, RowTrees, tie_order};
use crate::report::{ColumnId, Row, RowKind};
use iprof_process::NONE;
use std::cell::Cell;

/// The sort key for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The values of a column, largest first.
    Value(ColumnId),
    /// Names, starting from `a`.
    Name,
}

/// The order of each parent's rows. The folded row comes last, followed only by the `(idle)` row.
#[derive(Debug)]
pub(super) struct Order {
    /// Text that row names must contain, in lower case. A row with matching descendants is kept.
    pub filter: String,
    pub by: By,
    pub reversed: bool,
    pub idle_last: bool,
    /// Whether any held row is not where its value would put it.
    pub differs: Cell<bool>,
    /// The number of new rows that are not listed while the order is held.
    pub withheld: Cell<usize>,
}

impl Order {
    /// Returns the lines of the report. Callers are in ascending order and all other rows in descending order, so that
    /// the largest values are next to the selected row.
    pub(super) fn lines(&self, trees: RowTrees) -> Vec<Row> {
        let (mut lines, mut indent) = (Lines::default(), 0);
        if let Some(mut selected) = trees.selected {
            let depth;
            (lines, depth) = self.list_ascending(trees.callers);
            selected.indent = depth.max(1);
            indent = selected.indent + 1;
            lines.rows.push(selected);
            lines.positions.extend(trees.selected_position);
        }
        let mut below = self.list(trees.below, indent);
        if lines.rows.is_empty() {
            lines = below;
        } else {
            lines.rows.append(&mut below.rows);
            lines.positions.append(&mut below.positions);
        }
        self.withhold(&mut lines);
        lines.rows
    }

    /// Lists rows in descending order, each before its indented children.
    fn list(&self, rows: RowTree, indent: u32) -> Lines {
        let (order, _) = self.order(&rows, false);
        Lines::of(rows, order.iter().copied(), |level| indent + level)
    }

    /// Lists rows in ascending order, each after its children, with top-level rows indented most. Also returns the next
    /// indent.
    fn list_ascending(&self, rows: RowTree) -> (Lines, u32) {
        let (order, depth) = self.order(&rows, true);
        let lines = Lines::of(rows, order.iter().rev().copied(), |level| depth - 1 - level);
        (lines, depth)
    }

    /// Returns the listed rows with their depths, in descending order, each before its children. Also returns the
    /// number of levels. `is_ascending` is true if the report lists the rows in reverse.
    fn order(&self, rows: &RowTree, is_ascending: bool) -> (Vec<(u32, u32)>, u32) {
        let is_listed = self.listed(rows);
        // `under` holds the rows grouped by parent, top level first. `begins` and `ends` delimit each parent's rows.
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
        // The stack of rows to visit, with the next one on top.
        let mut to_visit: Vec<(u32, u32)> = Vec::new();
        let mut level = (NONE, 0);
        loop {
            let at = level_of(level.0);
            let sorted = self.sort(rows, &under[begins[at]..begins[at + 1]], is_ascending);
            to_visit.extend(sorted.into_iter().rev().map(|row| (row, level.1)));
            let Some((row, above)) = to_visit.pop() else {
                break;
            };
            order.push((row, above));
            depth = depth.max(above + 1);
            level = (row, above + 1);
        }
        (order, depth)
    }

    /// Returns whether the filter matches each row or one of its descendants.
    fn listed(&self, rows: &RowTree) -> Vec<bool> {
        if self.filter.is_empty() {
            return vec![true; rows.above.len()];
        }
        let is_match = |row: &Row| row.name.to_lowercase().contains(&self.filter);
        let mut listed: Vec<bool> = rows.list.iter().map(is_match).collect();
        for (row, above) in rows.above.iter().enumerate().rev() {
            if listed[row] && *above != NONE {
                listed[*above as usize] = true;
            }
        }
        listed
    }

    /// Sorts rows, breaking ties by name and zone number.
    fn sort(&self, all: &RowTree, rows: &[u32], is_ascending: bool) -> Vec<u32> {
        if rows.len() < 2 {
            return rows.to_vec();
        }
        let row = |at: u32| &all.list[at as usize];
        // `has_idle` is computed here, while rows are still in memory order.
        let mut has_idle = false;
        let (mut folded, mut rows): (Vec<u32>, Vec<u32>) = rows.iter().partition(|at| {
            let row = row(**at);
            let is_folded = matches!(row.key.kind, RowKind::Others | RowKind::Idle);
            has_idle |= self.idle_last && row.is_idle && !is_folded;
            is_folded
        });
        folded.sort_by_key(|at| row(*at).key.kind);
        match self.by {
            _ if rows.len() < 2 => {}
            By::Value(column) => {
                let sign = if self.reversed { -1.0 } else { 1.0 };
                let value = |at: u32| sign * row(at).number(column);
                // Keys are copied so that they are contiguous, because a row spans several cache lines.
                let keys = rows.iter().map(|at| (value(*at), &*row(*at).name, *at));
                let mut keys: Vec<(f64, &str, u32)> = keys.collect();
                keys.sort_unstable_by(|a, b| {
                    let by_tie_order = || tie_order(row(a.2)).cmp(&tie_order(row(b.2)));
                    let by_value = b.0.total_cmp(&a.0);
                    by_value.then_with(|| a.1.cmp(b.1)).then_with(by_tie_order)
                });
                rows = keys.into_iter().map(|(.., at)| at).collect();
            }
            By::Name => {
                rows.sort_by_cached_key(|at| (name_and_level(row(*at)), tie_order(row(*at))));
                if self.reversed {
                    rows.reverse();
                }
            }
        }
        if has_idle {
            let (idle, others): (Vec<u32>, Vec<u32>) =
                rows.iter().partition(|at| row(**at).is_idle);
            rows = [others, idle].concat();
        }
        rows.extend(folded);
        if !all.positions.is_empty() {
            rows = self.hold(rows, &all.positions, is_ascending);
        }
        rows
    }

    /// If the order is held, removes new rows that are not at the end.
    fn withhold(&self, lines: &mut Lines) {
        let positions = &lines.positions;
        let is_old = |position: &u32| *position != NONE;
        let old = positions
            .iter()
            .rposition(is_old)
            .map_or(0, |last| last + 1);
        let withheld = old - positions[..old].iter().filter(|at| is_old(at)).count();
        if withheld > 0 {
            let mut at = 0;
            lines.rows.retain(|_| {
                at += 1;
                at > old || is_old(&positions[at - 1])
            });
        }
        self.withheld.set(withheld);
    }

    /// Moves sorted `rows` back to their `positions`. Rows without a position come last.
    fn hold(&self, rows: Vec<u32>, positions: &[u32], is_ascending: bool) -> Vec<u32> {
        let key = |at: &u32| match positions[*at as usize] {
            NONE => u64::MAX,
            position if is_ascending => u64::MAX - 1 - u64::from(position),
            position => position.into(),
        };
        let mut held = rows.clone();
        held.sort_by_key(key);
        if held != rows {
            self.differs.set(true);
        }
        held
    }
}

#[derive(Debug, Default)]
struct Lines {
    rows: Vec<Row>,
    positions: Vec<u32>,
}

impl Lines {
    /// Creates lines from rows in the given order. `indent` converts a row's level to its indent.
    fn of(
        rows: RowTree,
        order: impl ExactSizeIterator<Item = (u32, u32)>,
        indent: impl Fn(u32) -> u32,
    ) -> Lines {
        let positions = rows.positions;
        let mut list: Vec<Option<Row>> = rows.list.into_iter().map(Some).collect();
        let mut lines = Lines::default();
        lines.rows.reserve_exact(order.len());
        for (row, level) in order {
            let row = row as usize;
            let mut line = list[row].take().expect("each row is listed only once");
            line.indent = indent(level);
            lines.rows.push(line);
            lines.positions.extend(positions.get(row));
        }
        lines
    }
}

/// Returns the name in lower case, and the row's own recursion depth, so that `visit (10)` comes after `visit (2)`.
fn name_and_level(row: &Row) -> (String, u32) {
    let level = row.key.level;
    let name = match row.name.rsplit_once(" (") {
        Some((name, _)) if level > 0 => name,
        _ => &row.name,
    };
    (name.to_lowercase(), level)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::report::{Expansion, Report, RowKey, Section};

    fn row(zone: u32, value: f64) -> Row {
        let key = RowKey::top(Section::Flat, zone, 0);
        let row = Row::new(&zone.to_string(), [(ColumnId::SelfTime, value)]);
        Row { key, ..row }
    }

    /// Creates rows from zones, values and each row's parent index.
    fn rows(rows: &[(u32, f64, u32)]) -> RowTree {
        let mut all = RowTree::default();
        for (zone, value, above) in rows {
            all.push(row(*zone, *value), *above);
        }
        all
    }

    fn flat(of: &[(u32, f64)]) -> RowTree {
        let of: Vec<_> = of
            .iter()
            .map(|(zone, value)| (*zone, *value, NONE))
            .collect();
        rows(&of)
    }

    fn order_by_value() -> Order {
        Order {
            filter: String::new(),
            by: By::Value(ColumnId::SelfTime),
            reversed: false,
            idle_last: true,
            differs: Cell::default(),
            withheld: Cell::default(),
        }
    }

    /// Returns the zones as listed after `before`, and whether any is out of order.
    fn hold(before: &[(u32, f64)], now: &[(u32, f64)], by: By) -> (Vec<u32>, bool) {
        let before = Report {
            rows: flat(before).list,
            ..Report::default()
        };
        let order = Order {
            by,
            ..order_by_value()
        };
        let mut trees = RowTrees {
            below: flat(now),
            ..RowTrees::default()
        };
        trees.hold_order(&before.rows);
        let rows = order.lines(trees);
        let zones = rows.iter().map(|row| row.key.zone).collect();
        (zones, order.differs.get())
    }

    #[test]
    fn held_order_appends_new_rows_and_keeps_removed_ones() {
        let before = [(1, 3.0), (2, 2.0), (3, 1.0)];
        let by_value = By::Value(ColumnId::SelfTime);
        let now = [(3, 9.0), (4, 2.5), (1, 1.0), (5, 0.1)];
        assert_eq!(hold(&before, &now, by_value), (vec![1, 2, 3, 4, 5], true));
        // Sorted by name, zone 1 comes first anyway.
        assert_eq!(hold(&before, &now, By::Name), (vec![1, 2, 3, 4, 5], false));
        assert_eq!(
            hold(&before, &[(0, 1.0)], By::Name),
            (vec![1, 2, 3, 0], true)
        );
        // Nothing is out of order as long as values decrease down the list.
        assert!(!hold(&before, &[(1, 0.3), (2, 0.2), (3, 0.1)], by_value).1);
        assert_eq!(
            hold(&[], &[(1, 3.0), (4, 3.1)], by_value),
            (vec![4, 1], false)
        );
    }

    #[test]
    fn new_rows_that_would_move_others_are_withheld() {
        let open = |of: &[(u32, f64, u32)]| {
            let mut rows = rows(of);
            rows.list[0].expansion = Expansion::Expanded;
            rows
        };
        let listed = |rows: RowTree, before: Option<&Report>| {
            let order = order_by_value();
            let mut trees = RowTrees {
                below: rows,
                ..RowTrees::default()
            };
            if let Some(before) = before {
                trees.hold_order(&before.rows);
            }
            let rows = order.lines(trees);
            (rows, order.withheld.get())
        };
        let zones = |rows: &[Row]| -> Vec<u32> { rows.iter().map(|row| row.key.zone).collect() };
        let (rows, _) = listed(open(&[(1, 5.0, NONE), (2, 3.0, 0), (3, 1.0, NONE)]), None);
        let before = Report {
            rows,
            ..Report::default()
        };
        assert_eq!(zones(&before.rows), [1, 2, 3]);
        let new = [
            (1, 5.0, NONE),
            (2, 3.0, 0),
            (3, 1.0, NONE),
            (4, 9.0, 0),
            (5, 2.0, NONE),
        ];
        let (rows, withheld) = listed(open(&new), Some(&before));
        assert_eq!(
            (zones(&rows), withheld),
            (vec![1, 2, 3, 5], 1),
            "new row 4 under row 1 should be withheld"
        );
        let (rows, withheld) = listed(open(&new), None);
        assert_eq!((zones(&rows), withheld), (vec![1, 4, 2, 5, 3], 0));
    }

    #[test]
    fn removed_rows_stay_under_parents_with_zeros() {
        let tree = rows(&[(1, 5.0, NONE), (2, 3.0, 0), (3, 2.0, 0), (4, 1.0, NONE)]);
        let open = |mut rows: RowTree| {
            rows.list[0].expansion = Expansion::Expanded;
            rows
        };
        let listed = |rows: RowTree| order_by_value().list(rows, 0).rows;
        let zones = |trees: RowTrees| -> Vec<(u32, u32, f64)> {
            let rows = order_by_value().lines(trees);
            let line = |row: &Row| (row.key.zone, row.indent, row.number(ColumnId::SelfTime));
            rows.iter().map(line).collect()
        };
        let before = listed(open(tree));
        let mut trees = RowTrees {
            below: open(rows(&[(1, 5.0, NONE), (2, 3.0, 0)])),
            ..RowTrees::default()
        };
        trees.hold_order(&before);
        assert_eq!(
            zones(trees),
            [(1, 0, 5.0), (2, 1, 3.0), (3, 1, 0.0), (4, 0, 0.0)]
        );
        // The user collapsed the parent, so its rows are gone.
        let mut closed = rows(&[(1, 5.0, NONE)]);
        closed.list[0].expansion = Expansion::Collapsed;
        let mut trees = RowTrees {
            below: closed,
            ..RowTrees::default()
        };
        trees.hold_order(&before);
        assert_eq!(zones(trees), [(1, 0, 5.0), (4, 0, 0.0)]);
        // The parent lost all of its rows, and none of them moves up.
        let mut trees = RowTrees {
            below: rows(&[(1, 5.0, NONE)]),
            ..RowTrees::default()
        };
        trees.hold_order(&before);
        assert_eq!(
            zones(trees),
            [(1, 0, 5.0), (2, 1, 0.0), (3, 1, 0.0), (4, 0, 0.0)]
        );
    }

    #[test]
    fn removed_callers_stay_above_their_rows() {
        let caller = |zone, above: u32| {
            let mut row = row(zone, 1.0);
            row.key.section = Section::Caller;
            row.expansion = Expansion::Expanded;
            (row, above)
        };
        let callers = |rows: &[(Row, u32)]| {
            let mut callers = RowTree::default();
            for (row, above) in rows {
                callers.push(row.clone(), *above);
            }
            RowTrees {
                callers,
                ..RowTrees::default()
            }
        };
        let lines = |trees: RowTrees| order_by_value().list_ascending(trees.callers).0.rows;
        let all = [caller(1, NONE), caller(2, 0), caller(3, NONE), caller(4, 2)];
        let before = lines(callers(&all));
        let mut trees = callers(&[all[0].clone(), all[2].clone()]);
        trees.hold_order(&before);
        let places = |rows: &[Row]| -> Vec<(u32, u32)> {
            rows.iter().map(|row| (row.key.zone, row.indent)).collect()
        };
        let after = lines(trees);
        assert_eq!(places(&after), places(&before));
        assert_eq!(places(&after), [(4, 0), (3, 1), (2, 0), (1, 1)]);
    }

    #[test]
    fn filter_keeps_matching_rows_and_their_ancestors() {
        let mut order = Order {
            filter: "2".into(),
            ..order_by_value()
        };
        let parent = (1, 9.0, NONE);
        let under = [(22, 4.0, 0), (3, 5.0, 0)];
        let rows = rows(&[parent, under[0], under[1], (4, 8.0, NONE), (42, 7.0, NONE)]);
        let list = |order: &Order| {
            let lines = order.list(rows.clone(), 0).rows;
            let zones: Vec<u32> = lines.iter().map(|row| row.key.zone).collect();
            zones
        };
        assert_eq!(list(&order), [1, 22, 42]);
        order.filter = "x".into();
        assert!(list(&order).is_empty());
        order.filter.clear();
        assert_eq!(list(&order), [1, 3, 22, 4, 42]);
    }

    #[test]
    fn callers_are_listed_outermost_first_largest_last() {
        let rows = rows(&[(4, 5.0, NONE), (1, 1.0, NONE), (2, 0.4, 1), (3, 0.6, 1)]);
        let order = order_by_value();
        let (lines, indent) = order.list_ascending(rows);
        let lines: Vec<(u32, u32)> = lines
            .rows
            .iter()
            .map(|row| (row.key.zone, row.indent))
            .collect();
        assert_eq!(lines, [(2, 0), (3, 0), (1, 1), (4, 1)]);
        assert_eq!(indent, 2);
    }
}
