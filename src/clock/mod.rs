//! Raw time: a counter that is cheap to read ([`counter`]), and what a tick of it is worth
//! ([`rate`]).

mod counter;
mod rate;

#[cfg(all(test, not(loom), feature = "enable"))]
pub(crate) use counter::mock;
pub use counter::use_portable_clock;
pub(crate) use counter::{Ticks, now, prepare};
pub(crate) use rate::{Pair, RateMeter};
