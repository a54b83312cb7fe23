//! The worker program for tracy-client. No other program links tracy-client.

#[macro_use]
extern crate iprof_peers;

// The shared source files refer to these modules as `crate::clock` and `crate::contender`.
use iprof_peers::{clock, contender};
#[path = "../shared_math.rs"]
mod shared_math;

#[path = "../contenders/tracy.rs"]
mod tracy;

fn main() -> std::io::Result<()> {
    iprof_peers::programs::run_for(&tracy::TRACY)
}
