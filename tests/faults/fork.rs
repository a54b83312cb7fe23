//! Tests zones, reports and profiles after `fork` and `exec`.

#[cfg(feature = "http")]
mod environment;

use crate::children::{describe, printed, run, task};
use crate::forked_children::{can_start_threads, end_of, fork, run_and_exit, run_in_fork};
use crate::own_program::own_program;
use crate::recorded::entries;
use iprof::{SamplingSession, Timing};
use std::os::unix::process::CommandExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

static END: AtomicBool = AtomicBool::new(false);
static BEGUN: AtomicUsize = AtomicUsize::new(0);

fn work(depth: u32) {
    iprof::zone!(busy);
    if depth > 0 {
        work(depth - 1);
    }
}

/// Starts threads that constantly use the profiler. With `starts`, one of them also starts further threads. A forked
/// child then can't start threads, because another thread may have held the standard library's lock for starting
/// threads during the fork.
fn busy_threads(starts: bool) -> Vec<JoinHandle<()>> {
    let jobs: [fn(u32); 8] = [
        |_| work(20),
        |_| iprof::update(true),
        |_| drop(iprof::snapshot()),
        |_| drop(iprof::report()),
        |_| iprof::with_view(|view| view.average = iprof::Average::Slow),
        |round| iprof::set_thread_name(format!("busy {}", round % 5)),
        |round| {
            let timings = [Timing::Exact, Timing::SAMPLED, Timing::AUTO];
            iprof::set_timing(timings[round as usize % 3]);
        },
        |round| {
            let name = format!("brief {}", round % 3);
            let thread = thread::Builder::new().name(name).spawn(|| work(3));
            thread.unwrap().join().unwrap();
        },
    ];
    let spawn = |job: fn(u32)| {
        thread::spawn(move || {
            BEGUN.fetch_add(1, Relaxed);
            iprof::zone!(at_work);
            for round in 0.. {
                job(round);
                work(2);
                if END.load(Relaxed) {
                    break;
                }
            }
        })
    };
    let count = if starts { 8 } else { 7 };
    let threads = jobs.into_iter().take(count).map(spawn).collect();
    while BEGUN.load(Relaxed) < count {
        thread::yield_now();
    }
    threads
}

/// Calls all of the profiler's functions in a child, where nothing is recorded.
fn use_the_profiler(starts: bool) {
    work(3);
    if starts {
        let thread = thread::Builder::new().name("of the child".into());
        thread.spawn(|| work(3)).unwrap().join().unwrap();
    }
    iprof::register_thread();
    iprof::set_thread_name("the child");
    iprof::mark("in the child");
    for timing in [Timing::SAMPLED, Timing::AUTO, Timing::Exact] {
        iprof::set_timing(timing);
        iprof::update(true);
        work(3);
    }
    assert!(SamplingSession::start(1_000.0).is_err());
    iprof::with_view(|view| view.filter = "child".to_owned());
    iprof::select();
    let _ = iprof::dump();
    iprof::update(true);
    assert!(iprof::report().rows.is_empty());
    assert!(iprof::threads().is_empty());
    assert!(iprof::snapshot().threads.is_empty());
    iprof::reset();
    iprof::update(true);
}

#[test]
fn fork_child_of_busy_process_may_call_everything() {
    const TEST: &str = "fork::fork_child_of_busy_process_may_call_everything";
    let Some(what) = task() else {
        if !can_start_threads() {
            return;
        }
        for what in ["the child starts threads", "others start threads"] {
            let output = run(TEST, what);
            assert!(output.status.success(), "{what}: {}", describe(&output));
        }
        return;
    };
    {
        iprof::zone!(before_the_fork);
    }
    let starts = what == "the child starts threads";
    let threads = busy_threads(!starts);
    for child in 0..30 {
        // Fork at a different point in the threads' work each time.
        thread::sleep(std::time::Duration::from_micros(child * 37 % 1_000));
        if let Err(what) = run_in_fork(20, || use_the_profiler(starts)) {
            panic!("child {child}: {what}");
        }
        work(1);
    }
    // The parent process is unaffected.
    END.store(true, Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    iprof::update(true);
    assert_eq!(entries("before_the_fork"), 1);
}

/// Forks inside a closure that the child also returns from.
#[test]
fn fork_child_of_with_view_may_call_everything() {
    const TEST: &str = "fork::fork_child_of_with_view_may_call_everything";
    if task().is_none() {
        let output = run(TEST, "fork");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    work(1);
    let start = std::time::Instant::now();
    let child = iprof::with_view(|view| {
        view.filter = "before".to_owned();
        fork()
    });
    // The lock held by this thread must not have delayed the fork.
    let took = start.elapsed();
    if child == 0 {
        run_and_exit(20, || use_the_profiler(false));
    }
    assert_eq!(end_of(child), Ok(()));
    iprof::with_view(|view| assert_eq!(view.filter, "before"));
    assert!(took.as_secs() < 2, "{took:?}");
}

/// Forks while other threads are entering the program's first zones.
#[test]
fn fork_child_of_first_zone_may_call_everything() {
    const TEST: &str = "fork::fork_child_of_first_zone_may_call_everything";
    if task().is_none() {
        for _ in 0..40 {
            let output = run(TEST, "fork");
            assert!(output.status.success(), "{}", describe(&output));
        }
        return;
    }
    // The calls in `first` create the program's global state.
    let first = || {
        work(3);
        drop(iprof::snapshot());
        iprof::update(true);
    };
    work(1);
    let threads = [(); 3].map(|()| thread::spawn(first));
    thread::sleep(std::time::Duration::from_micros(
        u64::from(std::process::id()) * 37 % 500,
    ));
    run_in_fork(5, || use_the_profiler(false)).unwrap();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn fork_child_of_unprofiled_process_records() {
    const TEST: &str = "fork::fork_child_of_unprofiled_process_records";
    if task().is_none() {
        let output = run(TEST, "fork");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    let child = || {
        work(0);
        assert_eq!(entries("busy"), 1);
    };
    run_in_fork(20, child).unwrap();
}

#[test]
fn fork_child_has_no_sampling_profile() {
    const TEST: &str = "fork::fork_child_has_no_sampling_profile";
    if task().is_none() {
        let output = run(TEST, "fork");
        assert!(output.status.success(), "{}", describe(&output));
        return;
    }
    let session = SamplingSession::start(1_000.0).unwrap();
    work(3);
    let child = fork();
    if child == 0 {
        run_and_exit(20, || assert_eq!(session.finish().samples, 0));
    }
    assert_eq!(end_of(child), Ok(()));
    iprof::zone!(after_the_fork);
    thread::sleep(std::time::Duration::from_millis(200));
    assert!(session.finish().samples > 0);
}

#[test]
fn program_after_exec_records() {
    const TEST: &str = "fork::program_after_exec_records";
    match task().as_deref() {
        None => {
            let lines = printed(TEST, "first");
            let has = |line: &str| lines.iter().any(|found| found == line);
            assert!(has("before: 0") && has("after: 1"), "{lines:?}");
        }
        Some("first") => {
            let _threads = busy_threads(true);
            {
                iprof::zone!(before_exec);
            }
            iprof::set_timing(Timing::SAMPLED);
            let next = || {
                let mut next = own_program();
                next.args(std::env::args().skip(1));
                next.env("IPROF_TEST_CHILD", "second");
                next
            };
            // First run the other program in child processes. Then let it replace this process.
            for _ in 0..20 {
                let mut other = next();
                let nothing = || Ok(());
                #[allow(
                    unsafe_code,
                    reason = "`pre_exec` makes the standard library use `fork`"
                )]
                // SAFETY: the function does nothing.
                unsafe {
                    other.pre_exec(nothing);
                }
                let output = other.output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(text.contains("after: 1"), "{text}");
            }
            panic!("{}", next().exec());
        }
        Some(_) => {
            {
                iprof::zone!(after_exec);
            }
            println!();
            println!("before: {}", entries("before_exec"));
            println!("after: {}", entries("after_exec"));
        }
    }
}
