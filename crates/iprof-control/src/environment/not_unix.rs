//! Takes the place of `unix.rs` on other systems.

use crate::RunningProgram;
use std::io::{Write, stderr};

pub(super) fn begin(_program: &RunningProgram) {}

pub(super) fn is_privileged() -> bool {
    false
}

pub(super) fn write_to_stderr(bytes: &[u8]) {
    // `eprintln` would panic if stderr is closed.
    let _ = stderr().write_all(bytes);
}

pub(super) mod signal {
    use crate::RunningProgram;
    use crate::environment::profile::Part;
    use std::ffi::OsStr;

    pub(crate) fn apply(_program: &RunningProgram, _signal: &OsStr) -> Result<(), String> {
        Err("signals are not supported on this system".into())
    }

    pub(crate) fn last_part(program: &RunningProgram) -> Option<Part> {
        Some(Part::everything(program))
    }
}
