//! Tests with counters that stop, restart, jump, change their rate, or differ between cores.
//!
//! Whatever a counter does, no time is negative, no time exceeds the elapsed time by more than one percent, and entries
//! are exact. As soon as the counter works again, frames are correct again.
//!
//! This file is long because it contains both the simulated machine and a test for everything that its counter can do.

use super::snapshots::check_frame_sums;
use crate::query;
use crate::report::{ColumnId, Report, ReportMode};
use crate::view::View;
use iprof_gather::ThreadRecord;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::mode::cutoff;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::builder::snapshot_of;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;

static WORK: Zone = Zone::new("work", file!(), line!(), module_path!());
static PART: Zone = Zone::new("part", file!(), line!(), module_path!());
static SLEEP: Zone = Zone::new("sleep", file!(), line!(), module_path!());

/// The number of ticks per nanosecond while the counter works.
const RATE: u64 = 3;
/// The length of a frame in nanoseconds.
const FRAME: u64 = 16_000_000;
const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3_600 * SECOND;
const TOLERANCE: f64 = 0.01;
const WARNING: &str = "timestamp counter is not constant-rate; times may be wrong";

/// A machine with two threads. One thread works and calls `update`, and the other sleeps in a zone.
struct Machine {
    main: ScriptedThread,
    sleeper: ScriptedThread,
    profiler: Profiler,
    /// The counter.
    ticks: u64,
    /// The operating system's clock.
    ns: u64,
    /// The current rate, in ticks per two nanoseconds.
    rate_of_2: u64,
    /// The length of each frame in milliseconds, by the operating system's clock.
    frames: Vec<f64>,
    boundary_ns: u64,
    /// The number of times the sleeper entered its zone.
    naps: u64,
}

impl Machine {
    fn new() -> Machine {
        Machine::at(10 * HOUR * RATE)
    }

    fn at(ticks: u64) -> Machine {
        let ns = 1_000;
        let main = ScriptedThread::begin("main", ticks);
        let sleeper = ScriptedThread::begin("sleeper", ticks);
        sleeper.enter(&SLEEP, ticks);
        let mut profiler = Profiler::new(Pair { ticks, ns });
        profiler.history_mut().set_capacity(4_096);
        Machine {
            main,
            sleeper,
            profiler,
            ticks,
            ns,
            rate_of_2: 2 * RATE,
            frames: Vec::new(),
            boundary_ns: ns,
            naps: 1,
        }
    }

    fn records(&self) -> [&'static ThreadRecord; 2] {
        [self.main.record(), self.sleeper.record()]
    }

    /// Advances the counter and the operating system's clock.
    fn pass(&mut self, ns: u64) {
        self.ns += ns;
        self.jump(ns * self.rate_of_2 / 2);
    }

    /// Makes the counter jump forward, or backward by wrapping around at 2^64.
    fn jump(&mut self, ticks: u64) {
        self.ticks = self.ticks.wrapping_add(ticks);
    }

    /// Ends a frame that consists of four equal periods: before `work`, in `work` before `part`, in `part`, and in
    /// `work` after `part`. `change` may change the counter before `part` ends.
    fn frame(&mut self, change: impl FnOnce(&mut Machine)) {
        self.pass(FRAME / 4);
        self.main.enter(&WORK, self.ticks);
        self.pass(FRAME / 4);
        self.main.enter(&PART, self.ticks);
        self.pass(FRAME / 4);
        change(self);
        self.main.leave(self.ticks);
        self.pass(FRAME / 4);
        self.main.leave(self.ticks);
        self.update();
    }

    fn update(&mut self) {
        let records = self.records();
        let pair = Pair {
            ticks: self.ticks,
            ns: self.ns,
        };
        // A snapshot must have no effect, whatever the counter does.
        snapshot_of(&mut self.profiler, &records, pair, false);
        self.profiler.end_frame(&records, records[0], pair, true);
        self.frames.push((self.ns - self.boundary_ns) as f64 * 1e-6);
        self.boundary_ns = self.ns;
        self.check(self.frames.len());
    }

    /// Makes the sleeper leave its zone and enter it again in the middle of a frame.
    fn wake_and_sleep(&mut self) {
        self.frame(|machine| {
            machine.sleeper.leave(machine.ticks);
            machine.sleeper.enter(&SLEEP, machine.ticks);
            machine.naps += 1;
        });
    }

    fn steady(&mut self, frames: u32) {
        for _ in 0..frames {
            self.frame(|_| ());
        }
    }

    /// Returns a thread's report of a frame. Frame numbers start at 1.
    fn report(&self, thread: u32, frame: usize) -> Report {
        let mut view = View::default();
        view.report_mode = ReportMode::HierarchicalTime;
        view.set_threads(Threads::One(ThreadId(thread)));
        view.frame = Frames::Number(frame as u64);
        query::report(&self.profiler, &view, None)
    }

    fn check(&self, frame: usize) {
        let most = self.frames[frame - 1] * (1.0 + TOLERANCE);
        for thread in 0..2 {
            let mut sum = 0.0;
            for row in self.report(thread, frame).rows {
                let [self_ms, hier] = row.numbers([ColumnId::SelfTime, ColumnId::HierarchicalTime]);
                assert!(
                    0.0 <= self_ms && self_ms <= hier && hier <= most,
                    "frame {frame}: {} has self {self_ms} ms, hier {hier} ms, limit {most} ms",
                    row.name
                );
                sum += self_ms;
            }
            assert!(
                sum <= most,
                "frame {frame}: self times sum to {sum}, limit {most}"
            );
        }
    }

    /// Returns a row's self time in milliseconds and its entries.
    fn row(&self, thread: u32, frame: usize, zone: &str) -> (f64, f64) {
        let report = self.report(thread, frame);
        let row = report.rows.iter().find(|row| &*row.name == zone);
        row.map_or((0.0, 0.0), |row| {
            (row.number(ColumnId::SelfTime), row.number(ColumnId::Count))
        })
    }

    /// Checks that the last frame looks as if the counter had always worked.
    fn check_last_is_right(&self) {
        let frame = self.frames.len();
        for zone in ["work", "part"] {
            let (ms, entries) = self.row(0, frame, zone);
            let expected = if zone == "work" { 8.0 } else { 4.0 };
            assert!(
                (ms / expected - 1.0).abs() < TOLERANCE,
                "frame {frame}: {ms} ms in {zone}"
            );
            assert_eq!(entries, 1.0);
        }
        let (asleep, _) = self.row(1, frame, "sleep");
        let ms = self.frames[frame - 1];
        assert!(
            (asleep / ms - 1.0).abs() < TOLERANCE,
            "frame {frame}: {asleep} ms asleep"
        );
        let said = self.profiler.history().newest().unwrap().ms();
        assert!(
            (said / ms - 1.0).abs() < TOLERANCE,
            "frame {frame}: reported as {said} ms"
        );
    }

    fn warns(&self) -> bool {
        let warnings = query::report(&self.profiler, &View::default(), None).warnings;
        assert!(warnings.iter().all(|warning| warning == WARNING));
        !warnings.is_empty()
    }

    /// Checks that each zone has one entry per frame.
    fn check_entries(&self) {
        for zone in ["work", "part"] {
            let entries: f64 = (1..=self.frames.len())
                .map(|frame| self.row(0, frame, zone).1)
                .sum();
            assert_eq!(entries, self.frames.len() as f64, "entries of {zone}");
        }
        let slept: f64 = (1..=self.frames.len())
            .map(|frame| self.row(1, frame, "sleep").1)
            .sum();
        assert_eq!(slept, self.naps as f64);
        check_frame_sums(&self.profiler);
    }
}

/// Returns a machine that was suspended. The arguments specify which clocks ran during that time.
fn suspended(counter_runs: bool, clock_runs: bool) -> Machine {
    let mut machine = Machine::new();
    machine.steady(100);
    machine.frame(|machine| {
        machine.ticks += if counter_runs { HOUR * RATE } else { 0 };
        machine.ns += if clock_runs { HOUR } else { 0 };
    });
    machine
}

#[test]
fn suspension_of_both_clocks_is_invisible() {
    let mut machine = suspended(false, false);
    machine.check_last_is_right();
    machine.steady(100);
    machine.check_last_is_right();
    assert!(!machine.warns());
    machine.check_entries();
}

#[test]
fn suspension_of_one_clock_warns_and_costs_a_frame() {
    for (counter_runs, clock_runs) in [(true, false), (false, true), (true, true)] {
        let mut machine = suspended(counter_runs, clock_runs);
        // The reported frame length must match the operating system's clock.
        let ms = machine.frames[100];
        let said = machine.profiler.history().newest().unwrap().ms();
        assert!(
            (said / ms - 1.0).abs() < TOLERANCE,
            "reported {said} of {ms} ms"
        );
        // If both clocks ran, the frame was simply long.
        let differ = counter_runs != clock_runs;
        assert_eq!(machine.warns(), differ);
        machine.steady(1);
        machine.check_last_is_right();
        assert_eq!(machine.warns(), differ);
        machine.steady(500);
        machine.check_last_is_right();
        assert!(!machine.warns(), "the warning should have expired");
        machine.check_entries();
    }
}

/// The counter restarts near zero. The operating system's clock may keep running in the meantime.
#[test]
fn counter_restart_with_open_zones_costs_a_frame() {
    for clock_runs in [0, HOUR] {
        let mut machine = Machine::new();
        machine.steady(100);
        machine.frame(|machine| {
            machine.ticks = 1_000;
            machine.ns += clock_runs;
        });
        assert!(machine.warns());
        for _ in 0..5 {
            machine.steady(1);
            machine.check_last_is_right();
        }
        machine.wake_and_sleep();
        for _ in 0..5 {
            machine.steady(1);
            machine.check_last_is_right();
        }
        // Restart again, with the state that the first restart left behind.
        machine.frame(|machine| machine.ticks = 1_000);
        machine.steady(1);
        machine.check_last_is_right();
        // Restart before the sleeper has noticed the previous restart.
        machine.frame(|machine| machine.ticks = 500);
        machine.steady(1);
        machine.check_last_is_right();
        machine.wake_and_sleep();
        machine.steady(1);
        machine.check_last_is_right();
        machine.steady(500);
        assert!(!machine.warns());
        machine.check_entries();
    }
}

#[test]
fn counter_jump_ahead_and_back_costs_two_frames() {
    let mut machine = Machine::new();
    machine.steady(100);
    machine.frame(|machine| machine.ticks += HOUR * RATE);
    assert!(machine.warns());
    machine.frame(|machine| machine.ticks -= HOUR * RATE);
    assert!(machine.warns());
    for _ in 0..5 {
        machine.steady(1);
        machine.check_last_is_right();
    }
    machine.wake_and_sleep();
    for _ in 0..5 {
        machine.steady(1);
        machine.check_last_is_right();
    }
    machine.steady(500);
    assert!(!machine.warns());
    machine.check_entries();
}

#[test]
fn counter_jump_within_a_frame_costs_that_frame() {
    let mut machine = Machine::new();
    machine.steady(100);
    machine.frame(|machine| {
        machine.ticks += HOUR * RATE;
        machine.main.leave(machine.ticks);
        machine.ticks -= HOUR * RATE;
        machine.main.enter(&PART, machine.ticks);
    });
    machine.steady(1);
    machine.check_last_is_right();
}

#[test]
fn rate_change_by_half_is_followed_at_once() {
    for slower in [true, false] {
        let mut machine = Machine::new();
        machine.steady(100);
        let change = |machine: &mut Machine, slower: bool| {
            machine.rate_of_2 = if slower {
                machine.rate_of_2 / 2
            } else {
                machine.rate_of_2 * 2
            };
        };
        // The rate changes in the middle of a frame, first in one direction, then back.
        for slower in [slower, !slower] {
            machine.frame(|machine| change(machine, slower));
            machine.steady(1);
            assert!(machine.warns());
            for _ in 0..100 {
                machine.steady(1);
                machine.check_last_is_right();
            }
            assert!(machine.warns());
            machine.steady(500);
            machine.check_last_is_right();
            assert!(!machine.warns());
        }
        machine.check_entries();
    }
}

/// A thread migrates to a different core, and therefore to a different counter, with every zone.
///
/// A thread's clock is the highest counter value that it has read, so it lies between the counters of the lowest and
/// the highest core. A thread's total is off by at most the difference between cores, no matter how many times it
/// migrates. A zone's time is off by at most that difference per migration in it, and its neighbor's time compensates
/// for it.
#[test]
fn time_errors_stay_within_core_differences() {
    const CORES: [u64; 3] = [300, 0, 120];
    const ZONE: u64 = 50;
    const ZONES: u64 = 4_000;
    let mut machine = Machine::new();
    let start = machine.ticks;
    let mut random = 1u64;
    let mut now = start;
    let mut counter = |machine: &mut Machine, now: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
        // Switch cores after one or more zones.
        let at = (random >> 60) as usize % CORES.len();
        machine.ticks = now + CORES[at];
    };
    for _ in 0..20 {
        for _ in 0..ZONES {
            now += ZONE;
            counter(&mut machine, now);
            machine.main.enter(&WORK, machine.ticks);
            now += ZONE;
            counter(&mut machine, now);
            machine.main.enter(&PART, machine.ticks);
            now += ZONE;
            counter(&mut machine, now);
            machine.main.leave(machine.ticks);
            now += ZONE;
            counter(&mut machine, now);
            machine.main.leave(machine.ticks);
        }
        machine.ns += ZONES * ZONE * 4 / RATE;
        machine.update();
        let frame = machine.profiler.history().newest().unwrap();
        let sum = |thread| frame.deltas_of(thread).iter().map(|s| s.ticks).sum::<u64>();
        // The sum is exact to the tick, whichever cores the boundaries were read on.
        assert_eq!([sum(0), sum(1)], [frame.ticks; 2]);
        assert!(frame.ticks.abs_diff(ZONES * ZONE * 4) <= 300);
    }
    let frames = machine.profiler.history().iter();
    let total: u64 = frames.map(|frame| frame.ticks).sum();
    assert!(total.abs_diff(now - start) <= 300, "total is {total}");
    let record = machine.main.record();
    let counted: u64 = (0..record.node_count())
        .map(|node| record.node(node).unwrap().totals().0)
        .sum();
    assert!(counted.abs_diff(now - start) <= 300, "counted {counted}");
    let entries = |node| record.node(node).unwrap().totals().1;
    assert_eq!([entries(1), entries(2)], [20 * ZONES; 2]);
    assert!(!machine.warns());
}

/// Forward jumps of a counter. Most of them are backward jumps modulo 2^64. Their sizes range from an hour down to a
/// thousand ticks more than the tolerated difference between cores.
const JUMPS: [u64; 15] = [
    1 << 20,
    HOUR * RATE,
    (1 << 59) - (1 << 40),
    (1 << 59) - 1,
    1 << 59,
    1 << 60,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    1 << 63 | 1 << 62,
    u64::MAX - (1 << 60),
    u64::MAX - (1 << 59),
    u64::MAX - (1 << 58),
    u64::MAX - HOUR * RATE,
    u64::MAX - (1 << 19) - 1_000,
];

#[test]
fn jump_of_any_size_costs_one_frame() {
    for first in JUMPS {
        for second in JUMPS {
            let mut machine = Machine::new();
            machine.steady(3);
            for jump in [first, second] {
                machine.frame(|machine| machine.jump(jump));
                for _ in 0..2 {
                    machine.steady(1);
                    machine.check_last_is_right();
                }
                machine.wake_and_sleep();
                machine.steady(1);
                machine.check_last_is_right();
            }
            machine.check_entries();
        }
    }
}

/// The jumps add up to more than a signed number can represent.
#[test]
fn repeated_jumps_ahead_cost_one_frame_each() {
    let mut machine = Machine::new();
    machine.steady(3);
    for _ in 0..20 {
        machine.frame(|machine| machine.jump((1 << 59) - (1 << 40)));
        machine.steady(1);
        machine.steady(1);
        machine.check_last_is_right();
        machine.wake_and_sleep();
    }
    machine.steady(1);
    machine.check_last_is_right();
    machine.check_entries();
}

#[test]
fn counter_wraparound_costs_nothing() {
    for quarters in 0..8 {
        let before = quarters * FRAME / 4 * RATE + FRAME / 8 * RATE;
        let mut machine = Machine::at(u64::MAX - before);
        for _ in 0..4 {
            machine.steady(1);
            machine.check_last_is_right();
        }
        machine.wake_and_sleep();
        machine.steady(1);
        machine.check_last_is_right();
        assert!(!machine.warns());
        machine.check_entries();
    }
}

#[test]
fn stopped_counter_costs_only_affected_frames() {
    let mut machine = Machine::new();
    machine.steady(20);
    machine.frame(|machine| machine.rate_of_2 = 0);
    machine.steady(20);
    let still = machine.frames.len();
    assert_eq!(machine.row(0, still, "work"), (0.0, 1.0));
    assert!(machine.warns());
    machine.frame(|machine| machine.rate_of_2 = 2 * RATE);
    for _ in 0..5 {
        machine.steady(1);
        machine.check_last_is_right();
    }
    machine.check_entries();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// There may be several jumps per frame, in any timing mode.
    #[test]
    fn entries_and_frames_stay_sane_with_any_counter(
        begin in prop_oneof![any::<u64>(), u64::MAX - FRAME * RATE * 9..=u64::MAX],
        frames in prop::collection::vec(
            prop::collection::vec((any::<u64>(), 0u32..64, any::<bool>(), any::<bool>()), 0..4),
            1..6,
        ),
        cutoff in cutoff::SAMPLED..=cutoff::EXACT,
    ) {
        let mut machine = Machine::at(begin);
        machine.main.apply_mode(cutoff, begin);
        machine.steady(2);
        let (mut works, mut parts) = (0, 0);
        for jumps in frames {
            machine.frame(|machine| for (size, small, nap, turn) in jumps {
                machine.jump(size.rotate_right(1) >> small);
                machine.pass(FRAME / 100);
                if nap {
                    machine.sleeper.leave(machine.ticks);
                    machine.sleeper.enter(&SLEEP, machine.ticks);
                    machine.naps += 1;
                }
                if turn {
                    machine.main.leave(machine.ticks);
                    machine.main.leave(machine.ticks);
                    machine.main.enter(&WORK, machine.ticks);
                    machine.main.enter(&PART, machine.ticks);
                    works += 1;
                    parts += 1;
                }
            });
        }
        machine.steady(1);
        for _ in 0..3 {
            machine.steady(1);
            if cutoff != cutoff::SAMPLED {
                machine.check_last_is_right();
            }
        }
        let count = machine.frames.len();
        let entries = |zone| (1..=count).map(|frame| machine.row(0, frame, zone).1).sum::<f64>();
        prop_assert_eq!(entries("work"), (count + works) as f64);
        prop_assert_eq!(entries("part"), (count + parts) as f64);
        let pair = Pair { ticks: machine.ticks, ns: machine.ns };
        let records = machine.records();
    let recorded = snapshot_of(&mut machine.profiler, &records, pair, false);
        assert_eq!(recorded.validate(), Ok(()));
    }
}
