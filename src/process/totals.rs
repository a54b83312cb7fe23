//! What a thread's nodes did in all frames that were kept.
//!
//! # At no cost to a frame that is kept
//!
//! The tree knows what it has given to frames so far, for a frame gets what was counted less that.
//! So what all kept frames got is known too, but for what is *apart*: what was given to frames that
//! were thrown away or forgotten, and the difference where a frame has something else than was
//! given to it, because the counter was set back or because a shared clock was apportioned. Only
//! that is noted.

use super::estimate::{Shared, variance_by_share};
use super::history::Sample;
use crate::clock::Ticks;

/// What a node did in all kept frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeTotals {
    pub(crate) ticks: Ticks,
    pub(crate) entries: u64,
    /// How often the sampler found it on top.
    pub(crate) hits: u64,
    /// The standard error of `ticks`, in ticks.
    pub(crate) error: f64,
}

/// See the file's comment.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// By node: ticks and entries that are apart, modulo 2^64.
    apart: Vec<(Ticks, u64)>,
    /// By node: what sampling found, of a thread that was ever sampled.
    sampled: Vec<Shares>,
}

/// What the totals were at some moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// By node.
    kept: Vec<(Ticks, u64)>,
    sampled: Vec<Shares>,
}

/// What is known of a node by sampling.
#[derive(Clone, Copy, Debug, Default)]
struct Shares {
    hits: u64,
    /// What it got of the ticks of the groups that it was in.
    got: f64,
    /// The ticks of these groups, and the samples that were taken in them.
    ticks: f64,
    samples: f64,
    /// Of these, as many as were remembered when the last ones came.
    remembered: f64,
}

impl Totals {
    /// What it keeps of each node of a thread that is sampled.
    #[cfg(all(test, not(loom)))]
    pub(super) const BYTES_PER_SAMPLED_NODE: usize =
        size_of::<(Ticks, u64)>() + size_of::<Shares>();

    /// What was given to these samples is in no frame that is kept.
    pub(super) fn lose(&mut self, samples: &[Sample]) {
        for sample in samples {
            let apart = at(&mut self.apart, sample.node);
            apart.0 = apart.0.wrapping_add(sample.ticks);
            apart.1 = apart.1.wrapping_add(sample.entries);
        }
    }

    /// What these samples have is in a frame that is kept, and was not given to it.
    pub(super) fn gain(&mut self, samples: &[Sample]) {
        for sample in samples {
            let apart = at(&mut self.apart, sample.node);
            apart.0 = apart.0.wrapping_sub(sample.ticks);
            apart.1 = apart.1.wrapping_sub(sample.entries);
        }
    }

    /// A node's ticks count as given up to `to` instead of `from`, without a frame that got them.
    pub(super) fn skip(&mut self, node: u32, from: Ticks, to: Ticks) {
        if from != to {
            let apart = at(&mut self.apart, node);
            apart.0 = apart.0.wrapping_add(to.wrapping_sub(from));
        }
    }

    /// The sampler found the node, in a frame that is kept.
    pub(super) fn hit(&mut self, node: u32, count: u32) {
        at(&mut self.sampled, node).hits += u64::from(count);
    }

    /// In a frame that is kept, the node got `got` of what its group had to share.
    pub(super) fn share(&mut self, node: u32, got: Ticks, shared: Shared) {
        let shares = at(&mut self.sampled, node);
        shares.got += got as f64;
        shares.ticks += shared.ticks as f64;
        shares.samples += f64::from(shared.hits);
        shares.remembered = shared.remembered;
    }

    /// What is known now, to be [gone back](Self::go_back) to; `given` is what each node was given so
    /// far.
    pub(super) fn known(&self, given: impl Iterator<Item = (Ticks, u64)>) -> Known {
        let kept = given.zip(0..).map(|(given, node)| {
            let totals = self.of(node, given);
            (totals.ticks, totals.entries)
        });
        Known {
            kept: kept.collect(),
            sampled: self.sampled.clone(),
        }
    }

    /// Whatever came after `known` is in no frame that is kept; `given` is what each node was given
    /// so far.
    pub(super) fn go_back(&mut self, known: Known, given: impl Iterator<Item = (Ticks, u64)>) {
        let mut kept = known.kept.into_iter();
        self.apart.clear();
        self.apart.extend(given.map(|(ticks, entries)| {
            let kept = kept.next().unwrap_or_default();
            (ticks.wrapping_sub(kept.0), entries.wrapping_sub(kept.1))
        }));
        self.sampled = known.sampled;
    }

    /// The standard error of what a node got since `known`, but for what its share takes away.
    pub(super) fn error_since(&self, known: &Known, node: u32) -> f64 {
        let shares = |of: &[Shares]| of.get(node as usize).copied().unwrap_or_default();
        let (now, then) = (shares(&self.sampled), shares(&known.sampled));
        let since = Shares {
            hits: now.hits - then.hits,
            got: now.got - then.got,
            ticks: now.ticks - then.ticks,
            samples: now.samples - then.samples,
            remembered: now.remembered,
        };
        since.variance().sqrt()
    }

    /// Forgets all; `given` is what each node was given so far.
    pub(super) fn forget(&mut self, given: impl Iterator<Item = (Ticks, u64)>) {
        self.go_back(Known::default(), given);
    }

    /// Of a node to which `given` was given so far.
    pub(super) fn of(&self, node: u32, given: (Ticks, u64)) -> NodeTotals {
        let index = node as usize;
        let apart = self.apart.get(index).copied().unwrap_or_default();
        let shares = self.sampled.get(index).copied().unwrap_or_default();
        NodeTotals {
            ticks: given.0.wrapping_sub(apart.0),
            entries: given.1.wrapping_sub(apart.1),
            hits: shares.hits,
            error: shares.error(),
        }
    }
}

impl Shares {
    /// The variance of what it got, but for what its share takes away.
    ///
    /// What was learned in one frame is used in those after it, as long as it is remembered. So the
    /// first samples count for more than those that come when many are known: of frames `g` to `n`
    /// the weights are about `ln(n / g)`, whose mean is one and whose mean square is two. What came
    /// when memory was full counts alike.
    fn variance(&self) -> f64 {
        let first = (self.remembered / self.samples.max(1.0)).clamp(0.0, 1.0);
        variance_by_share(self.ticks, self.got, self.samples) * (1.0 + first)
    }

    /// So a sum over many frames is as sure as the share of the samples that were its own.
    fn error(&self) -> f64 {
        if self.ticks <= 0.0 {
            return 0.0;
        }
        // Smoothed as the variance is: who got all that there is, by the samples, may have less.
        let smoothed = (self.got * self.samples + 0.5 * self.ticks) / (self.samples + 1.0);
        let others = 1.0 - smoothed / self.ticks;
        let variance = self.variance();
        (variance * others.max(0.0)).sqrt()
    }
}

/// The node's own, which is nothing as long as nobody asked for it.
fn at<T: Clone + Default>(all: &mut Vec<T>, node: u32) -> &mut T {
    let index = node as usize;
    if index >= all.len() {
        all.resize(index + 1, T::default());
    }
    &mut all[index]
}

#[cfg(test)]
mod tests {
    use super::{Shared, Totals};

    /// All of a frame, by so many samples, the first there are.
    fn shared(samples: u32) -> Shared {
        Shared {
            ticks: 500,
            hits: samples,
            remembered: f64::from(samples),
        }
    }

    #[test]
    fn who_got_all_that_was_shared_is_not_known_exactly() {
        for samples in [0, 3, 1_000] {
            let mut totals = Totals::default();
            totals.share(1, 500, shared(samples));
            let error = totals.of(1, (500, 1)).error;
            assert!(error > 0.0 && error <= 250.0, "{error}");
        }
        let mut totals = Totals::default();
        totals.share(1, 500, shared(1_000));
        assert!(totals.of(1, (500, 1)).error < 1.0);
    }
}
