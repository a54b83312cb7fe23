//! Sums up a thread's times in one frame, by zone and by pair of caller and zone, with recursion flattened. The sums
//! are used for heat, thread groups and zone budgets.
//!
//! `subtree.rs` isn't used, because this pass runs in each `update` and only visits live nodes, in any order. A large
//! tree may have few of them. A property test checks that both compute the same sums.

use crate::NONE;
use crate::indices::Indices;
use crate::thread_tree::NodeLink;
use crate::untimed_nodes::NodeDelta;
use iprof_gather::clock::Ticks;
use std::collections::BinaryHeap;

/// The self and hierarchical ticks of zones and edges in one frame.
#[derive(Debug, Default)]
pub struct FrameSums {
    /// The sums for zones with more than one incoming edge.
    pub(crate) zones: SparseSums,
    pub(crate) edges: SparseSums,
    /// For each node in the current tree, the ticks that were passed up to it but not yet to its parent. All zero
    /// before and after a pass.
    passed_up: Vec<Ticks>,
    /// The nodes, with ticks, that have yet to be passed up, largest index first.
    pending: BinaryHeap<(u32, Ticks)>,
}

impl FrameSums {
    /// Sets all sums to zero, and makes room for all zones and edges that have an index.
    pub fn clear(&mut self, indices: &Indices) {
        self.zones.clear(indices.zone_count());
        self.edges.clear(indices.edge_count());
    }

    /// Computes the sums for a thread's frame. Only visits live nodes.
    pub fn sum_up(&mut self, indices: &Indices, links: &[NodeLink], deltas: &[NodeDelta]) {
        self.clear(indices);
        if self.passed_up.len() < links.len() {
            self.passed_up.resize(links.len(), 0);
        }
        let passed_up = &mut self.passed_up[..];
        let mut total = 0;
        // Parents mostly come before their children, so one pass from the back sums up subtrees.
        for delta in deltas.iter().rev() {
            let link = links[delta.node as usize];
            let ticks = delta.ticks + std::mem::take(&mut passed_up[delta.node as usize]);
            let sum = self.edges.at(link.edge());
            sum.self_ticks = sum.self_ticks.wrapping_add(delta.ticks);
            if link.is_outermost() {
                sum.hier_ticks = sum.hier_ticks.wrapping_add(ticks);
            }
            passed_up[link.parent as usize] += ticks;
            total += delta.ticks;
        }
        // The root is its own parent, so it keeps the ticks passed up to it.
        if let Some(root) = links.first() {
            let pending = total - std::mem::take(&mut passed_up[0]);
            if pending > 0 {
                self.pass_up_pending(links, deltas, pending);
            }
            self.edges.at(root.edge()).hier_ticks = total;
        }
        // An edge leads into exactly one zone, and every node has an edge. So a zone's sums are the sums over its
        // incoming edges.
        for &edge in &self.edges.set {
            let sum = &mut self.edges.sums[edge as usize];
            if sum.zone == NONE {
                sum.zone = indices.callee(edge);
            }
            let sum = *sum;
            if !indices.is_shared(sum.zone) {
                continue;
            }
            let zone = self.zones.at(sum.zone);
            zone.self_ticks += sum.self_ticks;
            zone.hier_ticks += sum.hier_ticks;
        }
    }

    /// Passes up the ticks that haven't reached the root. They stopped at a node without a delta, which was open for
    /// the entire frame and never on top, or at a node whose delta comes after its children's deltas.
    #[cold]
    fn pass_up_pending(&mut self, links: &[NodeLink], deltas: &[NodeDelta], mut pending: Ticks) {
        for delta in deltas {
            if pending == 0 {
                break;
            }
            let parent = links[delta.node as usize].parent;
            let ticks = std::mem::take(&mut self.passed_up[parent as usize]);
            if ticks > 0 {
                self.pending.push((parent, ticks));
                pending -= ticks;
            }
        }
        // Children have larger indices than their parents, so they are processed first.
        while let Some((at, mut ticks)) = self.pending.pop() {
            while let Some((next, more)) = self.pending.peek().copied()
                && next == at
            {
                self.pending.pop();
                ticks += more;
            }
            let link = links[at as usize];
            if link.is_outermost() {
                self.edges.at(link.edge()).hier_ticks += ticks;
            }
            if at > 0 {
                self.pending.push((link.parent, ticks));
            }
        }
    }

    pub fn hier_of_zone(&self, zone: u32, indices: &Indices) -> Ticks {
        let of = |sums: &SparseSums, id: u32| sums.sums.get(id as usize).map(|sum| sum.hier_ticks);
        let ticks = match indices.edge_if_alone(zone) {
            Some(edge) => of(&self.edges, edge),
            None => of(&self.zones, zone),
        };
        ticks.unwrap_or(0)
    }

    /// Adds other threads' sums. The results may exceed 64 bits if a counter jumps far ahead.
    pub fn merge(&mut self, other: &FrameSums) {
        self.zones.merge(&other.zones);
        self.edges.merge(&other.edges);
    }
}

#[derive(Clone, Copy, Debug)]
struct Sum {
    self_ticks: Ticks,
    hier_ticks: Ticks,
    zone: u32,
    is_set: bool,
}

const EMPTY_SUM: Sum = Sum {
    self_ticks: 0,
    hier_ticks: 0,
    zone: NONE,
    is_set: false,
};

/// Sums by index, of which only a few are set.
#[derive(Debug, Default)]
pub(crate) struct SparseSums {
    sums: Vec<Sum>,
    set: Vec<u32>,
}

impl SparseSums {
    #[inline(always)]
    fn at(&mut self, id: u32) -> &mut Sum {
        let sum = &mut self.sums[id as usize];
        if !sum.is_set {
            sum.is_set = true;
            self.set.push(id);
        }
        sum
    }

    fn clear(&mut self, ids: usize) {
        for id in self.set.drain(..) {
            let sum = &mut self.sums[id as usize];
            (sum.self_ticks, sum.hier_ticks, sum.is_set) = (0, 0, false);
        }
        if self.sums.len() < ids {
            self.sums.resize(ids, EMPTY_SUM);
        }
    }

    fn merge(&mut self, other: &SparseSums) {
        for &id in &other.set {
            let theirs = other.sums[id as usize];
            let mine = self.at(id);
            mine.self_ticks = mine.self_ticks.wrapping_add(theirs.self_ticks);
            mine.hier_ticks = mine.hier_ticks.wrapping_add(theirs.hier_ticks);
        }
    }

    /// Returns the number of indices that there is room for.
    pub(crate) fn ids(&self) -> usize {
        self.sums.len()
    }

    /// Iterates over the indices with a sum, and their sums in milliseconds.
    pub(crate) fn ms(&self, ms_per_tick: f64) -> impl Iterator<Item = (u32, [f32; 2])> {
        self.set.iter().map(move |&id| {
            let sum = &self.sums[id as usize];
            // The conversion goes through signed numbers, as in [`NodeDelta::values`].
            let ms = |ticks: Ticks| (ticks as i64 as f64 * ms_per_tick) as f32;
            (id, [ms(sum.self_ticks), ms(sum.hier_ticks)])
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::subtree;
    use crate::thread_tree::TreeNode;
    use iprof_gather::Zone;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    static ZONES: [Zone; 4] = [const { Zone::new("", "", 0, "") }; 4];

    /// Builds a tree in which node `n + 1` has the parent and the zone of `tree[n]`.
    fn nodes(tree: &[(prop::sample::Index, u32)], indices: &mut Indices) -> Vec<TreeNode> {
        for zone in &ZONES {
            indices.zone(zone);
        }
        let mut nodes = Vec::<TreeNode>::new();
        let root = [(0, 0)].into_iter();
        let others = tree.iter().enumerate();
        for (parent, zone) in root.chain(others.map(|(n, (at, zone))| (at.index(n + 1), *zone))) {
            let caller = nodes.get(parent).map_or(zone, |node| node.zone);
            let mut outer = (!nodes.is_empty()).then_some(parent);
            while let Some(at) = outer.filter(|at| nodes[*at].zone != zone) {
                outer = (at > 0).then_some(nodes[at].parent as usize);
            }
            let next_alike = outer.map_or(NONE, |at| at as u32);
            let outer = outer.map(|at| nodes[at]);
            nodes.push(TreeNode {
                parent: parent as u32,
                zone,
                spread: 0,
                level: outer.map_or(0, |outer| outer.level + 1),
                edge: outer.map_or_else(|| indices.edge(caller, zone), |outer| outer.edge),
                outermost: outer.map_or(nodes.len() as u32, |outer| outer.outermost),
                next_alike,
            });
        }
        nodes
    }

    /// Returns the self and hierarchical ticks by zone and by edge, summed stack by stack.
    fn naive(nodes: &[TreeNode], deltas: &[NodeDelta]) -> [BTreeMap<u32, [Ticks; 2]>; 2] {
        let [mut zones, mut edges] = [BTreeMap::new(), BTreeMap::new()];
        for delta in deltas {
            let top = nodes[delta.node as usize];
            zones.entry(top.zone).or_insert([0; 2])[0] += delta.ticks;
            edges.entry(top.edge).or_insert([0; 2])[0] += delta.ticks;
            let mut at = delta.node;
            loop {
                let node = nodes[at as usize];
                if node.level == 0 {
                    zones.entry(node.zone).or_insert([0; 2])[1] += delta.ticks;
                    edges.entry(node.edge).or_insert([0; 2])[1] += delta.ticks;
                }
                if at == 0 {
                    break;
                }
                at = node.parent;
            }
        }
        [zones, edges]
    }

    /// Returns the same sums, computed by the functions that visit all nodes.
    fn dense(nodes: &[TreeNode], deltas: &[NodeDelta]) -> [BTreeMap<u32, [Ticks; 2]>; 2] {
        let parent = |node: usize| nodes[node].parent as usize;
        let zone = |node: usize| nodes[node].zone as usize;
        let outermost = subtree::outermost(nodes.len(), ZONES.len(), parent, zone);
        let mut own = vec![0; nodes.len()];
        for delta in deltas {
            own[delta.node as usize] = delta.ticks;
        }
        let mut ticks = own.clone();
        subtree::sum(&mut ticks, parent, |sum, ticks| *sum += ticks);
        let [mut zones, mut edges] = [BTreeMap::new(), BTreeMap::new()];
        for (at, node) in nodes.iter().enumerate() {
            assert_eq!(NodeLink::of(node).is_outermost(), outermost[at] == at);
            for sum in [
                zones.entry(node.zone).or_insert([0; 2]),
                edges.entry(node.edge).or_insert([0; 2]),
            ] {
                sum[0] += own[at];
                sum[1] += if outermost[at] == at { ticks[at] } else { 0 };
            }
        }
        [zones, edges]
    }

    fn set(sums: &SparseSums) -> BTreeMap<u32, [Ticks; 2]> {
        let sum = |id: &u32| &sums.sums[*id as usize];
        let values = |id: &u32| (*id, [sum(id).self_ticks, sum(id).hier_ticks]);
        sums.set
            .iter()
            .map(values)
            .filter(|(_, sum)| *sum != [0; 2])
            .collect()
    }

    proptest! {
        /// Tests deltas for arbitrary nodes in arbitrary order.
        #[test]
        fn sums_match_a_naive_sum_over_stacks(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 1u32..4), 0..60),
            frames in prop::collection::vec(
                prop::collection::vec((any::<prop::sample::Index>(), 0u64..1_000), 0..40),
                1..4,
            ),
            ordered in any::<bool>(),
        ) {
            let mut indices = Indices::default();
            let nodes = nodes(&tree, &mut indices);
            let links: Vec<NodeLink> = nodes.iter().map(NodeLink::of).collect();
            let mut sums = FrameSums::default();
            let mut all = FrameSums::default();
            all.clear(&indices);
            let mut all_naive = [BTreeMap::new(), BTreeMap::new()];
            for frame in &frames {
                let mut deltas: Vec<NodeDelta> = Vec::new();
                for (at, ticks) in frame {
                    let node = at.index(nodes.len()) as u32;
                    if deltas.iter().all(|delta| delta.node != node) {
                        deltas.push(NodeDelta { ticks: *ticks, entries: 1, node, error: 0.0 });
                    }
                }
                if ordered {
                    deltas.sort_by_key(|delta| delta.node);
                }
                sums.sum_up(&indices, &links, &deltas);
                all.merge(&sums);
                let mut naive = naive(&nodes, &deltas);
                let mut dense = dense(&nodes, &deltas);
                for sums in &mut dense {
                    sums.retain(|_, sum| *sum != [0; 2]);
                }
                for (all, naive) in all_naive.iter_mut().zip(&mut naive) {
                    naive.retain(|_, sum| *sum != [0; 2]);
                    for (id, sum) in naive {
                        let all = all.entry(*id).or_insert([0; 2]);
                        *all = [all[0] + sum[0], all[1] + sum[1]];
                    }
                }
                prop_assert_eq!(&naive, &dense);
                let [zones, edges] = &mut naive;
                zones.retain(|zone, _| indices.is_shared(*zone));
                prop_assert_eq!([&set(&sums.zones), &set(&sums.edges)], [&*zones, &*edges]);
                prop_assert!(sums.passed_up.iter().all(|ticks| *ticks == 0));
            }
            all_naive[0].retain(|zone, _| indices.is_shared(*zone));
            prop_assert_eq!([set(&all.zones), set(&all.edges)], all_naive);
        }
    }
}
