//! Raw time: a counter that is cheap to read ([`counter`]), what passed between two readings ([`ticks`]), the duration of a
//! tick ([`rate`]), and the steps that the counter goes in ([`resolution`]).

/// The operating system's monotonic clock. In a browser the standard library's clock panics; there it
/// is `performance.now()`.
#[cfg(not(all(feature = "enable", target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(feature = "enable", target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

mod counter;
mod rate;
mod resolution;
mod ticks;

#[cfg(all(any(test, iprof_fuzzing), not(loom), feature = "enable"))]
pub(crate) use counter::mock;
pub use counter::use_portable_clock;
pub(crate) use counter::{now, now_without_call, prepare};
pub(crate) use rate::{Pair, RateMeter};
pub(crate) use resolution::{next_step, resolution};
pub(crate) use ticks::{Ticks, passed, since, was_reset};
