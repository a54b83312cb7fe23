//! Ticks, and how many of them passed between two readings of a counter that may have been set anew.

/// Raw units of the machine's counter. Only differences have a meaning, and only
/// [`RateMeter`](super::RateMeter) converts them.
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
