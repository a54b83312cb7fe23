//! The recording part of [iprof](https://docs.rs/iprof): what every thread does at every entry and exit of a zone. (IProf:
//! `prof_gather.c`.)
//!
//! Programs use it through `iprof`, which has the macros and the reports. Everything here that is not re-exported there may
//! change in any release.
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
//! recursion needs no special case here: every depth is a node.
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
//! | `this_thread.rs` | what a thread says of itself: its name, whether it records |
//! | `local.rs` | this thread: what the macros call |
//! | `mode.rs` | the program-wide mode epoch |
//! | `cost.rs` | the measured cost of a zone on this machine |
//! | `fault.rs` | counts of unbalanced and unrecorded zones |
//! | `fallible.rs` | fallible memory allocation, and a mark on the thread meanwhile |
//! | `fork.rs` | turns recording off in children of `fork` |
//! | `gpu.rs` | the mailbox for GPU times, from the threads with GL contexts to `update` |
//! | `zone.rs`, `zone/` | zones, and their copies that live as long as the program |
//! | `if_enabled.rs` | the macros by which code differs without `enable`; the one that gives a place in the source its site |
//! | `open_zone.rs`, `named_value.rs` | zones and values that a program holds |
//! | `in_zone.rs` | futures and streams in zones |
//! | `allocator.rs` | an allocator that counts by call stack |
//! | `clock/` | the counter, its rate and its steps |
//! | `sample/` | the sampler: a thread that reads every thread's current node |
//! | `sync.rs`, `sync/` | atomics and locks |

// The model checker's tests and builds without recording use a part of the crate.
#![cfg_attr(any(loom, not(feature = "enable")), allow(unused))]
// Most public items are hidden, and for our own crates.
#![allow(
    clippy::must_use_candidate,
    missing_debug_implementations,
    rustdoc::private_intra_doc_links
)]

#[macro_use]
mod if_enabled;
#[cfg(all(test, not(loom)))]
#[macro_use]
mod test_macros;

mod allocator;
mod arena;
#[doc(hidden)]
pub mod clock;
#[doc(hidden)]
pub mod cost;
mod fallible;
mod fault;
mod fork;
#[doc(hidden)]
pub mod gpu;
mod in_zone;
#[doc(hidden)]
pub mod local;
#[cfg(all(test, loom))]
mod loom_tests;
#[doc(hidden)]
pub mod mode;
mod named_value;
mod node;
#[doc(hidden)]
pub mod open_zone;
mod record;
mod registry;
#[doc(hidden)]
pub mod sample;
#[cfg(any(test, feature = "test-support"))]
#[doc(hidden)]
pub mod scripted_thread;
#[doc(hidden)]
pub mod sync;
#[cfg(all(test, not(loom), feature = "enable"))]
mod tests;
mod this_thread;
mod thread_end;
#[doc(hidden)]
pub mod zone;

pub use allocator::{AllocationTotals, Allocator};
#[doc(hidden)]
pub use fault::Fault;
#[doc(inline)]
pub use gpu::{GpuTimeline, GpuZone};
pub use in_zone::{InZone, Zoned};
pub use named_value::{Amount, NamedValue};
#[doc(hidden)]
pub use node::{Node, class};
pub use open_zone::{OpenZone, RunTimeZone};
#[doc(hidden)]
pub use record::{MAX_CLOCK_SKEW, Reading, ThreadRecord};
#[doc(hidden)]
pub use registry::{
    anchor, append_new_records, append_new_records_lazily, spawn_unrecorded, unrecorded_zones,
};
#[doc(inline)]
pub use this_thread::{
    RecordingScope, is_recording, recording_scope, register_thread, set_recording, set_thread_name,
};
pub use zone::Zone;

/// The items that macros name, and the C interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::clock::use_portable_clock;
    pub use crate::local::without_site::end_innermost;
    pub use crate::local::{
        EndMatching, Guard, Site, add_to_value, begin, count_entry, end, enter, for_c,
    };
    pub use crate::open_zone::variant::*;
}

/// Whether zones are recorded: the feature `enable`. Without it nothing here ever has a record, and everything above works on
/// what was recorded: nothing.
#[doc(hidden)]
pub const IS_ENABLED: bool = cfg!(feature = "enable");

/// What reports and text files say where recording is compiled out.
#[doc(hidden)]
pub const NOT_ENABLED: &str = "iprof was built without the feature `enable`: nothing is recorded";

/// The root zone of every thread: it holds the time outside all zones.
#[doc(hidden)]
pub static GLOBAL: Zone = Zone::new(crate::zone::OUTSIDE_ZONES, file!(), line!(), module_path!());

// Everything else compiles in such a build, so that no other error hides the reason.
#[cfg(all(feature = "enable", not(target_has_atomic = "64")))]
compile_error!(
    "iprof cannot record on this target: it has no 64-bit atomics, which zone counters need; \
     without the feature `enable` the macros compile to nothing"
);
