//! Tests for the overhead budget in programs with phases, at one and ten million zones per second.

use super::overhead_limit::begin_auto;
use iprof_gather::class;
use iprof_gather::cost::ZoneCost;
use iprof_gather::mode::cutoff;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Profiler;

static FRAME_ZONE: Zone = Zone::new("frame", "", 0, "");
static HOT: [Zone; 16] = [const { Zone::new("hot", "", 0, "") }; 16];

const FRAME: u64 = 16_000_000;
const BUDGET: f64 = 0.01;
/// Each zone here represents 100 zones that cost 20 ns timed and 0.5 ns untimed, which keeps the tests fast.
const ZONES_IN_ONE: u64 = 100;
const COST: ZoneCost = ZoneCost {
    timed: 2_000.0,
    inside: 800.0,
    counted: 50.0,
};

struct Run {
    thread: ScriptedThread,
    profiler: Profiler,
    now: u64,
    counting: f64,
    clocks: f64,
    time: f64,
}

impl Run {
    fn new() -> Run {
        let (thread, mut profiler) = begin_auto();
        // Two measurements must agree before a cost is used.
        profiler.forget_zone_cost();
        profiler.add_cost_measurement(Some(COST));
        profiler.add_cost_measurement(Some(COST));
        Run {
            thread,
            profiler,
            now: 1,
            counting: 0.0,
            clocks: 0.0,
            time: 0.0,
        }
    }

    /// Ends a frame in which each zone is entered the given number of times per second.
    fn frame(&mut self, zones: &[(&'static Zone, u64)]) {
        let end = self.now + FRAME;
        self.thread.enter(&FRAME_ZONE, self.now);
        for (zone, per_second) in zones {
            let entries = per_second / ZONES_IN_ONE * (FRAME / 1_000) / 1_000_000;
            for _ in 0..entries {
                self.now += FRAME / (entries + 1) / zones.len() as u64;
                self.thread.enter(zone, self.now);
                self.counting += COST.counted;
                let node = self.thread.record().current().unwrap();
                if node.class() != class::UNTIMED_BY_AUTO {
                    self.clocks += COST.timed - COST.counted;
                }
                self.thread.leave(self.now);
            }
        }
        self.now = end;
        self.thread.leave(self.now);
        let record = self.thread.record();
        self.profiler
            .end_frame(&[record], record, Pair::both(self.now), true);
        self.thread.apply_mode(cutoff::AUTO, self.now);
        self.time += FRAME as f64;
    }

    fn forget(&mut self) {
        (self.counting, self.clocks, self.time) = (0.0, 0.0, 0.0);
    }
}

const MILLION: u64 = 1_000_000;

#[test]
fn phases_of_any_length_respect_the_limit() {
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
            // Check the first second, then the following minute.
            for (part, seconds) in parts.iter_mut().zip([1, 60]) {
                run.forget();
                for number in 0..seconds * 1_000_000_000 / FRAME {
                    let is_fast = number % (fast + slow) < fast;
                    run.frame(&[(&HOT[0], if is_fast { rate } else { 1_000 })]);
                }
                *part = run.clocks / run.time;
                let counting = run.counting / run.time;
                let what = format!(
                    "{rate} zones per second for {fast} frames of {}: clocks {:.3} %, counting {:.3} %",
                    fast + slow,
                    *part * 100.0,
                    counting * 100.0
                );
                println!("{what}");
                let allowed = (BUDGET - counting).max(BUDGET / 10.0);
                // The first burst becomes known only once it is over, which costs one frame.
                let first = rate as f64 * 20e-9 * (FRAME as f64 * 1e-9) / seconds as f64;
                assert!(*part <= allowed + first, "{what}");
            }
        }
    }
}

/// Each phase has a different hot zone, and every one of them must be found separately.
#[test]
fn alternating_hot_zones_respect_the_limit() {
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
                    "{rate} zones per second in turns of {frames}, {what} {seconds} s: clocks {:.3} %, counting {:.3} %",
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
