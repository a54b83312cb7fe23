//! Tests zones that are entered at the end of a thread, and after the end of `main`.
#![allow(unsafe_code, reason = "only the C library can run code after `main`")]

use crate::children::{printed, task};
use crate::measured::alone;
use crate::recorded::{entries, entries_in};
use std::cell::Cell;
use std::ffi::c_int;
use std::thread;

/// Enters zones when its thread ends.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        for _ in 0..3 {
            iprof::zone!(at_thread_end);
            iprof::begin!(at_thread_end_too);
            iprof::counter!(counted_at_thread_end);
            iprof::end!(at_thread_end_too);
        }
        iprof::set_thread_name("renamed at its end");
        iprof::mark("a thread ended");
        let _ = iprof::is_recording();
        iprof::update(true);
        let _ = iprof::snapshot();
    }
}

thread_local! {
    static AT_END: Cell<Option<AtEnd>> = const { Cell::new(None) };
}

/// Whether the destructor runs before or after the profiler's own destructor depends on the order in which the two were
/// registered. On some systems, the order is arbitrary. Both orders must work. Zones entered after the thread has
/// returned its record are not recorded.
#[test]
fn thread_local_destructors_are_recorded() {
    let _alone = alone();
    let run = |is_first: bool| {
        let thread = thread::Builder::new().name("ends".into()).spawn(move || {
            if is_first {
                AT_END.set(Some(AtEnd));
            }
            {
                iprof::zone!(before_thread_end);
            }
            AT_END.set(Some(AtEnd));
            // Setting a new value drops the previous one while the thread still runs, so its zones are recorded.
        });
        thread.unwrap().join().unwrap();
    };
    run(false);
    assert_eq!(entries("before_thread_end"), 1);
    let once = entries("at_thread_end");
    if cfg!(target_os = "linux") {
        assert_eq!(once, 3, "the destructor registered last should run first");
    }
    assert!(once == 0 || once == 3, "{once}");
    // Now the value's destructor is registered first, and the value is replaced while the thread runs.
    run(true);
    let both = entries("at_thread_end") - once;
    assert!(both == 3 || both == 6, "{both}");
    assert_eq!(entries("before_thread_end"), 2);
    // Start a thread that enters its first zones in the destructor.
    thread::spawn(|| AT_END.set(Some(AtEnd))).join().unwrap();
    let recorded = iprof::snapshot();
    let owned = recorded.threads.iter().filter(|thread| !thread.has_ended);
    // A thread that has ended owns no record.
    for thread in owned {
        assert!(!["ends", "renamed at its end"].contains(&&*thread.name));
    }
    let running = iprof::threads().into_iter().filter(|thread| thread.running);
    let names: Vec<String> = running.map(|thread| thread.name).collect();
    assert!(!names.contains(&"ends".to_owned()), "{names:?}");
    assert_eq!(entries_in(&recorded, "before_thread_end"), 2);
}

unsafe extern "C" {
    // SAFETY: ISO C declares `atexit` with this signature.
    safe fn atexit(function: extern "C" fn()) -> c_int;
}

extern "C" fn after_main() {
    {
        iprof::zone!(after_main);
        iprof::begin!(after_main_too);
        iprof::end!(after_main_too);
    }
    // `update` does nothing on a thread whose thread-locals have been destroyed.
    iprof::update(true);
    let _ = iprof::report();
    let recorded = iprof::snapshot();
    // The test harness hasn't ended its line yet.
    println!();
    println!("before: {}", entries_in(&recorded, "before_main_ends"));
    println!("after: {}", entries_in(&recorded, "after_main"));
    println!("dump: {}", iprof::dump().contains("before_main_ends"));
    let thread = thread::spawn(|| {
        iprof::zone!(thread_after_main);
        iprof::update(true);
    });
    thread.join().unwrap();
    println!("thread: {}", entries("thread_after_main"));
    println!("report: {}", iprof::report().rows.len() > 1);
}

#[test]
fn all_functions_may_be_called_after_main() {
    const TEST: &str = "ends::all_functions_may_be_called_after_main";
    match task().as_deref() {
        None => {
            for what in ["returns", "exits"] {
                let lines = printed(TEST, what);
                let has = |line: &str| lines.iter().any(|found| found == line);
                // On Windows, the program exits through a system function, so the C library calls no handlers.
                if cfg!(windows) && what == "exits" {
                    assert!(!has("before: 1"), "{lines:?}");
                    continue;
                }
                for line in ["before: 1", "report: true", "dump: true", "thread: 1"] {
                    assert!(has(line), "{what}: {line}: {lines:?}");
                }
                // The thread-local destructors of the exiting thread may already have run.
                assert!(has("after: 1") || has("after: 0"), "{what}: {lines:?}");
                // glibc's `exit` runs the thread-local destructors of the calling thread, which had entered zones. The
                // thread that returns from `main` had entered no zones.
                let after = match what {
                    "exits" => "after: 0",
                    _ => "after: 1",
                };
                let is_known = cfg!(all(target_os = "linux", target_env = "gnu"));
                assert!(!is_known || has(after), "{what}: {lines:?}");
            }
        }
        Some(what) => {
            atexit(after_main);
            {
                iprof::zone!(before_main_ends);
            }
            if what == "exits" {
                std::process::exit(0);
            }
        }
    }
}
