//! Measures the cost of `Timing::Auto` in programs that enter one or ten million zones per second, either steadily or
//! in phases.
//!
//! Each frame takes 8 ms and consists of blocks of short calls, alternately without and with zones. The difference
//! between two successive blocks is the cost of the second block's zones. The highest and lowest 5% of the differences
//! are left out, because they contain interrupts.
//!
//! In `sampled` mode, zones are only counted. The difference between `auto` and `sampled` is therefore the cost of
//! reading clocks. By default, it is at most 1% of a thread's time minus the cost of counting. `update` is called
//! between frames and is not measured. The result is the median over several processes, which take turns.
//!
//! `--tsv FILE` adds the results to a table, a small `--runs N` gives quicker results, and `--only TEXT` selects cases
//! by name.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tsv.rs"]
mod tsv;

use iprof::Timing;
use options::value_of;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tsv::Tsv;

const RUNS: usize = 5;
/// The number of block pairs in a frame, and the duration of a block.
const PAIRS: usize = 10;
const BLOCK: Duration = Duration::from_micros(400);
/// The times for which a process warms up and measures.
const WARM_UP: Duration = Duration::from_secs(2);
const TIME: Duration = Duration::from_secs(4);
const SHORT: u32 = 72;
const LONG: u32 = 10 * SHORT;
/// The number of zones that take turns.
const TURNS: usize = 16;

/// A cycle of `busy` frames with zones and `idle` frames without zones. Each call does `steps` steps of work.
struct Case {
    name: &'static str,
    steps: u32,
    busy: usize,
    idle: usize,
    /// The number of frames in which a zone is entered before the next zone takes its turn, or 0 to always enter the
    /// first zone.
    turn: usize,
}

const fn case(name: &'static str, steps: u32, busy: usize, idle: usize, turn: usize) -> Case {
    Case {
        name,
        steps,
        busy,
        idle,
        turn,
    }
}

/// The benchmark cases. Their names give the number of zones per second. A short call takes about 0.1 µs in addition to
/// its zone.
static CASES: [Case; 8] = [
    case("1 million, steadily", LONG, 1, 0, 0),
    case("1 million, 20 of 40 frames", LONG, 20, 20, 0),
    case("1 million, 16 zones in turns of 2", LONG, 32, 0, 2),
    case("10 million, steadily", SHORT, 1, 0, 0),
    case("10 million, every second frame", SHORT, 1, 1, 0),
    case("10 million, 20 of 40 frames", SHORT, 20, 20, 0),
    case("10 million, 16 zones in turns of 1", SHORT, 16, 0, 1),
    case("10 million, 16 zones in turns of 5", SHORT, 80, 0, 5),
];

const MODES: [&str; 4] = ["no zones", "exact", "sampled", "auto"];

#[inline(never)]
fn work(steps: u32) -> u32 {
    (0..steps).fold(black_box(1), |x: u32, _| {
        black_box(x).wrapping_mul(1_664_525).wrapping_add(7)
    })
}

type Call = fn(u32);

/// Defines a function for each zone, as in a real program, and a counterpart without a zone.
macro_rules! calls {
    ($($name:ident)*) => {
        static ZONED: [Call; TURNS] = [$({
            #[inline(never)]
            fn $name(steps: u32) {
                iprof::zone!($name);
                work(steps);
            }
            $name
        }),*];
        static BARE: [Call; TURNS] = [$({
            #[inline(never)]
            fn $name(steps: u32) {
                work(steps);
            }
            $name
        }),*];
    };
}
calls!(a b c d e f g h i j k l m n o p);

fn main() -> std::io::Result<()> {
    if let Some(name) = value_of("--measure") {
        let case = CASES.iter().find(|case| case.name == name);
        let mode = value_of("--mode").expect("--mode needs a mode");
        println!("{}", measure(case.expect("unknown case name"), &mode));
        return Ok(());
    }
    let mut tsv = Tsv::new("budget", value_of("--tsv").as_deref())?;
    let only = value_of("--only").unwrap_or_default();
    let cases: Vec<&Case> = CASES.iter().filter(|c| c.name.contains(&only)).collect();
    let mut costs = vec![[const { Vec::new() }; MODES.len()]; cases.len()];
    for _ in 0..options::runs(RUNS) {
        for (case, costs) in cases.iter().zip(&mut costs) {
            for (mode, costs) in MODES.iter().zip(costs) {
                let output = Command::new(std::env::current_exe()?)
                    .args(["--measure", case.name, "--mode", mode])
                    .stderr(Stdio::inherit())
                    .output()?;
                assert!(output.status.success(), "{} failed", case.name);
                let text = String::from_utf8(output.stdout).expect("the output should be UTF-8");
                costs.push(
                    text.trim()
                        .parse::<f64>()
                        .expect("the output should be a number"),
                );
            }
        }
    }
    println!("percent of the thread's time; clocks: auto less sampled");
    print!("{:<36}", "zones a second, in blocks with zones");
    MODES.iter().for_each(|mode| print!(" {mode:>8}"));
    println!(" {:>8}", "clocks");
    for (case, costs) in cases.iter().zip(&mut costs) {
        let median = |costs: &mut Vec<f64>| {
            costs.sort_by(f64::total_cmp);
            costs[costs.len() / 2]
        };
        let costs = costs.each_mut().map(median);
        print!("{:<36}", case.name);
        costs.iter().for_each(|cost| print!(" {cost:>8.2}"));
        println!(" {:>8.2}", costs[3] - costs[2]);
        let baseline = format!("{}, {}", case.name, MODES[0]);
        for (mode, cost) in MODES.iter().zip(costs) {
            let name = format!("{}, {mode}", case.name);
            let ratio = 100.0 / (100.0 - cost);
            tsv.line(&name, cost, "percent of time", &baseline, ratio)?;
        }
    }
    Ok(())
}

/// Returns the zones' cost as a percentage of the total time.
fn measure(case: &Case, mode: &str) -> f64 {
    let zoned = if mode == MODES[0] { &BARE } else { &ZONED };
    iprof::set_timing(match mode {
        "exact" => Timing::Exact,
        "sampled" => Timing::SAMPLED,
        _ => Timing::AUTO,
    });
    // Find the number of calls that fill a block without zones.
    let step = (0..100).map(|_| time(|| work(100_000)));
    let step = step.min().expect("the range is not empty").as_nanos() as f64 / 100_000.0;
    let calls = (BLOCK.as_nanos() as f64 / step / f64::from(case.steps)) as usize;
    let cycle = case.busy + case.idle;
    let (mut differences, mut all) = (Vec::new(), 0.0);
    let begin = Instant::now();
    let (mut number, mut measuring) = (0, false);
    while begin.elapsed() < WARM_UP + TIME || number % cycle != 0 {
        // Measure whole cycles only.
        measuring |= begin.elapsed() > WARM_UP && number % cycle == 0;
        let zone = number.checked_div(case.turn).unwrap_or(0) % TURNS;
        let is_busy = number % cycle < case.busy;
        for _ in 0..PAIRS {
            let block = |call: Call| time(|| (0..calls).for_each(|_| call(case.steps)));
            let bare = block(BARE[zone]).as_nanos() as f64;
            let other = block(if is_busy { zoned[zone] } else { BARE[zone] }).as_nanos() as f64;
            if measuring {
                all += bare + other;
                differences.extend(is_busy.then_some(other - bare));
            }
        }
        number += 1;
        iprof::update(true);
    }
    differences.sort_by(f64::total_cmp);
    let count = differences.len();
    let kept = &differences[count / 20..count - count / 20];
    let cost = kept.iter().sum::<f64>() / kept.len() as f64 * count as f64;
    cost / all * 100.0
}

fn time<R>(f: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}
