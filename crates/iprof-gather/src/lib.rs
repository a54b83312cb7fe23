//! The recording part of [iprof](https://docs.rs/iprof): the code that every thread runs when it enters or leaves a
//! zone. (In IProf: `prof_gather.c`.)
//!
//! Use this crate through `iprof`, which provides the macros and the reports. Items that `iprof` does not re-export may
//! change in any release.
//!
//! # The idea
//!
//! A [`Node`] is one call stack: the zones that are open on one thread. Entering zone Z while node P is current makes
//! the node (P, Z) current, and leaving the zone makes P current again. Recording measures self time per node:
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
//! Reports derive hierarchical time, callers and callees from self times. Recursion needs no special handling here,
//! because every depth has its own node.
//!
//! # Concurrency
//!
//! Each counter has one writer, the thread that owns the tree, and any number of readers. Counters are cumulative, and
//! readers subtract the values that they saw last. So readers never stop a writer, and no time is lost.
//! [`ThreadRecord::read`] also returns the running time of an open zone. Nodes and records live as long as the program,
//! so readers don't have to check whether they still exist. When a thread ends, the next thread with the same name
//! takes over its record ([`registry`]).
//!
//! | file | contents |
//! |---|---|
//! | `node.rs` | the node, and the search for a child |
//! | `arena.rs` | storage for a thread's nodes |
//! | `record.rs` | a thread's record: its tree and its current node |
//! | `record/reading.rs` | reads a record from other threads |
//! | `registry.rs` | all records, and which thread owns each |
//! | `thread_end.rs` | whether this thread is ending |
//! | `this_thread.rs` | a thread's name, and whether it records |
//! | `local.rs` | the functions that the macros call, for this thread |
//! | `mode.rs` | the program-wide mode epoch |
//! | `cost.rs` | measures a zone's overhead on this machine |
//! | `fault.rs` | counts unbalanced and unrecorded zones |
//! | `fallible.rs` | fallible allocation, during which the thread is flagged |
//! | `fork.rs` | turns recording off in children of `fork` |
//! | `gpu.rs` | the mailbox that carries GPU times from threads with GL contexts to `update` |
//! | `zone.rs`, `zone/` | zones, and their copies with static lifetime |
//! | `if_enabled.rs` | macros for code that depends on `enable`, and the macro that declares a site |
//! | `open_zone.rs`, `named_value.rs` | open zones, run-time zones and named values |
//! | `in_zone.rs` | futures and streams in zones |
//! | `allocator.rs` | an allocator that counts by call stack |
//! | `clock/` | the counter, its rate and its resolution |
//! | `sample/` | the sampler: a thread that reads every thread's current node |
//! | `sync.rs`, `sync/` | atomics and locks |

// Loom tests and builds without recording use only some of the crate.
#![cfg_attr(any(loom, not(feature = "enable")), allow(unused))]
// Most public items are hidden and meant for iprof's own crates.
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

/// Items used by macros and by the C interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::clock::use_portable_clock;
    pub use crate::local::without_site::end_innermost;
    pub use crate::local::{
        EndMatching, Guard, Site, add_to_value, begin, count_entry, end, enter, for_c,
    };
    pub use crate::open_zone::variant::*;
}

/// Whether zones are recorded, as selected by the `enable` feature. Without it, no thread has a record, and the other
/// crates work on empty data.
#[doc(hidden)]
pub const IS_ENABLED: bool = cfg!(feature = "enable");

/// The message in reports and text files if recording is compiled out.
#[doc(hidden)]
pub const NOT_ENABLED: &str = "iprof was built without the feature `enable`: nothing is recorded";

/// The root zone of every thread. Its self time is the time outside all zones.
#[doc(hidden)]
pub static GLOBAL: Zone = Zone::new(crate::zone::OUTSIDE_ZONES, file!(), line!(), module_path!());

// Everything else compiles without 64-bit atomics, so this is the only error.
#[cfg(all(feature = "enable", not(target_has_atomic = "64")))]
compile_error!(
    "iprof cannot record on this target: it has no 64-bit atomics, which zone counters need; \
     without the feature `enable` the macros compile to nothing"
);
