//! The worker program for tracy-client, the only program that links it.

#[macro_use]
extern crate iprof_peers;

// The files of the work expect these here.
use iprof_peers::{clock, contender};
#[path = "../shared_math.rs"]
mod shared_math;

#[path = "../contenders/tracy.rs"]
mod tracy;

fn main() -> std::io::Result<()> {
    iprof_peers::programs::run_for(&tracy::TRACY)
}
