//! A file name that one process at a time may have. Programs that a program starts inherit its
//! environment, and must not write over its file.
//!
//! The mark is a locked file beside the name. The system unlocks it when the process ends, however
//! it ends, so what a crash leaves behind is in nobody's way.

use std::io;
use std::path::Path;

/// Whose a name is.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code))] // Where nobody knows, it is ours.
pub(super) enum Claimed {
    Ours(Claim),
    AnotherProcess,
}

#[cfg(unix)]
pub(super) use locked::Claim;
#[cfg(not(unix))]
pub(super) use unknown::Claim;

#[cfg(unix)]
mod locked {
    use super::{Claimed, Path, io};
    use rustix::fs::{FlockOperation, flock};
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;

    /// What the name of the mark ends in.
    const ENDING: &str = ".lock";
    /// Others may take away the mark that was just opened: how often to try.
    const ATTEMPTS: usize = 10;

    /// The name is ours for as long as the process lives, or until [`release`](Claim::release).
    #[derive(Debug)]
    pub(in super::super) struct Claim {
        mark: PathBuf,
        /// Locked.
        _file: File,
    }

    impl Claim {
        /// Claims the name of the file at `path`.
        pub(in super::super) fn on(path: &Path) -> io::Result<Claimed> {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(ENDING);
            let mark = path.with_file_name(name);
            for _ in 0..ATTEMPTS {
                let file = File::options()
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(&mark)?;
                match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                    Ok(()) if is_at(&file, &mark) => {
                        return Ok(Claimed::Ours(Claim { mark, _file: file }));
                    }
                    // It was taken away between the two.
                    Ok(()) => {}
                    Err(rustix::io::Errno::WOULDBLOCK) => return Ok(Claimed::AnotherProcess),
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(Claimed::AnotherProcess)
        }

        /// Takes the mark away. Not for a process that has it by `fork`.
        pub(in super::super) fn release(&self) {
            // What cannot be taken away is unlocked when the process ends.
            let _ = fs::remove_file(&self.mark);
        }
    }

    /// Whether the open file is the one of that name.
    fn is_at(file: &File, path: &Path) -> bool {
        let number = |data: fs::Metadata| (data.dev(), data.ino());
        let [open, named] = [file.metadata(), fs::metadata(path)].map(|data| data.ok().map(number));
        open.is_some() && open == named
    }
}

#[cfg(not(unix))]
mod unknown {
    use super::{Claimed, Path, io};

    /// Nobody knows what others claim.
    #[derive(Debug)]
    pub(in super::super) struct Claim;

    impl Claim {
        pub(in super::super) fn on(_path: &Path) -> io::Result<Claimed> {
            Ok(Claimed::Ours(Claim))
        }

        pub(in super::super) fn release(&self) {}
    }
}
