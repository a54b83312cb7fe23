//! Tests of the macros on real threads, with a clock that moves only when a test advances it.
//!
//! Each test has its own thread, record and profiler, so tests do not interfere.

use crate::clock::{Pair, mock};
use crate::gather::local;
use crate::{begin, counter, define_zone, end, zone};
use iprof_process::Profiler;
use iprof_report::View;
use iprof_report::query;
use iprof_report::{ColumnId, Report};

/// Runs `body` as one frame on a new thread named `name`, and returns the frame's report.
pub(super) fn frame_of(name: &str, body: impl FnOnce() + Send + 'static) -> Report {
    frames_of(name, vec![Box::new(body)]).pop().unwrap()
}

/// Runs each of `bodies` in turn as a frame on one thread.
pub(super) fn frames_of(name: &str, bodies: Vec<Box<dyn FnOnce() + Send>>) -> Vec<Report> {
    let run = move || {
        mock::set(1_000);
        let record = local::record().expect("failed to register the thread");
        let mut profiler = Profiler::new(Pair::both(1_000));
        let at = |ticks| Pair::both(ticks);
        profiler.end_frame(&[record], record, at(1_000), false);
        let mut view = View::default();
        view.average = crate::Average::Newest;
        bodies
            .into_iter()
            .map(|body| {
                body();
                profiler.end_frame(&[record], record, at(time()), true);
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

pub(super) fn time() -> u64 {
    crate::clock::now()
}

pub(super) fn pass(ticks: u64) {
    mock::set(time() + ticks);
}

/// Returns a zone's self time in ticks, which are nanoseconds, and its entry count.
pub(super) fn row(report: &Report, name: &str) -> (u64, f64) {
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

pub(super) fn names(report: &Report) -> Vec<&str> {
    report.rows.iter().map(|row| &*row.name).collect()
}

#[test]
fn zones_close_on_every_scope_exit() {
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
fn only_public_zones_merge() {
    let report = frame_of("local: public", || {
        for ticks in [1, 2] {
            zone!(&RAYCAST);
            pass(ticks);
        }
        {
            zone!(&self::RAYCAST);
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
        zone!();
        pass(3);
        [1, 2].iter().for_each(|_| {
            zone!();
            pass(1);
        });
    }
}

fn generic<T>(_: T) {
    zone!();
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
    // One zone is in the method, the other in its closure.
    assert_eq!(
        names(&report)
            .iter()
            .filter(|name| name.starts_with("World::step (local.rs:"))
            .count(),
        2
    );
}

#[test]
fn counter_counts_and_takes_no_time() {
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
fn begin_and_end_work_across_functions() {
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
fn unbalanced_zones_are_reported_and_harmless() {
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
            // The zones are ended in the wrong order, so the first `end!` closes both zones.
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
fn out_of_order_guard_drops_are_harmless() {
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
    // Each forgotten guard leaves its zone open, so the zones nest.
    assert_eq!(row(&report, "A (3)"), (8, 4.0));
    assert_eq!(row(&report, "(outside zones)").0, 22);
    assert_eq!(report.warnings.len(), 2);
}

#[test]
fn mutual_recursion_records_correct_times() {
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
