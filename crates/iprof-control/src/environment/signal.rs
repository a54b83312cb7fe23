//! `IPROF_SIGNAL`: starts a profile at a signal, and writes it to a numbered file at the next one.

/// The signal's name or number.
pub(super) const VARIABLE: &str = "IPROF_SIGNAL";

#[cfg(not(all(unix, feature = "signal")))]
pub(super) use absent::{apply, last_part};
#[cfg(all(unix, feature = "signal", test))]
pub(super) use present::number;
#[cfg(all(unix, feature = "signal"))]
pub(super) use present::{apply, last_part};

/// What to write at exit.
#[derive(Debug)]
#[cfg_attr(not(all(unix, feature = "signal")), allow(dead_code))] // Then there is one case.
#[allow(clippy::large_enum_variant)] // There is one of them.
pub(super) enum LastPart {
    /// No signal is configured: write everything.
    Everything,
    /// A signal is configured and no profile is running: write nothing.
    Nothing,
    /// The running profile, recorded since the last signal.
    Since(Part),
}

/// What was recorded between two signals.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) recorded: iprof_process::Snapshot,
    /// The number of the first frame that ended in it.
    pub(super) first_frame: u64,
    /// Its own number.
    pub(super) number: u32,
}

#[cfg(not(all(unix, feature = "signal")))]
mod absent {
    use super::LastPart;
    use crate::RunningProgram;
    use std::ffi::OsStr;

    /// Not available in this build.
    pub(in super::super) fn apply(
        _program: &'static RunningProgram,
        _signal: &OsStr,
    ) -> Result<(), String> {
        Err(match cfg!(unix) {
            true => "this build of iprof lacks the feature `signal`",
            false => "signals are not supported on this system",
        }
        .into())
    }

    /// No signal is available.
    pub(in super::super) fn last_part() -> LastPart {
        LastPart::Everything
    }
}

#[cfg(all(unix, feature = "signal"))]
mod present {
    use super::super::profile;
    use super::{LastPart, Part};
    use crate::RunningProgram;
    use iprof_gather as gather;
    use iprof_process::Snapshot;
    use signal_hook::consts::{FORBIDDEN, SIGHUP, SIGIO, SIGPROF, SIGURG, SIGUSR1, SIGUSR2};
    use signal_hook::consts::{SIGVTALRM, SIGWINCH};
    use signal_hook::iterator::Signals;
    use std::ffi::{OsStr, c_int};
    use std::sync::{Mutex, OnceLock, PoisonError};

    /// Signals without another use in most programs; others can be given by number.
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
    /// Name of the thread that waits for the signal.
    const THREAD: &str = "iprof signal";

    /// Set if a signal is configured.
    static PARTS: OnceLock<Mutex<Parts>> = OnceLock::new();

    /// State of the profiles between signals.
    #[derive(Debug)]
    struct Parts {
        program: &'static RunningProgram,
        /// If a profile is running: what was recorded before it, and the newest frame.
        before: Option<(Box<Snapshot>, u64)>,
        /// Number of completed profiles.
        count: u32,
    }

    impl Parts {
        /// Ends the running profile, if any.
        fn end(&mut self) -> LastPart {
            let Some((before, newest_frame)) = &self.before else {
                return LastPart::Nothing;
            };
            let part = Part {
                recorded: (self.program.snapshot)().into_since(before),
                first_frame: newest_frame + 1,
                number: self.count,
            };
            self.before = None;
            self.count += 1;
            LastPart::Since(part)
        }

        fn toggle(&mut self) {
            match self.end() {
                LastPart::Since(part) => profile::write_part(&part),
                LastPart::Everything | LastPart::Nothing => {
                    let program = self.program;
                    self.before = Some((Box::new((program.snapshot)()), (program.newest_frame)()));
                }
            }
        }
    }

    /// Lets the signal start and end profiles. A thread waits for it: the signal handler only sets a flag,
    /// and a handler that the program had installed before is still called.
    pub(in super::super) fn apply(
        program: &'static RunningProgram,
        signal: &OsStr,
    ) -> Result<(), String> {
        let number = number(&signal.to_string_lossy())?;
        let mut signals = Signals::new([number]).map_err(|error| error.to_string())?;
        let parts = PARTS.get_or_init(|| {
            Mutex::new(Parts {
                program,
                before: None,
                count: 0,
            })
        });
        let wait = move || {
            for _ in signals.forever() {
                parts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .toggle();
            }
        };
        let thread = gather::spawn_unrecorded(THREAD, wait);
        thread.map(drop).map_err(|error| error.to_string())
    }

    /// Parses a signal: a name with or without `SIG`, or a number.
    pub(in super::super) fn number(text: &str) -> Result<c_int, String> {
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

    /// Ends the running profile at exit.
    pub(in super::super) fn last_part() -> LastPart {
        match PARTS.get() {
            None => LastPart::Everything,
            // Waits while the signal thread writes a profile.
            Some(parts) => parts.lock().unwrap_or_else(PoisonError::into_inner).end(),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::number;
        use signal_hook::consts::{SIGKILL, SIGUSR2};

        #[test]
        fn a_signal_is_a_name_or_a_number() {
            for text in ["USR2", "sigusr2", " Usr2 ", &SIGUSR2.to_string()] {
                assert_eq!(number(text), Ok(SIGUSR2), "{text}");
            }
            for text in ["", "SIG", "0", "-1", "user", "kill", &SIGKILL.to_string()] {
                let error = number(text).unwrap_err();
                assert!(error.contains("USR1, USR2"), "{text}: {error}");
            }
        }
    }
}
