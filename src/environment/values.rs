//! Parses the values of all environment variables without applying them, for property tests and the
//! fuzzer.

use super::profile::Profile;
use crate::process;
use std::path::PathBuf;

/// The result: for each value, an error message or the parsed value.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) timing: Result<(), String>,
    #[cfg(feature = "http")]
    pub(crate) port: Result<u16, String>,
    #[cfg(all(unix, feature = "signal"))]
    pub(crate) signal: Result<i32, String>,
    pub(crate) stall: Result<(), String>,
    pub(crate) frame_budget: Result<(), String>,
    /// The files that would be written: at exit, and by a signal.
    pub(crate) files: [PathBuf; 2],
}

/// Parses the values; `other` is the value of all variables but those of timing.
pub(crate) fn read(timing: &str, frequency: &str, other: &str) -> Read {
    Read {
        timing: process::read_timing(timing, frequency),
        #[cfg(feature = "http")]
        port: super::port::number(other),
        #[cfg(all(unix, feature = "signal"))]
        signal: super::signal::number(other),
        stall: super::stall::timeout_and_file(other.as_ref()).map(drop),
        frame_budget: super::frame_budget::budget(other.as_ref()).map(drop),
        files: Profile::named(other.into()).files(),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::read;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_is_parsed_or_refused_by_an_error_that_quotes_it(
            timing in "(exact|auto|sampled|off)?:?[-+0-9.einfaNaN%]{0,6}|\\PC{0,12}",
            frequency in "[-0-9.e]{0,8}|\\PC{0,12}",
            other in "\\PC{0,12}|[A-Z0-9]{0,9}|[a-z%p/.]{0,20}",
        ) {
            let read = read(&timing, &frequency, &other);
            if let Err(error) = read.timing {
                prop_assert!(error.contains(&timing) || error.contains(&frequency), "{error}");
            }
            #[cfg(feature = "http")]
            if let Err(error) = read.port {
                prop_assert!(error.contains(other.trim()), "{error}");
            }
            #[cfg(all(unix, feature = "signal"))]
            match read.signal {
                Ok(number) => prop_assert!(number > 0),
                Err(error) => prop_assert!(error.contains(&other), "{error}"),
            }
            if let Err(error) = read.frame_budget {
                prop_assert!(error.contains(&other), "{error}");
            }
            if let Err(error) = read.stall {
                prop_assert!(error.contains(&other), "{error}");
            }
            prop_assert_ne!(&read.files[0], &read.files[1]);
        }
    }
}
