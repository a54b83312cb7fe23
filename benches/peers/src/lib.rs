//! Benchmarks of iprof and of other profilers.
//!
//! Every contender is a file in `contenders`. It has a `zone!`, functions to call at the start, at the end of a frame
//! and so on, and the contender's settings. The same work, in the files of `work`, is compiled with each `zone!`. One
//! of them includes the demo's ray tracer unchanged. So contenders differ only in their zones.
//!
//! The benchmarks are in `programs`. They start a process for each contender, which keeps heaps and global state, such
//! as a global dispatcher, separate. The processes take turns, so that changes of the machine's load affect all of
//! them.

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
