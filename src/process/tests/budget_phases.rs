//! Auto's budget over programs whose zones come in phases: a million and ten million a second.

use super::budget::begin_auto;
use crate::gather::class;
use crate::gather::cost::ZoneCost;
use crate::gather::scripted::ScriptedThread;
use crate::gather::switch::cutoff;
use crate::process::core::Process;
use crate::{Zone, clock::Pair};

static FRAME_ZONE: Zone = Zone::new("frame", "", 0, "");
static HOT: [Zone; 16] = [const { Zone::new("hot", "", 0, "") }; 16];

const FRAME: u64 = 16_000_000;
const BUDGET: f64 = 0.01;
/// One zone here stands for a hundred, for the tests' sake: 20 ns with a clock, 0.5 ns without.
const TOGETHER: u64 = 100;
const COST: ZoneCost = ZoneCost {
    timed: 2_000.0,
    inside: 800.0,
    counted: 50.0,
};

/// What recording has cost.
struct Run {
    thread: ScriptedThread,
    process: Process,
    now: u64,
    counting: f64,
    clocks: f64,
    time: f64,
}

impl Run {
    fn new() -> Run {
        let (thread, mut process) = begin_auto();
        // Twice, for it is agreed on by two measurements.
        process.cost = Default::default();
        process.measured(Some(COST));
        process.measured(Some(COST));
        Run {
            thread,
            process,
            now: 1,
            counting: 0.0,
            clocks: 0.0,
            time: 0.0,
        }
    }

    /// A frame in which each of these zones is entered so many times a second.
    fn frame(&mut self, zones: &[(&'static Zone, u64)]) {
        let end = self.now + FRAME;
        self.thread.enter(&FRAME_ZONE, self.now);
        for (zone, per_second) in zones {
            let entries = per_second / TOGETHER * (FRAME / 1_000) / 1_000_000;
            for _ in 0..entries {
                self.now += FRAME / (entries + 1) / zones.len() as u64;
                self.thread.enter(zone, self.now);
                self.counting += COST.counted;
                let node = self.thread.record().current().unwrap();
                if node.class() != class::SHORT {
                    self.clocks += COST.timed - COST.counted;
                }
                self.thread.leave(self.now);
            }
        }
        self.now = end;
        self.thread.leave(self.now);
        let record = self.thread.record();
        self.process
            .update(&[record], record, Pair::both(self.now), true);
        self.thread.follow(cutoff::AUTO, self.now);
        self.time += FRAME as f64;
    }

    fn forget(&mut self) {
        (self.counting, self.clocks, self.time) = (0.0, 0.0, 0.0);
    }
}

const MILLION: u64 = 1_000_000;

#[test]
fn phases_of_any_length_keep_the_budget() {
    for rate in [MILLION, 10 * MILLION] {
        for (fast, slow) in [
            (1, 1),
            (3, 3),
            (2, 30),
            (20, 20),
            (60, 200),
            (1, 70),
            (5, 300),
        ] {
            let mut run = Run::new();
            let mut parts = [0.0; 2];
            // The first second, and the minute after it.
            for (part, seconds) in parts.iter_mut().zip([1, 60]) {
                run.forget();
                for number in 0..seconds * 1_000_000_000 / FRAME {
                    let is_fast = number % (fast + slow) < fast;
                    run.frame(&[(&HOT[0], if is_fast { rate } else { 1_000 })]);
                }
                *part = run.clocks / run.time;
                let counting = run.counting / run.time;
                let what = format!(
                    "{rate} a second for {fast} frames of {}: clocks {:.3} %, counting {:.3} %",
                    fast + slow,
                    *part * 100.0,
                    counting * 100.0
                );
                println!("{what}");
                let allowed = (BUDGET - counting).max(BUDGET / 10.0);
                // Of the first burst nothing is known before it is over: one frame.
                let first = rate as f64 * 20e-9 * (FRAME as f64 * 1e-9) / seconds as f64;
                assert!(*part <= allowed + first, "{what}");
            }
        }
    }
}

/// Other zones are hot in every phase: each has to be found by itself.
#[test]
fn zones_that_take_turns_at_being_hot_keep_the_budget() {
    for rate in [MILLION, 10 * MILLION] {
        for frames in [1, 2, 5, 10, 60] {
            let mut run = Run::new();
            for (seconds, what) in [(20, "first"), (60, "then")] {
                run.forget();
                for number in 0..seconds * 1_000_000_000 / FRAME {
                    let hot = (number / frames % 16) as usize;
                    run.frame(&[(&HOT[hot], rate)]);
                }
                let (clocks, counting) = (run.clocks / run.time, run.counting / run.time);
                let what = format!(
                    "{rate} a second in turns of {frames}, {what} {seconds} s: clocks {:.3} %, counting {:.3} %",
                    clocks * 100.0,
                    counting * 100.0
                );
                println!("{what}");
                let allowed = (BUDGET - counting).max(BUDGET / 10.0);
                let first = 16.0 * rate as f64 * 20e-9 * (FRAME as f64 * 1e-9) / seconds as f64;
                assert!(clocks <= allowed + first, "{what}");
            }
        }
    }
}
