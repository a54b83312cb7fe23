//! `IPROF_FRAME_BUDGET`: the longest that a frame should take, in programs that do not set it.

use crate::process::set_frame_budget;
use std::ffi::OsStr;
use std::time::Duration;

/// In milliseconds.
pub(super) const VARIABLE: &str = "IPROF_FRAME_BUDGET";

pub(super) fn apply(value: &OsStr) -> Result<(), String> {
    set_frame_budget(budget(value)?);
    Ok(())
}

pub(super) fn budget(value: &OsStr) -> Result<Duration, String> {
    let value = value.to_string_lossy();
    let ms = value.trim().parse::<f64>().ok();
    match ms.filter(|ms| (0.001..=3_600_000.0).contains(ms)) {
        Some(ms) => Ok(Duration::from_secs_f64(ms / 1e3)),
        None => Err(format!(
            "invalid value \"{value}\"; expected 0.001 to 3600000 milliseconds"
        )),
    }
}
