//! Frames: collects each thread's deltas in `update` and stores averages, heat, totals and history.
//!
//! | file | noun |
//! |---|---|
//! | `profiler.rs` | all recorded data, and what `update` does with it |
//! | `interface.rs` | what the other modules of `process` read of it, and what they set |
//! | `frame_clock.rs` | when the last frame ended, and how long a tick is |
//! | `thread.rs` | a thread that recorded something; threads of the same name |
//! | `sampled_hits.rs` | the sampler's hits since the last frame |
//! | `thread_tree.rs` | a thread's context tree on the processing side, and the deltas of a frame |
//! | `zone_stack.rs` | the call stack of the node that was added last |
//! | `ended_frame.rs` | the deltas of a frame |
//! | `indices.rs` | indices of zones, rows, edges and zone groups; the names of zones |
//! | `history.rs` | remembered frames |
//! | `set_members.rs` | those of them that are in a set |
//! | `session.rs`, `session/` | sums over all recorded frames: the totals, and those by length of frame and by time |
//! | `frame_sums.rs` | the times of zones in a frame, on one thread or on several |
//! | `heat.rs` | how much zones fluctuate |
//! | `spare_lists.rs` | lists of a number for each node, which reports reuse |
//! | `gpu.rs` | GPU times, which arrive frames later |
//! | `zone_budgets.rs` | frames over the budget of a zone, and over that of frames |
//! | `warnings.rs` | the warnings of a report |

pub(crate) mod ended_frame;
pub(crate) mod frame_clock;
pub(crate) mod frame_sums;
pub(crate) mod gpu;
pub(crate) mod heat;
pub(crate) mod history;
pub(crate) mod indices;
mod interface;
pub(crate) mod profiler;
mod sampled_hits;
pub(crate) mod session;
mod set_members;
pub(crate) mod spare_lists;
pub(crate) mod thread;
pub(crate) mod thread_tree;
pub(crate) mod warnings;
pub(crate) mod zone_budgets;
mod zone_stack;
