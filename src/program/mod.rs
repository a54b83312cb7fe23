//! The running program: its profiler and its default view behind one lock, and the crate's functions on both.
//!
//! | module | task |
//! |---|---|
//! | `program` | the lock, the profiler, sampling sessions |
//! | `default_view`, `settings` | the crate's functions on the default view, and on what is recorded |
//! | `shown`, `graph_view` | what a view has on the screen; how its graph is shown |
//! | `end_frame`, `timing_mode` | take the locked program through a frame's end; change the timing mode |
//! | `snapshots`, `sampling` | snapshots, and profiles of samples |
//! | `slow_frames`, `stalls` | call back after frames that took longer; detect that no frame ends |
//!
//! What is recorded is in `iprof-process`, and what a view makes of it in `iprof-report`. Recording threads never run code of
//! this module. Without the feature `enable` no thread has a record, and all of this works on nothing.

mod config;
mod default_view;
mod end_frame;
mod graph_view;
pub(crate) mod program;
mod sampling;
mod settings;
pub(crate) mod shown;
mod slow_frames;
mod snapshots;
mod stalls;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod timing_mode;

pub use config::{Config, config, configure};
pub use default_view::{
    act, move_cursor, move_frame, report, select, select_parent, set_average, set_cursor,
    set_frame, set_recursion, set_report_mode, with_view, write_report,
};
pub use end_frame::{discard_frame, end_frame, end_frame_of_library, update};
pub(crate) use program::begin;
pub use program::{ProfilerGuard, profiler};
pub use sampling::{
    SampledProfile, SampledRow, SamplingSession, StartSamplingError, register_thread,
};
pub use settings::{history_bytes, named_values, session_bands, threads};
pub use settings::{mark, reset, set_thread_name, set_timing, timing};
pub use settings::{missed_frames, set_zone_budget, zone_budgets};
pub use slow_frames::on_slow_frame;
pub(crate) use slow_frames::on_slow_frame_of_environment;
pub(crate) use snapshots::newest_frame;
pub use snapshots::{dump, frame_snapshots, snapshot};
pub(crate) use stalls::write_stalls_by;
pub use stalls::{
    Stall, StalledThread, StalledZone, last_stall, set_stall_file, set_stall_timeout,
};
