//! Zones in a signal handler that comes a thousand times a second, whatever the thread is doing.

#![cfg(all(feature = "enable", target_os = "linux"))]
#![allow(unsafe_code, reason = "installs a signal handler")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[path = "support/measured.rs"]
mod measured;

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn pthread_self() -> usize;
    fn pthread_kill(thread: usize, number: i32) -> i32;
}

const SIGPROF: i32 = 27;

/// How often the handler was called on a thread that works, and how often its zones were recorded.
static CALLS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static WORKS: Cell<bool> = const { Cell::new(false) };
}

extern "C" fn handler(_: i32) {
    if WORKS.get() {
        CALLS.fetch_add(1, Relaxed);
        iprof::zone!(handler);
        inner(3);
        iprof::counter!(signals);
    }
}

fn inner(depth: u32) {
    iprof::zone!(inner);
    if depth > 0 {
        inner(depth - 1);
    }
}

fn short() {
    iprof::zone!(short);
}

fn recurse(depth: u32) {
    iprof::zone!(recurse);
    if depth > 0 {
        recurse(depth - 1);
    }
}

/// Zones of every form, for some time; returns the rounds.
fn work(until: Instant) -> u64 {
    let mut rounds = 0;
    while Instant::now() < until {
        for _ in 0..1_000 {
            iprof::zone!(round);
            short();
            recurse(4);
            iprof::begin!(pair);
            iprof::end!(pair);
            iprof::counter!(things);
            rounds += 1;
        }
    }
    rounds
}

/// Entries by zone on the worker.
fn entries(thread: &str) -> std::collections::BTreeMap<String, u64> {
    iprof::update(true);
    let snapshot = iprof::snapshot();
    let mut entries = std::collections::BTreeMap::new();
    let nodes = snapshot.threads.iter().filter(|t| *t.name == *thread);
    for node in nodes.flat_map(|thread| &thread.nodes) {
        let name = snapshot.zones[node.zone as usize].name.to_string();
        *entries.entry(name).or_default() += node.entries;
    }
    entries
}

#[test]
fn zones_in_a_handler_leave_the_counts_of_what_it_interrupts_right() {
    let _alone = measured::alone();
    // SAFETY: the handler does what it may: it enters zones, on a thread that has entered some.
    unsafe { signal(SIGPROF, handler) };
    for timing in [
        iprof::Timing::Exact,
        iprof::Timing::SAMPLED,
        iprof::Timing::AUTO,
    ] {
        let name = format!("interrupted {timing:?}");
        iprof::set_timing(timing);
        iprof::update(true);
        CALLS.store(0, Relaxed);
        let (id, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
        let worked = |id: &AtomicU64, is_done: &AtomicBool| {
            {
                // The thread is registered, and knows the program's timing.
                iprof::zone!(first);
            }
            WORKS.set(true);
            // SAFETY: no precondition.
            id.store(unsafe { pthread_self() } as u64, Relaxed);
            let rounds = work(Instant::now() + Duration::from_secs(1));
            is_done.store(true, Relaxed);
            WORKS.set(false);
            // The thread stays until nobody sends signals to it.
            while id.load(Relaxed) != 0 {
                std::thread::yield_now();
            }
            rounds
        };
        let rounds = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name(name.clone());
            let thread = thread
                .spawn_scoped(scope, || worked(&id, &is_done))
                .unwrap();
            while !is_done.load(Relaxed) {
                let to = id.load(Relaxed);
                if to != 0 {
                    // SAFETY: the thread runs until `id` is 0.
                    unsafe { pthread_kill(to as usize, SIGPROF) };
                }
                std::thread::sleep(Duration::from_micros(200));
                if CALLS.load(Relaxed).is_multiple_of(16) {
                    iprof::update(true);
                }
            }
            id.store(0, Relaxed);
            thread.join().unwrap()
        });
        let calls = CALLS.load(Relaxed);
        let found = entries(&name);
        let of = |zone: &str| found.get(zone).copied().unwrap_or(0);
        assert!(calls > 100, "{calls}");
        // The handler's first zone is its own: so no entry of what it interrupts is lost.
        for (zone, expected) in [
            ("round", rounds),
            ("short", rounds),
            ("recurse", 5 * rounds),
            ("pair", rounds),
            ("things", rounds),
        ] {
            assert_eq!(of(zone), expected, "{timing:?} {zone}");
        }
        // What comes while a node is made is dropped, and all are made in the first round.
        for (zone, each) in [("handler", 1), ("inner", 4), ("signals", 1)] {
            let most = each * calls;
            assert!((most - 40..=most).contains(&of(zone)), "{timing:?} {zone}");
        }
        assert_eq!(measured::faults(), [] as [String; 0], "{timing:?}");
    }
}
