//! What is no regular file: a pipe, a terminal, a device. It may have nobody at its other end, or
//! somebody who does not read, and the program's end must not wait for that.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// How long a reader may read nothing.
const PATIENCE: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// Written to as fast as it is read.
#[derive(Debug)]
pub(super) struct Pipe(File);

impl Pipe {
    /// Opens what is at `path`. A pipe that nobody has open to read is an error.
    pub(super) fn open(path: &Path) -> io::Result<Pipe> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::options()
            .write(true)
            .custom_flags(flags.bits() as i32)
            .open(path);
        file.map(Pipe).map_err(|error| {
            match error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) {
                true => io::Error::new(error.kind(), "nobody reads from it"),
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
            match poll(&mut ready, Some(&PATIENCE)) {
                Ok(0) => {
                    let why = "whoever is to read from it does not";
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
