//! What zones cost in a whole program: the demo's ray tracer on one thread, ten million zones.
//!
//! The same picture three times over: with zones of some 250 ns on average, of some 110 ns, and,
//! with a zone around each branch that is searched, of some 30 ns. Every run is a process of its
//! own, and the contenders take turns run by run. Before that each has to trace the same picture
//! and is asked what it counted.

use super::Program;
use crate::clock::median;
use crate::contender::{CONTENDERS, Contender, GRAINS, PLAIN, Plan, TRUTH, Traced};
use crate::machine::introduce;
use crate::options::Options;
use crate::tally::{differences, watch};
use crate::tsv::Tsv;
use crate::worker::{Worker, counts_from, tell_counts};
use std::io::Result;

pub(super) const PROGRAM: Program = Program {
    name: "sphereflake",
    own: &[
        ("--coarse", "only the zones of some 250 ns"),
        ("--middle", "only the zones of some 110 ns"),
        ("--fine", "only the zones of some 30 ns"),
    ],
    work,
    only,
    all,
};

pub fn main() -> Result<()> {
    PROGRAM.main()
}

/// How often the picture is traced, and how many runs there are, for each of [`GRAINS`].
const TIMES: [usize; GRAINS.len()] = [40, 18, 5];
const RUNS: [usize; GRAINS.len()] = [3, 5, 9];

fn plan(grain: usize) -> Plan {
    Plan {
        width: 960,
        height: 540,
        flake_depth: 6,
        pass: 1,
        times: TIMES[grain],
        // Some 16 ms.
        tiles_per_frame: 128,
    }
}

fn trace(grain: usize, with: &Contender) -> Traced {
    (with.work.scenes[grain])(&plan(grain), with)
}

/// Those asked for, or all.
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
    let counting = job.strip_suffix(" check");
    let name = counting.unwrap_or(job);
    let grain = GRAINS.iter().position(|grain| *grain == name);
    let grain = grain.expect("a grain's name");
    if counting.is_some() {
        watch();
    }
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
    if let (Some(counts), true) = (contender.counts, counting.is_some()) {
        tell_counts(&counts());
    }
}

/// What stands behind a word in a worker's report.
fn value(text: &str, word: &str) -> Option<u64> {
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

fn measure(grain: usize, runs: usize, tsv: &mut Tsv) -> Result<()> {
    let (zones, checksum, frames, recorded) = check(grain)?;
    let run = |contender: &Contender| -> Result<(f64, f64)> {
        let text = Worker::start(contender.name, GRAINS[grain], &[])?.finish()?;
        assert_eq!(
            value(&text, "checksum"),
            Some(checksum),
            "{}",
            contender.name
        );
        let number = |word| value(&text, word).map_or(f64::NAN, |number| number as f64);
        Ok((number("wall"), number("cpu")))
    };
    let mut walls = vec![Vec::new(); CONTENDERS.len()];
    let mut cpus = walls.clone();
    for _ in 0..runs {
        for (at, contender) in CONTENDERS.iter().enumerate() {
            let (wall, cpu) = run(contender)?;
            walls[at].push(wall);
            cpus[at].push(cpu);
        }
    }
    let medians: Vec<f64> = walls.iter_mut().map(|times| median(times)).collect();
    cpus.iter_mut().for_each(|times| {
        median(times);
    });
    let plain = CONTENDERS.iter().position(|one| one.name == PLAIN);
    let plain = walls[plain.expect("the baseline")][0];
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

/// Has every contender trace the picture and say what it counted. Returns the true number of zones,
/// the picture's checksum, the frames, and what to say of each contender's counts.
fn check(grain: usize) -> Result<(u64, u64, u64, Vec<&'static str>)> {
    let job = format!("{} check", GRAINS[grain]);
    let text = Worker::start(TRUTH, &job, &[])?.finish()?;
    let truth = counts_from(&text);
    let zones = truth.values().sum();
    let number = |word| value(&text, word).expect("the truth tells all");
    let mut recorded = Vec::new();
    for contender in CONTENDERS {
        if contender.counts.is_none() {
            recorded.push("-");
            continue;
        }
        let counted = counts_from(&Worker::start(contender.name, &job, &[])?.finish()?);
        let wrong = differences(&truth, &counted, contender.tolerance);
        assert!(wrong.is_empty(), "{}: {wrong:?}", contender.name);
        recorded.push(if contender.tolerance > 0.0 {
            "about"
        } else {
            "right"
        });
    }
    println!("{}: {truth:?}", GRAINS[grain]);
    Ok((zones, number("checksum"), number("frames"), recorded))
}
