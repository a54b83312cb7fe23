//! How much zones fluctuate, for the colours of the report.
//!
//! A fluctuation cannot be summed up from its parts: work that moves from one thread to another
//! leaves the sum calm. So it is followed where it is shown: of every zone and of every pair of
//! caller and zone, on every thread and over all threads together. Recursion is flattened here in
//! any case.

use super::average::{AverageClock, Fluctuation};
use super::history::Sample;
use super::tree::TreeNode;
use super::zones::Names;
use crate::clock::Ticks;
use std::collections::BinaryHeap;

/// Fluctuation of a zone, or of a zone on behalf of a caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowHeat {
    pub(crate) self_ms: Fluctuation,
    pub(crate) hier_ms: Fluctuation,
}

/// Fluctuations of one thread, or of all together.
#[derive(Debug, Default)]
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
    pub(crate) fn add(&mut self, clock: &AverageClock, sums: &FrameSums, ms_per_tick: f64) {
        sums.zones.feed(&mut self.zones, clock, ms_per_tick);
        sums.edges.feed(&mut self.edges, clock, ms_per_tick);
    }
}

/// Self and hierarchical ticks of zones and edges in one frame.
#[derive(Debug, Default)]
pub(crate) struct FrameSums {
    zones: Sparse,
    edges: Sparse,
    /// By node of the tree that is being summed up: ticks of its subtree that have been passed up
    /// to it and not yet on. All zeros before and after.
    passed_up: Vec<Ticks>,
    /// Nodes and ticks to be passed on, those with the largest numbers first.
    stuck: BinaryHeap<(u32, Ticks)>,
}

impl FrameSums {
    /// Makes these the sums of nothing, with room for all that has a name.
    pub(crate) fn clear(&mut self, names: &Names) {
        self.zones.clear(names.zone_count());
        self.edges.clear(names.edge_count());
    }

    /// Makes these the sums of a thread's frame. What is not live is not looked at.
    pub(crate) fn take(&mut self, names: &Names, nodes: &[TreeNode], samples: &[Sample]) {
        self.clear(names);
        if self.passed_up.len() < nodes.len() {
            self.passed_up.resize(nodes.len(), 0);
        }
        let passed_up = &mut self.passed_up[..];
        let mut total = 0;
        // Parents mostly come before their children, so one pass from the back sums up subtrees.
        for sample in samples.iter().rev() {
            let node = &nodes[sample.node as usize];
            let ticks = sample.ticks + std::mem::take(&mut passed_up[sample.node as usize]);
            let sum = self.edges.at(node.edge, node.zone);
            sum.self_ticks += sample.ticks;
            if node.level == 0 {
                sum.hier_ticks += ticks;
            }
            passed_up[node.parent as usize] += ticks;
            total += sample.ticks;
        }
        // The root is its own parent: what has got there stays there.
        if let Some(root) = nodes.first() {
            let stuck = total - std::mem::take(&mut passed_up[0]);
            if stuck > 0 {
                self.pass_on(nodes, samples, stuck);
            }
            self.edges.at(root.edge, root.zone).hier_ticks = total;
        }
        // An edge has one zone, and every node has an edge: a zone is the sum of its edges.
        for &edge in &self.edges.set {
            let sum = self.edges.sums[edge as usize];
            let zone = self.zones.at(sum.zone, sum.zone);
            zone.self_ticks += sum.self_ticks;
            zone.hier_ticks += sum.hier_ticks;
        }
    }

    /// Passes on the ticks that got stuck on their way to the root: in a node that has no sample,
    /// as one that was open all the time and never on top, or that has it behind its children's.
    #[cold]
    fn pass_on(&mut self, nodes: &[TreeNode], samples: &[Sample], mut stuck: Ticks) {
        for sample in samples {
            if stuck == 0 {
                break;
            }
            let parent = nodes[sample.node as usize].parent;
            let ticks = std::mem::take(&mut self.passed_up[parent as usize]);
            if ticks > 0 {
                self.stuck.push((parent, ticks));
                stuck -= ticks;
            }
        }
        // Children have larger numbers than their parents, so they are done before them.
        while let Some((at, mut ticks)) = self.stuck.pop() {
            while let Some((next, more)) = self.stuck.peek().copied()
                && next == at
            {
                self.stuck.pop();
                ticks += more;
            }
            let node = &nodes[at as usize];
            if node.level == 0 {
                self.edges.at(node.edge, node.zone).hier_ticks += ticks;
            }
            if at > 0 {
                self.stuck.push((node.parent, ticks));
            }
        }
    }

    /// Adds what another thread, or all others, have.
    pub(crate) fn merge(&mut self, other: &FrameSums) {
        self.zones.merge(&other.zones);
        self.edges.merge(&other.edges);
    }
}

/// What a zone or an edge did in a frame, on one thread or on all.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    self_ticks: Ticks,
    hier_ticks: Ticks,
    zone: u32,
    is_set: bool,
}

/// Sums by small number, of which few are set.
#[derive(Debug, Default)]
struct Sparse {
    sums: Vec<Sum>,
    set: Vec<u32>,
}

impl Sparse {
    /// The sum of number `id`, which is that zone or an edge into it.
    #[inline(always)]
    fn at(&mut self, id: u32, zone: u32) -> &mut Sum {
        let sum = &mut self.sums[id as usize];
        if !sum.is_set {
            sum.is_set = true;
            sum.zone = zone;
            self.set.push(id);
        }
        sum
    }

    /// Nothing is set any more; there are `ids` numbers.
    fn clear(&mut self, ids: usize) {
        for id in self.set.drain(..) {
            self.sums[id as usize] = Sum::default();
        }
        if self.sums.len() < ids {
            self.sums.resize(ids, Sum::default());
        }
    }

    fn merge(&mut self, other: &Sparse) {
        for &id in &other.set {
            let theirs = other.sums[id as usize];
            let mine = self.at(id, theirs.zone);
            mine.self_ticks += theirs.self_ticks;
            mine.hier_ticks += theirs.hier_ticks;
        }
    }

    fn feed(&self, rows: &mut Vec<RowHeat>, clock: &AverageClock, ms_per_tick: f64) {
        for &id in &self.set {
            if id as usize >= rows.len() {
                rows.resize(id as usize + 1, RowHeat::default());
            }
            let sum = self.sums[id as usize];
            let row = &mut rows[id as usize];
            row.self_ms.add(clock, sum.self_ticks as f64 * ms_per_tick);
            row.hier_ms.add(clock, sum.hier_ticks as f64 * ms_per_tick);
        }
    }
}
