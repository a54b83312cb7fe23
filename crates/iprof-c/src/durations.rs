//! Times that C gives as numbers.

use crate::border::{Error, VALUE};
use std::time::Duration;

fn duration(seconds: f64, said: impl FnOnce() -> String) -> Result<Duration, Error> {
    let expected = |_| Error(VALUE, format!("{}; expected a number from 0 on", said()));
    Duration::try_from_secs_f64(seconds).map_err(expected)
}

/// The limit of a frame's length.
pub(crate) fn milliseconds(ms: f64) -> Result<Duration, Error> {
    duration(ms / 1e3, || format!("a limit of {ms} ms"))
}

pub(crate) fn seconds(s: f64, what: &str) -> Result<Duration, Error> {
    duration(s, || format!("{what} of {s} s"))
}
