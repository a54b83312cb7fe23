//! How much zones fluctuate, for the colours of the report.
//!
//! A fluctuation cannot be summed up from its parts: work that moves from one thread to another
//! leaves the sum calm. So it is followed where it is shown: of every zone and of every pair of
//! caller and zone, on every thread, over all threads together, and over those of one name
//! ([`group`]). Recursion is flattened here in any case.
//!
//! A zone that has one caller does what that pair does. So zones have heat of their own only from
//! when there is a second pair: until then it is the pair's, and then it goes on from that.
//!
//! [`group`]: super::group

use super::average::{AverageClock, add_each};
use super::history::Sample;
use super::moments::{HIER, Moments, SELF};
use super::tree::{Link, NONE};
use super::zones::Names;
use crate::clock::Ticks;
use std::collections::BinaryHeap;

/// Fluctuation of a zone, or of a zone on behalf of a caller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowHeat(Moments);

impl RowHeat {
    pub(crate) fn self_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, SELF, slot))
    }

    pub(crate) fn hier_heat(&self, clock: &AverageClock, slot: usize) -> f32 {
        heat(self.0.get(clock, HIER, slot))
    }
}

/// The standard deviation over the mean, doubled and clamped: 0 calm, 1 hot.
fn heat((mean, deviation): (f64, f64)) -> f32 {
    if mean <= 0.0 {
        return 0.0;
    }
    (2.0 * deviation / mean).clamp(0.0, 1.0) as f32
}

/// Fluctuations of one thread, or of several together.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatMap {
    /// Of zones that several edges lead into.
    zones: Vec<Moments>,
    edges: Vec<Moments>,
    /// How many such zones there were when this was last added to.
    shared: usize,
}

impl HeatMap {
    pub(crate) fn zone(&self, zone: u32, names: &Names) -> RowHeat {
        match names.only_edge(zone, self.shared) {
            Some(edge) => self.edge(edge),
            None => RowHeat(self.zones.get(zone as usize).copied().unwrap_or_default()),
        }
    }

    pub(crate) fn edge(&self, edge: u32) -> RowHeat {
        RowHeat(self.edges.get(edge as usize).copied().unwrap_or_default())
    }

    /// Takes in what `sums` has of the frame that `clock` last advanced over.
    pub(crate) fn add(
        &mut self,
        clock: &AverageClock,
        names: &Names,
        sums: &FrameSums,
        ms_per_tick: f64,
    ) {
        for &(zone, edge) in names.shared_since(self.shared) {
            let so_far = self.edge(edge).0;
            if self.zones.len() <= zone as usize {
                self.zones.resize(zone as usize + 1, Moments::default());
            }
            self.zones[zone as usize] = so_far;
            self.shared += 1;
        }
        sums.zones.feed(&mut self.zones, clock, ms_per_tick);
        sums.edges.feed(&mut self.edges, clock, ms_per_tick);
    }
}

/// Self and hierarchical ticks of zones and edges in one frame.
#[derive(Debug, Default)]
pub(crate) struct FrameSums {
    /// Of zones that several edges lead into.
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
    pub(crate) fn take(&mut self, names: &Names, links: &[Link], samples: &[Sample]) {
        self.clear(names);
        if self.passed_up.len() < links.len() {
            self.passed_up.resize(links.len(), 0);
        }
        let passed_up = &mut self.passed_up[..];
        let mut total = 0;
        // Parents mostly come before their children, so one pass from the back sums up subtrees.
        for sample in samples.iter().rev() {
            let link = links[sample.node as usize];
            let ticks = sample.ticks + std::mem::take(&mut passed_up[sample.node as usize]);
            let sum = self.edges.at(link.edge());
            sum.self_ticks = sum.self_ticks.wrapping_add(sample.ticks);
            if link.is_outermost() {
                sum.hier_ticks = sum.hier_ticks.wrapping_add(ticks);
            }
            passed_up[link.parent as usize] += ticks;
            total += sample.ticks;
        }
        // The root is its own parent: what has got there stays there.
        if let Some(root) = links.first() {
            let stuck = total - std::mem::take(&mut passed_up[0]);
            if stuck > 0 {
                self.pass_on(links, samples, stuck);
            }
            self.edges.at(root.edge()).hier_ticks = total;
        }
        // An edge has one zone, and every node has an edge: a zone is the sum of its edges.
        for &edge in &self.edges.set {
            let sum = &mut self.edges.sums[edge as usize];
            if sum.zone == NONE {
                sum.zone = names.callee(edge);
            }
            let sum = *sum;
            if !names.is_shared(sum.zone) {
                continue;
            }
            let zone = self.zones.at(sum.zone);
            zone.self_ticks += sum.self_ticks;
            zone.hier_ticks += sum.hier_ticks;
        }
    }

    /// Passes on the ticks that got stuck on their way to the root: in a node that has no sample,
    /// as one that was open all the time and never on top, or that has it behind its children's.
    #[cold]
    fn pass_on(&mut self, links: &[Link], samples: &[Sample], mut stuck: Ticks) {
        for sample in samples {
            if stuck == 0 {
                break;
            }
            let parent = links[sample.node as usize].parent;
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
            let link = links[at as usize];
            if link.is_outermost() {
                self.edges.at(link.edge()).hier_ticks += ticks;
            }
            if at > 0 {
                self.stuck.push((link.parent, ticks));
            }
        }
    }

    /// Adds what another thread, or all others, have. Of a counter that jumps by ages the sum of
    /// several threads may be more than there are numbers.
    pub(crate) fn merge(&mut self, other: &FrameSums) {
        self.zones.merge(&other.zones);
        self.edges.merge(&other.edges);
    }
}

/// What a zone or an edge did in a frame, on one thread or on all.
#[derive(Clone, Copy, Debug)]
struct Sum {
    self_ticks: Ticks,
    hier_ticks: Ticks,
    /// The zone that an edge leads into, once that was asked for.
    zone: u32,
    is_set: bool,
}

const NOTHING: Sum = Sum {
    self_ticks: 0,
    hier_ticks: 0,
    zone: NONE,
    is_set: false,
};

/// Sums by small number, of which few are set.
#[derive(Debug, Default)]
struct Sparse {
    sums: Vec<Sum>,
    set: Vec<u32>,
}

impl Sparse {
    /// The sum of number `id`.
    #[inline(always)]
    fn at(&mut self, id: u32) -> &mut Sum {
        let sum = &mut self.sums[id as usize];
        if !sum.is_set {
            sum.is_set = true;
            self.set.push(id);
        }
        sum
    }

    /// Nothing is set any more; there are `ids` numbers.
    fn clear(&mut self, ids: usize) {
        for id in self.set.drain(..) {
            let sum = &mut self.sums[id as usize];
            (sum.self_ticks, sum.hier_ticks, sum.is_set) = (0, 0, false);
        }
        if self.sums.len() < ids {
            self.sums.resize(ids, NOTHING);
        }
    }

    fn merge(&mut self, other: &Sparse) {
        for &id in &other.set {
            let theirs = other.sums[id as usize];
            let mine = self.at(id);
            mine.self_ticks = mine.self_ticks.wrapping_add(theirs.self_ticks);
            mine.hier_ticks = mine.hier_ticks.wrapping_add(theirs.hier_ticks);
        }
    }

    fn feed(&self, rows: &mut Vec<Moments>, clock: &AverageClock, ms_per_tick: f64) {
        if rows.len() < self.sums.len() {
            rows.resize(self.sums.len(), Moments::default());
        }
        let values = self.set.iter().map(|&id| {
            let sum = &self.sums[id as usize];
            // By way of signed numbers, as a sample's values.
            let ms = |ticks: Ticks| (ticks as i64 as f64 * ms_per_tick) as f32;
            (id, [ms(sum.self_ticks), ms(sum.hier_ticks)])
        });
        add_each(rows, clock, values);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::average::Aged;
    use super::super::tree::TreeNode;
    use super::*;
    use crate::Zone;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    static ZONES: [Zone; 4] = [const { Zone::new("", "", 0, "") }; 4];

    /// A tree in which node `n + 1` has the parent and the zone of `tree[n]`.
    fn nodes(tree: &[(prop::sample::Index, u32)], names: &mut Names) -> Vec<TreeNode> {
        for zone in &ZONES {
            names.zone(zone);
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
                edge: outer.map_or_else(|| names.edge(caller, zone), |outer| outer.edge),
                outermost: outer.map_or(nodes.len() as u32, |outer| outer.outermost),
                next_alike,
            });
        }
        nodes
    }

    /// Self and hierarchical ticks by zone and by edge, stack by stack.
    fn naive(nodes: &[TreeNode], samples: &[Sample]) -> [BTreeMap<u32, [Ticks; 2]>; 2] {
        let [mut zones, mut edges] = [BTreeMap::new(), BTreeMap::new()];
        for sample in samples {
            let top = nodes[sample.node as usize];
            zones.entry(top.zone).or_insert([0; 2])[0] += sample.ticks;
            edges.entry(top.edge).or_insert([0; 2])[0] += sample.ticks;
            let mut at = sample.node;
            loop {
                let node = nodes[at as usize];
                if node.level == 0 {
                    zones.entry(node.zone).or_insert([0; 2])[1] += sample.ticks;
                    edges.entry(node.edge).or_insert([0; 2])[1] += sample.ticks;
                }
                if at == 0 {
                    break;
                }
                at = node.parent;
            }
        }
        [zones, edges]
    }

    /// What is set and not nothing.
    fn set(sums: &Sparse) -> BTreeMap<u32, [Ticks; 2]> {
        let sum = |id: &u32| &sums.sums[*id as usize];
        let values = |id: &u32| (*id, [sum(id).self_ticks, sum(id).hier_ticks]);
        sums.set
            .iter()
            .map(values)
            .filter(|(_, sum)| *sum != [0; 2])
            .collect()
    }

    proptest! {
        /// Whichever nodes have samples and in whatever order.
        #[test]
        fn sums_are_those_of_all_stacks(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 1u32..4), 0..60),
            frames in prop::collection::vec(
                prop::collection::vec((any::<prop::sample::Index>(), 0u64..1_000), 0..40),
                1..4,
            ),
            ordered in any::<bool>(),
        ) {
            let mut names = Names::default();
            let nodes = nodes(&tree, &mut names);
            let links: Vec<Link> = nodes.iter().map(Link::of).collect();
            let mut sums = FrameSums::default();
            let mut all = FrameSums::default();
            all.clear(&names);
            let mut all_naive = [BTreeMap::new(), BTreeMap::new()];
            for frame in &frames {
                let mut samples: Vec<Sample> = Vec::new();
                for (at, ticks) in frame {
                    let node = at.index(nodes.len()) as u32;
                    if samples.iter().all(|sample| sample.node != node) {
                        samples.push(Sample { ticks: *ticks, entries: 1, node, error: 0.0 });
                    }
                }
                if ordered {
                    samples.sort_by_key(|sample| sample.node);
                }
                sums.take(&names, &links, &samples);
                all.merge(&sums);
                let mut naive = naive(&nodes, &samples);
                for (all, naive) in all_naive.iter_mut().zip(&mut naive) {
                    naive.retain(|_, sum| *sum != [0; 2]);
                    for (id, sum) in naive {
                        let all = all.entry(*id).or_insert([0; 2]);
                        *all = [all[0] + sum[0], all[1] + sum[1]];
                    }
                }
                let [zones, edges] = &mut naive;
                zones.retain(|zone, _| names.is_shared(*zone));
                prop_assert_eq!([&set(&sums.zones), &set(&sums.edges)], [&*zones, &*edges]);
                prop_assert!(sums.passed_up.iter().all(|ticks| *ticks == 0));
            }
            all_naive[0].retain(|zone, _| names.is_shared(*zone));
            prop_assert_eq!([set(&all.zones), set(&all.edges)], all_naive);
        }
    }

    #[test]
    fn heat_is_twice_the_relative_deviation_and_no_more_than_one() {
        let heat_of = |values: [f32; 2]| {
            let (mut clock, mut row) = (AverageClock::default(), RowHeat::default());
            for frame in 0..4000 {
                clock.advance(0.01);
                let value = values[frame % 2];
                let old = clock.since(row.0.at());
                row.0.blend(&clock, old, [value, 3.0]);
            }
            assert!(row.hier_heat(&clock, 1) < 1e-3);
            row.self_heat(&clock, 1)
        };
        assert!(heat_of([3.0, 3.0]) < 1e-3);
        assert!((heat_of([0.9, 1.1]) - 0.2).abs() < 1e-2);
        assert_eq!(heat_of([0.0, 1.0]), 1.0);
        assert_eq!(heat_of([0.0, 0.0]), 0.0);
    }
}
