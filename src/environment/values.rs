//! All values of the environment, read and not followed: for what tries any text that there is.

use super::profile::Profile;
use crate::process;
use std::path::PathBuf;

/// What it comes to: for each value the text of what is wrong with it, or nothing.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) timing: Result<(), String>,
    #[cfg(feature = "http")]
    pub(crate) port: Result<u16, String>,
    #[cfg(all(unix, feature = "signal"))]
    pub(crate) signal: Result<i32, String>,
    /// The files that would be written: at the end, and by a signal.
    pub(crate) files: [PathBuf; 2],
}

/// Reads them; the same text may be the value of all.
pub(crate) fn read(timing: &str, frequency: &str, other: &str) -> Read {
    Read {
        timing: process::read_timing(timing, frequency),
        #[cfg(feature = "http")]
        port: super::port::number(other),
        #[cfg(all(unix, feature = "signal"))]
        signal: super::signal::number(other),
        files: Profile::named(other.into()).files(),
    }
}

#[cfg(test)]
mod tests {
    use super::read;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_value_is_read_or_is_an_error_that_quotes_it(
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
            prop_assert_ne!(&read.files[0], &read.files[1]);
        }
    }
}
