//! Timing may change at any moment, from any thread, with zones open: stacks stay what they are,
//! counts stay exact, and times that were sampled are marked and as right as they say.
#![cfg(feature = "enable")]

use iprof::{
    Column, Prefix, Record, Recursion, Report, ReportMode, ThreadId, ThreadInfo, Threads, Timing,
    Unit, View,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const MODES: [Timing; 4] = [Timing::Exact, Timing::SAMPLED, Timing::AUTO, Timing::Off];
/// The modes that record.
const ON: [Timing; 3] = [Timing::Exact, Timing::SAMPLED, Timing::AUTO];

/// Timing is the whole program's: one test at a time, from the same beginning.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iprof::set_timing(Timing::Exact);
    // Ends the frame in which the last test had it off.
    iprof::update(true);
    iprof::reset();
    iprof::set_history(100_000);
    guard
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Works for `time`; returns how long it took in truth, which is longer where the system stops us.
fn spin(time: Duration) -> Duration {
    let start = Instant::now();
    loop {
        let passed = start.elapsed();
        if passed >= time {
            return passed;
        }
        std::hint::spin_loop();
    }
}

/// What programs do wrong, as far as the report warns of it; a machine whose counter wavers is not
/// the program's fault.
fn faults() -> Vec<String> {
    let mut warnings = iprof::report().warnings;
    warnings.retain(|warning| !warning.starts_with("the processor's counter"));
    warnings
}

/// This test's own thread, which updates.
fn main_thread() -> ThreadId {
    let name = std::thread::current()
        .name()
        .unwrap_or("unnamed")
        .to_owned();
    running(&name)
}

fn running(name: &str) -> ThreadId {
    let is_it = |thread: &&ThreadInfo| thread.running && thread.name == name;
    iprof::threads().iter().find(is_it).expect("it runs").id
}

/// A view of one remembered frame.
fn view(threads: Threads, frame: u64) -> View {
    let mut view = View::new();
    view.set_threads(threads);
    view.set_frame_number(frame);
    assert_eq!(view.frame_number(), Some(frame));
    view
}

/// Milliseconds of every remembered frame, as a thread has them.
fn bars(thread: ThreadId) -> BTreeMap<u64, f64> {
    let mut view = View::new();
    view.set_threads(Threads::One(thread));
    let bars = view.graph().bars;
    bars.iter().map(|bar| (bar.frame, bar.ms)).collect()
}

fn newest_frame() -> u64 {
    iprof::graph().bars.back().map_or(0, |bar| bar.frame)
}

/// Ends the frame; returns its number if it was kept.
fn kept_frame() -> Option<u64> {
    let before = newest_frame();
    iprof::update(true);
    Some(newest_frame()).filter(|newest| *newest != before)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// The record of a zone, whatever depth of recursion its name ends in.
fn find<'a>(report: &'a Report, zone: &str) -> Option<&'a Record> {
    let is_it = |record: &&Record| record.name.split(" (").next() == Some(zone);
    report.records.iter().find(is_it)
}

fn value(report: &Report, zone: &str, column: Column) -> f64 {
    let at = report.columns.iter().position(|c| *c == column).unwrap();
    find(report, zone).map_or(0.0, |record| record.values[at])
}

/// No value of the report is negative or larger than `frame_ms`, or the other way than it has to
/// be.
fn check_values(report: &Report, frame_ms: f64) {
    let limit = frame_ms * (1.0 + 1e-9) + 1e-9;
    for record in &report.records {
        let [self_ms, hier, count, error, ..] = record.values;
        assert!(0.0 <= self_ms && self_ms <= hier + 1e-9, "{record:?}");
        assert!(hier <= limit, "{frame_ms}: {record:?}");
        assert!(0.0 <= count && 0.0 <= error, "{record:?}");
        assert!(error.is_finite() && count.is_finite(), "{record:?}");
        for error in record.errors {
            assert!(error.is_finite() && 0.0 <= error, "{record:?}");
        }
    }
}

/// In each of the remembered frames the times of each thread sum to its part of the frame, and none
/// is absurd.
fn check_times(frames: &BTreeSet<u64>, main: ThreadId) {
    let of_main = bars(main);
    for thread in iprof::threads() {
        for (frame, ms) in bars(thread.id) {
            if !frames.contains(&frame) {
                continue;
            }
            let report = view(Threads::One(thread.id), frame).report();
            check_values(&report, ms);
            let sum: f64 = report.records.iter().map(|record| record.values[0]).sum();
            let name = &thread.name;
            assert!(close(sum, ms), "{name}, frame {frame}: {sum} of {ms}");
            let main = of_main[&frame];
            assert!(ms <= main || close(ms, main), "{name}: {ms} of {main}");
        }
    }
}

/// Entries by caller and zone.
type Edges = BTreeMap<(String, String), u64>;

fn edges_of(list: &[(&str, &str, u64)]) -> Edges {
    let edge = |(caller, zone, count): &(&str, &str, u64)| {
        (((*caller).to_owned(), (*zone).to_owned()), *count)
    };
    list.iter().map(edge).collect()
}

/// Who entered what how often on a thread in a frame, by the call graph, each depth of recursion
/// for itself; without the profiler's own zones.
fn edges(thread: ThreadId, frame: u64) -> Edges {
    let mut list = view(Threads::One(thread), frame);
    list.set_recursion(Recursion::Spread);
    let mut edges = Edges::new();
    for at in 0..list.report().records.len() {
        let mut open = list.clone();
        open.set_cursor(at);
        open.select();
        let records = open.report().records;
        let is_open = |record: &Record| record.prefix == Prefix::Minus;
        let zone = records.iter().position(is_open).expect("one is open");
        for caller in &records[..zone] {
            let name = records[zone].name.to_string();
            if caller.values[2] > 0.0 && !name.starts_with("iprof_") {
                assert_eq!(caller.values[2].fract(), 0.0);
                edges.insert((caller.name.to_string(), name), caller.values[2] as u64);
            }
        }
    }
    edges
}

// ---- a change with zones open -------------------------------------------------------------------

/// Calls `meet` three times, with zones open that guards close, that `end!` closes, and recursive
/// ones.
fn across(meet: &dyn Fn()) {
    iprof::zone!(outer);
    meet();
    iprof::begin!(pair);
    visit(3, meet);
    {
        iprof::zone!(next);
    }
    iprof::end!(pair);
    iprof::zone!(leaf);
}

fn visit(depth: u32, meet: &dyn Fn()) {
    iprof::zone!(visit);
    iprof::counter!(visits);
    if depth > 0 {
        visit(depth - 1, meet);
        return;
    }
    for _ in 0..3 {
        iprof::zone!(before);
    }
    meet();
    for _ in 0..2 {
        iprof::zone!(after);
        iprof::counter!(things);
    }
    iprof::begin!(late);
    meet();
    for _ in 0..4 {
        iprof::zone!(last);
    }
    iprof::end!(late);
}

/// What [`across`] enters before the first meeting, between two, and after the last, by whether
/// timing is on after the first and after the second; before and at last it is.
fn entered(first_on: bool, second_on: bool) -> [Option<Edges>; 4] {
    let top = if first_on { "visit (4)" } else { "outer" };
    let pair = if first_on { "pair" } else { "outer" };
    let late = if second_on { "late" } else { top };
    let first = edges_of(&[
        ("outer", "pair", 1),
        ("pair", "visit", 1),
        ("visit", "visit (2)", 1),
        ("visit (2)", "visit (3)", 1),
        ("visit (3)", "visit (4)", 1),
        ("visit", "visits", 1),
        ("visit (2)", "visits", 1),
        ("visit (3)", "visits", 1),
        ("visit (4)", "visits", 1),
        ("visit (4)", "before", 3),
    ]);
    let second = edges_of(&[(top, "after", 2), ("after", "things", 2), (top, "late", 1)]);
    let last = edges_of(&[(late, "last", 4), (pair, "next", 1), ("outer", "leaf", 1)]);
    [
        Some(edges_of(&[("_global", "outer", 1)])),
        Some(first).filter(|_| first_on),
        Some(second).filter(|_| second_on),
        Some(last),
    ]
}

/// Has timing changed by this thread, or by one that has no zones, or by one that has.
fn change(timing: Timing, by: usize) {
    let elsewhere = |f: fn(Timing)| {
        let thread = std::thread::Builder::new().name("changer".into());
        let thread = thread.spawn(move || f(timing)).expect("a thread starts");
        thread.join().expect("it does not panic");
    };
    match by % 3 {
        0 => iprof::set_timing(timing),
        1 => elsewhere(iprof::set_timing),
        _ => elsewhere(|timing| {
            iprof::zone!(changer);
            iprof::set_timing(timing);
            iprof::zone!("changed");
        }),
    }
}

const WORKERS: [&str; 2] = ["left", "right"];

/// Goes `across` on this thread and two others, with timing as `modes` say one after the other.
/// Then looks at every frame there was: one between any two changes, one around each.
fn go_across(modes: [Timing; 4], by: usize) {
    iprof::set_timing(modes[0]);
    iprof::update(true);
    let gate = Barrier::new(WORKERS.len() + 1);
    let frames = RefCell::new((Vec::new(), Vec::new()));
    let rest = RefCell::new(modes[1..].iter());
    let ids = RefCell::new(Vec::new());
    // Nothing is asserted while others wait for this thread.
    std::thread::scope(|scope| {
        let spawn = |name: &&str| {
            let meet = || {
                gate.wait();
                gate.wait();
            };
            let thread = std::thread::Builder::new().name((*name).into());
            let run = move || across(&meet);
            thread.spawn_scoped(scope, run).expect("a thread starts")
        };
        let workers: Vec<_> = WORKERS.iter().map(spawn).collect();
        across(&|| {
            gate.wait();
            let (between, around) = &mut *frames.borrow_mut();
            between.push(kept_frame());
            if let Some(timing) = rest.borrow_mut().next() {
                change(*timing, by + around.len());
            }
            around.push(kept_frame());
            *ids.borrow_mut() = iprof::threads();
            gate.wait();
        });
        // Until they have ended and given back what they recorded.
        workers.into_iter().for_each(|w| w.join().unwrap());
    });
    let (mut between, around) = frames.into_inner();
    between.push(kept_frame());

    let is_on: Vec<bool> = modes.iter().map(|mode| *mode != Timing::Off).collect();
    let at = format!("{modes:?}, {by}: {between:?} {around:?}");
    for (step, frame) in around.iter().enumerate() {
        assert_eq!(frame.is_some(), is_on[step] && is_on[step + 1], "{at}");
    }
    let main = main_thread();
    let mut threads = ids.into_inner();
    threads.retain(|thread| thread.id == main || WORKERS.contains(&&*thread.name));
    assert_eq!(threads.len(), 1 + WORKERS.len(), "{at}");
    let wanted = entered(is_on[1], is_on[2]);
    for (frame, wanted) in between.iter().zip(&wanted) {
        assert_eq!(frame.is_some(), wanted.is_some(), "{at}");
        let (Some(frame), Some(wanted)) = (frame, wanted) else {
            continue;
        };
        for thread in &threads {
            assert_eq!(edges(thread.id, *frame), *wanted, "{}, {at}", thread.name);
        }
    }
    let kept = between[1..3].iter().chain(&around).flatten();
    for frame in kept {
        // All threads are there all the time, and in zones even where nothing is entered.
        for thread in &threads {
            let report = view(Threads::One(thread.id), *frame).report();
            let hier = |zone| value(&report, zone, Column::HIER);
            let (of_thread, of_main) = (bars(thread.id)[frame], bars(main)[frame]);
            assert!(close(of_thread, of_main), "{of_thread} {of_main} {at}");
            if modes.iter().all(|mode| *mode == Timing::Exact) {
                assert!(close(hier("outer"), of_thread), "{at}");
            }
        }
    }
    let kept: Vec<u64> = between.iter().chain(&around).flatten().copied().collect();
    check_times(&kept.into_iter().collect(), main);
    assert_eq!(faults(), [""; 0], "{at}");
}

#[test]
fn any_timing_may_follow_any_other_with_zones_open() {
    let _alone = alone();
    let mut by = 0;
    for first in ON {
        for from in MODES {
            for to in MODES {
                go_across([first, from, to, first], by);
                by += 1;
            }
        }
        // What was seen is not to be searched every time.
        iprof::reset();
    }
}

#[test]
fn a_thread_that_stays_where_it_is_keeps_its_time_through_any_change() {
    let _alone = alone();
    let main = |frame| bars(main_thread())[&frame];
    // So seldom that it is not found before timing changes.
    let seldom = Timing::Sampled { hz: 1.0 };
    for from in [Timing::Exact, seldom, Timing::AUTO] {
        for to in ON {
            iprof::set_timing(from);
            iprof::update(true);
            let (begun, wait) = mpsc::channel();
            let (end, ended) = mpsc::channel::<()>();
            // A name of its own: of another's counts nothing is to be learned.
            let name = format!("stays {from:?} {to:?}");
            let worker = std::thread::Builder::new().name(name.clone());
            let run = move || {
                iprof::zone!(job);
                iprof::zone!(stays);
                let _ = begun.send(());
                let _ = ended.recv();
            };
            let worker = worker.spawn(run).expect("a thread starts");
            wait.recv().expect("it begins");
            iprof::set_timing(to);
            iprof::update(true);
            let id = running(&name);
            // The sampler has to be told, to wake up and to find it: that takes no more than a few
            // frames, however busy the machine is.
            let start = Instant::now();
            let mut right = 0;
            while right < 3 {
                spin(Duration::from_millis(5));
                iprof::update(true);
                let frame = newest_frame();
                let report = view(Threads::One(id), frame).report();
                check_values(&report, main(frame));
                let in_zone = value(&report, "stays", Column::SELF);
                if in_zone > 0.9 * main(frame) {
                    right += 1;
                }
                let late = start.elapsed() > Duration::from_secs(3);
                assert!(!late, "{from:?}, {to:?}: {in_zone} of {report:?}");
            }
            drop(end);
            worker.join().expect("it does not panic");
        }
    }
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn what_was_measured_before_a_change_was_and_what_comes_after_it_is() {
    let _alone = alone();
    const WORK: Duration = Duration::from_millis(10);
    let follow = || {
        iprof::zone!(follow);
    };
    for sampled in [Timing::SAMPLED, Timing::Sampled { hz: 10_000.0 }] {
        // Measured until timing changes, then sampled.
        iprof::set_timing(Timing::Exact);
        iprof::update(true);
        let before = {
            iprof::zone!(measured);
            let before = ms(spin(WORK));
            iprof::set_timing(sampled);
            follow();
            iprof::zone!(rest);
            spin(WORK);
            before
        };
        let frame = kept_frame().expect("on");
        let report = view(Threads::One(main_thread()), frame).report();
        // Of what is sampled it may get more. A tenth of a millisecond is for what differs between
        // the two clocks.
        let measured = value(&report, "measured", Column::SELF);
        assert!(before - 0.1 < measured, "{before} {report:?}");

        // Sampled until timing changes, then measured, with the same zones open.
        follow();
        iprof::update(true);
        {
            iprof::zone!(sampled);
            spin(WORK);
        }
        let start = Instant::now();
        let after = {
            iprof::zone!(measured);
            iprof::set_timing(Timing::Exact);
            follow();
            ms(spin(WORK))
        };
        // Longer than it worked, if the system stopped it in between.
        let at_most = ms(start.elapsed());
        let frame = kept_frame().expect("on");
        let report = view(Threads::One(main_thread()), frame).report();
        let measured = find(&report, "measured").expect("entered");
        // Nothing was done in it while it was sampled but to change timing.
        let unsure = 4.0 * measured.errors[0] + 0.1;
        let [measured, ..] = measured.values;
        assert!(after - 0.1 < measured, "{after} {report:?}");
        assert!(measured < at_most + unsure, "{at_most} {report:?}");
    }
    assert_eq!(faults(), [""; 0]);
}

// ---- off ----------------------------------------------------------------------------------------

#[test]
fn off_records_nothing_and_what_was_shown_stays() {
    let _alone = alone();
    // Rounds of a thread, as many as it is told to do.
    let (ask, asked) = mpsc::channel::<u64>();
    let (tell, told) = mpsc::channel::<()>();
    let worker = std::thread::Builder::new().name("rounds".into());
    let run = move || {
        iprof::zone!(job);
        let mut round = |_| {
            iprof::zone!(round);
            iprof::counter!(things);
            iprof::begin!(part);
            iprof::end!(part);
        };
        for rounds in asked {
            (0..rounds).for_each(&mut round);
            let _ = tell.send(());
        }
    };
    let worker = worker.spawn(run).expect("a thread starts");
    let rounds = |count: u64| {
        ask.send(count).expect("it waits");
        told.recv().expect("it answers");
    };
    let expected = |count: u64| {
        edges_of(&[
            ("job", "round", count),
            ("round", "things", count),
            ("round", "part", count),
        ])
    };
    rounds(1);
    iprof::update(true);
    let id = running("rounds");
    for (at, on) in ON.into_iter().cycle().take(9).enumerate() {
        iprof::set_timing(on);
        // The frame in which it came on is not kept.
        iprof::update(true);
        rounds(5);
        let frame = kept_frame().expect("on");
        assert_eq!(edges(id, frame), expected(5));
        let shown = |average: usize| {
            let mut view = View::new();
            view.set_average(average);
            view.report().records
        };
        let before: Vec<_> = (0..3).map(shown).collect();

        // Off at the end of the frame, at its beginning, in between, or for several frames.
        rounds(7);
        iprof::set_timing(Timing::Off);
        if at % 3 > 0 {
            rounds(3);
            assert_eq!(kept_frame(), None);
        }
        if at % 3 > 1 {
            rounds(2);
            assert_eq!(kept_frame(), None);
            assert_eq!(before, (0..3).map(shown).collect::<Vec<_>>());
        }
        let title = &iprof::report().title[1];
        assert!(title.starts_with("off: nothing is recorded"), "{title}");
        iprof::set_timing(on);
        rounds(11);
        assert_eq!(kept_frame(), None, "it was off at some moment");
        assert_eq!(before, (0..3).map(shown).collect::<Vec<_>>());

        // And nothing of all that comes later.
        rounds(13);
        let frame = kept_frame().expect("on");
        assert_eq!(edges(id, frame), expected(13));
        let report = view(Threads::One(id), frame).report();
        assert!(value(&report, "job", Column::HIER) > 0.0, "open all along");
    }
    drop(ask);
    worker.join().expect("it does not panic");
    assert_eq!(faults(), [""; 0]);
}

// ---- sampled ------------------------------------------------------------------------------------

/// Works in three zones, of which each takes a part of the time; returns what they took in truth,
/// by the other clock, in milliseconds.
fn three_parts(part: [u64; 3]) -> [f64; 3] {
    iprof::zone!(parts);
    let part = part.map(Duration::from_micros);
    let a = {
        iprof::zone!(part_a);
        spin(part[0])
    };
    let b = {
        iprof::zone!(part_b);
        iprof::counter!(things);
        spin(part[1])
    };
    let c = {
        iprof::begin!(between);
        iprof::zone!(part_c);
        spin(part[2])
    };
    iprof::end!(between);
    [a, b, c].map(ms)
}

const PARTS: [&str; 3] = ["part_a", "part_b", "part_c"];
const ROUNDS: u64 = 20;
/// What a round takes where nobody disturbs.
const ROUND_MS: f64 = 0.5;

/// What was true of the parts, frame by frame.
#[derive(Default)]
struct Truth {
    all: f64,
    parts: [f64; 3],
    /// As the quick average has them: of what is 0.8 s ago, nine tenths are forgotten.
    average: [f64; 5],
    frames: u64,
    /// How long the system let others run meanwhile.
    stalled: f64,
}

impl Truth {
    fn add(&mut self, frame_ms: f64, parts: [f64; 3]) {
        // The first three frames' values count alone.
        self.frames += 1;
        let weight = if self.frames <= 3 {
            0.0
        } else {
            0.1f64.powf(frame_ms / 800.0)
        };
        let stalled = (parts.iter().sum::<f64>() - ROUND_MS * ROUNDS as f64).max(0.0);
        let [a, b, c] = parts;
        let values = [a, b, c, frame_ms, stalled];
        for (average, value) in self.average.iter_mut().zip(values) {
            *average = *average * weight + value * (1.0 - weight);
        }
        self.stalled += stalled;
        for (part, value) in self.parts.iter_mut().zip(parts) {
            *part += value;
        }
        self.all += frame_ms;
    }
}

/// Whether a report marks its times as sampled: in its records and in its text.
fn check_marks(report: &Report) {
    let [.., column] = &report.columns[..] else {
        panic!("no columns");
    };
    assert_eq!(*column, Column::ERROR);
    let error = report.columns.len() - 1;
    for zone in PARTS {
        let Some(record) = find(report, zone) else {
            continue;
        };
        assert!(record.shown[error] && record.values[error] > 0.0);
        for (column, error) in report.columns.iter().zip(record.errors) {
            let is_time = column.unit == Unit::Milliseconds && *column != Column::ERROR;
            assert_eq!(error > 0.0, is_time, "{column:?}: {record:?}");
        }
        let mut text = String::new();
        record.format(0, report.columns[0], 2, true, &mut text);
        assert!(text.starts_with('~'), "{text}");
    }
    // A counter has no time to be unsure of.
    if let Some(record) = find(report, "things") {
        assert_eq!(record.errors, [0.0; iprof::MAX_VALUES]);
    }
    let mut text = Vec::new();
    report.write(&mut text, 2).expect("memory takes it");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("\u{b1} ms"), "{text}");
    let sampled = |line: &&str| PARTS.iter().any(|zone| line.contains(zone));
    let times = if report.columns.contains(&Column::NET) {
        3
    } else {
        2
    };
    for line in text.lines().filter(sampled) {
        assert_eq!(line.matches('~').count(), times, "{line}");
    }
}

/// All kinds of reports of a thread, the newest frame's number given.
fn kinds_of_reports(thread: ThreadId, frame: u64) -> Vec<Report> {
    let mut views = Vec::new();
    for threads in [
        Threads::All,
        Threads::One(thread),
        Threads::SameName(thread),
    ] {
        views.push(view(threads, frame));
        for average in 0..3 {
            let mut view = View::new();
            view.set_threads(threads);
            view.set_average(average);
            views.push(view.clone());
            view.set_net_times(true);
            views.push(view);
        }
    }
    let mut reports = Vec::new();
    for mut view in views {
        reports.push(view.report());
        view.set_report_mode(ReportMode::HierarchicalTime);
        reports.push(view.report());
        let is_part = |record: &Record| &*record.name == "parts";
        let at = view.report().records.iter().position(is_part);
        view.set_cursor(at.expect("it is shown"));
        view.select();
        reports.push(view.report());
    }
    reports
}

#[test]
fn sampled_times_are_marked_and_as_right_as_they_say() {
    let _alone = alone();
    // Microseconds a round, 60, 30 and 10 % on this thread, the other way round on another.
    const MINE: [u64; 3] = [300, 150, 50];
    const THEIRS: [u64; 3] = [50, 150, 300];
    iprof::set_timing(Timing::SAMPLED);
    iprof::update(true);
    let frame_of = |part: [u64; 3]| {
        let mut sum = [0.0; 3];
        for _ in 0..ROUNDS {
            let took = three_parts(part);
            (0..3).for_each(|at| sum[at] += took[at]);
        }
        sum
    };
    let (go, gone) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let worker = std::thread::Builder::new().name("theirs".into());
    let run = move || {
        for () in gone {
            let _ = tell.send(frame_of(THEIRS));
        }
    };
    let worker = worker.spawn(run).expect("a thread starts");

    let mut truths = [Truth::default(), Truth::default()];
    let mut frames = Vec::new();
    let start = Instant::now();
    // Ten milliseconds a frame, two seconds in all: some 2,000 samples of each thread.
    while start.elapsed() < Duration::from_secs(2) {
        go.send(()).expect("it waits");
        let mine = frame_of(MINE);
        let theirs = told.recv().expect("it works");
        iprof::update(true);
        let main = main_thread();
        let frame = newest_frame();
        let frame_ms = view(Threads::One(main), frame)
            .graph()
            .bars
            .back()
            .map(|bar| bar.ms);
        let frame_ms = frame_ms.expect("it is the newest");
        truths[0].add(frame_ms, mine);
        truths[1].add(frame_ms, theirs);
        // From the first frames on, whether a thread was found in all of its zones by then or not.
        // The time that looking takes is of no frame.
        if frames.len() % 40 == 3 {
            for thread in [main, running("theirs")] {
                kinds_of_reports(thread, frame).iter().for_each(check_marks);
            }
            let title = &iprof::report().title[1];
            assert!(title.starts_with("sampled at 1000 Hz"), "{title}");
            assert!(title.contains("  profiler "), "{title}");
            iprof::update(false);
        }
        frames.push(frame);
    }
    check_times(&frames.iter().copied().collect(), main_thread());

    for (thread, truth) in [main_thread(), running("theirs")].into_iter().zip(truths) {
        let average = |average: usize| {
            let mut view = View::new();
            view.set_threads(Threads::One(thread));
            view.set_average(average);
            view.report()
        };
        let (quick, slow) = (average(1), average(2));
        let part = |report: &Report, zone: &str| {
            let whole = value(report, "_global", Column::HIER);
            let error = find(report, zone).expect("it is shown").errors[0];
            (value(report, zone, Column::SELF) / whole, error / whole)
        };
        let reports: Vec<Report> = frames
            .iter()
            .map(|frame| view(Threads::One(thread), *frame).report())
            .collect();
        for (at, zone) in PARTS.iter().enumerate() {
            // What is found has the standard error that is shown: to be off by four of those
            // happens once in 16,000 times. Half a per cent of the whole is for what differs
            // between the two clocks. And where the machine is too busy to let us run, it does not
            // let the sampler run when it would: how that time is shared out is chance.
            let (found, error) = part(&quick, zone);
            // Of a thousand samples, or a tenth of these where the sampler hardly gets to run.
            assert!((0.001..0.1).contains(&error), "{zone}: {error}");
            let wanted = truth.average[at] / truth.average[3];
            let busy = truth.average[4] / truth.average[3];
            let off = (found - wanted).abs();
            let right = off < 4.0 * error + 0.005 + busy;
            assert!(right, "{zone}: {found} {wanted} {error} {busy}");

            // Frames add up to what was. All the samples are in them, so that they are as sure as
            // the slow average; but that one is not what to look at, for it has not forgotten the
            // first frame yet.
            let (_, error) = part(&slow, zone);
            let sum: f64 = reports
                .iter()
                .map(|report| value(report, zone, Column::SELF))
                .sum();
            let (found, wanted) = (sum / truth.all, truth.parts[at] / truth.all);
            let busy = truth.stalled / truth.all;
            let off = (found - wanted).abs();
            let right = off < 4.0 * error + 0.005 + busy;
            assert!(right, "{zone}: {found} {wanted} {error} {busy}");

            for report in &reports {
                assert_eq!(value(report, zone, Column::COUNT), ROUNDS as f64);
                assert!(find(report, zone).expect("entered").errors[0] > 0.0);
            }
        }
        for report in &reports {
            assert_eq!(value(report, "things", Column::COUNT), ROUNDS as f64);
            assert_eq!(value(report, "between", Column::COUNT), ROUNDS as f64);
        }
    }
    drop(go);
    worker.join().expect("it does not panic");
    assert_eq!(faults(), [""; 0]);
}

// ---- auto ---------------------------------------------------------------------------------------

const HOT: u64 = 100_000;

#[inline(never)]
fn hot(times: u64) {
    for _ in 0..times {
        iprof::zone!(hot);
        std::hint::black_box(times);
    }
}

fn auto_frame(hots: u64) -> u64 {
    {
        iprof::zone!(long);
        spin(Duration::from_millis(1));
    }
    hot(hots);
    iprof::update(true);
    newest_frame()
}

/// Whether a zone's time in a frame of this thread was sampled.
fn is_sampled(zone: &str, frame: u64) -> bool {
    let report = view(Threads::One(main_thread()), frame).report();
    find(&report, zone).is_some_and(|record| record.errors[0] > 0.0)
}

fn count(zone: &str, frame: u64) -> f64 {
    let report = view(Threads::One(main_thread()), frame).report();
    value(&report, zone, Column::COUNT)
}

/// A budget that [`HOT`] zones exceed with clocks and keep without, by what the title says they
/// cost here: the geometric mean of both, as far from either as can be.
fn budget_between() -> f64 {
    let part = |timing| {
        iprof::set_timing(timing);
        let parts = (0..31).map(|_| {
            let frame = auto_frame(HOT);
            let title = &view(Threads::All, frame).report().title[1];
            let (_, profiler) = title.split_once("profiler ").expect("it says so");
            let percent = profiler.trim_end_matches(" %").parse::<f64>();
            (
                bars(main_thread())[&frame],
                percent.expect("a number") / 100.0,
            )
        });
        // Of the shortest frame: in the others the machine had other things to do.
        parts.min_by(|a, b| a.0.total_cmp(&b.0)).expect("some").1
    };
    let (exact, counted) = (part(Timing::Exact), part(Timing::SAMPLED));
    assert!(0.0 < counted && counted < exact, "{counted} {exact}");
    iprof::set_timing(Timing::Exact);
    iprof::update(false);
    (exact * counted).sqrt()
}

#[test]
fn auto_takes_the_clock_of_what_is_hot_and_gives_it_back() {
    let _alone = alone();
    let budget = budget_between();
    iprof::set_timing(Timing::Auto { budget });
    let wait_for = |sampled: bool, hots: u64, seconds: u64| {
        let start = Instant::now();
        loop {
            let frame = auto_frame(hots);
            assert_eq!(count("hot", frame), hots as f64);
            assert_eq!(count("long", frame), 1.0);
            if is_sampled("hot", frame) == sampled {
                break start.elapsed();
            }
            let in_time = start.elapsed() < Duration::from_secs(seconds);
            assert!(in_time, "{sampled}, budget {budget}: {:?}", iprof::report());
        }
    };
    // At once, but for what has to be measured first.
    wait_for(true, HOT, 5);
    let start = Instant::now();
    let mut changes = 0;
    let mut was = true;
    for _ in 0..200 {
        let frame = auto_frame(HOT);
        let is = is_sampled("hot", frame);
        changes += u32::from(is != was);
        was = is;
        assert_eq!(count("hot", frame), HOT as f64);
        assert_eq!(count("long", frame), 1.0);
        assert!(
            !is_sampled("long", frame),
            "budget {budget}: {:?}",
            iprof::report()
        );
    }
    // On a machine that has other things to do there is room now and then. But each time that the
    // clock comes back takes twice as long: 1 s, 2 s, 4 s. So it is as often as 1 s has doubled.
    let backs = (start.elapsed().as_secs_f64() + 1.0)
        .log2()
        .floor()
        .max(1.0);
    assert!(changes <= 2 * backs as u32, "{changes}, {backs}");
    let title = &iprof::report().title[1];
    assert!(title.starts_with("auto "), "{title}");
    assert!(title.contains(" stacks sampled  profiler "), "{title}");
    // Within the second that it has to wait at least, the two that averages take, and twice and
    // four times as long if it lost its clock again meanwhile.
    wait_for(false, 5, 8);
    let frame = auto_frame(5);
    assert!(!is_sampled("hot", frame) && !is_sampled("long", frame));
    let title = &view(Threads::All, frame).report().title[1];
    assert!(title.contains(": 0 of "), "{title}");
    // And again, at once.
    wait_for(true, HOT, 2);
    assert_eq!(faults(), [""; 0]);
}

// ---- threads that come and go -------------------------------------------------------------------

const THREADS: usize = 16;
const NAMES: [&str; 4] = ["loader", "mixer", "tracer", "writer"];
const ENTERED: [&str; 5] = ["task", "descend", "pieces", "pair", "late piece"];

/// Small numbers in no order, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Entries by zone.
type Counts = BTreeMap<&'static str, u64>;

fn descend(depth: u64) {
    iprof::zone!(descend);
    if depth > 0 {
        descend(depth - 1);
    }
}

/// A thread's life: enters zones, for some milliseconds at most, and says how often.
fn live(seed: u64) -> Counts {
    let mut random = Random(seed);
    let mut counts = Counts::new();
    let mut add = |zone, more| *counts.entry(zone).or_default() += more;
    for _ in 0..1 + random.below(20) {
        iprof::zone!(task);
        add("task", 1);
        for _ in 0..random.below(200) {
            let depth = random.below(6);
            descend(depth);
            add("descend", depth + 1);
            iprof::counter!(pieces);
            add("pieces", 1);
        }
        iprof::begin!(pair);
        add("pair", 1);
        if random.below(4) == 0 {
            spin(Duration::from_micros(random.below(2000)));
        } else if random.below(4) == 0 {
            std::thread::sleep(Duration::from_micros(random.below(2000)));
        }
        {
            iprof::zone!("late piece");
            add("late piece", 1);
        }
        iprof::end!(pair);
    }
    counts
}

/// Sixteen threads at a time, each followed by another of its name, for a second and a half;
/// `modes` come in any order from two other threads meanwhile, and `act` is called over and over by
/// this one. Returns what the threads entered.
fn come_and_go(modes: &'static [Timing], seed: u64, mut act: impl FnMut()) -> Counts {
    let stop = Arc::new(AtomicBool::new(false));
    let changer = |at: u64| {
        let stop = Arc::clone(&stop);
        std::thread::spawn(move || {
            let mut random = Random(seed + at);
            while !stop.load(SeqCst) {
                iprof::set_timing(modes[random.below(modes.len() as u64) as usize]);
                std::thread::sleep(Duration::from_micros(random.below(4000)));
            }
        })
    };
    let changers: Vec<_> = (0..2).map(changer).collect();
    let mut lives = 0;
    let mut begin = |at: usize| {
        lives += 1;
        let seed = seed + 1000 * lives;
        let thread = std::thread::Builder::new().name(NAMES[at % NAMES.len()].into());
        thread.spawn(move || live(seed)).expect("a thread starts")
    };
    let mut counts = Counts::new();
    let mut end = |thread: JoinHandle<Counts>| {
        for (zone, more) in thread.join().expect("it does not panic") {
            *counts.entry(zone).or_default() += more;
        }
    };
    let mut threads: Vec<_> = (0..THREADS).map(|at| Some(begin(at))).collect();
    let start = Instant::now();
    let mut turn = 0;
    while start.elapsed() < Duration::from_millis(1500) {
        for (at, thread) in threads.iter_mut().enumerate() {
            if thread.as_ref().is_some_and(JoinHandle::is_finished) {
                // It has given its place back before another needs one.
                thread.take().into_iter().for_each(&mut end);
                *thread = Some(begin(at));
            }
        }
        act();
        turn += 1;
        // Frames are not so short that looking at all of them takes long.
        std::thread::sleep(Duration::from_micros(500));
        if turn % 16 == 0 {
            let of_mine = |thread: &ThreadInfo| NAMES.contains(&&*thread.name);
            let mine = iprof::threads()
                .iter()
                .filter(|thread| of_mine(thread))
                .count();
            // Never more than there are at once.
            assert!(mine <= THREADS, "{:?}", iprof::threads());
        }
    }
    threads.into_iter().flatten().for_each(&mut end);
    stop.store(true, SeqCst);
    changers
        .into_iter()
        .for_each(|thread| thread.join().expect("it does not panic"));
    assert!(lives > 2 * THREADS as u64, "they come and go");
    counts
}

#[test]
fn counts_of_threads_that_come_and_go_are_exact_while_timing_changes() {
    let _alone = alone();
    // The same in every run: what differs is which moments are hit.
    let counts = come_and_go(&ON, 1, || iprof::update(true));
    iprof::update(true);
    let mut entered = Counts::new();
    let mut frames = BTreeSet::new();
    let main = main_thread();
    for frame in bars(main).into_keys() {
        let report = view(Threads::All, frame).report();
        for zone in ENTERED {
            let more = value(&report, zone, Column::COUNT);
            assert_eq!(more.fract(), 0.0);
            if more > 0.0 {
                *entered.entry(zone).or_default() += more as u64;
            }
        }
        frames.insert(frame);
    }
    assert_eq!(entered, counts);
    check_times(&frames, main);
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn nothing_is_absurd_where_timing_is_off_now_and_then_and_all_is_forgotten() {
    let _alone = alone();
    iprof::update(true);
    let main = main_thread();
    let mut turn = 0;
    let counts = come_and_go(&MODES, 2, || {
        turn += 1;
        match turn % 11 {
            3 => iprof::update(false),
            7 if turn % 3 == 0 => iprof::reset(),
            _ => iprof::update(true),
        }
        if turn % 8 == 0 {
            // One thread updates: nothing changes between these two but the timing.
            let frames: BTreeSet<u64> = bars(main).into_keys().rev().take(3).collect();
            check_times(&frames, main);
            let mut now = View::new();
            for thread in iprof::threads() {
                now.set_threads(Threads::One(thread.id));
                for average in 0..3 {
                    now.set_average(average);
                    check_values(&now.report(), f64::MAX);
                }
            }
        }
    });
    assert!(counts["task"] > 0);
    // Off in a zone of a thread that has no guard for it, or back on in one: still no fault.
    assert_eq!(faults(), [""; 0]);
    iprof::set_timing(Timing::Exact);
    iprof::reset();
    assert!(
        iprof::threads()
            .iter()
            .all(|thread| !NAMES.contains(&&*thread.name))
    );
}

// ---- reset --------------------------------------------------------------------------------------

#[test]
fn reset_forgets_what_was_and_leaves_open_what_is_open_in_any_timing() {
    let _alone = alone();
    for (at, timing) in MODES.into_iter().chain(ON).enumerate() {
        iprof::set_timing(timing);
        iprof::update(true);
        iprof::update(true);
        let gate = Barrier::new(2);
        let steps = || {
            iprof::zone!(open);
            iprof::begin!(begun);
            for _ in 0..5 {
                iprof::zone!(early);
            }
            gate.wait();
            gate.wait();
            for _ in 0..7 {
                iprof::zone!(later);
                iprof::counter!(things);
            }
            gate.wait();
            gate.wait();
            iprof::end!(begun);
        };
        let (frame, worker, seen) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("resets".into());
            let worker = thread.spawn_scoped(scope, steps).expect("a thread starts");
            gate.wait();
            // At the end of a frame, or within; by this thread or another.
            if at % 2 == 0 {
                iprof::update(true);
            }
            if at % 3 == 0 {
                iprof::reset();
            } else {
                scope.spawn(iprof::reset).join().expect("it does not panic");
            }
            let after = (newest_frame(), iprof::report().records.len());
            // What Off forgot is gone; the open zones' later entries are to be seen.
            iprof::set_timing(if timing == Timing::Off {
                Timing::Exact
            } else {
                timing
            });
            iprof::update(timing != Timing::Off);
            gate.wait();
            gate.wait();
            let frame = kept_frame();
            let id = iprof::threads()
                .into_iter()
                .find(|t| t.running && t.name == "resets");
            gate.wait();
            worker.join().expect("it does not panic");
            (frame, id, after)
        });
        assert_eq!(seen, (0, 0), "{timing:?}: nothing is left");
        let frame = frame.expect("it is on");
        let main = main_thread();
        let id = worker.expect("it runs").id;
        let top = if timing == Timing::Off {
            "_global"
        } else {
            "begun"
        };
        let wanted = edges_of(&[(top, "later", 7), ("later", "things", 7)]);
        assert_eq!(edges(id, frame), wanted, "{timing:?}");
        let frames: BTreeSet<u64> = bars(main).into_keys().collect();
        assert!(frames.contains(&frame) && frames.len() <= 2, "{frames:?}");
        check_times(&frames, main);
        for frame in frames {
            let report = view(Threads::One(id), frame).report();
            assert_eq!(value(&report, "early", Column::COUNT), 0.0);
            assert_eq!(value(&report, "open", Column::COUNT), 0.0);
            if matches!(timing, Timing::Exact) {
                assert!(value(&report, "open", Column::HIER) > 0.0, "open all along");
            }
        }
    }
    assert_eq!(faults(), [""; 0]);
}

#[test]
fn nothing_is_marked_as_sampled_after_a_reset_that_is_not() {
    let _alone = alone();
    let marked = || {
        let mut view = View::new();
        (0..3).any(|average| {
            view.set_average(average);
            view.report().columns.contains(&Column::ERROR)
        })
    };
    let frame = || {
        three_parts([100, 100, 100]);
        iprof::update(true);
    };
    iprof::set_timing(Timing::SAMPLED);
    (0..5).for_each(|_| frame());
    assert!(marked());
    iprof::set_timing(Timing::Exact);
    (0..2).for_each(|_| frame());
    assert!(marked(), "averages are of sampled times, mostly");
    // However long nothing is kept.
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2700) {
        spin(Duration::from_millis(100));
        iprof::update(false);
    }
    assert!(marked(), "what is shown stays");
    iprof::reset();
    frame();
    assert!(!marked(), "{:?}", iprof::report());
}
