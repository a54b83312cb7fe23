//! Starts and ends 64 threads while other threads call all public functions. Entry counts must stay exact.
//!
//! `IPROF_STRESS_SECONDS` sets the duration. The default is a few seconds.

use crate::measured::alone;
use crate::recorded::entries_in;
use iprof::Timing;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

const THREADS: usize = 64;
const ZONES: [&str; 4] = [
    "stress_outer",
    "stress_inner",
    "stress_thing",
    "stress_pair",
];
const NAMES: [&str; 5] = ["loader", "mixer", "tracer", "writer", "ever new"];

/// Entries as counted by the threads themselves, by zone.
static ENTERED: [AtomicU64; ZONES.len()] = [const { AtomicU64::new(0) }; ZONES.len()];

/// A pseudorandom sequence that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

fn inner(depth: u64, counts: &mut [u64; ZONES.len()]) {
    iprof::zone!(stress_inner);
    counts[1] += 1;
    if depth > 0 {
        inner(depth - 1, counts);
    }
}

/// The body of one of the 64 threads.
fn live(seed: u64) {
    let mut numbers = Numbers(seed);
    let mut counts = [0; ZONES.len()];
    let end = Instant::now() + Duration::from_micros(numbers.below(20_000));
    loop {
        for _ in 0..50 {
            iprof::zone!(stress_outer);
            counts[0] += 1;
            inner(numbers.below(8), &mut counts);
            iprof::counter!(stress_thing);
            counts[2] += 1;
            iprof::begin!(stress_pair);
            counts[3] += 1;
            iprof::end!(stress_pair);
        }
        if Instant::now() >= end {
            break;
        }
    }
    match numbers.below(4) {
        0 => {
            iprof::begin!(stress_pair);
            iprof::begin!(stress_pair);
            counts[3] += 2;
        }
        1 => {
            counts[0] += 1;
            let unwinds = || {
                iprof::zone!(stress_outer);
                // `resume_unwind` prints nothing to standard error.
                std::panic::resume_unwind(Box::new("on purpose"));
            };
            let _ = std::panic::catch_unwind(unwinds);
        }
        _ => {}
    }
    for (all, own) in ENTERED.iter().zip(counts) {
        all.fetch_add(own, Relaxed);
    }
}

fn come_and_go<'a>(scope: &'a Scope<'a, '_>, end: &'a AtomicBool, seed: u64) {
    for lane in 0..THREADS as u64 {
        scope.spawn(move || {
            // This thread isn't one of the counted threads, so turn its recording off.
            iprof::set_recording(false);
            let mut numbers = Numbers(seed ^ lane << 20);
            for life in 0.. {
                if end.load(Relaxed) {
                    break;
                }
                let name = match NAMES[numbers.below(NAMES.len() as u64) as usize] {
                    "ever new" => format!("{seed} {lane} {life}"),
                    name => name.to_owned(),
                };
                let (seed, builder) = (numbers.below(u64::MAX), thread::Builder::new());
                let thread = builder
                    .name(name)
                    .stack_size(256 << 10)
                    .spawn(move || live(seed));
                thread.unwrap().join().unwrap();
            }
        });
    }
}

fn again<'a>(
    scope: &'a Scope<'a, '_>,
    end: &'a AtomicBool,
    ms: u64,
    mut f: impl FnMut(u64) + Send + 'a,
) {
    scope.spawn(move || {
        for round in 0.. {
            if end.load(Relaxed) {
                break;
            }
            f(round);
            thread::sleep(Duration::from_millis(ms));
        }
    });
}

#[cfg(feature = "http")]
fn fetch_page(address: std::net::SocketAddr, round: u64) {
    use std::io::{Read, Write};
    const PAGES: [&str; 5] = [
        "/report",
        "/debug/pprof/profile?seconds=0.1",
        "/dump.html",
        "/",
        "/nothing",
    ];
    let page = PAGES[round as usize % PAGES.len()];
    let Ok(mut stream) = std::net::TcpStream::connect(address) else {
        return;
    };
    let request = format!("GET {page} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let limit = Some(Duration::from_secs(30));
    stream.set_read_timeout(limit).unwrap();
    let mut answer = Vec::new();
    if stream.write_all(request.as_bytes()).is_ok() && round % 7 != 6 {
        // The other clients close their connection before reading the whole response.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "));
    }
}

/// Starts threads that call everything repeatedly until `end` is set.
fn start_callers<'a>(scope: &'a Scope<'a, '_>, end: &'a AtomicBool, loses: bool) {
    again(scope, end, 10, move |round| {
        let timings = [
            Timing::Exact,
            Timing::SAMPLED,
            Timing::AUTO,
            Timing::Sampled { hz: 5_000.0 },
            Timing::Off,
        ];
        let kinds = if loses {
            timings.len()
        } else {
            timings.len() - 1
        };
        iprof::set_timing(timings[round as usize % kinds]);
    });
    again(scope, end, 2, move |round| {
        iprof::update(!loses || round % 5 != 0);
        if round % 16 == 0 {
            let _ = iprof::report();
            let _ = iprof::View::default().graph(&iprof::profiler());
        }
    });
    again(scope, end, 7, |round| {
        let _ = iprof::dump();
        iprof::mark(&format!("mark {}", round % 3));
        let _ = iprof::threads();
    });
    again(scope, end, 31, |round| {
        if let Ok(session) = iprof::SamplingSession::start(1_000.0) {
            thread::sleep(Duration::from_millis(round % 20));
            if round % 2 == 0 {
                let _ = session.finish();
            }
        }
        iprof::configure(|config| config.history = 1 + round as usize % 300);
        iprof::set_report_mode(if round % 2 == 0 {
            iprof::ReportMode::CallGraph
        } else {
            iprof::ReportMode::SelfTime
        });
    });
    if loses {
        again(scope, end, 43, |_| iprof::reset());
    }
}

fn run(time: Duration, seed: u64, loses: bool) {
    let end = AtomicBool::new(false);
    #[cfg(feature = "http")]
    let server = iprof::http::serve(([127, 0, 0, 1], 0)).unwrap();
    thread::scope(|scope| {
        come_and_go(scope, &end, seed);
        start_callers(scope, &end, loses);
        #[cfg(feature = "http")]
        for client in 0..4 {
            let address = server.address();
            again(scope, &end, 11, move |round| {
                fetch_page(address, round + client)
            });
        }
        thread::sleep(time);
        end.store(true, Relaxed);
    });
}

/// Checks that entry counts since the last reset equal `ENTERED`.
fn check(what: &str) {
    let recorded = iprof::snapshot();
    let counted = ZONES.map(|zone| entries_in(&recorded, zone));
    let entered: Vec<u64> = ENTERED.iter().map(|zone| zone.swap(0, Relaxed)).collect();
    assert_eq!(counted[..], entered[..], "{what}");
    assert!(
        entered.iter().all(|entered| *entered > 0),
        "{what}: {entered:?}"
    );
    println!("{what}: {} entries", entered.iter().sum::<u64>());
    for thread in &recorded.threads {
        let ticks: u64 = thread.nodes.iter().map(|node| node.ticks).sum();
        assert!(ticks <= recorded.ticks, "{what}, {}: {ticks}", thread.name);
    }
}

/// Resets the recorded data and `ENTERED`.
fn reset_counts() {
    iprof::set_timing(Timing::Exact);
    iprof::update(true);
    iprof::reset();
    ENTERED.iter().for_each(|zone| zone.store(0, Relaxed));
}

#[test]
fn stress() {
    let _alone = alone();
    let seconds = std::env::var("IPROF_STRESS_SECONDS").map_or(6.0, |text| text.parse().unwrap());
    let (start, time) = (Instant::now(), Duration::from_secs_f64(seconds));
    for round in 0.. {
        let part = (time / 3).min(Duration::from_secs(20));
        reset_counts();
        run(part, 3 * round, false);
        check("nothing was discarded");
        // Discarded frames, disabled zones and resets make this run's counts unpredictable. The next run's counts are
        // checked instead, to make sure that no data from this run is left over.
        run(part, 3 * round + 1, true);
        reset_counts();
        run(part, 3 * round + 2, false);
        check("after discarded frames and resets");
        if start.elapsed() >= time {
            break;
        }
    }
    assert!(iprof::threads().len() <= 1_024 + THREADS);
    iprof::configure(|config| config.history = 1_024);
    iprof::set_timing(Timing::Exact);
}
