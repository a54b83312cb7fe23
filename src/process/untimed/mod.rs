//! Untimed nodes: decides which nodes do not read the clock, and estimates their part of their timer
//! group's time, with its standard error.
//!
//! | file | noun | for others |
//! |---|---|---|
//! | `budget.rs` | `Auto`: which nodes read the clock, so that recording stays within its budget | [`Budget`] decides by a frame |
//! | `estimate.rs` | the estimator: divides the time of a timer group among its nodes | [`Estimator`] apportions a frame |
//! | `session_shares.rs` | what nodes got so over all recorded frames | [`SessionShares`] adds frames |
//! | `variance.rs` | the variance of a sum of estimated times | [`NodeVariances`] of one thread, [`SubtreeVariances`] and [`RowVariances`] of sums |

mod budget;
mod estimate;
mod session_shares;
mod variance;

pub(crate) use budget::{Budget, BudgetInput, TimedNodes};
pub(crate) use estimate::{Estimator, Member};
pub(crate) use session_shares::SessionShares;
pub(crate) use variance::{NodeVariances, RowVariances, SubtreeVariances};
