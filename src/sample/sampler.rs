//! The sampler: a thread that sleeps for a random time, looks at every thread's current node, and
//! so on.
//!
//! The times between two looks are exponential, so that the looks make a Poisson process: every
//! moment is as likely to be looked at as any other, whatever was looked at before, and whatever
//! rhythm the program has. A sampler with even steps would see a program that works in the same
//! steps always at the same place. Moments are laid out ahead, from one to the next, so that the
//! time the looking takes does not slow the rate; a look that comes late is a look at another
//! moment, which is as good as any.

use super::tally::Tally;
use crate::clock;
use crate::gather;
use crate::sync::{Mutex, lock};
use std::sync::Condvar;
use std::time::{Duration, Instant};

/// What the sampler is to do.
#[derive(Debug)]
struct Orders {
    /// Looks per second; 0 is none.
    hz: f64,
    /// Whether the thread was started.
    started: bool,
}

static ORDERS: Mutex<Orders> = Mutex::new(Orders {
    hz: 0.0,
    started: false,
});
static CHANGED: Condvar = Condvar::new();
static FOUND: Mutex<Option<Tally>> = Mutex::new(None);

/// Has every thread looked at `hz` times a second; 0 is not at all. Starts the sampler's thread the
/// first time that there is something to do.
///
/// # Errors
///
/// If the thread cannot be started.
pub(crate) fn set_rate(hz: f64) -> std::io::Result<()> {
    let mut orders = lock(&ORDERS);
    if orders.hz == hz {
        return Ok(());
    }
    if !orders.started && hz > 0.0 {
        gather::spawn_unrecorded(run)?;
        orders.started = true;
    }
    orders.hz = hz;
    CHANGED.notify_one();
    Ok(())
}

/// Gives `f` what was found since this was last called.
pub(crate) fn take(f: impl FnOnce(&Tally)) {
    if let Some(found) = &mut *lock(&FOUND) {
        f(found);
        found.clear();
    }
}

fn run() {
    let mut next = Instant::now();
    loop {
        let mut orders = lock(&ORDERS);
        while orders.hz == 0.0 {
            orders = CHANGED
                .wait(orders)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            next = Instant::now();
        }
        let hz = orders.hz;
        next += pause(hz, random());
        let now = Instant::now();
        // What was missed by more than is usual is not made up for: looks on each other's heels see
        // the same thing, and would count as several.
        if now > next + Duration::from_secs_f64(hz.recip()) {
            next = now;
        }
        // A change of the rate ends the sleep; then this look comes early, once.
        let sleep = next.saturating_duration_since(now);
        let (changed, _) = CHANGED
            .wait_timeout(orders, sleep)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let asked = changed.hz > 0.0;
        if changed.hz != hz {
            // The next look was far off, maybe.
            next = Instant::now();
        }
        drop(changed);
        if asked {
            look();
        }
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

/// Looks at every thread.
fn look() {
    let before = clock::now();
    let mut found = lock(&FOUND);
    let found = found.get_or_insert_with(Tally::default);
    let mut thread = 0;
    gather::for_each_record(|record| {
        if let Some(node) = record.current() {
            found.add(thread, node);
        }
        thread += 1;
    });
    found.spent += clock::now().saturating_sub(before);
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
