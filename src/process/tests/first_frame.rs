//! The first frame, taken in by stretches, against the same frame in one piece.

use super::budget::begin_auto;
use super::oracle::Stack;
use super::programs::{self, Program, Run, Step};
use super::snapshots::{check_frames, check_same_averages, check_taken, check_that_frames_sum_up};
use super::sums::THREADS;
use crate::gather::class;
use crate::gather::scripted::ScriptedThread;
use crate::gather::switch::cutoff;
use crate::process::core::Process;
use crate::process::history::Sample;
use crate::process::view::View;
use crate::report::Report;
use crate::snapshot::Snapshot;
use crate::{Zone, clock::Pair};
use proptest::prelude::*;

fn without_stretches(program: &Program) -> Program {
    let steps = program.iter().copied();
    steps
        .filter(|(_, step)| !matches!(step, Step::Stretch))
        .collect()
}

/// What a remembered frame has, of what did anything.
#[derive(Debug, PartialEq)]
struct Remembered {
    number: u64,
    begin_ns: u64,
    ticks: u64,
    /// By thread: in the order of nodes.
    threads: Vec<(u32, Vec<Sample>)>,
}

fn frames(run: &Run) -> Vec<Remembered> {
    let frames = run.process.history.iter().map(|frame| {
        let threads = frame.parts.iter().filter_map(|part| {
            let samples = frame.samples_of(part.thread).iter().copied();
            let is_idle = |sample: &Sample| (sample.ticks, sample.entries) == (0, 0);
            let mut samples: Vec<_> = samples.filter(|sample| !is_idle(sample)).collect();
            samples.sort_by_key(|sample| sample.node);
            (!samples.is_empty()).then_some((part.thread, samples))
        });
        Remembered {
            number: frame.number,
            begin_ns: frame.begin_ns,
            ticks: frame.ticks,
            threads: threads.collect(),
        }
    });
    frames.collect()
}

fn check_exact_program(program: &Program) {
    let run = programs::run(THREADS, program);
    run.snapshots.iter().for_each(check_taken);
    check_that_frames_sum_up(&run.process);
    check_frames(&run, true);
    let whole = programs::run(THREADS, &without_stretches(program));
    assert_eq!(frames(&run), frames(&whole));
    assert_eq!(run.process.frames, whole.process.frames);
    assert_eq!(run.process.frames_seen(), whole.process.frames_seen());
    for (a, b) in run.process.threads.iter().zip(&whole.process.threads) {
        assert_eq!(a.tree.kept_for_tests(), b.tree.kept_for_tests());
    }
    // Those of the first frame alone are its stretches'. And the clock of averages runs on while these
    // are forgotten: of frames that take nanoseconds it knows fewer digits then.
    if run.frames.len() > 1 {
        check_same_averages(&run, &whole, 1e-4);
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn in_stretches_or_in_one_piece_it_is_the_same_frame(
        program in programs::stretched(programs::program(THREADS))
    ) {
        check_exact_program(&program);
    }

    #[test]
    fn with_clocks_that_come_and_go_entries_and_sums_are_exact(
        program in programs::stretched(programs::timed_program(THREADS))
    ) {
        let run = programs::run(THREADS, &program);
        run.snapshots.iter().for_each(check_taken);
        check_that_frames_sum_up(&run.process);
        check_frames(&run, false);
    }
}

static LONG: Zone = Zone::new("long", "", 0, "");
static HOT: Zone = Zone::new("hot", "", 0, "");
const STACKS: [&str; 3] = ["_global", "long", "hot"];

const MS: u64 = 1_000_000;
/// Of a stretch: 20 ms in no zone, 40 in one call, 40 in calls that would cost 1.6 per cent.
const STRETCH: u64 = 100 * MS;
const CALLS: u64 = 80_000;
/// What a look takes.
const LOOK_NS: u64 = 1_000;

/// A tick is a nanosecond.
struct Stage {
    thread: ScriptedThread,
    process: Process,
    now: u64,
}

impl Stage {
    fn new() -> Stage {
        let (thread, process) = begin_auto();
        Stage {
            thread,
            process,
            now: 1,
        }
    }

    /// Works for as long as a stretch. Once there is something to look for, there are a thousand looks
    /// a second.
    fn work(&mut self) {
        let looks = (self.process.sampler_hz() * STRETCH as f64 * 1e-9) as u64;
        let look = |stage: &mut Stage, ms: u64| {
            let node = stage.thread.record().current().unwrap();
            for _ in 0..looks * ms * MS / STRETCH {
                stage.process.take_hits(|found| {
                    found.add(0, node);
                    found.spent_ns += LOOK_NS;
                });
            }
        };
        look(self, 20);
        self.now += 20 * MS;
        self.thread.enter(&LONG, self.now);
        self.now += 40 * MS;
        self.thread.leave(self.now);
        for call in 0..CALLS {
            self.thread.enter(&HOT, self.now);
            if call == 0 {
                look(self, 40);
            }
            self.now += 40 * MS / CALLS;
            self.thread.leave(self.now);
        }
    }

    fn end_stretch(&mut self) -> bool {
        let record = self.thread.record();
        let ordered = self.process.end_stretch(&[record], Pair::both(self.now));
        self.thread.follow(cutoff::AUTO, self.now);
        ordered
    }

    fn update(&mut self, keep: bool) {
        let record = self.thread.record();
        let now = Pair::both(self.now);
        self.process.update(&[record], record, now, keep);
    }

    fn snapshot(&mut self) -> Snapshot {
        let record = self.thread.record();
        self.process
            .snapshot(&[record], Pair::both(self.now), false)
    }

    /// All that was recorded is so many stretches, in so many frames and the one that goes on.
    #[track_caller]
    fn check_snapshot(&mut self, stretches: u64, frames: u64) {
        let taken = self.snapshot();
        assert_eq!((taken.ticks, taken.frames), (stretches * STRETCH, frames));
        check(values(&taken), stretches);
    }

    /// After twenty stretches and a half.
    fn at_work() -> Stage {
        let mut stage = Stage::new();
        for stretch in 0..20 {
            stage.work();
            let ordered = stage.end_stretch();
            assert_eq!(ordered, stretch == 0, "the first one decides");
        }
        let classes = [1, 2].map(|node| stage.thread.record().node(node).unwrap().class());
        assert_eq!(classes, [class::LONG, class::SHORT]);
        stage.work();
        stage
    }
}

/// Ticks, entries, error of [`STACKS`].
fn values(snapshot: &Snapshot) -> [(f64, u64, f64); 3] {
    let mut nodes = STACKS.iter().zip(&snapshot.threads[0].nodes);
    std::array::from_fn(|_| {
        let (name, node) = nodes.next().unwrap();
        assert_eq!(*snapshot.zones[node.zone as usize].name, **name);
        (node.ticks as f64, node.entries, node.error)
    })
}

#[track_caller]
fn check(values: [(f64, u64, f64); 3], stretches: u64) {
    let [none, long, hot] = values;
    assert_eq!(long, ((stretches * 40 * MS) as f64, stretches, 0.0));
    assert_eq!(hot.1, stretches * CALLS);
    assert_eq!(none.0 + long.0 + hot.0, (stretches * STRETCH) as f64);
    let wanted = (stretches * 40 * MS) as f64;
    assert!((hot.0 - wanted).abs() < 0.01 * wanted, "{hot:?}: {wanted}");
    assert!(hot.2 > 0.0 && hot.2 < 0.2 * wanted, "{hot:?}");
}

#[test]
fn a_budget_is_kept_before_the_first_frame_has_ended() {
    let mut stage = Stage::at_work();
    stage.check_snapshot(21, 0);
    // To whoever calls `update` at last, it is one frame.
    stage.update(true);
    let frame = stage.process.frame_snapshot(0, u64::MAX).unwrap();
    assert_eq!((frame.number, frame.recorded.ticks), (1, 21 * STRETCH));
    assert!(stage.process.frame_snapshot(2, u64::MAX).is_none());
    let found = values(&frame.recorded);
    check(found, 21);
    // A share of two thirds, in 1,200 samples: by sixty stretches.
    let error = found[2].2 / found[2].0;
    assert!((0.01..0.04).contains(&error), "{error}");
    let newest = stage.process.history.newest().unwrap();
    assert!((newest.ms() - 2100.0).abs() < 1e-6);
    // Sixty looks in each stretch but the first: what is in the long zone is not looked at.
    assert_eq!(newest.sampler_ns, 20 * 60 * LOOK_NS);
    stage.check_snapshot(21, 1);
}

#[test]
fn a_first_frame_that_is_thrown_away_is_so_whole() {
    let mut stage = Stage::at_work();
    stage.update(false);
    let taken = stage.snapshot();
    assert_eq!((taken.ticks, taken.frames), (0, 0));
    assert_eq!(values(&taken), [(0.0, 0, 0.0); 3]);
    assert!(stage.process.history.newest().is_none());
    stage.work();
    stage.update(true);
    stage.check_snapshot(1, 1);
}

/// As where timing was off for a while.
#[test]
fn what_was_set_apart_before_stays_when_the_first_frame_is_thrown_away() {
    let mut stage = Stage::at_work();
    let record = stage.thread.record();
    stage
        .process
        .set_apart(&[record], Pair::both(stage.now), true);
    stage.work();
    stage.end_stretch();
    stage.work();
    stage.check_snapshot(23, 0);
    stage.update(false);
    stage.update(true);
    stage.check_snapshot(21, 1);
}

#[test]
fn what_was_taken_in_before_a_reset_is_in_no_frame() {
    let mut stage = Stage::at_work();
    let record = stage.thread.record();
    let now = Pair::both(stage.now);
    stage.process.reset(&[record], record, now);
    stage.work();
    stage.end_stretch();
    stage.work();
    stage.check_snapshot(2, 0);
    stage.update(true);
    let frame = stage.process.frame_snapshot(0, u64::MAX).unwrap();
    assert_eq!(frame.recorded.ticks, 2 * STRETCH);
    check(values(&frame.recorded), 2);
}

/// Of the view that everybody begins with, which shows averages.
fn shown(stage: &Stage) -> Report {
    stage.process.report(&View::new(), None)
}

#[test]
fn nothing_is_shown_before_the_first_frame_has_ended() {
    let mut stage = Stage::at_work();
    let report = shown(&stage);
    assert_eq!((report.frame_ms, report.records.len()), (0.0, 0));
    stage.update(false);
    assert_eq!(shown(&stage).records.len(), 0);
}

#[test]
fn the_average_of_the_first_frame_is_that_frame() {
    let mut stage = Stage::at_work();
    stage.update(true);
    let average = shown(&stage);
    assert!((average.frame_ms - 2100.0).abs() < 1e-6);
    let mut view = View::new();
    view.set_average(0);
    let frame = stage.process.report(&view, None);
    assert_eq!(average.records, frame.records);
    let hot = average.records.iter().find(|record| &*record.name == "hot");
    let hot = hot.unwrap();
    assert!(hot.values.contains(&((21 * CALLS) as f64)), "{hot:?}");
    assert!(hot.errors[0] > 0.0);
    assert!(average.records.iter().all(|record| record.heat == 0.0));
}

#[test]
fn averages_begin_with_the_frame_after_the_first() {
    for is_set_apart in [false, true] {
        let mut stage = Stage::at_work();
        if is_set_apart {
            let record = stage.thread.record();
            let now = Pair::both(stage.now);
            stage.process.set_apart(&[record], now, true);
        }
        stage.update(true);
        stage.now += MS;
        stage.update(true);
        let report = shown(&stage);
        assert!((report.frame_ms - 1.0).abs() < 1e-6, "{is_set_apart}");
    }
}

/// The stacks of the oracle are by zone.
#[test]
fn stretches_of_a_thread_that_came_later_are_in_the_frame() {
    let program: Program = vec![
        (1, Step::EndOrBegin),
        (0, Step::Pass(10)),
        (0, Step::Stretch),
        (1, Step::EndOrBegin),
        (1, Step::Enter(2)),
        (0, Step::Pass(20)),
        (0, Step::Stretch),
        (0, Step::Snapshot),
        (0, Step::Pass(30)),
    ];
    check_exact_program(&program);
    let run = programs::run(THREADS, &program);
    let stack: Stack = vec![0, 3];
    assert_eq!(run.frames[0].threads[1].0[&stack].0, 51.0);
}
