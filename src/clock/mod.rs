//! Raw time: a counter that is cheap to read ([`counter`]), what passed between two readings ([`since`]), the duration of a
//! tick ([`rate`]), and the steps that the counter goes in ([`resolution`]).

/// The operating system's monotonic clock. In a browser the standard library's clock panics; there it
/// is `performance.now()`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

mod counter;
mod rate;
mod resolution;

#[cfg(all(any(test, iprof_fuzzing), not(loom)))]
pub(crate) use counter::mock;
pub use counter::use_portable_clock;
pub(crate) use counter::{now, now_without_call, prepare};
pub(crate) use rate::{Pair, RateMeter};
pub(crate) use resolution::{next_step, resolution};

/// Raw units of the machine's counter. Only differences have a meaning, and only
/// [`RateMeter`] converts them.
pub(crate) type Ticks = u64;

/// A counter that seems to have advanced by this much was reset: 6 years at 3 GHz.
const LONGEST: Ticks = 1 << 59;

/// Whether the counter was set back, or ahead by [`LONGEST`] or more, between two readings. It may wrap
/// around in between.
#[inline(always)]
pub(crate) fn was_reset(from: Ticks, to: Ticks) -> bool {
    to.wrapping_sub(from) >= LONGEST
}

/// Ticks from one reading to a later one; `None` if the counter [was reset](was_reset).
#[inline(always)]
pub(crate) fn since(from: Ticks, to: Ticks) -> Option<Ticks> {
    (!was_reset(from, to)).then_some(to.wrapping_sub(from))
}

/// As [`since`]; 0 if the counter was reset.
#[inline(always)]
pub(crate) fn passed(from: Ticks, to: Ticks) -> Ticks {
    since(from, to).unwrap_or(0)
}
