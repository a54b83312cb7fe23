//! Reads `IPROF_TIMING` and `IPROF_FREQUENCY`, the environment variables that set the timing mode of
//! a program that begins. The module `crate::environment` reads the others.

use crate::process::program::Program;
use crate::timing::Timing;
use std::env;

/// The timing mode, written as for [`Timing`]'s `from_str`.
const TIMING: &str = "IPROF_TIMING";
/// The sampling rate in Hz, used if the timing mode is `sampled` without a rate.
const FREQUENCY: &str = "IPROF_FREQUENCY";

/// Sets the timing mode of a program that begins from the environment.
pub(super) fn configure(program: &mut Program) {
    match from_environment() {
        Ok(Some(timing)) => program.set_timing(timing),
        Ok(None) => {}
        Err(warning) => program.profiler.set_environment_warning(warning),
    }
}

/// The error message for an invalid timing mode or rate in the environment. Takes no lock.
pub(crate) fn misread_timing() -> Option<String> {
    from_environment().err()
}

fn from_environment() -> Result<Option<Timing>, String> {
    let value = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    timing(value(TIMING).as_deref(), value(FREQUENCY).as_deref())
}

/// The timing mode from the values of the two variables, if there is one.
pub(crate) fn timing(
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::timing;
    use crate::timing::Timing;

    #[test]
    fn the_frequency_applies_only_to_sampled_modes_without_a_rate() {
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
