//! Claims the file that `IPROF_PROFILE` names for one process: on Linux by an abstract socket, on
//! other Unix systems by a lock file. Other processes, such as child programs that inherit the
//! variable, then write `NAME_<pid>` instead.
//!
//! Every end of a process, including by a signal that cannot be caught, must end its claim and leave
//! nothing behind, and a library must not handle the host's signals. So on Linux the claim is a bound
//! socket with an abstract name, which exists in the kernel only and is made of the folder and the name of
//! the profile. On other Unix systems it is a locked file in the system's temporary folder. Its lock ends
//! with the process; the empty file stays if the process does not remove it. On other systems claims always
//! succeed.

use std::io;
use std::path::Path;

/// The result of a claim.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code))] // Not unix: a claim always succeeds.
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

/// The name of the claim's marker, which is the same for all processes that would write that file, by
/// whatever path.
#[cfg(unix)]
fn marker(path: &Path) -> io::Result<String> {
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
    use super::{Claimed, Path, io, marker};
    #[cfg(target_os = "android")]
    use std::os::android::net::SocketAddrExt;
    #[cfg(target_os = "linux")]
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    /// The claim holds as long as the process lives and does not become another program by `exec`, or until
    /// [`release`](Claim::release); and as long as a child made by `fork` lives.
    #[derive(Debug)]
    pub(in super::super) struct Claim {
        /// Only its name matters; it receives nothing.
        _socket: UnixDatagram,
    }

    impl Claim {
        /// Claims the name of the file at `path`.
        pub(in super::super) fn on(path: &Path) -> io::Result<Claimed> {
            let name = SocketAddr::from_abstract_name(marker(path)?)?;
            match UnixDatagram::bind_addr(&name) {
                Ok(socket) => Ok(Claimed::Ours(Claim { _socket: socket })),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                    Ok(Claimed::AnotherProcess)
                }
                Err(error) => Err(error),
            }
        }

        /// There is nothing to remove.
        pub(in super::super) fn release(&self) {}
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod locked {
    use super::{Claimed, Path, io, marker};
    use rustix::fs::{FlockOperation, flock};
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;

    /// Extension of the marker file.
    const EXTENSION: &str = ".lock";
    /// Number of attempts: another process may remove the marker that was just opened.
    const ATTEMPTS: usize = 10;

    /// The claim holds as long as the process lives, or until [`release`](Claim::release).
    #[derive(Debug)]
    pub(in super::super) struct Claim {
        marker: PathBuf,
        /// Locked.
        _file: File,
    }

    impl Claim {
        /// Claims the name of the file at `path`.
        pub(in super::super) fn on(path: &Path) -> io::Result<Claimed> {
            let marker = std::env::temp_dir().join(marker(path)? + EXTENSION);
            for _ in 0..ATTEMPTS {
                let file = File::options()
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(&marker)?;
                match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                    Ok(()) if is_at(&file, &marker) => {
                        return Ok(Claimed::Ours(Claim {
                            marker,
                            _file: file,
                        }));
                    }
                    // The marker was removed between opening and locking.
                    Ok(()) => {}
                    Err(rustix::io::Errno::WOULDBLOCK) => return Ok(Claimed::AnotherProcess),
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(Claimed::AnotherProcess)
        }

        /// Removes the marker.
        pub(in super::super) fn release(&self) {
            // If the marker cannot be removed, it is unlocked when the process ends.
            let _ = fs::remove_file(&self.marker);
        }
    }

    /// Whether the open file is still the one of that name.
    fn is_at(file: &File, path: &Path) -> bool {
        let number = |data: fs::Metadata| (data.dev(), data.ino());
        let [open, named] = [file.metadata(), fs::metadata(path)].map(|data| data.ok().map(number));
        open.is_some() && open == named
    }
}

#[cfg(not(unix))]
mod unknown {
    use super::{Claimed, Path, io};

    /// A claim that always succeeds.
    #[derive(Debug)]
    pub(in super::super) struct Claim;

    impl Claim {
        /// Fails if the file's folder does not exist, as on other systems: at exit it would be too late to
        /// report that.
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

#[cfg(all(test, unix, not(loom)))]
mod tests {
    use super::{Claim, Claimed, marker};
    use std::path::Path;

    #[test]
    fn the_marker_depends_on_the_file_not_on_the_path() {
        let folder = std::env::temp_dir();
        let plain = marker(&folder.join("a.txt")).unwrap();
        assert_eq!(marker(&folder.join("./a.txt")).unwrap(), plain);
        assert_ne!(marker(&folder.join("b.txt")).unwrap(), plain);
        assert_ne!(marker(Path::new("/a.txt")).unwrap(), plain);
        assert!(marker(&folder.join("no such folder/a.txt")).is_err());
        // Short enough for the kernel, and valid as a file name.
        assert!(plain.len() < 100 && !plain.contains('/'), "{plain}");
    }

    #[test]
    fn a_name_is_claimed_once_until_it_is_released() {
        let name = format!("iprof-claim-{}.txt", std::process::id());
        let path = std::env::temp_dir().join(name);
        let Claimed::Ours(claim) = Claim::on(&path).unwrap() else {
            panic!("the name is already claimed");
        };
        let second = Claim::on(&path).unwrap();
        assert!(matches!(second, Claimed::AnotherProcess));
        claim.release();
        drop(claim);
        assert!(matches!(Claim::on(&path).unwrap(), Claimed::Ours(_)));
        assert!(!path.exists());
    }
}
