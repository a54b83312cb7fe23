//! Controls [iprof](https://docs.rs/iprof) from outside the program, by environment variables and over HTTP.
//!
//! Programs use it through `iprof`, which passes the functions of the running program as a [`RunningProgram`]. Anything
//! here that `iprof` does not re-export may change in any release.

#[cfg(feature = "environment")]
#[doc(hidden)]
pub mod environment;
#[cfg(all(feature = "http", not(target_family = "wasm")))]
pub mod http;

use iprof_process::{FrameSnapshots, SlowFrame, Snapshot};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

/// The functions of the running program.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct RunningProgram {
    /// Returns everything recorded so far.
    pub snapshot: fn() -> Snapshot,
    /// Returns the number of the newest frame; 0 before the first one ends.
    pub newest_frame: fn() -> u64,
    /// Returns the remembered frames with these numbers.
    pub frame_snapshots: fn(Range<u64>) -> FrameSnapshots,
    /// Writes the report of the default view as text.
    pub write_report: fn(&mut dyn io::Write) -> io::Result<()>,
    /// Returns the last stall as text.
    pub last_stall: fn() -> Option<String>,
    /// Creates the program's data unless it exists. Never waits.
    pub begin: fn(),
    /// Sets the callback for slow frames, in addition to the host's own.
    pub on_slow_frame: fn(Duration, Box<dyn FnMut(SlowFrame) + Send>),
    /// Sets the time after which a frame that does not end is a stall, and the file to which stalls are appended.
    pub set_stall_timeout: fn(Option<Duration>, Option<&Path>) -> io::Result<()>,
    /// Sets the function that writes stalls to stderr.
    pub write_stalls_by: fn(fn(&[u8])),
}

/// A program that records nothing.
#[cfg(test)]
static NO_PROGRAM: RunningProgram = RunningProgram {
    snapshot: Snapshot::default,
    newest_frame: || 0,
    frame_snapshots: |numbers| FrameSnapshots::new(numbers, |_, _| None),
    write_report: |_| Ok(()),
    last_stall: || None,
    begin: || {},
    on_slow_frame: |_, _| {},
    set_stall_timeout: |_, _| Ok(()),
    write_stalls_by: |_| {},
};
