//! Tests zones in a signal handler that runs up to a thousand times per second, no matter what the thread is doing.

#![cfg(all(feature = "enable", target_os = "linux"))]
#![allow(unsafe_code, reason = "installs a signal handler")]

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[path = "support/call_stack.rs"]
mod call_stack;
#[path = "support/measured.rs"]
mod measured;

use call_stack::enter;

unsafe extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn pthread_self() -> usize;
    fn pthread_kill(thread: usize, number: i32) -> i32;
}

const SIGPROF: i32 = 27;

/// How many times the handler was called on a working thread.
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

/// The minimum number of handler calls. There are at most a thousand calls per second.
const LEAST_CALLS: u64 = 1_000;
const PERIOD: Duration = Duration::from_millis(1);
/// The time limit for work that takes a second on an idle machine.
const LIMIT: Duration = Duration::from_secs(60);

/// Enters all forms of zones until the handler has been called often enough. Returns the number of rounds.
fn work() -> u64 {
    let mut rounds = 0;
    let start = Instant::now();
    while CALLS.load(Relaxed) < LEAST_CALLS && start.elapsed() < LIMIT {
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
fn handler_zones_keep_interrupted_counts_correct() {
    let _alone = measured::alone();
    // SAFETY: the handler only enters zones, which is allowed after the thread's first zone.
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
                // Register the thread, so that it switches to the timing mode.
                iprof::zone!(first);
            }
            WORKS.set(true);
            // SAFETY: `pthread_self` has no precondition.
            id.store(unsafe { pthread_self() } as u64, Relaxed);
            let rounds = work();
            is_done.store(true, Relaxed);
            WORKS.set(false);
            // The thread must stay alive until no more signals are sent to it.
            while id.load(Relaxed) != 0 {
                std::thread::yield_now();
            }
            rounds
        };
        let (mut sent, start) = (0_u64, Instant::now());
        let rounds = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name(name.clone());
            let thread = thread
                .spawn_scoped(scope, || worked(&id, &is_done))
                .unwrap();
            while !is_done.load(Relaxed) {
                let to = id.load(Relaxed);
                let (calls, start) = (CALLS.load(Relaxed), Instant::now());
                if to != 0 {
                    // SAFETY: the thread runs until `id` is 0.
                    unsafe { pthread_kill(to as usize, SIGPROF) };
                    sent += 1;
                    // Wait for the handler, because two pending signals would count as one.
                    while CALLS.load(Relaxed) == calls && !is_done.load(Relaxed) {
                        std::thread::sleep(PERIOD / 20);
                    }
                    if calls.is_multiple_of(16) {
                        iprof::update(true);
                    }
                }
                std::thread::sleep(PERIOD.saturating_sub(start.elapsed()));
            }
            id.store(0, Relaxed);
            thread.join().unwrap()
        });
        let calls = CALLS.load(Relaxed);
        let found = entries(&name);
        let of = |zone: &str| found.get(zone).copied().unwrap_or(0);
        println!("{timing:?}: {calls} calls in {:?}", start.elapsed());
        assert!(calls >= LEAST_CALLS, "{calls}");
        // The last signal may arrive after the work has been completed.
        assert!(
            (calls..=calls + 1).contains(&sent),
            "{calls} calls for {sent} signals"
        );
        // The handler's outermost zone is a separate zone, so the handler must not change the entries of the
        // interrupted zones.
        for (zone, expected) in [
            ("round", rounds),
            ("short", rounds),
            ("recurse", 5 * rounds),
            ("pair", rounds),
            ("things", rounds),
        ] {
            assert_eq!(of(zone), expected, "{timing:?} {zone}");
        }
        // A handler's zones are dropped if it interrupts the creation of a node. The first round creates all nodes, so
        // few zones are dropped.
        for (zone, each) in [("handler", 1), ("inner", 4), ("signals", 1)] {
            let most = each * calls;
            assert!((most - 40..=most).contains(&of(zone)), "{timing:?} {zone}");
        }
        let recorded = of("handler") + of("inner") + of("signals");
        assert!(recorded + missed() <= 6 * calls, "{timing:?}");
        // `reset` also clears the warnings from this timing mode.
        iprof::reset();
    }
}

/// Returns how many handler zones were not recorded. Asserts that there are no other warnings.
fn missed() -> u64 {
    const WHAT: &str = "zone in a signal handler not recorded; it interrupted the profiler while a call stack was being added: ";
    let warnings = measured::faults();
    assert!(warnings.len() < 2, "{warnings:?}");
    warnings.first().map_or(0, |warning| {
        let times = warning.strip_prefix(WHAT);
        let times = times.unwrap_or_else(|| panic!("{warning}"));
        let count = times.strip_suffix(" times").unwrap_or("1");
        count.parse().unwrap()
    })
}

/// The thread enters only new call stacks, so handlers often interrupt node creation.
#[test]
fn handler_zones_during_node_creation_are_counted() {
    let _alone = measured::alone();
    // SAFETY: as above. The thread allocates only in the profiler.
    unsafe { signal(SIGPROF, handler) };
    CALLS.store(0, Relaxed);
    let mut counted = 0;
    for attempt in 0..50 {
        let (id, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
        let name = format!("makes stacks {attempt}");
        std::thread::scope(|scope| {
            let work = || {
                {
                    iprof::zone!(first);
                }
                WORKS.set(true);
                // SAFETY: `pthread_self` has no precondition.
                id.store(unsafe { pthread_self() } as u64, Relaxed);
                (0..10_000).for_each(|path| enter(path, 20));
                is_done.store(true, Relaxed);
                WORKS.set(false);
                while id.load(Relaxed) != 0 {
                    std::thread::yield_now();
                }
            };
            let thread = std::thread::Builder::new().name(name.clone());
            thread.spawn_scoped(scope, work).unwrap();
            while !is_done.load(Relaxed) {
                let to = id.load(Relaxed);
                if to != 0 {
                    // SAFETY: the thread runs until `id` is 0.
                    unsafe { pthread_kill(to as usize, SIGPROF) };
                }
                std::thread::sleep(Duration::from_micros(50));
            }
            id.store(0, Relaxed);
        });
        iprof::update(true);
        counted = missed();
        if counted > 0 {
            break;
        }
    }
    let calls = CALLS.load(Relaxed);
    assert!(counted > 0, "{calls}");
    let recorded = iprof::snapshot();
    let nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
    let of_handler = |zone: u32| {
        let name = &*recorded.zones[zone as usize].name;
        ["handler", "inner", "signals"].contains(&name)
    };
    let entered = nodes
        .filter(|node| of_handler(node.zone))
        .map(|n| n.entries);
    let entered: u64 = entered.sum();
    // During allocations, the profiler can't detect that a zone belongs to a handler.
    let lost = 6 * calls - entered - counted;
    assert!(
        lost <= 6 * calls / 10,
        "{lost} zones lost in {calls} calls: {entered} entered, {counted} counted"
    );
}
