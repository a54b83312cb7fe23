//! Property tests: every value of every variable is either parsed or rejected with an error that quotes it.

use super::profile::{self, Profile};
use super::values::{frame_budget, port_number, timeout_and_file, timing as timing_asked_for};
use crate::NO_PROGRAM;
use iprof_export::{find, name_of};
use iprof_process::Timing;
use proptest::prelude::*;
use std::ffi::OsStr;
use std::path::Path;

proptest! {
    #[test]
    fn timings_are_valid_once_clamped(
        timing in "(exact|auto|sampled|off)?:?[-+0-9.einfaNaN%]{0,6}|\\PC{0,12}",
        frequency in "[-0-9.e]{0,8}|\\PC{0,12}",
    ) {
        match timing.parse::<Timing>() {
            Ok(parsed) => prop_assert_eq!(parsed, parsed.clamped()),
            Err(error) => prop_assert!(error.to_string().contains(&timing)),
        }
        match timing_asked_for(Some(&timing), Some(&frequency)) {
            Ok(Some(timing)) => prop_assert_eq!(timing.clamped(), timing.clamped().clamped()),
            Ok(None) => prop_assert!(timing.trim().is_empty()),
            Err(error) => {
                prop_assert!(error.starts_with("IPROF_"), "{error}");
                prop_assert!(error.contains(&timing) || error.contains(&frequency), "{error}");
            }
        }
    }

    #[test]
    fn invalid_values_are_quoted_in_errors(value in "\\PC{0,12}|[A-Z0-9]{0,9}|[a-z%p/.0-9]{0,20}") {
        match port_number(&value) {
            Ok(port) => prop_assert_ne!(port, 0),
            Err(error) => prop_assert!(error.contains(value.trim()), "{error}"),
        }
        #[cfg(unix)]
        match super::system::signal::number(&value) {
            Ok(number) => {
                prop_assert!(number > 0 && !signal_hook::consts::FORBIDDEN.contains(&number));
            }
            Err(error) => prop_assert!(error.contains(&value), "{error}"),
        }
        match frame_budget(&value) {
            Ok(budget) => prop_assert!(!budget.is_zero()),
            Err(error) => prop_assert!(error.contains(&value), "{error}"),
        }
        match timeout_and_file(OsStr::new(&value)) {
            Ok((timeout, _)) => prop_assert!(!timeout.is_zero()),
            Err(error) => prop_assert!(error.contains(&value), "{error}"),
        }
    }

    #[test]
    fn numbered_profiles_keep_the_file_format(value in "\\PC{0,12}|[a-z%p/.0-9]{0,20}") {
        let [whole, part] = Profile::named(&NO_PROGRAM, value.clone().into()).files();
        prop_assert_ne!(whole, part);
        let path = Path::new(&value);
        let numbered = profile::with_suffix(path, ".7");
        let [whole, part] = [path, &numbered].map(|path| find(&name_of(path)).is_ok());
        prop_assert_eq!(whole, part);
    }
}
