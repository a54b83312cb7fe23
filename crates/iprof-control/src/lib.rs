//! Controls [iprof](https://docs.rs/iprof) from outside the program, through environment variables and over HTTP.
//!
//! Programs use this crate through `iprof`, which passes in the running program's functions as a [`RunningProgram`].
//! Anything that `iprof` doesn't re-export may change in any release.

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

/// The running program's functions.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct RunningProgram {
    /// Returns everything recorded so far.
    pub snapshot: fn() -> Snapshot,
    /// Returns the number of the newest frame, or 0 before the first frame ends.
    pub newest_frame: fn() -> u64,
    /// Returns the remembered frames with these numbers.
    pub frame_snapshots: fn(Range<u64>) -> FrameSnapshots,
    /// Writes the default view's report as text.
    pub write_report: fn(&mut dyn io::Write) -> io::Result<()>,
    /// Returns the last stall as text.
    pub last_stall: fn() -> Option<String>,
    /// Creates the program's data unless it exists. Never waits.
    pub begin: fn(),
    /// Sets a callback for slow frames, in addition to the host's own callback.
    pub on_slow_frame: fn(Duration, Box<dyn FnMut(SlowFrame) + Send>),
    /// Sets the time after which an unfinished frame counts as a stall, and the file to which stalls are appended.
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
