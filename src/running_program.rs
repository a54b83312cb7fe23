//! What control from outside calls of the running program: the environment's variables, and the HTTP endpoint.

use crate::process;
#[cfg(feature = "environment")]
use iprof_process::slow_frame::SlowFrame;
use iprof_process::snapshot::{FrameSnapshots, Snapshot};
use std::io;
use std::ops::Range;
#[cfg(feature = "environment")]
use std::{path::Path, time::Duration};

/// Functions of the running program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningProgram {
    /// Returns everything recorded so far.
    pub(crate) snapshot: fn() -> Snapshot,
    /// Returns the number of the newest frame; 0 before the first one ends.
    pub(crate) newest_frame: fn() -> u64,
    /// Returns the remembered frames with these numbers.
    pub(crate) frame_snapshots: fn(Range<u64>) -> FrameSnapshots,
    /// Writes the report of the default view as text.
    #[cfg(feature = "http")]
    pub(crate) write_report: fn(&mut dyn io::Write) -> io::Result<()>,
    /// Returns the last stall as text.
    #[cfg(feature = "http")]
    pub(crate) last_stall: fn() -> Option<String>,
    /// Creates the program's data, unless that has happened. Never waits.
    #[cfg(feature = "environment")]
    pub(crate) begin: fn(),
    /// Sets what calls back at slow frames, beside the callback of the host.
    #[cfg(feature = "environment")]
    pub(crate) on_slow_frame: fn(Duration, Box<dyn FnMut(SlowFrame) + Send>),
    /// Sets the time after which a frame that does not end is a stall.
    #[cfg(feature = "environment")]
    pub(crate) set_stall_timeout: fn(Option<Duration>) -> io::Result<()>,
    /// Sets the file to which stalls are appended.
    #[cfg(feature = "environment")]
    pub(crate) set_stall_file: fn(Option<&Path>) -> io::Result<()>,
    /// Sets what writes stalls to stderr.
    #[cfg(feature = "environment")]
    pub(crate) write_stalls_by: fn(fn(&[u8])),
}

pub(crate) static RUNNING_PROGRAM: RunningProgram = RunningProgram {
    snapshot: process::snapshot,
    newest_frame: process::newest_frame,
    frame_snapshots: process::frame_snapshots,
    #[cfg(feature = "http")]
    write_report: |out| process::write_report(out),
    #[cfg(feature = "http")]
    last_stall: || process::last_stall().map(|stall| stall.to_string()),
    #[cfg(feature = "environment")]
    begin: process::begin,
    #[cfg(feature = "environment")]
    on_slow_frame: process::on_slow_frame_of_environment,
    #[cfg(feature = "environment")]
    set_stall_timeout: process::set_stall_timeout,
    #[cfg(feature = "environment")]
    set_stall_file: process::set_stall_file,
    #[cfg(feature = "environment")]
    write_stalls_by: process::write_stalls_by,
};
