//! Measures the cost of a zone on two threads while a third thread calls `update`.
//!
//! Each measured interval is long enough to contain an update at 60 Hz. It also contains interrupts and samples, so the
//! baseline is one thread that runs for the same time. The table also shows two threads without updates, and counter
//! reads while a third thread wakes up without calling `update`. The cases take turns within one run, and the time of
//! the slower of the two threads is reported. Recorded counts are checked.
//!
//! The `record` bench runs all cases on two threads in short batches.
//!
//! `--tsv FILE` adds the minima to a table, and a small `--runs N` gives quicker results.

#[path = "shared/added_values.rs"]
mod added_values;
#[path = "shared/cases.rs"]
mod cases;
#[path = "shared/options.rs"]
mod options;
#[path = "shared/tsv.rs"]
mod tsv;
#[path = "shared/two_threads.rs"]
mod two_threads;

use cases::{Case, MODES, SITE_HIT, TWO_READS, case};
use iprof::Timing;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use tsv::Tsv;
use two_threads::TwoThreads;

const RUNS: usize = 50;
const INTERVAL: Duration = Duration::from_millis(20);
/// The number of updates, or of idle wake-ups, per second.
const RATES: [u32; 2] = [60, 1_000];

/// The measurements with the same name, and the name of their baseline.
struct Row {
    name: String,
    baseline: String,
    times: Vec<f64>,
}

#[derive(Default)]
struct Rows(Vec<Row>);

impl Rows {
    fn add(&mut self, name: &str, baseline: &str, ns: f64) {
        match self.0.iter_mut().find(|row| row.name == name) {
            Some(row) => row.times.push(ns),
            None => self.0.push(Row {
                name: name.to_owned(),
                baseline: baseline.to_owned(),
                times: vec![ns],
            }),
        }
    }
}

fn main() -> std::io::Result<()> {
    let tsv = Tsv::new("threads", options::value_of("--tsv").as_deref())?;
    let mut pair = TwoThreads::new();
    // The first turns create the nodes, and let `Auto` find out which of them are hot.
    for _ in 0..2 {
        take_turn(&mut pair, &mut Rows::default());
    }
    let mut rows = Rows::default();
    for _ in 0..options::runs(RUNS) {
        take_turn(&mut pair, &mut rows);
    }
    report(rows, tsv)
}

fn take_turn(pair: &mut TwoThreads, rows: &mut Rows) {
    let reads = case(TWO_READS);
    measure(pair, rows, reads.name, reads);
    for (mode, timing) in MODES
        .into_iter()
        .filter(|(_, timing)| *timing != Timing::Off)
    {
        iprof::set_timing(timing);
        let hit = case(SITE_HIT);
        // Threads switch to the new mode when they enter their first zone.
        pair.run(2, hit, Duration::ZERO);
        measure(pair, rows, &format!("{mode}: {}", hit.name), hit);
    }
}

/// Measures a case on one thread, on two threads, and on two threads while a third thread wakes up.
fn measure(pair: &mut TwoThreads, rows: &mut Rows, name: &str, case: &'static Case) {
    let one = format!("{name}, one thread");
    let ns = checked(pair, 1, case);
    rows.add(&one, &one, ns);
    let ns = checked(pair, 2, case);
    rows.add(&format!("{name}, two at once"), &one, ns);
    let updates = !case.zones.is_empty();
    let what = if updates { "update" } else { "wake-up" };
    for rate in RATES {
        let ns = while_waking(rate, updates, || checked(pair, 2, case));
        rows.add(&format!("{name}, two, {what} {rate}/s"), &one, ns);
    }
}

fn checked(pair: &mut TwoThreads, threads: usize, case: &'static Case) -> f64 {
    pair.start_counting();
    let ns = pair.run(threads, case, INTERVAL);
    pair.check();
    ns
}

/// Calls `f` while another thread wakes up `per_second` times per second. That thread calls `update` if `updates` is
/// set.
fn while_waking<R>(per_second: u32, updates: bool, f: impl FnOnce() -> R) -> R {
    let is_running = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            iprof::set_thread_name("updates");
            let step = Duration::from_secs(1) / per_second;
            let mut next = Instant::now() + step / 2;
            while is_running.load(Ordering::Relaxed) {
                thread::sleep(next.saturating_duration_since(Instant::now()));
                next += step;
                if updates {
                    iprof::update(true);
                }
            }
        });
        let result = f();
        is_running.store(false, Ordering::Relaxed);
        result
    })
}

fn report(Rows(mut rows): Rows, mut tsv: Tsv) -> std::io::Result<()> {
    for row in &mut rows {
        row.times.sort_by(f64::total_cmp);
    }
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.name == name);
        let times = &row.expect("the case should have been measured").times;
        (times[0], times[times.len() / 2])
    };
    println!(
        "{:<40} {:>9} {:>9} {:>7} {:>11}",
        "ns per zone", "minimum", "median", "ratio", "of medians"
    );
    for Row { name, baseline, .. } in &rows {
        let (minimum, median) = of(name);
        let (base, base_median) = of(baseline);
        let (ratio, of_medians) = (minimum / base, median / base_median);
        println!("{name:<40} {minimum:>9.2} {median:>9.2} {ratio:>7.3} {of_medians:>11.3}");
        tsv.line(name, minimum, "ns", baseline, ratio)?;
    }
    Ok(())
}
