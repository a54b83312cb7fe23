//! Rows with rows under them, before they become the lines of a report: their order.

use crate::report::{Record, RowKey, RowKind};
use std::collections::HashMap;

/// A row changes places with one above it only if it is larger by this part of it...
const OVERTAKE_PART: f64 = 0.1;
/// ... and by this many milliseconds, or calls.
const OVERTAKE: f64 = 0.005;

/// A row and the rows that stand under it.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) record: Record,
    pub(crate) under: Vec<Branch>,
}

impl From<Record> for Branch {
    fn from(record: Record) -> Branch {
        Branch {
            record,
            under: Vec::new(),
        }
    }
}

/// All rows of a report.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// What stands above the selected one, if there is one.
    pub(crate) callers: Vec<Branch>,
    pub(crate) selected: Option<Record>,
    pub(crate) below: Vec<Branch>,
}

impl Outline {
    /// The lines of the report. What matters most is next to the selected row: callers come from
    /// small to large, all else from large to small.
    pub(crate) fn lines(self, order: &Order) -> Vec<Record> {
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

    /// Whether something holds for any row.
    pub(crate) fn any(&self, is: fn(&Record) -> bool) -> bool {
        fn of_branches(branches: &[Branch], is: fn(&Record) -> bool) -> bool {
            let mut branches = branches.iter();
            branches.any(|branch| is(&branch.record) || of_branches(&branch.under, is))
        }
        self.selected.as_ref().is_some_and(is)
            || of_branches(&self.callers, is)
            || of_branches(&self.below, is)
    }
}

/// By what rows are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The values at that place, the largest first.
    Value(usize),
    /// Names, from `a` on.
    Name,
}

/// How rows that stand under the same one are ordered. The row of those that are folded is the last
/// one in any case.
#[derive(Debug)]
pub(crate) struct Order {
    /// What the names of rows are to contain, in small letters; rows stay that something stands
    /// under that does.
    pub(crate) filter: String,
    pub(crate) by: By,
    /// Whether what otherwise comes last comes first.
    pub(crate) reversed: bool,
    /// Where rows were before, if they are to stay there until one is clearly larger than one above
    /// it.
    pub(crate) places: Option<HashMap<RowKey, usize>>,
}

impl Order {
    /// The place of each row in a report.
    pub(crate) fn places(before: &[Record]) -> HashMap<RowKey, usize> {
        let keys = before.iter().map(|record| record.key);
        keys.enumerate().map(|(at, key)| (key, at)).collect()
    }

    /// Appends the rows from large to small, each with those under it behind it, which are moved
    /// in.
    pub(crate) fn list(&self, mut branches: Vec<Branch>, indent: u32, out: &mut Vec<Record>) {
        self.filter(&mut branches);
        for mut branch in self.sort(branches, false) {
            branch.record.indent = indent;
            out.push(branch.record);
            self.list(branch.under, indent + 1, out);
        }
    }

    /// Appends the rows from small to large, each with those under it before it: what stands last,
    /// and next to the row that all of this is about, matters most. The outermost rows are moved in
    /// least; returns how far the next row is to be moved in.
    pub(crate) fn list_rising(&self, mut branches: Vec<Branch>, out: &mut Vec<Record>) -> u32 {
        self.filter(&mut branches);
        let depth = depth(&branches);
        self.list_rising_to(branches, depth, out);
        depth
    }

    fn list_rising_to(&self, branches: Vec<Branch>, depth: u32, out: &mut Vec<Record>) {
        for mut branch in self.sort(branches, true).into_iter().rev() {
            self.list_rising_to(branch.under, depth.saturating_sub(1), out);
            branch.record.indent = depth.saturating_sub(1);
            out.push(branch.record);
        }
    }

    /// Takes out what is not asked for.
    fn filter(&self, branches: &mut Vec<Branch>) {
        if self.filter.is_empty() {
            return;
        }
        branches.retain_mut(|branch| {
            self.filter(&mut branch.under);
            !branch.under.is_empty() || branch.record.name.to_lowercase().contains(&self.filter)
        });
    }

    /// In their order; equal ones by name and by age. `rising` tells that they stand the other way
    /// round in the report.
    fn sort(&self, branches: Vec<Branch>, rising: bool) -> Vec<Branch> {
        let is_others = |branch: &Branch| branch.record.key.kind == RowKind::Others;
        let (others, mut branches): (Vec<Branch>, Vec<Branch>) =
            branches.into_iter().partition(is_others);
        let age = |branch: &Branch| {
            let key = branch.record.key;
            (key.kind, key.zone, key.level)
        };
        match self.by {
            By::Value(at) => {
                let sign = if self.reversed { -1.0 } else { 1.0 };
                let value = |branch: &Branch| sign * branch.record.values[at];
                branches.sort_by(|a, b| {
                    let by_value = value(b).total_cmp(&value(a));
                    by_value
                        .then_with(|| a.record.name.cmp(&b.record.name))
                        .then_with(|| age(a).cmp(&age(b)))
                });
                if let Some(places) = &self.places {
                    branches = keep(branches, value, places, rising);
                }
            }
            By::Name => {
                branches.sort_by_cached_key(|branch| (name_and_level(&branch.record), age(branch)));
                if self.reversed {
                    branches.reverse();
                }
            }
        }
        branches.extend(others);
        branches
    }
}

/// The name in small letters, without the depth of recursion if that is the row's own: `visit (10)`
/// comes after `visit (2)`.
fn name_and_level(record: &Record) -> (String, u32) {
    let level = record.key.level;
    let name = match record.name.rsplit_once(" (") {
        Some((name, _)) if level > 0 => name,
        _ => &record.name,
    };
    (name.to_lowercase(), level)
}

/// Restores the order of before, except where a row is clearly larger than one above it.
fn keep(
    branches: Vec<Branch>,
    value: impl Fn(&Branch) -> f64,
    places: &HashMap<RowKey, usize>,
    rising: bool,
) -> Vec<Branch> {
    let mut ordered: Vec<Branch> = Vec::with_capacity(branches.len());
    let is_known = |branch: &Branch| places.contains_key(&branch.record.key);
    let (mut known, new): (Vec<Branch>, Vec<Branch>) = branches.into_iter().partition(is_known);
    known.sort_by_key(|branch| places[&branch.record.key]);
    if rising {
        known.reverse();
    }
    for branch in known {
        let overtakes = |above: &Branch| {
            let above = value(above);
            value(&branch) > above + above.abs() * OVERTAKE_PART + OVERTAKE
        };
        let at = ordered.iter().position(overtakes).unwrap_or(ordered.len());
        ordered.insert(at, branch);
    }
    for branch in new {
        let larger = |above: &Branch| value(&branch) > value(above);
        let at = ordered.iter().position(larger).unwrap_or(ordered.len());
        ordered.insert(at, branch);
    }
    ordered
}

/// How many rows stand under one another at most.
fn depth(branches: &[Branch]) -> u32 {
    let depths = branches.iter().map(|branch| 1 + depth(&branch.under));
    depths.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Section;

    fn branch(zone: u32, value: f64) -> Branch {
        let key = RowKey::top(Section::Flat, zone, 0);
        let record = Record::new(&zone.to_string(), &[value]);
        Branch::from(Record { key, ..record })
    }

    fn order(before: &[(u32, f64)], now: &[(u32, f64)]) -> Vec<u32> {
        let branches = |rows: &[(u32, f64)]| rows.iter().map(|(z, v)| branch(*z, *v)).collect();
        let before: Vec<Branch> = branches(before);
        let before: Vec<Record> = before.into_iter().map(|branch| branch.record).collect();
        let order = Order {
            filter: String::new(),
            by: By::Value(0),
            reversed: false,
            places: Some(Order::places(&before)),
        };
        let mut records = Vec::new();
        order.list(branches(now), 0, &mut records);
        records.iter().map(|record| record.key.zone).collect()
    }

    #[test]
    fn rows_change_places_only_when_one_is_clearly_larger() {
        let before = [(1, 3.0), (2, 2.9), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.1), (3, 1.0)]), [1, 2, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 3.4), (3, 1.0)]), [2, 1, 3]);
        assert_eq!(order(&before, &[(1, 3.0), (2, 2.9), (3, 9.0)]), [3, 1, 2]);
    }

    /// Of differences, most may be below zero.
    #[test]
    fn rows_below_zero_keep_their_places_too() {
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
    fn small_steps_do_not_add_up_to_a_wrong_order() {
        let before = [(1, 1.0), (2, 1.08), (3, 1.16)];
        assert_eq!(order(&before, &before), [3, 1, 2]);
    }

    #[test]
    fn new_rows_come_where_they_belong_and_old_ones_may_be_gone() {
        let before = [(1, 3.0), (2, 2.0), (3, 1.0)];
        assert_eq!(order(&before, &[(1, 3.0), (4, 2.5), (3, 1.0)]), [1, 4, 3]);
        assert_eq!(order(&[], &[(1, 3.0), (4, 3.1)]), [4, 1]);
    }

    #[test]
    fn what_is_asked_for_stays_with_all_that_it_stands_under() {
        let mut order = Order {
            filter: "2".into(),
            by: By::Value(0),
            reversed: false,
            places: None,
        };
        let mut parent = branch(1, 9.0);
        parent.under = vec![branch(22, 4.0), branch(3, 5.0)];
        let list = |order: &Order| {
            let mut records = Vec::new();
            let branches = vec![parent.clone(), branch(4, 8.0), branch(42, 7.0)];
            order.list(branches, 0, &mut records);
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
        let mut small = branch(1, 1.0);
        small.under = vec![branch(2, 0.4), branch(3, 0.6)];
        let order = Order {
            filter: String::new(),
            by: By::Value(0),
            reversed: false,
            places: None,
        };
        let mut records = Vec::new();
        let indent = order.list_rising(vec![branch(4, 5.0), small], &mut records);
        let lines: Vec<(u32, u32)> = records.iter().map(|r| (r.key.zone, r.indent)).collect();
        assert_eq!(lines, [(2, 0), (3, 0), (1, 1), (4, 1)]);
        assert_eq!(indent, 2);
    }
}
