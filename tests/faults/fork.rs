//! Zones, reports and profiles after `fork`, and `exec`.

use crate::children::{printed, run, run_with, said, task};
use crate::copies::{can_start_threads, end_of, fork, in_a_copy, run_and_end};
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
        if let Err(what) = in_a_copy(20, || use_the_profiler(starts)) {
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
    in_a_copy(5, copy).unwrap();
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
    in_a_copy(20, copy).unwrap();
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
    in_a_copy(20, copy).unwrap();
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

/// Endpoint, file and signal of the environment variables in a forked child.
#[cfg(all(feature = "http", feature = "signal"))]
mod environment {
    use super::{can_start_threads, entries, in_a_copy, run_with, said, task, work};
    use std::fs;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// For what comes in an instant.
    const LIMIT: Duration = Duration::from_secs(20);

    fn signal_self() {
        let kill = Command::new("sh").args(["-c", "kill -USR2 $PPID"]).status();
        assert!(kill.unwrap().success());
    }

    /// A connection on which a page is asked for.
    fn asked(address: SocketAddr, page: &str) -> TcpStream {
        let mut client = TcpStream::connect(address).unwrap();
        client.set_read_timeout(Some(LIMIT)).unwrap();
        write!(client, "GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        client
    }

    /// The answer, up to the end of the connection.
    fn answer(mut client: TcpStream) -> Vec<u8> {
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 OK"), "{answer:?}");
        answer
    }

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap();
        let name = |file: std::io::Result<fs::DirEntry>| file.unwrap().file_name();
        let mut names: Vec<String> = files.map(|f| name(f).into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn content(path: PathBuf) -> String {
        fs::read_to_string(path).unwrap()
    }

    /// Starts the test of that name with all that the environment can ask for, and returns where its
    /// files are.
    fn run_in_a_folder(test: &str, what: &str) -> PathBuf {
        let folder = format!("iprof-copy-{}-{what}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let profile = folder.join("profile.txt");
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        let variables = [
            ("IPROF_PROFILE", profile.to_str().unwrap()),
            ("IPROF_SIGNAL", "USR2"),
            ("IPROF_PORT", &port),
        ];
        let output = run_with(test, what, &variables);
        assert!(output.status.success(), "{}", said(&output));
        folder
    }

    #[test]
    fn a_copy_has_neither_the_endpoint_nor_the_signal_nor_the_file_and_the_parent_keeps_them() {
        const TEST: &str = "fork::environment::a_copy_has_neither_the_endpoint_nor_the_signal_nor_the_file_and_the_parent_keeps_them";
        if task().is_none() {
            if !can_start_threads() {
                return;
            }
            let folder = run_in_a_folder(TEST, "all");
            let found = names(&folder);
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!(found[0], "profile.0.txt");
            // The copy's has what it did since the signal.
            let ours = content(folder.join("profile.0.txt"));
            let copys = content(folder.join(&found[1]));
            assert!(found[1].ends_with(".0.txt"), "{found:?}");
            for (text, here, there) in [
                (ours, "after", "in_the_copy"),
                (copys, "in_the_copy", "after"),
            ] {
                assert!(text.contains(here) && !text.contains(there), "{text}");
                assert!(text.contains("busy") && !text.contains("before"), "{text}");
            }
            fs::remove_dir_all(&folder).unwrap();
            return;
        }
        {
            iprof::zone!(before);
        }
        let port = std::env::var("IPROF_PORT").unwrap().parse().unwrap();
        let here = SocketAddr::from(([127, 0, 0, 1], port));
        answer(asked(here, "/report"));
        // A profile begins.
        signal_self();
        std::thread::sleep(Duration::from_millis(200));
        work(3);
        let waiting = asked(here, "/debug/pprof/profile?seconds=0.4");
        let copy = || {
            // What wakes the thread that waits for signals is not in the copy.
            signal_self();
            iprof::zone!(in_the_copy);
            let own = iprof::http::serve(0).unwrap();
            let text = answer(asked(own.address(), "/dump.html"));
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains("in_the_copy"));
            assert!(iprof::http::serve(port).is_err(), "the port is the other's");
            // The other's clients are answered to the end, though the copy has their connections.
            answer(waiting);
            answer(asked(here, "/report"));
            drop(own);
            std::process::exit(0);
        };
        in_a_copy(30, copy).unwrap();
        answer(asked(here, "/debug/pprof/profile?seconds=0.1"));
        {
            iprof::zone!(after);
        }
        // And ends. Two signals at once are one.
        let folder = PathBuf::from(std::env::var("IPROF_PROFILE").unwrap());
        let written = folder.with_file_name("profile.0.txt");
        let start = Instant::now();
        signal_self();
        while !written.exists() {
            assert!(start.elapsed() < LIMIT, "nothing is written");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(entries("in_the_copy"), 0);
    }

    /// The thread that waits for signals is not in the copy, nor is whatever it has locked given back.
    #[test]
    fn a_copy_made_while_a_signals_profile_is_written_ends_at_once() {
        const TEST: &str =
            "fork::environment::a_copy_made_while_a_signals_profile_is_written_ends_at_once";
        if task().is_none() {
            if !can_start_threads() {
                return;
            }
            let folder = run_in_a_folder(TEST, "written");
            let found = names(&folder);
            assert_eq!(found, ["profile.0.txt"]);
            fs::remove_dir_all(&folder).unwrap();
            return;
        }
        fn stacks(height: u32) {
            if height > 0 {
                {
                    iprof::zone!(left);
                    stacks(height - 1);
                }
                iprof::zone!(right);
                stacks(height - 1);
            }
        }
        work(1);
        signal_self();
        std::thread::sleep(Duration::from_millis(200));
        stacks(15);
        signal_self();
        std::thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        in_a_copy(30, || std::process::exit(0)).unwrap();
        let took = start.elapsed();
        assert!(took < Duration::from_secs(4), "{took:?}");
    }
}
