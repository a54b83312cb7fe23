//! The reports of [iprof](https://docs.rs/iprof): what a view shows of the recorded data, as plain data. (IProf:
//! `prof_process.c`, the part that makes reports.)
//!
//! Programs use it through `iprof`, which draws them. Everything here that is not re-exported there may change in any release.
//!
//! A [`View`] says what to show: which frames, threads, rows and order. The module `query` answers it from a
//! [`Profiler`](iprof_process::Profiler): the values of nodes for the view's frames (`query/values.rs`), their sums by row
//! (`query/sums.rs`), a list of rows (`query/report_builder/`) with their values (`query/columns.rs`) in their order
//! (`query/row_order.rs`). Nothing here locks anything or changes the recorded data.
//!
//! | file | noun |
//! |---|---|
//! | `view/` | the view, and the actions that change it |
//! | `query/` | builds reports and graphs for a view |
//! | `report/`, `graph.rs`, `flame.rs` | what it builds |
//! | `action.rs` | what a user can do |

// Most public items are hidden, and for our own crates.
#![allow(
    clippy::len_without_is_empty,
    clippy::must_use_candidate,
    clippy::new_without_default,
    clippy::return_self_not_must_use,
    missing_debug_implementations,
    rustdoc::private_intra_doc_links
)]
#![cfg_attr(loom, allow(unused))]

mod action;
mod flame;
mod graph;
#[doc(hidden)]
pub mod query;
mod report;
#[cfg(all(test, not(loom)))]
mod tests;
mod variant_name;
mod view;

pub use action::Action;
#[doc(hidden)]
pub use flame::NONE;
pub use flame::{CallPath, Flame, FlameNode, FlameStep};
#[doc(hidden)]
pub use graph::DEFAULT_BUDGET_MS;
pub use graph::{Bar, Graph, GraphBucket, GraphMark, GraphSet, GraphStyle, GraphZone, Segment};
#[doc(hidden)]
pub use iprof_process::ParseNameError;
#[doc(hidden)]
pub use report::{BINS, ColumnSet, Distribution, RowKind, Section, clamp_precision};
pub use report::{
    ColumnId, Expansion, Recursion, Report, ReportMode, Row, RowKey, ShownValue, Sort, Unit, Value,
};
#[doc(hidden)]
pub use report::{TitleChoice, TitlePart};
#[doc(hidden)]
pub use variant_name::{VariantName, name_of_variant, parse_variant};
pub use view::{Average, Baseline, View};
