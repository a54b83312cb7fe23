//! Starts and ends sixteen threads at a time, while frames end, are discarded and are forgotten. Entry counts must
//! match, and memory use must not grow.
#![cfg(feature = "enable")]

#[path = "support/measured.rs"]
mod measured;

use iprof::{ThreadId, ThreadInfo, Threads, View};
use measured::{alone, bars, close, main_thread, newest_frame, view};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;
use std::time::Duration;

const THREADS: usize = 16;
const GENERATIONS: usize = 40;
const NAMES: [&str; 4] = ["loader", "mixer", "tracer", "writer"];
/// The number of frames that end while all threads of a generation run.
const WHOLE_FRAMES: usize = 3;

fn add(counts: &mut Counts, more: Counts) {
    for (zone, more) in more {
        *counts.entry(zone).or_default() += more;
    }
}

/// The ways in which a thread ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Properly,
    /// The thread ends with open zones that no guard closes.
    Open,
    /// The thread panics inside zones.
    Unwinding,
}

const ENDS: [End; 3] = [End::Properly, End::Open, End::Unwinding];

type Counts = BTreeMap<&'static str, u64>;

fn descend(depth: u64) {
    iprof::zone!(descend);
    if depth > 0 {
        descend(depth - 1);
    }
}

/// Enters zones `rounds` times.
fn work(rounds: u64) {
    for round in 0..rounds {
        iprof::zone!(round);
        descend(round % 5);
        iprof::counter!(things);
        iprof::begin!(pair);
        std::hint::black_box(round);
        iprof::end!(pair);
    }
}

/// Adds the entries of [`work`] and of the thread's end to `counts`.
fn count(counts: &mut Counts, rounds: u64, end: End) {
    let mut add = |zone, entries| *counts.entry(zone).or_default() += entries;
    add("round", rounds);
    add("descend", (0..rounds).map(|round| round % 5 + 1).sum());
    add("things", rounds);
    add("pair", rounds);
    match end {
        End::Properly => {}
        End::Open => {
            add("left open", 1);
            add("left open on it", 1);
        }
        End::Unwinding => {
            add("unwound", 1);
            add("round", 1);
        }
    }
}

fn finish(end: End) {
    match end {
        End::Properly => {}
        End::Open => {
            iprof::begin!("left open");
            iprof::begin!("left open on it");
        }
        End::Unwinding => {
            iprof::zone!(unwound);
            iprof::zone!(round);
            // `resume_unwind` prints nothing to standard error.
            std::panic::resume_unwind(Box::new("on purpose"));
        }
    }
}

struct Generation {
    threads: Vec<JoinHandle<()>>,
    ends: Vec<End>,
    /// The barrier that all threads pass once they have registered, and again when they may end.
    gate: Arc<Barrier>,
}

impl Generation {
    /// Starts the threads of generation `number`. Adds the entries that these threads will record to `counts`.
    fn start(number: usize, counts: &mut Counts) -> Generation {
        let gate = Arc::new(Barrier::new(THREADS + 1));
        let mut ends = Vec::new();
        let mut threads = Vec::new();
        for at in 0..THREADS {
            let rounds = (20 + 7 * at + number) as u64;
            // Over time, this formula combines each of the ends with each name.
            let end = ENDS[(at / NAMES.len() + at + number) % ENDS.len()];
            count(counts, rounds, End::Properly);
            count(counts, rounds, end);
            ends.push(end);
            let gate = Arc::clone(&gate);
            let run = move || {
                work(rounds);
                gate.wait();
                gate.wait();
                work(rounds);
                finish(end);
            };
            let builder = std::thread::Builder::new().name(NAMES[at % NAMES.len()].into());
            threads.push(builder.spawn(run).expect("failed to start a thread"));
        }
        Generation {
            threads,
            ends,
            gate,
        }
    }

    /// Calls `meanwhile` repeatedly until all threads have ended, and then once more. Pauses between calls leave a CPU
    /// core to the threads.
    fn end(self, mut meanwhile: impl FnMut()) {
        self.gate.wait();
        for (thread, end) in self.threads.into_iter().zip(self.ends) {
            while !thread.is_finished() {
                meanwhile();
                std::thread::sleep(Duration::from_micros(100));
            }
            // By now, a joined thread has returned its record.
            assert_eq!(thread.join().is_err(), end == End::Unwinding);
        }
        meanwhile();
    }
}

fn workers() -> Vec<ThreadInfo> {
    let mut threads = iprof::threads();
    threads.retain(|thread| NAMES.contains(&&*thread.name));
    threads
}

/// Returns the entries of this test's zones on the given threads, in all remembered frames.
fn entries(threads: Threads) -> Counts {
    let names = [
        "round",
        "descend",
        "things",
        "pair",
        "left open",
        "left open on it",
        "unwound",
    ];
    let mut counts = Counts::new();
    let bars = iprof::View::default().graph(&iprof::profiler()).bars;
    for bar in &bars {
        let rows = view(threads, bar.frame).report(&iprof::profiler()).rows;
        for row in rows {
            // The name of a recursive zone is followed by its depth in parentheses.
            let name = row.name.split(" (").next().unwrap_or_default();
            if let Some(name) = names.iter().find(|known| **known == name) {
                assert_eq!(
                    row.value(iprof::ColumnId::Count).unwrap().number.fract(),
                    0.0
                );
                *counts.entry(name).or_default() +=
                    row.value(iprof::ColumnId::Count).unwrap().number as u64;
            }
        }
    }
    counts
}

/// The results of forty generations.
struct Past {
    main: ThreadId,
    /// The entries in recorded frames.
    counts: Counts,
    /// The frames in which all threads of a generation ran from start to end.
    whole: Vec<RangeInclusive<u64>>,
}

/// Runs all generations one after the other, while frames end.
fn generations() -> Past {
    // Remember all frames, no matter how busy the machine is.
    iprof::configure(|config| config.history = 100_000);
    iprof::update(true);
    let mut past = Past {
        main: main_thread(),
        counts: Counts::new(),
        whole: Vec::new(),
    };
    for number in 0..GENERATIONS {
        // In every fifth generation, frames are discarded, along with all of their entries.
        let is_recorded = number % 5 != 3;
        let mut discarded = Counts::new();
        let counts = if is_recorded {
            &mut past.counts
        } else {
            &mut discarded
        };
        let generation = Generation::start(number, counts);
        iprof::update(is_recorded);
        generation.gate.wait();
        iprof::update(is_recorded);
        let first = newest_frame() + 1;
        for _ in 0..WHOLE_FRAMES {
            iprof::update(is_recorded);
        }
        if is_recorded {
            past.whole.push(first..=newest_frame());
        }
        generation.end(|| iprof::update(is_recorded));
        let workers = workers();
        assert_eq!(
            workers.len(),
            THREADS,
            "new threads should reuse the records of ended ones"
        );
        assert!(workers.iter().all(|thread| !thread.running));
    }
    past
}

#[test]
fn entries_of_short_lived_threads_add_up() {
    let _alone = alone();
    let counts = generations().counts;
    assert_eq!(entries(Threads::All), counts);
    // Summing by thread name must give the same result.
    let mut by_name = Counts::new();
    for name in NAMES {
        let workers = workers();
        let alike = || workers.iter().filter(|thread| thread.name == name);
        assert_eq!(alike().count(), THREADS / NAMES.len());
        let mut one_by_one = Counts::new();
        for thread in alike() {
            add(&mut one_by_one, entries(Threads::One(thread.id)));
        }
        let first = alike().next().expect("a thread should have that name");
        assert_eq!(entries(Threads::Group(first.id)), one_by_one);
        add(&mut by_name, one_by_one);
    }
    assert_eq!(by_name, counts);
}

#[test]
fn short_lived_threads_are_kept_until_a_reset() {
    let _alone = alone();
    let past = generations();
    let frames = bars(past.main);
    let sum = |thread, frame| -> f64 {
        let rows = view(Threads::One(thread), frame)
            .report(&iprof::profiler())
            .rows;
        rows.iter()
            .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
            .sum()
    };
    let mut wholes = 0;
    for thread in workers() {
        for (frame, ms) in bars(thread.id) {
            let of_main = frames[&frame];
            assert!(close(sum(thread.id, frame), ms), "frame {frame}: {ms}");
            // Threads that start or end within the frame have less time than the frame.
            assert!(
                ms <= of_main || close(ms, of_main),
                "{frame}: {ms} {of_main}"
            );
            if past.whole.iter().any(|whole| whole.contains(&frame)) {
                assert!(
                    close(ms, of_main),
                    "frame {frame}: {ms} ms, expected {of_main}"
                );
                wholes += 1;
            }
        }
    }
    assert_eq!(wholes, THREADS * WHOLE_FRAMES * past.whole.len());
    for (frame, ms) in frames {
        assert!(close(sum(past.main, frame), ms));
        let title = &view(Threads::All, frame).report(&iprof::profiler()).title[0];
        assert!(
            title.starts_with(&format!("{ms:.2} ms/frame")),
            "{ms} {title}"
        );
    }

    // Ended threads are kept until a reset.
    assert_eq!(workers().len(), THREADS);
    assert!(
        !iprof::report().warnings.is_empty(),
        "open zones should cause a warning"
    );
    iprof::reset();
    for _ in 0..3 {
        assert!(workers().is_empty());
        assert!(iprof::threads().iter().any(|thread| thread.id == past.main));
        assert!(iprof::report().warnings.is_empty());
        iprof::update(true);
    }
}

/// Two threads record and discard frames, reset, and build reports, while others start, work and end.
#[test]
fn threads_may_end_during_any_operation() {
    let _alone = alone();
    iprof::update(true);
    let main = main_thread();
    let mut step = 0usize;
    let mut act = || {
        step += 1;
        match step % 7 {
            0 => iprof::update(false),
            3 if step.is_multiple_of(3) => iprof::reset(),
            5 => {
                let mut view = View::default();
                for thread in iprof::threads() {
                    view.set_threads(Threads::Group(thread.id));
                    view.average = iprof::Average::ALL[step % 3];
                    let rows = view.report(&iprof::profiler()).rows;
                    for row in rows {
                        let number = |column| row.value(column).unwrap().number;
                        let [self_ms, hier] =
                            [iprof::ColumnId::SelfTime, iprof::ColumnId::HierarchicalTime]
                                .map(number);
                        let count = number(iprof::ColumnId::Count);
                        assert!(0.0 <= self_ms && self_ms <= hier * (1.0 + 1e-9) && 0.0 <= count);
                        assert!((0.0..=1.0).contains(&row.heat));
                    }
                }
            }
            _ => {
                iprof::update(true);
                // No thread's time may exceed the frame time.
                let frame = newest_frame();
                let of_main = bars(main)[&frame];
                for thread in iprof::threads() {
                    let ms = bars(thread.id).get(&frame).copied().unwrap_or(0.0);
                    assert!(ms <= of_main || close(ms, of_main), "{ms} {of_main}");
                }
            }
        }
    };
    for number in 0..GENERATIONS {
        let generation = Generation::start(number, &mut Counts::new());
        act();
        generation.gate.wait();
        (0..10).for_each(|_| act());
        generation.end(&mut act);
        iprof::update(true);
        assert!(workers().len() <= THREADS, "{:?}", iprof::threads());
    }
    iprof::reset();
    assert!(workers().is_empty());
}
