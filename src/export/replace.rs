//! Replaces a file atomically: writes a temporary file in the same folder, and renames it. Other
//! processes never see a half-written file, and a failure leaves the previous file unchanged. Pipes
//! and devices are written to directly.
//!
//! On Linux the temporary file has no name while it is written, so nothing is left behind if the process is
//! killed.

use super::target::{self, Target};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Extension of a temporary file.
const TEMPORARY: &str = "part";

/// Replaces the file at `path` with what `write` writes.
///
/// A pipe or another special file is written to directly. A symbolic link is kept; its target is replaced.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        let reason = "no file system in a browser; write the snapshot to memory instead";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    let place = match target::of(path)? {
        Target::Regular(place) => place,
        #[cfg(all(unix, feature = "files"))]
        Target::Special(place) => return fill(super::pipe::Pipe::open(&place)?, write),
        #[cfg(not(all(unix, feature = "files")))]
        Target::Special(place) => {
            return fill(File::options().write(true).open(place)?, write);
        }
    };
    let temporary = beside(&place);
    let result =
        write_whole(&place, &temporary, write).and_then(|()| fs::rename(&temporary, &place));
    if result.is_err() {
        // Ignored: the temporary file may never have been created.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Creates the file `temporary` in the same folder as `place` and writes it.
fn write_whole(
    place: &Path,
    temporary: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    #[cfg(all(target_os = "linux", feature = "files"))]
    if let Some(unnamed) = unnamed::Unnamed::new(place) {
        fill(Bounded::new(unnamed.file()), write)?;
        return unnamed.give_name(temporary);
    }
    let _ = place;
    let file = File::create_new(temporary)?;
    fill(Bounded::new(&file), write)
}

fn fill(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    out.flush()
}

/// A name in the same folder that no other thread or process uses.
fn beside(place: &Path) -> PathBuf {
    // Relaxed: only the uniqueness of the number matters.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Relaxed);
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{count}.{TEMPORARY}", process_id()));
    place.with_file_name(name)
}

/// WebAssembly has no process ids: the standard library panics when asked for one.
#[cfg(all(target_family = "wasm", not(unix)))]
fn process_id() -> u32 {
    0
}

#[cfg(not(all(target_family = "wasm", not(unix))))]
fn process_id() -> u32 {
    std::process::id()
}

/// A file with the process's file size limit. A write beyond the limit would not fail but raise `SIGXFSZ`,
/// which ends the process; this one returns an error instead.
#[derive(Debug)]
struct Bounded<'a> {
    file: &'a File,
    left: u64,
}

impl Bounded<'_> {
    fn new(file: &File) -> Bounded<'_> {
        #[cfg(all(unix, feature = "files"))]
        let left = {
            use rustix::process::{Resource, getrlimit};
            getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
        };
        #[cfg(not(all(unix, feature = "files")))]
        let left = u64::MAX;
        Bounded { file, left }
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(all(target_os = "linux", feature = "files"))]
mod unnamed {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// A file without a name (`O_TMPFILE`), which is deleted when it is closed unless it gets a name.
    #[derive(Debug)]
    pub(super) struct Unnamed {
        file: File,
        /// The file's path in /proc.
        handle: PathBuf,
    }

    impl Unnamed {
        /// Creates one in the folder of `place`, if the file system supports it.
        pub(super) fn new(place: &Path) -> Option<Unnamed> {
            let folder = match place.parent()? {
                folder if folder.as_os_str().is_empty() => Path::new("."),
                folder => folder,
            };
            let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
            // The usual mode of a new file, before the umask.
            let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
            let handle = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
            fs::metadata(&handle).ok()?;
            Some(Unnamed { file, handle })
        }

        pub(super) fn file(&self) -> &File {
            &self.file
        }

        pub(super) fn give_name(self, name: &Path) -> io::Result<()> {
            linkat(CWD, &self.handle, CWD, name, AtFlags::SYMLINK_FOLLOW)?;
            Ok(())
        }
    }
}
