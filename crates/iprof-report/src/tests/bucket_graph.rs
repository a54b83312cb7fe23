//! Tests the session graph, with its buckets, against the oracle and against the graph of frames.

use super::programs::{self, MS_PER_TICK, NaiveFrame, Run, Step};
use super::sums::{THREADS, zone_of_name};
use crate::graph::Graph;
use crate::query;
use crate::query::bucket_bars::ticks_by_zone;
use crate::query::graph::GraphWork;
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::session::BANDS;
use iprof_process::session::Session;
use iprof_process::session::totals::NodeTotals;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

fn views() -> impl Iterator<Item = (View, usize)> {
    let each = (0..THREADS).map(|at| (Threads::One(ThreadId(at as u32)), at));
    let all = [(Threads::All, 0)].into_iter().chain(each);
    all.map(|(threads, at)| {
        let mut view = View::default();
        view.set_threads(threads);
        (view, at)
    })
}

/// Sums milliseconds by zone over all frames. Each bar is weighted by its number of frames.
fn sums(graph: &Graph) -> BTreeMap<u32, f64> {
    let mut sums = BTreeMap::new();
    for (at, bar) in graph.bars.iter().enumerate() {
        let count = graph.buckets.get(at).map_or(1, |bucket| bucket.count);
        for segment in &bar.segments {
            *sums.entry(segment.zone).or_default() += f64::from(segment.ms) * count as f64;
        }
    }
    sums
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-5 * one.abs().max(other.abs()) + 1e-9
}

/// Checks that each bar is the mean of its frames, and that all bars together match the session's totals, exact to the
/// tick, as well as the sums of the per-frame bars.
fn check(run: &mut Run, is_timed: bool) {
    let count = run.profiler.indices().zone_count();
    for (view, thread) in views() {
        let (frames, session) = (view.graph(&run.profiler), view.session_graph(&run.profiler));
        assert!(frames.buckets.is_empty());
        let buckets = run.profiler.session().buckets();
        assert_eq!(session.bars.len(), buckets.len());
        assert_eq!(session.buckets.len(), buckets.len());
        let mut totals = vec![0; count];
        for (at, bucket) in buckets.iter().enumerate() {
            let mut by_zone = vec![0; count];
            let total = ticks_by_zone(&run.profiler, thread as u32, bucket, &mut by_zone);
            assert_eq!(total, by_zone.iter().sum::<u64>());
            for (sum, ticks) in totals.iter_mut().zip(&by_zone) {
                *sum += ticks;
            }
            let (bar, of) = (&session.bars[at], &session.buckets[at]);
            assert_eq!(
                (of.first, of.last),
                (bucket.frames.first, bucket.frames.last)
            );
            assert_eq!((bar.frame, of.count), (of.last, bucket.frames.count));
            let per_frame = MS_PER_TICK / of.count as f64;
            assert!(is_near(bar.ms, total as f64 * per_frame));
            let mut segments = bar.segments.iter();
            for (zone, ticks) in by_zone.iter().enumerate().filter(|(_, ticks)| **ticks > 0) {
                let mut segments = bar.segments.iter();
                let segment = segments.find(|segment| segment.zone as usize == zone);
                let ms = segment
                    .expect("each zone with time should have a segment")
                    .ms;
                assert!(is_near(ms.into(), *ticks as f64 * per_frame));
            }
            assert!(segments.all(|segment| by_zone[segment.zone as usize] > 0));
            if is_timed {
                check_bucket(run, thread, [of.first, of.last], &by_zone);
            }
        }
        let of_nodes = run.profiler.totals_of(thread, None);
        let nodes = run.profiler.threads()[thread].tree().nodes();
        let mut wanted = vec![0; count];
        for (node, (_, NodeTotals { ticks, .. })) in nodes.iter().zip(&of_nodes) {
            wanted[node.zone as usize] += ticks;
        }
        assert_eq!(totals, wanted);
        // Both graphs cover the same period.
        let (of_frames, of_session) = (sums(&frames), sums(&session));
        assert!(of_frames.keys().eq(of_session.keys()));
        for (one, other) in of_frames.values().zip(of_session.values()) {
            assert!(
                is_near(*one, *other),
                "sums by frame: {of_frames:?}, by bucket: {of_session:?}"
            );
        }
        let values = |graph: &Graph| -> f64 {
            let count = |at: usize| graph.buckets.get(at).map_or(1, |bucket| bucket.count);
            let bars = graph.bars.iter().enumerate();
            bars.map(|(at, bar)| bar.value * count(at) as f64).sum()
        };
        assert_eq!(frames.value, session.value);
        assert!(is_near(values(&frames), values(&session)));
    }
}

/// Checks a bucket's ticks and frame count against the oracle.
fn check_bucket(run: &Run, thread: usize, [first, last]: [u64; 2], by_zone: &[u64]) {
    let frames = |number: u64| &run.frames[number as usize - 1 - run.forgotten];
    let members: Vec<&NaiveFrame> = (first..=last).map(frames).collect();
    let mut wanted = BTreeMap::<usize, u64>::new();
    for frame in members {
        for (stack, (ticks, _)) in &frame.threads[thread].0 {
            *wanted.entry(*stack.last().unwrap()).or_default() += *ticks as u64;
        }
    }
    wanted.retain(|_, ticks| *ticks > 0);
    let mut found = BTreeMap::new();
    for (zone, ticks) in by_zone.iter().enumerate().filter(|(_, ticks)| **ticks > 0) {
        let name = run.profiler.indices().distinct_name(zone as u32);
        *found.entry(zone_of_name(name)).or_default() += *ticks;
    }
    assert_eq!(found, wanted);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases.div_ceil(4), ..programs::config() })]

    #[test]
    fn bucket_bars_equal_the_oracle_and_sum_to_session(
        program in programs::program(THREADS)
    ) {
        check(&mut programs::run(THREADS, &program), true);
    }

    #[test]
    fn bucket_bars_sum_to_session_with_changing_clocks(
        program in programs::timed_program(THREADS)
    ) {
        check(&mut programs::run(THREADS, &program), false);
    }
}

static WORK: Zone = Zone::new("work", "", 0, "");
static WAIT: Zone = Zone::new("wait", "", 1, "");

/// A program with one thread. Its buckets are at least 0.1 s long.
struct Program {
    thread: ScriptedThread,
    profiler: Profiler,
    now: u64,
}

impl Program {
    fn new() -> Program {
        let mut profiler = Profiler::new(Pair::both(0));
        profiler.session_mut().set_first_width(100_000_000);
        Program {
            thread: ScriptedThread::begin("main", 0),
            profiler,
            now: 0,
        }
    }

    /// Ends a frame of `ms` milliseconds. `zone` takes `work` milliseconds of it.
    fn frame(&mut self, zone: &'static Zone, [ms, work]: [u64; 2]) {
        self.thread.enter(zone, self.now);
        self.now += work * 1_000_000;
        self.thread.leave(self.now);
        self.now += (ms - work) * 1_000_000;
        let (record, pair) = (self.thread.record(), Pair::both(self.now));
        self.profiler.end_frame(&[record], record, pair, true);
    }
}

/// Bars that are kept between updates must equal a newly built graph's bars.
#[test]
fn updated_graph_equals_a_new_one() {
    let mut program = Program::new();
    let (mut work, mut shown) = (GraphWork::default(), Graph::default());
    let mut view = View::default();
    let mut shows_session = false;
    let (mut merged, mut seen) = (0, 0);
    for frame in 0..2_000u64 {
        let zone = if frame < 700 { &WORK } else { &WAIT };
        program.frame(zone, [10 + frame % 7, frame % 9]);
        match frame % 97 {
            13 => shows_session = true,
            80 => shows_session = false,
            _ => {}
        }
        if frame == 1_234 {
            let (record, pair) = (program.thread.record(), Pair::both(program.now));
            program.profiler.reset(&[record], record, pair);
        }
        view.set_threads(match frame % 500 {
            20 => Threads::One(ThreadId(0)),
            _ => Threads::All,
        });
        view.frame = match frame % 40 {
            10 => Frames::SessionBands(1, 7),
            11 => Frames::SessionTime(Duration::ZERO, Duration::ZERO),
            12 => Frames::Number(frame / 2),
            13..=14 => Frames::SessionBands(1, 1).complement(),
            _ => Frames::Live,
        };
        if frame % 3 == 0 || frame % 97 == 13 {
            let before = shown.buckets.len();
            work.update(&program.profiler, &view, shows_session, &mut shown);
            let new = match shows_session {
                true => view.session_graph(&program.profiler),
                false => view.graph(&program.profiler),
            };
            assert_eq!(shown, new, "after frame {frame}");
            check_bands(program.profiler.session());
            merged += usize::from(before == 32 && shown.buckets.len() == 32);
            seen += usize::from(!shown.buckets.is_empty());
        }
    }
    assert!(merged > 100 && seen > 400, "merged: {merged}, seen: {seen}");
}

/// Records five groups of ten frames. Each group's frames are 1 ms longer than the previous group's. The third group
/// includes a long frame.
fn growing() -> Program {
    let mut program = Program::new();
    for tenth in 0..5 {
        for frame in 0..10 {
            let long = if (tenth, frame) == (2, 5) { 40 } else { 0 };
            program.frame(&WORK, [10 + tenth + long, 4]);
        }
    }
    program
}

#[test]
fn bucket_records_time_frames_and_longest_frame() {
    let program = growing();
    let session = View::default().session_graph(&program.profiler);
    assert_eq!(session.title, "session  6 buckets, 0:00.0 to 0:00.6");
    let of = |at: usize| {
        let bucket = session.buckets[at];
        let ms = [bucket.begin, bucket.end].map(|time| time.as_millis());
        (ms, [bucket.first, bucket.last], bucket.longest_ms.round())
    };
    assert_eq!(of(0), ([0, 100], [1, 10], 10.0));
    assert_eq!(of(2).2, 52.0);
    let counts: Vec<u64> = session.buckets.iter().map(|bucket| bucket.count).collect();
    assert_eq!(counts.iter().sum::<u64>(), 50);
    let report = |at: usize| {
        let begin = session.buckets[at].begin;
        let mut view = View::default();
        view.frame = Frames::SessionTime(begin, begin);
        query::report(&program.profiler, &view, None).frame_ms
    };
    for at in 0..6 {
        assert!(is_near(report(at), session.bars[at].ms), "bucket {at}");
    }
}

#[test]
fn graph_marks_shown_buckets_and_frames() {
    let program = growing();
    let session = program.profiler.session();
    let marked = |frame: Frames| {
        let mut view = View::default();
        view.frame = frame;
        view.session_graph(&program.profiler)
    };
    let buckets = marked(Frames::Live).buckets;
    let begin = |at: usize| buckets[at].begin;
    let time = |from: usize, to: usize| Frames::SessionTime(begin(from), begin(to));
    let one = marked(time(1, 1));
    assert_eq!((one.cursor, one.set.clone()), (Some(buckets[1].last), None));
    assert_eq!(one.buckets[1].shown, buckets[1].count);
    assert_eq!(
        marked(Frames::Number(buckets[3].first)).cursor,
        Some(buckets[3].last)
    );
    let lasts = |graph: &Graph| graph.set.clone().map(|set| (set.name, set.frames));
    let two = marked(time(1, 2));
    assert_eq!(two.cursor, None);
    let (_, shown) = lasts(&two).unwrap();
    assert_eq!(shown, [buckets[1].last, buckets[2].last]);
    // Only the 52 ms frame is over 50 ms, which is three budgets.
    let slow = marked(Frames::SessionBands(5, 7));
    let name = "frames over 50 ms".to_owned();
    assert_eq!(lasts(&slow), Some((name.clone(), vec![buckets[2].last])));
    let shown: Vec<u64> = slow.buckets.iter().map(|bucket| bucket.shown).collect();
    assert_eq!(shown, [0, 0, 1, 0, 0, 0]);
    let rest = marked(Frames::SessionBands(5, 7).complement());
    let shown: u64 = rest.buckets.iter().map(|bucket| bucket.shown).sum();
    assert_eq!(shown, 49);
    // In the frame graph, that frame is marked.
    let mut view = View::default();
    view.frame = Frames::SessionBands(5, 7);
    let frames = view.graph(&program.profiler);
    assert_eq!(lasts(&frames), Some((name, vec![26])));
    view.frame = time(1, 1);
    let frames = lasts(&view.graph(&program.profiler)).unwrap().1;
    assert!(frames.into_iter().eq(buckets[1].first..=buckets[1].last));
    check_bands(session);
}

/// Checks that a bucket's bands contain each of its frames exactly once.
fn check_bands(session: &Session) {
    for bucket in session.buckets() {
        let count =
            |band| session.count_in(bucket, session.parts(&Frames::SessionBands(band, band)));
        assert_eq!((0..BANDS).map(count).sum::<u64>(), bucket.frames.count);
    }
}

/// Two threads add to the value. One of them adds more in each frame.
#[test]
fn bucket_shows_mean_of_named_value() {
    let mut program = Vec::new();
    for frame in 0..40 {
        program.extend([(0, Step::Add(frame)), (0, Step::Pass(300_000))]);
        program.extend([(1, Step::Add(100)), (0, Step::Frame(true))]);
    }
    let mut run = programs::run(THREADS, &program);
    check(&mut run, true);
    let session = View::default().session_graph(&run.profiler);
    assert!(session.bars.len() > 3 && session.value.is_some());
    let [first, last] = [0, session.bars.len() - 2].map(|at| session.bars[at].value);
    assert!(
        first > 0.0 && last > first,
        "the mean should rise: first {first}, last {last}"
    );
}

#[test]
fn frame_keys_step_through_buckets() {
    let program = growing();
    let (history, session) = (program.profiler.history(), program.profiler.session());
    let begin = |at: usize| Duration::from_nanos(session.buckets()[at].begin_ns);
    let of = |at: usize| Frames::SessionTime(begin(at), begin(at));
    let mut view = View::default();
    let step = |view: &mut View, delta| {
        view.move_frame_in_session(session, delta);
        view.frames()
    };
    assert_eq!(step(&mut view, 1), Frames::Live);
    assert_eq!(step(&mut view, -1), of(5));
    assert_eq!(step(&mut view, -2), of(3));
    // Stepping by frame also moves by bucket while buckets are shown.
    let step_by_frames = |view: &mut View, delta| {
        view.move_frame(history, session, delta);
        view.frames()
    };
    assert_eq!(step_by_frames(&mut view, -1), of(2));
    assert_eq!(step_by_frames(&mut view, 9), of(5));
    assert_eq!(step_by_frames(&mut view, 1), Frames::Live);
    assert_eq!(step_by_frames(&mut view, -1), Frames::Number(49));
    // From a single frame, a step leads to the bucket next to the one that contains the frame.
    view = View::default();
    view.frame = Frames::Number(session.buckets()[3].frames.first + 1);
    assert_eq!(step(&mut view, -1), of(2));
    // From a band, a step leads to one of its frames, as it does from a set.
    view = View::default();
    view.frame = Frames::SessionBands(5, 7);
    assert_eq!(step_by_frames(&mut view, -1), Frames::Number(26));
    view.frame = Frames::SessionBands(7, 7);
    assert_eq!(
        step_by_frames(&mut view, -1),
        Frames::Number(49),
        "an empty band should lead to the newest frame"
    );
    // A range of buckets can grow in both directions.
    view = View::default();
    let mut extend = |delta| {
        view.extend_buckets(session, delta);
        view.frames()
    };
    let span = |from, to| Frames::SessionTime(begin(from), begin(to));
    assert_eq!(
        [extend(-1), extend(-2), extend(9)],
        [span(4, 5), span(2, 5), span(2, 5)]
    );
}
