//! Benchmarks of iprof and of other profilers.
//!
//! Every contender is a file in `contenders`: its `zone!`, the calls at the start, at the end of a frame and so
//! on, and its settings. The same work is compiled with each `zone!`: the files of `work`, one of which
//! includes the demo's ray tracer unchanged. So only the zones differ between two contenders.
//!
//! The benchmarks are in `programs`. They start a process for each contender, so that heaps and global state
//! (such as a global dispatcher) are separate. The processes take turns, so that a change of the machine's load
//! affects all of them.

mod address_map;
pub mod clock;
pub mod contender;
pub mod contenders;
mod entry_counts;
pub mod heap;
mod machine;
pub mod median;
mod options;
pub mod programs;
mod shared_math;
#[path = "../../shared/tsv.rs"]
mod tsv;
mod worker;
