//! The clock's resolution: the length of the steps that its readings go in. Browsers make theirs coarse on purpose: 5 µs
//! where a page is cross-origin isolated, else 0.1 ms in Chromium and, by their documentation, 1 ms in Firefox and Safari.

use super::{Ticks, now, passed};

/// Readings until [`next_step`] gives up: some 5 ms of a browser's clock, far less of any other.
const MOST_READINGS: u32 = 50_000;
/// Steps that are measured. The program may be suspended in one of them.
const STEPS: u32 = 3;

/// Waits until the clock shows another time than `before`. Returns that reading; `None` if it takes too long.
pub fn next_step(before: Ticks) -> Option<Ticks> {
    (0..MOST_READINGS)
        .map(|_| now())
        .find(|reading| *reading != before)
}

/// The length of a step, in ticks; `None` if it is too long to wait for. Waits for some steps, where the clock has any:
/// others go on with each reading.
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
mod tests {
    use super::*;
    use crate::clock::mock;

    #[test]
    fn a_clock_that_goes_on_with_each_reading_has_the_step_of_a_reading() {
        mock::step(7);
        assert_eq!(resolution(), Some(7));
    }

    #[test]
    fn a_clock_of_coarse_steps_is_found_out() {
        for (ticks, step) in [(30, 1_000), (999, 1_000), (3, 100_000)] {
            mock::step(ticks);
            mock::coarsen(step);
            let found = resolution().expect("it has steps");
            assert_eq!(found, step, "{ticks}");
        }
    }

    #[test]
    fn a_clock_that_stands_still_is_given_up() {
        mock::set(5);
        assert_eq!(resolution(), None);
    }
}
