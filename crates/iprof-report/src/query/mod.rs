//! Queries: builds a report or a graph from recorded values. Nothing here changes recorded data.
//!
//! | file | noun |
//! |---|---|
//! | `values.rs`, `mean_values.rs` | the values of one frame, of several, or averages, by node |
//! | `session_values.rs` | the values of a part of the session, by node |
//! | `baseline_values.rs` | the values to compare with: of one frame, averages, or medians |
//! | `sums.rs` | by zone: flat totals and the call graph |
//! | `zone_sets.rs` | the hierarchical time of a set of zones |
//! | `call_paths.rs` | callers of callers and callees of callees |
//! | `row_plan.rs`, `times_per_frame.rs` | the times of rows in each frame, and their distribution |
//! | `report_builder.rs` | the report: its rows and its title |
//! | `columns.rs` | the columns of a report, and a row's values in them |
//! | `outline.rs` | the tree of rows; which of them are folded, or keep their places |
//! | `row_order.rs` | their order |
//! | `named_values.rs` | the named value that a view shows |
//! | `zone_spikes.rs` | the frames in which a zone took far more than usual |
//! | `graph.rs`, `bucket_bars.rs` | a bar per frame, or per bucket of the session |
//! | `flame.rs` | the flame graph: the call tree, call path by call path |

mod baseline_values;
pub mod bucket_bars;
mod call_paths;
pub mod columns;
pub mod flame;
pub mod graph;
pub mod mean_values;
pub mod named_values;
pub mod outline;
pub mod report_builder;
mod row_order;
pub mod row_plan;
pub mod session_values;
pub mod sums;
pub mod times_per_frame;
pub mod values;
mod zone_sets;
pub mod zone_spikes;

#[cfg(any(test, feature = "test-support"))]
pub use report_builder::REPORTS_MADE;
pub use report_builder::{costliest_caller, report};
pub use report_builder::{distribution, parts, row};
