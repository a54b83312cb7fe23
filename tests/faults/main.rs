//! Faults planted on purpose: what a host does that it should not, and what the machine refuses. The
//! host lives, and the sums hold.
#![cfg(feature = "environment")]

#[cfg(target_os = "linux")]
#[path = "../support/address_space.rs"]
mod address_space;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[path = "../support/call_stack.rs"]
mod call_stack;
mod children;
#[cfg(target_os = "linux")]
#[path = "../support/copies.rs"]
mod copies;
mod ends;
#[cfg(target_os = "linux")]
mod fork;
#[cfg(target_os = "linux")]
mod frames;
mod guards;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod limits;
#[path = "../support/measured.rs"]
mod measured;
#[cfg(target_os = "linux")]
mod names;
#[path = "../support/own_program.rs"]
mod own_program;
mod pairs;
mod panics;
mod recorded;
#[cfg(target_os = "linux")]
mod small_stacks;
mod stacks;
#[cfg(target_os = "linux")]
mod stopped;
mod stress;
#[cfg(target_os = "linux")]
mod system;
