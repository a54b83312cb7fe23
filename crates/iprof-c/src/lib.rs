//! iprof for C and C++. `include/iprof.h` documents the functions; `include/prof.h` is the original's interface.
//!
//! No panic crosses the border: `border::caught` runs what could panic. Entering and leaving a zone cannot.

#![allow(unsafe_code)] // The border to C.
#![allow(unreachable_pub, reason = "C sees every extern function")]
// The header says which results may be ignored.
#![allow(clippy::must_use_candidate)]

pub mod actions;
pub mod border;
pub mod gpu;
pub mod input;
pub mod overlay;
#[cfg(test)]
mod panic_tests;
pub mod prof;
#[cfg(unix)]
mod prof_gl;
pub mod recording;
pub mod report;
pub mod values;
pub mod zones;
