//! `IPROF_SIGNAL`: starts a profile on a signal, and writes it to a numbered file on the next signal.

use crate::RunningProgram;
use crate::environment::profile::{self, ProfileData};
use iprof_gather as gather;
use iprof_process::Snapshot;
use signal_hook::consts::{
    FORBIDDEN, SIGHUP, SIGIO, SIGPROF, SIGURG, SIGUSR1, SIGUSR2, SIGVTALRM, SIGWINCH,
};
use signal_hook::iterator::Signals;
use std::ffi::{OsStr, c_int};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Signals that most programs don't use for anything else. Other signals can be given by number.
const NAMES: [(&str, c_int); 8] = [
    ("USR1", SIGUSR1),
    ("USR2", SIGUSR2),
    ("HUP", SIGHUP),
    ("PROF", SIGPROF),
    ("VTALRM", SIGVTALRM),
    ("WINCH", SIGWINCH),
    ("URG", SIGURG),
    ("IO", SIGIO),
];
const THREAD: &str = "iprof signal";

/// The profile state. Only set if a signal is configured.
static PROFILES: OnceLock<Mutex<SignalProfiles>> = OnceLock::new();

#[derive(Debug)]
struct SignalProfiles {
    program: &'static RunningProgram,
    /// If a profile is running, the snapshot from its start, and the number of the newest frame at that time.
    before: Option<(Box<Snapshot>, u64)>,
    count: u32,
}

impl SignalProfiles {
    fn end(&mut self) -> Option<ProfileData> {
        let (before, newest_frame) = self.before.take()?;
        let data = ProfileData {
            recorded: (self.program.snapshot)().into_since(&before),
            first_frame: newest_frame + 1,
            number: Some(self.count),
        };
        self.count += 1;
        Some(data)
    }

    fn toggle(&mut self) {
        match self.end() {
            Some(data) => profile::write(&data),
            None => {
                let program = self.program;
                self.before = Some((Box::new((program.snapshot)()), (program.newest_frame)()));
            }
        }
    }
}

/// Makes the signal start and end profiles. A separate thread waits for the signal. The signal handler only sets a
/// flag. If the program installed a handler earlier, that handler is still called.
pub(crate) fn apply(program: &'static RunningProgram, signal: &OsStr) -> Result<(), String> {
    let number = number(&signal.to_string_lossy())?;
    let mut signals = Signals::new([number]).map_err(|error| error.to_string())?;
    let profiles = PROFILES.get_or_init(|| {
        Mutex::new(SignalProfiles {
            program,
            before: None,
            count: 0,
        })
    });
    let wait = move || {
        for _ in signals.forever() {
            profiles
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .toggle();
        }
    };
    let thread = gather::spawn_unrecorded(THREAD, wait);
    thread.map(drop).map_err(|error| error.to_string())
}

/// Parses a signal: a name with or without `SIG`, or a number.
pub(crate) fn number(text: &str) -> Result<c_int, String> {
    let upper = text.trim().to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let named = NAMES.iter().find(|(known, _)| *known == name);
    let number = match named {
        Some((_, number)) => Some(*number),
        None => upper.parse().ok().filter(|number| *number > 0),
    };
    number
        .filter(|number| !FORBIDDEN.contains(number))
        .ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            format!("invalid signal \"{text}\"; expected {names} or a number")
        })
}

/// Returns the data to write at exit: everything recorded or, if a signal is configured, the running profile. Ends that
/// profile.
pub(crate) fn data_at_exit(program: &RunningProgram) -> Option<ProfileData> {
    match PROFILES.get() {
        None => Some(ProfileData::everything(program)),
        // If the signal thread is writing a profile, locking waits until it has finished.
        Some(profiles) => profiles
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .end(),
    }
}

#[cfg(test)]
mod tests {
    use super::number;
    use signal_hook::consts::{SIGKILL, SIGUSR2};

    #[test]
    fn signals_are_parsed_by_name_or_number() {
        for text in ["USR2", "sigusr2", " Usr2 ", &SIGUSR2.to_string()] {
            assert_eq!(number(text), Ok(SIGUSR2), "{text}");
        }
        for text in ["", "SIG", "0", "-1", "user", "kill", &SIGKILL.to_string()] {
            let error = number(text).unwrap_err();
            assert!(error.contains("USR1, USR2"), "{text}: {error}");
        }
    }
}
