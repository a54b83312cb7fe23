//! The sampler: a thread that sleeps for a [random time](super::pace), looks at every thread's
//! current node, and so on.
//!
//! The system may stop this thread wherever it is, for as long as it likes, and the program's
//! frames must not wait for it then. So it looks without holding a lock, and leaves what it found
//! where [`take_unless_busy`] finds it: if one of the two is there, the other comes back later.
//! Only a frame that changes the rate takes a lock that this thread holds, while it goes to sleep.

use super::own_time::own_ns;
use super::pace::Pace;
use super::tally::Tally;
use crate::gather::{self, ThreadRecord};
use crate::sync::{Mutex, Ordering::Relaxed, StaticU32, lock, try_lock};
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
use crate::sync::{MutexGuard, lock_within};
use std::sync::Condvar;

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
/// The rate in the orders, as the bits of an `f32`: asked for with each frame, which is not to wait
/// for the sampler to let go of them.
static RATE: StaticU32 = StaticU32::new(0);
/// What nobody has taken yet.
static FOUND: Basket = Basket(Mutex::new(None));

/// Has every thread looked at `hz` times a second; 0 is not at all. Starts the sampler's thread the
/// first time that there is something to do.
///
/// # Errors
///
/// If the thread cannot be started.
pub(crate) fn set_rate(hz: f64) -> std::io::Result<()> {
    // Relaxed: who sets the rate holds the measurements' lock.
    let bits = (hz as f32).to_bits();
    if RATE.load(Relaxed) == bits {
        return Ok(());
    }
    let mut orders = lock(&ORDERS);
    if !orders.started && hz > 0.0 {
        gather::spawn_unrecorded(super::THREAD, run)?;
        orders.started = true;
    }
    orders.hz = hz;
    RATE.store(bits, Relaxed);
    CHANGED.notify_one();
    Ok(())
}

/// Puts what was found since this was last called into `found`, which is empty.
pub(crate) fn take(found: &mut Tally) {
    FOUND.take(found);
}

/// As [`take`]; but if the sampler is there at this moment nothing comes, and all of it the next
/// time.
pub(crate) fn take_unless_busy(found: &mut Tally) {
    FOUND.take_unless_busy(found);
}

/// What the sampler and others lock, while the process is copied.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) struct Held {
    orders: MutexGuard<'static, Orders>,
    _found: MutexGuard<'static, Option<Tally>>,
}

/// Locks it, unless that takes until `end`.
#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
pub(crate) fn hold(end: std::time::Instant) -> Option<Held> {
    Some(Held {
        orders: lock_within(&ORDERS, end)?,
        _found: lock_within(&FOUND.0, end)?,
    })
}

#[cfg(all(unix, not(target_family = "wasm"), feature = "enable", not(loom)))]
impl Held {
    /// The thread is not in this process: the next one who asks for a rate starts another.
    pub(crate) fn forget_thread(&mut self) {
        (self.orders.started, self.orders.hz) = (false, 0.0);
        RATE.store(0, Relaxed);
    }
}

/// Where the sampler leaves what it found.
struct Basket(Mutex<Option<Tally>>);

impl Basket {
    /// Adds what is in `found`, unless that means to wait: then it stays there.
    fn put_unless_busy(&self, found: &mut Tally) {
        if let Some(mut all) = try_lock(&self.0) {
            all.get_or_insert_default().absorb(found);
        }
    }

    fn take_unless_busy(&self, found: &mut Tally) {
        if let Some(mut all) = try_lock(&self.0) {
            std::mem::swap(found, all.get_or_insert_default());
        }
    }

    fn take(&self, found: &mut Tally) {
        std::mem::swap(found, lock(&self.0).get_or_insert_default());
    }
}

fn run() {
    let mut pace = Pace::new();
    let mut eyes = Eyes::default();
    loop {
        let mut orders = lock(&ORDERS);
        while orders.hz == 0.0 {
            orders = CHANGED
                .wait(orders)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            pace = Pace::new();
            // Of another time, if it could not be left where it belongs.
            eyes.found.clear();
        }
        let hz = orders.hz;
        // A change of the rate ends the sleep; then this look comes early, once.
        let (changed, _) = CHANGED
            .wait_timeout(orders, pace.until_next(hz))
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let asked = changed.hz > 0.0;
        if changed.hz != hz {
            // The next look was far off, maybe.
            pace = Pace::new();
        }
        drop(changed);
        if asked {
            eyes.look();
            FOUND.put_unless_busy(&mut eyes.found);
        }
    }
}

/// What a look takes where the system does not say, being woken for it included: a guess.
const GUESSED_NS: u64 = 15_000;

/// What the sampler knows and has found, all its own.
#[derive(Default)]
pub(super) struct Eyes {
    records: Vec<&'static ThreadRecord>,
    pub(super) found: Tally,
    /// What this thread had taken of a processor after the last look, if the system says.
    own_ns: Option<u64>,
}

impl Eyes {
    /// Looks at every thread.
    pub(super) fn look(&mut self) {
        gather::complete_soon(&mut self.records);
        for (thread, record) in self.records.iter().enumerate() {
            if let Some(node) = record.current() {
                self.found.add(thread as u32, node);
            }
        }
        self.found.looks += 1;
        let own_ns = own_ns();
        self.found.spent_ns += match (self.own_ns, own_ns) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => GUESSED_NS,
        };
        self.own_ns = own_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_side_waits_for_the_other_and_nothing_is_lost() {
        let basket = Basket(Mutex::new(None));
        let (mut found, mut taken) = (Tally::default(), Tally::default());
        found.spent_ns = 5;
        let busy = lock(&basket.0);
        basket.put_unless_busy(&mut found);
        basket.take_unless_busy(&mut taken);
        assert_eq!([found.spent_ns, taken.spent_ns], [5, 0]);
        drop(busy);
        basket.put_unless_busy(&mut found);
        found.spent_ns = 2;
        basket.put_unless_busy(&mut found);
        basket.take_unless_busy(&mut taken);
        assert_eq!([found.spent_ns, taken.spent_ns], [0, 7]);
    }
}
