//! The session in progress, and its sampler.

use super::StartSamplingError;
use crate::gather::mode;
use crate::process::program::{self, Program};
use crate::sample::{SampleCounts, Session};
use crate::timing::Timing;

/// The program's sessions, at most one of which is in progress.
#[derive(Debug, Default)]
pub(in crate::process) struct Sessions {
    active: Option<ActiveSession>,
    /// How many were started: the number of the last one.
    started: u64,
}

/// The session in progress.
#[derive(Debug)]
struct ActiveSession {
    /// A session of any other number has ended.
    number: u64,
    sampler: Session,
}

impl Sessions {
    pub(in crate::process) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Adds a session, in progress from now on. Returns its number.
    fn add(&mut self, sampler: Session) -> u64 {
        self.started += 1;
        let number = self.started;
        self.active = Some(ActiveSession { number, sampler });
        number
    }
}

/// Starts a session, and returns its number.
pub(super) fn start(hz: f64) -> Result<u64, StartSamplingError> {
    let mut program = program::lock();
    if program.sessions.is_active() {
        return Err(StartSamplingError::AlreadyStarted);
    }
    let hz = match (Timing::Sampled { hz }).clamped() {
        Timing::Sampled { hz } => hz,
        _ => unreachable!("clamping keeps the mode"),
    };
    let sampler = Session::start(hz).map_err(StartSamplingError::SpawnThread)?;
    let number = program.sessions.add(sampler);
    update_sampling_mode(&program);
    Ok(number)
}

/// Ends the session of that number. Does nothing if it has ended: when it is dropped after it was finished.
pub(super) fn end(number: u64) -> SampleCounts {
    let mut program = program::lock();
    let is_this_one = |active: &mut ActiveSession| active.number == number;
    let ended = program.sessions.active.take_if(is_this_one);
    if ended.is_some() {
        update_sampling_mode(&program);
    }
    // The sampler thread is waited for without holding a lock.
    drop(program);
    ended.map_or_else(SampleCounts::default, |active| active.sampler.finish())
}

/// While timing is off, makes zones maintain the current stack as long as a session needs it.
fn update_sampling_mode(program: &Program) {
    if program.profiler.timing() == Timing::Off {
        match program.sessions.is_active() {
            true => mode::turn_on(mode::cutoff::SAMPLED),
            false => mode::turn_off(),
        }
    }
}
