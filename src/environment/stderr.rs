//! The program's stderr, if that is what descriptor 2 is.
//!
//! A program may have closed it, as those do that go into the background, and the next file that it opens
//! gets the number: a file of its own, which must not have the profiler's messages in it. Two things
//! tell. What was there when the program was started is not closed by `exec`, and what a program opens mostly
//! is. And what it was at the first zone it is still, unless it is no regular file, as where a host
//! has sent it to a pipe or a terminal since.

use rustix::fs::fstat;
use rustix::io::{FdFlags, fcntl_getfd};
use std::fs::File;
use std::io::Write;
use std::os::fd::AsFd;
use std::sync::OnceLock;

/// Device and number of the file that it was at first; none if there was none.
static FIRST: OnceLock<Option<(u64, u64)>> = OnceLock::new();

/// Notes what it is.
pub(super) fn note() {
    FIRST.get_or_init(number);
}

/// Writes there, if that is possible.
pub(super) fn write(bytes: &[u8]) {
    if !is_ours() {
        return;
    }
    // Without the lock of the standard library's.
    if let Ok(own) = std::io::stderr().as_fd().try_clone_to_owned() {
        let _ = File::from(own).write_all(bytes);
    }
}

fn is_ours() -> bool {
    let stderr = std::io::stderr();
    let closes = fcntl_getfd(&stderr).is_ok_and(|flags| flags.contains(FdFlags::CLOEXEC));
    let is_file = fstat(&stderr).is_ok_and(|file| {
        rustix::fs::FileType::from_raw_mode(file.st_mode) == rustix::fs::FileType::RegularFile
    });
    let first = FIRST.get().copied().flatten();
    !closes && (!is_file || first == number())
}

fn number() -> Option<(u64, u64)> {
    let file = fstat(std::io::stderr()).ok()?;
    #[allow(clippy::unnecessary_cast)] // Their types differ between systems.
    Some((file.st_dev as u64, file.st_ino as u64))
}
