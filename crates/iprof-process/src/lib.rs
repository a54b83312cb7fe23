//! The data of [iprof](https://docs.rs/iprof): what `update` reads of every thread, and what is remembered of it. (IProf:
//! `prof_process.c`, the part that collects.)
//!
//! Programs use it through `iprof`, which has the reports. Everything here that is not re-exported there may change in any
//! release.
//!
//! [`Profiler`] is the recorded data. [`Profiler::end_frame`] ends the frame on every thread: it reads what each thread has
//! recorded (`thread_tree.rs`), divides the time of untimed nodes (`untimed/estimate.rs`), and adds the result to averages
//! (`moving_average.rs`), history and session. Nothing here locks anything, and recording threads never run code of it.
//!
//! | file | noun |
//! |---|---|
//! | `profiler.rs` | all recorded data, and what `update` does with it |
//! | `interface.rs` | what the crates above read of it, and what they set |
//! | `frame_clock.rs` | when the last frame ended, and how long a tick is |
//! | `thread.rs` | a thread that recorded something; threads of the same name |
//! | `thread_tree.rs` | a thread's context tree on the processing side, and the deltas of a frame |
//! | `ended_frame.rs` | the deltas of a frame |
//! | `indices.rs` | indices of zones, rows, edges and zone groups; the names of zones |
//! | `history.rs` | remembered frames |
//! | `set_members.rs` | those of them that are in a set |
//! | `session.rs`, `session/` | sums over all recorded frames: the totals, and those by length of frame and by time |
//! | `frame_sums.rs` | the times of zones in a frame, on one thread or on several |
//! | `heat.rs` | how much zones fluctuate |
//! | `gpu.rs` | GPU times, which arrive frames later |
//! | `zone_budgets.rs` | frames over the budget of a zone, and over that of frames |
//! | `warnings.rs` | the warnings of a report |
//! | `moving_average.rs` | averages over the last frames |
//! | `untimed/` | the times of nodes that do not read the clock, and the budget of [`Timing::Auto`] |
//! | `snapshot.rs`, `snapshot/` | a copy of everything recorded, as plain data |
//! | `budget_check.rs` | `assert_budget!`, and differences by count and by cost |
//! | `text_parts.rs` | what several writers of text share |
//! | `timing.rs`, `threads.rs`, `frames.rs` | how to record, and what to show |

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

mod about;
mod budget_check;
#[doc(hidden)]
pub mod ended_frame;
#[doc(hidden)]
pub mod frame_clock;
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
mod interface;
#[doc(hidden)]
pub mod moving_average;
mod profiler;
#[doc(hidden)]
pub mod session;
mod set_members;
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
pub mod untimed;
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

/// No node, row or group, in place of an index.
#[doc(hidden)]
pub const NONE: u32 = u32::MAX;
