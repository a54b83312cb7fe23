//! What the environment asks for in timing. Everything else it may ask for is begun above.

use super::change_timing;
use super::core::Process;
use crate::sync::OnceLock;
use crate::timing::Timing;
use std::env;

/// How zones get their times; as in [`Timing`]'s `from_str`.
const TIMING: &str = "IPROF_TIMING";
/// Looks per second, if times are sampled and the timing does not say.
const FREQUENCY: &str = "IPROF_FREQUENCY";

/// What cannot be done of what the environment asks for beside timing. Set once, and read without a
/// lock: whoever sets it may be in the middle of anything.
static WARNINGS: OnceLock<Vec<String>> = OnceLock::new();

/// Has reports warn of what cannot be done.
pub(crate) fn warn_of_environment(warnings: Vec<String>) {
    // It is asked for once.
    let _ = WARNINGS.set(warnings);
}

/// What reports are to warn of, beside what `process` knows.
pub(super) fn warnings() -> &'static [String] {
    WARNINGS.get().map_or(&[], Vec::as_slice)
}

/// A new `process` does what the environment asks for.
pub(super) fn following(mut process: Process) -> Process {
    match asked_for() {
        Ok(Some(timing)) => change_timing(&mut process, timing),
        Ok(None) => {}
        Err(warning) => process.misread = Some(warning),
    }
    process
}

/// What cannot be read of what is asked for in timing. Takes no lock.
pub(crate) fn misread_timing() -> Option<String> {
    asked_for().err()
}

/// Whether the two variables' values can be read.
#[cfg(any(all(test, not(loom)), fuzzing))]
pub(crate) fn read_timing(text: &str, frequency: &str) -> Result<(), String> {
    timing(Some(text), Some(frequency)).map(drop)
}

fn asked_for() -> Result<Option<Timing>, String> {
    let value = |name| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    timing(value(TIMING).as_deref(), value(FREQUENCY).as_deref())
}

/// The timing that the two variables ask for, if any.
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
        Err(_) => Err(format!("{FREQUENCY}: \"{frequency}\" is no number")),
    }
}

#[cfg(test)]
mod tests {
    use super::timing;
    use crate::timing::Timing;

    #[test]
    fn the_frequency_is_for_what_is_sampled_and_does_not_say() {
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
