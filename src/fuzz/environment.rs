//! Fuzz target: values of the environment variables, parsed but not applied.

use crate::timing::Timing;
use std::ffi::OsStr;

/// Parses the bytes as a value of each variable. If they contain a line break, the parts before and after
/// it are the timing and its rate.
///
/// # Panics
///
/// If an invalid value is accepted.
pub fn environment(input: &[u8]) {
    #[cfg(unix)]
    let value: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(input);
    #[cfg(not(unix))]
    let value = String::from_utf8_lossy(input);
    #[cfg(not(unix))]
    let value = OsStr::new(&*value);
    crate::environment::read_values(value);
    let text = value.to_string_lossy();
    match text.parse::<Timing>() {
        Ok(timing) => assert_eq!(timing, timing.clamped(), "{text}"),
        Err(error) => assert!(error.to_string().contains(&*text)),
    }
    let (timing, rate) = match text.split_once('\n') {
        Some((timing, rate)) => (timing, Some(rate)),
        None => (&*text, None),
    };
    let read = crate::environment::values::read(timing, rate.unwrap_or_default(), &text);
    assert_ne!(read.files[0], read.files[1]);
    match crate::process::timing_asked_for(Some(timing), rate) {
        Ok(Some(timing)) => {
            // Any number is a valid timing once it is clamped.
            assert_eq!(timing.clamped(), timing.clamped().clamped());
        }
        Ok(None) => assert!(timing.trim().is_empty()),
        Err(warning) => assert!(warning.starts_with("IPROF_"), "{warning}"),
    }
}
