//! `IPROF_PROFILE`: names this process's profile and writes it at exit, or writes numbered profiles on signals.

use super::system::signal;
use super::{at_exit, warn};
use crate::RunningProgram;
use iprof_export::{find, name_of, write_file_with_frames};
use iprof_gather as gather;
use iprof_gather::sync::is_forked;
use iprof_process::Snapshot;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, panic, process};

/// The name of the file to write.
pub(super) const VARIABLE: &str = "IPROF_PROFILE";
/// The placeholder for the process id in the file name.
const PROCESS_ID: &str = "%p";
/// The name or number of the signal that starts and ends a profile.
pub(super) const SIGNAL: &str = "IPROF_SIGNAL";
/// The maximum time that exit waits for the recorded data. The exiting thread may hold one of the profiler's locks.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

static PROFILE: OnceLock<Profile> = OnceLock::new();

#[derive(Debug)]
pub(super) struct Profile {
    /// The path, made absolute because the program may change its current directory.
    path: PathBuf,
    program: &'static RunningProgram,
}

/// The data for one file.
#[derive(Debug)]
pub(super) struct ProfileData {
    pub(super) recorded: Snapshot,
    /// The number of the first frame that ended while `recorded` was being recorded.
    pub(super) first_frame: u64,
    /// The profile's number, if it was recorded between two signals. `None` if it contains everything.
    pub(super) number: Option<u32>,
}

impl ProfileData {
    pub(super) fn everything(program: &RunningProgram) -> ProfileData {
        ProfileData {
            recorded: (program.snapshot)(),
            first_frame: 0,
            number: None,
        }
    }
}

/// Arranges for `profile` to be written at exit or on a signal.
pub(super) fn apply(profile: Profile, signal: Option<OsString>, warnings: &mut Vec<String>) {
    let program = profile.program;
    let Ok(()) = PROFILE.set(profile) else { return };
    if let Some(signal) = signal {
        // If the signal can't be used, the profile is written at exit instead.
        match signal::apply(program, &signal) {
            Ok(()) => {}
            Err(reason) => warnings.push(format!("{SIGNAL}: {reason}")),
        }
    }
    if !at_exit(write_at_exit) {
        warnings.push(format!(
            "{VARIABLE}: cannot register an exit handler; no profile will be written"
        ));
    }
}

impl Profile {
    /// Creates a profile for `path`. Warns if it is already clear that writing will fail.
    pub(super) fn new(
        program: &'static RunningProgram,
        path: OsString,
        warnings: &mut Vec<String>,
    ) -> Profile {
        let profile = Profile::named(program, path);
        let file = profile.file(None);
        let problem = match (find(&name_of(&file)), file.parent().map(fs::metadata)) {
            (Err(reason), _) => reason.to_string(),
            (_, Some(Err(error))) => error.to_string(),
            _ => return profile,
        };
        let path = profile.path.display();
        warnings.push(format!("{VARIABLE}: {path}: {problem}"));
        profile
    }

    pub(super) fn named(program: &'static RunningProgram, path: OsString) -> Profile {
        let path = PathBuf::from(path);
        // `absolute` only fails if there is no current directory. In that case, the original path is kept.
        let path = std::path::absolute(&path).unwrap_or(path);
        Profile { path, program }
    }

    #[cfg(test)]
    pub(super) fn files(&self) -> [PathBuf; 2] {
        [self.file(None), self.file(Some(0))]
    }

    /// Returns this process's file name. If `number` is set, returns the name of a numbered profile.
    fn file(&self, number: Option<u32>) -> PathBuf {
        let path = match self.path.to_str() {
            Some(path) => PathBuf::from(path.replace(PROCESS_ID, &process::id().to_string())),
            None => self.path.clone(),
        };
        match number {
            Some(number) => with_suffix(&path, &format!(".{number}")),
            None => path,
        }
    }
}

/// Inserts `suffix` before the file name extension.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let name = name_of(path);
    let stem = find(&name).map_or(name.len(), |(_, stem)| stem);
    let (stem, extension) = name.split_at(stem);
    path.with_file_name(format!("{stem}{suffix}{extension}"))
}

/// Writes a profile, or prints the error. Formats that show frames include the profile's remembered frames.
pub(super) fn write(data: &ProfileData) {
    let Some(profile) = PROFILE.get() else { return };
    let frames = (profile.program.frame_snapshots)(data.first_frame..u64::MAX);
    let file = profile.file(data.number);
    if let Err(error) = write_file_with_frames(&file, &data.recorded, frames) {
        let because = error.source().map(|source| format!(": {source}"));
        warn(&format!(
            "{VARIABLE}: {error}{}",
            because.unwrap_or_default()
        ));
    }
}

extern "C" fn write_at_exit() {
    if is_forked() {
        return;
    }
    // A panic must not unwind into the C library. The panic was already printed, and the program is ending anyway.
    let _ = panic::catch_unwind(write_data_at_exit);
}

/// Writes the profile at exit, on a separate thread. The exiting thread's thread-locals may already be destroyed, and
/// it may hold any lock.
fn write_data_at_exit() {
    let Some(profile) = PROFILE.get() else { return };
    let snapshot_taken = Arc::new((Mutex::new(false), Condvar::new()));
    let shared = snapshot_taken.clone();
    let thread = gather::spawn_unrecorded(THREAD, move || {
        let data = signal::data_at_exit(profile.program);
        let (is_taken, changed) = &*shared;
        *is_taken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_one();
        if let Some(data) = data {
            write(&data);
        }
    });
    let thread = match thread {
        Ok(thread) => thread,
        Err(error) => {
            warn(&format!(
                "{VARIABLE}: cannot start a thread to write the profile: {error}"
            ));
            return;
        }
    };
    let (is_taken, changed) = &*snapshot_taken;
    let is_taken = is_taken.lock().unwrap_or_else(PoisonError::into_inner);
    let (is_taken, _) = changed
        .wait_timeout_while(is_taken, LOCK_TIMEOUT, |is_taken| !*is_taken)
        .unwrap_or_else(PoisonError::into_inner);
    if *is_taken {
        drop(is_taken);
        // If the thread panicked, the panic was already printed.
        let _ = thread.join();
    } else {
        warn(&format!(
            "{VARIABLE}: no profile written: timed out waiting for the profiler's lock at exit"
        ));
    }
}

const THREAD: &str = "iprof profile";

#[cfg(test)]
mod tests {
    use super::{Profile, with_suffix};
    use crate::NO_PROGRAM;
    use std::path::{Path, PathBuf};

    #[test]
    fn suffixes_are_inserted_before_the_extension() {
        for (name, with) in [
            ("/a/b.txt", "/a/b_7.txt"),
            ("/a.b/c.pb.gz", "/a.b/c_7.pb.gz"),
            ("/callgrind.out", "/callgrind.out_7"),
            ("/odd", "/odd_7"),
        ] {
            // `.pb.gz` requires the feature `export`.
            if !name.contains("gz") || cfg!(feature = "export") {
                assert_eq!(with_suffix(Path::new(name), "_7"), Path::new(with));
            }
        }
    }

    #[test]
    fn percent_p_becomes_the_process_id() {
        let own = std::process::id();
        let mut profile = Profile {
            path: "/a/b.txt".into(),
            program: &NO_PROGRAM,
        };
        assert_eq!(profile.file(None), Path::new("/a/b.txt"));
        assert_eq!(profile.file(Some(3)), Path::new("/a/b.3.txt"));
        profile.path = "/a%p/%p.txt".into();
        let named = PathBuf::from(format!("/a{own}/{own}.txt"));
        assert_eq!(profile.file(None), named);
    }
}
