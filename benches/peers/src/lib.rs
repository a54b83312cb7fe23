//! iprof beside other profilers.
//!
//! Every contender is a file in `contenders`: what its `zone!` is, what has to be called once, at
//! a frame's end and so on, and what it was set to. Behind its `zone!` the same work is compiled,
//! the files of `work`, one of which includes the demo's ray tracer as it is. So nothing differs
//! between two contenders but the zones themselves.
//!
//! What measures is in `programs`. It starts a process for each contender, so that none has to live
//! with what another leaves on the heap, or with another's idea of a global dispatcher; and it has
//! these processes take turns, so that all see the same weather.

mod address_map;
pub mod clock;
pub mod contender;
mod contenders;
pub mod heap;
mod machine;
mod options;
pub mod programs;
mod scenery;
mod entry_counts;
#[path = "../../shared/tsv.rs"]
mod tsv;
mod worker;
