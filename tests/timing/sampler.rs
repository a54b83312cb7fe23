//! Tests that the sampler thread samples at the configured rate, and sleeps when there is nothing to sample.
//!
//! The tests count how many times the thread went to sleep, as reported by the Linux kernel.

use crate::measured::*;
use iprof::Timing;
use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Returns the contents of the sampler thread's file in /proc, if both the thread and the file exist.
fn read_sampler_file(file: &str) -> Option<String> {
    // Under Wine, this folder exists but belongs to a different process.
    if !cfg!(target_os = "linux") {
        return None;
    }
    let threads = fs::read_dir("/proc/self/task").ok()?.flatten();
    let is_sampler = |name: String| name.trim_end() == "iprof sampler";
    let mut threads = threads.map(|thread| thread.path());
    let sampler =
        threads.find(|thread| fs::read_to_string(thread.join("comm")).is_ok_and(is_sampler))?;
    fs::read_to_string(sampler.join(file)).ok()
}

/// Returns how many times the sampler has gone to sleep.
fn sleeps() -> Option<u64> {
    let status = read_sampler_file("status")?;
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    count.trim().parse().ok()
}

/// Returns the CPU time used by the sampler, in ms.
fn sampler_cpu_ms() -> Option<f64> {
    let times = read_sampler_file("schedstat")?;
    let ns: f64 = times.split_whitespace().next()?.parse().ok()?;
    Some(ns / 1e6)
}

/// Returns the overhead of the newest frame according to the title, in ms.
fn title_overhead_ms() -> f64 {
    let mut view = iprof::View::default();
    view.average = iprof::Average::Newest;
    let report = view.report(&iprof::profiler());
    let line = &report.title[1];
    let percent = line
        .split("overhead ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let percent: f64 = percent
        .and_then(|word| word.parse().ok())
        .expect("the title should show the overhead");
    let all_ms: f64 = report
        .rows
        .iter()
        .map(|row| row.value(iprof::ColumnId::SelfTime).unwrap().number)
        .sum();
    percent / 100.0 * all_ms
}

/// Starts the sampler. Returns whether this system counts how many times a thread goes to sleep.
fn can_count_sleeps() -> bool {
    iprof::set_timing(Timing::SAMPLED);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        if sleeps().is_some() {
            return true;
        }
    }
    assert!(!cfg!(target_os = "linux") || fs::metadata("/proc/self/task").is_err());
    println!("skipped: this system does not count how often a thread sleeps");
    false
}

/// Returns the time that passes until the sampler has gone to sleep `more` more times.
fn time_until_sleeps(more: u64) -> Duration {
    let (start, before) = (Instant::now(), sleeps());
    while sleeps() < before.map(|before| before + more) {
        let passed = start.elapsed();
        assert!(
            passed < Duration::from_secs(20),
            "the sampler should not stop after {before:?} sleeps"
        );
        sleep(Duration::from_micros(200));
    }
    start.elapsed()
}

/// Records a frame with a few zones. Of all timing modes, only [`Timing::Sampled`] samples these zones.
fn frame() {
    {
        iprof::zone!(calm);
        sleep(Duration::from_millis(5));
    }
    iprof::update(true);
}

#[test]
fn sampler_sleeps_without_work() {
    let _alone = alone();
    if !can_count_sleeps() {
        return;
    }
    for timing in [Timing::Exact, Timing::Off, Timing::AUTO] {
        iprof::set_timing(Timing::SAMPLED);
        frame();
        time_until_sleeps(20);
        iprof::set_timing(timing);
        (0..10).for_each(|_| frame());
        let before = sleeps();
        // At a thousand samples per second, the sampler would sleep about two hundred times.
        (0..40).for_each(|_| frame());
        let after = sleeps();
        assert_eq!(after, before, "{timing:?}");
    }
    iprof::set_timing(Timing::Exact);
}

#[test]
fn new_sampling_rate_applies_at_once() {
    let _alone = alone();
    if !can_count_sleeps() {
        return;
    }
    let time = |_| {
        // The next sample is a second away on average.
        iprof::set_timing(Timing::Sampled { hz: 1.0 });
        sleep(Duration::from_millis(20));
        iprof::set_timing(Timing::Sampled { hz: 10_000.0 });
        time_until_sleeps(20)
    };
    let mut times: Vec<Duration> = (0..9).map(time).collect();
    times.sort_unstable();
    // Some intervals are longer by chance or on a busy machine, but most are 2 ms.
    assert!(times[4] < Duration::from_millis(200), "{times:?}");
    // Back at the low rate, the sampler must not continue at the high rate.
    iprof::set_timing(Timing::Sampled { hz: 1.0 });
    sleep(Duration::from_millis(50));
    let before = sleeps().expect("the sampler's entry in /proc should be readable");
    sleep(Duration::from_millis(500));
    let more = sleeps().expect("the sampler's entry in /proc should be readable") - before;
    assert!(
        more < 50,
        "{more} sleeps, compared with 5,000 at the high rate"
    );
    iprof::set_timing(Timing::Exact);
}

#[test]
fn title_shows_the_samplers_cpu_time() {
    let _alone = alone();
    if !can_count_sleeps() || sampler_cpu_ms().is_none() {
        return;
    }
    iprof::set_timing(Timing::Sampled { hz: 2_000.0 });
    (0..20).for_each(|_| frame());
    let (before, mut shown_ms) = (
        sampler_cpu_ms().expect("the sampler's entry in /proc should be readable"),
        0.0,
    );
    for _ in 0..200 {
        frame();
        shown_ms += title_overhead_ms();
    }
    let took = sampler_cpu_ms().expect("the sampler's entry in /proc should be readable") - before;
    // A few zones and `update` add some microseconds per frame.
    assert!(
        (took * 0.5..took * 2.0 + 4.0).contains(&shown_ms),
        "title shows {shown_ms} ms, sampler used {took} ms"
    );
    iprof::set_timing(Timing::Exact);
}
