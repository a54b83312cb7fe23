//! Which zones exceed their budgets in what a view shows.

use super::Builder;
use crate::process::frame::profiler::Profiler;
use crate::process::query::values::NodeValues;
use crate::process::view::View;
use crate::report::{RowKey, RowKind, Section};
use crate::subtree;
use crate::zone_budget::ZoneBudget;

/// The zones that exceed their budgets on a thread in view: in the frame shown, or in the mean of those.
pub(super) fn over(profiler: &Profiler, view: &View, values: &NodeValues<'_>) -> Vec<u32> {
    let budgets = profiler.zone_budgets();
    let mut over = Vec::new();
    if budgets.zones().next().is_none() || profiler.shows_gpu(view.threads) {
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
        for zone in budgets.zones() {
            if budgets.is_over(zone, by_zone[zone as usize] * values.ms) && !over.contains(&zone) {
                over.push(zone);
            }
        }
    }
    over
}

impl Builder<'_> {
    /// The budget of the zone all of whose calls a row stands for.
    pub(super) fn budget(&self, key: RowKey) -> Option<ZoneBudget> {
        let is_zone = key.kind == RowKind::Zone && key.level == 0;
        let is_whole = matches!(key.section, Section::Flat | Section::Selected);
        (is_zone && is_whole).then(|| self.profiler.zone_budgets().of(key.zone))?
    }

    /// Whether that zone exceeds its budget.
    pub(super) fn is_over_budget(&self, key: RowKey) -> bool {
        self.over_budget.contains(&key.zone) && self.budget(key).is_some()
    }
}
