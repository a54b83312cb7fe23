//! A signal that begins a profile, and ends it the next time.

/// The signal: a name or a number.
pub(super) const VARIABLE: &str = "IPROF_SIGNAL";

pub(super) use absent::{follow, last_part};

/// What there is to write at the end where signals say what is.
#[derive(Debug)]
pub(super) enum LastPart {
    /// No signal was asked for: everything.
    Everything,
    /// No profile is being made.
    Nothing,
    /// What was recorded since the last signal, and its number.
    Since(crate::snapshot::Snapshot, u32),
}

mod absent {
    use super::LastPart;
    use std::ffi::OsStr;

    /// Not in this build.
    pub(in super::super) fn follow(_signal: &OsStr) -> Result<(), String> {
        Err(match cfg!(unix) {
            true => "this build of iprof is without its feature `signal`",
            false => "this system has no signals",
        }
        .into())
    }

    /// No signal asks for anything.
    pub(in super::super) fn last_part() -> LastPart {
        LastPart::Everything
    }
}
