//! Replaces a file atomically: writes a temporary file in the same folder, then renames it. Other processes never see a
//! half-written file, and a failure leaves the previous file unchanged.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Replaces the file at `path` with the output of `write`.
///
/// Pipes and other special files are written to directly. If `path` is a symbolic link, its target is replaced.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let path = match Target::of(path)? {
        Target::Regular(path) => path,
        Target::Special(path) => return fill(Special::open(&path)?, write),
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    let mut temporary = tempfile::Builder::new();
    temporary.prefix(&name).suffix(".part");
    system::set_default_permissions(&mut temporary);
    // If writing fails, dropping the temporary file deletes it.
    let temporary = temporary.tempfile_in(folder_of(&path))?;
    fill(Bounded::new(temporary.as_file()), write)?;
    temporary.persist(&path)?;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn fill(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    out.flush()
}

/// A file that returns an error if a write would exceed the process's file size limit. Without this check, the write
/// would raise `SIGXFSZ`, which kills the process.
#[derive(Debug)]
struct Bounded<'a> {
    file: &'a File,
    bytes_left: u64,
}

impl Bounded<'_> {
    fn new(file: &File) -> Bounded<'_> {
        let bytes_left = system::file_size_limit();
        Bounded { file, bytes_left }
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.bytes_left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.bytes_left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[derive(Debug, PartialEq)]
enum Target {
    /// A regular file, or a path where nothing exists yet.
    Regular(PathBuf),
    /// A pipe, a device or a folder, none of which can be replaced.
    Special(PathBuf),
}

/// The maximum number of links to follow, as on Linux.
const MAX_LINKS: usize = 40;

impl Target {
    /// Resolves the symbolic links in `path` without opening anything.
    ///
    /// In a world-writable folder such as `/tmp`, a different user can create a link with an easily guessed name that
    /// points to a file that only this program may write. The program would then overwrite that file. So links, pipes
    /// and devices that other users created in such a folder are errors. Most Linux systems enforce the same rule by
    /// default (`fs.protected_symlinks`).
    fn of(path: &Path) -> io::Result<Target> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let Ok(metadata) = fs::symlink_metadata(&path) else {
                return Ok(Target::Regular(path));
            };
            if metadata.is_file() {
                return Ok(Target::Regular(path));
            }
            if system::is_foreign(&path, &metadata) {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "another user's link or special file with this name in a world-writable folder; \
                     choose another folder",
                ));
            }
            if !metadata.is_symlink() {
                return Ok(Target::Special(path));
            }
            let next = path.with_file_name("").join(fs::read_link(&path)?);
            // Links in /proc may point to objects that have no path.
            let is_real = fs::symlink_metadata(&next).is_ok() || fs::metadata(&path).is_err();
            if !is_real {
                return Ok(Target::Special(path));
            }
            path = next;
        }
        Err(io::Error::other("too many symbolic links"))
    }
}

/// The maximum number of attempts to write to a pipe. It keeps the program from waiting forever for a reader.
const MAX_ATTEMPTS: u32 = 5_000;
const RETRY_PAUSE: Duration = Duration::from_millis(1);

/// A pipe, terminal or device that is written to without blocking.
#[derive(Debug)]
struct Special(File);

impl Special {
    /// Opens the pipe or device at `path`. A pipe without a reader is an error.
    fn open(path: &Path) -> io::Result<Special> {
        let mut options = File::options();
        system::open_nonblocking(options.write(true), path).map(Special)
    }
}

impl Write for Special {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for _ in 0..MAX_ATTEMPTS {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    thread::sleep(RETRY_PAUSE)
                }
                result => return result,
            }
        }
        let why = "the pipe's reader stalled for 5 seconds";
        Err(io::Error::new(io::ErrorKind::TimedOut, why))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
mod system {
    use super::folder_of;
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    use rustix::process::{Resource, geteuid, getrlimit};
    use std::fs::{self, File, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    /// Sets the default mode for new files, subject to the umask.
    pub(super) fn set_default_permissions(temporary: &mut tempfile::Builder<'_, '_>) {
        temporary.permissions(Permissions::from_mode(0o666));
    }

    pub(super) fn file_size_limit() -> u64 {
        getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
    }

    /// Returns whether `path` is in a world-writable folder and belongs neither to the program's user nor to the
    /// folder's owner.
    pub(super) fn is_foreign(path: &Path, metadata: &fs::Metadata) -> bool {
        const OTHERS_WRITE: u32 = 0o002;
        let Ok(folder) = fs::metadata(folder_of(path)) else {
            return false;
        };
        let own = geteuid().as_raw();
        folder.mode() & OTHERS_WRITE != 0 && ![own, folder.uid()].contains(&metadata.uid())
    }

    /// Opens a pipe or device without waiting for a reader.
    pub(super) fn open_nonblocking(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = options.custom_flags(flags.bits() as i32).open(path);
        file.map_err(
            |error| match error.raw_os_error() == Some(Errno::NXIO.raw_os_error()) {
                true => io::Error::new(error.kind(), "no process has the pipe open for reading"),
                false => error,
            },
        )
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn set_default_permissions(_temporary: &mut tempfile::Builder<'_, '_>) {}

    pub(super) fn file_size_limit() -> u64 {
        u64::MAX
    }

    pub(super) fn is_foreign(_place: &Path, _there: &Metadata) -> bool {
        false
    }

    pub(super) fn open_nonblocking(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }
}

#[cfg(all(test, unix, not(loom)))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    #[test]
    fn failed_write_leaves_only_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "before").unwrap();
        let failed = replace(&path, |out| {
            out.write_all(&[b'x'; 1 << 20])?;
            Err(io::ErrorKind::Other.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn replaced_file_has_default_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name);
        fs::write(at("usual"), "").unwrap();
        replace(&at("file"), |out| out.write_all(b"new")).unwrap();
        let mode = |name| fs::metadata(at(name)).unwrap().mode();
        assert_eq!(mode("file"), mode("usual"));
    }

    #[test]
    fn links_are_followed_even_to_a_missing_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        symlink("file", at("one")).unwrap();
        symlink(at("one"), at("two")).unwrap();
        symlink("nothing", at("nowhere")).unwrap();
        symlink("round", at("round")).unwrap();
        symlink("/dev/null", at("device")).unwrap();
        let regular = |name| Target::Regular(at(name));
        for (name, expected) in [
            ("file", regular("file")),
            ("one", regular("file")),
            ("two", regular("file")),
            ("nowhere", regular("nothing")),
            ("new", regular("new")),
            ("device", Target::Special("/dev/null".into())),
            (".", Target::Special(at("."))),
        ] {
            assert_eq!(Target::of(&at(name)).unwrap(), expected, "{name}");
        }
        assert!(Target::of(&at("round")).is_err());
    }
}
