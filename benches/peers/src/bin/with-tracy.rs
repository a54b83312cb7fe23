//! The worker program for tracy-client, the only program that links it.
//! program.

#[macro_use]
extern crate iprof_peers;

// Where the files of the work look for them.
use iprof_peers::{clock, contender};
#[path = "../shared_math.rs"]
mod shared_math;

#[path = "../contenders/tracy.rs"]
mod tracy;

fn main() -> std::io::Result<()> {
    iprof_peers::programs::run_for(&tracy::TRACY)
}
