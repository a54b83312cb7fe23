//! Makes the rows of a report from their totals: name, values, heat, and in a comparison the part in the difference.

use super::Builder;
use crate::process::frame::heat::{HeatMap, RowHeat};
use crate::process::query::diff;
use crate::process::query::row_values;
use crate::process::query::sums::RowTotals;
use crate::process::zone_key::{GLOBAL, ZoneKey};
use crate::report::{ColumnId, Expansion, Recursion, Row, RowKey, RowKind, SourceLocation};
use std::sync::Arc;

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
        let clock = self.profiler.clock_of(self.view.threads);
        let heat = if by == ColumnId::SelfTime {
            heat.self_heat(clock, slot)
        } else {
            heat.hier_heat(clock, slot)
        };
        let row = Row {
            name,
            expansion,
            heat,
            is_idle: self.is_idle(key),
            is_own: self.is_own(key),
            is_counter: self.is_counter(key) && totals.hier == 0.0,
            location: self.location(key),
            budget: self.budget(key),
            is_over_budget: self.is_over_budget(key),
            key,
            ..row_values::of_totals(&totals, self.values.ms, self.steps, by)
        };
        let Some(baseline) = &self.baseline else {
            return row;
        };
        let mut row = row_values::compared(row, by, &[totals, before], baseline.ms(), self.steps);
        row.heat = 0.0;
        if self.whole_change > 0.0 {
            let part = row.number(ColumnId::Difference) / self.whole_change;
            row.change = part.clamp(-1.0, 1.0) as f32;
        }
        row
    }

    /// Whether a row is of one of the profiler's own zones. Time outside zones is the program's.
    fn is_own(&self, key: RowKey) -> bool {
        let is_zone = key.kind == RowKind::Zone && key.zone != GLOBAL;
        is_zone && self.profiler.indices().is_own(key.zone)
    }

    /// The source location of a row's zone; none for a row of several zones or of none.
    pub(super) fn location(&self, key: RowKey) -> Option<SourceLocation> {
        let is_zone = key.kind == RowKind::Zone && key.zone != GLOBAL;
        let location = is_zone.then(|| self.profiler.indices().location(key.zone));
        // A run-time zone may have none.
        location.filter(|location| !location.file.is_empty())
    }

    /// The row of all rows that are too small to be listed.
    pub(super) fn others(
        &self,
        key: RowKey,
        count: u32,
        totals: [RowTotals; 2],
        by_count: Option<f64>,
    ) -> Row {
        let expansion = match self.view.is_open(key) {
            true => Expansion::Expanded,
            false => Expansion::Collapsed,
        };
        let name = format!("others ({count})").into();
        let row = self.make_row(key, name, totals, RowHeat::default(), expansion);
        self.with_by_count(row, by_count)
    }

    /// In a diff: the part of a row's difference caused by its count, in milliseconds.
    pub(super) fn by_count(&self, [now, before]: &[RowTotals; 2]) -> f64 {
        let Some(baseline) = &self.baseline else {
            return 0.0;
        };
        let time = |totals: &RowTotals, ms: f64| totals.time(self.main_time) * ms;
        let (units_before, units) = diff::units(self.main_time, before, now);
        let before = (time(before, baseline.ms()), units_before);
        diff::split(before, (time(now, self.values.ms), units)).0
    }

    /// Sets the part of the difference caused by the count, for a row that stands for others. Their
    /// times must sum to its time, and `by_count` is the sum of their parts by count: so the row agrees
    /// with them even where one was called instead of another.
    pub(super) fn with_by_count(&self, row: Row, by_count: Option<f64>) -> Row {
        match (by_count, &self.baseline) {
            (Some(by_count), Some(_)) => row_values::with_by_count(row, by_count),
            _ => row,
        }
    }

    /// Whether a zone can be expanded.
    pub(super) fn expansion(&self, row: u32) -> Expansion {
        match self.flat.calls[row as usize] {
            true => Expansion::Collapsed,
            false => Expansion::Leaf,
        }
    }

    /// A row's share of the frame, in the report's main time; in a diff the larger of its shares of the
    /// two frames. In a frame without time every share is 1.
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

    /// The zone's name, which no other zone has, with its recursion depth.
    pub(super) fn name(&self, row: u32) -> Arc<str> {
        if row == self.idle_outside() && self.view.idle_ranked {
            // It stands beside the time outside zones that is not idle.
            return crate::zone::IDLE_OUTSIDE.into();
        }
        let name = self.profiler.indices().distinct_name(self.key(row).zone);
        match self.level_in_name(row) {
            0 => name.clone(),
            level => format!("{name} ({})", level + 1).into(),
        }
    }

    /// A row's recursion depth: with [`Recursion::Flatten`] the deepest one, with [`Recursion::Spread`] the row's own.
    pub(super) fn level_in_name(&self, row: u32) -> u32 {
        match self.view.recursion {
            Recursion::Flatten => self.flat.deepest[row as usize],
            Recursion::Spread => self.key(row).level,
        }
    }

    /// The zone of a row and its level; that of the roots for the idle time outside zones.
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
