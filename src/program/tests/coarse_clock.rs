//! Tests with a coarse clock like the ones in browsers: sums of short calls are correct on average, and the report
//! states the clock's step.

use super::local::{frame_of, row};
use crate::clock::{Pair, mock};
use crate::gather::local;
use crate::zone;
use iprof_process::Profiler;
use iprof_report::View;
use iprof_report::query;

/// The length of a clock step in ns, as in Chromium.
const STEP: u64 = 100_000;
const CALLS: u32 = 20_000;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The true times of the zones `short` and `longer`, and the number of clock steps during each.
#[derive(Clone, Copy, Default)]
struct Truth {
    ns: [u64; 2],
    steps: [u64; 2],
}

/// Alternates calls to both zones, most of them shorter than a step, with pauses in between. Returns the zones' times
/// in ns according to the report, and the true times.
fn measure(seed: u64) -> ([u64; 2], Truth) {
    let (send, truths) = std::sync::mpsc::channel();
    let report = frame_of("coarse clock", move || {
        let mut random = Random(seed);
        let (mut now, mut truth) = (STEP, Truth::default());
        mock::set(now);
        mock::coarsen(STEP);
        let mut pass = |ns: u64, zone: Option<usize>| {
            let before = now;
            now += ns;
            mock::set(now);
            if let Some(zone) = zone {
                truth.ns[zone] += ns;
                truth.steps[zone] += now / STEP - before / STEP;
            }
        };
        for _ in 0..CALLS {
            pass(random.below(5_000), None);
            {
                zone!(short);
                pass(500 + random.below(9_000), Some(0));
            }
            pass(random.below(5_000), None);
            {
                zone!(longer);
                pass(5_000 + random.below(50_000), Some(1));
            }
        }
        // The frame ends on a step boundary.
        mock::set(now.next_multiple_of(STEP));
        send.send(truth).unwrap();
    });
    let found = ["short", "longer"].map(|zone| row(&report, zone));
    assert!(found.iter().all(|(_, count)| *count == f64::from(CALLS)));
    (found.map(|(ns, _)| ns), truths.recv().unwrap())
}

/// Each step is attributed to the zone that is open at that time, as if the clock had sampled the program once per
/// step. So if a zone's short calls take a total time `T`, the standard error of their sum is at most √(`T` · step).
#[test]
fn short_calls_sum_correctly_on_coarse_clock() {
    const SEEDS: u64 = 40;
    let mut errors = [0.0; 2];
    for seed in 1..=SEEDS {
        let (found, truth) = measure(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for zone in 0..2 {
            assert_eq!(found[zone], truth.steps[zone] * STEP, "seed {seed}");
            let sum = truth.ns[zone] as f64;
            let error = (found[zone] as f64 - sum) / (sum * STEP as f64).sqrt();
            assert!(error.abs() < 4.0, "seed {seed}: {error} standard errors");
            errors[zone] += error / (SEEDS as f64).sqrt();
        }
    }
    // The mean errors over all seeds, in standard errors.
    assert!(errors.iter().all(|error| error.abs() < 4.0), "{errors:?}");
}

#[test]
fn title_shows_coarse_clock_step() {
    let run = || {
        let line = |step: u64| {
            mock::step(30);
            mock::coarsen(step);
            let record = local::record().unwrap();
            let mut profiler = Profiler::new(Pair::both(1_000));
            profiler.measure_clock_resolution();
            profiler.end_frame(&[record], record, Pair::both(1_000), false);
            profiler.end_frame(&[record], record, Pair::both(16_001_000), true);
            query::report(&profiler, &View::default(), None).title[1].clone()
        };
        let starts = |step: u64, start: &str| {
            let line = line(step);
            assert!(line.starts_with(start), "{line}");
        };
        starts(1, "exact  overhead");
        starts(5_000, "counts exact, 5 \u{b5}s clock");
        starts(STEP, "counts exact, 0.1 ms clock");
        starts(1_000_000, "counts exact, 1.0 ms clock");
    };
    let thread = std::thread::Builder::new().name("clock steps".into());
    thread.spawn(run).unwrap().join().unwrap();
}
