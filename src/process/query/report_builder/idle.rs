//! Tells which rows are idle: those of zones in which the program only waits, and of idle time outside zones.

use super::Builder;
use crate::process::query::sums::{self, RowTotals};
use crate::process::zone_key::GLOBAL;
use crate::report::{RowKey, RowKind};

impl Builder<'_> {
    /// The totals of a row's zone. That of the roots has all time outside zones, idle or not.
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

    /// Whether a row of a list is idle.
    pub(super) fn is_idle_row(&self, row: u32) -> bool {
        row == self.idle_outside() || self.profiler.indices().is_idle(self.key(row).zone)
    }

    /// The row of the idle time outside zones, which is no zone's.
    pub(super) fn idle_outside(&self) -> u32 {
        self.flat.totals.len() as u32 - 1
    }
}
