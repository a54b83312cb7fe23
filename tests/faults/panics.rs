//! Tests zones in a panic hook, and in destructors while a panic unwinds.

use crate::children::{describe, run, task};
use crate::measured::{alone, faults};
use crate::recorded::entries;
use iprof::Format;
use std::cell::Cell;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

fn with_hook(hook: impl Fn() + Send + Sync + 'static, f: impl FnOnce()) {
    /// Serializes the tests, because a program has only one panic hook.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |_| hook()));
    f();
    panic::set_hook(before);
}

/// Enters a zone when dropped, and may catch a panic there.
struct Zoned {
    panics: bool,
}

impl Drop for Zoned {
    fn drop(&mut self) {
        iprof::zone!(in_drop);
        if self.panics {
            let caught = panic::catch_unwind(|| {
                iprof::zone!(second_panic);
                let _inner = Zoned { panics: false };
                panic!("a second panic, on purpose");
            });
            assert!(caught.is_err());
        }
        iprof::zone!(after_second);
    }
}

#[test]
fn hook_and_destructors_are_recorded_during_a_panic() {
    let _alone = alone();
    let hook = || {
        iprof::zone!(in_hook);
        // The hook runs before unwinding, so all of the profiler's functions work.
        iprof::update(true);
        let recorded = iprof::snapshot();
        assert!(!recorded.threads.is_empty());
    };
    with_hook(hook, || {
        for _ in 0..10 {
            let caught = panic::catch_unwind(AssertUnwindSafe(|| {
                iprof::zone!(panics);
                let _zoned = Zoned { panics: true };
                iprof::zone!(inner);
                panic!("on purpose");
            }));
            assert!(caught.is_err());
            iprof::zone!(afterward);
        }
    });
    iprof::update(true);
    // Each round panics twice.
    for (zone, wanted) in [
        ("panics", 10),
        ("inner", 10),
        ("in_hook", 20),
        ("in_drop", 20),
        ("second_panic", 10),
        ("after_second", 20),
        ("afterward", 10),
    ] {
        assert_eq!(entries(zone), wanted, "{zone}");
    }
    assert_eq!(faults(), Vec::<String>::new());
    // The zones were closed in order, so the next zone is a child of the root.
    let recorded = iprof::snapshot();
    let zone = |node: &iprof::SnapshotNode| &*recorded.zones[node.zone as usize].name;
    for thread in &recorded.threads {
        let mut nodes = thread.nodes.iter();
        let Some(after) = nodes.find(|node| zone(node) == "afterward") else {
            continue;
        };
        assert_eq!(after.parent, 0);
    }
}

/// Runs the test in a separate process, because a panic in the hook aborts the process.
#[test]
fn hook_may_build_reports_after_panic_in_with_view() {
    const TEST: &str = "panics::hook_may_build_reports_after_panic_in_with_view";
    if task().is_none() {
        let output = run(TEST, "hook");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    {
        iprof::zone!(recorded);
    }
    iprof::update(true);
    let hook = || {
        // Functions that only read share the lock, so they still work. Functions that modify something find no frames.
        assert!(!iprof::report().rows.is_empty());
        let mut text = Vec::new();
        iprof::write_report(&mut text).unwrap();
        assert!(String::from_utf8(text).unwrap().contains("recorded"));
        assert_eq!(iprof::snapshot().frames, 0);
        iprof::with_view(|view| view.filter = "lost".to_owned());
        iprof::move_cursor(1);
        assert!(!iprof::act(iprof::Action::MoveCursor(1)));
        iprof::update(true);
    };
    with_hook(hook, || {
        let panics: [fn(); 2] = [
            || iprof::with_view(|_| panic!("on purpose")),
            || iprof::with_view(|_| drop(iprof::snapshot())),
        ];
        for panics in panics {
            assert!(panic::catch_unwind(panics).is_err());
        }
    });
    // The view must not stay locked after the panic.
    let make_report = || assert!(!iprof::report().rows.is_empty());
    with_hook(make_report, || {
        drop(panic::catch_unwind(|| panic!("on purpose")))
    });
    assert!(iprof::report().warnings.is_empty());
}

/// A host's writer that fails or panics on each call, and counts the calls.
struct Broken<'a> {
    panics: bool,
    count: &'a Cell<u32>,
}

impl Write for Broken<'_> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        self.count.set(self.count.get() + 1);
        assert!(!self.panics, "on purpose");
        Err(io::Error::other("on purpose"))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write(&[]).map(drop)
    }
}

/// Runs the test in a separate process, because a second panic during unwinding aborts the process.
#[test]
fn panicking_writer_is_not_called_again() {
    const TEST: &str = "panics::panicking_writer_is_not_called_again";
    if task().is_none() {
        let output = run(TEST, "writers");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    for _ in 0..3 {
        iprof::zone!(recorded);
        iprof::update(true);
    }
    let recorded = iprof::snapshot();
    let mut formats = vec![
        Format::Callgrind,
        Format::Folded,
        Format::Tree,
        Format::TreeInCycles,
    ];
    #[cfg(feature = "export")]
    formats.extend([
        Format::Csv,
        Format::Gprof,
        Format::Html,
        Format::Json,
        Format::Pprof,
        Format::Speedscope,
        Format::TraceEvents,
        Format::TraceEventsGzip,
    ]);
    // `None` writes the report.
    for format in formats.into_iter().map(Some).chain([None]) {
        let write = |out: Broken<'_>| match format {
            Some(format) => format.write_with_frames(&recorded, iprof::frame_snapshots(..), out),
            None => iprof::write_report(out),
        };
        for panics in [false, true] {
            println!("{format:?}, panics: {panics}");
            let count = &Cell::new(0);
            let out = Broken { panics, count };
            let written = panic::catch_unwind(AssertUnwindSafe(|| write(out)));
            assert_eq!(written.is_err(), panics);
            assert!(!written.is_ok_and(|written| written.is_ok()));
            assert_eq!(count.get(), 1);
        }
    }
}
