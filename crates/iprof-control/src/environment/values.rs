//! Parses the variables' values, including `IPROF_TIMING`, `IPROF_FREQUENCY` and `IPROF_FRAME_BUDGET`, which apply from
//! the start.

use iprof_process::Timing;
use std::env;
use std::ffi::OsStr;
use std::time::Duration;

/// The timing mode, written as for [`Timing`]'s `from_str`.
const TIMING: &str = "IPROF_TIMING";
/// The sampling rate in Hz, used if the timing mode is `sampled` without a rate.
const FREQUENCY: &str = "IPROF_FREQUENCY";
/// The maximum time that a frame should take, in milliseconds.
const FRAME_BUDGET: &str = "IPROF_FRAME_BUDGET";

/// Returns the error messages for invalid values of the variables above. Takes no lock.
pub(super) fn invalid_value_messages() -> impl Iterator<Item = String> {
    let budget = frame_budget_of_environment().and_then(Result::err);
    timing_of_environment().err().into_iter().chain(budget)
}

fn value(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the initial timing mode, if the environment sets one, or an error message if its value is invalid.
pub fn timing_of_environment() -> Result<Option<Timing>, String> {
    timing(value(TIMING).as_deref(), value(FREQUENCY).as_deref())
}

/// Returns the initial frame budget, if the environment sets one, or an error message if its value is invalid.
#[must_use]
pub fn frame_budget_of_environment() -> Option<Result<Duration, String>> {
    let value = value(FRAME_BUDGET).filter(|value| !value.trim().is_empty())?;
    Some(frame_budget(&value).map_err(|error| format!("{FRAME_BUDGET}: {error}")))
}

pub(super) fn frame_budget(value: &str) -> Result<Duration, String> {
    let ms = value.trim().parse::<f64>().ok();
    match ms.filter(|ms| (0.001..=3_600_000.0).contains(ms)) {
        Some(ms) => Ok(Duration::from_secs_f64(ms / 1e3)),
        None => Err(format!(
            "invalid value \"{value}\"; expected 0.001 to 3600000 milliseconds"
        )),
    }
}

pub(super) fn timing(
    timing: Option<&str>,
    frequency: Option<&str>,
) -> Result<Option<Timing>, String> {
    let Some(text) = timing.filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    let timing = text.parse().map_err(|error| format!("{TIMING}: {error}"))?;
    let says_rate = text.contains(':');
    let (Timing::Sampled { .. }, Some(frequency), false) = (timing, frequency, says_rate) else {
        return Ok(Some(timing));
    };
    match frequency.trim().parse() {
        Ok(hz) => Ok(Some(Timing::Sampled { hz })),
        Err(_) => Err(format!(
            "{FREQUENCY}: invalid sampling rate \"{frequency}\"; expected a number"
        )),
    }
}

pub(super) fn port_number(port: &str) -> Result<u16, String> {
    let port = port.trim();
    let number = port.parse::<u16>().ok().filter(|port| *port > 0);
    number.ok_or_else(|| format!("invalid port \"{port}\"; expected 1 to 65535"))
}

/// Parses the timeout and the file in `IPROF_STALL`, such as `5` or `5:stalls.txt`.
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

#[cfg(test)]
mod tests {
    use super::timing;
    use iprof_process::Timing;

    #[test]
    fn frequency_applies_only_to_modes_without_a_rate() {
        let sampled = |hz| Ok(Some(Timing::Sampled { hz }));
        assert_eq!(timing(None, Some("50")), Ok(None));
        assert_eq!(timing(Some(""), None), Ok(None));
        assert_eq!(timing(Some("exact"), Some("50")), Ok(Some(Timing::Exact)));
        assert_eq!(timing(Some("sampled"), None), sampled(1000.0));
        assert_eq!(timing(Some("sampled"), Some("50")), sampled(50.0));
        assert_eq!(timing(Some("sampled:20"), Some("50")), sampled(20.0));
        for (asked, frequency) in [("never", "50"), ("sampled", "often")] {
            assert!(timing(Some(asked), Some(frequency)).is_err());
        }
    }
}
