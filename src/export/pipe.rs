//! Writes to pipes, terminals and devices, and fails after five seconds in which the reader reads
//! nothing: the program must not wait for a reader forever.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// How long a write waits for the reader.
const TIMEOUT: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// An output that is not a regular file, written without blocking.
#[derive(Debug)]
pub(super) struct Pipe(File);

impl Pipe {
    /// Opens the pipe or device at `path`. A pipe without a reader is an error.
    pub(super) fn open(path: &Path) -> io::Result<Pipe> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::options()
            .write(true)
            .custom_flags(flags.bits() as i32)
            .open(path);
        file.map(Pipe).map_err(|error| {
            match error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) {
                true => io::Error::new(error.kind(), "no process has the pipe open for reading"),
                false => error,
            }
        })
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
            let mut ready = [PollFd::new(&self.0, PollFlags::OUT)];
            match poll(&mut ready, Some(&TIMEOUT)) {
                Ok(0) => {
                    let why = "the pipe's reader stalled for 5 seconds";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, why));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
