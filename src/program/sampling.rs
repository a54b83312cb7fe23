//! Sampling sessions, which profile the program only by sampling, in any timing mode, and turn the samples into call
//! tree rows.

mod profile;

use crate::gather::mode;
use crate::program::{self, Program};
use crate::sample::{ProfileSampler, SampleCounts};
use iprof_process::Timing;
use std::sync::Arc;
use std::{error, fmt, io};

/// A sampling profile in progress: a sampler reads every registered thread's open zones at random times.
///
/// [`finish`](SamplingSession::finish) returns the profile. Dropping the session discards the profile. Both can be done
/// on any thread.
///
/// ```
/// # fn main() -> Result<(), iprof::StartSamplingError> {
/// let session = iprof::SamplingSession::start(1000.0)?;
/// {
///     iprof::zone!(work);
///     std::thread::sleep(std::time::Duration::from_millis(20));
/// }
/// let profile = session.finish();
/// profile.write(std::io::stdout()).expect("a terminal");
/// # Ok(()) }
/// ```
///
/// A child of `fork` has no sampler. In the child, `finish` returns an empty profile, and no further sessions can be
/// started.
#[derive(Debug)]
#[must_use = "if unused, the session ends immediately"]
pub struct SamplingSession {
    /// The session's number, which no other session of the program has.
    number: u64,
}

impl SamplingSession {
    /// Starts sampling every thread's current call stack, `hz` times a second on average. Only one session can be in
    /// progress at a time.
    ///
    /// `hz` is clamped to 1 to 10,000; NaN means 1,000. The session has its own sampler, independent of the rate of
    /// [`timing`](crate::timing), and does not otherwise affect reports or recording. If timing is
    /// [off](crate::Timing::Off), zones maintain the current call stack until the session ends, at the cost of sampled
    /// zones, but zones opened before the session started are not seen. Without the `enable` feature, nothing is
    /// sampled.
    ///
    /// # Errors
    ///
    /// Fails if a session is in progress, if the system cannot start a thread, or in a child of `fork`.
    pub fn start(hz: f64) -> Result<SamplingSession, StartSamplingError> {
        let number = start(hz);
        number.map(|number| SamplingSession { number })
    }

    /// Ends the session and returns its profile. Waits for the sampler thread to end, which takes microseconds.
    ///
    /// Without the `enable` feature the profile is empty.
    #[must_use = "this ends the session; to discard the profile, drop the session"]
    pub fn finish(self) -> SampledProfile {
        profile::profile(&end(self.number))
    }
}

impl Drop for SamplingSession {
    fn drop(&mut self) {
        drop(end(self.number));
    }
}

/// The error returned by [`SamplingSession::start`].
#[derive(Debug)]
#[non_exhaustive]
pub enum StartSamplingError {
    /// A session is in progress already.
    AlreadyStarted,
    /// The system could not start the sampler thread.
    SpawnThread(io::Error),
}

impl fmt::Display for StartSamplingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartSamplingError::AlreadyStarted => {
                "a sampling session is already in progress; finish it first"
            }
            StartSamplingError::SpawnThread(_) => "the sampler thread could not be started",
        })
    }
}

impl error::Error for StartSamplingError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            StartSamplingError::SpawnThread(reason) => Some(reason),
            StartSamplingError::AlreadyStarted => None,
        }
    }
}

/// The profile of a [`SamplingSession`](crate::SamplingSession): the number of samples in each call stack, over all
/// threads.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SampledProfile {
    /// The largest number of threads sampled at the same time. A thread that starts after another thread with the same
    /// name has ended takes over that thread's entry.
    pub threads: usize,
    /// The number of samples taken, over all threads.
    pub samples: u64,
    /// The tree of zones: each row is followed by its callees, the largest first.
    pub rows: Vec<SampledRow>,
}

/// A zone in the tree of call stacks, or the self samples of its parent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampledRow {
    /// The zone's name. For self samples it is `self`, or `(outside zones)` at the top.
    pub name: Arc<str>,
    /// The depth of the row: 0 at the top.
    pub depth: usize,
    /// The number of samples in this stack and in all stacks below it.
    pub samples: u64,
    /// Whether the row holds the self samples of its parent.
    pub is_self: bool,
}

impl SampledProfile {
    /// Returns `samples` as a percentage of all samples; 0 if there are none.
    #[must_use]
    pub fn percent(&self, samples: u64) -> f64 {
        100.0 * samples as f64 / self.samples.max(1) as f64
    }
}

/// The program's sampling sessions. At most one is in progress.
#[derive(Debug, Default)]
pub(in crate::program) struct Sessions {
    active: Option<ActiveSession>,
    /// The number of sessions started, which is also the last session's number.
    started: u64,
}

#[derive(Debug)]
struct ActiveSession {
    /// The number of this session. All other sessions have ended.
    number: u64,
    sampler: ProfileSampler,
}

impl Sessions {
    pub(in crate::program) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    fn add(&mut self, sampler: ProfileSampler) -> u64 {
        self.started += 1;
        let number = self.started;
        self.active = Some(ActiveSession { number, sampler });
        number
    }
}

pub(super) fn start(hz: f64) -> Result<u64, StartSamplingError> {
    let mut program = program::lock();
    if program.sessions.is_active() {
        return Err(StartSamplingError::AlreadyStarted);
    }
    let hz = match (Timing::Sampled { hz }).clamped() {
        Timing::Sampled { hz } => hz,
        _ => unreachable!("clamping keeps the mode"),
    };
    let sampler = ProfileSampler::start(hz).map_err(StartSamplingError::SpawnThread)?;
    let number = program.sessions.add(sampler);
    update_sampling_mode(&program);
    Ok(number)
}

/// Ends the session with this number. Does nothing if it has already ended, such as when a finished session is dropped.
pub(super) fn end(number: u64) -> SampleCounts {
    let mut program = program::lock();
    let is_this_one = |active: &mut ActiveSession| active.number == number;
    let ended = program.sessions.active.take_if(is_this_one);
    if ended.is_some() {
        update_sampling_mode(&program);
    }
    // Wait for the sampler thread without holding the lock.
    drop(program);
    ended.map_or_else(SampleCounts::default, |active| active.sampler.finish())
}

/// While timing is off, makes zones maintain the current call stack as long as a session needs the stacks.
fn update_sampling_mode(program: &Program) {
    if program.profiler.timing() == Timing::Off {
        match program.sessions.is_active() {
            true => mode::turn_on(mode::cutoff::SAMPLED),
            false => mode::turn_off(),
        }
    }
}
