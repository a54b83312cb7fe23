//! The worker program for tracy-client. It is the only program that links it.

#[macro_use]
extern crate iprof_peers;

// The files that define the work expect these names here.
use iprof_peers::{clock, contender};
#[path = "../shared_math.rs"]
mod shared_math;

#[path = "../contenders/tracy.rs"]
mod tracy;

fn main() -> std::io::Result<()> {
    iprof_peers::programs::run_for(&tracy::TRACY)
}
