//! Recording: what every thread does at every entry and exit of a zone. (IProf: `prof_gather.c`.)
//!
//! # The idea
//!
//! One slot per *full stack state*. A [`Node`] is a stack of zones on one thread; entering zone Z on
//! node P makes the node (P, Z) current, leaving it makes P current again. Recording measures self
//! time, per node:
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
//! Hierarchical time, callers and callees are derived from self times when a report needs them. So
//! recursion needs no special case here: every depth is a node. How a tick goes on to the screen is told in
//! `process/mod.rs`.
//!
//! # Concurrency
//!
//! A counter has one writer, the thread that owns the tree, and any number of readers. Counters are
//! cumulative and never go back; a reader subtracts the values that it saw before. So a reader never
//! stops a writer, and nothing is lost whenever a reader runs. [`ThreadRecord::read`] returns the time
//! of a zone that is open right now. Nodes and records live as long as the program, so no reader has to
//! check whether one still exists. A thread that ends hands its record to the next thread of its name
//! ([`registry`]).
//!
//! | file | noun |
//! |---|---|
//! | `node.rs` | the node, and the search among a node's children |
//! | `arena.rs` | storage of a thread's nodes |
//! | `record.rs` | one thread's record: its tree, its current node |
//! | `record/reading.rs` | the reading of a record by other threads |
//! | `registry.rs` | all records; threads register and end |
//! | `thread_end.rs` | whether this thread has ended, as far as recording goes |
//! | `local.rs` | this thread: what the macros call |
//! | `mode.rs` | the program-wide mode epoch |
//! | `cost.rs` | the measured cost of a zone on this machine |
//! | `fault.rs` | counts of unbalanced and unrecorded zones |
//! | `fallible.rs`, `allocating.rs` | fallible memory allocation, and a mark on the thread meanwhile |
//! | `fork.rs` | turns recording off in children of `fork` |
//! | `gpu.rs` | the mailbox for GPU times, from the threads with GL contexts to `update` |

mod allocating;
mod arena;
pub(crate) mod cost;
mod fallible;
mod fault;
#[cfg(all(unix, not(target_family = "wasm")))]
mod fork;
pub(crate) mod gpu;
pub(crate) mod local;
#[cfg(all(test, loom))]
pub(crate) mod loom_tests;
pub(crate) mod mode;
mod node;
mod record;
mod registry;
#[cfg(all(test, feature = "enable"))]
#[cfg_attr(loom, allow(dead_code))] // Loom models use only a part of it.
pub(crate) mod scripted_thread;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod thread_end;

pub(crate) use fault::Fault;
pub(crate) use node::{Node, class};
pub(crate) use record::{MAX_CLOCK_SKEW, Reading, ThreadRecord};
pub(crate) use registry::{
    anchor, append_new_records, append_new_records_lazily, rename_current_thread, spawn_unrecorded,
    unrecorded_zones,
};

/// Whether zones are recorded: the feature `enable`. Without it nothing here ever has a record, and everything above works on
/// what was recorded: nothing.
pub(crate) const IS_ENABLED: bool = cfg!(feature = "enable");

/// What reports and text files say where recording is compiled out.
pub(crate) const NOT_ENABLED: &str =
    "iprof was built without the feature `enable`: nothing is recorded";

/// The root zone of every thread: it holds the time outside all zones.
pub(crate) static GLOBAL: crate::Zone =
    crate::Zone::new(crate::zone::OUTSIDE_ZONES, file!(), line!(), module_path!());
