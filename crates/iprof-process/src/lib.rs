//! [iprof](https://docs.rs/iprof)'s recorded data: reads each thread's records in `update`, and stores the results.
//! This crate corresponds to the data collection in IProf's `prof_process.c`.
//!
//! Programs use this crate through `iprof`, which adds the reports. Items that `iprof` doesn't re-export may change in
//! any release.
//!
//! [`Profiler`] holds the recorded data. [`Profiler::end_frame`] ends the frame on every thread: it reads each thread's
//! records (`thread_tree.rs`), estimates the times of untimed nodes (`untimed_nodes/estimate.rs`), and adds the results
//! to averages (`moving_average.rs`), history and session. Nothing here takes a lock, and recording threads never run
//! code from this crate.
//!
//! | file | contents |
//! |---|---|
//! | `profiler.rs` | all recorded data, and how `update` adds to it |
//! | `accessors.rs` | accessors and setters for the crates that depend on this one |
//! | `frame_clock.rs` | the end of the last frame, and the length of a tick |
//! | `thread.rs` | threads that have recorded something; threads that share a name |
//! | `thread_tree.rs` | a thread's context tree on the processing side, and how a frame's deltas are read from it |
//! | `frame.rs` | a frame's deltas |
//! | `indices.rs` | zone, row, edge and zone group indices; zone names |
//! | `history.rs` | remembered frames |
//! | `frame_sets.rs` | the remembered frames in a set |
//! | `session.rs`, `session/` | sums over all recorded frames: in total, by frame length, and by time |
//! | `frame_sums.rs` | zone times in a frame, on one thread or on several |
//! | `heat.rs` | how much zone times fluctuate |
//! | `gpu.rs` | GPU times, which arrive several frames late |
//! | `zone_budgets.rs` | frames that exceeded a zone budget or the frame budget |
//! | `warnings.rs` | a report's warnings |
//! | `moving_average.rs` | averages over recent frames |
//! | `untimed_nodes/` | times of nodes that don't read the clock, and the overhead limit for [`Timing::Auto`] |
//! | `snapshot.rs`, `snapshot/` | a copy of everything recorded, as plain data |
//! | `budget_check.rs` | `assert_budget!`, and splitting a difference by count and by cost |
//! | `text_parts.rs` | text formatting that several writers share |
//! | `timing.rs`, `threads.rs`, `frames.rs` | the timing mode; selections of threads and frames |

// Most public items are hidden and only meant for our own crates.
#![allow(
    clippy::len_without_is_empty,
    clippy::must_use_candidate,
    clippy::new_without_default,
    clippy::return_self_not_must_use,
    missing_debug_implementations,
    rustdoc::private_intra_doc_links
)]
#![cfg_attr(loom, allow(unused))]

mod about;
mod accessors;
mod budget_check;
#[doc(hidden)]
pub mod frame;
#[doc(hidden)]
pub mod frame_clock;
mod frame_sets;
#[doc(hidden)]
pub mod frame_sums;
mod frames;
#[doc(hidden)]
pub mod gpu;
#[doc(hidden)]
pub mod heat;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod indices;
#[doc(hidden)]
pub mod moving_average;
mod profiler;
#[doc(hidden)]
pub mod session;
mod snapshot;
#[doc(hidden)]
pub mod subtree;
#[doc(hidden)]
pub mod text_parts;
#[doc(hidden)]
pub mod thread;
#[doc(hidden)]
pub mod thread_tree;
mod threads;
mod timing;
#[doc(hidden)]
pub mod untimed_nodes;
#[doc(hidden)]
pub mod warnings;
mod zone_budgets;

pub use about::About;
pub use budget_check::OverBudgetError;
#[doc(hidden)]
pub use budget_check::split;
pub use frames::Frames;
#[doc(hidden)]
pub use frames::number;
pub use profiler::Profiler;
#[doc(hidden)]
pub use profiler::REFRESH;
#[doc(hidden)]
pub use snapshot::FrameSnapshots;
pub use snapshot::{
    FrameSnapshot, InvalidSnapshotError, Snapshot, SnapshotNode, SnapshotThread, SnapshotValue,
    SnapshotZone, ValueInfo, ZoneBudget,
};
#[doc(hidden)]
pub use snapshot::{IDLE_OUTSIDE, OUTSIDE_ZONES, UNNAMED, builder};
#[doc(hidden)]
pub use threads::group_name;
pub use threads::{ThreadId, ThreadInfo, Threads};
pub use timing::{ParseNameError, Timing};
pub use zone_budgets::SlowFrame;

/// A stored index that means "no node, row or group".
#[doc(hidden)]
pub const NONE: u32 = u32::MAX;
