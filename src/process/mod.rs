//! Processing: turns raw counters into reports. (IProf: `prof_process.c`.)
//!
//! | module | task |
//! |---|---|
//! | [`frame`] | ingests the recorded data: trees, deltas, averages, heat, history, totals, GPU times |
//! | [`untimed`] | estimates the times of untimed nodes, and keeps the budget of [`Timing::Auto`] |
//! | [`view`] | the view: which frame, threads, rows and order to show |
//! | [`query`] | builds reports and graphs for a view |
//! | `view_queries` | a view's methods that query the running program |
//! | `shown`, `default_view` | what a view has on the screen; the default view with that |
//! | `frame_budget` | the longest that a frame should take |
//! | `zone_budget` | the longest that a zone should take in a frame |
//! | `slow_frames` | calls back after frames that took longer |
//! | `default_view_controls`, `settings` | the crate's functions on the default view, and on what is recorded |
//! | `zone_key` | what a row is of: a zone, at a recursion depth |
//! | `end_frame`, `timing_mode` | take the locked program through a frame's end; change the timing mode |
//! | `stalls`, `stall_settings` | the stall detector, and the crate's functions on it |
//! | `thread_list` | the threads as users see them |
//! | `program` | the running program: the lock, the recorded data, sampling sessions |
//!
//! The way of a tick: [`end_frame`] ends the frame on every thread (`frame::profiler`), reads what each thread
//! has recorded (`frame::thread_tree` and its `deltas`), divides the time of untimed nodes (`untimed::estimate`), and adds
//! the result to averages (`moving_average`) and history (`frame::history`). When the overlay asks `shown` for a report,
//! it is built (`query::report_builder`): the values of nodes for the view's frames (`query::values`), their sums by row
//! (`query::sums`), a list of rows (`list`, `rows`) with their values (`query::row_values`) in their order
//! (`query::row_order`). `layout::report_layout` turns it into quads, and a painter draws them.
//!
//! [`Profiler`](frame::profiler::Profiler) is the recorded data. Its fields are those of `frame`; the other modules
//! read it by its methods (`frame::interface`): `query` answers a [`View`] by plain values, a [`Report`] or a graph;
//! `snapshots` and `frame_snapshots` make theirs. `program` holds it under its lock, with what runs beside it.
//!
//! Recording threads never run code of this module.
//!
//! Without the feature `enable` there are only the functions and types that a host can name, which then do nothing, and
//! the view, which is state alone: libraries are compiled so. Without the feature `report` there is what snapshots need:
//! trees, totals, the estimates of untimed nodes and the budget. `view`, `query`, history, heat and GPU times are
//! compiled with it alone.

#[cfg(all(feature = "enable", feature = "report"))]
pub(crate) mod default_view;
#[cfg(feature = "report")]
mod default_view_controls;
#[cfg(feature = "enable")]
mod delta;
#[cfg(feature = "enable")]
mod end_frame;
#[cfg(feature = "enable")]
mod frame;
#[cfg(feature = "report")]
mod frame_budget;
#[cfg(feature = "report")]
mod frame_snapshots;
#[cfg(feature = "enable")]
mod moving_average;
#[cfg(feature = "enable")]
mod program;
#[cfg(all(feature = "enable", feature = "report"))]
mod query;
mod sampling;
mod settings;
#[cfg(all(feature = "enable", feature = "report"))]
pub(crate) mod shown;
#[cfg(feature = "report")]
mod slow_frames;
mod snapshots;
mod stall_settings;
#[cfg(feature = "enable")]
mod stalls;
#[cfg(all(test, not(loom), feature = "enable", feature = "report"))]
mod tests;
#[cfg(all(feature = "enable", feature = "report"))]
mod thread_list;
#[cfg(feature = "enable")]
mod timing_mode;
#[cfg(feature = "environment")]
mod timing_variables;
#[cfg(feature = "enable")]
mod untimed;
#[cfg(feature = "report")]
pub(crate) mod view;
#[cfg(feature = "report")]
mod view_queries;
#[cfg(feature = "report")]
mod zone_budget;
mod zone_key;

#[cfg(feature = "report")]
pub(crate) use default_view_controls::read_view;
#[cfg(feature = "report")]
pub use default_view_controls::{
    act, move_cursor, move_frame, report, select, select_parent, set_average, set_cursor,
    set_frame, set_recursion, set_report_mode, with_view, write_report,
};
#[cfg(feature = "enable")]
pub(crate) use end_frame::end_frame;
#[cfg(feature = "environment")]
pub(crate) use frame::warnings::warn_of_environment;
#[cfg(feature = "report")]
pub use frame_budget::{frame_budget, set_frame_budget};
#[cfg(any(feature = "environment", feature = "http"))]
pub(crate) use frame_snapshots::newest_frame;
#[cfg(feature = "report")]
pub use frame_snapshots::{FrameSnapshots, frame_snapshots};
#[cfg(feature = "environment")]
pub(crate) use program::begin;
pub use sampling::{SamplingSession, StartSamplingError, register_thread};
#[cfg(feature = "report")]
pub use settings::{
    history_bytes, named_values, session_bands, set_history, set_history_memory,
    set_longest_frames, set_refresh_rate, set_session_bands, threads,
};
pub use settings::{mark, reset, set_thread_name, set_timing, timing};
#[cfg(feature = "environment")]
pub(crate) use slow_frames::on_slow_frame_of_environment;
#[cfg(feature = "report")]
pub use slow_frames::{SlowFrame, on_slow_frame};
pub use snapshots::{dump, snapshot};
pub use stall_settings::{last_stall, set_stall_file, set_stall_timeout};
#[cfg(all(unix, feature = "environment"))]
pub(crate) use stalls::write_stalls_by;
#[cfg(feature = "environment")]
pub(crate) use timing_variables::misread_timing;
#[cfg(all(feature = "environment", any(all(test, not(loom)), iprof_fuzzing)))]
pub(crate) use timing_variables::read_timing;
#[cfg(all(any(test, iprof_fuzzing), feature = "environment", not(loom)))]
pub(crate) use timing_variables::timing as timing_asked_for;
#[cfg(feature = "report")]
pub use view::{Baseline, View};
#[cfg(feature = "report")]
pub use zone_budget::{missed_frames, set_zone_budget, zone_budgets};

/// No node, row or group, in place of an index.
pub(crate) const NONE: u32 = u32::MAX;
