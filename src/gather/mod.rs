//! Raw data: what every thread does at every entry and exit of a zone. (IProf: `prof_gather.c`.)
//!
//! # The idea
//!
//! One slot per *full stack state*. A [`Node`] is a stack of zones on one thread; entering zone Z
//! on node P makes the node (P, Z) current, leaving it makes P current again. What is measured is
//! self time, on the node:
//!
//! ```text
//! enter:  if site.parent == current   { node = site.node }       one compare
//!         else                        { node = child of current for the zone }
//!         now = counter
//!         node.started = now;  current = node;  node.entries += 1
//!         parent.ticks += now - parent.started
//!
//! leave:  now = counter
//!         parent.started = now;  current = parent
//!         node.ticks += now - node.started
//! ```
//!
//! Hierarchical time, callers and callees are derived from that when somebody asks. So recursion
//! needs no case of its own here: every depth is a node.
//!
//! # Who may touch what
//!
//! A counter has one writer, the thread that owns the tree, and any number of readers. Counters
//! are cumulative and never go back; a reader subtracts what it saw before. So a reader never
//! stops a writer, and nothing is lost whenever it comes. [`ThreadRecord::read`] says how it
//! tells the time of a zone that is open right now. Nodes and records live as long as the
//! program: no reader has to ask whether one is still there, and a thread that ends hands its
//! record to the next one of its name ([`registry`]).
//!
//! | file | noun |
//! |---|---|
//! | `node.rs` | the node, and the search among a node's children |
//! | `arena.rs` | where a thread's nodes lie |
//! | `record.rs` | one thread's recording: its tree, its current node |
//! | `registry.rs` | all records; threads come and go |
//! | `local.rs` | this thread: what the macros call |
//! | `open_zone.rs` | an open zone that the program holds |
//! | `quiet.rs` | threads that are told to record nothing |
//! | `switch.rs` | what the whole program records at present |
//! | `cost.rs` | what a zone costs on this machine |
//! | `fault.rs` | unbalanced zones, counted |
//! | `reserved.rs` | memory that may be refused |
//! | `gpu.rs` | GPU times on their way from the threads with GL contexts to `update` |

mod arena;
pub(crate) mod cost;
mod fault;
#[cfg_attr(not(feature = "_overlay"), allow(dead_code))] // Then nothing comes.
pub(crate) mod gpu;
pub(crate) mod local;
#[cfg(all(test, loom))]
pub(crate) mod loom_tests;
mod node;
pub(crate) mod open_zone;
mod quiet;
mod record;
mod registry;
mod reserved;
#[cfg(all(test, feature = "enable"))]
#[cfg_attr(loom, allow(dead_code))] // The models need less of it than the tests.
pub(crate) mod scripted;
pub(crate) mod switch;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;

pub(crate) use fault::Fault;
pub(crate) use node::{Node, class};
pub use open_zone::OpenZone;
pub use quiet::{RecordingScope, is_recording, recording_scope, set_recording};
pub(crate) use record::{DISAGREEMENT, Reading, ThreadRecord};
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) use registry::{abandon_others, hold};
pub(crate) use registry::{
    anchor, complete, complete_soon, refused, rename_current_thread, spawn_unrecorded,
};

/// The zone that holds what is in no zone, on every thread.
pub(crate) static GLOBAL: crate::Zone =
    crate::Zone::new("_global", file!(), line!(), module_path!());
