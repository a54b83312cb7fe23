//! Session totals: the ticks and entries of a thread's nodes, summed over all recorded frames, for
//! snapshots.
//!
//! # A recorded frame costs nothing here
//!
//! The thread tree knows how much of each cumulative counter it has attributed to frames so far,
//! since a frame gets what was counted less that. So the total over all recorded frames is the
//! attributed amount less the *excluded* amount. Only the excluded amount is stored. It consists of
//! what was attributed to frames that were discarded or forgotten, and of the difference where a
//! recorded frame's delta is not what was attributed to it: because the counter was set back, or
//! because the time of a timer group was apportioned.

use crate::clock::Ticks;
use crate::process::delta::NodeDelta;
use crate::process::untimed::estimate::{SharedTime, variance_by_share};

/// A node's totals over all recorded frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeTotals {
    pub(crate) ticks: Ticks,
    pub(crate) entries: u64,
    /// Samples in which the node was on top of the stack.
    pub(crate) hits: u64,
    /// The standard error of `ticks`, in ticks.
    pub(crate) error: f64,
}

/// The excluded amounts and the sampling results of a thread's nodes; see the module's comment.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionTotals {
    /// By node: the excluded ticks and entries, modulo 2^64.
    excluded: Vec<(Ticks, u64)>,
    /// By node: the sampling results. Empty for a thread that was never sampled.
    sampled: Vec<SampledShare>,
}

/// The totals at some moment, to compare with or to return to.
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedTotals {
    /// By node: ticks and entries of all recorded frames.
    totals: Vec<(Ticks, u64)>,
    sampled: Vec<SampledShare>,
}

/// The sampling results of a node, over all recorded frames.
#[derive(Clone, Copy, Debug, Default)]
struct SampledShare {
    hits: u64,
    /// The ticks that the node got of its timer groups.
    got: f64,
    /// The ticks of these groups, and the number of samples taken in them.
    ticks: f64,
    samples: f64,
    /// The number of these samples that the estimator's learned costs rested on when the last ones were taken.
    learned: f64,
}

impl SessionTotals {
    /// Memory per node of a thread that is sampled.
    #[cfg(all(test, not(loom)))]
    pub(crate) const BYTES_PER_SAMPLED_NODE: usize =
        size_of::<(Ticks, u64)>() + size_of::<SampledShare>();

    /// Excludes `deltas`: they were attributed, but no recorded frame has them.
    pub(crate) fn exclude(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            let excluded = entry(&mut self.excluded, delta.node);
            excluded.0 = excluded.0.wrapping_add(delta.ticks);
            excluded.1 = excluded.1.wrapping_add(delta.entries);
        }
    }

    /// Includes `deltas`: a recorded frame has them, but they were not attributed.
    pub(crate) fn include(&mut self, deltas: &[NodeDelta]) {
        for delta in deltas {
            let excluded = entry(&mut self.excluded, delta.node);
            excluded.0 = excluded.0.wrapping_sub(delta.ticks);
            excluded.1 = excluded.1.wrapping_sub(delta.entries);
        }
    }

    /// The attributed ticks of a node move from `from` to `to`, and no frame gets the difference.
    pub(crate) fn exclude_ticks(&mut self, node: u32, from: Ticks, to: Ticks) {
        if from != to {
            let excluded = entry(&mut self.excluded, node);
            excluded.0 = excluded.0.wrapping_add(to.wrapping_sub(from));
        }
    }

    /// Adds `count` samples of a recorded frame in which the node was on top.
    pub(crate) fn add_hits(&mut self, node: u32, count: u32) {
        entry(&mut self.sampled, node).hits += u64::from(count);
    }

    /// In a recorded frame, the node got `got` ticks of its timer group's time.
    pub(crate) fn add_share(&mut self, node: u32, got: Ticks, shared: SharedTime) {
        let shares = entry(&mut self.sampled, node);
        shares.got += got as f64;
        shares.ticks += shared.ticks as f64;
        shares.samples += f64::from(shared.hits);
        shares.learned = shared.learned;
    }

    /// The totals as of now, to [restore](Self::restore) later. `attributed` are the ticks and
    /// entries attributed so far, by node.
    pub(crate) fn save(&self, attributed: impl Iterator<Item = (Ticks, u64)>) -> SavedTotals {
        let all = attributed.zip(0..).map(|(attributed, node)| {
            let totals = self.node(node, attributed);
            (totals.ticks, totals.entries)
        });
        SavedTotals {
            totals: all.collect(),
            sampled: self.sampled.clone(),
        }
    }

    /// Restores the totals `saved`: what was attributed since is in no recorded frame. `attributed`
    /// are the ticks and entries attributed so far, by node.
    pub(crate) fn restore(
        &mut self,
        saved: SavedTotals,
        attributed: impl Iterator<Item = (Ticks, u64)>,
    ) {
        let mut saved_totals = saved.totals.into_iter();
        self.excluded.clear();
        self.excluded.extend(attributed.map(|(ticks, entries)| {
            let before = saved_totals.next().unwrap_or_default();
            (ticks.wrapping_sub(before.0), entries.wrapping_sub(before.1))
        }));
        self.sampled = saved.sampled;
    }

    /// The standard error of what a node got since `saved`, before the reduction for its share.
    pub(crate) fn error_since(&self, saved: &SavedTotals, node: u32) -> f64 {
        let shares = |of: &[SampledShare]| of.get(node as usize).copied().unwrap_or_default();
        let (now, then) = (shares(&self.sampled), shares(&saved.sampled));
        let since = SampledShare {
            hits: now.hits - then.hits,
            got: now.got - then.got,
            ticks: now.ticks - then.ticks,
            samples: now.samples - then.samples,
            learned: now.learned,
        };
        since.variance().sqrt()
    }

    /// Sets all totals to zero. `attributed` are the ticks and entries attributed so far, by node.
    pub(crate) fn reset(&mut self, attributed: impl Iterator<Item = (Ticks, u64)>) {
        self.restore(SavedTotals::default(), attributed);
    }

    /// The totals of a node to which `attributed` was attributed so far.
    pub(crate) fn node(&self, node: u32, attributed: (Ticks, u64)) -> NodeTotals {
        let index = node as usize;
        let excluded = self.excluded.get(index).copied().unwrap_or_default();
        let shares = self.sampled.get(index).copied().unwrap_or_default();
        NodeTotals {
            ticks: attributed.0.wrapping_sub(excluded.0),
            entries: attributed.1.wrapping_sub(excluded.1),
            hits: shares.hits,
            error: shares.error(),
        }
    }
}

impl SampledShare {
    /// The variance of what the node got, before the reduction for its share.
    ///
    /// What was learned in one frame is used in later frames, as long as the estimator's memory has it. So
    /// the first samples count for more than those that are taken when many are known: of frames
    /// `g` to `n` the weights are about `ln(n / g)`, whose mean is one and whose mean square is
    /// two. All samples that were taken with a full memory count alike.
    fn variance(&self) -> f64 {
        let first = (self.learned / self.samples.max(1.0)).clamp(0.0, 1.0);
        variance_by_share(self.ticks, self.got, self.samples) * (1.0 + first)
    }

    /// The standard error of what the node got: that of its share of the samples taken.
    fn error(&self) -> f64 {
        if self.ticks <= 0.0 {
            return 0.0;
        }
        // Smoothed as the variance is: a node that got all of the time, by the samples, may really
        // have less.
        let smoothed = (self.got * self.samples + 0.5 * self.ticks) / (self.samples + 1.0);
        let others = 1.0 - smoothed / self.ticks;
        let variance = self.variance();
        (variance * others.max(0.0)).sqrt()
    }
}

/// The entry of a node. The list grows on first use, so an unused list takes no memory.
fn entry<T: Clone + Default>(all: &mut Vec<T>, node: u32) -> &mut T {
    let index = node as usize;
    if index >= all.len() {
        all.resize(index + 1, T::default());
    }
    &mut all[index]
}

#[cfg(test)]
mod tests {
    use super::{SessionTotals, SharedTime};

    /// All of a frame's time, with so many samples, the first there are.
    fn shared(samples: u32) -> SharedTime {
        SharedTime {
            ticks: 500,
            hits: samples,
            learned: f64::from(samples),
        }
    }

    #[test]
    fn a_node_with_all_samples_still_has_a_standard_error() {
        for samples in [0, 3, 1_000] {
            let mut totals = SessionTotals::default();
            totals.add_share(1, 500, shared(samples));
            let error = totals.node(1, (500, 1)).error;
            assert!(error > 0.0 && error <= 250.0, "{error}");
        }
        let mut totals = SessionTotals::default();
        totals.add_share(1, 500, shared(1_000));
        assert!(totals.node(1, (500, 1)).error < 1.0);
    }
}
