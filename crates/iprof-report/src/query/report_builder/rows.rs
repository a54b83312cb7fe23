//! Builds a report's rows from their totals, and determines which are idle, only counted, or over budget.

use super::Builder;
use crate::query::baseline_values::{BaselineValues, median_totals};
use crate::query::columns;
use crate::query::sums::{self, RowTotals};
use crate::query::sums::{FADED_ENTRIES, FADED_MS};
use crate::query::values::NodeValues;
use crate::report::{ColumnId, Expansion, Recursion, Row, RowKey, RowKind, Section};
use crate::view::View;
use iprof_process::Profiler;
use iprof_process::ZoneBudget;
use iprof_process::heat::{HeatMap, RowHeat};
use iprof_process::indices::{GLOBAL, ZoneKey};
use iprof_process::split;
use iprof_process::subtree;
use iprof_process::untimed_nodes::TimedNodes;
use std::sync::Arc;

/// The scale of a set of row totals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The unit of times, in milliseconds.
    pub(super) ms: f64,
    /// The frame time in milliseconds.
    pub(super) frame_ms: f64,
    /// Whether the totals are averages, which fade but never reach zero.
    pub(super) fades: bool,
}

/// Returns each row's current and baseline totals, given its totals in each [set of values](Builder::value_sets).
pub(super) fn pairs(sets: Vec<Vec<RowTotals>>) -> Vec<[RowTotals; 2]> {
    let mut sets = sets.into_iter();
    let now = sets.next().unwrap_or_default();
    let before = median_totals(sets.collect()).into_iter();
    let before = before.chain(std::iter::repeat(RowTotals::default()));
    now.into_iter().zip(before).map(<[_; 2]>::from).collect()
}

/// For each row, returns whether all threads in view only count its zone. Empty if there are no counters.
pub(super) fn counted(profiler: &Profiler, view: &View, rows: usize) -> Vec<bool> {
    let tree = |at: usize| profiler.threads()[at].tree();
    let threads = profiler.threads_in_view(view.threads());
    if !threads.iter().any(|at| tree(*at).has_counters()) {
        return Vec::new();
    }
    let (mut counted, mut entered) = (vec![false; rows], vec![false; rows]);
    for at in threads {
        let tree = tree(at);
        for (node, at) in tree.nodes().iter().zip(0..) {
            let row = view.recursion.row_of(node) as usize;
            match tree.is_counter(at) {
                true => counted[row] = true,
                false => entered[row] = true,
            }
        }
    }
    for (counted, entered) in counted.iter_mut().zip(entered) {
        *counted &= !entered;
    }
    counted
}

/// Returns the zones that exceed their budgets on a thread in view, in the shown frame or on average.
pub(super) fn over_budget(profiler: &Profiler, view: &View, values: &NodeValues<'_>) -> Vec<u32> {
    let budgets = profiler.zone_budgets();
    let mut over = Vec::new();
    if budgets.zones().next().is_none() || profiler.shows_gpu(view.threads()) {
        return over;
    }
    let mut times = Vec::new();
    let mut by_zone = vec![0.0; profiler.indices().zone_count()];
    for thread in &values.threads {
        times.clear();
        times.extend_from_slice(&thread.self_time);
        let parent = |node: usize| thread.nodes[node].parent as usize;
        subtree::sum(&mut times, parent, |sum, time| *sum += time);
        by_zone.fill(0.0);
        for (at, node) in thread.nodes.iter().enumerate() {
            if node.outermost as usize == at {
                by_zone[node.zone as usize] += times[at];
            }
        }
        over.extend(budgets.exceeded(|zone| by_zone[zone as usize] * values.ms));
    }
    over
}

/// The minimum total difference in a comparison, as a fraction of the baseline frame. It keeps small differences from
/// being highlighted.
pub const LEAST_CHANGE: f64 = 0.1;

impl Builder<'_> {
    pub(super) fn make_row(
        &self,
        key: RowKey,
        name: Arc<str>,
        [totals, before]: [RowTotals; 2],
        heat: RowHeat,
        expansion: Expansion,
    ) -> Row {
        let by = self.main_time;
        let slot = self.view.average.slot_or_default();
        let clock = self.profiler.clock_of(self.view.threads());
        let heat = if by == ColumnId::SelfTime {
            heat.self_heat(clock, slot)
        } else {
            heat.hier_heat(clock, slot)
        };
        let indices = self.profiler.indices();
        let is_zone = key.kind == RowKind::Zone && key.zone != GLOBAL;
        let zone = is_zone.then_some(key.zone);
        let location = zone.map(|zone| indices.location(zone));
        let budget = self.budget(key);
        let row = Row {
            name,
            expansion,
            heat,
            is_idle: self.is_idle(key),
            // Time outside zones belongs to the program.
            is_own: zone.is_some_and(|zone| indices.is_own(zone)),
            is_counter: self.is_counter(key) && totals.hier == 0.0,
            // A run-time zone may have no location.
            location: location.filter(|(file, _)| !file.is_empty()),
            is_over_budget: budget.is_some() && self.over_budget.contains(&key.zone),
            budget,
            key,
            ..columns::row_of_totals(&totals, self.values.ms, self.steps, by)
        };
        let Some(baseline) = &self.baseline else {
            return row;
        };
        let mut row = columns::diff_row(row, by, &[totals, before], baseline.ms(), self.steps);
        row.heat = 0.0;
        if self.whole_change > 0.0 {
            let part = row.number(ColumnId::Difference) / self.whole_change;
            row.change = part.clamp(-1.0, 1.0) as f32;
        }
        row
    }

    pub(super) fn others(
        &self,
        key: RowKey,
        count: u32,
        totals: [RowTotals; 2],
        by_count: Option<f64>,
    ) -> Row {
        let expansion = Expansion::of_open(self.view.is_open(key));
        let name = format!("others ({count})").into();
        let row = self.make_row(key, name, totals, RowHeat::default(), expansion);
        self.with_by_count(row, by_count)
    }

    /// Returns the portion of a row's difference that is due to its count, in milliseconds; 0 without a baseline.
    pub(super) fn by_count(&self, [now, before]: &[RowTotals; 2]) -> f64 {
        let Some(baseline) = &self.baseline else {
            return 0.0;
        };
        let time = |totals: &RowTotals, ms: f64| totals.time(self.main_time) * ms;
        let (units_before, units) = columns::units(self.main_time, before, now);
        let before = (time(before, baseline.ms()), units_before);
        split(before, (time(now, self.values.ms), units)).0
    }

    /// Sets the portion of the difference that is due to the count, for a row that sums other rows. The other rows'
    /// times must add up to this row's time. `by_count` is the sum of their portions, so the rows stay consistent even
    /// if one zone was called instead of another.
    pub(super) fn with_by_count(&self, row: Row, by_count: Option<f64>) -> Row {
        match (by_count, &self.baseline) {
            (Some(by_count), Some(_)) => columns::with_by_count(row, by_count),
            _ => row,
        }
    }

    pub(super) fn expansion(&self, row: u32) -> Expansion {
        match self.by_row.calls[row as usize] {
            true => Expansion::Collapsed,
            false => Expansion::Leaf,
        }
    }

    /// Returns a row's main time as a fraction of the frame, or 1 if the frame took no time. In a diff, returns the
    /// larger of the fractions on the two sides.
    pub(super) fn share(&self, totals: &[RowTotals; 2]) -> f64 {
        let shares = self.scales().zip(totals).map(|(scale, totals)| {
            let time = scale.ms * totals.time(self.main_time);
            if scale.frame_ms > 0.0 {
                time / scale.frame_ms
            } else {
                1.0
            }
        });
        shares.fold(0.0, f64::max)
    }

    /// Returns the zone's distinct name, with its recursion depth.
    pub(super) fn name(&self, row: u32) -> Arc<str> {
        if row == self.idle_outside() && self.view.idle_ranked {
            // A different name, because this row is listed next to `(outside zones)`, the time outside zones that is
            // not idle.
            return iprof_gather::zone::IDLE_OUTSIDE.into();
        }
        let name = self.profiler.indices().distinct_name(self.key(row).zone);
        match self.level_in_name(row) {
            0 => name.clone(),
            level => format!("{name} ({})", level + 1).into(),
        }
    }

    /// Returns the deepest recursion with [`Recursion::Flatten`], or the row's own depth with [`Recursion::Spread`].
    pub(super) fn level_in_name(&self, row: u32) -> u32 {
        match self.view.recursion {
            Recursion::Flatten => self.by_row.deepest[row as usize],
            Recursion::Spread => self.key(row).level,
        }
    }

    /// Returns a row's zone and level. Idle time outside zones uses the root zone.
    pub(super) fn key(&self, row: u32) -> ZoneKey {
        let of_zone = |zone| ZoneKey { zone, level: 0 };
        match self.view.recursion {
            _ if row == self.idle_outside() => of_zone(GLOBAL),
            Recursion::Flatten => of_zone(row),
            Recursion::Spread => self.profiler.indices().spread_key(row),
        }
    }

    pub(super) fn row_of_key(&self, key: ZoneKey) -> Option<u32> {
        match self.view.recursion {
            Recursion::Flatten => Some(key.zone)
                .filter(|zone| (*zone as usize) < self.profiler.indices().zone_count()),
            Recursion::Spread => self.profiler.indices().find_spread(key),
        }
    }

    pub(super) fn edge_heat(&self, caller: u32, callee: u32) -> RowHeat {
        match self.profiler.indices().find_edge(caller, callee) {
            Some(edge) => self.heat(|heat| heat.edge(edge)),
            None => RowHeat::default(),
        }
    }

    pub(super) fn heat(&self, get: impl Fn(&HeatMap) -> RowHeat) -> RowHeat {
        self.heat.map_or(RowHeat::default(), get)
    }
}

impl Builder<'_> {
    /// Returns the report's sets of values with their indices: first the values shown, then the baseline's. A median
    /// baseline has one set per frame.
    pub(super) fn value_sets(&self) -> impl Iterator<Item = (usize, &NodeValues<'_>)> + Clone {
        let sets = self.baseline.iter().flat_map(BaselineValues::sets);
        std::iter::once(&self.values).chain(sets).enumerate()
    }

    pub(super) fn shows(&self, totals: &[RowTotals; 2]) -> bool {
        self.scales().zip(totals).any(|(scale, totals)| {
            if scale.fades {
                let longest = totals.hier.max(totals.gpu_hier);
                longest * scale.ms >= FADED_MS || totals.entries >= FADED_ENTRIES
            } else {
                totals.hier > 0.0
                    || totals.entries > 0.0
                    || totals.gpu_hier > 0.0
                    || totals.named_hier != 0.0
            }
        })
    }

    pub(super) fn scales(&self) -> impl Iterator<Item = Scale> {
        let now = Scale {
            ms: self.values.ms,
            frame_ms: self.values.frame_ms,
            fades: self.values.fades,
        };
        let before = self.baseline.iter().map(|baseline| Scale {
            ms: baseline.ms(),
            frame_ms: baseline.frame_ms(),
            fades: baseline.fades(),
        });
        std::iter::once(now).chain(before)
    }

    /// Returns the totals of a row's zone. The root's totals include all time outside zones, idle or not.
    pub(super) fn totals_of_zone(&self, totals: &[RowTotals], row: u32) -> RowTotals {
        match self.key(row).zone == GLOBAL {
            true => sums::with_idle(totals, row),
            false => totals[row as usize],
        }
    }

    pub(super) fn is_idle(&self, key: RowKey) -> bool {
        match key.kind {
            RowKind::Idle => true,
            RowKind::Zone => {
                self.profiler.indices().is_idle(key.zone) || key.is_idle_outside_zones()
            }
            RowKind::ZoneGroup | RowKind::Others => false,
        }
    }

    pub(super) fn is_idle_row(&self, row: u32) -> bool {
        row == self.idle_outside() || self.profiler.indices().is_idle(self.key(row).zone)
    }

    /// Returns the row of the idle time outside zones, which has no zone.
    pub(super) fn idle_outside(&self) -> u32 {
        self.by_row.totals.len() as u32 - 1
    }

    pub(super) fn is_counter(&self, key: RowKey) -> bool {
        if self.counters.is_empty() {
            return false;
        }
        let row = self.row_of_key(ZoneKey {
            zone: key.zone,
            level: key.level,
        });
        let is_counter = |row: u32| self.counters.get(row as usize).copied();
        key.kind == RowKind::Zone && row.and_then(is_counter).unwrap_or_default()
    }

    /// Returns the budget of a row's zone, if the row includes all of the zone's calls.
    pub(super) fn budget(&self, key: RowKey) -> Option<ZoneBudget> {
        let is_zone = key.kind == RowKind::Zone && key.level == 0;
        let is_whole = matches!(key.section, Section::Flat | Section::Selected);
        (is_zone && is_whole).then(|| self.profiler.zone_budgets().zone_budget(key.zone))?
    }

    /// Returns the total difference in a comparison, in milliseconds. Idle time counts only if it is ranked, so that
    /// rows with more work remain visible even if the program mostly waited.
    pub(super) fn whole_change(&self) -> f64 {
        let Some(before) = &self.baseline else {
            return 0.0;
        };
        let waited = self.waited;
        let threads = self.values.threads_ms() - before.threads_ms() - waited;
        let frames = self.values.frame_ms - before.frame_ms();
        let whole = match waited == 0.0 {
            true => threads.abs().max(frames.abs()),
            false => threads.abs(),
        };
        whole.max(LEAST_CHANGE * before.frame_ms())
    }

    /// Returns the total difference in idle time in a comparison, in milliseconds, or 0 if idle zones are ranked.
    pub(super) fn idle_difference(&self) -> f64 {
        if self.view.idle_ranked {
            return 0.0;
        }
        self.difference_of_rows(|row| self.is_idle_row(*row))
    }

    /// Returns the difference in the self times of the counted rows in a comparison, in milliseconds. For medians, the
    /// rows' differences don't have to sum to the frame's.
    pub(super) fn difference_of_rows(&self, is_counted: impl Fn(&u32) -> bool) -> f64 {
        let sum = |totals: &[RowTotals], ms: f64| -> f64 {
            let rows = (0..totals.len() as u32).filter(&is_counted);
            let times = rows.map(|row| totals[row as usize].self_time);
            // `sum` would return -0 for no floats.
            times.fold(0.0, |sum, time| sum + time) * ms
        };
        match (&self.baseline, &self.baseline_totals) {
            (Some(baseline), Some(before)) => {
                sum(&self.by_row.totals, self.values.ms) - sum(before, baseline.ms())
            }
            _ => 0.0,
        }
    }
}
