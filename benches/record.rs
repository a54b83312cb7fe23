//! What a zone costs, beside what it is made of: an empty function and two reads of the counter.
//!
//! The contenders take turns within one run, many times; minimum and median are printed, the ratio
//! of the minima to the two reads of the same run, and what the minimum is above the empty
//! function's. In every turn the recorded counts are checked.
//!
//! `--tsv FILE` also writes bench, case, value, unit, baseline and ratio.

use iprof::Timing;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

/// Zones in one measurement, and measurements.
const ZONES: u32 = 20_000;
const TURNS: usize = 200;
/// The deepest recursion, and the children of one parent.
const DEPTH: u32 = 64;
const CHILDREN: u32 = 100;

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
fn recurse_bare(depth: u32) -> u32 {
    if depth <= 1 {
        black_box(depth)
    } else {
        recurse_bare(depth - 1) + 1
    }
}

#[inline(never)]
fn count(x: u32) -> u32 {
    iprof::counter!(count);
    black_box(x)
}

/// A function for each number, with a zone of its own and without.
trait Child {
    fn call(x: u32) -> u32;
    fn call_bare(x: u32) -> u32;
}

struct Numbered<const N: usize>;

macro_rules! children {
    ($($n:literal)*) => {
        $(impl Child for Numbered<$n> {
            #[inline(never)]
            fn call(x: u32) -> u32 {
                iprof::zone!(child);
                black_box(x)
            }

            #[inline(never)]
            fn call_bare(x: u32) -> u32 {
                black_box(x)
            }
        })*

        /// Calls them all by name: a table of pointers would measure how branches are predicted.
        fn call_children(x: u32) {
            $(black_box(Numbered::<$n>::call(x));)*
        }

        fn call_children_bare(x: u32) {
            $(black_box(Numbered::<$n>::call_bare(x));)*
        }
    };
}

children!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
    34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66
    67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99);

/// A case: its name, a function that enters [`ZONES`] zones or makes as many calls, and the name
/// and the entries of a zone that it must have entered.
struct Case {
    name: &'static str,
    run: fn(),
    check: Option<(&'static str, u32)>,
}

const BASES: [Case; 4] = [
    Case {
        name: "empty function",
        run: || each(empty),
        check: None,
    },
    Case {
        name: "two counter reads",
        run: || each(two_reads),
        check: None,
    },
    Case {
        name: "100 empty functions in turn",
        run: || (0..ZONES / CHILDREN).for_each(call_children_bare),
        check: None,
    },
    Case {
        name: "empty recursion",
        run: || recursion(recurse_bare),
        check: None,
    },
];

const CASES: [Case; 5] = [
    Case {
        name: "site hit",
        run: || each(site_hit),
        check: Some(("site_hit", ZONES)),
    },
    Case {
        name: "alternating parents",
        run: || {
            for x in 0..ZONES / 4 {
                {
                    iprof::zone!(parent_a);
                    shared(x);
                }
                iprof::zone!(parent_b);
                shared(x);
            }
        },
        check: Some(("shared", ZONES / 2)),
    },
    Case {
        name: "recursion to 64 and back",
        run: || recursion(recurse),
        check: Some(("recurse", ZONES / DEPTH * DEPTH)),
    },
    Case {
        name: "100 children in turn",
        run: || {
            for x in 0..ZONES / CHILDREN {
                call_children(x);
            }
        },
        check: Some(("child", ZONES)),
    },
    Case {
        name: "counter",
        run: || each(count),
        check: Some(("count", ZONES)),
    },
];

const MODES: [(&str, Timing); 4] = [
    ("exact", Timing::Exact),
    ("sampled", Timing::SAMPLED),
    ("auto", Timing::AUTO),
    ("off", Timing::Off),
];

#[inline(always)]
fn each(f: fn(u32) -> u32) {
    for x in 0..ZONES {
        black_box(f(x));
    }
}

#[inline(always)]
fn recursion(f: fn(u32) -> u32) {
    for _ in 0..ZONES / DEPTH {
        black_box(f(DEPTH));
    }
}

const BASELINE: usize = 1;

fn main() -> std::io::Result<()> {
    let mut names: Vec<String> = BASES.iter().map(|case| case.name.to_owned()).collect();
    for (mode, _) in MODES {
        names.extend(CASES.iter().map(|case| format!("{mode}: {}", case.name)));
    }
    let mut times = vec![Vec::new(); names.len()];
    iprof::update(true);
    for turn in 0..TURNS + 2 {
        let mut at = 0;
        let mut measure = |case: &Case| {
            let start = Instant::now();
            (case.run)();
            let ns = start.elapsed().as_nanos() as f64 / f64::from(ZONES);
            // The first turns make the nodes and let `Auto` find out what is hot.
            if turn > 1 {
                times[at].push(ns);
            }
            at += 1;
        };
        BASES.iter().for_each(&mut measure);
        for (_, timing) in MODES {
            iprof::set_timing(timing);
            // What was done so far, and that the thread has to follow the change.
            iprof::update(true);
            {
                iprof::zone!(follows);
            }
            CASES.iter().for_each(&mut measure);
            iprof::update(true);
            if timing != Timing::Off {
                check();
            }
        }
    }
    report(&names, &mut times)
}

/// What was measured must have been recorded.
fn check() {
    let mut view = iprof::View::new();
    view.set_average(0);
    let report = view.report();
    let count_column = report
        .columns
        .iter()
        .position(|c| *c == iprof::Column::COUNT);
    for (name, wanted) in CASES.iter().filter_map(|case| case.check) {
        let is_it = |record: &&iprof::Record| record.name.split(" (").next() == Some(name);
        let rows = report.records.iter().filter(is_it);
        let counted: f64 = rows.map(|row| row.values[count_column.unwrap_or(0)]).sum();
        assert_eq!(
            counted,
            f64::from(wanted),
            "{name} was not recorded as it was called"
        );
    }
}

fn report(names: &[String], times: &mut [Vec<f64>]) -> std::io::Result<()> {
    let mut arguments = std::env::args()
        .skip_while(|argument| argument != "--tsv")
        .skip(1);
    let mut tsv = arguments.next().map(std::fs::File::create).transpose()?;
    times
        .iter_mut()
        .for_each(|times| times.sort_by(f64::total_cmp));
    let (empty, baseline) = (times[0][0], times[BASELINE][0]);
    println!(
        "{:<34} {:>9} {:>9} {:>7} {:>12}",
        "ns per zone", "minimum", "median", "ratio", "above empty"
    );
    for (name, times) in names.iter().zip(times) {
        let (minimum, median) = (times[0], times[times.len() / 2]);
        let (ratio, above) = (minimum / baseline, minimum - empty);
        println!("{name:<34} {minimum:>9.2} {median:>9.2} {ratio:>7.3} {above:>12.2}");
        if let Some(tsv) = &mut tsv {
            let base = &names[BASELINE];
            writeln!(tsv, "record\t{name}\t{minimum:.3}\tns\t{base}\t{ratio:.4}")?;
        }
    }
    Ok(())
}
