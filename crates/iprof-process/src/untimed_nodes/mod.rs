//! Untimed nodes: decides which nodes don't read the clock, and estimates how much of the timer group's time each of
//! them took, with standard errors.
//!
//! | file | contents |
//! |---|---|
//! | `overhead.rs` | [`OverheadController`] decides, after each frame in `Auto` mode, which nodes read the clock |
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

/// A node's delta: the self time and the entries that it gained in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeDelta {
    pub ticks: Ticks,
    /// The number of entries. For a named value's node, the sum in steps, modulo 2^64.
    pub entries: u64,
    /// The node's index in its thread's tree.
    pub node: u32,
    /// The standard error of the ticks, before the reduction for the node's fraction of a known total (see
    /// [`estimate`]). 0 if the ticks are exact, and negative if the node was its timer group's timed ancestor.
    pub error: f32,
}

impl NodeDelta {
    /// Returns the entries as a number, which may be negative for a named value.
    #[inline(always)]
    pub fn count(&self) -> f64 {
        self.entries as i64 as f64
    }

    /// Returns the values to average: self milliseconds and entries.
    pub fn values(&self, ms_per_tick: f64) -> [f64; 2] {
        // Neither number reaches 2^63, and signed integers can be converted to floats in one instruction.
        let [ticks, entries] = [self.ticks, self.entries].map(|n| n as i64 as f64);
        [ticks * ms_per_tick, entries]
    }
}

/// The sampling results for a thread's untimed nodes since the last reset. Empty if the thread was never sampled.
#[derive(Clone, Debug, Default)]
pub struct SessionShares(Vec<SampledShare>);

#[derive(Clone, Copy, Debug, Default)]
struct SampledShare {
    hits: u64,
    got: f64,
    /// The ticks of the node's timer groups, and the number of samples in them.
    ticks: f64,
    samples: f64,
    /// The number of samples behind the estimator's learned costs when the last samples were taken.
    learned: f64,
}

impl SessionShares {
    /// The number of bytes per node on a sampled thread.
    #[cfg(any(test, feature = "test-support"))]
    pub const BYTES_PER_NODE: usize = size_of::<SampledShare>();

    /// Adds `count` samples, from a recorded frame, that found the node on top of the stack.
    pub fn add_hits(&mut self, node: u32, count: u32) {
        self.at(node).hits += u64::from(count);
    }

    /// Adds a recorded frame. `deltas` are the members' deltas as estimated.
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

    /// Returns a node's entry. The list grows on demand, so that it uses no memory without samples.
    fn at(&mut self, node: u32) -> &mut SampledShare {
        let index = node as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, SampledShare::default());
        }
        &mut self.0[index]
    }

    /// Returns the number of samples with the node on top of the stack, and the standard error of its time.
    pub fn hits_and_error(&self, node: u32) -> (u64, f64) {
        let shares = self.0.get(node as usize).copied().unwrap_or_default();
        (shares.hits, shares.error())
    }
}

impl SampledShare {
    /// Returns the standard error of the node's time, based on its fraction of the samples.
    fn error(&self) -> f64 {
        if self.ticks <= 0.0 {
            return 0.0;
        }
        // The time is smoothed like the variance, because even a node with all of the samples may not have taken all of
        // the time.
        let smoothed = (self.got * self.samples + 0.5 * self.ticks) / (self.samples + 1.0);
        let others = 1.0 - smoothed / self.ticks;
        // Frames use what earlier frames have learned for as long as the estimator remembers it. So early samples have
        // more influence than samples taken when many are already known: for frames `g` to `n`, the weights are about
        // `ln(n / g)`, with mean one and mean square two. Samples taken when the memory is full have equal weights.
        let first = (self.learned / self.samples.max(1.0)).clamp(0.0, 1.0);
        let variance = variance_by_share(self.ticks, self.got, self.samples) * (1.0 + first);
        (variance * others.max(0.0)).sqrt()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Returns a first frame's shared time, with `samples` samples.
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
