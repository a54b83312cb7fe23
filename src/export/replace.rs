//! A file that is there whole or not at all: it is written beside its place and put there in one
//! step, so that nobody who reads meanwhile sees half of it, and a failure leaves what was there.

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
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fill(File::options().write(true).open(path)?, write);
    }
    // Where the link leads to; of one that leads nowhere, nothing is known.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let unfinished = beside(&place);
    let result = File::create_new(&unfinished)
        .and_then(|file| fill(file, write))
        .and_then(|()| fs::rename(&unfinished, &place));
    if result.is_err() {
        // It may be that it could not even be made.
        let _ = fs::remove_file(&unfinished);
    }
    result
}

fn fill(file: File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
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
