//! Reports for [iprof](https://docs.rs/iprof): turns recorded data into reports, graphs and flame graphs. (IProf: the
//! report part of `prof_process.c`.)
//!
//! Programs use this crate through `iprof`, which draws the results. Items that it does not re-export may change.
//!
//! A [`View`] selects frames, threads, rows and their order. The `query` module builds the view's report from a
//! [`Profiler`](iprof_process::Profiler). It reads the nodes' values in the view's frames (`query/values.rs`), sums
//! them by row (`query/sums.rs`), lists the rows (`query/report_builder/`), fills in their columns (`query/columns.rs`)
//! and sorts them (`query/row_order.rs`). Nothing here takes a lock or changes the recorded data.
//!
//! | file | contents |
//! |---|---|
//! | `view/` | the view, and the actions that change it |
//! | `query/` | builds reports and graphs for a view |
//! | `report/`, `graph.rs`, `flame.rs` | reports, graphs and flame graphs as plain data |
//! | `action.rs` | the user's actions |

// Most public items are hidden and used only by the other iprof crates.
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
