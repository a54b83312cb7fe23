//! How sure a sum of sampled times is.
//!
//! Nodes that share a clock form a group whose time is exact ([`estimate`](super::estimate)). A sum
//! over nodes is uncertain only by which part of each group is in it. If nodes with variances `v`
//! are known to have an exact sum, a part of them with variances that sum to `a` of all of them,
//! `b`, has the variance `a (1 - a / b)`: that of independent normal variables, given their sum,
//! and of the shares of a multinomial.

use super::tree::NONE;
use std::collections::HashMap;

/// The nodes of a thread whose times were sampled.
#[derive(Debug)]
pub(crate) struct Sampled {
    /// By node: in squares of the unit of times, but for what their share of the group takes away.
    /// Nodes with a time that is exact have none.
    pub(crate) variance: Vec<f64>,
    /// By node: the node on whose clock it ran, be it itself.
    pub(crate) group: Vec<u32>,
    /// By group: its nodes, and their time.
    pub(crate) whole: Vec<Part>,
}

impl Sampled {
    /// By variances and groups of nodes, and by their times.
    pub(crate) fn new(variance: Vec<f64>, group: Vec<u32>, time: &[f64]) -> Sampled {
        let mut whole = vec![Part::default(); group.len()];
        for (node, group) in group.iter().enumerate() {
            whole[*group as usize].add(Part {
                variance: variance[node],
                time: time[node],
                nodes: 1,
            });
        }
        Sampled {
            variance,
            group,
            whole,
        }
    }

    pub(crate) fn part(&self, node: usize, time: f64) -> Part {
        Part {
            variance: self.variance[node],
            time,
            nodes: 1,
        }
    }
}

/// Some nodes of one group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) variance: f64,
    pub(crate) time: f64,
    pub(crate) nodes: u32,
}

impl Part {
    pub(crate) fn add(&mut self, other: Part) {
        self.variance += other.variance;
        self.time += other.time;
        self.nodes += other.nodes;
    }

    /// The variance of the part's time, given that the whole's is exact.
    pub(super) fn variance_in(self, whole: Part) -> f64 {
        if self.nodes == whole.nodes || whole.variance <= 0.0 {
            return 0.0;
        }
        let variance = self.variance * (1.0 - self.variance / whole.variance).clamp(0.0, 1.0);
        // Nothing that lies between none and all of the whole's time varies more.
        variance.min(0.25 * whole.time * whole.time)
    }
}

/// Sums by row, kept apart by group.
#[derive(Debug, Default)]
pub(crate) struct Spread {
    /// By row, thread and group.
    parts: HashMap<(u32, u32, u32), (Part, Part)>,
}

impl Spread {
    /// Adds nodes of one group to a row.
    pub(crate) fn add(&mut self, row: u32, thread: usize, group: u32, part: Part, whole: Part) {
        if whole.variance > 0.0 {
            let entry = self.parts.entry((row, thread as u32, group));
            entry.or_insert((Part::default(), whole)).0.add(part);
        }
    }

    /// Adds what there is to the rows of another one, which `to` tells by row; to none, if it is
    /// [`NONE`].
    pub(crate) fn merge_into(&self, other: &mut Spread, to: &[u32]) {
        for ((row, thread, group), (part, whole)) in &self.parts {
            if to[*row as usize] != NONE {
                let entry = other.parts.entry((to[*row as usize], *thread, *group));
                entry.or_insert((Part::default(), *whole)).0.add(*part);
            }
        }
    }

    /// Adds what rows have to the rows that they stand under, which `above` tells; [`NONE`] of those
    /// that stand under none. What a row stands under comes before it.
    pub(crate) fn pass_up(&mut self, above: &[u32]) {
        if self.parts.is_empty() {
            return;
        }
        let mut by_row: Vec<HashMap<(u32, u32), (Part, Part)>> = vec![HashMap::new(); above.len()];
        for ((row, thread, group), part) in self.parts.drain() {
            by_row[row as usize].insert((thread, group), part);
        }
        for at in (0..above.len()).rev() {
            let parts = std::mem::take(&mut by_row[at]);
            for ((thread, group), (part, whole)) in parts {
                if above[at] != NONE && part.nodes < whole.nodes {
                    let entry = by_row[above[at] as usize].entry((thread, group));
                    entry.or_insert((Part::default(), whole)).0.add(part);
                }
                self.parts.insert((at as u32, thread, group), (part, whole));
            }
        }
    }

    /// Calls `f` with rows and their variances; a row may come several times, its variances add up.
    pub(crate) fn for_each(&self, mut f: impl FnMut(u32, f64)) {
        for ((row, _, _), (part, whole)) in &self.parts {
            f(*row, part.variance_in(*whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_group_is_sure_and_its_two_halves_are_equally_unsure() {
        let time = [6.0, 4.0, 5.0];
        // A multinomial: time * total / samples.
        let variance = vec![6.0 * 10.0 / 50.0, 4.0 * 10.0 / 50.0, 0.0];
        let sampled = Sampled::new(variance, vec![0, 0, 2], &time);
        let mut spread = Spread::default();
        let mut add = |row, node: usize| {
            let group = sampled.group[node];
            let whole = sampled.whole[group as usize];
            spread.add(row, 0, group, sampled.part(node, time[node]), whole);
        };
        add(1, 0);
        add(2, 1);
        add(3, 0);
        add(3, 1);
        add(4, 2);
        let mut variances = [0.0; 5];
        spread.for_each(|row, variance| variances[row as usize] += variance);
        // p (1 - p) / n of the square of the total.
        let wanted = 100.0 * 0.6 * 0.4 / 50.0;
        for (variance, wanted) in variances.iter().zip([0.0, wanted, wanted, 0.0, 0.0]) {
            assert!((variance - wanted).abs() < 1e-12, "{variances:?}");
        }
    }

    /// Each two rows of a chain share a clock; all rows stand under one another.
    #[test]
    fn a_group_that_is_in_a_row_as_a_whole_goes_no_further() {
        const ROWS: u32 = 2_000;
        let half = Part {
            variance: 2.0,
            time: 3.0,
            nodes: 1,
        };
        let whole = Part {
            variance: 4.0,
            time: 6.0,
            nodes: 2,
        };
        let mut spread = Spread::default();
        for row in 0..ROWS {
            spread.add(row, 0, row / 2, half, whole);
        }
        let above: Vec<u32> = (0..ROWS).map(|row| row.wrapping_sub(1)).collect();
        assert_eq!(above[0], NONE);
        spread.pass_up(&above);
        assert!(spread.parts.len() <= 2 * ROWS as usize);
        let mut variances = vec![0.0; ROWS as usize];
        spread.for_each(|row, variance| variances[row as usize] += variance);
        // Of the inner one of two half of their time is known, of the outer one all.
        for (row, variance) in variances.iter().enumerate() {
            assert_eq!(*variance, if row % 2 == 0 { 0.0 } else { 1.0 });
        }
    }
}
