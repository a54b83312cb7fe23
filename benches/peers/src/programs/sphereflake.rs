//! Measures the cost of zones in a whole program: the demo's ray tracer on one thread, with ten million zones.
//!
//! The same picture is traced with zones of about 290, 120 and 30 ns on average. Each run is a separate process, and
//! the contenders take turns after each run.
//!
//! After each run, the picture must be identical, and the recorded entry counts are checked. A dash means that there
//! are no counts: for iprof when it is off, for the baselines, and for Tracy's client, which sends its data only to a
//! server.

use super::Program;
use crate::contender::{CONTENDERS, Contender, GRAINS, PLAIN, Plan, TRUTH, Traced, contender};
use crate::entry_counts::Counts;
use crate::machine::introduce;
use crate::median::median;
use crate::options::Options;
use crate::tsv::Tsv;
use crate::worker::{Worker, counts_from, print_counts};
use std::io::Result;

pub(super) const PROGRAM: Program = Program {
    name: "sphereflake",
    own: &[
        ("--coarse", "only the zones of some 290 ns"),
        ("--middle", "only the zones of some 120 ns"),
        ("--fine", "only the zones of some 30 ns"),
    ],
    work,
    only,
    all,
};

pub fn main() -> Result<()> {
    PROGRAM.main()
}

/// The number of times that the picture is traced, and the number of runs, for each of [`GRAINS`].
const TIMES: [usize; GRAINS.len()] = [38, 16, 4];
const RUNS: [usize; GRAINS.len()] = [3, 5, 9];

fn plan(grain: usize) -> Plan {
    Plan {
        width: 960,
        height: 540,
        flake_depth: 6,
        pass: 1,
        times: TIMES[grain],
        // A frame takes about 16 ms.
        tiles_per_frame: 128,
    }
}

fn trace(grain: usize, with: &Contender) -> Traced {
    (with.work.scenes[grain])(&plan(grain), with)
}

/// Returns the grains that were requested, or all of them.
fn chosen(options: &Options) -> impl Iterator<Item = usize> {
    let given = |grain| options.flags.is_empty() || options.has(&format!("--{}", GRAINS[grain]));
    (0..GRAINS.len()).filter(move |&grain| given(grain))
}

fn only(contender: &Contender, options: &Options) {
    (contender.start)();
    for grain in chosen(options) {
        for _ in 0..options.runs.unwrap_or(1) {
            let traced = trace(grain, contender);
            let (wall, cpu) = (traced.spent.wall_ns / 1e9, traced.spent.cpu_ns / 1e9);
            println!("{}: {wall:.3} s, processor {cpu:.3} s", GRAINS[grain]);
        }
    }
}

fn work(contender: &Contender, job: &str, _: &Options) {
    let grain = GRAINS.iter().position(|grain| *grain == job);
    let grain = grain.expect("unknown grain");
    (contender.start)();
    let Traced {
        spent,
        checksum,
        frames,
    } = trace(grain, contender);
    println!("wall {}", spent.wall_ns);
    println!("cpu {}", spent.cpu_ns);
    println!("checksum {checksum}");
    println!("frames {frames}");
    if let Some(counts) = contender.counts {
        print_counts(&counts());
    }
}

fn value<T: std::str::FromStr>(text: &str, word: &str) -> Option<T> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.trim().parse().ok()
}

fn all(options: &Options) -> Result<()> {
    introduce(
        "a ray tracer, one thread: each picture ten million zones",
        &CONTENDERS.iter().collect::<Vec<_>>(),
    );
    let mut tsv = Tsv::new("sphereflake", options.tsv.as_deref())?;
    for grain in chosen(options) {
        measure(grain, options.runs.unwrap_or(RUNS[grain]), &mut tsv)?;
    }
    Ok(())
}

struct Run {
    wall_ns: f64,
    cpu_ns: f64,
    checksum: u64,
    frames: u64,
    counts: Counts,
}

fn run(contender: &Contender, grain: usize) -> Result<Run> {
    let text = Worker::start(contender.name, GRAINS[grain], &[])?.finish()?;
    let number = |word| value(&text, word).expect("the worker should print every value");
    let time = |word| value(&text, word).unwrap_or(f64::NAN);
    Ok(Run {
        wall_ns: time("wall"),
        cpu_ns: time("cpu"),
        checksum: number("checksum"),
        frames: number("frames"),
        counts: counts_from(&text),
    })
}

fn measure(grain: usize, runs: usize, tsv: &mut Tsv) -> Result<()> {
    let truth = run(
        contender(TRUTH).expect("the truth should be a contender"),
        grain,
    )?;
    let zones: u64 = truth.counts.values().sum();
    let frames = truth.frames;
    println!("{}: {:?}", GRAINS[grain], truth.counts);
    let mut walls = vec![Vec::new(); CONTENDERS.len()];
    let mut cpus = walls.clone();
    let mut recorded = vec![""; CONTENDERS.len()];
    for _ in 0..runs {
        for (at, contender) in CONTENDERS.iter().enumerate() {
            let done = run(contender, grain)?;
            assert_eq!(done.checksum, truth.checksum, "{}", contender.name);
            recorded[at] = contender.verdict(&truth.counts, &done.counts);
            walls[at].push(done.wall_ns);
            cpus[at].push(done.cpu_ns);
        }
    }
    let medians: Vec<f64> = walls.iter_mut().map(|times| median(times)).collect();
    cpus.iter_mut().for_each(|times| {
        times.sort_by(f64::total_cmp);
    });
    let plain = CONTENDERS.iter().position(|one| one.name == PLAIN);
    let plain = walls[plain.expect("the baseline should be a contender")][0];
    let each = plain / zones as f64;
    println!(
        "{}: {zones} zones of {each:.1} ns, {frames} frames, {runs} runs",
        GRAINS[grain]
    );
    println!(
        "  {:<22} {:>8} {:>8} {:>8} {:>9} {:>9}  counts",
        "seconds, ns per zone", "minimum", "median", "/ plain", "added ns", "added cpu"
    );
    for (at, contender) in CONTENDERS.iter().enumerate() {
        let (wall, cpu) = (walls[at][0], cpus[at][0]);
        let added = |time: f64| (time - plain) / zones as f64;
        let ratio = wall / plain;
        println!(
            "  {:<22} {:>8.3} {:>8.3} {ratio:>8.3} {:>9.2} {:>9.2}  {}",
            contender.name,
            wall / 1e9,
            medians[at] / 1e9,
            added(wall),
            added(cpu),
            recorded[at]
        );
        let case = format!("{}, {}", contender.name, GRAINS[grain]);
        tsv.line(&case, wall / 1e6, "ms", PLAIN, ratio)?;
        tsv.line(&format!("{case}, cpu"), cpu / 1e6, "ms", PLAIN, cpu / plain)?;
    }
    println!();
    Ok(())
}
