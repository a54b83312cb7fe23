//! Untimed nodes: decides which nodes do not read the clock, and estimates their part of their timer
//! group's time, with its standard error.
//!
//! | file | noun | what other modules use |
//! |---|---|---|
//! | `budget.rs` | `Auto`: which nodes read the clock, so that recording stays within its budget | [`Budget`]: decides after each frame |
//! | `estimate.rs` | the estimator: divides the time of a timer group among its nodes | [`Estimator`]: divides the time of a frame |
//! | `variance.rs` | the variance of a sum of estimated times | [`NodeVariances`]: of a thread's nodes; [`SubtreeVariances`], [`RowVariances`]: of sums |

mod budget;
mod estimate;
mod variance;

use estimate::{SharedTime, variance_by_share};
use iprof_gather::clock::Ticks;

pub use budget::{Budget, BudgetInput, TimedNodes};
pub use estimate::{Estimator, Member};
pub use variance::{NodeVariances, RowVariances, SubtreeVariances};

/// The delta of a node: the self time and the entries that it gained in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDelta {
    /// Self time.
    pub ticks: Ticks,
    /// Of the node of a named value: its sum in steps, modulo 2^64.
    pub entries: u64,
    /// Index in its thread's tree.
    pub node: u32,
    /// 0 if the ticks are exact. Otherwise the ticks are estimated, and this is their standard
    /// error before the reduction for the node's share of a known total (see [`estimate`]).
    /// Negative if the node was the timed ancestor of its timer group.
    pub error: f32,
}

impl NodeDelta {
    /// The entries as a number, below 0 where a named value's sum is.
    #[inline(always)]
    pub fn count(&self) -> f64 {
        self.entries as i64 as f64
    }

    /// The values that averages are made of: self milliseconds and entries.
    pub fn values(&self, ms_per_tick: f64) -> [f64; 2] {
        // Converts by way of `i64`: neither number reaches 2^63, and a signed integer becomes a
        // float in one instruction instead of a handful.
        let [ticks, entries] = [self.ticks, self.entries].map(|n| n as i64 as f64);
        [ticks * ms_per_tick, entries]
    }
}

/// By untimed node, over all frames since the last reset: in how many samples it was on top of the stack, and the standard
/// error of its total time. Empty for a thread that was never sampled.
#[derive(Clone, Debug, Default)]
pub struct SessionShares(Vec<SampledShare>);

/// The sampling results of a node.
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

impl SessionShares {
    /// Memory per node of a thread that is sampled.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize = size_of::<SampledShare>();

    /// Adds `count` samples of a recorded frame in which the node was on top.
    pub fn add_hits(&mut self, node: u32, count: u32) {
        self.at(node).hits += u64::from(count);
    }

    /// Adds a recorded frame, of which `deltas` has what the estimator gave to the members.
    pub fn add_frame(&mut self, estimator: &Estimator, members: &[Member], deltas: &[NodeDelta]) {
        let mut next = deltas.iter().peekable();
        for member in members {
            let delta = next.next_if(|delta| delta.node == member.node);
            if let Some(shared) = estimator.shared(member.timed_ancestor) {
                let own = if member.is_timed_ancestor() {
                    0
                } else {
                    member.ticks
                };
                let got = delta.map_or(0, |delta| delta.ticks) - own;
                self.add(member.node, got, shared);
            }
        }
    }

    /// The node got `got` ticks of its timer group's time.
    fn add(&mut self, node: u32, got: Ticks, shared: SharedTime) {
        let shares = self.at(node);
        shares.got += got as f64;
        shares.ticks += shared.ticks as f64;
        shares.samples += f64::from(shared.hits);
        shares.learned = shared.learned;
    }

    /// The entry of a node. The list grows on first use, so an unused list takes no memory.
    fn at(&mut self, node: u32) -> &mut SampledShare {
        let index = node as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, SampledShare::default());
        }
        &mut self.0[index]
    }

    /// The samples in which a node was on top, and the standard error of what it got: that of its share of the
    /// samples taken.
    pub fn hits_and_error(&self, node: u32) -> (u64, f64) {
        let shares = self.0.get(node as usize).copied().unwrap_or_default();
        (shares.hits, shares.error())
    }
}

impl SampledShare {
    /// The standard error of what the node got: that of its share of the samples taken.
    fn error(&self) -> f64 {
        if self.ticks <= 0.0 {
            return 0.0;
        }
        // Smoothed as the variance is: a node that got all of the time, by the samples, may really
        // have less.
        let smoothed = (self.got * self.samples + 0.5 * self.ticks) / (self.samples + 1.0);
        let others = 1.0 - smoothed / self.ticks;
        // What was learned in one frame is used in later frames, as long as the estimator's memory has it. So
        // the first samples count for more than those that are taken when many are known: of frames
        // `g` to `n` the weights are about `ln(n / g)`, whose mean is one and whose mean square is
        // two. All samples that were taken with a full memory count alike.
        let first = (self.learned / self.samples.max(1.0)).clamp(0.0, 1.0);
        let variance = variance_by_share(self.ticks, self.got, self.samples) * (1.0 + first);
        (variance * others.max(0.0)).sqrt()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

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
            let mut shares = SessionShares::default();
            shares.add(1, 500, shared(samples));
            let (_, error) = shares.hits_and_error(1);
            assert!(error > 0.0 && error <= 250.0, "{error}");
        }
        let mut shares = SessionShares::default();
        shares.add(1, 500, shared(1_000));
        assert!(shares.hits_and_error(1).1 < 1.0);
    }
}
