//! The schedule of samples: when the next one is due.
//!
//! The times between two samples are exponential, so that the samples make a Poisson process: every
//! moment is equally likely to be sampled, whatever was sampled before, and whatever rhythm the program
//! has. A sampler with constant steps would see a program that works in the same steps always at the
//! same place. Moments are laid out ahead, from one to the next, so that the time of sampling does not
//! lower the rate. A late sample is a sample at another random moment, which is just as good.

use crate::clock::Instant;
use std::time::Duration;

/// The moments of one sampler.
#[derive(Debug)]
pub(super) struct Schedule {
    next: Instant,
}

impl Schedule {
    /// Starts now.
    pub(super) fn new() -> Schedule {
        Schedule {
            next: Instant::now(),
        }
    }

    /// Advances to the next moment, at `hz` per second; returns how long to sleep until then.
    pub(super) fn until_next(&mut self, hz: f64) -> Duration {
        self.next += pause(hz, random());
        let now = Instant::now();
        // If the schedule is late by more than a mean interval, missed samples are not made up for:
        // samples in quick succession see the same node, and would count as several.
        if now > self.next + Duration::from_secs_f64(hz.recip()) {
            self.next = now;
        }
        self.next.saturating_duration_since(now)
    }
}

/// A time between two samples, by a random number from 0 to 1: exponential, with the mean `1 / hz`.
fn pause(hz: f64, random: f64) -> Duration {
    Duration::from_secs_f64(-(1.0 - random).ln() / hz)
}

/// From 0 to 1, without 1.
fn random() -> f64 {
    fastrand::f64()
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_exponential_with_the_right_mean() {
        let mut random = fastrand::Rng::with_seed(1);
        // The limits are five standard errors.
        let (count, slack) = if cfg!(miri) {
            (1_000, 8.0)
        } else {
            (100_000, 1.0)
        };
        let pauses: Vec<f64> = (0..count)
            .map(|_| pause(250.0, random.f64()).as_secs_f64() * 250.0)
            .collect();
        let mean = pauses.iter().sum::<f64>() / count as f64;
        let longer = pauses.iter().filter(|pause| **pause > 2.0).count() as f64 / count as f64;
        assert!((mean - 1.0).abs() < 0.02 * slack, "{mean}");
        assert!(
            (longer / (-2.0f64).exp() - 1.0).abs() < 0.05 * slack,
            "{longer}"
        );
    }
}
