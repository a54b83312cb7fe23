//! Follows the links of an output path to a regular file, a pipe or a device, and refuses links, pipes
//! and devices that other users planted. Opens nothing.
//!
//! In a world-writable folder (`/tmp`), another user can create a file of a name that is
//! easily guessed: a link to a file that this user may not write, but the program may. The program would
//! overwrite that file. So links, pipes and devices that other users created in such a folder are neither
//! followed nor written to. (Linux does the same in most installations: `fs.protected_symlinks`.)

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a path resolves to.
#[derive(Debug, PartialEq)]
pub(super) enum Target {
    /// A regular file, or no file yet.
    Regular(PathBuf),
    /// A pipe, a device or a folder, which cannot be replaced.
    Special(PathBuf),
}

/// Maximum number of links, as in Linux.
const LINKS: usize = 40;

/// Follows the links of `path`.
pub(super) fn of(path: &Path) -> io::Result<Target> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        let Ok(there) = fs::symlink_metadata(&place) else {
            return Ok(Target::Regular(place));
        };
        if there.is_file() {
            return Ok(Target::Regular(place));
        }
        if is_foreign(&place, &there) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "another user's link or special file with this name in a world-writable folder; \
                 choose another folder",
            ));
        }
        if !there.is_symlink() {
            return Ok(Target::Special(place));
        }
        let next = place.with_file_name("").join(fs::read_link(&place)?);
        // Links in /proc may lead to objects without a path.
        let is_real = fs::symlink_metadata(&next).is_ok() || fs::metadata(&place).is_err();
        if !is_real {
            return Ok(Target::Special(place));
        }
        place = next;
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a user other than the program's and the folder's owner created `place` in a
/// world-writable folder.
#[cfg(all(unix, feature = "files"))]
fn is_foreign(place: &Path, there: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o002;
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(folder) = fs::metadata(folder) else {
        return false;
    };
    let own = rustix::process::geteuid().as_raw();
    folder.mode() & OTHERS_WRITE != 0 && ![own, folder.uid()].contains(&there.uid())
}

#[cfg(not(all(unix, feature = "files")))]
fn is_foreign(_place: &Path, _there: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix, not(loom)))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_their_end_which_need_not_exist() {
        let name = format!("iprof-place-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let at = |name: &str| folder.join(name);
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
            assert_eq!(of(&at(name)).unwrap(), expected, "{name}");
        }
        assert!(of(&at("round")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
