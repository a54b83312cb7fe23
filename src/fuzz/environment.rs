//! Values of the environment's variables.

use crate::timing::Timing;
use std::ffi::OsStr;

/// Reads the bytes as a value of each variable, and as two values, of the timing and of its rate, if
/// there is a line break in them.
///
/// # Panics
///
/// If something is read that cannot be meant.
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
            // Anything that is a number is one that can be had when it is clamped.
            assert_eq!(timing.clamped(), timing.clamped().clamped());
        }
        Ok(None) => assert!(timing.trim().is_empty()),
        Err(warning) => assert!(warning.starts_with("IPROF_"), "{warning}"),
    }
}
