//! Helpers: the test lock, a thread that has frames, and a count of the process's threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// One test at a time, with nothing recorded so far.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::reset();
    guard
}

/// Works for `time`.
pub(crate) fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Tells others to end when it is dropped, whether the test has failed or not.
pub(crate) struct Ending<'a>(pub(crate) &'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A thread that has frames until it is dropped or asked.
pub(crate) struct Frames {
    goes_on: Arc<AtomicBool>,
    thread: Option<JoinHandle<(usize, Duration)>>,
}

impl Frames {
    /// One every five milliseconds, with a zone `turn` in each.
    pub(crate) fn begin() -> Frames {
        let goes_on = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&goes_on);
        let run = move || {
            let (mut frames, mut longest) = (0, Duration::ZERO);
            while asked.load(Ordering::Relaxed) {
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
            goes_on,
            thread: Some(thread.spawn(run).expect("threads can be started")),
        }
    }

    /// How many there were, and the longest `update`.
    pub(crate) fn end(mut self) -> (usize, Duration) {
        self.goes_on.store(false, Ordering::Relaxed);
        let thread = self.thread.take().expect("it ends once");
        thread.join().expect("frames go on")
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.goes_on.store(false, Ordering::Relaxed);
    }
}

/// How many threads of the process have that name, and run; nothing where there is no such list. A thread
/// that was joined may still be in the list: the kernel tells who waits before it takes it out. It is marked
/// as one that ends.
pub(crate) fn threads_named(name: &str) -> Option<usize> {
    // Under Wine the folder is there, and of some other process.
    if !cfg!(target_os = "linux") {
        return None;
    }
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let stats =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    /// `PF_EXITING`.
    const ENDS: u32 = 4;
    let runs = |stat: &String| {
        let (start, fields) = stat.rsplit_once(") ").expect("a name in brackets");
        let flags = fields.split(' ').nth(6).expect("seven fields");
        let flags: u32 = flags.parse().expect("a number");
        start.split_once('(').expect("a name in brackets").1 == name && flags & ENDS == 0
    };
    Some(stats.filter(runs).count())
}
