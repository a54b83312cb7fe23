//! Zones, reports and profiles after `fork`, and `exec`.

#[cfg(all(feature = "http", feature = "signal"))]
mod environment;

use crate::children::{printed, run, run_with, said, task};
use crate::forked_children::{can_start_threads, end_of, fork, in_a_child, run_and_end};
use crate::own_program::own_program;
use crate::recorded::{entries, entries_in};
use iprof::{SamplingSession, Timing};
use std::os::unix::process::CommandExt;
use std::process::Command;
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

/// Threads that are always in the middle of something. With `starts`, some start others: then a copy can
/// start none, since the standard library has a lock for that, which it does not care for in copies.
fn busy_threads(starts: bool) -> Vec<JoinHandle<()>> {
    let jobs: [fn(u32); 8] = [
        |_| work(20),
        |_| iprof::update(true),
        |_| drop(iprof::snapshot()),
        |_| drop(iprof::report()),
        |_| iprof::with_view(|view| view.set_average(iprof::Average::Slow)),
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

/// A forked child may call everything.
fn use_the_profiler(starts: bool) {
    for _ in 0..3 {
        iprof::zone!(in_the_copy);
        work(3);
    }
    if starts {
        let thread = thread::Builder::new().name("of the copy".into()).spawn(|| {
            iprof::zone!(on_a_thread_of_the_copy);
        });
        thread.unwrap().join().unwrap();
    }
    iprof::set_thread_name("the copy");
    iprof::update(true);
    iprof::mark("in the copy");
    iprof::set_timing(Timing::SAMPLED);
    iprof::update(true);
    iprof::set_timing(Timing::Exact);
    iprof::update(true);
    let _ = iprof::report();
    iprof::select();
    let _ = iprof::dump();
    let recorded = iprof::snapshot();
    assert_eq!(entries_in(&recorded, "in_the_copy"), 3);
    let on_a_thread = entries_in(&recorded, "on_a_thread_of_the_copy");
    assert_eq!(on_a_thread, u64::from(starts));
    assert_eq!(entries_in(&recorded, "before_the_copy"), 1);
    // The threads that are not in the copy have ended.
    let threads = iprof::threads().into_iter();
    let running: Vec<String> = threads.filter(|t| t.running).map(|t| t.name).collect();
    assert_eq!(running, ["the copy"]);
    // Nothing goes on in them.
    let busy = entries("busy");
    assert_eq!(entries("busy"), busy);
    iprof::reset();
    iprof::update(true);
}

#[test]
fn a_copy_of_a_busy_process_can_do_everything_with_its_profiler() {
    const TEST: &str = "fork::a_copy_of_a_busy_process_can_do_everything_with_its_profiler";
    let Some(what) = task() else {
        if !can_start_threads() {
            return;
        }
        for what in ["the copy starts threads", "others start threads"] {
            let output = run(TEST, what);
            assert!(output.status.success(), "{what}: {}", said(&output));
        }
        return;
    };
    {
        iprof::zone!(before_the_copy);
    }
    let starts = what == "the copy starts threads";
    let threads = busy_threads(!starts);
    for copy in 0..30 {
        // Not always at the same moment of what the others do.
        thread::sleep(std::time::Duration::from_micros(copy * 37 % 1_000));
        if let Err(what) = in_a_child(20, || use_the_profiler(starts)) {
            panic!("copy {copy}: {what}");
        }
        work(1);
    }
    // The parent process is unaffected.
    END.store(true, Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    iprof::update(true);
    assert_eq!(entries("before_the_copy"), 1);
}

/// The copy is in the closure, too, and leaves it.
#[test]
fn a_copy_made_while_the_default_view_is_changed_can_do_everything() {
    const TEST: &str = "fork::a_copy_made_while_the_default_view_is_changed_can_do_everything";
    if task().is_none() {
        let output = run(TEST, "fork");
        assert!(output.status.success(), "{}", said(&output));
        return;
    }
    {
        iprof::zone!(before_the_copy);
    }
    iprof::update(true);
    let start = std::time::Instant::now();
    let copy = iprof::with_view(|view| {
        view.set_filter("copy");
        fork()
    });
    // Nothing has waited for the lock of this thread.
    let took = start.elapsed();
    let filter = iprof::with_view(|view| view.filter().to_owned());
    if copy == 0 {
        run_and_end(20, || {
            assert_eq!(filter, "copy");
            use_the_profiler(false);
        });
    }
    assert_eq!(end_of(copy), Ok(()));
    assert_eq!(filter, "copy");
    assert!(took.as_secs() < 2, "{took:?}");
}

/// While another thread is in the program's first zone.
#[test]
fn a_copy_made_in_the_profilers_first_moment_can_do_everything() {
    const TEST: &str = "fork::a_copy_made_in_the_profilers_first_moment_can_do_everything";
    if task().is_none() {
        for _ in 0..40 {
            let output = run(TEST, "fork");
            assert!(output.status.success(), "{}", said(&output));
        }
        return;
    }
    // What is made once is being made by them.
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
    let copy = || {
        iprof::update(true);
        let _ = iprof::report();
        let _ = iprof::snapshot();
    };
    in_a_child(5, copy).unwrap();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_copy_goes_on_with_a_sampler_of_its_own() {
    const TEST: &str = "fork::a_copy_goes_on_with_a_sampler_of_its_own";
    if task().is_none() {
        if !can_start_threads() {
            return;
        }
        let output = run(TEST, "fork");
        assert!(output.status.success(), "{}", said(&output));
        return;
    }
    iprof::set_timing(Timing::Sampled { hz: 1_000.0 });
    let mut session = Some(SamplingSession::start(1_000.0).unwrap());
    work(3);
    iprof::update(true);
    let copy = || {
        // The session's sampler is not in the copy: what it found is lost, and nothing waits for it.
        // The session has ended in the copy, even one that a lost thread has.
        let another = SamplingSession::start(1_000.0).unwrap();
        let session = session.take().unwrap();
        assert_eq!(session.finish().samples, 0);
        assert!(SamplingSession::start(1_000.0).is_err(), "another goes on");
        drop(another);
        iprof::reset();
        let samples = || {
            let recorded = iprof::snapshot();
            let nodes = recorded.threads.iter().flat_map(|thread| &thread.nodes);
            nodes.map(|node| node.samples).sum::<u64>()
        };
        let start = std::time::Instant::now();
        while samples() == 0 {
            assert!(start.elapsed().as_secs() < 15, "nothing is sampled");
            work(10);
            iprof::update(true);
        }
    };
    in_a_child(20, copy).unwrap();
}

#[test]
fn a_copy_that_ends_writes_its_own_profile() {
    const TEST: &str = "fork::a_copy_that_ends_writes_its_own_profile";
    let folder = std::env::temp_dir().join(format!("iprof-fork-{}", std::process::id()));
    if task().is_none() {
        if !can_start_threads() {
            return;
        }
        std::fs::create_dir_all(&folder).unwrap();
        let profile = folder.join("profile.%p.txt");
        let variables = [("IPROF_PROFILE", profile.to_str().unwrap())];
        let output = run_with(TEST, "fork", &variables);
        assert!(output.status.success(), "{}", said(&output));
        let files = std::fs::read_dir(&folder).unwrap();
        let text = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let texts: Vec<String> = text.collect();
        assert_eq!(texts.len(), 2);
        assert_eq!(
            texts
                .iter()
                .filter(|text| text.contains("in_the_end"))
                .count(),
            1
        );
        assert!(texts.iter().all(|text| text.contains("busy")));
        std::fs::remove_dir_all(&folder).unwrap();
        return;
    }
    // Before the threads: what the environment asks for has begun then.
    work(3);
    let threads = busy_threads(false);
    let copy = || {
        iprof::zone!(in_the_end);
        std::process::exit(0);
    };
    in_a_child(20, copy).unwrap();
    END.store(true, Relaxed);
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

#[test]
fn another_program_in_the_place_of_this_one_begins_anew() {
    const TEST: &str = "fork::another_program_in_the_place_of_this_one_begins_anew";
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
            // As another program is started from a copy, and then in the place of this one.
            for _ in 0..20 {
                let mut other = Command::new("true");
                let nothing = || Ok(());
                #[allow(unsafe_code, reason = "has the standard library use `fork`")]
                // SAFETY: it does nothing.
                unsafe {
                    other.pre_exec(nothing);
                }
                assert!(other.status().unwrap().success());
            }
            let mut next = own_program();
            next.args(std::env::args().skip(1));
            panic!("{}", next.env("IPROF_TEST_CHILD", "second").exec());
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
