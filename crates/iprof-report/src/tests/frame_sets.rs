//! Tests the members and titles of frame sets, comparisons with sets, and stepping out of sets. `sums.rs` tests their
//! sums.

use super::FRAME_BUDGET;
use super::call_paths::open_all;
use super::programs::{self, MS_PER_TICK};
use super::range::{profiler, value};
use super::sums::{THREADS, close};
use super::times_per_frame::by_frame;
use crate::action::Action;
use crate::graph::Graph;
use crate::query;
use crate::query::graph::GraphWork;
use crate::report::{ColumnId, Recursion, Report, ReportMode, RowKey};
use crate::view::{Baseline, View};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::HashMap;
use std::time::Duration;

fn numbers(profiler: &Profiler, set: &Frames) -> Vec<u64> {
    let members = profiler.history().members(set);
    members.iter().map(|frame| frame.number).collect()
}

fn report_of(profiler: &Profiler, set: Frames, baseline: Baseline) -> Report {
    let mut view = View::default();
    view.frame = set;
    view.set_baseline(baseline);
    query::report(profiler, &view, None)
}

/// Returns a duration in milliseconds. In these tests, frame 1 takes 1 ms, frame 2 takes 2 ms, and so on.
fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn set_and_complement_split_frames_by_the_condition() {
    let mut profiler = profiler(20);
    profiler.history_mut().mark("here".into());
    let sets = [
        (Frames::All, 1..=20),
        (Frames::LongerThan(ms(17)), 18..=20),
        (Frames::Between(ms(9), ms(5)), 6..=9),
        (Frames::Slowest(3), 18..=20),
        (Frames::Slowest(99), 1..=20),
        // 11% of 20 frames is 2.2, which is rounded up.
        (Frames::SlowestPercent(11.0), 18..=20),
        (Frames::SlowestPercent(100.0), 1..=20),
        (Frames::AllMarked("here".into()), 20..=20),
        (Frames::Range { first: 7, last: 4 }, 4..=7),
    ];
    for (set, wanted) in sets {
        let wanted: Vec<u64> = wanted.collect();
        assert_eq!(numbers(&profiler, &set), wanted, "members of {set}");
        let others: Vec<u64> = (1..=20).filter(|at| !wanted.contains(at)).collect();
        assert_eq!(numbers(&profiler, &set.clone().complement()), others);
    }
    let none = [
        Frames::Slowest(0),
        Frames::SlowestPercent(0.0),
        Frames::AllMarked("there".into()),
        Frames::LongerThan(ms(20)),
        Frames::Between(ms(3), ms(3)),
        Frames::Range {
            first: 21,
            last: u64::MAX,
        },
    ];
    for set in none {
        assert!(numbers(&profiler, &set).is_empty(), "{set} should be empty");
        assert_eq!(numbers(&profiler, &set.complement()).len(), 20);
    }
}

#[test]
fn older_frames_of_equal_length_rank_as_slower() {
    let mut profiler = profiler(3);
    for number in 4..=6 {
        let mut copy = profiler.history().find(2).unwrap().clone();
        copy.number = number;
        profiler.history_mut().push(copy);
    }
    // One frame takes 3 ms, and four frames take 2 ms.
    assert_eq!(numbers(&profiler, &Frames::Slowest(3)), [2, 3, 4]);
}

#[test]
fn sets_include_kept_frames() {
    let mut profiler = profiler(20);
    profiler.history_mut().set_longest(2);
    profiler.history_mut().set_capacity(3);
    assert_eq!(numbers(&profiler, &Frames::All), [16, 17, 18, 19, 20]);
}

/// The sums of a set and of its complement must add up to the sums of all frames, exact to the tick.
#[test]
fn set_and_complement_sum_to_all_frames_in_every_mode() {
    let profiler = profiler(23);
    let ticks = |set: &Frames, mode| -> Vec<i64> {
        let frames = numbers(&profiler, set).len() as f64;
        let mut view = View::default();
        view.frame = set.clone();
        view.report_mode = mode;
        let report = query::report(&profiler, &view, None);
        let columns = [ColumnId::SelfTime, ColumnId::HierarchicalTime];
        let times = ["work", "(outside zones)"].into_iter().flat_map(|zone| {
            columns.map(|column| (value(&report, zone, column) * frames * 1e6).round() as i64)
        });
        let counts = [(value(&report, "work", ColumnId::Count) * frames).round() as i64];
        times.chain(counts).collect()
    };
    for mode in [ReportMode::SelfTime, ReportMode::HierarchicalTime] {
        let all = ticks(&Frames::All, mode);
        // The frames take a total of 1 + 2 + … + 23 ms, half of it in `work`.
        assert_eq!(all[..2], [138_000_000; 2]);
        for set in [
            Frames::LongerThan(ms(13)),
            Frames::Slowest(7),
            Frames::Range { first: 3, last: 11 },
        ] {
            let parts = [ticks(&set, mode), ticks(&set.complement(), mode)];
            let sum: Vec<i64> = (0..all.len())
                .map(|at| parts[0][at] + parts[1][at])
                .collect();
            assert_eq!(sum, all);
        }
    }
}

#[test]
fn title_names_the_set_and_its_baseline() {
    let profiler = profiler(20);
    let title = |set: Frames, baseline| report_of(&profiler, set, baseline).title;
    let slow = || Frames::LongerThan(ms(18));
    let of_slow = title(slow(), Baseline::None);
    assert!(
        of_slow[0].starts_with("19.50 ms/frame")
            && of_slow[0].ends_with("frames over 18 ms, mean of 2"),
        "{of_slow:?}"
    );
    let compared = |baseline| title(slow(), baseline)[2].clone();
    // Both the mean and the median of frames from 1 to 18 ms are 9.5 ms.
    assert_eq!(
        compared(Baseline::Rest),
        "+10.00 ms vs. frames up to 18 ms, mean of 18  19.50 - 9.50"
    );
    let faster = Baseline::Frames(Frames::Between(ms(0), ms(1)));
    assert_eq!(
        compared(faster),
        "+18.50 ms vs. frames of 0 to 1 ms: 1  19.50 - 1.00"
    );
    let with = |frames| compared(Baseline::Frames(frames));
    assert_eq!(
        with(Frames::Range { first: 9, last: 1 }),
        "+14.50 ms vs. frames 1 to 9, mean of 9  19.50 - 5.00"
    );
    assert_eq!(
        with(Frames::Back(16)),
        "+15.50 ms vs. frame 4  19.50 - 4.00"
    );
    assert_eq!(
        with(Frames::Longest.complement()),
        "+9.50 ms vs. all but the longest frame, mean of 19  19.50 - 10.00"
    );
    assert_eq!(
        with(Frames::Marked("load".into())),
        "+19.50 ms vs. the newest frame marked \"load\": none  19.50 - 0.00"
    );
    assert!(with(Frames::Live).contains(" s average"));
    let usual = compared(Baseline::Average);
    assert_eq!(usual, "+10.00 ms vs. mean of 18 other frames  19.50 - 9.50");
    let middle = compared(Baseline::Median);
    assert_eq!(
        middle,
        "+10.00 ms vs. median of 18 other frames  19.50 - 9.50"
    );
    let none = title(Frames::LongerThan(ms(20)), Baseline::Rest);
    assert!(none[0].ends_with("frames over 20 ms: none"), "{none:?}");
    assert!(none[2].starts_with("-10.50 ms vs. frames up to 20 ms, mean of 20"));
    // The complement of all frames is empty.
    let all = title(Frames::All, Baseline::Rest);
    assert!(
        all[2].starts_with("+10.50 ms vs. no frames: none"),
        "{all:?}"
    );
}

#[test]
fn frames_ranges_and_live_view_compare_with_rest() {
    let profiler = profiler(20);
    let before_ms = |frame| {
        let mut view = View::default();
        view.frame = frame;
        view.average = crate::Average::Newest;
        view.set_baseline(Baseline::Rest);
        let report = query::report(&profiler, &view, None);
        let (_, before) = report.title[2].rsplit_once(" - ").unwrap();
        before.parse::<f64>().unwrap()
    };
    // All frames together take 210 ms.
    assert_eq!(before_ms(Frames::Number(20)), 10.0);
    assert_eq!(
        before_ms(Frames::Range {
            first: 20,
            last: 15
        }),
        7.5
    );
    assert_eq!(before_ms(Frames::Live), 10.5);
}

#[test]
fn comparison_reveals_zones_that_slow_frames() {
    let profiler = profiler(20);
    let report = report_of(&profiler, Frames::SlowestPercent(10.0), Baseline::Rest);
    // The frames differ only in the number of calls.
    let work = |column| value(&report, "work", column);
    assert!((work(ColumnId::Difference) - 5.0).abs() < 1e-9);
    assert!((work(ColumnId::ByCount) - 5.0).abs() < 1e-9);
    assert!(work(ColumnId::ByCost).abs() < 1e-9);
    assert_eq!(work(ColumnId::Count) - work(ColumnId::BaselineCount), 10.0);
    let rows = report.rows.iter();
    let sum: f64 = rows.map(|row| row.number(ColumnId::Difference)).sum();
    assert!((sum - 10.0).abs() < 1e-9);
}

#[test]
fn steps_enter_set_and_return_to_live_view() {
    let profiler = profiler(20);
    let step = |set: Frames, delta| {
        let mut view = View::default();
        view.frame = set;
        view.move_frame(profiler.history(), profiler.session(), delta);
        view.frames()
    };
    let early = || Frames::Between(ms(3), ms(9));
    assert_eq!(step(early(), -1), Frames::Number(9));
    assert_eq!(step(early(), -3), Frames::Number(7));
    assert_eq!(step(early(), -99), Frames::Number(4));
    assert_eq!(step(early(), 1), Frames::Number(10));
    let late = Frames::LongerThan(ms(18));
    assert_eq!(step(late, 1), Frames::Live);
    let none = Frames::AllMarked("nowhere".into());
    assert_eq!(step(none.clone(), -1), none);
}

#[test]
fn one_key_compares_slow_frames_with_the_rest() {
    let mut view = View::default();
    view.act(
        &Profiler::new(iprof_gather::clock::Pair::both(0)),
        Action::CompareSlowFrames,
    );
    let slow = Frames::LongerThan(FRAME_BUDGET);
    assert_eq!(view.frames(), slow);
    assert_eq!(view.baseline(), Baseline::Rest);
    view.act(
        &Profiler::new(iprof_gather::clock::Pair::both(0)),
        Action::CompareSlowFrames,
    );
    assert_eq!(view, View::default());
}

#[test]
fn graph_marks_the_frames_of_the_set() {
    let mut profiler = profiler(20);
    let mut view = View::default();
    view.frame = Frames::LongerThan(ms(17));
    let (mut work, mut graph) = (GraphWork::default(), Graph::default());
    work.update(&profiler, &view, false, &mut graph);
    let set = graph.set.clone().unwrap();
    assert_eq!(
        (&*set.name, &*set.frames),
        ("frames over 17 ms", &[18, 19, 20][..])
    );
    profiler.history_mut().set_longest(0);
    profiler.history_mut().set_capacity(2);
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.set.as_ref().unwrap().frames, [19, 20]);
    view.frame = Frames::Slowest(1);
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.set.as_ref().unwrap().name, "the slowest frame");
    view.frame = Frames::Live;
    work.update(&profiler, &view, false, &mut graph);
    assert_eq!(graph.set, None);
}

/// Checks that each row in a set's report is the mean of the corresponding rows in its frames' reports.
pub(super) fn check_means_of_rows(profiler: &Profiler, view: &View) {
    let report = query::report(profiler, view, None);
    for column in [
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::GpuTime,
        ColumnId::Count,
    ] {
        let frames = by_frame(profiler, view, column);
        let unit = match column {
            ColumnId::Count => 1.0,
            _ => MS_PER_TICK,
        };
        for row in &report.rows {
            let number = |frame: &HashMap<RowKey, f64>| frame.get(&row.key).copied().unwrap_or(0.0);
            let mean = frames.iter().map(number).sum::<f64>() / frames.len().max(1) as f64;
            let got = row.number(column);
            let what = || format!("{} {column:?} {got} {mean} in {view:#?}", row.name);
            assert!(close(got / unit, mean / unit), "{}", what());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 25, ..programs::config() })]

    #[test]
    fn set_rows_are_means_in_every_mode(
        program in programs::program(THREADS),
        zone in 0..programs::ZONES + 1,
        idle in any::<u8>(),
    ) {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        let threads = (0..THREADS as u32).map(|at| Threads::One(ThreadId(at)));
        for threads in threads.chain([Threads::All, Threads::Group(ThreadId(1))]) {
            let sets = [Frames::All, Frames::Slowest(2), Frames::Slowest(2).complement()];
            for (at, set) in sets.into_iter().enumerate() {
                let mut view = View::default();
                view.set_threads(threads);
                view.frame = set;
                view.recursion = [Recursion::Flatten, Recursion::Spread][at % 2];
                view.grouping = at == 1;
                view.idle_ranked = at != 1;
                view.select_zone_of((zone % run.profiler.indices().zone_count()) as u32);
                for &mode in ReportMode::ALL {
                    view.report_mode = mode;
                    check_means_of_rows(&run.profiler, &view);
                    open_all(&run, &mut view);
                    check_means_of_rows(&run.profiler, &view);
                }
            }
        }
    }
}
