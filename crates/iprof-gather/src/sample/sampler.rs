//! The sampler: a thread that sleeps for a [random time](Schedule), reads every thread's current node, and repeats.
//!
//! The system may suspend this thread anywhere, for any length of time, and the program's frames must not wait for it.
//! So the sampler holds no lock while it samples, and leaves its counts in a mailbox for [`try_take`]. If one side has
//! locked the mailbox, the other tries again later. The sampler also takes a lock to go to sleep, but only frames that
//! change the rate need that lock.

use super::thread_cpu_time::own_ns;
use crate::ThreadRecord;
use crate::clock::Instant;
use crate::sample::SampleCounts;
use crate::sync::{Mutex, Ordering::Relaxed, StaticBool, StaticU32, lock, try_lock};
use std::io;
use std::sync::{Arc, Condvar, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The requested state of the sampler.
#[derive(Debug, Default)]
struct Request {
    /// The number of samples per second, or 0 for none.
    hz: f64,
    /// Whether the sampler thread was started.
    started: bool,
}

static REQUEST: Mutex<Request> = Mutex::new(Request {
    hz: 0.0,
    started: false,
});
static CHANGED: Condvar = Condvar::new();
/// The requested rate, as the bits of an `f32`. Every frame compares its rate with this value, without waiting for the
/// request's lock.
static RATE: StaticU32 = StaticU32::new(0);
/// The counts that have not been taken yet.
static MAILBOX: Mailbox = Mailbox(Mutex::new(None));
/// Whether anything was ever sampled. Most programs don't sample, and their frames don't have to lock the mailbox.
static HAS_SAMPLED: StaticBool = StaticBool::new(false);

/// Sets the sampling rate of all threads, in samples per second; 0 turns sampling off. Starts the sampler thread when
/// the rate is first above 0.
///
/// # Errors
///
/// Returns an error if the thread cannot be started.
pub fn set_rate(hz: f64) -> io::Result<()> {
    // Relaxed: the caller holds the measurements' lock.
    let bits = (hz as f32).to_bits();
    if RATE.load(Relaxed) == bits {
        return Ok(());
    }
    let mut request = lock(&REQUEST);
    if !request.started && hz > 0.0 {
        crate::spawn_unrecorded(super::THREAD, run)?;
        request.started = true;
    }
    request.hz = hz;
    RATE.store(bits, Relaxed);
    CHANGED.notify_one();
    Ok(())
}

/// Moves the counts since the last call into `found`, which must be empty.
pub fn take(found: &mut SampleCounts) {
    MAILBOX.take(found);
}

/// Like [`take`], but leaves everything to the next call if the sampler has locked the mailbox.
pub fn try_take(found: &mut SampleCounts) {
    if HAS_SAMPLED.load(Relaxed) {
        MAILBOX.try_take(found);
    }
}

struct Mailbox(Mutex<Option<SampleCounts>>);

impl Mailbox {
    /// Moves the counts in `found` to the mailbox, unless its lock is taken.
    fn try_put(&self, found: &mut SampleCounts) {
        if let Some(mut all) = try_lock(&self.0) {
            all.get_or_insert_default().absorb(found);
        }
    }

    fn try_take(&self, found: &mut SampleCounts) {
        if let Some(mut all) = try_lock(&self.0) {
            std::mem::swap(found, all.get_or_insert_default());
        }
    }

    fn take(&self, found: &mut SampleCounts) {
        std::mem::swap(found, lock(&self.0).get_or_insert_default());
    }
}

fn run() {
    let mut schedule = Schedule::new();
    let mut sampler = StackSampler::default();
    loop {
        let mut request = REQUEST.lock().unwrap_or_else(PoisonError::into_inner);
        while request.hz == 0.0 {
            request = CHANGED
                .wait(request)
                .unwrap_or_else(PoisonError::into_inner);
            schedule = Schedule::new();
            // Discard old counts that could not be put into the mailbox.
            sampler.found.clear();
        }
        let hz = request.hz;
        // A rate change ends the sleep, so one sample is taken early.
        let (changed, _) = CHANGED
            .wait_timeout(request, schedule.until_next(hz))
            .unwrap_or_else(PoisonError::into_inner);
        let is_active = changed.hz > 0.0;
        if changed.hz != hz {
            // The next sample may have been scheduled for much later.
            schedule = Schedule::new();
        }
        drop(changed);
        if is_active {
            sampler.sample();
            HAS_SAMPLED.store(true, Relaxed);
            MAILBOX.try_put(&mut sampler.found);
        }
    }
}

/// The assumed cost of a sample, including the wakeup, where the system does not report CPU time.
const GUESSED_NS: u64 = 15_000;

#[derive(Default)]
struct StackSampler {
    records: Vec<&'static ThreadRecord>,
    found: SampleCounts,
    /// This thread's CPU time after the last sample, if known.
    own_ns: Option<u64>,
}

impl StackSampler {
    /// Samples every thread once.
    fn sample(&mut self) {
        crate::append_new_records_lazily(&mut self.records);
        for (thread, record) in self.records.iter().enumerate() {
            if let Some(node) = record.current() {
                self.found.add(thread as u32, node);
            }
        }
        self.found.samples += 1;
        let own_ns = own_ns();
        self.found.spent_ns += match (self.own_ns, own_ns) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => GUESSED_NS,
        };
        self.own_ns = own_ns;
    }
}

/// The schedule of the moments at which a sampler takes samples.
///
/// The times between samples are exponentially distributed, so the samples form a Poisson process. Every moment is
/// equally likely to be sampled, no matter when the last sample was taken or how periodic the program is. With a
/// constant interval, a program with the same period would be sampled at the same place every time. Each moment is
/// computed from the previous scheduled moment, so that the time spent sampling does not lower the rate. A late sample
/// is as good as a punctual one, because it is also at a random moment.
#[derive(Debug)]
struct Schedule {
    next: Instant,
}

impl Schedule {
    fn new() -> Schedule {
        Schedule {
            next: Instant::now(),
        }
    }

    /// Advances to the next moment at a mean rate of `hz`, and returns how long to sleep until then.
    fn until_next(&mut self, hz: f64) -> Duration {
        self.next += pause(hz, random());
        let now = Instant::now();
        // If the schedule is late by more than a mean interval, samples are skipped. Several samples in quick
        // succession would see the same node.
        if now > self.next + Duration::from_secs_f64(hz.recip()) {
            self.next = now;
        }
        self.next.saturating_duration_since(now)
    }
}

/// Returns an exponentially distributed pause with mean `1 / hz`, given a random number from 0 to 1.
fn pause(hz: f64, random: f64) -> Duration {
    Duration::from_secs_f64(-(1.0 - random).ln() / hz)
}

/// Returns a random number from 0 to 1, excluding 1.
fn random() -> f64 {
    fastrand::f64()
}

/// A sampling profile's own sampler. It runs in addition to the program's own sampler, which measures untimed nodes.
#[derive(Debug)]
pub struct ProfileSampler {
    stop: Arc<StopSignal>,
    thread: JoinHandle<Option<SampleCounts>>,
}

#[derive(Debug, Default)]
struct StopSignal {
    is_requested: Mutex<bool>,
    changed: Condvar,
}

impl ProfileSampler {
    /// Starts sampling every thread `hz` times per second. `hz` must be above 0.
    pub fn start(hz: f64) -> io::Result<ProfileSampler> {
        let stop = Arc::new(StopSignal::default());
        let shared = stop.clone();
        let thread =
            crate::spawn_unrecorded(super::THREAD, move || sample_until_stopped(hz, &shared))?;
        Ok(ProfileSampler { stop, thread })
    }

    /// Stops the sampler and returns its counts.
    pub fn finish(self) -> SampleCounts {
        *lock(&self.stop.is_requested) = true;
        self.stop.changed.notify_one();
        // The thread should never panic. If it does, return no counts.
        self.thread.join().ok().flatten().unwrap_or_default()
    }
}

fn sample_until_stopped(hz: f64, stop: &StopSignal) -> SampleCounts {
    let mut schedule = Schedule::new();
    let mut sampler = StackSampler::default();
    loop {
        let is_requested = stop.is_requested.lock();
        let is_requested = is_requested.unwrap_or_else(PoisonError::into_inner);
        let (is_requested, _) = stop
            .changed
            .wait_timeout_while(is_requested, schedule.until_next(hz), |is_requested| {
                !*is_requested
            })
            .unwrap_or_else(PoisonError::into_inner);
        if *is_requested {
            return sampler.found;
        }
        drop(is_requested);
        sampler.sample();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn locked_mailbox_neither_blocks_nor_loses_counts() {
        let mailbox = Mailbox(Mutex::new(None));
        let (mut found, mut taken) = (SampleCounts::default(), SampleCounts::default());
        found.spent_ns = 5;
        let busy = lock(&mailbox.0);
        mailbox.try_put(&mut found);
        mailbox.try_take(&mut taken);
        assert_eq!([found.spent_ns, taken.spent_ns], [5, 0]);
        drop(busy);
        mailbox.try_put(&mut found);
        found.spent_ns = 2;
        mailbox.try_put(&mut found);
        mailbox.try_take(&mut taken);
        assert_eq!([found.spent_ns, taken.spent_ns], [0, 7]);
    }
}

#[cfg(all(test, not(loom), feature = "enable"))]
mod schedule_tests {
    use super::*;

    #[test]
    fn pauses_are_exponentially_distributed() {
        let mut random = fastrand::Rng::with_seed(1);
        // The tolerances are five standard errors.
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
