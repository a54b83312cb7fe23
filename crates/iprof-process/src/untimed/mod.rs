//! Untimed nodes: decides which nodes do not read the clock, and estimates their part of their timer
//! group's time, with its standard error.
//!
//! | file | noun | what other modules use |
//! |---|---|---|
//! | `budget.rs` | `Auto`: which nodes read the clock, so that recording stays within its budget | [`Budget`]: decides after each frame |
//! | `estimate.rs` | the estimator: divides the time of a timer group among its nodes | [`Estimator`]: divides the time of a frame |
//! | `session_shares.rs` | samples of each node since the last reset, and the standard error of its total time | [`SessionShares`]: adds frames up |
//! | `variance.rs` | the variance of a sum of estimated times | [`NodeVariances`]: of a thread's nodes; [`SubtreeVariances`], [`RowVariances`]: of sums |

mod budget;
mod estimate;
mod session_shares;
mod variance;

use iprof_gather::clock::Ticks;

pub use budget::{Budget, BudgetInput, TimedNodes};
pub use estimate::{Estimator, Member};
pub use session_shares::SessionShares;
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
