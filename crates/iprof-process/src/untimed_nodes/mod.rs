//! Untimed nodes: decides which nodes do not read the clock, and estimates their parts of their timer group's time,
//! with standard errors.
//!
//! | file | contents |
//! |---|---|
//! | `overhead.rs` | [`OverheadController`] decides after each frame which nodes read the clock with `Auto` |
//! | `estimate.rs` | [`Estimator`] divides the time of timer groups among their nodes |
//! | `variance.rs` | the variances of estimated times: [`NodeVariances`], [`SubtreeVariances`], [`RowVariances`] |

mod estimate;
mod overhead;
mod variance;

use estimate::{SharedTime, variance_by_share};
use iprof_gather::clock::Ticks;

pub use estimate::{Estimator, Member};
pub use overhead::{OverheadController, OverheadInput, TimedNodes};
pub use variance::{NodeVariances, RowVariances, SubtreeVariances};

/// The delta of a node: the self time and the entries that it gained in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDelta {
    pub ticks: Ticks,
    /// For the node of a named value, its sum in steps, modulo 2^64.
    pub entries: u64,
    /// The node's index in its thread's tree.
    pub node: u32,
    /// 0 if the ticks are exact. Otherwise their standard error, before the reduction for the node's share of a known
    /// total (see [`estimate`]). Negative if the node was the timed ancestor of its timer group.
    pub error: f32,
}

impl NodeDelta {
    /// Returns the entries as a number, which may be negative for a named value.
    #[inline(always)]
    pub fn count(&self) -> f64 {
        self.entries as i64 as f64
    }

    /// Returns self milliseconds and entries, the values for averages.
    pub fn values(&self, ms_per_tick: f64) -> [f64; 2] {
        // Neither reaches 2^63, and a signed integer becomes a float in one instruction.
        let [ticks, entries] = [self.ticks, self.entries].map(|n| n as i64 as f64);
        [ticks * ms_per_tick, entries]
    }
}

/// The sampling results of a thread's untimed nodes since the last reset. Empty for a thread that was never sampled.
#[derive(Clone, Debug, Default)]
pub struct SessionShares(Vec<SampledShare>);

#[derive(Clone, Copy, Debug, Default)]
struct SampledShare {
    hits: u64,
    got: f64,
    /// The ticks of its timer groups, and the number of samples in them.
    ticks: f64,
    samples: f64,
    /// How many of these samples the estimator's learned costs depended on when the last ones were taken.
    learned: f64,
}

impl SessionShares {
    /// Bytes per node of a thread that is sampled.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize = size_of::<SampledShare>();

    /// Adds `count` samples of a recorded frame in which the node was on top.
    pub fn add_hits(&mut self, node: u32, count: u32) {
        self.at(node).hits += u64::from(count);
    }

    /// Adds a recorded frame, in which the estimator gave `deltas` to the members.
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

    fn add(&mut self, node: u32, got: Ticks, shared: SharedTime) {
        let shares = self.at(node);
        shares.got += got as f64;
        shares.ticks += shared.ticks as f64;
        shares.samples += f64::from(shared.hits);
        shares.learned = shared.learned;
    }

    /// Returns a node's entry. The list grows on demand, so that it takes no memory if unused.
    fn at(&mut self, node: u32) -> &mut SampledShare {
        let index = node as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, SampledShare::default());
        }
        &mut self.0[index]
    }

    /// Returns how many samples had the node on top, and the standard error of its time.
    pub fn hits_and_error(&self, node: u32) -> (u64, f64) {
        let shares = self.0.get(node as usize).copied().unwrap_or_default();
        (shares.hits, shares.error())
    }
}

impl SampledShare {
    /// Returns the standard error of the node's time, by its share of the samples.
    fn error(&self) -> f64 {
        if self.ticks <= 0.0 {
            return 0.0;
        }
        // Smoothed like the variance, because a node with all samples may really have had less than all of the time.
        let smoothed = (self.got * self.samples + 0.5 * self.ticks) / (self.samples + 1.0);
        let others = 1.0 - smoothed / self.ticks;
        // Later frames use what was learned in one frame as long as the estimator remembers it. So the first samples
        // count for more than those taken when many are known: for frames `g` to `n`, the weights are about
        // `ln(n / g)`, with mean one and mean square two. Samples taken with a full memory have equal weights.
        let first = (self.learned / self.samples.max(1.0)).clamp(0.0, 1.0);
        let variance = variance_by_share(self.ticks, self.got, self.samples) * (1.0 + first);
        (variance * others.max(0.0)).sqrt()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns all of a frame's time, with the first `samples` samples.
    fn shared(samples: u32) -> SharedTime {
        SharedTime {
            ticks: 500,
            hits: samples,
            learned: f64::from(samples),
        }
    }

    #[test]
    fn fully_sampled_node_has_a_standard_error() {
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
