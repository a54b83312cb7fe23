//! Counters that stop, are set anew, disagree, jump or change their rate.
//!
//! What has to hold whatever a counter does: no time is negative, none is longer than what passed
//! by more than one per cent, entries are exact, and once the counter behaves, so do the frames.

use super::snapshots::check_that_frames_sum_up;
use crate::Zone;
use crate::clock::Pair;
use crate::gather::ThreadRecord;
use crate::gather::scripted::ScriptedThread;
use crate::gather::switch::cutoff;
use crate::process::core::Process;
use crate::process::view::{FrameChoice, ThreadId, Threads, View};
use crate::report::{Report, ReportMode};
use proptest::prelude::*;

static WORK: Zone = Zone::new("work", file!(), line!(), module_path!());
static PART: Zone = Zone::new("part", file!(), line!(), module_path!());
static SLEEP: Zone = Zone::new("sleep", file!(), line!(), module_path!());

/// Ticks of a nanosecond, while the counter is as it should be.
const RATE: u64 = 3;
/// Nanoseconds of a frame.
const FRAME: u64 = 16_000_000;
const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3_600 * SECOND;
/// Times are compared to this, relatively.
const TOLERANCE: f64 = 0.01;
const WARNING: &str = "the processor's counter changes its rate: times may be off";

/// Two threads on a machine: one that works and updates, and one that sleeps in a zone all along.
struct Machine {
    main: ScriptedThread,
    sleeper: ScriptedThread,
    process: Process,
    /// What the counter shows, and the operating system's clock.
    ticks: u64,
    ns: u64,
    /// Ticks of two nanoseconds at present.
    rate_of_2: u64,
    /// Milliseconds of the frames by the operating system's clock.
    frames: Vec<f64>,
    boundary_ns: u64,
    /// How often the sleeper fell asleep.
    naps: u64,
}

impl Machine {
    fn new() -> Machine {
        Machine::at(10 * HOUR * RATE)
    }

    /// One whose counter shows `ticks`.
    fn at(ticks: u64) -> Machine {
        let ns = 1_000;
        let main = ScriptedThread::begin("main", ticks);
        let sleeper = ScriptedThread::begin("sleeper", ticks);
        sleeper.enter(&SLEEP, ticks);
        let mut process = Process::new(Pair { ticks, ns });
        process.history.set_capacity(4_096);
        Machine {
            main,
            sleeper,
            process,
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

    /// Time passes, on both clocks.
    fn pass(&mut self, ns: u64) {
        self.ns += ns;
        self.jump(ns * self.rate_of_2 / 2);
    }

    /// The counter goes ahead; or back, by what is missing to 2^64.
    fn jump(&mut self, ticks: u64) {
        self.ticks = self.ticks.wrapping_add(ticks);
    }

    /// A frame with a quarter each before, in, and in a part of the work. In the part, in the
    /// middle, something may happen to the counter.
    fn frame(&mut self, happens: impl FnOnce(&mut Machine)) {
        self.pass(FRAME / 4);
        self.main.enter(&WORK, self.ticks);
        self.pass(FRAME / 4);
        self.main.enter(&PART, self.ticks);
        self.pass(FRAME / 4);
        happens(self);
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
        // Leaves no trace, whatever the counter does.
        self.process.snapshot(&records, pair, false);
        self.process.update(&records, records[0], pair, true);
        self.frames.push((self.ns - self.boundary_ns) as f64 * 1e-6);
        self.boundary_ns = self.ns;
        self.check(self.frames.len());
    }

    /// The sleeper turns round, in the middle of a frame.
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

    /// A thread's report of a frame, counted from 1.
    fn report(&self, thread: u32, frame: usize) -> Report {
        let mut view = View::new();
        view.set_report_mode(ReportMode::HierarchicalTime);
        view.set_threads(Threads::One(ThreadId(thread)));
        view.frame = FrameChoice::Number(frame as u64);
        self.process.report(&view, None)
    }

    /// What has to hold in any case.
    fn check(&self, frame: usize) {
        let most = self.frames[frame - 1] * (1.0 + TOLERANCE);
        for thread in 0..2 {
            let mut sum = 0.0;
            for row in self.report(thread, frame).records {
                let [self_ms, hier, ..] = row.values;
                assert!(
                    0.0 <= self_ms && self_ms <= hier && hier <= most,
                    "frame {frame}: {} {self_ms} {hier} of {most}",
                    row.name
                );
                sum += self_ms;
            }
            assert!(sum <= most, "frame {frame}: {sum} of {most}");
        }
    }

    /// Self milliseconds and entries.
    fn row(&self, thread: u32, frame: usize, zone: &str) -> (f64, f64) {
        let report = self.report(thread, frame);
        let row = report.records.iter().find(|row| &*row.name == zone);
        row.map_or((0.0, 0.0), |row| (row.values[0], row.values[2]))
    }

    /// The last frame is as if nothing had ever happened.
    fn check_last_is_right(&self) {
        let frame = self.frames.len();
        for zone in ["work", "part"] {
            let (ms, entries) = self.row(0, frame, zone);
            let expected = if zone == "work" { 8.0 } else { 4.0 };
            assert!(
                (ms / expected - 1.0).abs() < TOLERANCE,
                "{frame}: {zone} {ms}"
            );
            assert_eq!(entries, 1.0);
        }
        let (asleep, _) = self.row(1, frame, "sleep");
        let ms = self.frames[frame - 1];
        assert!((asleep / ms - 1.0).abs() < TOLERANCE, "{frame}: {asleep}");
        let said = self.process.history.newest().unwrap().ms();
        assert!((said / ms - 1.0).abs() < TOLERANCE, "{frame}: {said}");
    }

    fn warns(&self) -> bool {
        let warnings = self.process.report(&View::new(), None).warnings;
        assert!(warnings.iter().all(|warning| warning == WARNING));
        !warnings.is_empty()
    }

    /// Entries over all frames are those that there were: one a frame.
    fn check_entries(&self) {
        for zone in ["work", "part"] {
            let entries: f64 = (1..=self.frames.len())
                .map(|frame| self.row(0, frame, zone).1)
                .sum();
            assert_eq!(entries, self.frames.len() as f64, "{zone}");
        }
        let slept: f64 = (1..=self.frames.len())
            .map(|frame| self.row(1, frame, "sleep").1)
            .sum();
        assert_eq!(slept, self.naps as f64);
        check_that_frames_sum_up(&self.process);
    }
}

/// The machine sleeps; the counter and the operating system's clock run on through it by so much.
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
fn a_suspension_that_stops_both_clocks_is_not_seen() {
    let mut machine = suspended(false, false);
    machine.check_last_is_right();
    machine.steady(100);
    machine.check_last_is_right();
    assert!(!machine.warns());
    machine.check_entries();
}

#[test]
fn a_suspension_that_stops_one_of_the_clocks_is_warned_of_and_over_at_once() {
    for (counter_runs, clock_runs) in [(true, false), (false, true), (true, true)] {
        let mut machine = suspended(counter_runs, clock_runs);
        // The frame is as long as the operating system says.
        let ms = machine.frames[100];
        let said = machine.process.history.newest().unwrap().ms();
        assert!((said / ms - 1.0).abs() < TOLERANCE, "{said} of {ms}");
        // If both ran on, all is well: there was a long frame.
        let differ = counter_runs != clock_runs;
        assert_eq!(machine.warns(), differ);
        machine.steady(1);
        machine.check_last_is_right();
        assert_eq!(machine.warns(), differ);
        machine.steady(500);
        machine.check_last_is_right();
        assert!(!machine.warns(), "forgiven");
        machine.check_entries();
    }
}

/// The counter begins anew near zero, while the operating system's clock runs on or does not.
#[test]
fn a_counter_that_restarts_with_zones_open_costs_a_frame() {
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
        // And once more, with what the first time left behind.
        machine.frame(|machine| machine.ticks = 1_000);
        machine.steady(1);
        machine.check_last_is_right();
        // Again, and the sleeper has not noticed the last time yet.
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
fn a_counter_that_jumps_ahead_and_back_costs_two_frames() {
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
fn a_counter_that_jumps_ahead_and_back_within_a_frame_costs_that_frame() {
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
fn a_rate_that_changes_by_half_is_followed_at_once() {
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
        // In the middle of a frame, there and back.
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

/// A thread that goes from core to core with every zone, and to another counter with it.
///
/// The bound: a thread's clock is the highest counter it has read, so it lies between the lowest
/// and the highest core's. What a thread has in all is off by no more than they disagree, however
/// often it migrates. What one zone has is off by no more than that for each migration in it; what
/// one zone lacks its neighbour has.
#[test]
fn cores_that_disagree_cost_no_more_than_they_disagree() {
    const CORES: [u64; 3] = [300, 0, 120];
    const ZONE: u64 = 50;
    const ZONES: u64 = 4_000;
    let mut machine = Machine::new();
    let start = machine.ticks;
    let mut random = 1u64;
    let mut now = start;
    let mut counter = |machine: &mut Machine, now: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
        // A core for one zone or a few.
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
        let frame = machine.process.history.newest().unwrap();
        let sum = |thread| {
            frame
                .samples_of(thread)
                .iter()
                .map(|s| s.ticks)
                .sum::<u64>()
        };
        // Sum 1, to the tick, whatever cores the boundaries were read on.
        assert_eq!([sum(0), sum(1)], [frame.ticks; 2]);
        assert!(frame.ticks.abs_diff(ZONES * ZONE * 4) <= 300);
    }
    let frames = machine.process.history.iter();
    let total: u64 = frames.map(|frame| frame.ticks).sum();
    assert!(total.abs_diff(now - start) <= 300, "{total}");
    let record = machine.main.record();
    let counted: u64 = (0..record.node_count())
        .map(|node| record.node(node).unwrap().totals().0)
        .sum();
    assert!(counted.abs_diff(now - start) <= 300, "{counted}");
    let entries = |node| record.node(node).unwrap().totals().1;
    assert_eq!([entries(1), entries(2)], [20 * ZONES; 2]);
    assert!(!machine.warns());
}

/// What a counter jumps by, ahead: the most are a way back, from an hour's to a thousand ticks more than cores
/// disagree by.
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
fn a_counter_that_jumps_by_anything_costs_a_frame_however_often() {
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

/// All in all farther than numbers with a sign go.
#[test]
fn a_counter_that_jumps_ahead_again_and_again_costs_a_frame_each_time() {
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
fn a_counter_that_wraps_around_costs_nothing() {
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
fn a_counter_that_stands_still_costs_the_frames_in_which_it_does() {
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

    /// Several jumps in a frame, too, and in all timings.
    #[test]
    fn whatever_the_counter_does_entries_are_exact_and_sane_frames_are_right(
        begin in prop_oneof![any::<u64>(), u64::MAX - FRAME * RATE * 9..=u64::MAX],
        frames in prop::collection::vec(
            prop::collection::vec((any::<u64>(), 0u32..64, any::<bool>(), any::<bool>()), 0..4),
            1..6,
        ),
        cutoff in cutoff::SAMPLED..=cutoff::EXACT,
    ) {
        let mut machine = Machine::at(begin);
        machine.main.follow(cutoff, begin);
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
        // And what shows all of it can be made.
        let pair = Pair { ticks: machine.ticks, ns: machine.ns };
        let recorded = machine.process.snapshot(&machine.records(), pair, false);
        recorded.write_tree(std::io::sink()).unwrap();
    }
}
