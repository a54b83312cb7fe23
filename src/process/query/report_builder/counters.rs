//! Which rows stand for zones that are only counted.

use super::Builder;
use crate::process::frame::profiler::Profiler;
use crate::process::untimed::TimedNodes;
use crate::process::view::View;
use crate::process::zone_key::ZoneKey;
use crate::report::{RowKey, RowKind};

/// By row: whether its zone is only counted, on all threads in view. Empty if there are no counters: then no node has
/// to be looked at.
pub(super) fn by_row(profiler: &Profiler, view: &View, rows: usize) -> Vec<bool> {
    let tree = |at: usize| profiler.threads()[at].tree();
    let threads = profiler.threads_in_view(view.threads);
    if !threads.iter().any(|at| tree(*at).has_counters()) {
        return Vec::new();
    }
    let (mut counted, mut entered) = (vec![false; rows], vec![false; rows]);
    for at in threads {
        let tree = tree(at);
        for (node, at) in tree.nodes().iter().zip(0..) {
            let row = node.row(view.recursion) as usize;
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

impl Builder<'_> {
    /// Whether a row stands for a zone that is only counted.
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
}
