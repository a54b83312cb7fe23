//! Untimed nodes: decides which nodes do not read the clock, and estimates their part of their timer
//! group's time, with its standard error.
//!
//! | file | noun |
//! |---|---|
//! | `estimate.rs` | the estimator: divides the time of a timer group among its nodes |
//! | `variance.rs` | the variance of a sum of estimated times |
//! | `budget.rs` | `Auto`: which nodes read the clock, so that recording stays within its budget |

pub(crate) mod budget;
pub(crate) mod estimate;
pub(crate) mod variance;
