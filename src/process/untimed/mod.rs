//! Untimed nodes: which nodes do not read the clock, how much of their timer group's time is
//! theirs, and with what standard error.
//!
//! | file | noun |
//! |---|---|
//! | `estimate.rs` | the estimator: divides the time of a timer group among its nodes |
//! | `variance.rs` | the variance of a sum of estimated times |
//! | `budget.rs` | `Auto`: which nodes read the clock, so that recording stays within its budget |

pub(crate) mod budget;
pub(crate) mod estimate;
pub(crate) mod variance;
