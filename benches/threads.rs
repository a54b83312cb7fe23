//! What a zone costs on two threads at once, beside what it costs on one of them alone.
//!
//! Two threads take what they are told, alone or both from the same moment on; the contenders take
//! turns within one run. Two bare reads of the counter show what the machine itself loses. Then the
//! two record while a third calls `update`, or wakes up as often for nothing. Recorded counts are
//! checked.
//!
//! `--tsv FILE` also writes bench, case, value, unit, baseline and ratio.

use iprof::Timing;
use std::hint::{black_box, spin_loop};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Zones in one measurement at least, turns, and the turns of those that also update.
const ZONES: u32 = 20_000;
const TURNS: usize = 200;
const EACH_UPDATING: usize = 4;
/// Long enough for an update to fall in, 60 times a second.
const UPDATING: Duration = Duration::from_millis(20);
const DEPTH: u32 = 50;
const RATES: [u32; 2] = [60, 1_000];

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    #[allow(unsafe_code)] // The baseline is the bare instruction.
    // SAFETY: every x86-64 processor has `rdtsc`; it touches no memory.
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[inline(never)]
fn two_reads(x: u32) -> u32 {
    black_box(counter());
    let y = black_box(x);
    black_box(counter());
    y
}

#[inline(never)]
fn site_hit(x: u32) -> u32 {
    iprof::zone!(site_hit);
    black_box(x)
}

#[inline(never)]
fn recurse(depth: u32) -> u32 {
    iprof::zone!(recurse);
    if depth <= 1 {
        black_box(depth)
    } else {
        recurse(depth - 1) + 1
    }
}

/// A name, a function that enters [`ZONES`] zones or makes as many calls, and the zone's name.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    run: fn(),
    zone: Option<&'static str>,
}

const READS: Case = Case {
    name: "two counter reads",
    run: || {
        for x in 0..ZONES {
            black_box(two_reads(x));
        }
    },
    zone: None,
};

const HIT: Case = Case {
    name: "site hit",
    run: || {
        for x in 0..ZONES {
            black_box(site_hit(x));
        }
    },
    zone: Some("site_hit"),
};

const RECURSION: Case = Case {
    name: "recursion to 50 and back",
    run: || {
        for _ in 0..ZONES / DEPTH {
            black_box(recurse(DEPTH));
        }
    },
    zone: Some("recurse"),
};

const MODES: [(&str, Timing); 4] = [
    ("exact", Timing::Exact),
    ("sampled", Timing::SAMPLED),
    ("auto", Timing::AUTO),
    ("off", Timing::Off),
];

/// What a thread is told: what to run for how long at least, once so many have come.
#[derive(Clone, Copy)]
struct Job {
    case: Case,
    least: Duration,
    threads: u32,
}

/// Who has come to the start of a job.
static READY: AtomicU32 = AtomicU32::new(0);

struct Worker {
    jobs: Sender<Job>,
    /// Zones entered, and ns for each.
    done: Receiver<(u64, f64)>,
}

impl Worker {
    fn new(name: &str) -> Worker {
        let (jobs, to_do) = channel::<Job>();
        let (results, done) = channel();
        let work = move || {
            while let Ok(job) = to_do.recv() {
                READY.fetch_add(1, Ordering::AcqRel);
                while READY.load(Ordering::Acquire) < job.threads {
                    spin_loop();
                }
                let (start, mut zones) = (Instant::now(), 0);
                loop {
                    (job.case.run)();
                    zones += u64::from(ZONES);
                    let passed = start.elapsed();
                    if passed >= job.least {
                        let ns = passed.as_nanos() as f64 / zones as f64;
                        results.send((zones, ns)).expect("somebody waits");
                        break;
                    }
                }
            }
        };
        let thread = thread::Builder::new().name(name.into());
        thread.spawn(work).expect("the system starts a thread");
        Worker { jobs, done }
    }
}

/// Runs a case on the first `workers`; returns the zones of all, and the mean ns of one.
fn run(workers: &[Worker], case: Case, least: Duration) -> (u64, f64) {
    READY.store(0, Ordering::Release);
    let threads = workers.len() as u32;
    for worker in workers {
        let job = Job {
            case,
            least,
            threads,
        };
        worker.jobs.send(job).expect("the thread runs");
    }
    let results: Vec<_> = workers
        .iter()
        .map(|worker| worker.done.recv().expect("the thread runs"))
        .collect();
    let ns: f64 = results.iter().map(|(_, ns)| ns).sum();
    (
        results.iter().map(|(zones, _)| zones).sum(),
        ns / results.len() as f64,
    )
}

/// The same, and checks that what was done was recorded.
fn checked(workers: &[Worker], case: Case, least: Duration, is_off: bool) -> f64 {
    let before = newest();
    let (zones, ns) = run(workers, case, least);
    if !is_off && let Some(zone) = case.zone {
        let mut counted = 0.0;
        for frame in before + 1..=newest() {
            let mut view = iprof::View::new();
            view.set_frame_number(frame);
            let report = view.report();
            let is_count = |column: &iprof::Column| *column == iprof::Column::COUNT;
            let at = report.columns.iter().position(is_count).unwrap_or(0);
            let rows = report.records.iter();
            let rows = rows.filter(|row| row.name.split(" (").next() == Some(zone));
            counted += rows.map(|row| row.values[at]).sum::<f64>();
        }
        assert_eq!(
            counted, zones as f64,
            "{zone} was not recorded as it was called"
        );
    }
    ns
}

/// Ends a frame and returns its number.
fn newest() -> u64 {
    iprof::update(true);
    iprof::graph().bars.back().map_or(0, |bar| bar.frame)
}

/// Calls `f` while another thread calls `update` so often, or only wakes up.
fn while_waking<R>(per_second: u32, updates: bool, f: impl FnOnce() -> R) -> R {
    let goes_on = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            iprof::thread_name("updates");
            let step = Duration::from_secs(1) / per_second;
            let mut next = Instant::now() + step / 2;
            while goes_on.load(Ordering::Relaxed) {
                thread::sleep(next.saturating_duration_since(Instant::now()));
                next += step;
                if updates {
                    iprof::update(true);
                }
            }
        });
        let result = f();
        goes_on.store(false, Ordering::Relaxed);
        result
    })
}

/// What was measured under a name, and the name that it is compared with.
struct Row {
    name: String,
    baseline: String,
    times: Vec<f64>,
}

#[derive(Default)]
struct Rows(Vec<Row>);

impl Rows {
    fn add(&mut self, name: String, baseline: &str, ns: f64) {
        match self.0.iter_mut().find(|row| row.name == name) {
            Some(row) => row.times.push(ns),
            None => self.0.push(Row {
                name,
                baseline: baseline.to_owned(),
                times: vec![ns],
            }),
        }
    }
}

fn main() -> std::io::Result<()> {
    iprof::set_history(256);
    let workers = [Worker::new("first"), Worker::new("second")];
    let mut rows = Rows::default();
    let mut measure = |mode: &str, case: Case, updates: bool, warm: bool| {
        let is_off = mode == "off";
        let name = match mode {
            "" => case.name.to_owned(),
            mode => format!("{mode}: {}", case.name),
        };
        let alone = format!("{name}, one thread");
        let one = checked(&workers[..1], case, Duration::ZERO, is_off);
        let two = checked(&workers, case, Duration::ZERO, is_off);
        if warm {
            rows.add(alone.clone(), &alone, one);
            rows.add(format!("{name}, two at once"), &alone, two);
        }
        // In a long measurement there are interrupts and samples, as there are in one with updates.
        let long = format!("{name}, one thread for 20 ms");
        if updates {
            let ns = checked(&workers[..1], case, UPDATING, is_off);
            rows.add(long.clone(), &long, ns);
        }
        for rate in RATES.into_iter().filter(|_| updates) {
            let what = match case.zone {
                Some(_) => "update",
                None => "wake-up",
            };
            let ns = while_waking(rate, case.zone.is_some(), || {
                checked(&workers, case, UPDATING, is_off)
            });
            rows.add(format!("{name}, two, {what} {rate}/s"), &long, ns);
        }
    };
    for turn in 0..TURNS + 2 {
        // The first turns make the nodes and let `Auto` find out what is hot.
        let warm = turn > 1;
        let updates = warm && turn % EACH_UPDATING == 0;
        iprof::set_timing(Timing::Exact);
        measure("", READS, updates, warm);
        for (mode, timing) in MODES {
            iprof::set_timing(timing);
            // Both threads follow the change with their first zones.
            run(&workers, HIT, Duration::ZERO);
            run(&workers, RECURSION, Duration::ZERO);
            iprof::update(true);
            run(&workers, HIT, Duration::ZERO);
            measure(mode, HIT, updates && timing != Timing::Off, warm);
            measure(mode, RECURSION, false, warm);
        }
    }
    report(rows)
}

fn report(Rows(mut rows): Rows) -> std::io::Result<()> {
    let mut arguments = std::env::args()
        .skip_while(|argument| argument != "--tsv")
        .skip(1);
    let mut tsv = arguments.next().map(std::fs::File::create).transpose()?;
    for row in &mut rows {
        row.times.sort_by(f64::total_cmp);
    }
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.name == name);
        row.map_or((f64::NAN, f64::NAN), |row| {
            (row.times[0], row.times[row.times.len() / 2])
        })
    };
    println!(
        "{:<48} {:>9} {:>9} {:>7} {:>11}",
        "ns per zone", "minimum", "median", "ratio", "of medians"
    );
    for row in &rows {
        let (minimum, median) = of(&row.name);
        let (base, base_median) = of(&row.baseline);
        let (ratio, of_medians) = (minimum / base, median / base_median);
        let name = &row.name;
        println!("{name:<48} {minimum:>9.2} {median:>9.2} {ratio:>7.3} {of_medians:>11.3}");
        if let Some(tsv) = &mut tsv {
            let base = &row.baseline;
            writeln!(tsv, "threads\t{name}\t{minimum:.3}\tns\t{base}\t{ratio:.4}")?;
        }
    }
    Ok(())
}
