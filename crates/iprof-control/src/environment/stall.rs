//! `IPROF_STALL`: reports stalls, on stderr and in a file.

use crate::RunningProgram;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

/// The timeout in seconds, and the file.
pub(super) const VARIABLE: &str = "IPROF_STALL";

/// As `5` or `5:stalls.txt`.
pub(super) fn apply(program: &RunningProgram, value: &OsStr) -> Result<(), String> {
    let (timeout, file) = timeout_and_file(value)?;
    let set = || {
        (program.set_stall_file)(file.as_deref().map(Path::new))?;
        (program.set_stall_timeout)(Some(timeout))
    };
    set().map_err(|error: std::io::Error| error.to_string())
}

pub(super) fn timeout_and_file(value: &OsStr) -> Result<(Duration, Option<String>), String> {
    let value = value.to_string_lossy();
    let (seconds, file) = match value.split_once(':') {
        Some((seconds, file)) => (seconds, Some(file.to_owned())),
        None => (&*value, None),
    };
    let number = seconds.trim().parse::<f64>().ok();
    let number = number.filter(|number| (0.02..=86_400.0).contains(number));
    let is_named = file.as_ref().is_none_or(|file| !file.trim().is_empty());
    match number {
        Some(number) if is_named => Ok((Duration::from_secs_f64(number), file)),
        _ => Err(format!(
            "invalid value \"{value}\"; expected 0.02 to 86400 seconds, and :FILE if wanted"
        )),
    }
}
