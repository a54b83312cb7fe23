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

pub(crate) use budget::{Budget, BudgetInput, TimedNodes};
pub(crate) use estimate::{Estimator, Member};
pub(crate) use session_shares::SessionShares;
pub(crate) use variance::{NodeVariances, RowVariances, SubtreeVariances};
