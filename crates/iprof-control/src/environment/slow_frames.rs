//! `IPROF_SLOW_FRAMES`: writes up to 16 slow frames, or 16 MiB, to a directory. Each slow frame is written with the two
//! frames before and after it, as text and as trace events.
//!
//! A separate thread waits for the following frames and then writes, so that frames don't wait for the disk. It stops
//! waiting when the program exits.

use super::{at_exit, warn};
use crate::RunningProgram;
use iprof_export::Format;
use iprof_gather as gather;
use iprof_gather::sync::is_forked;
use iprof_process::{FrameSnapshot, SlowFrame, Snapshot};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub(super) const VARIABLE: &str = "IPROF_SLOW_FRAMES";
const THREAD: &str = "iprof slow frames";
/// The minimum time between two reported hitches.
const DEAD_TIME: Duration = Duration::from_secs(1);
/// The number of frames to write before and after the slow one.
const NEIGHBORS: u64 = 2;
/// The maximum time to wait for the frames after the slow one.
const WAIT: Duration = Duration::from_secs(1);
const WAIT_STEPS: u32 = 200;
const MAX_HITCHES: usize = 16;
/// The maximum total size of all files.
const MAX_BYTES: usize = 16 << 20;

/// The maximum time that the program's exit waits for writing to finish.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of slow frames that have been found but not written yet.
static UNWRITTEN: Mutex<usize> = Mutex::new(0);
static WRITTEN: Condvar = Condvar::new();
static IS_EXITING: AtomicBool = AtomicBool::new(false);

fn count_unwritten(change: isize) {
    let mut unwritten = UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    *unwritten = unwritten.saturating_add_signed(change);
    WRITTEN.notify_all();
}

/// Gives the writer time to write the program's last frames.
extern "C" fn finish_at_exit() {
    // A forked child process doesn't have the writer thread.
    if is_forked() {
        return;
    }
    IS_EXITING.store(true, Relaxed);
    let unwritten = UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    _ = WRITTEN.wait_timeout_while(unwritten, EXIT_TIMEOUT, |unwritten| *unwritten > 0);
}

pub(super) fn apply(program: &'static RunningProgram, folder: &OsStr) -> Result<(), String> {
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    let with_folder = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(with_folder)?;
    let (found, frames) = sync_channel(1);
    let thread = {
        let folder = folder.clone();
        gather::spawn_unrecorded(THREAD, move || write_all(&folder, &frames, program))
    };
    thread.map_err(with_folder)?;
    let found = move |frame| {
        count_unwritten(1);
        // Sending fails if the previous slow frame is still being written or the limit was reached.
        if found.try_send(frame).is_err() {
            count_unwritten(-1);
        }
    };
    (program.on_slow_frame)(DEAD_TIME, Box::new(found));
    match at_exit(finish_at_exit) {
        true => Ok(()),
        false => Err("a slow frame in the program's last second may not be written".into()),
    }
}

fn write_all(folder: &Path, frames: &Receiver<SlowFrame>, program: &RunningProgram) {
    let mut bytes_left = MAX_BYTES;
    for frame in frames.iter().take(MAX_HITCHES) {
        let last = frame.number + NEIGHBORS;
        for _ in 0..WAIT_STEPS {
            if (program.newest_frame)() >= last || IS_EXITING.load(Relaxed) {
                break;
            }
            thread::sleep(WAIT / WAIT_STEPS);
        }
        let numbers = frame.number.saturating_sub(NEIGHBORS)..last + 1;
        let frames = (program.frame_snapshots)(numbers).collect();
        let written = write(folder, &frame, frames, &mut bytes_left);
        count_unwritten(-1);
        if let Err(error) = written {
            warn(&format!("{VARIABLE}: {}: {error}", folder.display()));
            return;
        }
    }
}

fn write(
    folder: &Path,
    slow: &SlowFrame,
    frames: Vec<FrameSnapshot>,
    bytes_left: &mut usize,
) -> io::Result<()> {
    let name = format!("frame-{}-{}", std::process::id(), slow.number);
    let mut text = Bounded::new(bytes_left);
    for frame in &frames {
        let ms = frame.recorded.ns(frame.recorded.ticks) / 1e6;
        let mark = match frame.number == slow.number {
            true => format!(", over the budget of {:?}", slow.budget),
            false => String::new(),
        };
        writeln!(text, "frame {}: {ms:.2} ms{mark}\n", frame.number)?;
        Format::Tree.write(&frame.recorded, &mut text)?;
        writeln!(text)?;
    }
    fs::write(folder.join(format!("{name}.txt")), &text.bytes)?;
    if cfg!(feature = "export") {
        let mut events = Bounded::new(bytes_left);
        Format::TraceEvents.write_with_frames(&Snapshot::default(), frames, &mut events)?;
        fs::write(folder.join(format!("{name}.trace.json")), &events.bytes)?;
    }
    Ok(())
}

/// A file's contents in memory. They count toward the size limit for all files.
struct Bounded<'a> {
    bytes: Vec<u8>,
    bytes_left: &'a mut usize,
}

impl Bounded<'_> {
    fn new(bytes_left: &mut usize) -> Bounded<'_> {
        Bounded {
            bytes: Vec::new(),
            bytes_left,
        }
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.bytes_left.checked_sub(bytes.len());
        *self.bytes_left = rest.ok_or_else(|| {
            let mib = MAX_BYTES >> 20;
            io::Error::other(format!(
                "the limit of {mib} MiB is reached; no more frames are written"
            ))
        })?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_PROGRAM;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let name = format!("iprof {name} {}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// Removes a folder, and returns the names and sizes of its files.
    fn take(folder: &Path) -> Vec<(String, u64)> {
        let files = fs::read_dir(folder).unwrap().map(|file| {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            (name, file.metadata().unwrap().len())
        });
        let files = files.collect();
        fs::remove_dir_all(folder).unwrap();
        files
    }

    fn slow(number: u64) -> SlowFrame {
        SlowFrame {
            number,
            duration: Duration::from_millis(50),
            budget: Duration::from_millis(40),
        }
    }

    #[test]
    fn written_hitches_are_limited() {
        let folder = folder("hitches");
        let (found, frames) = sync_channel(2 * MAX_HITCHES);
        for number in 1..=2 * MAX_HITCHES as u64 {
            found.send(slow(number)).unwrap();
        }
        drop(found);
        let program = RunningProgram {
            newest_frame: || u64::MAX,
            ..NO_PROGRAM
        };
        write_all(&folder, &frames, &program);
        let files = take(&folder);
        let texts = files.iter().filter(|(name, _)| name.ends_with(".txt"));
        assert_eq!(texts.count(), MAX_HITCHES);
        let last = format!("frame-{}-{MAX_HITCHES}.txt", std::process::id());
        assert!(files.iter().any(|(name, _)| *name == last), "{files:?}");
    }

    #[test]
    fn written_bytes_are_limited() {
        let frames = |number: u64| -> Vec<FrameSnapshot> {
            let numbers = number - NEIGHBORS..=number + NEIGHBORS;
            let frame = |number| FrameSnapshot {
                number,
                begin_ns: 0,
                recorded: Snapshot::default(),
                marks: Vec::new(),
            };
            numbers.map(frame).collect()
        };
        let mut least = None;
        for limit in (0..4_000).step_by(100) {
            let folder = folder(&format!("bytes {limit}"));
            let mut bytes_left = limit;
            let numbers = (10..100).step_by(10);
            let mut written = numbers
                .map(|number| write(&folder, &slow(number), frames(number), &mut bytes_left));
            let error = written.find_map(Result::err);
            let files = take(&folder);
            let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
            assert!(bytes <= limit as u64, "{bytes} of {limit}: {files:?}");
            if let Some(error) = error {
                let expected = "the limit of 16 MiB is reached; no more frames are written";
                assert_eq!(error.to_string(), expected);
            }
            if !files.is_empty() {
                least = least.or(Some(limit));
            }
        }
        assert!(least.is_some_and(|least| least > 0));
    }
}
