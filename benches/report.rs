//! Measures how long it takes to build reports in every mode, for trees of various sizes and depths, on one thread and
//! on 64.
//!
//! Recorded trees are never freed, so each case runs in separate processes, which take turns. Every frame enters all
//! zones. Then each kind of report is built repeatedly, mostly for the 0.8 s average: all modes, expanded call graphs,
//! a diff, a remembered frame, and groups. Finally, the bench measures key presses, drawing the screen, and columns
//! that need every remembered frame. Recorded entry counts are checked.
//!
//! `--tsv FILE` adds the results to a table, a small `--runs N` gives quicker results, and `--only TEXT` selects cases
//! by name.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tree.rs"]
mod tree;
#[path = "shared/tsv.rs"]
mod tsv;

use iprof::{Baseline, Frames, Recursion, ReportMode, View};
use options::value_of;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tree::{Frame, Level, STACK, call, chain, count, levels};
use tsv::Tsv;

/// The number of frames that are recorded and remembered, unless a case uses more.
const FRAMES: usize = 8;
const MANY_FRAMES: usize = 1_024;
/// The number of processes per case.
const RUNS: usize = 3;
/// The time for which a process measures a kind of report, and the minimum number of repetitions.
const TIME: Duration = Duration::from_millis(30);
const LEAST: usize = 5;

struct Case {
    name: &'static str,
    levels: Vec<Level>,
    threads: usize,
    /// The number of additional zones. Each has its own name, and every second one is nested in the previous one.
    zones: usize,
    has_values: bool,
    frames: usize,
}

iprof::define_value!(BODIES, "bodies", "body");

/// The case that ratios are relative to.
const BASELINE: &str = "1,000 nodes";

fn cases() -> Vec<Case> {
    let case = |name, levels, threads| Case {
        name,
        levels,
        threads,
        zones: 0,
        has_values: false,
        frames: FRAMES,
    };
    let ten = (10, 1);
    vec![
        case("10 nodes", levels(&[ten]), 1),
        case("100 nodes", levels(&[ten; 2]), 1),
        case(BASELINE, levels(&[ten; 3]), 1),
        case("10,000 nodes", levels(&[ten; 4]), 1),
        case("100,000 nodes", levels(&[ten; 5]), 1),
        case("10,000 pairs of zones", levels(&[(100, 1), (100, 1)]), 1),
        case("chain of 100", chain(100), 1),
        case("chain of 1,000", chain(1_000), 1),
        case("chain of 10,000", chain(10_000), 1),
        case("64 threads of 16 nodes", levels(&[(4, 1), (3, 1)]), 64),
        case("64 threads of 1,000", levels(&[ten; 3]), 64),
        Case {
            zones: 10_000,
            ..case("10,000 zones", levels(&[(1, 1)]), 1)
        },
        Case {
            zones: 37,
            frames: MANY_FRAMES,
            ..case("40 rows, 1,024 frames", levels(&[(1, 1)]), 1)
        },
        Case {
            zones: 37,
            has_values: true,
            frames: MANY_FRAMES,
            ..case("40 with values, 1,024 frames", levels(&[(1, 1)]), 1)
        },
        Case {
            frames: MANY_FRAMES,
            ..case("1,000 nodes, 1,024 frames", levels(&[ten; 3]), 1)
        },
    ]
}

/// A kind of report: its name, and how to set up a new view for it.
type Kind = (&'static str, fn(&mut View));

const KINDS: [Kind; 12] = [
    ("self", |_| {}),
    ("hier", |view| {
        view.report_mode = ReportMode::HierarchicalTime;
    }),
    ("spread", |view| {
        view.recursion = Recursion::Spread;
        view.report_mode = ReportMode::HierarchicalTime;
    }),
    ("graph", |view| {
        select_busiest(view);
    }),
    ("opened", |view| {
        select_busiest(view);
        open_all(view);
    }),
    ("found", |view| {
        select_busiest(view);
        view.filter = "e".to_owned();
    }),
    ("below", |view| {
        select_busiest(view);
        view.report_mode = ReportMode::CallGraphDescendants;
    }),
    ("tree", |view| {
        view.report_mode = ReportMode::CallTree;
        open_all(view);
    }),
    ("compared", |view| {
        view.show_frames(&iprof::profiler(), Frames::Back(3));
        view.set_baseline(Baseline::Average);
    }),
    ("frame", |view| {
        view.show_frames(&iprof::profiler(), Frames::Back(3));
        view.report_mode = ReportMode::HierarchicalTime;
    }),
    ("groups", |view| {
        view.report_mode = ReportMode::HierarchicalTime;
        view.grouping = true;
    }),
    ("others", |view| {
        view.report_mode = ReportMode::HierarchicalTime;
        view.min_share = 0.03;
    }),
];

/// An action: its name, the refresh rate to set, what to do before each repetition, and the action itself. The
/// preparation is passed a function that ends a frame.
type Operation = (&'static str, Option<f32>, fn(&dyn Fn()), fn(&mut View));

/// The actions: redrawing the screen, with or without rows held in place, moving the cursor on the screen and in a
/// custom view, sorting a custom view, and showing columns that need every frame.
const OPERATIONS: [Operation; 9] = [
    ("screen", None, |_| (), |_| iprof::move_cursor(0)),
    (
        "held",
        None,
        |frame| frame(),
        |_| {
            // The previous call moved the cursor, so move it back.
            static STEP: AtomicI32 = AtomicI32::new(1);
            let step = STEP.load(Relaxed);
            STEP.store(-step, Relaxed);
            iprof::move_cursor(step);
        },
    ),
    ("cursor", Some(0.001), |_| (), |_| iprof::move_cursor(1)),
    (
        "own cursor",
        Some(0.001),
        |_| (),
        |view| {
            view.act(&iprof::profiler(), iprof::Action::MoveCursor(1));
        },
    ),
    (
        "own sort",
        Some(0.001),
        |_| (),
        |view| {
            view.act(&iprof::profiler(), iprof::Action::ReverseSort);
        },
    ),
    ("per frame", None, |frame| frame(), times_per_frame),
    (
        "hier",
        None,
        |frame| frame(),
        |view| {
            view.report_mode = ReportMode::HierarchicalTime;
            times_per_frame(view);
        },
    ),
    ("values", None, |frame| frame(), values_per_frame),
    ("rescued", None, |frame| frame(), rescued),
];

fn times_per_frame(view: &mut View) {
    for &column in iprof::ColumnId::TIMES_PER_FRAME {
        view.set_column(column, true);
    }
    let rows = view.report(&iprof::profiler()).rows;
    assert!(rows[0].value(iprof::ColumnId::P99).is_some());
}

/// Adds the columns that exist only for rows with a named value.
fn values_per_frame(view: &mut View) {
    for &column in iprof::ColumnId::VALUES_PER_FRAME {
        view.set_column(column, true);
    }
    let report = view.report(&iprof::profiler());
    let has = |column| report.columns.contains(&column);
    assert_eq!(
        has(iprof::ColumnId::ValueP99),
        has(iprof::ColumnId::NamedValue)
    );
}

/// Adds the `rescued` column, while every frame misses the budget.
fn rescued(view: &mut View) {
    iprof::configure(|config| config.frame_budget = Duration::ZERO);
    view.set_column(iprof::ColumnId::Rescued, true);
    let report = view.report(&iprof::profiler());
    let words: Vec<&str> = report.title[2].split(' ').collect();
    assert_eq!(words[0], words[2], "all frames should be missed frames");
}

fn names() -> impl Iterator<Item = &'static str> {
    let kinds = KINDS.iter().map(|(name, _)| *name);
    kinds.chain(OPERATIONS.iter().map(|(name, ..)| *name))
}

/// Shows the call graph of the zone with the largest hierarchical time among the zones entered by [`call`].
fn select_busiest(view: &mut View) {
    view.report_mode = ReportMode::HierarchicalTime;
    let rows = view.report(&iprof::profiler()).rows;
    let measured = |row: &iprof::Row| row.name.starts_with("measured");
    let at = rows
        .iter()
        .position(measured)
        .expect("the zones should be recorded");
    view.act(&iprof::profiler(), iprof::Action::SetCursor(at));
    view.act(&iprof::profiler(), iprof::Action::Select);
}

/// Expands one row after another, up to a screenful.
fn open_all(view: &mut View) {
    for _ in 0..8 {
        let rows = view.report(&iprof::profiler()).rows;
        let closed = |row: &iprof::Row| row.expansion == iprof::Expansion::Collapsed;
        let Some(at) = rows.iter().position(closed) else {
            break;
        };
        view.act(&iprof::profiler(), iprof::Action::SetCursor(at));
        view.act(&iprof::profiler(), iprof::Action::Expand);
    }
}

#[derive(Clone, Default)]
struct Measured {
    ns: Vec<u64>,
    rows: usize,
}

fn main() -> std::io::Result<()> {
    if let Some(name) = value_of("--measure") {
        let case = cases().into_iter().find(|case| case.name == name);
        let case = case.expect("unknown case name");
        let measuring = std::thread::Builder::new().stack_size(STACK);
        let kinds = measuring.spawn(move || measure(case))?.join().unwrap();
        for kind in kinds {
            let ns: Vec<String> = kind.ns.iter().map(u64::to_string).collect();
            println!("{} {}", kind.rows, ns.join(" "));
        }
        return Ok(());
    }
    let only = value_of("--only").unwrap_or_default();
    let cases: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.name == BASELINE || case.name.contains(&only))
        .collect();
    let mut all = vec![vec![Measured::default(); names().count()]; cases.len()];
    for _ in 0..options::runs(RUNS) {
        for (case, kinds) in cases.iter().zip(&mut all) {
            let output = Command::new(std::env::current_exe()?)
                .args(["--measure", case.name])
                .stderr(Stdio::inherit())
                .output()?;
            assert!(output.status.success(), "{} failed", case.name);
            let output = String::from_utf8(output.stdout).expect("the output should be UTF-8");
            for (line, kind) in output.lines().zip(kinds) {
                let mut numbers = line.split(' ').map(|n| {
                    n.parse::<u64>()
                        .expect("the output should consist of numbers")
                });
                kind.rows = numbers
                    .next()
                    .expect("the line should start with the number of rows")
                    as usize;
                kind.ns.extend(numbers);
            }
        }
    }
    report(&cases, &mut all)
}

fn measure(case: Case) -> Vec<Measured> {
    let case = Arc::new(case);
    let barrier = Arc::new(Barrier::new(case.threads));
    for worker in 1..case.threads {
        let (barrier, case) = (barrier.clone(), case.clone());
        let work = move || {
            iprof::set_thread_name(format!("worker {worker}"));
            loop {
                barrier.wait();
                call(&case.levels, Frame::All);
                barrier.wait();
            }
        };
        // The spawned thread ends with the process, so it is never joined.
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn(work).expect("failed to start a thread");
    }
    let zones: Vec<&'static iprof::Zone> = (0..case.zones).map(zone).collect();
    let frame = || {
        barrier.wait();
        call(&case.levels, Frame::All);
        // A single site enters all of these zones. It caches the last zone for each parent, but the parent is different
        // each time.
        for pair in zones.chunks(2) {
            for zone in pair {
                iprof::__site!(begin, *zone);
                if case.has_values {
                    iprof::value!(BODIES, 1u32);
                }
            }
            pair.iter().for_each(|_| iprof::end!());
        }
        barrier.wait();
        iprof::update(true);
    };
    (0..case.frames).for_each(|_| frame());
    check(&case);
    assert!(View::default().report(&iprof::profiler()).rows.len() > case.zones);
    let measure = |(_, set): &Kind| {
        let mut view = View::default();
        set(&mut view);
        let mut measured = Measured {
            rows: view.report(&iprof::profiler()).rows.len(),
            ns: Vec::new(),
        };
        let start = Instant::now();
        while measured.ns.len() < LEAST || start.elapsed() < TIME {
            let start = Instant::now();
            let report = view.report(&iprof::profiler());
            measured.ns.push(start.elapsed().as_nanos() as u64);
            assert_eq!(report.rows.len(), measured.rows);
        }
        measured
    };
    let kinds = KINDS.iter().map(measure);
    let operations = OPERATIONS
        .iter()
        .map(|operation| measure_operation(operation, &frame));
    kinds.chain(operations).collect()
}

fn measure_operation((_, rate, before, act): &Operation, frame: &dyn Fn()) -> Measured {
    iprof::configure(|config| config.refresh_rate = *rate);
    let mut view = View::default();
    act(&mut view);
    let mut measured = Measured::default();
    let start = Instant::now();
    while measured.ns.len() < LEAST || start.elapsed() < TIME {
        before(frame);
        let start = Instant::now();
        act(&mut view);
        measured.ns.push(start.elapsed().as_nanos() as u64);
    }
    measured
}

fn zone(at: usize) -> &'static iprof::Zone {
    let name: &'static str = format!("measured::zone {at}").leak();
    Box::leak(Box::new(iprof::Zone::new(name, "report.rs", 1, "report")))
}

fn check(case: &Case) {
    let mut view = View::default();
    view.average = iprof::Average::Newest;
    let rows = view.report(&iprof::profiler()).rows;
    let measured = rows.iter().filter(|row| row.name.starts_with("measured"));
    let counted: f64 = measured
        .map(|row| row.value(iprof::ColumnId::Count).unwrap().number)
        .sum();
    let entered = case.threads * count(&case.levels, false) + case.zones;
    assert_eq!(counted, entered as f64, "{}", case.name);
}

fn report(cases: &[Case], all: &mut [Vec<Measured>]) -> std::io::Result<()> {
    let mut tsv = Tsv::new("report", value_of("--tsv").as_deref())?;
    for measured in all.iter_mut().flatten() {
        measured.ns.sort_unstable();
    }
    let minimum = |measured: &Measured| measured.ns[0] as f64 / 1e3;
    let median = |measured: &Measured| measured.ns[measured.ns.len() / 2] as f64 / 1e3;
    let baseline = cases.iter().position(|case| case.name == BASELINE);
    let baseline = &all[baseline.expect("the baseline is always measured")];
    let table = |title: &str, value: &dyn Fn(&Measured) -> f64, places: usize| {
        println!("{title}");
        print!("{:<24} {:>7}", "case", "nodes");
        names().for_each(|name| print!(" {name:>10}"));
        println!();
        for (case, kinds) in cases.iter().zip(&*all) {
            let nodes = case.threads * count(&case.levels, false) + case.zones;
            print!("{:<24} {nodes:>7}", case.name);
            for kind in kinds {
                print!(" {:>10.places$}", value(kind));
            }
            println!();
        }
        println!();
    };
    table("rows of a report", &|kind| kind.rows as f64, 0);
    table("microseconds, minimum", &minimum, 1);
    table("microseconds, median", &median, 1);
    for (case, kinds) in cases.iter().zip(&*all) {
        for ((kind, measured), base) in names().zip(kinds).zip(baseline) {
            for (unit, value, base) in [
                ("us, minimum", minimum(measured), minimum(base)),
                ("us, median", median(measured), median(base)),
            ] {
                let name = format!("{kind}, {}", case.name);
                tsv.line(&name, value, unit, BASELINE, value / base)?;
            }
        }
    }
    Ok(())
}
