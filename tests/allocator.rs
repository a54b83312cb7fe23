//! Tests a host whose global allocator contains zones. The profiler's own allocations enter these zones, too.

#![cfg(feature = "enable")]

#[path = "support/own_program.rs"]
mod own_program;
#[path = "support/zoned.rs"]
mod zoned;

use iprof::{Snapshot, Timing};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Runs one test at a time, because each measures the whole program.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static ALLOCATOR: zoned::Zoned = zoned::Zoned;

fn work(depth: u32) -> Vec<u32> {
    iprof::zone!(work);
    let mut numbers: Vec<u32> = (0..depth).collect();
    if depth > 0 {
        numbers.append(&mut work(depth - 1));
    }
    numbers
}

#[test]
fn allocator_may_contain_zones() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let spawn = |at: usize| {
        let builder = std::thread::Builder::new().name(format!("worker {at}"));
        builder.spawn(move || {
            iprof::set_thread_name(format!("renamed {at}"));
            for _ in 0..20 {
                std::hint::black_box(work(60));
                iprof::begin!(part);
                iprof::end!(part);
            }
        })
    };
    let threads: Vec<_> = (0..8).map(|at| spawn(at).unwrap()).collect();
    for _ in 0..50 {
        iprof::update(true);
        std::hint::black_box(iprof::report());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    iprof::update(true);
    let names: Vec<String> = iprof::threads()
        .into_iter()
        .map(|thread| thread.name)
        .collect();
    for at in 0..8 {
        assert!(names.contains(&format!("renamed {at}")), "{names:?}");
    }
    let warnings = iprof::report().warnings;
    assert!(warnings.is_empty(), "{warnings:?}");
    let counted = iprof::View::default().graph(&iprof::profiler());
    assert!(
        counted
            .zones
            .iter()
            .any(|zone| &*zone.name == "allocations")
    );
}

fn entries(recorded: &Snapshot, thread: &str, zone: &str) -> u64 {
    let threads = recorded.threads.iter().filter(|t| *t.name == *thread);
    let nodes = threads.flat_map(|thread| &thread.nodes);
    let of_zone = nodes.filter(|node| *recorded.zones[node.zone as usize].name == *zone);
    of_zone.map(|node| node.entries).sum()
}

/// On one thread, calls every function that takes the profiler's locks or allocates in the profiler. Meanwhile, other
/// threads allocate.
#[test]
fn allocator_zones_are_exact_on_all_threads() {
    const WORKERS: usize = 3;
    const ROUNDS: u64 = 400;
    const DEPTH: u32 = 12;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let gate = Barrier::new(WORKERS + 1);
    let is_over = AtomicBool::new(false);
    let rounds = |count: u64| (0..count).for_each(|_| drop(std::hint::black_box(work(DEPTH))));
    let worker = |at: usize| {
        let (gate, rounds) = (&gate, &rounds);
        let builder = thread::Builder::new().name(format!("exact {at}"));
        (builder, move || {
            rounds(2);
            for _ in 0..3 {
                gate.wait();
                gate.wait();
                rounds(ROUNDS);
                gate.wait();
            }
            gate.wait();
        })
    };
    let operations: [fn(); 4] = [
        || iprof::update(true),
        || drop(iprof::dump()),
        || drop(iprof::report()),
        || drop(iprof::snapshot()),
    ];
    let recorded = thread::scope(|scope| {
        let mut recorded = Vec::new();
        for (builder, run) in (0..WORKERS).map(worker) {
            builder.spawn_scoped(scope, run).unwrap();
        }
        for operation in operations {
            let is_over = &is_over;
            scope.spawn(move || {
                while !is_over.load(Relaxed) {
                    operation();
                }
            });
        }
        for timing in [
            Timing::SAMPLED,
            Timing::Auto { budget: 1e-3 },
            Timing::Exact,
        ] {
            gate.wait();
            iprof::set_timing(timing);
            let before = iprof::snapshot();
            gate.wait();
            for change in [Timing::Exact, Timing::AUTO, timing] {
                thread::sleep(Duration::from_millis(10));
                iprof::set_timing(change);
            }
            gate.wait();
            recorded.push((timing, iprof::snapshot().since(&before)));
        }
        is_over.store(true, Relaxed);
        gate.wait();
        recorded
    });
    for (timing, recorded) in recorded {
        for at in 0..WORKERS {
            let of = |zone| entries(&recorded, &format!("exact {at}"), zone);
            let works = ROUNDS * u64::from(DEPTH + 1);
            assert_eq!(of("work"), works, "{timing:?}");
            // Empty lists allocate nothing, and each of the other lists grows at most once.
            let allocated = of("allocate");
            assert!(
                (works - ROUNDS..=2 * works).contains(&allocated),
                "{allocated}"
            );
            let pairs = ["system", "allocations"].map(of);
            assert_eq!(pairs, [allocated; 2], "{timing:?}");
        }
    }
    iprof::set_timing(Timing::Exact);
    iprof::update(true);
    let warnings = iprof::report().warnings;
    let ours = warnings.iter().filter(|line| !line.contains("counter"));
    assert_eq!(ours.count(), 0, "{warnings:?}");
    iprof::reset();
}

/// When a detached thread ends, the standard library frees the thread's name last. At that point, the allocator's zones
/// can no longer access the current thread.
#[test]
fn ending_threads_do_not_panic() {
    const TEST: &str = "ending_threads_do_not_panic";
    const CHILD: &str = "IPROF_TEST_CHILD";
    const THREADS: usize = 20;
    if std::env::var_os(CHILD).is_none() {
        let mut program = own_program::own_program();
        program
            .args(["--exact", TEST, "--nocapture"])
            .env(CHILD, "");
        let output = program.output().unwrap();
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "{out}{err}");
        assert!(out.contains("all threads ended"), "{out}{err}");
        assert!(!err.contains("panicked"), "{err}");
        return;
    }
    for at in 0..THREADS {
        let builder = thread::Builder::new().name(format!("ends {at}"));
        let run = move || {
            // Changing the timing mode also starts and ends the profiler's own threads, which have no record.
            iprof::set_timing([Timing::Exact, Timing::SAMPLED][at % 2]);
            drop(std::hint::black_box(work(3)));
        };
        drop(builder.spawn(run).unwrap());
    }
    let start = Instant::now();
    let ended = || {
        let threads = iprof::snapshot().threads.into_iter();
        let ended = threads.filter(|thread| thread.has_ended && thread.name.starts_with("ends"));
        ended.count()
    };
    while ended() < THREADS {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", ended());
        thread::sleep(Duration::from_millis(5));
    }
    // By then, each thread has returned its record, and is about to free its name.
    thread::sleep(Duration::from_millis(300));
    iprof::set_timing(Timing::Exact);
    assert_eq!(
        ended(),
        THREADS,
        "no thread should be recorded again after its end"
    );
    println!("all threads ended");
}
