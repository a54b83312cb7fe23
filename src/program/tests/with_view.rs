//! Tests of `with_view`: changing the default view under its lock, from one thread and from several.
//!
//! No other test of this program uses the default view.

use crate::{act, report, with_view, write_report};
use iprof_report::ReportMode;
use iprof_report::View;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Barrier, Mutex, PoisonError};

/// Runs `test` with a new default view, while no other such test is running.
fn alone<R>(test: impl FnOnce() -> R) -> R {
    static ALONE: Mutex<()> = Mutex::new(());
    let _guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    with_view(|view| *view = View::default());
    test()
}

fn panic_of(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("the call should panic");
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .expect("the payload should be a string")
}

#[test]
fn concurrent_changes_are_not_lost() {
    const THREADS: usize = 4;
    let changes = if cfg!(miri) { 5 } else { 500 };
    alone(|| {
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    for _ in 0..changes {
                        with_view(|view| view.filter = format!("{}x", view.filter));
                    }
                });
            }
        });
        let filter = with_view(|view| view.filter.clone());
        assert_eq!(filter, "x".repeat(THREADS * changes));
    });
}

#[test]
fn with_view_returns_what_its_closure_returns() {
    alone(|| {
        let before = with_view(|view| {
            let before = view.report_mode;
            view.report_mode = ReportMode::CallTree;
            before
        });
        let after = with_view(|view| view.report_mode);
        assert_eq!(
            (before, after),
            (ReportMode::SelfTime, ReportMode::CallTree)
        );
    });
}

#[test]
fn panic_leaves_the_view_unchanged_and_usable() {
    alone(|| {
        with_view(|view| view.filter = "before".to_owned());
        let panic = panic_of(|| {
            with_view(|view| {
                view.filter = "half done".to_owned();
                panic!("of the host");
            })
        });
        assert_eq!(panic, "of the host");
        with_view(|view| {
            assert_eq!(view.filter, "before");
            view.filter = "after".to_owned();
        });
        assert_eq!(with_view(|view| view.filter.clone()), "after");
    });
}

/// A call that needs the lock must panic instead of deadlocking.
#[test]
fn nested_use_of_the_default_view_panics() {
    alone(|| {
        let needs_it: [fn(); 10] = [
            || with_view(|_| ()),
            || assert!(act(crate::Action::NextReportMode)),
            || crate::set_report_mode(ReportMode::CallTree),
            || crate::set_cursor(1),
            || crate::select(),
            || crate::move_frame(-1),
            || crate::Controls::new().act(crate::Action::NextReportMode),
            || crate::set_recursion(crate::Recursion::Spread),
            || drop(crate::snapshot()),
            || crate::update(true),
        ];
        for (at, call) in needs_it.into_iter().enumerate() {
            let panic = panic_of(|| with_view(|_| call()));
            assert!(
                panic.starts_with("called while this thread has iprof's lock"),
                "{at}: {panic}"
            );
            with_view(|view| assert_eq!(*view, View::default(), "{at}"));
        }
        // Functions that only read share the lock.
        with_view(|view| {
            let _ = (report(), write_report(std::io::sink()));
            let (profiler, same) = (crate::profiler(), crate::profiler());
            let _ = (View::default().report(&profiler), view.graph(&same));
            view.act(&profiler, crate::Action::SelectParent);
        });
        // Calls that need the lock exclusively also panic while a `profiler` guard is alive.
        let profiler = crate::profiler();
        for call in [|| drop(crate::snapshot()), || with_view(|_| ())] {
            let panic = panic_of(call);
            assert!(panic.starts_with("called while this thread has iprof's lock"));
        }
        drop(profiler);
        let kept = panic_of(|| {
            let mut kept = None;
            with_view(|_| kept = Some(crate::profiler()));
        });
        assert!(
            kept.starts_with("the guard of `profiler()` is dropped"),
            "{kept}"
        );
        drop(crate::snapshot());
    });
}
