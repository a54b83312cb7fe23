//! The stall detector: a thread that reports the open zones of all threads when no frame ends for some time.
//!
//! The thread checks the number of ended frames and each thread's call stack 20 times per timeout, and at least every
//! 50 ms. The thread takes no lock that other threads hold while they execute inside zones.
//!
//! **Clock.** The detector adds up the pauses between checks. A pause much longer than planned means that the program
//! was stopped or the machine was suspended, so only the planned length counts.
//!
//! **Open zones.** A zone's open time is how long the detector has seen it on the stack with the same number of
//! entries. So recording doesn't have to store when zones are entered.

use crate::clock::Instant;
use crate::gather::{self, IS_ENABLED, Node, ThreadRecord};
use crate::sync::{Mutex, OnceLock, Ordering::Relaxed, StaticU32, lock};
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

const THREAD: &str = "iprof stalls";
/// The number of checks per timeout.
const CHECKS_PER_TIMEOUT: u32 = 20;
/// The longest pause between two checks.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(20);
/// If a pause is longer than planned by more than this, the program was not running.
const SLACK: Duration = Duration::from_millis(250);
/// The maximum number of stalls to write. Later stalls are only returned by [`last_stall`].
const MAX_WRITTEN: u32 = 100;

static FRAMES: StaticU32 = StaticU32::new(0);
static DETECTOR: Mutex<Detector> = Mutex::new(Detector {
    timeout: None,
    file: None,
    has_thread: false,
    written: 0,
    last: None,
});
/// Writes to stderr on platforms where the standard library's handle is not enough. Set by `iprof-control`.
static STDERR: OnceLock<fn(&[u8])> = OnceLock::new();

#[derive(Default)]
struct Detector {
    timeout: Option<Duration>,
    file: Option<PathBuf>,
    has_thread: bool,
    written: u32,
    last: Option<Stall>,
}

pub(super) fn note_frame() {
    // A load and a store are faster than `fetch_add`. If two threads end frames at the same time, losing one count does
    // no harm.
    FRAMES.store(FRAMES.load(Relaxed).wrapping_add(1), Relaxed);
}

pub(crate) fn write_stalls_by(write: fn(&[u8])) {
    let _ = STDERR.set(write);
}

/// Reports a stall when no frame has ended for `timeout`; `None`, the default, turns stall detection off.
///
/// The report lists every thread's open zones, and how long each has been open. The report goes to stderr, to
/// [`last_stall`], and to the `/stall` page of the [HTTP endpoint](crate::http). If `file` is given, the report is also
/// appended to that file. If `file` is `None`, the previous file stays in use, such as the one named by `IPROF_STALL`.
/// At most 100 stalls per run are written.
///
/// The timeout is at least 20 ms. Each stall is reported once, at most 0.1 s after the timeout. A separate thread does
/// the watching, so deadlocks are reported as well. Time during which a debugger or a signal stops the program, or the
/// machine is suspended, does not count.
///
/// There is no stall before the first frame has ended, since programs take arbitrarily long to load, and some never end
/// a frame. To watch loading as well, end a frame before it with [`update(false)`](crate::update). Zones are not seen
/// while timing is [off](crate::Timing::Off). The detector checks each thread's stack 20 times per timeout or per
/// second, whichever is shorter.
///
/// ```
/// use std::time::Duration;
///
/// iprof::set_stall_timeout(Some(Duration::from_secs(5)), None)?;
/// # iprof::set_stall_timeout(None, None)?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Fails if the thread cannot be started, as in a browser, or if the file's path is relative and there is no current
/// directory.
pub fn set_stall_timeout(timeout: Option<Duration>, file: Option<&Path>) -> io::Result<()> {
    // The path is resolved now, since the program may change its current directory.
    let file = file.map(std::path::absolute).transpose()?;
    let mut detector = lock(&DETECTOR);
    detector.file = file.or(detector.file.take());
    detector.timeout = timeout.map(|timeout| timeout.max(SHORTEST_TIMEOUT));
    if IS_ENABLED && timeout.is_some() && !detector.has_thread {
        gather::spawn_unrecorded(THREAD, run)?;
        detector.has_thread = true;
    }
    Ok(())
}

/// Returns the last stall, with the state at the time of its report: see [`set_stall_timeout`].
#[must_use]
pub fn last_stall() -> Option<Stall> {
    lock(&DETECTOR).last.clone()
}

fn run() {
    let mut watch = Watch::default();
    let mut before = Instant::now();
    loop {
        let timeout = {
            let mut detector = lock(&DETECTOR);
            let Some(timeout) = detector.timeout else {
                detector.has_thread = false;
                return;
            };
            timeout
        };
        let pause = (timeout / CHECKS_PER_TIMEOUT).min(LONGEST_PAUSE);
        thread::sleep(pause);
        let now = Instant::now();
        let passed = now - before;
        before = now;
        watch.pass(passed, pause);
        gather::append_new_records_lazily(&mut watch.records);
        if let Some(stall) = watch.check(FRAMES.load(Relaxed), timeout) {
            report(stall);
        }
    }
}

/// Stores the stall and writes it to the file, and then to stderr, because a stalled thread may hold stderr's lock.
fn report(stall: Stall) {
    let text = format!("iprof: {stall}");
    let (file, is_written) = {
        let mut detector = lock(&DETECTOR);
        detector.last = Some(stall);
        detector.written += 1;
        (detector.file.clone(), detector.written <= MAX_WRITTEN)
    };
    if !is_written {
        return;
    }
    let mut text = text.into_bytes();
    if let Some(file) = file {
        let open = OpenOptions::new().append(true).create(true).open(&file);
        if let Err(error) = open.and_then(|mut open| open.write_all(&text)) {
            let _ = writeln!(text, "iprof: {}: {error}", file.display());
        }
    }
    match STDERR.get() {
        Some(write) => write(&text),
        // `eprint` would panic if stderr were closed.
        None => drop(io::stderr().write_all(&text)),
    }
}

#[derive(Default)]
struct Watch {
    records: Vec<&'static ThreadRecord>,
    /// Each record's open zones, outermost first.
    stacks: Vec<Vec<Open>>,
    now: Duration,
    frames: u32,
    /// The time of the last check that found that a frame had ended.
    frame_end: Duration,
    is_reported: bool,
}

struct Open {
    node: &'static Node,
    entries: u64,
    since: Duration,
}

impl Watch {
    /// Advances the clock after a pause that was planned to last `pause` and lasted `passed`.
    fn pass(&mut self, passed: Duration, pause: Duration) {
        self.now += match passed > pause + SLACK {
            true => pause,
            false => passed,
        };
    }

    /// Checks all threads. Returns each stall once.
    fn check(&mut self, frames: u32, timeout: Duration) -> Option<Stall> {
        self.stacks.resize_with(self.records.len(), Vec::new);
        for (record, stack) in self.records.iter().zip(&mut self.stacks) {
            follow(
                stack,
                record.current().filter(|_| record.is_owned()),
                self.now,
            );
        }
        // There is no stall before the first frame.
        if frames != self.frames || frames == 0 {
            (self.frames, self.frame_end, self.is_reported) = (frames, self.now, false);
        }
        let duration = self.now - self.frame_end;
        if duration < timeout || self.is_reported {
            return None;
        }
        self.is_reported = true;
        let threads = self.records.iter().zip(&self.stacks);
        let threads = threads.filter(|(record, _)| record.is_owned());
        let threads = threads.map(|(record, stack)| StalledThread {
            name: record.name(),
            zones: stack.iter().map(|open| open.stalled(self.now)).collect(),
        });
        Some(Stall {
            frames,
            duration,
            threads: threads.collect(),
        })
    }
}

impl Open {
    fn stalled(&self, now: Duration) -> StalledZone {
        let zone = self.node.zone();
        StalledZone {
            name: zone.label().to_owned(),
            file: zone.file().to_owned(),
            line: zone.line(),
            open: now - self.since,
        }
    }
}

/// Updates `stack` to the call stack of `top`. Zones that are already in `stack`, with the same number of entries, are
/// kept.
fn follow(stack: &mut Vec<Open>, top: Option<&'static Node>, now: Duration) {
    let path =
        || std::iter::successors(top, |node| node.parent()).filter(|it| it.parent().is_some());
    let depth = path().count();
    stack.truncate(depth);
    // This loop goes from the innermost zone outward. A zone at a different depth belongs to a different stack.
    let mut same = depth.min(stack.len());
    for (at, node) in (0..depth).rev().zip(path()) {
        let is_same = |open: &Open| std::ptr::eq(open.node, node) && open.entries == node.entries();
        if !stack.get(at).is_some_and(is_same) {
            same = same.min(at);
        }
    }
    stack.truncate(same);
    let missing = path().take(depth - same).map(|node| Open {
        node,
        entries: node.entries(),
        since: now,
    });
    stack.extend(missing);
    stack[same..].reverse();
}

/// The state of a program in which no frame has ended for some time: see
/// [`set_stall_timeout`](crate::set_stall_timeout). Its `Display` writes several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stall {
    /// The number of frames that had ended before the stall, including discarded ones.
    pub frames: u32,
    /// The time since the last frame ended, excluding time during which the program was stopped or suspended.
    pub duration: Duration,
    /// All threads that have zones and have not ended.
    pub threads: Vec<StalledThread>,
}

/// A thread in a [`Stall`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StalledThread {
    /// The thread's name.
    pub name: String,
    /// The thread's open zones, outermost first.
    pub zones: Vec<StalledZone>,
}

/// An open zone in a [`Stall`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StalledZone {
    /// The zone's name.
    pub name: String,
    /// The source file that defines the zone.
    pub file: String,
    /// The line in `file`, from 1; 0 if there is none.
    pub line: u32,
    /// The minimum time that the zone has been open. This time may be too short by up to a twentieth of the timeout or
    /// 50 ms, and does not include time before the timeout was set.
    pub open: Duration,
}

impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, frames) = (self.duration.as_secs_f64(), self.frames);
        writeln!(
            f,
            "no frame ended for {seconds:.2} s; {frames} ended before"
        )?;
        for thread in &self.threads {
            writeln!(f, "{}", thread.name)?;
            if thread.zones.is_empty() {
                writeln!(f, "{:9}   outside zones", "")?;
            }
            for (depth, zone) in thread.zones.iter().enumerate() {
                let (open, indent) = (zone.open.as_secs_f64(), 2 * depth);
                write!(f, "{open:9.2} s {:indent$}{}", "", zone.name)?;
                match zone.line {
                    0 => writeln!(f)?,
                    line => writeln!(f, "  {}:{line}", zone.file)?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const TIMEOUT: Duration = Duration::from_secs(2);

    /// Returns the stall found after each pause, given the number of frames ended by then.
    fn durations(pauses: &[(Duration, u32)]) -> Vec<Option<Duration>> {
        let mut watch = Watch::default();
        let looks = pauses.iter().map(|(passed, frames)| {
            watch.pass(*passed, 50 * MS);
            watch.check(*frames, TIMEOUT).map(|stall| stall.duration)
        });
        looks.collect()
    }

    #[test]
    fn stall_is_reported_once_after_the_timeout() {
        let frames_end = [(50 * MS, 0), (300 * MS, 1), (300 * MS, 2)];
        let none_ends = [(300 * MS, 2); 8];
        let again = [(300 * MS, 3); 8];
        let found = durations(&[&frames_end[..], &none_ends, &again].concat());
        let stalls: Vec<_> = found
            .iter()
            .enumerate()
            .filter(|it| it.1.is_some())
            .collect();
        assert_eq!(stalls, [(9, &Some(2_100 * MS)), (18, &Some(2_100 * MS))]);
    }

    /// A program that wants a stall while loading to be detected ends a frame before loading.
    #[test]
    fn no_stall_before_the_first_frame() {
        let loads = [(300 * MS, 0); 40];
        let hangs = [(300 * MS, 1); 8];
        let found = durations(&[&loads[..], &hangs].concat());
        assert!(found[..loads.len()].iter().all(Option::is_none));
        assert_eq!(found[loads.len()..].iter().flatten().count(), 1);
    }

    #[test]
    fn stopped_time_does_not_count_as_stall() {
        let stopped = [(10 * TIMEOUT, 1), (301 * MS, 1)].repeat(15);
        assert!(durations(&stopped).iter().all(Option::is_none));
        // Each pause counts only with its planned length.
        let found = durations(&[(10 * TIMEOUT, 1); 45]);
        assert_eq!(found.iter().position(Option::is_some), Some(40));
    }
}
