//! Raw time: a cheap counter ([`counter`]), the ticks between two readings ([`since`]), the length of a tick
//! ([`rate`]), and the counter's resolution ([`resolution`]).

/// The operating system's monotonic clock. In a browser, where the standard library's clock panics, this is
/// `performance.now()`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

mod counter;
mod rate;

#[cfg(any(test, feature = "test-support"))]
pub use counter::mock;
pub use counter::use_portable_clock;
pub use counter::{now, now_without_call, prepare};
pub use rate::{Pair, RateMeter};

/// Counter units. Only differences are meaningful, and only [`RateMeter`] converts them.
pub type Ticks = u64;

/// A counter that appears to have advanced this far is considered reset: 6 years at 3 GHz.
const LONGEST: Ticks = 1 << 59;

/// Returns whether the counter was set back, or ahead by [`LONGEST`] or more. Wrapping around does not count.
#[inline(always)]
pub fn was_reset(from: Ticks, to: Ticks) -> bool {
    to.wrapping_sub(from) >= LONGEST
}

/// Returns the ticks between two readings, or `None` if the counter [was reset](was_reset).
#[inline(always)]
pub fn since(from: Ticks, to: Ticks) -> Option<Ticks> {
    (!was_reset(from, to)).then_some(to.wrapping_sub(from))
}

/// Like [`since`], but returns 0 if the counter was reset.
#[inline(always)]
pub fn passed(from: Ticks, to: Ticks) -> Ticks {
    since(from, to).unwrap_or(0)
}

/// The number of readings after which [`next_step`] gives up. That many readings take about 5 ms with a browser's clock
/// and far less with other clocks.
const MAX_READINGS: u32 = 50_000;
/// The number of steps to measure. A single step is not enough, because the program may be suspended during it.
const STEPS: u32 = 3;

/// Waits until the clock differs from `before` and returns the new time, or `None` if that takes too long.
pub fn next_step(before: Ticks) -> Option<Ticks> {
    (0..MAX_READINGS)
        .map(|_| now())
        .find(|reading| *reading != before)
}

/// Measures a few of the clock's steps and returns their length in ticks, or `None` if one takes too long. A
/// fine-grained clock advances with each reading.
///
/// Browsers deliberately coarsen their clocks: to 5 µs if a page is cross-origin isolated, otherwise to 0.1 ms in
/// Chromium and, according to their documentation, 1 ms in Firefox and Safari.
pub fn resolution() -> Option<Ticks> {
    let mut last = next_step(now())?;
    let mut shortest = None;
    for _ in 0..STEPS {
        let next = next_step(last)?;
        let step = passed(last, next);
        shortest = Some(shortest.map_or(step, |shortest: Ticks| shortest.min(step)));
        last = next;
    }
    shortest
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod resolution_tests {
    use super::*;
    use crate::clock::mock;

    #[test]
    fn fine_clock_resolution_is_one_reading() {
        mock::step(7);
        assert_eq!(resolution(), Some(7));
    }

    #[test]
    fn coarse_clock_steps_are_measured() {
        for (ticks, step) in [(30, 1_000), (999, 1_000), (3, 100_000)] {
            mock::step(ticks);
            mock::coarsen(step);
            let found = resolution().expect("a coarse clock should have a resolution");
            assert_eq!(found, step, "{ticks}");
        }
    }

    #[test]
    fn stopped_clock_has_no_resolution() {
        mock::set(5);
        assert_eq!(resolution(), None);
    }
}
