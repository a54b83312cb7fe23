//! iprof for C and C++. What a function does stands in `include/iprof.h`; `include/prof.h` is the original's interface.
//!
//! No panic crosses the border: what could panic is run by `border::caught`. Entering and leaving a zone cannot.

#![allow(unsafe_code)] // The border to C.
#![allow(unreachable_pub, reason = "C sees every extern function")]
// The header says which results may be ignored.
#![allow(clippy::must_use_candidate)]

pub mod actions;
pub mod alarms;
pub mod border;
pub mod budgets;
pub mod controls;
mod durations;
pub mod endpoint;
pub mod gpu_timeline;
pub mod gpu_zones;
pub mod keys;
pub mod layout;
pub mod output;
pub mod overlay;
#[cfg(test)]
mod panics;
pub mod prof;
#[cfg(unix)]
mod prof_gl;
pub mod recording;
pub mod report;
pub mod sampling;
pub mod settings;
pub mod values;
pub mod views;
pub mod zones;
