//! Writes snapshots to files.

mod replace;

use crate::format::{NoFormat, find, name_of};
use iprof_process::{FrameSnapshot, Snapshot};
use replace::replace;
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Writes a snapshot to a file, in the format that the file name's extension [selects](crate::Format::from_path).
///
/// The file is replaced atomically: a temporary file in the same folder, with the extension `.part`, is renamed once it
/// is complete. Symbolic links are followed and kept. Pipes and devices are written to directly. Writing to a pipe
/// fails if it has no reader, or if its reader reads nothing for five seconds.
///
/// Without the feature `enable`, nothing is recorded. `.txt` files then contain a note about this.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join("iprof-example.folded");
/// iprof::write_file(&path, &iprof::snapshot())?;
/// # std::fs::remove_file(path)?;
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// Fails if the extension is unknown, if the format requires a disabled feature, if the snapshot is not
/// [valid](Snapshot::validate), or if the file system reports an error. In all of these cases, an existing file is left
/// unchanged.
///
/// # In a browser
///
/// Calls don't compile for `wasm32-unknown-unknown`, because browsers have no files. Write to memory instead, with
/// [`Format::write`](crate::Format::write): `Format::Html.write(&snapshot, &mut bytes)`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub fn write_file(path: impl AsRef<Path>, snapshot: &Snapshot) -> Result<(), WriteFileError> {
    write_file_with_frames(path.as_ref(), snapshot, None)
}

/// Doesn't compile, because browsers have no files. Write to memory instead, with
/// [`Format::write`](crate::Format::write): `Format::Html.write(&snapshot, &mut bytes)`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn write_file<P: AsRef<Path> + IsInFileSystem>(
    path: P,
    snapshot: &Snapshot,
) -> Result<(), WriteFileError> {
    write_file_with_frames(path.as_ref(), snapshot, None)
}

/// Writes a file like [`write_file`], [with frames](crate::Format::write_with_frames).
#[doc(hidden)]
pub fn write_file_with_frames(
    path: &Path,
    snapshot: &Snapshot,
    frames: impl IntoIterator<Item = FrameSnapshot> + Clone,
) -> Result<(), WriteFileError> {
    let because = |reason| WriteFileError {
        path: path.to_owned(),
        reason,
    };
    let format = find(&name_of(path));
    let (format, _) = format.map_err(|reason| because(Reason::NoFormat(reason)))?;
    replace(path, |out| format.write_with_frames(snapshot, frames, out))
        .map_err(|error| because(Reason::Io(error)))
}

/// A trait that no type implements. It only exists for its error message.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
#[diagnostic::on_unimplemented(
    message = "iprof cannot write files in a browser, which has none",
    label = "there is no such file",
    note = "write the snapshot into memory, as in `Format::Html.write(&snapshot, &mut bytes)`, and let the page save the bytes"
)]
pub trait IsInFileSystem {}

/// The error returned by [`write_file`].
#[derive(Debug)]
pub struct WriteFileError {
    path: PathBuf,
    reason: Reason,
}

#[derive(Debug)]
enum Reason {
    NoFormat(NoFormat),
    Io(io::Error),
}

impl WriteFileError {
    /// Returns the path as passed to [`write_file`].
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the crate feature that the file's format requires, if that feature is disabled.
    #[must_use]
    pub fn missing_feature(&self) -> Option<&'static str> {
        match self.reason {
            Reason::NoFormat(NoFormat { feature }) => feature,
            Reason::Io(_) => None,
        }
    }
}

impl fmt::Display for WriteFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.reason {
            Reason::NoFormat(reason) => write!(f, "{path} could not be written: {reason}"),
            Reason::Io(_) => write!(f, "{path} could not be written"),
        }
    }
}

impl error::Error for WriteFileError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.reason {
            Reason::NoFormat(_) => None,
            Reason::Io(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::write_file;
    use crate::Format;
    use iprof_process::{Snapshot, SnapshotThread};
    use std::error::Error;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// An empty folder, deleted on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Folder {
            let name = format!("iprof-file-{}-{test}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let names = entries.map(|entry| super::name_of(&entry.unwrap().path()));
            names.collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn snapshot() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut thread = SnapshotThread::new("main");
        thread.nodes[0].ticks = 7;
        snapshot.threads.push(thread);
        snapshot
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn extension_selects_the_format() {
        let folder = Folder::new("format");
        let path = folder.0.join("a.folded");
        fs::write(&path, "before").unwrap();
        write_file(&path, &snapshot()).unwrap();
        let mut folded = Vec::new();
        Format::Folded.write(&snapshot(), &mut folded).unwrap();
        assert_eq!(text(&path).as_bytes(), folded);
        let tree = folder.0.join("b.TXT");
        write_file(&tree, &snapshot()).unwrap();
        assert!(text(&tree).contains("thread main"));
        assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
    }

    #[test]
    fn errors_leave_existing_files_unchanged() {
        let folder = Folder::new("nothing");
        let path = folder.0.join("a.exe");
        fs::write(&path, "before").unwrap();
        let error = write_file(&path, &snapshot()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("a.exe could not be written: unrecognized")
        );
        assert!(error.source().is_none() && error.path() == path);
        assert_eq!(text(&path), "before");
        let error = write_file(folder.0.join("no/a.txt"), &snapshot());
        assert!(error.unwrap_err().source().is_some());
        // Folders can't be replaced or written to.
        fs::create_dir(folder.0.join("b.txt")).unwrap();
        assert!(write_file(folder.0.join("b.txt"), &snapshot()).is_err());
        assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
    }

    #[cfg(unix)]
    #[test]
    fn symlinks_are_kept_and_devices_are_written() {
        let folder = Folder::new("link");
        let (real, link) = (folder.0.join("real.txt"), folder.0.join("link.folded"));
        fs::write(&real, "before").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_file(&link, &snapshot()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(text(&real), "main 7\n");
        let null = folder.0.join("null.txt");
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write_file(&null, &snapshot()).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
