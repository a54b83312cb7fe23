//! Processing: turns raw counters into reports. (IProf: `prof_process.c`.)
//!
//! | module | task |
//! |---|---|
//! | [`frame`] | ingests the recorded data: trees, deltas, averages, heat, history, totals, GPU times |
//! | [`untimed`] | estimates the times of untimed nodes, and keeps the budget of [`Timing::Auto`] |
//! | [`view`] | the view: which frame, threads, rows and order to show |
//! | [`query`] | builds reports and graphs for a view |
//! | `shown`, `graph_view`, `default_view` | what a view has on the screen, how its graph is shown; the default view |
//! | `slow_frames` | calls back after frames that took longer |
//! | `default_view`, `settings` | the crate's functions on the default view, and on what is recorded |
//! | `end_frame`, `timing_mode` | take the locked program through a frame's end; change the timing mode |
//! | `stalls` | the stall detector, and the crate's functions on it |
//! | `program` | the running program: the lock, the recorded data, sampling sessions |
//!
//! The way of a tick: [`end_frame`] ends the frame on every thread (`frame::profiler`), reads what each thread
//! has recorded (`frame::thread_tree` and its `deltas`), divides the time of untimed nodes (`untimed::estimate`), and adds
//! the result to averages (`moving_average`) and history (`frame::history`). When the overlay asks `shown` for a report,
//! it is built (`query::report_builder`): the values of nodes for the view's frames (`query::values`), their sums by row
//! (`query::sums`), a list of rows (`list`, `rows`) with their values (`query::columns`) in their order
//! (`query::row_order`). `layout::report_layout` turns it into quads, and a painter draws them.
//!
//! [`Profiler`](frame::profiler::Profiler) is the recorded data. Its fields are those of `frame`; the other modules
//! read it by its methods (`frame::interface`): `query` answers a [`View`] by plain values, a [`Report`] or a graph;
//! `snapshots` makes those. `program` holds it under its lock, with what runs beside it.
//!
//! Recording threads never run code of this module.
//!
//! Without the feature `enable` no thread has a record, and all of this works on nothing.

mod default_view;
mod end_frame;
mod graph_view;
pub(crate) mod program;
mod query;
mod sampling;
mod settings;
pub(crate) mod shown;
mod slow_frames;
mod snapshots;
mod stalls;
#[cfg(feature = "environment")]
mod start_variables;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod timing_mode;
pub(crate) mod view;

pub use default_view::{
    act, move_cursor, move_frame, report, select, select_parent, set_average, set_cursor,
    set_frame, set_recursion, set_report_mode, with_view, write_report,
};
pub(crate) use end_frame::end_frame;
pub(crate) use iprof_process::warnings::warn_of_environment;
#[cfg(feature = "environment")]
pub(crate) use program::begin;
pub use program::{ProfilerGuard, profiler};
pub use sampling::{
    SampledProfile, SampledRow, SamplingSession, StartSamplingError, register_thread,
};
pub use settings::{frame_budget, missed_frames, set_frame_budget, set_zone_budget, zone_budgets};
pub use settings::{
    history_bytes, named_values, session_bands, set_history, set_history_memory,
    set_longest_frames, set_refresh_rate, set_session_bands, threads,
};
pub use settings::{mark, reset, set_thread_name, set_timing, timing};
pub(crate) use slow_frames::on_slow_frame_of_environment;
pub use slow_frames::{SlowFrame, on_slow_frame};
pub(crate) use snapshots::newest_frame;
pub use snapshots::{FrameSnapshots, frame_snapshots, snapshot};
#[cfg(all(unix, feature = "environment"))]
pub(crate) use stalls::write_stalls_by;
pub use stalls::{last_stall, set_stall_file, set_stall_timeout};
#[cfg(feature = "environment")]
pub(crate) use start_variables::misread_variables;
#[cfg(all(test, feature = "environment", not(loom)))]
pub(crate) use start_variables::{
    frame_budget as frame_budget_asked_for, timing as timing_asked_for,
};
pub use view::{Baseline, View};
