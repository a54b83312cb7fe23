//! A frame over the frame budget, as plain data.

use std::time::Duration;

/// A frame over the [budget](struct.Config.html#structfield.frame_budget): see [`on_slow_frame`](fn.on_slow_frame.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowFrame {
    /// Its number, as that of [`frame_snapshots`](fn.frame_snapshots.html).
    pub number: u64,
    /// How long it took.
    pub duration: Duration,
    /// The budget that it exceeded.
    pub budget: Duration,
}

#[doc(hidden)]
impl SlowFrame {
    pub fn new(number: u64, duration: Duration, budget: Duration) -> SlowFrame {
        SlowFrame {
            number,
            duration,
            budget,
        }
    }
}
