//! Builds the rows of a list: all zones, or all descendants of the selected one, with groups and folded rows.
//!
//! A level is the set of rows that share a parent. Rows on the same level may overlap in time, so their hierarchical
//! times don't add up. See [`zone_sets`](crate::query::zone_sets).

use super::Builder;
use super::rows::pairs;
use crate::query::baseline_values::median_totals;
use crate::query::row_tree::{Fold, LevelParents, RowTree};
use crate::query::sums::{self, RowTotals, TotalsByRow};
use crate::query::values::NodeValues;
use crate::query::zone_sets::{ZoneSets, totals_of_sets};
use crate::report::{ColumnId, Expansion, Row, RowKey, Section};
use iprof_process::NONE;
use iprof_process::heat::RowHeat;
use iprof_process::indices::ZoneKey;

/// A list of zones, before it is sorted.
struct List<'a> {
    section: Section,
    /// The zone whose descendants are listed; `None` for all zones.
    on_behalf_of: Option<u32>,
    /// The rows with values.
    rows: Vec<u32>,
    /// The totals of each row.
    now: &'a [RowTotals],
    /// The totals of each row in the baseline.
    before: Option<&'a [RowTotals]>,
    /// The innermost zone group of each row, or [`NONE`]. There may be no groups.
    zone_group: Vec<u32>,
    /// The parent of each zone group, or [`NONE`].
    above: &'a [u32],
    /// The totals of each zone group.
    totals: Vec<[RowTotals; 2]>,
    /// For each zone group whose rows' times sum to its own time, the portion of its difference due to its rows'
    /// counts.
    by_count: Vec<Option<f64>>,
    /// Whether each zone group has values.
    shown: Vec<bool>,
    /// Whether each zone group is open.
    open: Vec<bool>,
    /// Whether each row is below the `(idle)` row.
    idle: Vec<bool>,
}

/// The folded rows of a list. Level 0 is the top level, and zone group `n` is at level `n + 1`.
struct Folded {
    rows: Vec<bool>,
    zone_groups: Vec<bool>,
    /// The folded row at each level.
    others: Vec<Option<Row>>,
}

fn pair(now: &[RowTotals], before: Option<&[RowTotals]>, row: u32) -> [RowTotals; 2] {
    let before = before.map(|before| before[row as usize]);
    [now[row as usize], before.unwrap_or_default()]
}

/// Returns the level of a zone group's rows.
fn level_of_group(zone_group: u32) -> usize {
    zone_group.wrapping_add(1) as usize
}

impl List<'_> {
    fn shown_rows(&self) -> impl Iterator<Item = (u32, [RowTotals; 2])> + '_ {
        let rows = self.rows.iter();
        rows.map(|row| (*row, pair(self.now, self.before, *row)))
    }

    fn is_idle(&self, row: u32) -> bool {
        self.idle[row as usize]
    }
}

impl Builder<'_> {
    pub(super) fn all_zones(&self) -> RowTree {
        self.list(
            Section::Flat,
            &self.by_row,
            self.baseline_totals.as_deref(),
            None,
        )
    }

    pub(super) fn descendants(&self, of: u32) -> RowTree {
        let rows = self.by_row.totals.len() - 1;
        let below = |values: &NodeValues<'_>| {
            sums::totals_by_row(values, self.view.recursion, rows, Some(of))
        };
        let now = below(&self.values);
        let before = self.baseline.as_ref().map(|baseline| {
            let sets = baseline.sets().iter();
            median_totals(sets.map(|values| below(values).totals).collect())
        });
        self.list(Section::Descendant, &now, before.as_deref(), Some(of))
    }

    fn list(
        &self,
        section: Section,
        now: &TotalsByRow,
        before: Option<&[RowTotals]>,
        on_behalf_of: Option<u32>,
    ) -> RowTree {
        let rows = 0..now.totals.len() as u32;
        let shows = |row: &u32| self.shows(&pair(&now.totals, before, *row));
        let mut list = List {
            section,
            on_behalf_of,
            rows: rows.clone().filter(shows).collect(),
            now: &now.totals,
            before,
            zone_group: vec![NONE; now.totals.len()],
            above: &[],
            totals: Vec::new(),
            by_count: Vec::new(),
            shown: Vec::new(),
            open: Vec::new(),
            idle: vec![false; now.totals.len()],
        };
        if !self.view.idle_ranked && section == Section::Flat {
            list.idle = rows.map(|row| self.is_idle_row(row)).collect();
        }
        if self.view.grouping && section == Section::Flat {
            self.group(&mut list);
        }
        self.plan_list(on_behalf_of, |first, plan| {
            let rows = list.rows.iter();
            rows.for_each(|row| plan.set_key(self.key_of_row(&list, *row), first + row));
        });
        let folded = match &self.fold {
            Some(fold) => self.fold_rows(fold, &list),
            None => self.nothing_folded(&list),
        };
        self.list_levels(&list, folded)
    }

    fn group<'s>(&'s self, list: &mut List<'s>) {
        let indices = self.profiler.indices();
        let zone_groups = indices.zone_groups();
        let zone = |row: usize| self.key(row as u32).zone;
        list.zone_group = (0..list.zone_group.len())
            .map(|row| match list.idle[row] {
                true => NONE,
                false => indices.zone_group(zone(row)),
            })
            .collect();
        list.above = zone_groups.above();
        list.totals = self.totals_of(list, &list.zone_group, list.above, RowKey::zone_group);
        list.by_count = self.by_count_of(list, &list.zone_group, list.above);
        list.shown = vec![false; zone_groups.count()];
        // Whether the filter matches any zone in each zone group.
        let mut matching = vec![false; zone_groups.count()];
        for row in &list.rows {
            let is_match = self.is_match(*row);
            let mut zone_group = list.zone_group[*row as usize];
            while zone_group != NONE {
                list.shown[zone_group as usize] = true;
                matching[zone_group as usize] |= is_match;
                zone_group = list.above[zone_group as usize];
            }
        }
        list.open = (0..zone_groups.count() as u32)
            .map(|zone_group| {
                let name = || zone_groups.name(zone_group).to_lowercase();
                self.view.is_open(RowKey::zone_group(zone_group))
                    || matching[zone_group as usize] && !name().contains(&self.filter)
            })
            .collect();
    }

    /// Sums sets of rows. `key` returns the key of each set's own row.
    fn totals_of(
        &self,
        list: &List<'_>,
        by_row: &[u32],
        above: &[u32],
        key: impl Fn(u32) -> RowKey,
    ) -> Vec<[RowTotals; 2]> {
        let sets = ZoneSets { by_row, above };
        self.plan_sets(sets, list.on_behalf_of, key);
        let totals = |(_, values): (usize, &NodeValues<'_>)| {
            totals_of_sets(values, self.view.recursion, sets, list.on_behalf_of)
        };
        pairs(self.value_sets().map(totals).collect())
    }

    /// Returns the portion of each set's difference that is due to its rows' counts. Only the self times of rows add
    /// up, so it is `None` for other times.
    fn by_count_of(&self, list: &List<'_>, by_row: &[u32], above: &[u32]) -> Vec<Option<f64>> {
        let mut by_count = vec![(self.main_time == ColumnId::SelfTime).then_some(0.0); above.len()];
        for (row, totals) in list.shown_rows() {
            let cost = self.by_count(&totals);
            let mut set = by_row[row as usize];
            while set != NONE {
                by_count[set as usize] = by_count[set as usize].map(|sum| sum + cost);
                set = above[set as usize];
            }
        }
        by_count
    }

    fn nothing_folded(&self, list: &List<'_>) -> Folded {
        Folded {
            rows: vec![false; list.zone_group.len()],
            zone_groups: vec![false; list.above.len()],
            others: vec![None; list.above.len() + 1],
        }
    }

    fn fold_rows(&self, fold: &Fold, list: &List<'_>) -> Folded {
        let mut folded = self.nothing_folded(list);
        let mut counts = vec![0; folded.others.len()];
        for (row, totals) in list.shown_rows().filter(|(row, _)| !list.is_idle(*row)) {
            let zone_group = list.zone_group[row as usize];
            let others = self.key_of_level(list, zone_group);
            let key = self.key_of_row(list, row);
            let is_small = fold.is_small(self.share(&totals), key, others);
            folded.rows[row as usize] = is_small;
            counts[level_of_group(zone_group)] += u32::from(is_small);
        }
        for (at, totals) in list.totals.iter().enumerate() {
            let others = self.key_of_level(list, list.above[at]);
            let key = RowKey::zone_group(at as u32);
            let is_small = list.shown[at] && fold.is_small(self.share(totals), key, others);
            folded.zone_groups[at] = is_small;
            counts[level_of_group(list.above[at])] += u32::from(is_small);
        }
        // For each level that is folded as a whole, the outer level that it is folded into. Rows in a folded group are
        // not folded again.
        let mut whole = vec![NONE; folded.others.len()];
        let mut folds: Vec<bool> = (counts.iter().zip(0u32..))
            .map(|(count, level)| {
                fold.folds(*count, self.key_of_level(list, level.wrapping_sub(1)))
            })
            .collect();
        for at in 0..list.above.len() {
            let level = level_of_group(list.above[at]);
            folded.zone_groups[at] &= folds[level];
            whole[at + 1] = if folded.zone_groups[at] {
                level as u32
            } else {
                whole[level]
            };
            folds[at + 1] &= whole[at + 1] == NONE && list.open[at];
        }
        let mut sets = vec![NONE; list.zone_group.len()];
        for row in list.rows.iter().filter(|row| !list.is_idle(**row)) {
            let row = *row as usize;
            let level = level_of_group(list.zone_group[row]);
            folded.rows[row] &= folds[level];
            sets[row] = if folded.rows[row] {
                level as u32
            } else {
                whole[level]
            };
        }
        if sets.iter().any(|set| *set != NONE) {
            let above = vec![NONE; counts.len()];
            let key = |level: u32| self.key_of_level(list, level.wrapping_sub(1));
            let totals = self.totals_of(list, &sets, &above, key);
            let by_count = self.by_count_of(list, &sets, &above);
            for (at, others) in folded.others.iter_mut().enumerate() {
                let zone_group = (at as u32).wrapping_sub(1);
                *others = folds[at].then(|| {
                    let key = self.key_of_level(list, zone_group);
                    self.others(key, counts[at], totals[at], by_count[at])
                });
            }
        }
        folded
    }

    fn list_levels(&self, list: &List<'_>, mut folded: Folded) -> RowTree {
        let mut rows = RowTree::default();
        let mut others = |level: usize| folded.others[level].take();
        // `Some` for each level whose rows are listed.
        let indices = self.profiler.indices();
        let zone_groups = indices.zone_groups();
        let mut levels = vec![None; list.above.len() + 1];
        levels[0] = Some(LevelParents::new(&mut rows, NONE, others(0)));
        // Zone groups come after their parent groups, so a parent's level is already known.
        for at in 0..list.above.len() {
            let level: Option<LevelParents> = levels[level_of_group(list.above[at])];
            let parent = level.and_then(|level| level.parent(&rows, folded.zone_groups[at]));
            let Some(parent) = parent.filter(|_| list.shown[at]) else {
                continue;
            };
            let group = self.make_row(
                RowKey::zone_group(at as u32),
                zone_groups.name(at as u32).clone(),
                list.totals[at],
                RowHeat::default(),
                Expansion::of_open(list.open[at]),
            );
            let row = rows.push(self.with_by_count(group, list.by_count[at]), parent);
            if list.open[at] {
                levels[at + 1] = Some(LevelParents::new(&mut rows, row, others(at + 1)));
            }
        }
        let idle = self.push_idle(list, &mut rows);
        if list.above.is_empty() && self.fold.is_none() && self.only_row.is_none() {
            rows.reserve(list.rows.len());
        }
        for (row, totals) in list.shown_rows() {
            let level = match list.is_idle(row) {
                true => idle,
                false => levels[level_of_group(list.zone_group[row as usize])],
            };
            let is_folded = folded.rows[row as usize];
            if let Some(parent) = level.and_then(|level| level.parent(&rows, is_folded)) {
                let key = self.key_of_row(list, row);
                if self.wants(key) {
                    let heat = self.heat(|heat| heat.zone(self.key(row).zone, indices));
                    let expansion = self.expansion(row);
                    let row = self.make_row(key, self.name(row), totals, heat, expansion);
                    rows.push(row, parent);
                }
            }
        }
        rows
    }

    /// Adds the `(idle)` row if anything is idle. Returns the level below the row if it is open.
    fn push_idle(&self, list: &List<'_>, rows: &mut RowTree) -> Option<LevelParents> {
        const NAME: &str = "(idle)";
        let idle = || list.rows.iter().filter(|row| list.is_idle(**row));
        idle().next()?;
        let key = RowKey::idle();
        let is_open = self.view.is_open(key)
            || idle().any(|row| self.is_match(*row)) && !NAME.contains(&self.filter);
        // A single set of all idle rows.
        let set = |is_idle: &bool| if *is_idle { 0 } else { NONE };
        let sets: Vec<u32> = list.idle.iter().map(set).collect();
        let above = [NONE];
        let totals = self.totals_of(list, &sets, &above, |_| RowKey::idle())[0];
        let by_count = self.by_count_of(list, &sets, &above)[0];
        let expansion = Expansion::of_open(is_open);
        let row = self.make_row(key, NAME.into(), totals, RowHeat::default(), expansion);
        let row = rows.push(self.with_by_count(row, by_count), NONE);
        is_open.then(|| LevelParents::new(rows, row, None))
    }

    fn key_of_row(&self, list: &List<'_>, row: u32) -> RowKey {
        let ZoneKey { zone, level } = self.key(row);
        match list.on_behalf_of {
            Some(_) => self.view.selected_row().under(list.section, zone, level),
            None if row == self.idle_outside() => RowKey::idle_outside_zones(zone),
            None => RowKey::top(list.section, zone, level),
        }
    }

    /// Returns the key of the folded row in a zone group, or at the top level.
    fn key_of_level(&self, list: &List<'_>, zone_group: u32) -> RowKey {
        match list.on_behalf_of {
            Some(_) => self.view.selected_row().others(list.section),
            None if zone_group != NONE => RowKey::zone_group(zone_group).others(list.section),
            None => RowKey::top_others(list.section),
        }
    }
}
