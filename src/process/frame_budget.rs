//! The frame budget: the longest that a frame should take, for the whole program.

use crate::sync::{Ordering::Relaxed, StaticU32};
use crate::zone::{MAX_BUDGET_US, rounded_us};
use std::time::Duration;

/// The frame budget in microseconds: that of 60 frames a second.
static FRAME_BUDGET_US: StaticU32 = StaticU32::new(16_667);

/// Sets the longest that a frame should take: 16.67 ms by default, a frame of a display of 60 Hz. Rounded to a
/// microsecond and clamped to 1 µs to an hour. [`Action::CompareSlowFrames`](crate::Action::CompareSlowFrames)
/// shows the frames that took longer, and the graph has a line at it and one at twice that.
///
/// ```
/// use std::time::Duration;
///
/// iprof::set_frame_budget(Duration::from_secs(1) / 144);
/// assert_eq!(iprof::frame_budget(), Duration::from_micros(6_944));
/// # iprof::set_frame_budget(Duration::from_micros(16_667));
/// ```
pub fn set_frame_budget(budget: Duration) {
    FRAME_BUDGET_US.store(clamped_us(budget), Relaxed);
}

/// A budget rounded to microseconds, from 1 µs to an hour.
pub(super) fn clamped_us(budget: Duration) -> u32 {
    rounded_us(budget).clamp(1, MAX_BUDGET_US) as u32
}

/// The longest that a frame should take; see [`set_frame_budget`].
#[must_use]
pub fn frame_budget() -> Duration {
    Duration::from_micros(FRAME_BUDGET_US.load(Relaxed).into())
}

/// The frame budget in microseconds.
pub(super) fn frame_budget_us() -> u32 {
    FRAME_BUDGET_US.load(Relaxed)
}
