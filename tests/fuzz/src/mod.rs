//! Fuzz targets: one function per target, which takes any bytes and panics if an invariant is violated.
//!
//! They call functions that are not public, and have a mock clock, so they are a module of iprof: `src/lib.rs` names this
//! file. `tests/fuzz` links these functions with libFuzzer, in a build with `--cfg iprof_fuzzing`. A unit test also
//! replays the inputs in `tests/fuzz/corpus` without libFuzzer: see `replay.rs`. No other build contains
//! this module.

#![cfg_attr(test, allow(unreachable_pub))] // In the fuzzer's builds they are in `__fuzz`.

mod bytes;
mod calls;
mod calls_checks;
mod calls_model;
mod calls_threads;
#[cfg(feature = "overlay")]
mod draw;
#[cfg(feature = "overlay")]
mod font;
#[allow(dead_code, clippy::duplicate_mod)] // The property tests use this oracle, too.
#[path = "../../../crates/iprof-report/src/tests/oracle.rs"]
mod oracle;
#[cfg(all(test, not(loom)))]
mod replay;

pub use calls::calls;
#[cfg(feature = "overlay")]
pub use {draw::draw, font::font};
