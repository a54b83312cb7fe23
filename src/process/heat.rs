//! How much zones fluctuate, for the colours of the report.
//!
//! A fluctuation cannot be summed up from its parts: work that moves from one thread to another
//! leaves the sum calm. So it is followed where it is shown: of every zone and of every pair of
//! caller and zone, on every thread, over all threads together, and over those of one name ([`group`]).
//! Recursion is flattened here in any case.
//!
//! [`group`]: super::group

use super::average::{AverageClock, Fluctuation};
use super::history::Sample;
use super::tree::TreeNode;

/// Fluctuation of a zone, or of a zone on behalf of a caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowHeat {
    pub(crate) self_ms: Fluctuation,
    pub(crate) hier_ms: Fluctuation,
}

/// Fluctuations of one thread, or of several together.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatMap {
    zones: Vec<RowHeat>,
    edges: Vec<RowHeat>,
}

impl HeatMap {
    pub(crate) fn zone(&self, zone: u32) -> RowHeat {
        self.zones.get(zone as usize).copied().unwrap_or_default()
    }

    pub(crate) fn edge(&self, edge: u32) -> RowHeat {
        self.edges.get(edge as usize).copied().unwrap_or_default()
    }

    /// Takes in what `sums` has of the frame that `clock` last advanced over.
    pub(crate) fn add(&mut self, clock: &AverageClock, sums: &FrameSums) {
        sums.zones.feed(&mut self.zones, clock);
        sums.edges.feed(&mut self.edges, clock);
    }
}

/// Self and hierarchical milliseconds of zones and edges in one frame.
#[derive(Debug, Default)]
pub(crate) struct FrameSums {
    zones: Sparse,
    edges: Sparse,
    /// Hierarchical ticks by node, of the tree that is being added.
    hier: Vec<u64>,
}

impl FrameSums {
    pub(crate) fn clear(&mut self) {
        self.zones.clear();
        self.edges.clear();
    }

    /// Adds a thread's frame.
    pub(crate) fn add(&mut self, nodes: &[TreeNode], samples: &[Sample], ms_per_tick: f64) {
        self.hier.clear();
        self.hier.resize(nodes.len(), 0);
        for sample in samples {
            self.hier[sample.node as usize] = sample.ticks;
            let node = nodes[sample.node as usize];
            let ms = sample.ticks as f64 * ms_per_tick;
            self.zones.at(node.zone).0 += ms;
            self.edges.at(node.edge).0 += ms;
        }
        // Children come after their parents, so one pass from the back sums up subtrees.
        for index in (0..nodes.len()).rev() {
            let hier = self.hier[index];
            if hier == 0 {
                continue;
            }
            let node = nodes[index];
            if index > 0 {
                self.hier[node.parent as usize] += hier;
            }
            if node.level == 0 {
                let ms = hier as f64 * ms_per_tick;
                self.zones.at(node.zone).1 += ms;
                self.edges.at(node.edge).1 += ms;
            }
        }
    }

    /// Adds what another thread, or all others, have.
    pub(crate) fn merge(&mut self, other: &FrameSums) {
        self.zones.merge(&other.zones);
        self.edges.merge(&other.edges);
    }
}

/// Pairs by small number, of which few are set.
#[derive(Debug, Default)]
struct Sparse {
    values: Vec<(f64, f64)>,
    is_set: Vec<bool>,
    set: Vec<u32>,
}

impl Sparse {
    fn at(&mut self, id: u32) -> &mut (f64, f64) {
        let index = id as usize;
        if index >= self.values.len() {
            self.values.resize(index + 1, (0.0, 0.0));
            self.is_set.resize(index + 1, false);
        }
        if !self.is_set[index] {
            self.is_set[index] = true;
            self.set.push(id);
        }
        &mut self.values[index]
    }

    fn clear(&mut self) {
        for id in self.set.drain(..) {
            self.values[id as usize] = (0.0, 0.0);
            self.is_set[id as usize] = false;
        }
    }

    fn merge(&mut self, other: &Sparse) {
        for &id in &other.set {
            let (self_ms, hier_ms) = other.values[id as usize];
            let mine = self.at(id);
            mine.0 += self_ms;
            mine.1 += hier_ms;
        }
    }

    fn feed(&self, rows: &mut Vec<RowHeat>, clock: &AverageClock) {
        for &id in &self.set {
            if id as usize >= rows.len() {
                rows.resize(id as usize + 1, RowHeat::default());
            }
            let (self_ms, hier_ms) = self.values[id as usize];
            let row = &mut rows[id as usize];
            row.self_ms.add(clock, self_ms);
            row.hier_ms.add(clock, hier_ms);
        }
    }
}
