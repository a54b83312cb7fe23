//! What control from outside calls of this program.

use crate::process;
use iprof_control::RunningProgram;

pub(crate) static RUNNING_PROGRAM: RunningProgram = RunningProgram {
    snapshot: process::snapshot,
    newest_frame: process::newest_frame,
    frame_snapshots: process::frame_snapshots,
    #[cfg(feature = "http")]
    write_report: |out| process::write_report(out),
    #[cfg(feature = "http")]
    last_stall: || process::last_stall().map(|stall| stall.to_string()),
    begin: process::begin,
    on_slow_frame: process::on_slow_frame_of_environment,
    set_stall_timeout: process::set_stall_timeout,
    set_stall_file: process::set_stall_file,
    write_stalls_by: process::write_stalls_by,
};
