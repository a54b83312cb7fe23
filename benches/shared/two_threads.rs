//! Runs a benchmark case on one of two threads, or on both at the same time. Also checks what the threads recorded.

use crate::cases::{Case, ZONES};
use iprof::{ColumnId, ThreadId, Threads, View};
use std::collections::BTreeMap;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

const NAMES: [&str; 2] = ["first", "second"];

/// The number of remembered frames, enough for an interval with a thousand updates per second.
const HISTORY: usize = 256;

#[derive(Clone, Copy)]
struct Job {
    case: &'static Case,
    least: Duration,
    threads: usize,
}

struct Done {
    rounds: u32,
    ns: f64,
}

struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Done>,
}

/// The number of threads that are ready for a job. Each thread spins until all of them are ready. If one thread had to
/// be woken up first, the other thread would run alone in the meantime.
static READY: AtomicUsize = AtomicUsize::new(0);

impl Worker {
    fn new(name: &str) -> Worker {
        let (jobs, to_do) = channel::<Job>();
        let (results, done) = channel();
        let work = move || {
            for job in to_do {
                READY.fetch_add(1, Ordering::AcqRel);
                while READY.load(Ordering::Acquire) < job.threads {
                    spin_loop();
                }
                if results.send(job.run()).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(work).expect("failed to start a thread");
        Worker { jobs, done }
    }
}

impl Job {
    fn run(&self) -> Done {
        let (start, mut rounds) = (Instant::now(), 0);
        loop {
            (self.case.round)();
            rounds += 1;
            let passed = start.elapsed();
            if passed >= self.least {
                let zones = f64::from(rounds) * f64::from(ZONES);
                let ns = passed.as_nanos() as f64 / zones;
                return Done { rounds, ns };
            }
        }
    }
}

pub(crate) struct TwoThreads {
    workers: [Worker; 2],
    /// The number of the newest frame when counting began.
    since: u64,
    /// Each thread's entries since counting began, by zone name.
    entered: [BTreeMap<&'static str, u64>; 2],
}

impl TwoThreads {
    pub(crate) fn new() -> TwoThreads {
        iprof::configure(|config| config.history = HISTORY);
        TwoThreads {
            workers: NAMES.map(Worker::new),
            since: 0,
            entered: Default::default(),
        }
    }

    /// Runs rounds of a case on the first thread, or on both threads at once, for at least the time `least` and at
    /// least once. Returns the slower thread's nanoseconds per zone.
    pub(crate) fn run(&mut self, threads: usize, case: &'static Case, least: Duration) -> f64 {
        READY.store(0, Ordering::Release);
        let job = Job {
            case,
            least,
            threads,
        };
        let workers = &self.workers[..threads];
        for worker in workers {
            worker.jobs.send(job).expect("the thread has ended");
        }
        let mut slower = 0.0;
        for (worker, entered) in workers.iter().zip(&mut self.entered) {
            let Done { rounds, ns } = worker.done.recv().expect("the thread has ended");
            slower = f64::max(slower, ns);
            for &(zone, entries) in case.zones {
                *entered.entry(zone).or_default() += u64::from(rounds) * u64::from(entries);
            }
        }
        slower
    }

    pub(crate) fn start_counting(&mut self) {
        self.since = end_frame();
        self.entered = Default::default();
    }

    /// Ends a frame, and checks that each thread's entries since counting began were recorded for that thread.
    ///
    /// # Panics
    ///
    /// Panics if any entries are missing or wrong.
    pub(crate) fn check(&mut self) {
        let newest = end_frame();
        for (name, entered) in NAMES.iter().zip(&self.entered) {
            let mut recorded = BTreeMap::new();
            if let Some(thread) = thread_called(name) {
                for frame in self.since + 1..=newest {
                    add_counts(frame, thread, &mut recorded);
                }
            }
            for (zone, &entries) in entered {
                let counted = recorded.get(*zone).copied().unwrap_or(0);
                assert_eq!(
                    counted, entries,
                    "wrong number of entries in {zone} on the {name} thread"
                );
            }
        }
    }
}

fn end_frame() -> u64 {
    iprof::update(true);
    View::default()
        .graph(&iprof::profiler())
        .bars
        .back()
        .map_or(0, |bar| bar.frame)
}

fn thread_called(name: &str) -> Option<ThreadId> {
    let threads = iprof::threads();
    let thread = threads.iter().find(|thread| thread.name == name);
    thread.map(|thread| thread.id)
}

/// Adds a thread's entries in a frame, by zone name.
fn add_counts(frame: u64, thread: ThreadId, counts: &mut BTreeMap<String, u64>) {
    let mut view = View::default();
    view.show_frames(&iprof::profiler(), iprof::Frames::Number(frame));
    view.set_threads(Threads::One(thread));
    let report = view.report(&iprof::profiler());
    for row in &report.rows {
        // A recursive zone's name is followed by its depth.
        let zone = row.name.split(" (").next().unwrap_or_default();
        *counts.entry(zone.to_owned()).or_default() += row
            .value(ColumnId::Count)
            .expect("the row should have a count")
            .number as u64;
    }
}
