//! Test helpers: the test lock, a thread that records frames, and a thread counter.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Waits for other tests to finish, and resets the profiler.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::reset();
    guard
}

pub(crate) fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Tells other threads to end when dropped, even if the test fails.
pub(crate) struct Ending<'a>(pub(crate) &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A thread that records frames until it is dropped or `end` is called.
pub(crate) struct Frames {
    is_running: Arc<AtomicBool>,
    thread: Option<JoinHandle<(usize, Duration)>>,
}

impl Frames {
    /// Records a frame every five milliseconds, each with one zone named `turn`.
    pub(crate) fn begin() -> Frames {
        let is_running = Arc::new(AtomicBool::new(true));
        let keep_running = Arc::clone(&is_running);
        let run = move || {
            let (mut frames, mut longest) = (0, Duration::ZERO);
            while keep_running.load(Ordering::Relaxed) {
                {
                    iprof::zone!(turn);
                    spin(Duration::from_millis(1));
                }
                thread::sleep(Duration::from_millis(4));
                let start = Instant::now();
                iprof::update(true);
                longest = longest.max(start.elapsed());
                frames += 1;
            }
            (frames, longest)
        };
        let thread = thread::Builder::new().name("frames".into());
        Frames {
            is_running,
            thread: Some(thread.spawn(run).expect("failed to start a thread")),
        }
    }

    /// Ends the thread. Returns the number of frames and the longest duration of `update`.
    pub(crate) fn end(mut self) -> (usize, Duration) {
        self.is_running.store(false, Ordering::Relaxed);
        let thread = self
            .thread
            .take()
            .expect("the thread should be joined only once");
        thread.join().expect("the frame thread panicked")
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.is_running.store(false, Ordering::Relaxed);
    }
}

/// Returns the number of running threads named `name`, or `None` if the system has no thread list. A joined thread may
/// still be listed as exiting, because the kernel wakes the joining thread first.
pub(crate) fn threads_named(name: &str) -> Option<usize> {
    // Wine has this folder, but it belongs to a different process.
    if !cfg!(target_os = "linux") {
        return None;
    }
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let stats =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    /// The kernel's flag `PF_EXITING`.
    const ENDS: u32 = 4;
    let runs = |stat: &String| {
        let (start, fields) = stat.rsplit_once(") ").expect("no name in parentheses");
        let flags = fields.split(' ').nth(6).expect("fewer than seven fields");
        let flags: u32 = flags.parse().expect("the flags are not a number");
        start.split_once('(').expect("no name in parentheses").1 == name && flags & ENDS == 0
    };
    Some(stats.filter(runs).count())
}
