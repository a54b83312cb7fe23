//! Where a path leads, and whether that was another user's doing.
//!
//! In a folder that anybody may write to, a name that is easily guessed may be there already: a link to a file
//! that its maker may not write, but the program may. The program would overwrite it. So what others have
//! put into such a folder is not followed, nor written to. (Linux does the same by itself in most
//! installations: `fs.protected_symlinks`.)

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where a path leads.
#[derive(Debug, PartialEq)]
pub(super) enum Place {
    /// To a regular file, or to none.
    Regular(PathBuf),
    /// To a pipe, a device, a folder: what cannot be replaced.
    Special(PathBuf),
}

/// As many links as the system follows.
const LINKS: usize = 40;

/// Where `path` leads, by as many links as it takes.
pub(super) fn of(path: &Path) -> io::Result<Place> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        let Ok(there) = fs::symlink_metadata(&place) else {
            return Ok(Place::Regular(place));
        };
        if there.is_file() {
            return Ok(Place::Regular(place));
        }
        if is_strangers(&place, &there) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "another user has put a link, or something else that is no regular file, there, in \
                 a folder that anybody may write to",
            ));
        }
        if !there.is_symlink() {
            return Ok(Place::Special(place));
        }
        let next = place.with_file_name("").join(fs::read_link(&place)?);
        // Links of /proc lead to what has no path.
        let is_real = fs::symlink_metadata(&next).is_ok() || fs::metadata(&place).is_err();
        if !is_real {
            return Ok(Place::Special(place));
        }
        place = next;
    }
    Err(io::Error::other("too many links"))
}

/// Whether another user than the program's or the folder's owner has put it into a folder that anybody may write to.
#[cfg(all(unix, feature = "enable"))]
fn is_strangers(place: &Path, there: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const ANYBODY_WRITES: u32 = 0o002;
    let folder = match place.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(folder) = fs::metadata(folder) else {
        return false;
    };
    let own = rustix::process::geteuid().as_raw();
    folder.mode() & ANYBODY_WRITES != 0 && ![own, folder.uid()].contains(&there.uid())
}

#[cfg(not(all(unix, feature = "enable")))]
fn is_strangers(_place: &Path, _there: &fs::Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_their_end_which_may_be_nowhere() {
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
        let regular = |name| Place::Regular(at(name));
        for (name, expected) in [
            ("file", regular("file")),
            ("one", regular("file")),
            ("two", regular("file")),
            ("nowhere", regular("nothing")),
            ("new", regular("new")),
            ("device", Place::Special("/dev/null".into())),
            (".", Place::Special(at("."))),
        ] {
            assert_eq!(of(&at(name)).unwrap(), expected, "{name}");
        }
        assert!(of(&at("round")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
