//! Measures the cost of a zone in a loop by itself, for iprof and other profilers.
//!
//! Each combination of contender and case runs in a separate process, and these processes take turns many times. The
//! table shows the minimum and the median time, the ratio of the minimum to the minimum of two bare counter reads in
//! the same run, and the CPU time of all threads per zone.
//!
//! After the measurement, the recorded entry counts are checked in the same process. A dash means that there are no
//! counts: for iprof when it is off, for the baselines, and for Tracy's client, which sends its data only to a server.

use super::Program;
use crate::clock::Reading;
use crate::contender::{CASES, CONTENDERS, Contender, FLOOR, MOST_FRAMES, Plan, SPANS, TRUTH};
use crate::entry_counts::Counts;
use crate::machine::introduce;
use crate::median::median;
use crate::options::Options;
use crate::tsv::Tsv;
use crate::worker::{Worker, counts_from, print_counts};
use std::io::{BufRead, Error, Result, stdin};

/// The number of batches per answer, and the number of answers.
const BATCHES: usize = 8;
const ANSWERS: usize = 50;
/// The maximum number of answers. One more batch runs before the first answer, to create the nodes.
const MOST_ANSWERS: usize = MOST_FRAMES / BATCHES - 1;

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
            times.extend(batches(contender, case));
        }
        let median = median(&mut times);
        println!("{name:<26} {:>9.2} {median:>9.2} ns", times[0]);
    }
}

fn all(options: &Options) -> Result<()> {
    let answers = options.runs.unwrap_or(ANSWERS);
    if answers > MOST_ANSWERS {
        return Err(Error::other(format!(
            "at most {MOST_ANSWERS} --runs can be counted"
        )));
    }
    let contenders: Vec<&Contender> = CONTENDERS.iter().chain(SPANS).collect();
    introduce("ns per zone: a zone alone in a loop", &contenders);
    let mut tsv = Tsv::new("peers", options.tsv.as_deref())?;
    let mut baseline = None;
    for (case, case_name) in CASES.iter().enumerate() {
        println!(
            "{case_name:<26} {:>9} {:>9} {:>7} {:>9}  counts",
            "minimum", "median", "ratio", "cpu"
        );
        let job = case.to_string();
        let start = |one: &Contender| Worker::start(one.name, &job, &[]);
        let start_all = contenders.iter().copied().map(start);
        let mut workers = start_all.collect::<Result<Vec<_>>>()?;
        let mut times = vec![Vec::new(); contenders.len()];
        for _ in 0..answers {
            for (worker, times) in workers.iter_mut().zip(&mut times) {
                times.extend(worker.ask("go")?);
            }
        }
        let floor = contenders.iter().position(|one| one.name == FLOOR);
        for times in &mut times {
            times.sort_by(f64::total_cmp);
        }
        let baseline =
            *baseline.get_or_insert(times[floor.expect("the floor should be a contender")][0]);
        let wanted = truth(&job, answers)?;
        for ((contender, mut worker), times) in contenders.iter().zip(workers).zip(&times) {
            let name = contender.name;
            let cpu = worker.ask("end")?[0] / (answers * BATCHES) as f64;
            let cpu = cpu / f64::from(Plan::CASE_ZONES);
            let (minimum, median) = (times[0], times[times.len() / 2]);
            let ratio = minimum / baseline;
            let recorded = contender.verdict(&wanted, &counts_from(&worker.finish()?));
            println!(
                "  {name:<24} {minimum:>9.2} {median:>9.2} {ratio:>7.3} {cpu:>9.2}  {recorded}"
            );
            let case = format!("{name}, {case_name}");
            tsv.line(&case, minimum, "ns", FLOOR, ratio)?;
            tsv.line(&format!("{case}, cpu"), cpu, "ns", FLOOR, cpu / baseline)?;
        }
        println!();
    }
    Ok(())
}

/// Returns the entries that a contender should have counted after the given number of answers.
fn truth(job: &str, answers: usize) -> Result<Counts> {
    let mut counts = counts_from(&Worker::start(TRUTH, job, &[])?.finish()?);
    for entries in counts.values_mut() {
        *entries *= answers as u64 + 1;
    }
    Ok(counts)
}

fn work(contender: &Contender, job: &str, _: &Options) {
    let case = job.parse().expect("the job should be a case's number");
    (contender.start)();
    // The first batches create the nodes.
    batches(contender, case);
    let mut start = None;
    for line in stdin().lock().lines() {
        let start = start.get_or_insert_with(Reading::now);
        if line.expect("failed to read a question") == "end" {
            (contender.second)();
            println!("{}", start.spent().cpu_ns);
        } else {
            let times = batches(contender, case).map(|ns| ns.to_string());
            println!("{}", times.join(" "));
        }
    }
    if let Some(counts) = contender.counts {
        print_counts(&counts());
    }
}

/// Runs one batch per frame, and returns the nanoseconds per zone of each batch.
fn batches(contender: &Contender, case: usize) -> [f64; BATCHES] {
    std::array::from_fn(|_| batch(contender, case) / f64::from(Plan::CASE_ZONES))
}

fn batch(contender: &Contender, case: usize) -> f64 {
    let start = Reading::now();
    (contender.open)();
    (contender.work.cases[case])();
    (contender.close)();
    let spent = start.spent();
    (contender.frame)();
    spent.wall_ns
}
