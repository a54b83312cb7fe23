//! Tests zones in the destructors of a host's thread-locals, which run either before or after the destructors of
//! iprof's own thread-locals.
//!
//! Some systems box thread-locals: Windows with the GNU toolchain, OpenBSD, illumos and older Android. On these
//! systems, iprof's own thread-locals may have been freed when a later destructor enters or closes a zone.

#![cfg(feature = "enable")]

use std::cell::Cell;
use std::thread::LocalKey;

/// A value whose destructor closes a zone at the end of the thread, and enters further zones.
struct Held {
    zone: Cell<Option<iprof::OpenZone>>,
    /// A thread-local that the destructor accesses. On systems that run destructors in rounds, the thread-local's
    /// destructor runs in the next round.
    next: Cell<Option<&'static LocalKey<Held>>>,
}

impl Held {
    const fn new() -> Held {
        Held {
            zone: Cell::new(None),
            next: Cell::new(None),
        }
    }

    fn hold(&self) {
        self.zone.set(Some(iprof::open_zone!(held)));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.zone.take());
        for _ in 0..3 {
            iprof::zone!(late);
            iprof::begin!(late_pair);
            iprof::counter!(late_thing);
            iprof::end!(late_pair);
        }
        let scope = iprof::recording_scope(false);
        iprof::end!(never_begun);
        drop(scope);
        let mut open = iprof::open_zone!(late_open);
        iprof::relabel!(open, late_relabeled);
        if let Some(next) = self.next.get() {
            // This call fails if that thread-local has been destroyed.
            let _ = next.try_with(Held::hold);
        }
    }
}

thread_local! {
    /// A thread-local that is created before iprof's own thread-locals.
    static EARLY: Held = const { Held::new() };
    /// A thread-local that is created after iprof's own thread-locals.
    static LATE: Held = const { Held::new() };
    /// A thread-local that is created by a destructor.
    static SECOND: Held = const { Held::new() };
}

/// The thread-locals in which a thread holds open zones. The thread creates `early` of them before its first zone, and
/// `late` of them after it.
#[derive(Clone, Copy, Debug)]
struct Case {
    early: bool,
    late: bool,
    /// Whether destructors create new thread-locals.
    again: bool,
}

fn run(case: Case) {
    if case.early {
        EARLY.with(|_| ());
    }
    {
        iprof::zone!(work);
        std::hint::black_box(());
    }
    let hold = |key: &'static LocalKey<Held>| {
        key.with(|held| {
            held.hold();
            if case.again {
                held.next.set(Some(&SECOND));
            }
        });
    };
    if case.early {
        hold(&EARLY);
    }
    if case.late {
        hold(&LATE);
    }
}

#[test]
fn thread_local_destructors_leave_one_ended_record() {
    // A boxed thread-local's key is created on first use, which may fix the order of destructors for all threads.
    std::thread::spawn(|| EARLY.with(|_| ())).join().unwrap();
    let mut names = Vec::new();
    for bits in 1..8 {
        let case = Case {
            early: bits & 1 != 0,
            late: bits & 2 != 0,
            again: bits & 4 != 0,
        };
        let name = format!("{case:?}");
        for _ in 0..3 {
            let thread = std::thread::Builder::new().name(name.clone());
            thread.spawn(move || run(case)).unwrap().join().unwrap();
        }
        names.push((name, case));
    }
    iprof::update(true);
    let recorded = iprof::snapshot();
    for (name, case) in &names {
        let has_it = |thread: &&iprof::SnapshotThread| *thread.name == **name;
        let found: Vec<_> = recorded.threads.iter().filter(has_it).collect();
        assert_eq!(found.len(), 1, "{case:?}: threads should share one record");
        let entries = |zone: &str| -> u64 {
            let of_zone =
                |node: &&iprof::SnapshotNode| *recorded.zones[node.zone as usize].name == *zone;
            let nodes = found.iter().flat_map(|thread| &thread.nodes);
            nodes.filter(of_zone).map(|node| node.entries).sum()
        };
        assert!(
            found[0].has_ended,
            "{case:?}: the record should have been given back"
        );
        assert_eq!(entries("work"), 3, "{case:?}");
        let locals = u64::from(case.early) + u64::from(case.late);
        let held = 3 * locals..=6 * locals;
        assert!(
            held.contains(&entries("held")),
            "{case:?}: {}",
            entries("held")
        );
        assert_eq!(
            entries("late") % 9,
            0,
            "{case:?}: either all or none of a destructor's zones should be recorded"
        );
    }
    // Threads from other tests may still be running.
    let mut running = iprof::threads();
    running.retain(|thread| thread.running && names.iter().any(|(name, _)| *thread.name == **name));
    assert!(running.is_empty(), "{running:?}");
}

/// Destructors registered by C code run after all Rust destructors. At that point, the standard library can no longer
/// access the current thread.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "calls the C library")]
mod c_destructors {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn pthread_key_create(key: *mut u32, at_end: extern "C" fn(*mut c_void)) -> i32;
        fn pthread_setspecific(key: u32, value: *const c_void) -> i32;
    }

    extern "C" fn at_end(_: *mut c_void) {
        iprof::zone!(in_c_destructor);
        iprof::begin!(in_c_destructor_too);
        iprof::end!(in_c_destructor_too);
        iprof::set_thread_name("too late");
    }

    /// Registers `at_end`, to be called when the current thread ends.
    fn at_thread_end() {
        let mut key = 0;
        // SAFETY: the key is valid after its creation, and the value is not null.
        unsafe {
            assert_eq!(pthread_key_create(&mut key, at_end), 0);
            assert_eq!(pthread_setspecific(key, (&raw const key).cast()), 0);
        }
    }

    #[test]
    fn zones_in_c_destructors_are_not_recorded() {
        let run = || {
            {
                iprof::zone!(before);
            }
            at_thread_end();
        };
        let thread = std::thread::Builder::new().name("with C".into());
        thread.spawn(run).unwrap().join().unwrap();
        iprof::update(true);
        let threads = iprof::snapshot().threads;
        let of_c = |name: &str| name == "with C" || name == "too late";
        let of_c: Vec<_> = threads.iter().filter(|t| of_c(&t.name)).collect();
        assert_eq!(of_c.len(), 1, "{of_c:?}");
        assert!(*of_c[0].name == *"with C" && of_c[0].has_ended);
        assert_eq!(of_c[0].nodes.len(), 2, "{of_c:?}");
    }
}
