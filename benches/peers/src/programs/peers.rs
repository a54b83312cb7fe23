//! What a zone costs, alone in a loop: iprof beside its peers.
//!
//! Each contender and each case has a process of its own; they take turns, many times. Minimum and
//! median are printed, the ratio of the minimum to two bare reads of the counter in the same run,
//! and the processor time of all of the process's threads per zone. Before that, every contender is
//! asked what it counted.

use super::Program;
use crate::clock::{Reading, median};
use crate::contender::{CASES, CONTENDERS, Contender, FLOOR, Plan, TRUTH};
use crate::machine::introduce;
use crate::options::Options;
use crate::tally::{differences, watch};
use crate::tsv::Tsv;
use crate::worker::{Worker, counts_from, tell_counts};
use std::io::{BufRead, Result, stdin};

/// Stretches between two answers, and answers.
const STRETCHES: usize = 8;
const ANSWERS: usize = 50;

pub(super) const PROGRAM: Program = Program {
    name: "peers",
    own: &[],
    work,
    only,
    all,
};

pub fn main() -> Result<()> {
    PROGRAM.main()
}

fn only(contender: &Contender, options: &Options) {
    (contender.start)();
    for (case, name) in CASES.iter().enumerate() {
        let mut times = Vec::new();
        for _ in 0..options.runs.unwrap_or(ANSWERS) {
            times.extend(stretches(contender, case));
        }
        let median = median(&mut times);
        println!("{name:<26} {:>9.2} {median:>9.2} ns", times[0]);
    }
}

fn all(options: &Options) -> Result<()> {
    let answers = options.runs.unwrap_or(ANSWERS);
    introduce(
        "ns per zone: a zone alone in a loop",
        &CONTENDERS.iter().collect::<Vec<_>>(),
    );
    let recorded = check()?;
    let mut tsv = Tsv::new("peers", options.tsv.as_deref())?;
    let mut baseline = None;
    for (case, case_name) in CASES.iter().enumerate() {
        println!(
            "{case_name:<26} {:>9} {:>9} {:>7} {:>9}  counts",
            "minimum", "median", "ratio", "cpu"
        );
        let job = case.to_string();
        let start = |one: &Contender| Worker::start(one.name, &job, &[]);
        let mut workers = CONTENDERS.iter().map(start).collect::<Result<Vec<_>>>()?;
        let mut times = vec![Vec::new(); CONTENDERS.len()];
        for _ in 0..answers {
            for (worker, times) in workers.iter_mut().zip(&mut times) {
                times.extend(worker.ask("go")?);
            }
        }
        let floor = CONTENDERS.iter().position(|one| one.name == FLOOR);
        for times in &mut times {
            median(times);
        }
        let baseline = *baseline.get_or_insert(times[floor.expect("the baseline")][0]);
        for (at, worker) in workers.iter_mut().enumerate() {
            let (name, times) = (CONTENDERS[at].name, &times[at]);
            let cpu = worker.ask("end")?[0] / (answers * STRETCHES) as f64;
            let cpu = cpu / f64::from(Plan::CASE_ZONES);
            let (minimum, median) = (times[0], times[times.len() / 2]);
            let ratio = minimum / baseline;
            let recorded = recorded[at];
            println!(
                "  {name:<24} {minimum:>9.2} {median:>9.2} {ratio:>7.3} {cpu:>9.2}  {recorded}"
            );
            let case = format!("{name}, {case_name}");
            tsv.line(&case, minimum, "ns", FLOOR, ratio)?;
            tsv.line(&format!("{case}, cpu"), cpu, "ns", FLOOR, cpu / baseline)?;
        }
        for worker in workers {
            worker.finish()?;
        }
        println!();
    }
    Ok(())
}

/// Has every contender count one stretch of each case.
fn check() -> Result<Vec<&'static str>> {
    let counts = |name: &str| -> Result<_> {
        let mut all = Vec::new();
        for case in 0..CASES.len() {
            let worker = Worker::start(name, &format!("check {case}"), &[])?;
            all.push(counts_from(&worker.finish()?));
        }
        Ok(all)
    };
    let truth = counts(TRUTH)?;
    let mut recorded = Vec::new();
    for contender in CONTENDERS {
        if contender.counts.is_none() {
            recorded.push("-");
            continue;
        }
        for (wanted, counted) in truth.iter().zip(counts(contender.name)?) {
            assert!(!wanted.is_empty(), "the truth was not told");
            let wrong = differences(wanted, &counted, contender.tolerance);
            assert!(wrong.is_empty(), "{}: {wrong:?}", contender.name);
        }
        recorded.push(if contender.tolerance > 0.0 {
            "about"
        } else {
            "right"
        });
    }
    Ok(recorded)
}

fn work(contender: &Contender, job: &str, _: &Options) {
    if let Some(case) = job.strip_prefix("check ") {
        watch();
        (contender.start)();
        stretch(contender, case.parse().expect("a case's number"));
        (contender.second)();
        tell_counts(&contender.counts.expect("counts")());
        return;
    }
    let case = job.parse().expect("a case's number");
    (contender.start)();
    // The first makes the nodes.
    stretches(contender, case);
    let mut start = None;
    for line in stdin().lock().lines() {
        let start = start.get_or_insert_with(Reading::now);
        if line.expect("a question") == "end" {
            (contender.second)();
            println!("{}", start.spent().cpu_ns);
        } else {
            let times = stretches(contender, case).map(|ns| ns.to_string());
            println!("{}", times.join(" "));
        }
    }
}

/// One frame each; nanoseconds per zone.
fn stretches(contender: &Contender, case: usize) -> [f64; STRETCHES] {
    std::array::from_fn(|_| stretch(contender, case) / f64::from(Plan::CASE_ZONES))
}

fn stretch(contender: &Contender, case: usize) -> f64 {
    let start = Reading::now();
    (contender.open)();
    (contender.work.cases[case])();
    (contender.close)();
    let spent = start.spent();
    (contender.frame)();
    spent.wall_ns
}
