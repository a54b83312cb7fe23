//! Compares rescued frames with the naive profiler, which keeps whole stacks for each frame.

use super::call_paths::{chains, open_all};
use super::oracle::{Moments, MomentsByRow, RowId, Sums};
use super::programs::{self, MS_PER_TICK, Run, Step, ZONES};
use super::scene::*;
use super::sums::{THREADS, row_id};
use crate::query;
use crate::report::{ColumnId, Recursion, Report, ReportMode, Row, RowKind, Section, Sort};
use crate::tests::FRAME_BUDGET;
use crate::view::View;
use iprof_gather::Zone;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::collections::BTreeMap;

fn rescued(view: &mut View) {
    view.set_column(ColumnId::Rescued, true);
}

/// Returns whether a thread with this stack is waiting in its top zone.
fn waits(stack: &[usize], thread: usize, idle: u8) -> bool {
    match stack {
        [0] => thread > 0,
        [.., zone] => idle >> (zone - 1) & 1 == 1,
        [] => false,
    }
}

fn work(moments: &Moments, thread: usize, idle: u8) -> Moments {
    let mut work = moments.clone();
    work.0.retain(|stack, _| !waits(stack, thread, idle));
    work
}

/// Returns the number of frames that would have met the budget if half of `time` had been saved. `time` returns a row's
/// time, given the indices of a frame and a thread.
fn naive(run: &Run, threads: &[usize], idle: u8, time: impl Fn(usize, usize) -> f64) -> f64 {
    let budget_ms = FRAME_BUDGET.as_secs_f64() * 1e3;
    let knows_waits = run.all[0].0.keys().any(|stack| waits(stack, 0, idle));
    let is_met = |(at, frame): &(usize, &programs::NaiveFrame)| {
        let of = |thread: usize| time(*at, thread);
        let own = if threads.contains(&0) { of(0) } else { 0.0 };
        let others: f64 = threads.iter().filter(|at| **at > 0).map(|at| of(*at)).sum();
        let moments = frame.threads[0].0.iter();
        let waited = moments.filter(|(stack, _)| waits(stack, 0, idle));
        let most = match knows_waits {
            true => waited.map(|(_, (time, _))| time).sum(),
            false => frame.ticks as f64 - own,
        };
        let saved = own / 2.0 + (others / 2.0).min(most);
        let ms = frame.ticks as f64 * MS_PER_TICK;
        ms > budget_ms && (frame.ticks as f64 - saved) * MS_PER_TICK <= budget_ms
    };
    run.frames.iter().enumerate().filter(is_met).count() as f64
}

/// Returns each row's time by call path, in one section of a report about `selected`.
fn by_path(
    moments: &MomentsByRow,
    view: &View,
    section: Section,
    selected: Option<RowId>,
) -> BTreeMap<Vec<RowId>, f64> {
    let single = |rows: BTreeMap<RowId, Sums>| -> BTreeMap<Vec<RowId>, Sums> {
        rows.into_iter()
            .map(|(row, sums)| (vec![row], sums))
            .collect()
    };
    let of = || selected.expect("a call graph should have a selected zone");
    let rows = match section {
        Section::Flat => single(moments.flat()),
        Section::Selected => {
            let mut flat = moments.flat();
            flat.retain(|row, _| *row == of());
            single(flat)
        }
        Section::Caller => moments.caller_paths(of()),
        Section::Callee => moments.callee_paths(Some(of())),
        Section::Descendant => single(moments.descendants(of())),
        Section::Tree => moments.callee_paths(None),
    };
    let sum = usize::from(view.report_mode != ReportMode::SelfTime);
    let time = |(path, sums): (_, Sums)| (path, sums[sum]);
    rows.into_iter().map(time).collect()
}

/// Checks all rows whose time the oracle knows. Returns how many such rows there are, and how many of them rescue a
/// frame.
fn check(run: &Run, view: &View, threads: &[usize], idle: u8) -> [usize; 2] {
    let report = query::report(&run.profiler, view, None);
    let is_selected = |row: &&Row| row.key.section == Section::Selected;
    let selected = report.rows.iter().find(is_selected).map(row_id);
    let mut checked = [0; 2];
    for section in [
        Section::Flat,
        Section::Selected,
        Section::Caller,
        Section::Callee,
        Section::Descendant,
        Section::Tree,
    ] {
        let is_zone = |row: &&Row| row.key.section == section && row.key.kind == RowKind::Zone;
        let rows: BTreeMap<Vec<RowId>, &Row> = match section {
            Section::Tree | Section::Caller | Section::Callee => chains(&report, section),
            _ => {
                let rows = report.rows.iter().filter(is_zone);
                rows.map(|row| (vec![row_id(row)], row)).collect()
            }
        };
        if rows.is_empty() {
            continue;
        }
        let of_thread = |(thread, moments): (usize, &Moments)| {
            let moments = work(moments, thread, idle).by_row(view.recursion);
            by_path(&moments, view, section, selected)
        };
        let of_frame = |frame: &programs::NaiveFrame| {
            let threads = frame.threads.iter().enumerate();
            threads.map(of_thread).collect::<Vec<_>>()
        };
        let times: Vec<Vec<BTreeMap<Vec<RowId>, f64>>> = run.frames.iter().map(of_frame).collect();
        for (path, row) in rows {
            let got = row.value(ColumnId::Rescued).map(|value| value.number);
            if row.is_idle {
                assert_eq!(got, None);
                continue;
            }
            let time = |frame: usize, thread: usize| {
                times[frame][thread].get(&path).copied().unwrap_or(0.0)
            };
            let wanted = naive(run, threads, idle, time);
            let what = || format!("{} {:?} in {view:#?}", row.name, row.key);
            assert_eq!(got, Some(wanted), "{}", what());
            checked[0] += 1;
            checked[1] += usize::from(wanted > 0.0);
        }
    }
    checked
}

/// Generates programs whose frames take about as long as the budget, so that some just miss it.
fn program() -> impl Strategy<Value = programs::Program> {
    (programs::program(THREADS), 2u64..8).prop_map(|(mut program, times)| {
        for (_, step) in &mut program {
            if let Step::Pass(ticks) = step {
                *ticks *= times;
            }
        }
        program
    })
}

const MODES: usize = ReportMode::ALL.len();

#[test]
fn rescued_frames_match_naive_sums() {
    let config = ProptestConfig {
        cases: programs::config().cases / 10,
        ..programs::config()
    };
    let cases = config.cases as usize;
    let idle = prop_oneof![Just(0u8), any::<u8>()];
    let programs = (program(), 0..ZONES + 1, idle);
    // The counts for each mode.
    let (checked, rescues) = (Cell::new([0; MODES]), Cell::new([0; MODES]));
    let result = TestRunner::new(config).run(&programs, |(program, zone, idle)| {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        let choices: [(Threads, &[usize]); 4] = [
            (Threads::All, &[0, 1, 2]),
            (Threads::Frame, &[0]),
            (Threads::One(ThreadId(1)), &[1]),
            (Threads::Group(ThreadId(1)), &[1, 2]),
        ];
        for (chosen, threads) in choices {
            for recursion in [Recursion::Flatten, Recursion::Spread] {
                let mut view = View::default();
                rescued(&mut view);
                view.set_threads(chosen);
                view.recursion = recursion;
                view.frame = Frames::All;
                view.select_zone_of((zone % run.profiler.indices().zone_count()) as u32);
                for (at, &mode) in ReportMode::ALL.iter().enumerate() {
                    view.report_mode = mode;
                    for is_open in [false, true] {
                        if is_open {
                            open_all(&run, &mut view);
                        }
                        let found = check(&run, &view, threads, idle);
                        for (sum, found) in [&checked, &rescues].into_iter().zip(found) {
                            let mut sums = sum.get();
                            sums[at] += found;
                            sum.set(sums);
                        }
                    }
                }
            }
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (checked, rescues) = (checked.get(), rescues.get());
    // If only a few programs are run, possibly no row rescues a frame.
    assert!(
        cases < 100 || rescues.iter().all(|rescues| *rescues > cases),
        "{rescues:?} of {checked:?} rows rescue a frame"
    );
}

/// A 20 ms frame misses the budget of 16.67 ms. A zone of 10 ms or more could have made up for it.
#[test]
fn rescuing_zones_come_first_and_title_counts_misses() {
    let mut scene = Scene::new();
    for frame in 0..30u64 {
        let art = if frame % 10 == 0 { 10_000 } else { 100 };
        let solve = if frame % 10 == 0 { 10_000 } else { 5_000 };
        // Frame 5 takes 17.1 ms.
        let others = if frame == 5 { 6_000 } else { 20 };
        scene.frame(&[
            (&SOLVE, 2, solve),
            (&COLLIDE, 1, others),
            (&BROAD, 1, others),
            (&ART, 1, art),
        ]);
    }
    let mut view = View::default();
    view.frame = Frames::All;
    rescued(&mut view);
    view.set_sort(Sort::Column(ColumnId::Rescued), false);
    let report = query::report(&scene.profiler, &view, None);
    let of = |report: &Report, name: &str| {
        let row = report.rows.iter().find(|row| &*row.name == name);
        row.and_then(|row: &Row| row.value(ColumnId::Rescued))
            .map(|value| value.number)
    };
    let names: Vec<_> = report.rows[..2].iter().map(|row| &*row.name).collect();
    assert_eq!(names, ["physics::solve", "Art"]);
    assert_eq!(
        report.title[2],
        "4 of 30 frames over 16.67 ms; rescued: at half the self time, exact"
    );
    assert_eq!(of(&report, "Art"), Some(3.0));
    // Saving half of 6 ms meets the budget, as does saving half of 5 ms.
    assert_eq!(of(&report, "physics::phase::broad"), Some(1.0));
    assert_eq!(of(&report, "physics::solve"), Some(4.0));
    assert_eq!(of(&report, "(outside zones)"), Some(0.0));
    let mut text = String::new();
    let art = report.rows.iter().find(|row| &*row.name == "Art");
    report.push_value(art.unwrap(), ColumnId::Rescued, 2, &mut text);
    assert_eq!(text, "3", "the count should be a whole number");
    // The other modes include callees' time.
    view.report_mode = ReportMode::HierarchicalTime;
    let report = query::report(&scene.profiler, &view, None);
    assert_eq!(of(&report, "step"), Some(4.0));
    assert!(report.title[2].ends_with("rescued: at half the hier time, exact"));
}

static JOB: Zone = Zone::new("job", file!(), line!(), module_path!());
static WAIT: Zone = Zone::new("wait", file!(), line!(), module_path!()).idle();

/// If the frame's thread has no idle zones, a frame may have waited for a worker the whole time. Once the thread has
/// one, earlier frames are known not to have waited.
#[test]
fn first_idle_zone_corrects_earlier_frames() {
    let mut now = 1_000;
    let mut threads = ["main", "worker"].map(|name| ScriptedThread::begin(name, now));
    let records = [threads[0].record(), threads[1].record()];
    let mut profiler = Profiler::new(Pair::both(now));
    // The worker's job lasts the entire 20 ms frame. Meanwhile, the frame's thread waits or works.
    let mut frame = |profiler: &mut Profiler, waits: bool| {
        threads[0].enter(if waits { &WAIT } else { &STEP }, now);
        threads[1].enter(&JOB, now);
        now += 20_000_000;
        threads.iter_mut().for_each(|thread| thread.leave(now));
        profiler.end_frame(&records, records[0], Pair::both(now), true);
    };
    let mut view = View::default();
    rescued(&mut view);
    view.report_mode = ReportMode::HierarchicalTime;
    view.frame = Frames::All;
    // Show only the worker, so that the waiting zone doesn't add a row.
    view.set_threads(Threads::One(ThreadId(1)));
    let of_job = |profiler: &Profiler| {
        let report = query::report(profiler, &view, None);
        let row = report.rows.iter().find(|row| &*row.name == "job");
        row.and_then(|row| row.value(ColumnId::Rescued))
            .unwrap()
            .number
    };
    for _ in 0..3 {
        frame(&mut profiler, false);
    }
    assert_eq!(of_job(&profiler), 3.0);
    frame(&mut profiler, true);
    assert_eq!(of_job(&profiler), 1.0);
}

#[test]
fn title_explains_rescued_counts_per_thread() {
    let mut now = 1_000;
    let mut threads = ["main", "worker"].map(|name| ScriptedThread::begin(name, now));
    let records = [threads[0].record(), threads[1].record()];
    let mut profiler = Profiler::new(Pair::both(now));
    let mut frame = |profiler: &mut Profiler, zone| {
        threads[0].enter(zone, now);
        threads[1].enter(&JOB, now);
        now += 20_000_000;
        threads.iter_mut().for_each(|thread| thread.leave(now));
        profiler.end_frame(&records, records[0], Pair::both(now), true);
    };
    let title = |profiler: &Profiler, threads| {
        let mut view = View::default();
        rescued(&mut view);
        view.frame = Frames::All;
        view.set_threads(threads);
        let report = query::report(profiler, &view, None);
        report.title[2]
            .split_once("self time, ")
            .unwrap()
            .1
            .to_owned()
    };
    frame(&mut profiler, &STEP);
    let worker = Threads::One(ThreadId(1));
    assert_eq!(title(&profiler, Threads::Frame), "exact");
    assert_eq!(
        title(&profiler, Threads::All),
        "exact on the frame's thread, upper bound on others"
    );
    assert_eq!(
        title(&profiler, worker),
        "upper bound: if the frame waits for it"
    );
    frame(&mut profiler, &WAIT);
    assert_eq!(title(&profiler, Threads::Frame), "exact");
    assert_eq!(
        title(&profiler, Threads::All),
        "exact on the frame's thread, upper bound on others, from idle zones"
    );
    assert_eq!(
        title(&profiler, worker),
        "upper bound: the frame's waits in idle zones"
    );
}
