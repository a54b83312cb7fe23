//! Computes the variance of each row's sampled time: the sum of its nodes' variances, reduced because the totals of
//! timer groups are exact.
//!
//! A timer group's total is exact ([`estimate`](crate::untimed_nodes::estimate)), so only groups that are partly inside
//! a sum make the sum uncertain. If the variances of all nodes in a group sum to `b`, and the variances of some of the
//! nodes sum to `a`, those nodes' time has the variance `a (1 - a / b)`. This is the variance of independent normal
//! variables given their sum, and also the variance of multinomial counts.

use crate::NONE;
use std::collections::HashMap;

#[derive(Debug)]
pub struct NodeVariances {
    /// Each node's variance before the reduction for the node's fraction of its group, in squared time units. 0 if the
    /// node's time is exact.
    variance: Vec<f64>,
    /// Each node's timed ancestor. A timed node is its own.
    group: Vec<u32>,
    whole: Vec<PartialSum>,
}

impl NodeVariances {
    pub(super) fn new(variance: Vec<f64>, group: Vec<u32>, time: &[f64]) -> NodeVariances {
        let mut whole = vec![PartialSum::default(); group.len()];
        for (node, group) in group.iter().enumerate() {
            whole[*group as usize].add(PartialSum {
                variance: variance[node],
                time: time[node],
                nodes: 1,
            });
        }
        NodeVariances {
            variance,
            group,
            whole,
        }
    }

    /// Computes variances from every node's time and from the standard errors of some nodes, which are signed as in
    /// [`NodeDelta::error`](crate::untimed_nodes::NodeDelta::error). Parents come before their children. Returns `None`
    /// if no time was sampled.
    pub fn of_errors(
        time: &[f64],
        parent: impl Fn(usize) -> usize,
        errors: impl Iterator<Item = (usize, f64)>,
    ) -> Option<NodeVariances> {
        let mut errors = errors.filter(|(_, error)| *error != 0.0).peekable();
        errors.peek()?;
        let mut variance = vec![0.0; time.len()];
        let mut is_untimed = vec![false; time.len()];
        for (node, error) in errors {
            variance[node] = error * error;
            is_untimed[node] = error > 0.0;
        }
        let mut group: Vec<u32> = (0..time.len() as u32).collect();
        for node in (0..time.len()).filter(|node| is_untimed[*node]) {
            group[node] = group[parent(node)];
        }
        Some(NodeVariances::new(variance, group, time))
    }

    pub fn is_timed(&self, node: usize) -> bool {
        self.group[node] == node as u32
    }

    /// Whether a node's time is exact.
    pub fn is_exact(&self, node: usize) -> bool {
        self.variance[node] == 0.0
    }

    pub fn error(&self, node: usize, time: f64) -> f64 {
        self.part(node, time).variance_in(self.whole(node)).sqrt()
    }

    /// Returns the partial sum for a single node, given its time.
    pub fn part(&self, node: usize, time: f64) -> PartialSum {
        PartialSum {
            variance: self.variance[node],
            time,
            nodes: 1,
        }
    }

    fn whole(&self, node: usize) -> PartialSum {
        self.whole[self.group[node] as usize]
    }
}

/// A sum over some of a timer group's nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartialSum {
    variance: f64,
    time: f64,
    nodes: u32,
}

impl PartialSum {
    fn add(&mut self, other: PartialSum) {
        self.variance += other.variance;
        self.time += other.time;
        self.nodes += other.nodes;
    }

    /// Returns the variance of this partial sum's time, given that the time of `whole` is exact.
    fn variance_in(self, whole: PartialSum) -> f64 {
        if self.nodes == whole.nodes || whole.variance <= 0.0 {
            return 0.0;
        }
        let variance = self.variance * (1.0 - self.variance / whole.variance).clamp(0.0, 1.0);
        // No random variable between 0 and the total time can have a larger variance.
        variance.min(0.25 * whole.time * whole.time)
    }
}

/// For each node, the part of its timer group that is in its subtree. A node's sum is complete once all of its
/// descendants have been [passed up](SubtreeVariances::pass_up).
#[derive(Debug)]
pub struct SubtreeVariances(Vec<PartialSum>);

impl SubtreeVariances {
    pub fn new(nodes: &NodeVariances, time: &[f64]) -> SubtreeVariances {
        let times = time.iter().enumerate();
        SubtreeVariances(times.map(|(node, time)| nodes.part(node, *time)).collect())
    }

    pub fn part(&self, node: usize) -> PartialSum {
        self.0[node]
    }

    /// Adds a node's partial sum to its parent's, if the two nodes share a timer group. All other timer groups are
    /// entirely inside the subtree.
    pub fn pass_up(&mut self, nodes: &NodeVariances, node: usize, parent: usize) {
        if !nodes.is_timed(node) {
            let part = self.0[node];
            self.0[parent].add(part);
        }
    }
}

/// Partial sums by row, thread and timer group.
#[derive(Debug, Default)]
pub struct RowVariances {
    /// For each row, thread and group, the part of the group in the row, and the entire group.
    parts: HashMap<(u32, u32, u32), (PartialSum, PartialSum)>,
}

impl RowVariances {
    /// Adds part of a node's timer group to a row: only the [node](NodeVariances::part) itself, or the group's nodes in
    /// its [subtree](SubtreeVariances::part).
    pub fn add(
        &mut self,
        row: u32,
        thread: usize,
        nodes: &NodeVariances,
        node: usize,
        part: PartialSum,
    ) {
        let whole = nodes.whole(node);
        if whole.variance > 0.0 {
            let group = nodes.group[node];
            let entry = self.parts.entry((row, thread as u32, group));
            entry.or_insert((PartialSum::default(), whole)).0.add(part);
        }
    }

    /// Adds all partial sums to the rows in `other`. `to` maps each row to a row in `other`, or to [`NONE`].
    pub fn merge_into(&self, other: &mut RowVariances, to: &[u32]) {
        for ((row, thread, group), (part, whole)) in &self.parts {
            if to[*row as usize] != NONE {
                let entry = other.parts.entry((to[*row as usize], *thread, *group));
                entry
                    .or_insert((PartialSum::default(), *whole))
                    .0
                    .add(*part);
            }
        }
    }

    /// Adds each row's partial sums to the row `above` it, unless that is [`NONE`]. A row comes after the row above it.
    pub fn pass_up(&mut self, above: &[u32]) {
        if self.parts.is_empty() {
            return;
        }
        let mut by_row: Vec<HashMap<(u32, u32), (PartialSum, PartialSum)>> =
            vec![HashMap::new(); above.len()];
        for ((row, thread, group), part) in self.parts.drain() {
            by_row[row as usize].insert((thread, group), part);
        }
        for at in (0..above.len()).rev() {
            let parts = std::mem::take(&mut by_row[at]);
            for ((thread, group), (part, whole)) in parts {
                if above[at] != NONE && part.nodes < whole.nodes {
                    let entry = by_row[above[at] as usize].entry((thread, group));
                    entry.or_insert((PartialSum::default(), whole)).0.add(part);
                }
                self.parts.insert((at as u32, thread, group), (part, whole));
            }
        }
    }

    /// Calls `f` with rows and variances. If a row occurs several times, its variance is the sum.
    pub fn for_each(&self, mut f: impl FnMut(u32, f64)) {
        for ((row, _, _), (part, whole)) in &self.parts {
            f(*row, part.variance_in(*whole));
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn whole_group_has_no_variance() {
        let time = [6.0, 4.0, 5.0];
        // For a multinomial, the variance is time * total / samples.
        let variance = vec![6.0 * 10.0 / 50.0, 4.0 * 10.0 / 50.0, 0.0];
        let sampled = NodeVariances::new(variance, vec![0, 0, 2], &time);
        let mut rows = RowVariances::default();
        let part = |node: usize| sampled.part(node, time[node]);
        let mut add = |row, node: usize| rows.add(row, 0, &sampled, node, part(node));
        add(1, 0);
        add(2, 1);
        add(3, 0);
        add(3, 1);
        add(4, 2);
        let mut variances = [0.0; 5];
        rows.for_each(|row, variance| variances[row as usize] += variance);
        // p (1 - p) / n, times the square of the total.
        let wanted = 100.0 * 0.6 * 0.4 / 50.0;
        for (variance, wanted) in variances.iter().zip([0.0, wanted, wanted, 0.0, 0.0]) {
            assert!((variance - wanted).abs() < 1e-12, "{variances:?}");
        }
    }

    /// Tests a chain in which each row is below the previous one, and each pair of rows shares a timer group.
    #[test]
    fn complete_groups_are_not_passed_up() {
        const ROWS: u32 = 2_000;
        let group = (0..ROWS).map(|node| node / 2 * 2).collect();
        let time = vec![3.0; ROWS as usize];
        let sampled = NodeVariances::new(vec![2.0; ROWS as usize], group, &time);
        let mut rows = RowVariances::default();
        for row in 0..ROWS {
            let node = row as usize;
            rows.add(row, 0, &sampled, node, sampled.part(node, 3.0));
        }
        let above: Vec<u32> = (0..ROWS).map(|row| row.wrapping_sub(1)).collect();
        assert_eq!(above[0], NONE);
        rows.pass_up(&above);
        assert!(rows.parts.len() <= 2 * ROWS as usize);
        let mut variances = vec![0.0; ROWS as usize];
        rows.for_each(|row, variance| variances[row as usize] += variance);
        // The inner of two rows contains half of the group's time, the outer one all of it.
        for (row, variance) in variances.iter().enumerate() {
            assert_eq!(*variance, if row % 2 == 0 { 0.0 } else { 1.0 });
        }
    }
}
