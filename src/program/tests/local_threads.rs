//! Tests with real threads: clocks, thread exit, thread names.

use super::local::*;
use crate::clock::{Pair, mock};
use crate::gather::local;
use crate::{begin, counter, end, zone};
use iprof_process::Profiler;
use iprof_report::ColumnId;
use iprof_report::View;
use iprof_report::query;

#[test]
fn backward_clock_adds_no_time() {
    let report = frame_of("local: clock", || {
        zone!(work);
        pass(1_000);
        mock::set(time() - 900);
        {
            zone!(part);
            mock::set(time() - 50);
        }
        pass(2_000);
    });
    assert_eq!(row(&report, "part").0, 0);
    assert_eq!(row(&report, "work").0, 1_000 - 900 - 50 + 2_000);
}

/// The counter jumps back or ahead by an hour, with zones open. No measured time may be negative or exceed the elapsed
/// time, and later frames must be correct again.
#[test]
fn counter_reset_does_not_corrupt_times() {
    const HOUR: u64 = 3_600_000_000_000;
    const FRAME: u64 = 16_000_000;
    let run = || {
        let (mut now, mut ns) = (10 * HOUR, 1_000);
        mock::set(now);
        let record = local::record().unwrap();
        let mut profiler = Profiler::new(Pair { ticks: now, ns });
        profiler.end_frame(&[record], record, Pair { ticks: now, ns }, false);
        begin!(frame);
        for frame in 0..60 {
            let jump: i64 = match frame {
                20 | 45 => -(HOUR as i64),
                30 => HOUR as i64,
                _ => 0,
            };
            {
                zone!(before);
                now += FRAME / 4;
                mock::set(now);
            }
            {
                zone!(during);
                now = now.wrapping_add_signed(jump) + FRAME / 4;
                mock::set(now);
            }
            now += FRAME / 2;
            mock::set(now);
            ns += FRAME;
            profiler.end_frame(&[record], record, Pair { ticks: now, ns }, true);
            let mut view = View::default();
            view.average = crate::Average::Newest;
            let report = query::report(&profiler, &view, None);
            let sum: f64 = report
                .rows
                .iter()
                .map(|row| row.number(ColumnId::SelfTime))
                .sum();
            assert!(
                report
                    .rows
                    .iter()
                    .all(|row| row.number(ColumnId::SelfTime) >= 0.0)
            );
            if jump >= 0 {
                assert!((sum - 16.0).abs() < 1e-6, "frame {frame}: {sum} ms");
            } else {
                assert!(sum <= 16.0, "frame {frame}: {sum} ms");
            }
            if jump == 0 {
                assert_eq!(row(&report, "before"), (FRAME / 4, 1.0));
                assert_eq!(row(&report, "during"), (FRAME / 4, 1.0));
            }
        }
        end!(frame);
    };
    std::thread::Builder::new()
        .name("local: jumps".into())
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn new_thread_inherits_counts_by_name() {
    let visits = || {
        let run = || {
            mock::set(1_000);
            {
                zone!(visit);
                pass(7);
            }
            local::record().unwrap()
        };
        let builder = std::thread::Builder::new().name("local: heir".into());
        builder.spawn(run).unwrap().join().unwrap()
    };
    let first = visits();
    let second = visits();
    assert!(std::ptr::eq(first, second));
    assert_eq!(second.node_count(), 2);
    assert_eq!(second.node(1).unwrap().totals(), (14, 2));
    assert!(!second.is_owned());
}

#[test]
fn concurrent_same_name_threads_are_separate() {
    use std::sync::Barrier;
    let barrier = std::sync::Arc::new(Barrier::new(2));
    let spawn = || {
        let barrier = barrier.clone();
        let run = move || {
            let record = local::record().unwrap();
            barrier.wait();
            std::ptr::from_ref(record) as usize
        };
        std::thread::Builder::new()
            .name("local: twins".into())
            .spawn(run)
            .unwrap()
    };
    let (a, b) = (spawn(), spawn());
    assert_ne!(a.join().unwrap(), b.join().unwrap());
}

#[test]
fn zone_in_a_thread_local_destructor_is_harmless() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            zone!(late);
            counter!(late_count);
            begin!(late_begin);
            end!(late_begin);
            crate::set_thread_name("too late");
        }
    }
    thread_local! {
        static LATE: Late = const { Late };
    }
    // A thread's locals are destroyed in no fixed order, so test a local created before the thread registers and one
    // created after.
    for before in [true, false] {
        let run = move || {
            if before {
                LATE.with(|_| ());
            }
            {
                zone!(early);
            }
            LATE.with(|_| ());
        };
        std::thread::spawn(run).join().unwrap();
    }
}

#[test]
fn thread_name_can_be_set_before_or_after_zones() {
    let before = || {
        crate::set_thread_name("local: named before");
        local::record().unwrap().name()
    };
    let after = || {
        let record = local::record().unwrap();
        crate::set_thread_name("local: named after");
        record.name()
    };
    assert_eq!(
        std::thread::spawn(before).join().unwrap(),
        "local: named before"
    );
    assert_eq!(
        std::thread::spawn(after).join().unwrap(),
        "local: named after"
    );
}

/// Reads running threads in a loop. Self times must add up to the frame on every thread, and nothing may be lost or
/// counted twice.
#[test]
fn self_times_of_running_threads_sum_to_frame() {
    use std::sync::atomic::{AtomicBool, Ordering};
    static STOP: AtomicBool = AtomicBool::new(false);
    fn fib(n: u32) -> u32 {
        zone!(fib);
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
    }
    let (send, receive) = std::sync::mpsc::channel();
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let send = send.clone();
            std::thread::spawn(move || {
                let record = local::record().unwrap();
                send.send(record).unwrap();
                let mut calls = 0u64;
                while !STOP.load(Ordering::Relaxed) {
                    zone!(round);
                    std::hint::black_box(fib(8));
                    calls += 67;
                }
                (record, calls)
            })
        })
        .collect();
    let records = [receive.recv().unwrap(), receive.recv().unwrap()];
    let epoch = std::time::Instant::now();
    let mut profiler = Profiler::new(Pair::read(epoch));
    profiler.end_frame(&records, records[0], Pair::read(epoch), true);
    for _ in 0..if cfg!(miri) { 20 } else { 2_000 } {
        profiler.end_frame(&records, records[0], Pair::read(epoch), true);
        let frame = profiler.history().newest().unwrap();
        for part in &frame.threads {
            let deltas = frame.deltas_of(part.thread);
            assert_eq!(
                deltas.iter().map(|delta| delta.ticks).sum::<u64>(),
                frame.ticks
            );
        }
    }
    STOP.store(true, Ordering::Relaxed);
    let ended: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().unwrap())
        .collect();
    profiler.end_frame(&records, records[0], Pair::read(epoch), true);
    for (record, calls) in ended {
        let thread = records
            .iter()
            .position(|r| std::ptr::eq(*r, record))
            .unwrap();
        let totals: Vec<_> = (0..record.node_count())
            .map(|n| record.node(n).unwrap().totals())
            .collect();
        let tree = profiler.threads()[thread].tree();
        let given: Vec<_> = (0..totals.len())
            .map(|node| tree.attributed_for_tests(node))
            .collect();
        let sums = |all: &[(u64, u64)]| all.iter().fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert_eq!(sums(&given), sums(&totals));
        assert!(
            given
                .iter()
                .zip(&totals)
                .all(|(given, total)| given.1 == total.1)
        );
        let nodes = profiler.threads()[thread].tree().nodes();
        let fibs: u64 = (0..nodes.len())
            .filter(|n| &**profiler.indices().name(nodes[*n].zone) == "fib")
            .map(|n| totals[n].1)
            .sum();
        assert_eq!(fibs, calls);
    }
}
