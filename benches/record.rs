//! Measures the cost of a zone on one thread and on two threads at once, compared with an empty function and with two
//! counter reads.
//!
//! Within a run, the cases take turns many times. When two threads run, the time of the slower thread is reported. The
//! table gives the minimum of each case, and its ratios to two baselines on the same number of threads: two counter
//! reads, and the same calls without zones. The rows without zones show how much two threads slow each other down on
//! this machine. After each turn, the entry counts of both threads are checked.
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

use cases::{BASES, CASES, Case, MODES, SITE_HIT, TWO_READS, case};
use iprof::Timing;
use std::time::Duration;
use tsv::Tsv;
use two_threads::TwoThreads;

const RUNS: usize = 300;
/// The minimum time of a measurement. The first of two threads to finish wakes up the main thread, possibly on the
/// second thread's core, which would distort shorter measurements.
const LEAST: Duration = Duration::from_micros(400);

const THREADS: [&str; 2] = ["one thread", "two at once"];

struct Row {
    name: String,
    /// The name of the row without zones.
    bare: &'static str,
    /// The nanoseconds per zone, for each of [`THREADS`].
    times: [Vec<f64>; 2],
}

impl Row {
    fn minimum(&self, threads: usize) -> f64 {
        self.times[threads][0]
    }

    fn median(&self, threads: usize) -> f64 {
        self.times[threads][self.times[threads].len() / 2]
    }
}

fn main() -> std::io::Result<()> {
    let tsv = Tsv::new("record", options::value_of("--tsv").as_deref())?;
    let mut rows: Vec<Row> = names()
        .map(|(name, bare)| Row {
            name,
            bare,
            times: Default::default(),
        })
        .collect();
    let mut pair = TwoThreads::new();
    // The first turns create the nodes, and let `Auto` find out which of them are hot.
    for warm in [false, true] {
        let turns = if warm { options::runs(RUNS) } else { 2 };
        for _ in 0..turns {
            take_turn(&mut pair, &mut rows);
        }
        if !warm {
            rows.iter_mut()
                .for_each(|row| row.times = Default::default());
        }
    }
    for times in rows.iter_mut().flat_map(|row| &mut row.times) {
        times.sort_by(f64::total_cmp);
    }
    report(&rows, tsv)
}

/// Returns the names of the rows and of their counterparts without zones, in the order in which they are measured.
fn names() -> impl Iterator<Item = (String, &'static str)> {
    let bases = BASES.iter().map(|case| (case.name.to_owned(), case.bare));
    let in_mode = |(mode, _)| {
        let named = move |case: &Case| (format!("{mode}: {}", case.name), case.bare);
        CASES.iter().map(named)
    };
    bases.chain(MODES.into_iter().flat_map(in_mode))
}

fn take_turn(pair: &mut TwoThreads, rows: &mut [Row]) {
    let mut rows = rows.iter_mut();
    let mut measure = |pair: &mut TwoThreads, case: &'static Case| {
        let row = rows.next().expect("each case should have a row");
        for (times, threads) in row.times.iter_mut().zip(1..) {
            times.push(pair.run(threads, case, LEAST));
        }
    };
    for case in &BASES {
        measure(pair, case);
    }
    for (_, timing) in MODES {
        iprof::set_timing(timing);
        // Threads switch to the new mode when they enter their first zone.
        pair.run(THREADS.len(), case(SITE_HIT), Duration::ZERO);
        pair.start_counting();
        for case in &CASES {
            measure(pair, case);
        }
        if timing != Timing::Off {
            pair.check();
        }
    }
}

fn report(rows: &[Row], mut tsv: Tsv) -> std::io::Result<()> {
    let base = |name| {
        let row = rows.iter().find(|row| row.name == name);
        row.expect("the case should have been measured")
    };
    let reads = base(TWO_READS);
    println!("ns per zone; ratio to {TWO_READS}, above the same calls without zones");
    println!("{:<32} {:<30} {}", "", THREADS[0], THREADS[1]);
    print!("{:<32}", "");
    for _ in THREADS {
        print!(
            "{:>8} {:>7} {:>6} {:>6}",
            "minimum", "median", "ratio", "above"
        );
    }
    println!(" {:>6}", "of one");
    for row in rows {
        print!("{:<32}", row.name);
        for (threads, on) in THREADS.iter().enumerate() {
            let (minimum, median) = (row.minimum(threads), row.median(threads));
            let ratio = minimum / reads.minimum(threads);
            let above = minimum - base(row.bare).minimum(threads);
            print!("{minimum:>8.2} {median:>7.2} {ratio:>6.3} {above:>6.2}");
            let (name, base) = (format!("{}, {on}", row.name), format!("{TWO_READS}, {on}"));
            tsv.line(&name, minimum, "ns", &base, ratio)?;
        }
        let of_one = row.minimum(1) / row.minimum(0);
        println!(" {of_one:>6.3}");
        let [one, two] = THREADS.map(|on| format!("{}, {on}", row.name));
        tsv.line(&two, row.minimum(1), "ns", &one, of_one)?;
    }
    Ok(())
}
