//! A file that is there whole or not at all: it is written beside its place and put there in one
//! step, so that nobody who reads meanwhile sees half of it, and a failure leaves what was there.
//!
//! Where the system can, it has no name while it is written, so that what is killed leaves nothing.

use super::place::{self, Place};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What the name of a file that is being written ends in.
const UNFINISHED: &str = "part";

/// Has `write` write the file at `path`, in place of one that is there.
///
/// What is no regular file, a pipe say, is written to directly. A link stays one.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        let reason = "a browser has no files; the snapshot can be written to memory instead";
        return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    }
    let place = match place::of(path)? {
        Place::Regular(place) => place,
        #[cfg(all(unix, feature = "enable"))]
        Place::Special(place) => return fill(super::pipe::Pipe::open(&place)?, write),
        #[cfg(not(all(unix, feature = "enable")))]
        Place::Special(place) => {
            return fill(File::options().write(true).open(place)?, write);
        }
    };
    let unfinished = beside(&place);
    let result =
        write_whole(&place, &unfinished, write).and_then(|()| fs::rename(&unfinished, &place));
    if result.is_err() {
        // It may be that it could not even be made.
        let _ = fs::remove_file(&unfinished);
    }
    result
}

/// Makes a file of the name `unfinished`, in the same folder as `place`.
fn write_whole(
    place: &Path,
    unfinished: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    #[cfg(all(target_os = "linux", feature = "enable"))]
    if let Some(unnamed) = unnamed::Unnamed::new(place) {
        fill(Bounded::new(unnamed.file()), write)?;
        return unnamed.give_name(unfinished);
    }
    let _ = place;
    let file = File::create_new(unfinished)?;
    fill(Bounded::new(&file), write)
}

fn fill(out: impl Write, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    out.flush()
}

/// A name in the same folder that nobody else has: not another thread, not another process.
fn beside(place: &Path) -> PathBuf {
    // Relaxed: nothing but another number is asked for.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Relaxed);
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{count}.{UNFINISHED}", process_number()));
    place.with_file_name(name)
}

/// WebAssembly has no process numbers: the standard library panics when asked for one.
#[cfg(all(target_family = "wasm", not(unix)))]
fn process_number() -> u32 {
    0
}

#[cfg(not(all(target_family = "wasm", not(unix))))]
fn process_number() -> u32 {
    std::process::id()
}

/// Files of a limited size: whoever writes beyond it is not told so by an error, but ended by a signal.
#[derive(Debug)]
struct Bounded<'a> {
    file: &'a File,
    left: u64,
}

impl Bounded<'_> {
    fn new(file: &File) -> Bounded<'_> {
        #[cfg(all(unix, feature = "enable"))]
        let left = {
            use rustix::process::{Resource, getrlimit};
            getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
        };
        #[cfg(not(all(unix, feature = "enable")))]
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

#[cfg(all(target_os = "linux", feature = "enable"))]
mod unnamed {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// A file that goes with the process unless it is given a name.
    #[derive(Debug)]
    pub(super) struct Unnamed {
        file: File,
        /// How the system calls it meanwhile.
        handle: PathBuf,
    }

    impl Unnamed {
        /// One in the folder of `place`, where the file system has such files.
        pub(super) fn new(place: &Path) -> Option<Unnamed> {
            let folder = match place.parent()? {
                folder if folder.as_os_str().is_empty() => Path::new("."),
                folder => folder,
            };
            let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
            // As for any file: less what the user's mask takes away.
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
