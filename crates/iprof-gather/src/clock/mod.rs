//! Raw time: a counter that is cheap to read ([`counter`]), what passed between two readings ([`since`]), the duration of a
//! tick ([`rate`]), and the steps that the counter goes in (`resolution`).

/// The operating system's monotonic clock. In a browser the standard library's clock panics; there it
/// is `performance.now()`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

mod counter;
mod rate;
mod resolution;

#[cfg(any(test, feature = "test-support"))]
pub use counter::mock;
pub use counter::use_portable_clock;
pub use counter::{now, now_without_call, prepare};
pub use rate::{Pair, RateMeter};
pub use resolution::{next_step, resolution};

/// Raw units of the machine's counter. Only differences have a meaning, and only
/// [`RateMeter`] converts them.
pub type Ticks = u64;

/// A counter that seems to have advanced by this much was reset: 6 years at 3 GHz.
const LONGEST: Ticks = 1 << 59;

/// Whether the counter was set back, or ahead by [`LONGEST`] or more, between two readings. It may wrap
/// around in between.
#[inline(always)]
pub fn was_reset(from: Ticks, to: Ticks) -> bool {
    to.wrapping_sub(from) >= LONGEST
}

/// Ticks from one reading to a later one; `None` if the counter [was reset](was_reset).
#[inline(always)]
pub fn since(from: Ticks, to: Ticks) -> Option<Ticks> {
    (!was_reset(from, to)).then_some(to.wrapping_sub(from))
}

/// As [`since`]; 0 if the counter was reset.
#[inline(always)]
pub fn passed(from: Ticks, to: Ticks) -> Ticks {
    since(from, to).unwrap_or(0)
}
