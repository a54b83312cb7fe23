//! Sampling sessions: profile the program by sampling alone, in any timing mode, and turn the samples
//! into rows of a call tree.

mod profile;
mod sessions;

pub(super) use sessions::Sessions;

use crate::sampled_profile::SampledProfile;
use std::{error, fmt, io};

/// Registers the calling thread, so that the sampler sees it before it enters a zone. Optional: a
/// thread's first zone does the same. Further calls do nothing.
pub fn register_thread() {
    // `None` on a thread that is about to end: there is nothing to sample.
    let _ = crate::gather::local::record();
}

/// A sampling profile in progress: a sampler reads the open zones of every registered thread at random
/// moments.
/// [`finish`](SamplingSession::finish) returns the profile; dropping the session ends it and discards
/// the profile. Any thread may do either.
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
/// A child of `fork` has no sampler: there `finish` returns an empty profile, and no other session can be started.
#[derive(Debug)]
#[must_use = "dropping the session ends it and discards its profile"]
pub struct SamplingSession {
    /// No other session has it.
    number: u64,
}

impl SamplingSession {
    /// Starts to read the current stack of every thread, on average `hz` times a second. There is at
    /// most one session at a time in the program.
    ///
    /// `hz` is clamped to 1 to 10,000; NaN means 1,000. The session has a sampler of its own,
    /// independent of the rate of [`timing`](crate::timing), and changes nothing else that is shown or
    /// recorded. If timing is [off](crate::Timing::Off), zones maintain the current stack until the session
    /// ends, at the cost of sampled zones; zones that were open before the start are not seen. Without
    /// the feature `enable` nothing is sampled.
    ///
    /// # Errors
    ///
    /// If a session is in progress already, if the system cannot start a thread, or in a child of `fork`.
    pub fn start(hz: f64) -> Result<SamplingSession, StartSamplingError> {
        let number = sessions::start(hz);
        number.map(|number| SamplingSession { number })
    }

    /// Ends the session and returns its profile. Waits for the sampler thread to end, which takes
    /// microseconds. Without the feature `enable` the profile is empty.
    #[must_use = "dropping the session discards its profile, too"]
    pub fn finish(self) -> SampledProfile {
        profile::profile(&sessions::end(self.number))
    }
}

impl Drop for SamplingSession {
    fn drop(&mut self) {
        drop(sessions::end(self.number));
    }
}

/// The error of [`SamplingSession::start`]: why no session could be started.
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
