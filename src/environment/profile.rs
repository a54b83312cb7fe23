//! The profile that is written when the program ends, or when a signal asks for it.

use super::claim::{Claim, Claimed};
use super::signal::{self, LastPart};
use super::{complain, exit};
use crate::export::format::{Format, name_of};
use crate::gather;
use crate::memory::can_allocate;
use crate::process::{recorded_size, snapshot};
use crate::snapshot::Snapshot;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, panic, process};

/// The file to write.
pub(super) const VARIABLE: &str = "IPROF_PROFILE";
/// What stands for the number of the process in it.
const PROCESS: &str = "%p";
/// Whoever ends the program may hold a lock, and in a copy of the process that `fork` made nobody
/// gives back what others held: so long is waited for what was recorded.
const PATIENCE: Duration = Duration::from_secs(5);

/// The one of this program.
static PROFILE: OnceLock<Profile> = OnceLock::new();

/// Where a program's profile goes.
#[derive(Debug)]
pub(super) struct Profile {
    /// As it was asked for, from the root: the program may go to another folder.
    path: PathBuf,
    /// The process that was asked for it.
    process: u32,
    claim: Option<Claim>,
    /// Whether another process is going to write the file of that name.
    is_anothers: bool,
}

/// Has `profile` written at the end, or by signal.
pub(super) fn follow(profile: Profile, signal: Option<OsString>, warnings: &mut Vec<String>) {
    let Ok(()) = PROFILE.set(profile) else { return };
    if let Some(signal) = signal {
        // Without it, the profile of all that was recorded is better than none.
        match signal::follow(&signal) {
            Ok(()) => {}
            Err(reason) => warnings.push(format!("{}: {reason}", signal::VARIABLE)),
        }
    }
    if !exit::at_exit(write_at_exit) {
        warnings.push(format!("{VARIABLE}: the system does not tell of the end"));
    }
}

impl Profile {
    /// One that goes to `path`. Warns of what will be in the way.
    pub(super) fn new(path: OsString, warnings: &mut Vec<String>) -> Profile {
        let mut profile = Profile::named(path);
        if let Err(reason) = Format::of(&name_of(&profile.path)) {
            let path = profile.path.display();
            warnings.push(format!("{VARIABLE}: {path}: {reason}"));
        } else if profile.needs_claim() {
            match Claim::on(&profile.path) {
                Ok(Claimed::Ours(claim)) => profile.claim = Some(claim),
                Ok(Claimed::AnotherProcess) => profile.is_anothers = true,
                Err(error) => {
                    let path = profile.path.display();
                    warnings.push(format!("{VARIABLE}: {path}: {error}"));
                }
            }
        }
        profile
    }

    /// One whose name nobody has claimed.
    pub(super) fn named(path: OsString) -> Profile {
        let path = PathBuf::from(path);
        // It fails only where there is no current folder, and then the path is as good.
        let path = std::path::absolute(&path).unwrap_or(path);
        Profile {
            path,
            process: process::id(),
            claim: None,
            is_anothers: false,
        }
    }

    /// The files that it would write: of all that was recorded, and of a part.
    #[cfg(any(all(test, not(loom)), fuzzing))]
    pub(super) fn files(&self) -> [PathBuf; 2] {
        [self.file(None), self.file(Some(0))]
    }

    /// A name with the number of the process is nobody else's, and a pipe is everybody's.
    fn needs_claim(&self) -> bool {
        let is_file = fs::metadata(&self.path).map_or(true, |there| there.is_file());
        is_file && !self.path.to_string_lossy().contains(PROCESS)
    }

    /// The file of this process, which may be a copy of the one that was asked; with `part` it is one
    /// of several.
    fn file(&self, part: Option<u32>) -> PathBuf {
        let process = process::id();
        let mut suffix = String::new();
        let path = match self.path.to_str() {
            Some(path) if path.contains(PROCESS) => {
                PathBuf::from(path.replace(PROCESS, &process.to_string()))
            }
            _ => {
                if self.is_anothers || process != self.process {
                    suffix = format!("_{process}");
                }
                self.path.clone()
            }
        };
        if let Some(part) = part {
            suffix += &format!(".{part}");
        }
        if suffix.is_empty() {
            path
        } else {
            with_suffix(&path, &suffix)
        }
    }

    /// Writes it, or says why not.
    fn write(&self, snapshot: &Snapshot, part: Option<u32>) {
        if let Err(error) = snapshot.write_file(self.file(part)) {
            let because = error.source().map(|source| format!(": {source}"));
            complain(&format!(
                "{VARIABLE}: {error}{}",
                because.unwrap_or_default()
            ));
        }
    }

    /// Nothing more will be written.
    fn end(&self) {
        if let Some(claim) = self
            .claim
            .as_ref()
            .filter(|_| process::id() == self.process)
        {
            claim.release();
        }
    }
}

/// Puts something before the ending of a name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let name = name_of(path);
    let stem = Format::of(&name).map_or(name.len(), |(_, stem)| stem);
    let (stem, ending) = name.split_at(stem);
    path.with_file_name(format!("{stem}{suffix}{ending}"))
}

/// What a snapshot and what a format makes of it take for each node and each zone, and in any case: from
/// above. (The endpoint's tests/http_memory.rs measures some.)
const NODE_BYTES: usize = 700;
const ZONE_BYTES: usize = 300;
const LEAST_BYTES: usize = 1 << 20;
/// What is said without.
pub(super) const NO_MEMORY: &str =
    "IPROF_PROFILE: nothing is written: the program is out of memory";

/// Whether there is memory for a snapshot and to write it: if not, trying would end the program by
/// another way than its own.
pub(super) fn has_memory() -> bool {
    let (nodes, zones) = recorded_size();
    can_allocate(LEAST_BYTES + nodes * NODE_BYTES + zones * ZONE_BYTES)
}

/// Writes one of several files: what `snapshot` has.
#[cfg_attr(not(all(unix, feature = "signal")), allow(dead_code))]
pub(super) fn write_part(snapshot: &Snapshot, part: u32) {
    if let Some(profile) = PROFILE.get() {
        profile.write(snapshot, Some(part));
    }
}

extern "C" fn write_at_exit() {
    // A panic must not go up into C's library. It has said what it is, and the program ends anyhow.
    let _ = panic::catch_unwind(write);
}

/// On a thread of its own: the one that ends the program may have no thread-locals any more, and
/// may hold whatever locks.
fn write() {
    let Some(profile) = PROFILE.get() else { return };
    let taken = Arc::new((Mutex::new(false), Condvar::new()));
    let theirs = taken.clone();
    let thread = gather::spawn_unrecorded(THREAD, move || {
        let has_memory = has_memory();
        let snapshot = match has_memory.then(signal::last_part) {
            Some(LastPart::Everything) => Some((snapshot(), None)),
            Some(LastPart::Since(recorded, number)) => Some((recorded, Some(number))),
            Some(LastPart::Nothing) | None => None,
        };
        let (is_taken, changed) = &*theirs;
        *is_taken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_one();
        if let Some((snapshot, part)) = snapshot {
            profile.write(&snapshot, part);
        } else if !has_memory {
            complain(NO_MEMORY);
        }
    });
    let thread = match thread {
        Ok(thread) => thread,
        Err(error) => {
            complain(&format!("{VARIABLE}: no thread to write it on: {error}"));
            return;
        }
    };
    let (is_taken, changed) = &*taken;
    let is_taken = is_taken.lock().unwrap_or_else(PoisonError::into_inner);
    let (is_taken, _) = changed
        .wait_timeout_while(is_taken, PATIENCE, |is_taken| !*is_taken)
        .unwrap_or_else(PoisonError::into_inner);
    if *is_taken {
        drop(is_taken);
        // If it panicked, it has said so.
        let _ = thread.join();
    } else {
        complain(&format!(
            "{VARIABLE}: nothing is written: the program ended in the middle of the profiler's work"
        ));
    }
    profile.end();
}

/// What the thread is called that writes at the end.
const THREAD: &str = "iprof profile";

#[cfg(test)]
mod tests {
    use super::{Profile, with_suffix};
    use std::path::{Path, PathBuf};

    #[test]
    fn a_suffix_goes_before_the_ending() {
        for (name, with) in [
            ("/a/b.txt", "/a/b_7.txt"),
            ("/a.b/c.pb.gz", "/a.b/c_7.pb.gz"),
            ("/callgrind.out", "/callgrind.out_7"),
            ("/odd", "/odd_7"),
        ] {
            // Where the format is there, for which a feature may be needed.
            if !name.contains("gz") || cfg!(feature = "pprof") {
                assert_eq!(with_suffix(Path::new(name), "_7"), Path::new(with));
            }
        }
    }

    #[test]
    fn the_name_says_which_process_where_it_could_be_another() {
        let own = std::process::id();
        let mut profile = Profile {
            path: "/a/b.txt".into(),
            process: own,
            claim: None,
            is_anothers: false,
        };
        assert_eq!(profile.file(None), Path::new("/a/b.txt"));
        assert_eq!(profile.file(Some(3)), Path::new("/a/b.3.txt"));
        profile.is_anothers = true;
        assert_eq!(profile.file(None), PathBuf::from(format!("/a/b_{own}.txt")));
        profile.is_anothers = false;
        // After a fork.
        profile.process = own + 1;
        let forked = PathBuf::from(format!("/a/b_{own}.1.txt"));
        assert_eq!(profile.file(Some(1)), forked);
        profile.path = "/a%p/%p.txt".into();
        let named = PathBuf::from(format!("/a{own}/{own}.txt"));
        assert_eq!(profile.file(None), named);
        assert!(!profile.needs_claim());
    }
}
