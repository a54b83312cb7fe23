//! A file name that one process at a time may have. Programs that a program starts inherit its
//! environment, and must not write over its file.
//!
//! Whatever ends a process, a signal that cannot be caught included, must end its claim and leave
//! nothing behind, and a library has no business with the host's signals. So on Linux the mark is a
//! socket without a file: its name, in the kernel's own list, is made of the folder and the name
//! of the profile. On other Unix systems it is a locked file in the system's temporary folder, which is unlocked
//! with the process and stays there empty if nobody takes it away. Elsewhere nobody knows.

use std::io;
use std::path::Path;

/// Whose a name is.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code))] // Where nobody knows, it is ours.
pub(super) enum Claimed {
    Ours(Claim),
    AnotherProcess,
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
pub(super) use locked::Claim;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use named::Claim;
#[cfg(not(unix))]
pub(super) use unknown::Claim;

/// What the mark is called, from which file it is of: the same for all processes that would write
/// that file, by whatever path.
#[cfg(unix)]
fn mark(path: &Path) -> io::Result<String> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = std::fs::metadata(folder)?;
    let name = path.file_name().unwrap_or_default().as_bytes();
    let (device, inode) = (folder.dev(), folder.ino());
    Ok(format!("iprof-{device:x}-{inode:x}-{:016x}", fnv(name)))
}

/// The hash FNV-1a, which is the same in every build.
#[cfg(unix)]
fn fnv(bytes: &[u8]) -> u64 {
    let add = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, add)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod named {
    use super::{Claimed, Path, io, mark};
    #[cfg(target_os = "android")]
    use std::os::android::net::SocketAddrExt;
    #[cfg(target_os = "linux")]
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    /// The name is ours for as long as the process lives and does not become another program, or
    /// until [`release`](Claim::release); and for as long as a copy made by `fork` lives.
    #[derive(Debug)]
    pub(in super::super) struct Claim {
        /// Nobody sends to it.
        _socket: UnixDatagram,
    }

    impl Claim {
        /// Claims the name of the file at `path`.
        pub(in super::super) fn on(path: &Path) -> io::Result<Claimed> {
            let name = SocketAddr::from_abstract_name(mark(path)?)?;
            match UnixDatagram::bind_addr(&name) {
                Ok(socket) => Ok(Claimed::Ours(Claim { _socket: socket })),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    Ok(Claimed::AnotherProcess)
                }
                Err(error) => Err(error),
            }
        }

        /// Nothing is left to be taken away.
        pub(in super::super) fn release(&self) {}
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod locked {
    use super::{Claimed, Path, io, mark};
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
            let mark = std::env::temp_dir().join(mark(path)? + ENDING);
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
        /// Fails where there is no folder for the file, as it does elsewhere: at the program's end nobody can
        /// mend that.
        pub(in super::super) fn on(path: &Path) -> io::Result<Claimed> {
            if let Some(folder) = path.parent()
                && !folder.as_os_str().is_empty()
            {
                std::fs::metadata(folder)?;
            }
            Ok(Claimed::Ours(Claim))
        }

        pub(in super::super) fn release(&self) {}
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Claim, Claimed, mark};
    use std::path::Path;

    #[test]
    fn a_file_has_one_mark_by_whatever_path_and_others_have_others() {
        let folder = std::env::temp_dir();
        let plain = mark(&folder.join("a.txt")).unwrap();
        assert_eq!(mark(&folder.join("./a.txt")).unwrap(), plain);
        assert_ne!(mark(&folder.join("b.txt")).unwrap(), plain);
        assert_ne!(mark(Path::new("/a.txt")).unwrap(), plain);
        assert!(mark(&folder.join("no such folder/a.txt")).is_err());
        // As long as the kernel takes, and a name of a file in any case.
        assert!(plain.len() < 100 && !plain.contains('/'), "{plain}");
    }

    #[test]
    fn a_name_is_claimed_once_until_the_claim_is_gone() {
        let name = format!("iprof-claim-{}.txt", std::process::id());
        let path = std::env::temp_dir().join(name);
        let Claimed::Ours(claim) = Claim::on(&path).unwrap() else {
            panic!("somebody else has it");
        };
        let second = Claim::on(&path).unwrap();
        assert!(matches!(second, Claimed::AnotherProcess));
        claim.release();
        drop(claim);
        assert!(matches!(Claim::on(&path).unwrap(), Claimed::Ours(_)));
        assert!(!path.exists());
    }
}
