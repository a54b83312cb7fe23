//! Tests threads that start and end while the timing mode changes.

use crate::measured::*;
use crate::{MODES, ON};
use iprof::{ColumnId, ThreadInfo, Threads, Timing, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const THREADS: usize = 16;
const NAMES: [&str; 4] = ["loader", "mixer", "tracer", "writer"];
const ENTERED: [&str; 5] = ["task", "descend", "pieces", "pair", "late piece"];

/// A pseudorandom number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

type Counts = BTreeMap<&'static str, u64>;

fn descend(depth: u64) {
    iprof::zone!(descend);
    if depth > 0 {
        descend(depth - 1);
    }
}

/// Enters zones for a few milliseconds at most, and returns how many times each zone was entered.
fn live(seed: u64) -> Counts {
    let mut random = Random(seed);
    let mut counts = Counts::new();
    let mut add = |zone, more| *counts.entry(zone).or_default() += more;
    for _ in 0..1 + random.below(20) {
        iprof::zone!(task);
        add("task", 1);
        for _ in 0..random.below(200) {
            let depth = random.below(6);
            descend(depth);
            add("descend", depth + 1);
            iprof::counter!(pieces);
            add("pieces", 1);
        }
        iprof::begin!(pair);
        add("pair", 1);
        if random.below(4) == 0 {
            spin(Duration::from_micros(random.below(2000)));
        } else if random.below(4) == 0 {
            std::thread::sleep(Duration::from_micros(random.below(2000)));
        }
        {
            iprof::zone!("late piece");
            add("late piece", 1);
        }
        iprof::end!(pair);
    }
    counts
}

/// Keeps sixteen threads running for 1.5 s. When a thread ends, a new thread with the same name replaces it. Meanwhile,
/// two other threads switch randomly among `modes`, and this thread calls `act` repeatedly. Returns the threads' entry
/// counts.
fn come_and_go(modes: &'static [Timing], seed: u64, mut act: impl FnMut()) -> Counts {
    let stop = Arc::new(AtomicBool::new(false));
    let changer = |at: u64| {
        let stop = Arc::clone(&stop);
        std::thread::spawn(move || {
            let mut random = Random(seed + at);
            while !stop.load(SeqCst) {
                iprof::set_timing(modes[random.below(modes.len() as u64) as usize]);
                std::thread::sleep(Duration::from_micros(random.below(4000)));
            }
        })
    };
    let changers: Vec<_> = (0..2).map(changer).collect();
    let mut lives = 0;
    let mut begin = |at: usize| {
        lives += 1;
        let seed = seed + 1000 * lives;
        let thread = std::thread::Builder::new().name(NAMES[at % NAMES.len()].into());
        thread
            .spawn(move || live(seed))
            .expect("failed to start a thread")
    };
    let mut counts = Counts::new();
    let mut end = |thread: JoinHandle<Counts>| {
        for (zone, more) in thread.join().expect("the thread panicked") {
            *counts.entry(zone).or_default() += more;
        }
    };
    let mut threads: Vec<_> = (0..THREADS).map(|at| Some(begin(at))).collect();
    let start = Instant::now();
    let mut turn = 0;
    while start.elapsed() < Duration::from_millis(1500) {
        for (at, thread) in threads.iter_mut().enumerate() {
            if thread.as_ref().is_some_and(JoinHandle::is_finished) {
                // Join the old thread first, so that it returns its record before the new thread needs one.
                thread.take().into_iter().for_each(&mut end);
                *thread = Some(begin(at));
            }
        }
        act();
        turn += 1;
        // Limit the number of frames, so that all of them can be checked quickly.
        std::thread::sleep(Duration::from_micros(500));
        if turn % 16 == 0 {
            let of_mine = |thread: &ThreadInfo| NAMES.contains(&&*thread.name);
            let mine = iprof::threads()
                .iter()
                .filter(|thread| of_mine(thread))
                .count();
            // The number of records never exceeds the number of threads that run at the same time.
            assert!(mine <= THREADS, "{:?}", iprof::threads());
        }
    }
    threads.into_iter().flatten().for_each(&mut end);
    stop.store(true, SeqCst);
    changers
        .into_iter()
        .for_each(|thread| thread.join().expect("the thread panicked"));
    assert!(lives > 2 * THREADS as u64, "too few threads ended");
    counts
}

#[test]
fn counts_are_exact_while_threads_and_timing_change() {
    let _alone = alone();
    // Each run uses the same sequence of modes, but the changes happen at different moments.
    let counts = come_and_go(&ON, 1, || iprof::update(true));
    iprof::update(true);
    let mut entered = Counts::new();
    let mut frames = BTreeSet::new();
    let main = main_thread();
    for frame in bars(main).into_keys() {
        let report = view(Threads::All, frame).report(&iprof::profiler());
        for zone in ENTERED {
            let more = value(&report, zone, ColumnId::Count);
            assert_eq!(more.fract(), 0.0);
            if more > 0.0 {
                *entered.entry(zone).or_default() += more as u64;
            }
        }
        frames.insert(frame);
    }
    assert_eq!(entered, counts);
    check_times(&frames, main);
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn times_stay_plausible_through_pauses_and_resets() {
    let _alone = alone();
    iprof::update(true);
    let main = main_thread();
    let mut turn = 0;
    let counts = come_and_go(&MODES, 2, || {
        turn += 1;
        match turn % 11 {
            3 => iprof::update(false),
            7 if turn % 3 == 0 => iprof::reset(),
            _ => iprof::update(true),
        }
        if turn % 8 == 0 {
            // Only this thread calls `update`, so nothing but the timing mode changes between these calls.
            let frames: BTreeSet<u64> = bars(main).into_keys().rev().take(3).collect();
            check_times(&frames, main);
            let mut now = View::default();
            for thread in iprof::threads() {
                now.set_threads(Threads::One(thread.id));
                for &average in iprof::Average::ALL {
                    now.average = average;
                    check_values(&now.report(&iprof::profiler()), f64::MAX);
                }
            }
        }
    });
    assert!(counts["task"] > 0);
    // Turning timing off or on within zones is not a fault, even on a thread that has only unrecorded zones.
    assert_eq!(faults(), [""; 0]);
    iprof::set_timing(Timing::Exact);
    iprof::reset();
    assert!(
        iprof::threads()
            .iter()
            .all(|thread| !NAMES.contains(&&*thread.name))
    );
}
