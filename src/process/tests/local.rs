//! Tests of the macros on real threads, with a clock that stands still until a test moves it.
//!
//! Each test has its own thread and row, and its own profiler, so tests do not interfere.

use crate::clock::{Pair, mock};
use crate::gather::local;
use crate::process::frame::profiler::Profiler;
use crate::process::query;
use crate::process::view::View;
use crate::report::{ColumnId, Report};
use crate::{begin, counter, define_zone, end, scope, zone, zone_fn};

/// Runs `body` on a thread with that name as one frame; returns the frame's report.
fn frame_of(name: &str, body: impl FnOnce() + Send + 'static) -> Report {
    frames_of(name, vec![Box::new(body)]).pop().unwrap()
}

/// Runs `bodies` one after the other as frames of one thread.
fn frames_of(name: &str, bodies: Vec<Box<dyn FnOnce() + Send>>) -> Vec<Report> {
    let run = move || {
        mock::set(1_000);
        let record = local::record().expect("a thread that runs can register");
        let mut profiler = Profiler::new(Pair::both(1_000));
        let at = |ticks| Pair::both(ticks);
        profiler.update(&[record], record, at(1_000), false);
        let mut view = View::new();
        view.set_average(crate::Average::Newest);
        bodies
            .into_iter()
            .map(|body| {
                body();
                profiler.update(&[record], record, at(time()), true);
                query::report(&profiler, &view, None)
            })
            .collect()
    };
    std::thread::Builder::new()
        .name(name.into())
        .spawn(run)
        .unwrap()
        .join()
        .unwrap()
}

fn time() -> u64 {
    crate::clock::now()
}

fn pass(ticks: u64) {
    mock::set(time() + ticks);
}

/// Self ticks and entries of a zone; a tick is a nanosecond.
fn row(report: &Report, name: &str) -> (u64, f64) {
    let rows: Vec<_> = report
        .rows
        .iter()
        .filter(|row| &*row.name == name)
        .collect();
    assert_eq!(rows.len(), 1, "{name} in {:?}", names(report));
    (
        (rows[0].number(ColumnId::SelfTime) * 1e6).round() as u64,
        rows[0].number(ColumnId::Count),
    )
}

fn names(report: &Report) -> Vec<&str> {
    report.rows.iter().map(|row| &*row.name).collect()
}

#[test]
fn scopes_are_measured_to_their_end_however_they_end() {
    fn early(leave: bool) -> Option<()> {
        zone!(early);
        pass(10);
        if leave {
            return None;
        }
        {
            zone!("inner part");
            pass(100);
        }
        None?;
        pass(1_000_000);
        Some(())
    }
    let report = frame_of("local: scopes", || {
        early(true);
        early(false);
        pass(5);
    });
    assert_eq!(row(&report, "early"), (20, 2.0));
    assert_eq!(row(&report, "inner part"), (100, 1.0));
    assert_eq!(row(&report, "(outside zones)").0, 5);
    assert!(report.warnings.is_empty());
}

#[test]
fn unwinding_closes_zones() {
    let report = frame_of("local: unwinding", || {
        let panicked = std::panic::catch_unwind(|| {
            zone!(outer);
            pass(1);
            zone!(inner);
            pass(2);
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(panicked.is_err());
        pass(4);
    });
    assert_eq!(row(&report, "outer"), (1, 1.0));
    assert_eq!(row(&report, "inner"), (2, 1.0));
    assert_eq!(row(&report, "(outside zones)").0, 4);
    assert!(report.warnings.is_empty());
}

define_zone!(RAYCAST, "ray cast");

#[test]
fn a_public_zone_is_one_zone_and_private_zones_of_one_name_are_two() {
    let report = frame_of("local: public", || {
        for ticks in [1, 2] {
            scope!(RAYCAST);
            pass(ticks);
        }
        {
            scope!(self::RAYCAST);
            pass(4);
        }
        {
            zone!(twin);
            pass(8);
        }
        {
            zone!(twin);
            pass(16);
        }
    });
    assert_eq!(row(&report, "ray cast"), (7, 3.0));
    let twins = names(&report);
    let twins = twins
        .iter()
        .filter(|name| name.starts_with("twin (local.rs:"));
    assert_eq!(twins.count(), 2);
}

struct World;

impl World {
    fn step(&self) {
        zone_fn!();
        pass(3);
        [1, 2].iter().for_each(|_| {
            zone_fn!();
            pass(1);
        });
    }
}

fn generic<T>(_: T) {
    zone_fn!();
    pass(1);
}

#[test]
fn function_zones_are_named_after_their_functions() {
    let report = frame_of("local: functions", || {
        World.step();
        generic(1u8);
        generic("two");
    });
    assert_eq!(row(&report, "generic"), (2, 2.0));
    // The method's own zone, and that of the closure in it.
    assert_eq!(
        names(&report)
            .iter()
            .filter(|name| name.starts_with("World::step (local.rs:"))
            .count(),
        2
    );
}

#[test]
fn a_counter_counts_and_takes_no_time() {
    let report = frame_of("local: counter", || {
        zone!(work);
        for _ in 0..5 {
            counter!(things);
            pass(2);
        }
    });
    assert_eq!(row(&report, "things"), (0, 5.0));
    assert_eq!(row(&report, "work"), (10, 1.0));
}

#[test]
fn begin_and_end_need_no_scope() {
    fn open() {
        begin!(loading);
        pass(1);
    }
    let report = frame_of("local: begin", || {
        open();
        pass(2);
        begin!(&RAYCAST);
        pass(4);
        end!(&RAYCAST);
        end!(loading);
        begin!("by any name");
        pass(8);
        end!();
        pass(16);
    });
    assert_eq!(row(&report, "loading"), (3, 1.0));
    assert_eq!(row(&report, "ray cast"), (4, 1.0));
    assert_eq!(row(&report, "by any name"), (8, 1.0));
    assert_eq!(row(&report, "(outside zones)").0, 16);
    assert!(report.warnings.is_empty());
}

#[test]
fn forgotten_guards_and_ends_without_begins_are_reported_and_harmless() {
    let report = frame_of("local: faults", || {
        {
            zone!(outer);
            begin!(forgotten);
            pass(1);
        }
        pass(2);
        end!(never_begun);
        end!(&RAYCAST);
        {
            zone!(outer_again);
            begin!(a);
            begin!(b);
            pass(4);
            // The wrong order: closes both.
            end!(a);
            end!(b);
            pass(8);
        }
    });
    assert_eq!(row(&report, "forgotten"), (1, 1.0));
    assert_eq!(row(&report, "b"), (4, 1.0));
    assert_eq!(row(&report, "outer_again"), (8, 1.0));
    assert_eq!(row(&report, "(outside zones)").0, 2);
    let here = file!();
    let [left_open, without_begin] = &report.warnings[..] else {
        panic!("{:?}", report.warnings);
    };
    let expected = "zone still open when its parent ended; closed implicitly: 2 times, last b";
    assert!(
        left_open.starts_with(&format!("{expected} ({here}:")),
        "{left_open}"
    );
    let expected = "`end!` without a matching `begin!`; ignored: 3 times, last b";
    assert!(
        without_begin.starts_with(&format!("{expected} ({here}:")),
        "{without_begin}"
    );
}

#[test]
fn guards_dropped_in_the_wrong_order_are_harmless() {
    use crate::__private::{Site, enter};
    static A: crate::Zone = crate::Zone::new("A", "", 0, "");
    static B: crate::Zone = crate::Zone::new("B", "", 0, "");
    let report = frame_of("local: order", || {
        thread_local! {
            static SITE_A: Site = const { Site::new() };
            static SITE_B: Site = const { Site::new() };
        }
        let a = enter(&SITE_A, &A);
        let b = enter(&SITE_B, &B);
        pass(1);
        drop(a);
        pass(2);
        drop(b);
        pass(4);
        for _ in 0..3 {
            std::mem::forget(enter(&SITE_A, &A));
        }
        pass(8);
        end!();
        end!();
        end!();
        pass(16);
    });
    assert_eq!(row(&report, "B"), (1, 1.0));
    // Forgotten guards nest.
    assert_eq!(row(&report, "A (3)"), (8, 4.0));
    assert_eq!(row(&report, "(outside zones)").0, 22);
    assert_eq!(report.warnings.len(), 2);
}

#[test]
fn a_helper_with_many_callers_and_mutual_recursion_keep_their_nodes() {
    fn helper() {
        zone!(helper);
        pass(1);
    }
    fn even(n: u32) {
        zone!(even);
        pass(10);
        helper();
        if n > 0 {
            odd(n - 1);
            helper();
        }
    }
    fn odd(n: u32) {
        zone!(odd);
        pass(100);
        helper();
        if n > 0 {
            even(n - 1);
        }
    }
    let report = frame_of("local: recursion", || {
        for _ in 0..3 {
            even(4);
            helper();
            odd(3);
        }
    });
    assert_eq!(row(&report, "even (3)"), (3 * 50, 15.0));
    assert_eq!(row(&report, "odd (2)"), (3 * 400, 12.0));
    assert_eq!(row(&report, "helper").1, 3.0 * (7.0 + 1.0 + 5.0));
}

#[test]
fn a_clock_that_goes_back_a_little_adds_no_time() {
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

/// Counters that are set back or jump ahead by an hour, with zones open, now and then: no time is
/// negative, none exceeds the elapsed time, and afterward all frames are right again.
#[test]
fn a_counter_that_is_reset_adds_no_absurd_time() {
    const HOUR: u64 = 3_600_000_000_000;
    const FRAME: u64 = 16_000_000;
    let run = || {
        let (mut now, mut ns) = (10 * HOUR, 1_000);
        mock::set(now);
        let record = local::record().unwrap();
        let mut profiler = Profiler::new(Pair { ticks: now, ns });
        profiler.update(&[record], record, Pair { ticks: now, ns }, false);
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
            profiler.update(&[record], record, Pair { ticks: now, ns }, true);
            let mut view = View::new();
            view.set_average(crate::Average::Newest);
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
fn a_thread_that_ends_leaves_its_counts_to_the_next_of_its_name() {
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
fn two_threads_of_one_name_at_the_same_time_are_separate() {
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
fn a_zone_in_a_destructor_at_the_end_of_its_thread_is_harmless() {
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
    // The order in which a thread's locals are destroyed is not fixed: one is created before the thread
    // registers, one after.
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
fn the_name_given_before_or_after_the_first_zone_is_the_threads_name() {
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

/// Running threads that are read all the time: every frame's self times sum to the frame, on every
/// thread, and in the end nothing is lost or counted twice.
#[test]
fn frames_of_running_threads_sum_to_the_frame_and_lose_nothing() {
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
    profiler.update(&records, records[0], Pair::read(epoch), true);
    for _ in 0..2_000 {
        profiler.update(&records, records[0], Pair::read(epoch), true);
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
    profiler.update(&records, records[0], Pair::read(epoch), true);
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
