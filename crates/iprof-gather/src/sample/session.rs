//! A separate sampler for one `SamplingSession`: it takes no samples away from the program's sampler,
//! which measures untimed nodes.

use super::sampler::StackSampler;
use crate::sample::SampleCounts;
use crate::sample::sampler::Schedule;
use crate::sync::{Mutex, lock};
use std::io;
use std::sync::{Arc, Condvar, PoisonError};
use std::thread::JoinHandle;

/// A running sampler.
#[derive(Debug)]
pub struct Session {
    stop: Arc<StopSignal>,
    thread: JoinHandle<Option<SampleCounts>>,
}

/// The request to stop.
#[derive(Debug, Default)]
struct StopSignal {
    is_requested: Mutex<bool>,
    changed: Condvar,
}

impl Session {
    /// Starts sampling every thread `hz` times a second; `hz` is above 0.
    pub fn start(hz: f64) -> io::Result<Session> {
        let stop = Arc::new(StopSignal::default());
        let shared = stop.clone();
        let thread =
            crate::spawn_unrecorded(super::THREAD, move || sample_until_stopped(hz, &shared))?;
        Ok(Session { stop, thread })
    }

    /// Stops the sampler, and returns its counts.
    pub fn finish(self) -> SampleCounts {
        *lock(&self.stop.is_requested) = true;
        self.stop.changed.notify_one();
        // The thread does not panic; if it did, there are no counts.
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
