//! `IPROF_SLOW_FRAMES`: writes slow frames and their neighbors to files of a folder.
//!
//! A thread of its own waits for the neighbors and writes, so that frames do not wait for the disk.

use super::complain;
use crate::gather;
use crate::process::{SlowFrame, frame_snapshots, newest_frame, on_slow_frame_of_environment};
use crate::snapshot::FrameSnapshot;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

/// The folder.
pub(super) const VARIABLE: &str = "IPROF_SLOW_FRAMES";
const THREAD: &str = "iprof slow frames";
/// Hitches closer to one another are one.
const DEAD_TIME: Duration = Duration::from_secs(1);
/// Frames that are written before the slow one, and after it.
const NEIGHBORS: u64 = 2;
/// How long to wait for those after it.
const WAIT: Duration = Duration::from_secs(1);
const WAITS: u32 = 200;
const MAX_HITCHES: usize = 16;
/// Of all files together.
const MAX_BYTES: usize = 16 << 20;

pub(super) fn apply(folder: OsString) -> Result<(), String> {
    let folder = std::path::absolute(&folder).map_err(|error| error.to_string())?;
    let told = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(told)?;
    let (found, frames) = sync_channel(1);
    let thread = {
        let folder = folder.clone();
        gather::spawn_unrecorded(THREAD, move || write_all(&folder, &frames))
    };
    thread.map_err(told)?;
    on_slow_frame_of_environment(DEAD_TIME, move |frame| {
        // The one before is still being written, or all were.
        let _ = found.try_send(frame);
    });
    Ok(())
}

fn write_all(folder: &Path, frames: &Receiver<SlowFrame>) {
    let mut left = MAX_BYTES;
    for frame in frames.iter().take(MAX_HITCHES) {
        let last = frame.number + NEIGHBORS;
        for _ in 0..WAITS {
            if newest_frame() >= last {
                break;
            }
            thread::sleep(WAIT / WAITS);
        }
        let numbers = frame.number.saturating_sub(NEIGHBORS)..=last;
        if let Err(error) = write(folder, &frame, numbers, &mut left) {
            complain(&format!("{VARIABLE}: {}: {error}", folder.display()));
            return;
        }
    }
}

fn write(
    folder: &Path,
    slow: &SlowFrame,
    numbers: RangeInclusive<u64>,
    left: &mut usize,
) -> io::Result<()> {
    let name = format!("frame-{}-{}", std::process::id(), slow.number);
    let frames: Vec<FrameSnapshot> = frame_snapshots(numbers).collect();
    let mut text = Bounded::new(left);
    for frame in &frames {
        let ms = frame.recorded.ns(frame.recorded.ticks) / 1e6;
        let mark = match frame.number == slow.number {
            true => format!(", over the budget of {:?}", slow.budget),
            false => String::new(),
        };
        writeln!(text, "frame {}: {ms:.2} ms{mark}\n", frame.number)?;
        frame.recorded.write_tree(&mut text)?;
        writeln!(text)?;
    }
    fs::write(folder.join(format!("{name}.txt")), &text.bytes)?;
    #[cfg(feature = "json")]
    {
        let mut events = Bounded::new(left);
        crate::export::write_trace_events(frames, &mut events)?;
        fs::write(folder.join(format!("{name}.trace.json")), &events.bytes)?;
    }
    Ok(())
}

/// Bytes of a file, which count against those of all.
struct Bounded<'a> {
    bytes: Vec<u8>,
    left: &'a mut usize,
}

impl Bounded<'_> {
    fn new(left: &mut usize) -> Bounded<'_> {
        Bounded {
            bytes: Vec::new(),
            left,
        }
    }
}

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.left.checked_sub(bytes.len());
        *self.left = rest.ok_or_else(|| {
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
