//! Builds reports and graphs from recorded data, without changing the data.
//!
//! | file | contents |
//! |---|---|
//! | `values.rs`, `mean_values.rs` | per-node values of one frame, of several frames, or averages |
//! | `session_values.rs` | per-node values of part of the session |
//! | `baseline_values.rs` | the baseline's values: a single frame's, averages, or medians |
//! | `sums.rs` | totals by row, for lists and the call graph |
//! | `zone_sets.rs` | the hierarchical time of a set of zones |
//! | `call_paths.rs` | callers of callers and callees of callees |
//! | `row_plan.rs` | each row's time in each frame, and the distribution of these times |
//! | `report_builder.rs` | the report: its rows and its title |
//! | `columns.rs` | a report's columns, and a row's values in them |
//! | `row_tree.rs` | the tree of rows: which of them are folded, and which keep their places |
//! | `row_order.rs` | the order of rows |
//! | `named_values.rs` | the named value that a view shows |
//! | `zone_spikes.rs` | the frames in which a zone took far more time than usual |
//! | `graph.rs`, `bucket_bars.rs` | one bar per frame, or per session bucket |
//! | `flame.rs` | the flame graph: the call tree, one call path at a time |

mod baseline_values;
pub mod bucket_bars;
mod call_paths;
pub mod columns;
pub mod flame;
pub mod graph;
pub mod mean_values;
pub mod named_values;
pub mod report_builder;
mod row_order;
pub mod row_plan;
pub mod row_tree;
pub mod session_values;
pub mod sums;
pub mod values;
mod zone_sets;
pub mod zone_spikes;

use crate::flame::Flame;
use crate::graph::Graph;
use crate::report::Report;
use crate::view::View;
use flame::FlameWork;
use graph::GraphWork;
use iprof_process::Profiler;

#[cfg(any(test, feature = "test-support"))]
pub use report_builder::REPORTS_MADE;
pub use report_builder::{costliest_caller, report};
pub use report_builder::{distribution, parts, row};

impl View {
    /// Builds the report of this view from the current data.
    ///
    /// ```
    /// # iprof::update(true);
    /// let report = iprof::View::default().report(&iprof::profiler());
    /// ```
    #[must_use]
    pub fn report(&self, profiler: &Profiler) -> Report {
        report(profiler, self, None)
    }

    /// Builds the graph of the remembered frames.
    ///
    /// Its bars show the zones of the chosen thread, or of the thread that a
    /// [`Threads::Group`](enum.Threads.html#variant.Group) names. With all threads in view, they show the thread that
    /// calls [`update`](fn.update.html), so that each bar represents a frame.
    #[must_use]
    pub fn graph(&self, profiler: &Profiler) -> Graph {
        let mut graph = Graph::default();
        GraphWork::default().update(profiler, self, false, &mut graph);
        graph
    }

    /// Builds the session graph, with a bar for the mean frame of each [bucket](enum.Frames.html#the-session).
    ///
    /// ```
    /// # iprof::update(true);
    /// let graph = iprof::View::default().session_graph(&iprof::profiler());
    /// assert_eq!(graph.buckets.len(), graph.bars.len());
    /// ```
    #[must_use]
    pub fn session_graph(&self, profiler: &Profiler) -> Graph {
        let mut graph = Graph::default();
        GraphWork::default().update(profiler, self, true, &mut graph);
        graph
    }

    /// Builds the flame graph of the frames and threads in view, summed over the threads. Idle time has no width unless
    /// the view [ranks](View::idle_ranked) it.
    ///
    /// ```
    /// iprof::zone!(simulate);
    /// # iprof::update(true);
    /// let flame = iprof::View::default().flame(&iprof::profiler());
    /// # if !iprof::is_recording() { return }
    /// assert!(flame.zones.iter().any(|zone| &*zone.name == "simulate"));
    /// ```
    #[must_use]
    pub fn flame(&self, profiler: &Profiler) -> Flame {
        let mut flame = Flame::default();
        FlameWork::default().update(profiler, self, &mut flame);
        flame
    }
}
