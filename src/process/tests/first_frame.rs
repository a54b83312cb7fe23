//! Tests of the first frame: ingested by intervals, it equals the same frame ingested in one piece.

use super::budget::begin_auto;
use super::oracle::Stack;
use super::programs::{self, Program, Run, Step};
use super::snapshots::{check_frames, check_same_averages, check_taken, check_that_frames_sum_up};
use super::sums::THREADS;
use crate::gather::class;
use crate::gather::mode::cutoff;
use crate::gather::scripted_thread::ScriptedThread;
use crate::process::delta::NodeDelta;
use crate::process::frame::profiler::Profiler;
use crate::process::frame_snapshots::builder::frame_snapshot;
use crate::process::query;
use crate::process::snapshots::builder::snapshot_of;
use crate::process::view::View;
use crate::report::{ColumnId, Report};
use crate::session_part::SessionPart;
use crate::snapshot::Snapshot;
use crate::{Zone, clock::Pair};
use proptest::prelude::*;
use std::time::Duration;

fn without_intervals(program: &Program) -> Program {
    let steps = program.iter().copied();
    steps
        .filter(|(_, step)| !matches!(step, Step::EndInterval))
        .collect()
}

/// A remembered frame: its nodes with data.
#[derive(Debug, PartialEq)]
struct Remembered {
    number: u64,
    begin_ns: u64,
    ticks: u64,
    /// By thread, in the order of nodes.
    threads: Vec<(u32, Vec<NodeDelta>)>,
}

fn frames(run: &Run) -> Vec<Remembered> {
    let frames = run.profiler.history().iter().map(|frame| {
        let threads = frame.threads.iter().filter_map(|part| {
            let deltas = frame.deltas_of(part.thread).iter().copied();
            let is_idle = |delta: &NodeDelta| (delta.ticks, delta.entries) == (0, 0);
            let mut deltas: Vec<_> = deltas.filter(|delta| !is_idle(delta)).collect();
            deltas.sort_by_key(|delta| delta.node);
            (!deltas.is_empty()).then_some((part.thread, deltas))
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
    check_that_frames_sum_up(&run.profiler);
    check_frames(&run, true);
    let whole = programs::run(THREADS, &without_intervals(program));
    assert_eq!(frames(&run), frames(&whole));
    assert_eq!(run.profiler.frames(), whole.profiler.frames());
    assert_eq!(run.profiler.frames_seen(), whole.profiler.frames_seen());
    for (a, b) in run.profiler.threads().iter().zip(whole.profiler.threads()) {
        assert_eq!(a.tree().totals_for_tests(), b.tree().totals_for_tests());
    }
    // Those of the first frame alone come from its intervals. And the clock of averages runs on while
    // these are forgotten: with frames of nanoseconds, it has fewer digits left then.
    if run.frames.len() > 1 {
        check_same_averages(&run, &whole, 1e-4);
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn intervals_do_not_change_the_frame(
        program in programs::with_intervals(programs::program(THREADS))
    ) {
        check_exact_program(&program);
    }

    #[test]
    fn entries_and_sums_are_exact_while_clocks_come_and_go(
        program in programs::with_intervals(programs::timed_program(THREADS))
    ) {
        let run = programs::run(THREADS, &program);
        run.snapshots.iter().for_each(check_taken);
        check_that_frames_sum_up(&run.profiler);
        check_frames(&run, false);
    }
}

static LONG: Zone = Zone::new("long", "", 0, "");
static HOT: Zone = Zone::new("hot", "", 0, "");
const STACKS: [&str; 3] = ["(outside zones)", "long", "hot"];

const MS: u64 = 1_000_000;
/// One interval: 20 ms in no zone, 40 ms in one call, 40 ms in calls that would cost 1.6 per cent.
const INTERVAL: u64 = 100 * MS;
const CALLS: u64 = 80_000;
/// The cost of one sample.
const SAMPLE_NS: u64 = 1_000;

/// A tick is a nanosecond.
struct Stage {
    thread: ScriptedThread,
    profiler: Profiler,
    now: u64,
}

impl Stage {
    fn new() -> Stage {
        let (thread, profiler) = begin_auto();
        Stage {
            thread,
            profiler,
            now: 1,
        }
    }

    /// Works for one interval. As soon as a node is untimed, there are a thousand samples a second.
    fn work(&mut self) {
        let samples = (self.profiler.sampler_hz() * INTERVAL as f64 * 1e-9) as u64;
        let sample = |stage: &mut Stage, ms: u64| {
            let node = stage.thread.record().current().unwrap();
            for _ in 0..samples * ms * MS / INTERVAL {
                stage.profiler.take_hits(|found| {
                    found.add(0, node);
                    found.spent_ns += SAMPLE_NS;
                });
            }
        };
        sample(self, 20);
        self.now += 20 * MS;
        self.thread.enter(&LONG, self.now);
        self.now += 40 * MS;
        self.thread.leave(self.now);
        for call in 0..CALLS {
            self.thread.enter(&HOT, self.now);
            if call == 0 {
                sample(self, 40);
            }
            self.now += 40 * MS / CALLS;
            self.thread.leave(self.now);
        }
    }

    fn end_interval(&mut self) -> bool {
        let record = self.thread.record();
        let ordered = self.profiler.end_interval(&[record], Pair::both(self.now));
        self.thread.apply_mode(cutoff::AUTO, self.now);
        ordered
    }

    fn update(&mut self, is_recorded: bool) {
        let record = self.thread.record();
        let now = Pair::both(self.now);
        self.profiler.end_frame(&[record], record, now, is_recorded);
    }

    fn snapshot(&mut self) -> Snapshot {
        let record = self.thread.record();
        snapshot_of(&mut self.profiler, &[record], Pair::both(self.now), false)
    }

    /// Checks that the recorded data consists of that many intervals, in that many frames and the frame
    /// in progress.
    #[track_caller]
    fn check_snapshot(&mut self, intervals: u64, frames: u64) {
        let taken = self.snapshot();
        assert_eq!((taken.ticks, taken.frames), (intervals * INTERVAL, frames));
        check(values(&taken), intervals);
    }

    /// After twenty and a half intervals.
    fn at_work() -> Stage {
        let mut stage = Stage::new();
        for interval in 0..20 {
            stage.work();
            let ordered = stage.end_interval();
            assert_eq!(ordered, interval == 0, "the first one decides");
        }
        let classes = [1, 2].map(|node| stage.thread.record().node(node).unwrap().class());
        assert_eq!(classes, [class::TIMED_BY_AUTO, class::UNTIMED_BY_AUTO]);
        stage.work();
        stage
    }
}

/// Ticks, entries and error of [`STACKS`].
fn values(snapshot: &Snapshot) -> [(f64, u64, f64); 3] {
    let mut nodes = STACKS.iter().zip(&snapshot.threads[0].nodes);
    std::array::from_fn(|_| {
        let (name, node) = nodes.next().unwrap();
        assert_eq!(*snapshot.zones[node.zone as usize].name, **name);
        (node.ticks as f64, node.entries, node.error)
    })
}

#[track_caller]
fn check(values: [(f64, u64, f64); 3], intervals: u64) {
    let [none, long, hot] = values;
    assert_eq!(long, ((intervals * 40 * MS) as f64, intervals, 0.0));
    assert_eq!(hot.1, intervals * CALLS);
    assert_eq!(none.0 + long.0 + hot.0, (intervals * INTERVAL) as f64);
    let wanted = (intervals * 40 * MS) as f64;
    assert!((hot.0 - wanted).abs() < 0.01 * wanted, "{hot:?}: {wanted}");
    assert!(hot.2 > 0.0 && hot.2 < 0.2 * wanted, "{hot:?}");
}

#[test]
fn a_budget_is_kept_before_the_first_frame_has_ended() {
    let mut stage = Stage::at_work();
    stage.check_snapshot(21, 0);
    // The `update` at the end sees one frame.
    stage.update(true);
    let frame = frame_snapshot(&stage.profiler, 0, u64::MAX).unwrap();
    assert_eq!((frame.number, frame.recorded.ticks), (1, 21 * INTERVAL));
    assert!(frame_snapshot(&stage.profiler, 2, u64::MAX).is_none());
    let found = values(&frame.recorded);
    check(found, 21);
    // A share of two thirds, in 1,200 samples over sixty intervals.
    let error = found[2].2 / found[2].0;
    assert!((0.01..0.04).contains(&error), "{error}");
    let newest = stage.profiler.history().newest().unwrap();
    assert!((newest.ms() - 2100.0).abs() < 1e-6);
    // Sixty samples in each interval but the first; the sampler ignores time in the long zone.
    assert_eq!(newest.sampler_ns, 20 * 60 * SAMPLE_NS);
    stage.check_snapshot(21, 1);
}

#[test]
fn a_zone_misses_its_budget_in_the_whole_first_frame() {
    let mut stage = Stage::at_work();
    let limit = Duration::from_millis(500);
    // 40 ms in each interval.
    stage.profiler.set_zone_budget("long", Some(limit));
    let misses = |stage: &Stage| {
        let budgets = stage.profiler.zone_budgets();
        let zone = budgets.zones().next().unwrap();
        let budget = budgets.of(zone).unwrap();
        (budget.misses, budget.frames)
    };
    stage.update(true);
    assert_eq!(misses(&stage), (1, 1));
    stage.work();
    stage.update(true);
    assert_eq!(misses(&stage), (1, 2));
}

#[test]
fn a_discarded_first_frame_is_discarded_completely() {
    let mut stage = Stage::at_work();
    stage.update(false);
    let taken = stage.snapshot();
    assert_eq!((taken.ticks, taken.frames), (0, 0));
    assert_eq!(values(&taken), [(0.0, 0, 0.0); 3]);
    assert!(stage.profiler.history().newest().is_none());
    stage.work();
    stage.update(true);
    stage.check_snapshot(1, 1);
}

/// As after a time with timing off.
#[test]
fn data_recorded_before_stays_when_the_first_frame_is_discarded() {
    let mut stage = Stage::at_work();
    let record = stage.thread.record();
    stage
        .profiler
        .end_outside_frames(&[record], Pair::both(stage.now), true);
    stage.work();
    stage.end_interval();
    stage.work();
    stage.check_snapshot(23, 0);
    stage.update(false);
    stage.update(true);
    stage.check_snapshot(21, 1);
}

#[test]
fn data_ingested_before_a_reset_is_in_no_frame() {
    let mut stage = Stage::at_work();
    let record = stage.thread.record();
    let now = Pair::both(stage.now);
    stage.profiler.reset(&[record], record, now);
    stage.work();
    stage.end_interval();
    stage.work();
    stage.check_snapshot(2, 0);
    stage.update(true);
    let frame = frame_snapshot(&stage.profiler, 0, u64::MAX).unwrap();
    assert_eq!(frame.recorded.ticks, 2 * INTERVAL);
    check(values(&frame.recorded), 2);
}

#[test]
fn what_is_recorded_outside_of_frames_is_in_no_part_of_the_session() {
    let mut stage = Stage::at_work();
    let end_outside_frames = |stage: &mut Stage| {
        let (record, now) = (stage.thread.record(), Pair::both(stage.now));
        stage.profiler.end_outside_frames(&[record], now, true);
    };
    end_outside_frames(&mut stage);
    stage.work();
    end_outside_frames(&mut stage);
    stage.work();
    stage.end_interval();
    stage.work();
    stage.update(true);
    stage.work();
    end_outside_frames(&mut stage);
    stage.work();
    stage.update(true);
    let profiler = &mut stage.profiler;
    let mut wanted = vec![(0, 0); STACKS.len()];
    for delta in profiler
        .history()
        .iter()
        .flat_map(|frame| frame.deltas_of(0))
    {
        let sum = &mut wanted[delta.node as usize];
        *sum = (sum.0 + delta.ticks, sum.1 + delta.entries);
    }
    assert_eq!(wanted.iter().map(|sum| sum.0).sum::<u64>(), 3 * INTERVAL);
    for part in [SessionPart::all(), SessionPart::bands(0, 7)] {
        let parts = profiler.session().parts(&part);
        let sums = profiler.session_sums(0, parts).nodes.into_iter();
        let found: Vec<_> = sums.map(|sum| (sum.ticks, sum.entries)).collect();
        assert_eq!(found[..STACKS.len()], wanted);
        assert!(found[STACKS.len()..].iter().all(|sum| *sum == (0, 0)));
    }
    let totals = profiler.totals_of(0, None).into_iter();
    let all: u64 = totals.map(|(_, of)| of.ticks).sum();
    assert_eq!(all, 26 * INTERVAL);
}

/// The report of a new view, which shows averages.
fn shown(stage: &Stage) -> Report {
    query::report(&stage.profiler, &View::new(), None)
}

#[test]
fn nothing_is_shown_before_the_first_frame_has_ended() {
    let mut stage = Stage::at_work();
    let report = shown(&stage);
    assert_eq!((report.frame_ms, report.rows.len()), (0.0, 0));
    stage.update(false);
    assert_eq!(shown(&stage).rows.len(), 0);
}

#[test]
fn the_average_of_the_first_frame_is_that_frame() {
    let mut stage = Stage::at_work();
    stage.update(true);
    let average = shown(&stage);
    assert!((average.frame_ms - 2100.0).abs() < 1e-6);
    let mut view = View::new();
    view.set_average(crate::Average::Newest);
    let frame = query::report(&stage.profiler, &view, None);
    assert_eq!(average.rows, frame.rows);
    let hot = average.rows.iter().find(|row| &*row.name == "hot");
    let hot = hot.unwrap();
    assert!(
        hot.number(ColumnId::Count) == (21 * CALLS) as f64,
        "{hot:?}"
    );
    assert!(hot.standard_error(ColumnId::SelfTime) > 0.0);
    assert!(average.rows.iter().all(|row| row.heat == 0.0));
}

#[test]
fn averages_begin_with_the_frame_after_the_first() {
    for has_earlier_data in [false, true] {
        let mut stage = Stage::at_work();
        if has_earlier_data {
            let record = stage.thread.record();
            let now = Pair::both(stage.now);
            stage.profiler.end_outside_frames(&[record], now, true);
        }
        stage.update(true);
        stage.now += MS;
        stage.update(true);
        let report = shown(&stage);
        assert!((report.frame_ms - 1.0).abs() < 1e-6, "{has_earlier_data}");
    }
}

/// The oracle has its stacks by zone.
#[test]
fn intervals_of_a_thread_that_began_later_are_in_the_frame() {
    let program: Program = vec![
        (1, Step::EndOrBegin),
        (0, Step::Pass(10)),
        (0, Step::EndInterval),
        (1, Step::EndOrBegin),
        (1, Step::Enter(2)),
        (0, Step::Pass(20)),
        (0, Step::EndInterval),
        (0, Step::Snapshot),
        (0, Step::Pass(30)),
    ];
    check_exact_program(&program);
    let run = programs::run(THREADS, &program);
    let stack: Stack = vec![0, 3];
    assert_eq!(run.frames[0].threads[1].0[&stack].0, 51.0);
}
