//! A memory limit on the process (`RLIMIT_AS`), with every part of the profiler in use.

use crate::address_space::can_be_limited;
use crate::call_stack::enter;
use crate::children::{run, said, task};
use crate::measured::{check_times, main_thread};
use crate::process_memory::memory;
use crate::recorded::entries_in;
use iprof::{Recursion, ReportMode, Timing, View};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;

/// The limit, in bytes above the memory of the process at its start.
const MORE: u64 = 24 << 20;
const THREADS: usize = 3;

static END: AtomicBool = AtomicBool::new(false);
/// The number of the next call stack that has not been entered.
static PATH: AtomicU32 = AtomicU32::new(0);

fn limit(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::As).maximum;
    let current = bytes.or(maximum);
    setrlimit(Resource::As, Rlimit { current, maximum }).unwrap();
}

fn work(new_stacks: u32) {
    for _ in 0..100 {
        iprof::zone!(known);
    }
    for _ in 0..new_stacks {
        enter(PATH.fetch_add(1, Relaxed), 24);
    }
}

/// Whether the report and its text warn that nothing new is recorded. They do so without more memory: the
/// limit stays in force.
fn has_stopped() -> bool {
    const WARNING: &str = "out of memory: new call stacks";
    let warnings = iprof::report().warnings;
    let has_stopped = warnings.iter().any(|line| line.starts_with(WARNING));
    let mut text = Vec::new();
    iprof::write_report(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.contains(WARNING), has_stopped, "{text}");
    has_stopped
}

/// Everything that a host may ask for; it gets it, or is told that there is no memory for it.
fn ask_for_everything(round: usize) {
    let modes = ReportMode::ALL;
    iprof::set_report_mode(modes[round % modes.len()]);
    iprof::set_recursion([Recursion::Flatten, Recursion::Spread][round % 2]);
    iprof::move_cursor(3);
    iprof::select();
    iprof::with_view(|view| view.expand());
    iprof::select_parent();
    iprof::move_frame(-1);
    drop(iprof::report());
    iprof::with_view(|view| {
        view.collapse();
        view.go_back();
    });
    iprof::set_frame(0);
    drop(iprof::with_view(|view| view.graph()));
    drop(iprof::dump());
    let _ = iprof::write_report(std::io::sink());
    let _ = iprof::snapshot().write_file("/dev/null");
    iprof::mark("there was no memory");
    if let Ok(session) = iprof::SamplingSession::start(1_000.0) {
        drop(session.finish());
    }
    let thread = thread::Builder::new().stack_size(1 << 30);
    assert!(thread.spawn(|| ()).is_err(), "there is a limit");
}

/// An answer, or an end of the connection without one.
#[cfg(feature = "http")]
fn ask_over_http(address: std::net::SocketAddr) -> bool {
    use std::io::{Read, Write};
    let mut is_answered = false;
    for page in ["/report", "/dump.html", "/debug/pprof/profile?seconds=0.1"] {
        let mut client = std::net::TcpStream::connect(address).unwrap();
        let limit = Some(std::time::Duration::from_secs(30));
        client.set_read_timeout(limit).unwrap();
        let mut head = [0; 12];
        let asked = write!(client, "GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if asked.is_ok() && client.read_exact(&mut head).is_ok() {
            let is_known = [b"HTTP/1.1 200", b"HTTP/1.1 503"].contains(&&head);
            assert!(is_known, "{}", String::from_utf8_lossy(&head));
            is_answered = head.ends_with(b"200");
        }
    }
    is_answered
}

#[test]
fn a_process_that_gets_no_more_memory_goes_on_with_what_is_known() {
    const TEST: &str = "limits::a_process_that_gets_no_more_memory_goes_on_with_what_is_known";
    if task().is_none() {
        if !can_be_limited() {
            return;
        }
        let output = run(TEST, "memory");
        assert!(output.status.success(), "{}", said(&output));
        return;
    }
    work(1);
    iprof::update(true);
    let gate = Arc::new(Barrier::new(THREADS + 1));
    let worker = |at: usize| {
        let gate = Arc::clone(&gate);
        let thread = thread::Builder::new().name(format!("worker {at}"));
        let run = move || {
            loop {
                gate.wait();
                if END.load(Relaxed) {
                    return;
                }
                work(100);
                gate.wait();
            }
        };
        thread.spawn(run).unwrap()
    };
    let threads: Vec<_> = (0..THREADS).map(worker).collect();
    #[cfg(feature = "http")]
    let server = iprof::http::serve(0).unwrap();
    let frame = || {
        gate.wait();
        work(100);
        gate.wait();
        iprof::update(true);
    };
    let timings = [Timing::SAMPLED, Timing::AUTO, Timing::Exact];
    // The sampler is there before.
    iprof::set_timing(Timing::SAMPLED);
    frame();
    limit(Some(memory().0 + MORE));
    let mut rounds = 0;
    while !has_stopped() {
        assert!(rounds < 1_000, "the limit is not felt");
        iprof::set_timing(timings[rounds / 4 % 3]);
        frame();
        if rounds % 16 == 0 {
            ask_for_everything(rounds / 16);
        }
        rounds += 1;
    }
    println!("stopped after {rounds} frames");
    for round in 0..6 {
        iprof::set_timing(timings[round % 3]);
        frame();
        ask_for_everything(round);
        #[cfg(feature = "http")]
        ask_over_http(server.address());
        assert!(has_stopped(), "until a reset");
    }
    // With memory again, all is as it was.
    limit(None);
    iprof::set_timing(Timing::Exact);
    iprof::reset();
    assert!(!has_stopped());
    let first = iprof::snapshot().frames + 1;
    for _ in 0..3 {
        frame();
    }
    let recorded = iprof::snapshot();
    assert_eq!(
        entries_in(&recorded, "known"),
        3 * 100 * (THREADS as u64 + 1)
    );
    let newest = crate::measured::newest_frame();
    let frames: BTreeSet<u64> = (newest - 2..=newest).collect();
    assert_eq!(first, 1);
    check_times(&frames, main_thread());
    let mut view = View::new();
    view.set_report_mode(ReportMode::CallTree);
    assert!(view.report().rows.len() > 1);
    #[cfg(feature = "http")]
    assert!(ask_over_http(server.address()));
    END.store(true, Relaxed);
    gate.wait();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}
