//! What a zone costs, beside what it is made of: an empty function and two reads of the counter.
//!
//! The contenders take turns within one run, many times; minimum and median are printed, and the
//! ratio of the minima to the two reads of the same run. Afterwards the recorded counts are checked.
//!
//! `--tsv FILE` also writes bench, case, value, unit, baseline and ratio.

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

/// Zones in one measurement, and measurements.
const ZONES: u32 = 20_000;
const TURNS: usize = 400;
/// The deepest recursion.
const DEPTH: u32 = 64;

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
fn empty(x: u32) -> u32 {
    black_box(x)
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
fn shared(x: u32) -> u32 {
    iprof::zone!(shared);
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

#[inline(never)]
fn count(x: u32) -> u32 {
    iprof::counter!(count);
    black_box(x)
}

/// A case: its name, and a function that enters [`ZONES`] zones, or makes as many calls.
type Case = (&'static str, fn());

const CASES: [Case; 6] = [
    ("empty function", || each(empty)),
    ("two counter reads", || each(two_reads)),
    ("zone, site hit", || each(site_hit)),
    ("zone, alternating parents", || {
        for x in 0..ZONES / 4 {
            {
                iprof::zone!(parent_a);
                shared(x);
            }
            iprof::zone!(parent_b);
            shared(x);
        }
    }),
    ("zone, recursion to 64 and back", || {
        for _ in 0..ZONES / DEPTH {
            black_box(recurse(DEPTH));
        }
    }),
    ("counter", || each(count)),
];

#[inline(always)]
fn each(f: fn(u32) -> u32) {
    for x in 0..ZONES {
        black_box(f(x));
    }
}

const BASELINE: usize = 1;

fn main() -> std::io::Result<()> {
    let mut times = [const { Vec::new() }; CASES.len()];
    iprof::update(true);
    for turn in 0..TURNS + 1 {
        for (at, (_, case)) in CASES.iter().enumerate() {
            let start = Instant::now();
            case();
            let ns = start.elapsed().as_nanos() as f64 / f64::from(ZONES);
            // The first turn makes the nodes.
            if turn > 0 {
                times[at].push(ns);
            }
        }
        iprof::update(true);
    }
    check();
    report(&mut times)
}

/// What was measured must have been recorded: the counts of the last turn.
fn check() {
    let mut view = iprof::View::new();
    view.set_average(0);
    let report = view.report();
    let wanted = [
        ("site_hit", ZONES),
        ("shared", ZONES / 2),
        ("parent_a", ZONES / 4),
        ("parent_b", ZONES / 4),
        ("recurse (64)", ZONES / DEPTH * DEPTH),
        ("count", ZONES),
    ];
    for (name, count) in wanted {
        let record = report.records.iter().find(|record| &*record.name == name);
        let counted = record.map_or(0.0, |record| record.values[2]);
        assert_eq!(
            counted,
            f64::from(count),
            "{name} was not recorded as it was called"
        );
    }
}

fn report(times: &mut [Vec<f64>]) -> std::io::Result<()> {
    let mut arguments = std::env::args()
        .skip_while(|argument| argument != "--tsv")
        .skip(1);
    let mut tsv = arguments.next().map(std::fs::File::create).transpose()?;
    times
        .iter_mut()
        .for_each(|times| times.sort_by(f64::total_cmp));
    let baseline = times[BASELINE][0];
    println!(
        "{:<32} {:>9} {:>9} {:>7}",
        "ns per zone", "minimum", "median", "ratio"
    );
    for ((name, _), times) in CASES.iter().zip(times) {
        let (minimum, median) = (times[0], times[times.len() / 2]);
        let ratio = minimum / baseline;
        println!("{name:<32} {minimum:>9.2} {median:>9.2} {ratio:>7.3}");
        if let Some(tsv) = &mut tsv {
            let base = CASES[BASELINE].0;
            writeln!(tsv, "record\t{name}\t{minimum:.3}\tns\t{base}\t{ratio:.4}")?;
        }
    }
    Ok(())
}
