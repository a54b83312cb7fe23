//! Benchmarks that compare iprof with other profilers.
//!
//! Each contender is defined by a file in `contenders`, with its `zone!` macro, its settings, and functions that are
//! called at the start, at the end of a frame and so on. The same work is compiled with each `zone!`, so contenders
//! differ only in their zones. The work is in `work`, and includes the demo's ray tracer.
//!
//! The benchmark programs are in `programs`. They start a process for each contender, so that contenders don't share a
//! heap or global state. The processes take turns, so that changes in the machine's load affect all of them.

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
#[path = "../../shared/this_machine.rs"]
mod this_machine;
#[path = "../../shared/tsv.rs"]
mod tsv;
mod worker;
