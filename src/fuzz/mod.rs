//! Fuzz targets: one function per target, which takes any bytes and panics if an invariant is violated.
//!
//! `tests/fuzz` links these functions with libFuzzer, in a build with `--cfg iprof_fuzzing`. A unit test also
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
#[cfg(feature = "environment")]
mod environment;
#[cfg(feature = "overlay")]
mod font;
#[cfg(feature = "http")]
mod http;
#[allow(dead_code, clippy::duplicate_mod)] // The property tests use this oracle, too.
#[path = "../process/tests/oracle.rs"]
mod oracle;
#[cfg(all(test, not(loom)))]
mod replay;

pub use calls::calls;
#[cfg(feature = "environment")]
pub use environment::environment;
#[cfg(feature = "http")]
pub use http::http;
#[cfg(feature = "overlay")]
pub use {draw::draw, font::font};
