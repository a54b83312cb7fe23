//! A sampler of its own, for as long as somebody wants a profile: so it takes nothing from the one
//! that completes what clocks do not measure.

use super::pace::Pace;
use super::sampler::Eyes;
use super::tally::Tally;
use crate::gather;
use crate::sync::{Mutex, lock};
use std::io;
use std::sync::{Arc, Condvar, PoisonError};
use std::thread::JoinHandle;

/// A sampler that runs.
#[derive(Debug)]
pub(crate) struct Session {
    end: Arc<End>,
    thread: JoinHandle<Option<Tally>>,
}

/// Whether it is to end.
#[derive(Debug, Default)]
struct End {
    is_near: Mutex<bool>,
    changed: Condvar,
}

impl Session {
    /// Has every thread looked at `hz` times a second, which is above 0.
    pub(crate) fn start(hz: f64) -> io::Result<Session> {
        let end = Arc::new(End::default());
        let theirs = end.clone();
        let thread = gather::spawn_unrecorded(super::THREAD, move || watch(hz, &theirs))?;
        Ok(Session { end, thread })
    }

    /// Ends it, and returns what it has found.
    pub(crate) fn finish(self) -> Tally {
        *lock(&self.end.is_near) = true;
        self.end.changed.notify_one();
        // It does not panic; and if it did, nothing was found.
        self.thread.join().ok().flatten().unwrap_or_default()
    }
}

fn watch(hz: f64, end: &End) -> Tally {
    let mut pace = Pace::new();
    let mut eyes = Eyes::default();
    loop {
        let is_near = lock(&end.is_near);
        let (is_near, _) = end
            .changed
            .wait_timeout_while(is_near, pace.until_next(hz), |is_near| !*is_near)
            .unwrap_or_else(PoisonError::into_inner);
        if *is_near {
            return eyes.found;
        }
        drop(is_near);
        eyes.look();
    }
}
