//! Injects faults: hosts misuse the API, and the system refuses to provide resources. Hosts must keep running, and sums
//! must stay consistent.
#![cfg(feature = "environment")]

mod children;
mod ends;
#[cfg(target_os = "linux")]
mod fork;
#[cfg(target_os = "linux")]
mod forked_children;
#[cfg(target_os = "linux")]
mod frames;
mod guards;
#[path = "../support/measured.rs"]
mod measured;
#[cfg(target_os = "linux")]
mod names;
#[path = "../support/own_program.rs"]
mod own_program;
mod pairs;
mod panics;
#[cfg(target_os = "linux")]
mod process_memory;
mod recorded;
mod slow_frames;
#[cfg(target_os = "linux")]
mod small_stacks;
mod stacks;
mod stalls;
#[cfg(target_os = "linux")]
mod stopped;
mod stress;
