//! Compares budget misses and over-budget rows with the naive profiler, which keeps whole stacks for each frame.

use super::programs::{self, MS_PER_TICK, NaiveFrame, Run, Step};
use super::scene::*;
use super::sums::THREADS;
use crate::query;
use crate::report::{Recursion, ReportMode, Row, RowKind, Section};
use crate::tests::FRAME_BUDGET;
use crate::view::View;
use iprof_gather::Zone;
use iprof_process::Frames;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::time::Duration;

/// The program's zones, each with the number that represents it in the oracle's stacks.
const NAMES: [(&str, usize); 4] = [("a", 1), ("x::b", 2), ("x::y::c", 3), ("z::d", 4)];

/// Returns a zone's time on a thread, in milliseconds.
fn time(frame: &NaiveFrame, thread: usize, zone: usize) -> f64 {
    let stacks = frame.threads[thread].0.iter();
    let open = stacks.filter(|(stack, _)| stack.contains(&zone));
    open.map(|(_, (ticks, _))| ticks).sum::<f64>() * MS_PER_TICK
}

fn check(run: &Run, limits_us: [u64; 4]) -> usize {
    let budgets = run.profiler.zone_budgets();
    let indices = run.profiler.indices();
    let mut misses = 0;
    for ((name, zone), limit_us) in NAMES.into_iter().zip(limits_us) {
        let Some(index) = indices.find_distinct(name) else {
            continue;
        };
        let limit_ms = limit_us as f64 / 1e3;
        let is_over =
            |frame: &&NaiveFrame| (0..THREADS).any(|thread| time(frame, thread, zone) > limit_ms);
        // A zone has a budget from the first frame that enters it. In earlier frames, it took no time.
        let wanted = run.frames.iter().filter(is_over).count() as u64;
        let got = budgets.zone_budget(index).unwrap();
        assert_eq!(
            got.misses, wanted,
            "budget misses of {name} at {limit_us} us"
        );
        assert_eq!(got.limit, Duration::from_micros(limit_us));
        assert!(got.frames <= run.frames.len() as u64);
        misses += wanted as usize;
    }
    let budget_ms = FRAME_BUDGET.as_secs_f64() * 1e3;
    let is_missed = |frame: &&NaiveFrame| frame.ticks as f64 * MS_PER_TICK > budget_ms;
    let missed = run.frames.iter().filter(is_missed).count() as u64;
    let got = budgets.frame_budget_misses();
    assert_eq!((got.misses, got.frames), (missed, run.frames.len() as u64));
    misses
}

/// Checks which rows are over budget in each remembered frame.
fn check_rows(run: &Run, limits_us: [u64; 4]) {
    let choices: [(Threads, &[usize]); 3] = [
        (Threads::All, &[0, 1, 2]),
        (Threads::Frame, &[0]),
        (Threads::Group(ThreadId(1)), &[1, 2]),
    ];
    for (at, frame) in run.frames.iter().enumerate() {
        let mut view = View::default();
        view.frame = Frames::Number((run.forgotten + at + 1) as u64);
        for (chosen, threads) in choices {
            view.set_threads(chosen);
            for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
                view.report_mode = mode;
                for recursion in [Recursion::Flatten, Recursion::Spread] {
                    view.recursion = recursion;
                    for row in query::report(&run.profiler, &view, None).rows {
                        let zone = (row.key.kind == RowKind::Zone).then_some(row.key.zone);
                        let name = zone.map(|zone| run.profiler.indices().name(zone));
                        let known = NAMES
                            .iter()
                            .position(|(of, _)| name.is_some_and(|name| **name == **of));
                        let is_over = known.is_some_and(|at| {
                            let over = |thread: &usize| {
                                time(frame, *thread, NAMES[at].1) > limits_us[at] as f64 / 1e3
                            };
                            row.key.level == 0 && threads.iter().any(over)
                        });
                        assert_eq!(
                            row.is_over_budget, is_over,
                            "whether {} is over budget in {view:#?}",
                            row.name
                        );
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 10, ..programs::config() })]

    #[test]
    fn misses_and_rows_over_budget_match_naive_sums(
        mut program in programs::program(THREADS),
        limits_us in [1u64..4_000, 1u64..4_000, 1u64..400, 1u64..40],
    ) {
        // Include a value, which must not appear as a zone in the snapshot.
        program.insert(0, (0, Step::Add(1)));
        let run = programs::run_with(THREADS, &program, |profiler| {
            for ((name, _), limit_us) in NAMES.into_iter().zip(limits_us) {
                profiler.set_zone_budget(name, Some(Duration::from_micros(limit_us)));
            }
        });
        check(&run, limits_us);
        let is_reset = |step: &&(usize, Step)| matches!(step.1, Step::Reset);
        check_snapshots(&run, program.iter().filter(is_reset).count(), limits_us);
        check_rows(&run, limits_us);
    }
}

/// Checks that snapshots taken since the last reset contain the misses so far. `resets` is the number of resets.
fn check_snapshots(run: &Run, resets: usize, limits_us: [u64; 4]) {
    let of_rest = |taken: &&programs::OracleSnapshot| taken.snapshot.resets == resets as u64;
    for taken in run.snapshots.iter().filter(of_rest) {
        let (snapshot, frames) = (&taken.snapshot, &run.frames[..taken.frames as usize]);
        snapshot.validate().unwrap();
        for (zone, budget) in &snapshot.budgets {
            let name = &*snapshot.zones[*zone as usize].name;
            let at = NAMES.iter().position(|(known, _)| *known == name).unwrap();
            assert_eq!(budget.limit, Duration::from_micros(limits_us[at]));
            let (limit_ms, zone) = (limits_us[at] as f64 / 1e3, NAMES[at].1);
            let is_over = |frame: &&NaiveFrame| {
                (0..THREADS).any(|thread| time(frame, thread, zone) > limit_ms)
            };
            let wanted = frames.iter().filter(is_over).count() as u64;
            assert_eq!(budget.misses, wanted, "misses of {name} in the snapshot");
            assert!(budget.frames <= taken.frames);
        }
    }
}

static TIGHT: Zone =
    Zone::new("tight", file!(), line!(), module_path!()).budget(Duration::from_micros(700));

#[test]
fn budget_is_set_in_code_or_by_name_and_removed() {
    let mut scene = Scene::new();
    let frame = |scene: &mut Scene| {
        scene.frame(&[(&TIGHT, 2, 800), (&SOLVE, 1, 500), (&ART, 3, 100)]);
    };
    let of = |scene: &Scene, name: &str| {
        let zone = scene.profiler.indices().find_distinct(name).unwrap();
        let budget = scene.profiler.zone_budgets().zone_budget(zone);
        budget.map(|budget| (budget.misses, budget.frames))
    };
    let ms = |ms: f64| Some(Duration::from_secs_f64(ms / 1e3));
    scene.profiler.set_zone_budget("physics::solve", ms(0.5));
    (0..3).for_each(|_| frame(&mut scene));
    // A time of 0.5 ms does not exceed a budget of 0.5 ms.
    assert_eq!(
        [
            of(&scene, "tight"),
            of(&scene, "physics::solve"),
            of(&scene, "Art")
        ],
        [Some((3, 3)), Some((0, 3)), None]
    );
    scene.profiler.set_zone_budget("physics::solve", ms(0.499));
    scene.profiler.set_zone_budget("Art", ms(9.0));
    frame(&mut scene);
    assert_eq!(
        [
            of(&scene, "tight"),
            of(&scene, "physics::solve"),
            of(&scene, "Art")
        ],
        [Some((4, 4)), Some((1, 1)), Some((0, 1))]
    );
    let report = scene.report(&view());
    let over = |report: &crate::Report| -> Vec<String> {
        let rows = report.rows.iter().filter(|row| row.is_over_budget);
        rows.map(|row| row.name.to_string()).collect()
    };
    assert_eq!(over(&report), ["tight", "physics::solve"]);
    let mut text = Vec::new();
    report.write(&mut text, 2).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("  (over budget)").count(), 2, "{text}");
    // In a call graph, only the zone's own row is over budget, since callers and callees cover only some of its time.
    let mut view = view();
    view.select_zone_of(scene.profiler.indices().find_distinct("tight").unwrap());
    let report = scene.report(&view);
    let is_selected = |row: &&Row| row.key.section == Section::Selected;
    let selected = report.rows.iter().find(is_selected).unwrap();
    assert!(selected.is_over_budget);
    assert_eq!(over(&report), ["tight"]);
    scene.profiler.set_zone_budget("tight", None);
    frame(&mut scene);
    assert_eq!(of(&scene, "tight"), None);
    assert_eq!(of(&scene, "Art"), Some((0, 2)));
}

#[test]
fn live_view_counts_frames_that_missed_the_budget() {
    let head = |frames: u64, view: &View| {
        let report = query::report(&super::range::profiler(frames), view, None);
        report.title[1].clone()
    };
    assert!(!head(16, &View::default()).contains("missed"));
    // The frames take 1 to 20 ms. Frames of 17 ms or more exceed 16.67 ms.
    let live = head(20, &View::default());
    assert!(live.ends_with("  4 missed"), "{live}");
    assert!(head(17, &View::default()).ends_with("  1 missed"));
    // The total number of misses is not shown for part of the session.
    let mut view = View::default();
    view.frame = Frames::Number(19);
    assert!(!head(20, &view).contains("missed"));
}
