//! Unix code for signals, setuid programs, and a stderr that may have become a different file. Other systems use the
//! stub in `mod.rs`.
//!
//! Messages are only written to file descriptor 2 while it is still the program's stderr. If a daemon has closed
//! stderr, the next file that it opens receives descriptor 2. Two checks detect this. First, an inherited descriptor is
//! not close-on-exec, while most files that a program opens are. Second, if descriptor 2 is a regular file, it must be
//! the file that was open at the first zone. Pipes and terminals may differ, since the host may have redirected stderr.

pub(super) mod signal;

use crate::RunningProgram;
use rustix::fs::fstat;
use rustix::io::{FdFlags, fcntl_getfd};
use rustix::process::{getegid, geteuid, getgid, getuid};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::OnceLock;

/// The device and inode of stderr at the first zone, or `None` if it was closed.
static FIRST_STDERR: OnceLock<Option<(u64, u64)>> = OnceLock::new();

/// Records the current stderr, and lets stalls be written to it.
pub(super) fn begin(program: &RunningProgram) {
    FIRST_STDERR.get_or_init(stderr_id);
    (program.write_stalls_by)(write_to_stderr);
}

/// Whether the program runs with a different user's rights than its caller's (setuid, setgid). If so, the caller's
/// environment must not be able to make it write files.
pub(super) fn is_privileged() -> bool {
    (getuid(), getgid()) != (geteuid(), getegid())
}

/// Writes to stderr, if possible. Doesn't take the standard library's lock, because its holder may be waiting for a
/// lock that the caller holds.
pub(super) fn write_to_stderr(bytes: &[u8]) {
    if !is_first_stderr() {
        return;
    }
    if let Ok(own) = std::io::stderr().as_fd().try_clone_to_owned() {
        let _ = File::from(own).write_all(bytes);
    }
}

fn is_first_stderr() -> bool {
    let stderr = std::io::stderr();
    let is_close_on_exec = fcntl_getfd(&stderr).is_ok_and(|flags| flags.contains(FdFlags::CLOEXEC));
    let is_file = fstat(&stderr).is_ok_and(|file| {
        rustix::fs::FileType::from_raw_mode(file.st_mode) == rustix::fs::FileType::RegularFile
    });
    let first = FIRST_STDERR.get().copied().flatten();
    !is_close_on_exec && (!is_file || first == stderr_id())
}

fn stderr_id() -> Option<(u64, u64)> {
    let file = fstat(std::io::stderr()).ok()?;
    #[allow(clippy::unnecessary_cast)] // The types differ between systems.
    Some((file.st_dev as u64, file.st_ino as u64))
}
