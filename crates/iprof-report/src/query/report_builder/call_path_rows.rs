//! Builds the rows for call paths: callers, callees and the call tree. Small rows are folded.
//!
//! Rows with the same parent never overlap in time, so a folded row's times are simple sums.

use super::Builder;
use super::rows::pairs;
use crate::query::call_paths::{CallPathRow, CallPaths};
use crate::query::row_tree::{Fold, RowTree};
use crate::query::sums::{RowSums, RowTotals};
use crate::query::values::NodeValues;
use crate::report::{Expansion, Row, RowKey, Section};
use iprof_process::NONE;
use iprof_process::indices::{GLOBAL, ZoneKey};
use std::collections::HashMap;

/// The folded rows of a section. Level 0 is the top level, and the children of path `n` are at level `n + 1`.
struct Folded {
    /// The level that each path is folded in, or [`NONE`].
    in_level: Vec<u32>,
    /// The number of folded rows at each level.
    counts: Vec<u32>,
    /// The totals of the folded rows at each level.
    totals: Vec<[RowTotals; 2]>,
    /// The portion of the difference that is due to counts, at each level.
    by_count: Vec<f64>,
}

impl Builder<'_> {
    pub(super) fn callers(&self, selected: u32) -> RowTree {
        self.around(selected, Section::Caller, &|paths, set, values| {
            paths.add_callers(set, values, selected);
        })
    }

    /// Builds the rows for the call paths that `add` adds on one side of the selected row.
    pub(super) fn around(
        &self,
        selected: u32,
        section: Section,
        add: &dyn Fn(&mut CallPaths<'_>, usize, &NodeValues<'_>),
    ) -> RowTree {
        let around = self.view.selected_row();
        let open = |above: Option<RowKey>, row: u32| {
            let ZoneKey { zone, level } = self.key(row);
            let key = above.unwrap_or(around).under(section, zone, level);
            (key, self.view.is_open(key))
        };
        self.path_rows(&open, add, self.key(selected).zone, section)
    }

    pub(super) fn call_tree(&self) -> RowTree {
        let open = |above: Option<RowKey>, row: u32| {
            let ZoneKey { zone, level } = self.key(row);
            let key = match above {
                Some(above) => above.under(Section::Tree, zone, level),
                None => RowKey::top(Section::Tree, zone, level),
            };
            (key, self.view.is_open(key))
        };
        let add = |paths: &mut CallPaths<'_>, set, values: &NodeValues<'_>| {
            paths.add_callees(set, values, None);
        };
        self.path_rows(&open, &add, GLOBAL, Section::Tree)
    }

    /// Builds the rows for the call paths that `add` adds. Top-level paths are adjacent to `zone`.
    fn path_rows(
        &self,
        open: &dyn Fn(Option<RowKey>, u32) -> (RowKey, bool),
        add: &dyn Fn(&mut CallPaths<'_>, usize, &NodeValues<'_>),
        zone: u32,
        section: Section,
    ) -> RowTree {
        let recursion = self.view.recursion;
        let new = |is_plan| CallPaths::new(recursion, open, self.matching(), is_plan);
        let mut call_paths = new(false);
        call_paths.add_value_sets(self.value_sets(), add);
        self.plan_paths(new, add);
        let paths = &call_paths.paths;
        let totals = pairs(call_paths.sets.iter().map(RowSums::totals).collect());
        let (mut shown, mut leads_on) = (vec![false; paths.len()], vec![false; paths.len()]);
        // Paths come after their parents, so this loop visits children first.
        for (at, path) in paths.iter().enumerate().rev() {
            // Show a path if any path below it is shown. The paths below may have only counts, which this path's totals
            // don't include.
            let is_behind = leads_on[at] || path.has_more && section != Section::Caller;
            shown[at] = is_behind || self.shows(&totals[at]);
            if let Some(above) = leads_on.get_mut(path.above as usize) {
                *above |= shown[at];
            }
        }
        let folded = self.fold.as_ref();
        let folded =
            folded.and_then(|fold| self.fold_paths(fold, &call_paths, section, &totals, &shown));
        let mut rows = RowTree::default();
        // `row_of` holds the row of each listed path. `others` holds each level's folded row.
        let mut row_of = vec![None; paths.len()];
        let mut others = HashMap::new();
        for (at, path) in paths.iter().enumerate().filter(|(at, _)| shown[*at]) {
            let mut under = match row_of.get(path.above as usize) {
                None => NONE,
                Some(Some(row)) => *row,
                // The path is below a folded row.
                Some(None) => continue,
            };
            if let Some(folded) = &folded
                && folded.in_level[at] != NONE
            {
                let level = folded.in_level[at] as usize;
                under = *others.entry(level).or_insert_with(|| {
                    let key = self.key_of_others(paths, path.above, section);
                    let (count, by_count) = (folded.counts[level], folded.by_count[level]);
                    let others = self.others(key, count, folded.totals[level], Some(by_count));
                    rows.push(others, under)
                });
                if !rows.is_open(under) {
                    continue;
                }
            }
            if !self.wants(path.key) {
                // Add an empty row, because the requested row may be below this one.
                let empty = Row {
                    key: path.key,
                    ..Row::default()
                };
                row_of[at] = Some(rows.push(empty, under));
                continue;
            }
            let next = match paths.get(path.above as usize) {
                Some(above) => self.key(above.row).zone,
                None => zone,
            };
            let own = self.key(path.row).zone;
            let heat = match section {
                Section::Caller => self.edge_heat(own, next),
                _ => self.edge_heat(next, own),
            };
            let expansion = match path.has_more || leads_on[at] {
                true => Expansion::of_open(path.is_open),
                false => Expansion::Leaf,
            };
            let row = self.make_row(path.key, self.name(path.row), totals[at], heat, expansion);
            row_of[at] = Some(rows.push(row, under));
        }
        rows
    }

    /// Folds small paths. Returns `None` if no row is folded.
    fn fold_paths(
        &self,
        fold: &Fold,
        call_paths: &CallPaths<'_>,
        section: Section,
        totals: &[[RowTotals; 2]],
        shown: &[bool],
    ) -> Option<Folded> {
        let paths = &call_paths.paths;
        let number = |path: u32| path.wrapping_add(1);
        let mut small = vec![false; paths.len()];
        let mut counts = vec![0; paths.len() + 1];
        for (at, path) in paths.iter().enumerate().filter(|(at, _)| shown[*at]) {
            let others = self.key_of_others(paths, path.above, section);
            small[at] = fold.is_small(self.share(&totals[at]), path.key, others);
            counts[number(path.above) as usize] += u32::from(small[at]);
        }
        // Rows below a folded row are not folded again.
        let mut in_level = vec![NONE; paths.len()];
        let mut is_under_folded = vec![false; paths.len() + 1];
        let mut by_count = vec![0.0; counts.len()];
        for (at, path) in paths.iter().enumerate() {
            let level = number(path.above) as usize;
            let others = self.key_of_others(paths, path.above, section);
            if small[at] && !is_under_folded[level] && fold.folds(counts[level], others) {
                in_level[at] = level as u32;
                self.plan_part(path.key, others);
                by_count[level] += self.by_count(&totals[at]);
            }
            is_under_folded[at + 1] = is_under_folded[level] || in_level[at] != NONE;
        }
        if in_level.iter().all(|level| *level == NONE) {
            return None;
        }
        let merged = call_paths.sets.iter();
        let merged = merged.map(|set| set.merged(&in_level, counts.len()));
        Some(Folded {
            totals: pairs(merged.collect()),
            in_level,
            counts,
            by_count,
        })
    }

    fn key_of_others(&self, paths: &[CallPathRow], path: u32, section: Section) -> RowKey {
        match (paths.get(path as usize), section) {
            (Some(path), _) => path.key.others(section),
            (None, Section::Tree) => RowKey::top_others(section),
            (None, _) => self.view.selected_row().others(section),
        }
    }
}
