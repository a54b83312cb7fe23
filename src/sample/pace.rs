//! When to look next.
//!
//! The times between two looks are exponential, so that the looks make a Poisson process: every
//! moment is as likely to be looked at as any other, whatever was looked at before, and whatever
//! rhythm the program has. A sampler with even steps would see a program that works in the same
//! steps always at the same place. Moments are laid out ahead, from one to the next, so that the
//! time the looking takes does not slow the rate; a look that comes late is a look at another
//! moment, which is as good as any.

use crate::clock::Instant;
use std::time::Duration;

/// The moments of one who looks.
#[derive(Debug)]
pub(super) struct Pace {
    next: Instant,
}

impl Pace {
    /// From now on.
    pub(super) fn new() -> Pace {
        Pace {
            next: Instant::now(),
        }
    }

    /// Goes on to the next moment, at `hz` a second; returns how long to sleep until then.
    pub(super) fn until_next(&mut self, hz: f64) -> Duration {
        self.next += pause(hz, random());
        let now = Instant::now();
        // What was missed by more than is usual is not made up for: looks on each other's heels see
        // the same thing, and would count as several.
        if now > self.next + Duration::from_secs_f64(hz.recip()) {
            self.next = now;
        }
        self.next.saturating_duration_since(now)
    }
}

/// A time between two looks, by a random number from 0 to 1: exponential, with the mean `1 / hz`.
fn pause(hz: f64, random: f64) -> Duration {
    Duration::from_secs_f64(-(1.0 - random).ln() / hz)
}

/// From 0 to 1, without 1.
fn random() -> f64 {
    #[cfg(feature = "enable")]
    return fastrand::f64();
    // Without the feature nothing is ever sampled.
    #[cfg(not(feature = "enable"))]
    0.5
}

#[cfg(all(test, feature = "enable"))]
mod tests {
    use super::*;

    #[test]
    fn pauses_have_their_mean_and_are_exponential() {
        let mut random = fastrand::Rng::with_seed(1);
        let count = 100_000;
        let pauses: Vec<f64> = (0..count)
            .map(|_| pause(250.0, random.f64()).as_secs_f64() * 250.0)
            .collect();
        let mean = pauses.iter().sum::<f64>() / count as f64;
        let longer = pauses.iter().filter(|pause| **pause > 2.0).count() as f64 / count as f64;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!((longer / (-2.0f64).exp() - 1.0).abs() < 0.05, "{longer}");
    }
}
