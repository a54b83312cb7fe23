//! Tests a process that is suspended and resumed seconds later, for example by a shell, a debugger or a migration.

use crate::children::{describe, run, task};
use crate::measured::{bars, check_times, find, main_thread, newest_frame, spin, view};
use crate::recorded::entries;
use iprof::{Threads, Timing};
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const TEST: &str = "stopped::stopped_process_counts_as_sleeping";
const MS: Duration = Duration::from_millis(1);

static END: AtomicBool = AtomicBool::new(false);

/// How long the process is stopped, in seconds.
const STOPPED: u32 = 3;

/// Makes another process stop this one for [`STOPPED`] seconds. Returns the elapsed time.
pub(crate) fn be_stopped() -> Duration {
    let stop = format!("kill -STOP $PPID; sleep {STOPPED}; kill -CONT $PPID");
    let start = Instant::now();
    let status = Command::new("sh").args(["-c", &stop]).status().unwrap();
    assert!(status.success());
    start.elapsed()
}

fn work() {
    iprof::zone!(work);
    spin(2 * MS);
}

fn frame() {
    work();
    iprof::update(true);
}

fn hot() {
    iprof::zone!(hot);
}

#[test]
fn stopped_process_counts_as_sleeping() {
    let Some(what) = task() else {
        thread::scope(|scope| {
            for what in ["exact", "sampled", "auto"] {
                scope.spawn(move || {
                    let output = run(TEST, what);
                    assert!(output.status.success(), "{what}: {}", describe(&output));
                });
            }
        });
        return;
    };
    let timing: Timing = what.parse().unwrap();
    iprof::set_timing(timing);
    // From here on, this thread exists for the full duration of each frame.
    iprof::update(true);
    iprof::configure(|config| config.history = 100_000);
    // This thread can be stopped anywhere: inside a zone, between zones, or while entering one.
    let busy = thread::Builder::new().name("busy".into()).spawn(|| {
        let mut rounds = 0_u64;
        while !END.load(Relaxed) {
            for _ in 0..100 {
                hot();
            }
            rounds += 100;
        }
        rounds
    });
    let sleeper = thread::Builder::new().name("sleeper".into()).spawn(|| {
        iprof::zone!(asleep);
        while !END.load(Relaxed) {
            thread::park();
        }
    });
    #[cfg(feature = "http")]
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    for _ in 0..40 {
        frame();
    }
    #[cfg(feature = "http")]
    let waiting = http::send_request(server.address(), "/debug/pprof/profile?seconds=0.5");
    work();
    let stopped = {
        iprof::zone!(stopped);
        be_stopped()
    };
    iprof::update(true);
    let long = newest_frame();
    for _ in 0..40 {
        frame();
    }
    #[cfg(feature = "http")]
    {
        // Check the request that was made before the stop, and new requests.
        http::check(waiting);
        for page in ["/report", "/dump.html", "/debug/pprof/profile?seconds=0.1"] {
            http::check(http::send_request(server.address(), page));
        }
        drop(server);
    }
    let last = newest_frame();
    END.store(true, Relaxed);
    let sleeper = sleeper.unwrap();
    sleeper.thread().unpark();
    sleeper.join().unwrap();
    let rounds = busy.unwrap().join().unwrap();
    iprof::update(true);

    for (zone, expected) in [("work", 81), ("stopped", 1), ("asleep", 1), ("hot", rounds)] {
        assert_eq!(entries(zone), expected, "{zone}");
    }
    let main = main_thread();
    let of_main = bars(main);
    let frames: BTreeSet<u64> = of_main.keys().copied().collect();
    assert!(frames.len() >= 81);
    check_times(&frames, main);
    // The frame's time and the zone's time include the time for which the process was stopped.
    let ms = of_main[&long];
    assert!(
        ms >= 1e3 * f64::from(STOPPED) && ms <= 1.02 * crate::measured::ms(stopped) + 100.0,
        "{ms}"
    );
    let report = view(Threads::One(main), long).report(&iprof::profiler());
    if timing != Timing::SAMPLED {
        let stopped = find(&report, "stopped").unwrap();
        assert!(
            stopped.value(iprof::ColumnId::SelfTime).unwrap().number >= 1e3 * f64::from(STOPPED),
            "{stopped:?}"
        );
        assert_eq!(
            stopped
                .value(iprof::ColumnId::SelfTime)
                .unwrap()
                .standard_error,
            0.0,
            "{stopped:?}"
        );
    }
    // `Auto` must not be misled by the stop: long zones stay timed in all frames before and after it.
    if timing != Timing::SAMPLED {
        for frame in 1..=last {
            let report = view(Threads::One(main), frame).report(&iprof::profiler());
            let Some(work) = find(&report, "work") else {
                continue;
            };
            assert_eq!(
                work.value(iprof::ColumnId::SelfTime)
                    .unwrap()
                    .standard_error,
                0.0,
                "{frame}: {work:?}"
            );
            assert!(
                work.value(iprof::ColumnId::HierarchicalTime)
                    .unwrap()
                    .number
                    >= 1.99,
                "{frame}: {work:?}"
            );
        }
    }
}

#[cfg(feature = "http")]
mod http {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    pub(super) fn send_request(address: SocketAddr, page: &str) -> TcpStream {
        let mut client = TcpStream::connect(address).unwrap();
        client
            .set_read_timeout(Some(super::Duration::from_secs(30)))
            .unwrap();
        write!(client, "GET {page} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        client
    }

    pub(super) fn check(mut client: TcpStream) {
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        let head = answer.split(|byte| *byte == b'\r').next().unwrap();
        assert_eq!(head, b"HTTP/1.1 200 OK");
    }
}
