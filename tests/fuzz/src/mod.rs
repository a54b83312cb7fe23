//! Fuzz targets: functions that accept arbitrary bytes and panic if an invariant is violated.
//!
//! Fuzz targets call private functions and use a mock clock, so they are a module of iprof. `tests/fuzz` links them
//! with libFuzzer, in a build with `--cfg iprof_fuzzing`. The unit tests in `replay.rs` replay the inputs in
//! `tests/fuzz/corpus`. No other build contains this module.

#![cfg_attr(test, allow(unreachable_pub))] // Fuzzing builds export these functions in `__fuzz`.

mod bytes;
mod calls;
mod calls_checks;
mod calls_model;
mod calls_threads;
#[cfg(feature = "overlay")]
mod draw;
#[cfg(feature = "overlay")]
mod font;
#[allow(dead_code, clippy::duplicate_mod)] // The property tests also use this oracle.
#[path = "../../../crates/iprof-report/src/tests/oracle.rs"]
mod oracle;
#[cfg(all(test, not(loom)))]
mod replay;

pub use calls::calls;
#[cfg(feature = "overlay")]
pub use {draw::draw, font::font};
