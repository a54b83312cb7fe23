//! Tests the session's sums by frame-length band and by time bucket against stored frames.

use super::FRAME_BUDGET;
use super::programs::{self, MS_PER_TICK, NaiveFrame, Run, Step};
use super::range::{profiler, value};
use super::session_sums::TestTotals;
use super::sums::{THREADS, check_means};
use crate::action::Action;
use crate::query;
use crate::report::{ColumnId, Report};
use crate::view::{Baseline, View};
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_gather::{Zone, clock::Pair};
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::frame::Frame;
use iprof_process::session::BANDS;
use iprof_process::session::Session;
use iprof_process::session::totals::NodeTotals;
use proptest::prelude::*;
use std::time::Duration;

/// Band limits: up to 10 µs, up to 100 µs, and so on.
pub(super) fn limits() -> [Duration; BANDS - 1] {
    [10, 100, 500, 1_000, 5_000, 20_000, 100_000].map(Duration::from_micros)
}

/// Returns parts of the session, each with its frames. Omits parts for which the oracle has no frames.
pub(super) fn parts(run: &Run) -> Vec<(Frames, Vec<&NaiveFrame>)> {
    let limits = run.profiler.session().limits();
    let band_of = |frame: &NaiveFrame| {
        let ms = frame.ticks as f64 * MS_PER_TICK;
        limits
            .iter()
            .filter(|limit| ms > limit.as_secs_f64() * 1e3)
            .count()
    };
    let middle = band_of(&run.frames[run.frames.len() / 2]);
    let slower = Frames::SessionBands(middle, 7);
    let (slow, fast): (Vec<&NaiveFrame>, Vec<_>) = run
        .frames
        .iter()
        .partition(|frame| band_of(frame) >= middle);
    let buckets = run.profiler.session().buckets();
    let bucket = buckets[buckets.len() / 2];
    let moment = Duration::from_nanos(bucket.begin_ns);
    let time = Frames::SessionTime(moment, moment);
    let number = |at: usize| (run.forgotten + at) as u64 + 1;
    let is_inside = |at: usize| (bucket.frames.first..=bucket.frames.last).contains(&number(at));
    let (inside, outside): (Vec<_>, Vec<_>) = (0..run.frames.len()).partition(|at| is_inside(*at));
    let frames = |at: Vec<usize>| at.into_iter().map(|at| &run.frames[at]).collect();
    let shares = [1.0, 40.0].map(|percent| {
        // Take the smallest range from some band up to the slowest that contains enough frames.
        let from = (0..BANDS).map(|band| {
            let is_in = |frame: &&NaiveFrame| band_of(frame) >= band;
            run.frames.iter().filter(is_in).collect::<Vec<_>>()
        });
        let is_enough = |frames: &Vec<&NaiveFrame>| {
            frames.len() as f64 * 100.0 >= percent * run.frames.len() as f64 && !frames.is_empty()
        };
        let wanted = from.filter(is_enough).min_by_key(Vec::len).unwrap();
        (Frames::SessionSlowestPercent(percent), wanted)
    });
    let parts = [
        (Frames::Session, run.frames.iter().collect()),
        (slower.clone(), slow),
        (slower.complement(), fast),
        (time.clone(), frames(inside)),
        (time.complement(), frames(outside)),
    ];
    let mut parts = [&parts[..], &shares].concat();
    parts.retain(|(_, frames)| !frames.is_empty());
    parts
}

/// Checks that reports for parts show the means of the oracle's frames, and that the parts sum to the session's totals.
fn check_program(program: &[(usize, Step)]) {
    let mut run = programs::run(THREADS, program);
    for (part, frames) in parts(&run) {
        let mut view = View::default();
        view.frame = part;
        check_means(&run, &view, &frames);
    }
    check_totals(&mut run);
}

/// Checks that all bands together, and all buckets together, add up to the session's totals.
fn check_totals(run: &mut Run) {
    for thread in 0..run.profiler.threads().len() {
        let totals = run.profiler.totals_of(thread, None);
        let wanted: Vec<(u64, u64)> = totals
            .iter()
            .map(|(_, NodeTotals { ticks, entries, .. })| (*ticks, *entries))
            .collect();
        for part in [
            Frames::Session,
            Frames::SessionBands(0, 7),
            Frames::SessionSlowestPercent(100.0),
            Frames::SessionTime(Duration::ZERO, Duration::MAX),
        ] {
            let parts = run.profiler.session().parts(&part);
            let sums = run.profiler.session_sums(thread, parts).nodes;
            let mut found: Vec<(u64, u64)> =
                sums.iter().map(|sum| (sum.ticks, sum.entries)).collect();
            let longer = found.split_off(wanted.len().min(found.len()));
            assert!(longer.iter().all(|sum| *sum == (0, 0)));
            found.resize(wanted.len(), (0, 0));
            assert_eq!(found, wanted);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases.div_ceil(4), ..programs::config() })]

    #[test]
    fn part_reports_equal_the_oracle(program in programs::program(THREADS)) {
        check_program(&program);
    }

    #[test]
    fn parts_equal_the_oracle_with_changing_clocks(
        program in programs::timed_program(THREADS)
    ) {
        check_program(&program);
    }

}

/// Time outside frames occurs when timing is turned off in a program that has not called `update` yet.
#[test]
fn time_outside_frames_is_in_no_part() {
    static WORK: Zone = Zone::new("work", "", 0, "");
    let thread = ScriptedThread::begin("outside", 1);
    let record = thread.record();
    let mut profiler = Profiler::new(Pair::both(1));
    let mut now = 1;
    for is_frame in [false, true, false, true] {
        thread.enter(&WORK, now);
        now += 1_000;
        thread.leave(now);
        match is_frame {
            true => _ = profiler.end_frame(&[record], record, Pair::both(now), true),
            false => profiler.end_outside_frames(&[record], Pair::both(now), true),
        }
    }
    for part in [Frames::Session, Frames::SessionBands(0, 7)] {
        let parts = profiler.session().parts(&part);
        let work = profiler.session_sums(0, parts).nodes[1];
        assert_eq!((work.ticks, work.entries), (2_000, 2));
    }
    let (_, work) = profiler.totals_of(0, None)[1];
    assert_eq!((work.ticks, work.entries), (4_000, 4));
}

fn report_of(frames: u64, part: Frames, baseline: Baseline) -> Report {
    let mut view = View::default();
    view.frame = part;
    view.set_baseline(baseline);
    query::report(&profiler(frames), &view, None)
}

/// The frames take 1 to 40 ms, half of it in `work`.
#[test]
fn title_names_part_and_its_time_percentage() {
    let title = |part, baseline| report_of(40, part, baseline).title;
    let slow = title(Frames::SessionBands(4, 7), Baseline::Rest);
    // Frames of 34 to 40 ms exceed two budgets. They take 259 of 820 ms.
    assert!(
        slow[0].starts_with("37.00 ms/frame")
            && slow[0].ends_with("session: frames over 33.33 ms (31.6 % of time), mean of 7"),
        "{slow:?}"
    );
    assert_eq!(
        slow[2],
        "+20.00 ms vs. session: all but frames over 33.33 ms (68.4 % of time), mean of 33  \
         37.00 - 17.00"
    );
    let one = |part| title(part, Baseline::None)[0].clone();
    assert!(
        one(Frames::SessionBands(1, 1))
            .ends_with("frames of 8.33 to 16.67 ms (12.2 % of time), mean of 8")
    );
    assert!(
        one(Frames::SessionBands(0, 1))
            .ends_with("frames up to 16.67 ms (16.6 % of time), mean of 16")
    );
    assert!(one(Frames::Session).ends_with("session: all frames, mean of 40"));
    assert!(one(Frames::SessionBands(0, 7)).ends_with("all frames (100.0 % of time), mean of 40"));
    assert!(one(Frames::SessionSlowestPercent(1.0)).ends_with(
        "session: the slowest 17.5 % of frames, over 33.33 ms (31.6 % of time), mean of 7"
    ));
    assert!(
        one(Frames::SessionSlowestPercent(17.6).complement())
            .contains("session: all but the slowest 37.5 % of frames, over 25 ms (")
    );
    assert!(
        one(Frames::SessionSlowestPercent(100.0))
            .ends_with("the slowest 100 % of frames (100.0 % of time), mean of 40")
    );
    assert!(
        one(Frames::SessionBands(7, 7)).ends_with("frames over 133.34 ms (0.0 % of time): none")
    );
    let now = Frames::SessionTime(Duration::from_millis(500), Duration::from_millis(500));
    assert!(one(now).ends_with("session: 0:00.0 to 0:00.8 (100.0 % of time), mean of 40"));
    let usual = title(Frames::SessionBands(4, 7), Baseline::Average);
    assert!(usual[2].contains("vs. 0.8 s average"), "{usual:?}");
}

#[test]
fn per_frame_columns_are_blank_for_session_parts() {
    let mut view = View::default();
    view.frame = Frames::SessionBands(4, 7);
    view.set_column(ColumnId::P99, true);
    view.set_column(ColumnId::Rescued, true);
    let report = query::report(&profiler(40), &view, None);
    assert!(report.columns.contains(&ColumnId::P99));
    let row = report.rows.iter().find(|row| &*row.name == "work").unwrap();
    assert_eq!(row.value(ColumnId::P99), None);
    assert_eq!(row.value(ColumnId::Rescued), None);
    assert_eq!(value(&report, "work", ColumnId::SelfTime), 18.5);
    let note = "per-frame and rescued columns cover remembered frames only";
    assert!(report.title.iter().any(|line| line == note));
}

#[test]
fn session_includes_frames_no_longer_remembered() {
    let mut profiler = profiler(40);
    profiler.history_mut().set_longest(0);
    profiler.history_mut().set_capacity(1);
    let mut view = View::default();
    view.frame = Frames::Session;
    let report = query::report(&profiler, &view, None);
    assert_eq!(report.frame_ms, 20.5);
    assert_eq!(value(&report, "work", ColumnId::Count), 20.5);
}

#[test]
fn keys_step_through_bands_and_buckets() {
    let mut session = Session::new(FRAME_BUDGET);
    session.set_first_width(20_000_000);
    // These frames fall into bands 1, 4 and 0.
    for (number, ms) in [(1, 10), (2, 40), (3, 10), (4, 5)] {
        let frame = Frame {
            number,
            begin_ns: number * 40_000_000,
            ticks: ms * 1_000_000,
            ms_per_tick: MS_PER_TICK,
            ..Frame::default()
        };
        session.add(&frame, &&TestTotals::default());
    }
    let mut view = View::default();
    let mut band = |delta| {
        view.move_band(&session, delta);
        view.frames()
    };
    let of = |band| Frames::SessionBands(band, band);
    assert_eq!(
        [band(-1), band(-1), band(-1), band(-1)],
        [of(4), of(1), of(0), of(0)]
    );
    assert_eq!([band(1), band(1), band(1)], [of(1), of(4), of(4)]);
    let mut view = View::default();
    let mut bucket = |delta| {
        view.move_bucket(&session, delta);
        view.frames()
    };
    let at = |number: u64| {
        let begin = Duration::from_millis(40 * number);
        Frames::SessionTime(begin, begin)
    };
    assert_eq!([bucket(1), bucket(-1), bucket(-9)], [at(4), at(3), at(1)]);
    assert_eq!([bucket(3), bucket(1)], [at(4), Frames::Live]);
    // Step from a range of several bands that contain no frames.
    view.frame = Frames::SessionBands(2, 3);
    view.move_band(&session, 1);
    assert_eq!(view.frames(), of(4));
    view.frame = Frames::SessionBands(2, 3);
    view.move_band(&session, -1);
    assert_eq!(view.frames(), of(1));
}

#[test]
fn session_part_is_compared_with_rest_first() {
    let mut view = View::default();
    view.frame = Frames::SessionBands(2, 7);
    for wanted in [Baseline::Rest, Baseline::Average, Baseline::None] {
        view.act(&Profiler::new(Pair::both(0)), Action::NextBaseline);
        assert_eq!(view.baseline(), wanted);
    }
    view.act(
        &Profiler::new(Pair::both(0)),
        Action::SetBaselineToShownFrame,
    );
    assert_eq!(
        view.baseline(),
        Baseline::Frames(Frames::SessionBands(2, 7))
    );
}

#[test]
fn only_changed_limits_clear_the_bands() {
    let mut profiler = profiler(40);
    let bands = Frames::SessionBands(0, 7);
    let count = |session: &Session| session.frames(session.parts(&bands)).count;
    let time = Frames::SessionTime(Duration::ZERO, Duration::MAX);
    profiler.set_session_limits(None);
    assert_eq!(count(profiler.session()), 40);
    let mut falling = limits();
    falling.reverse();
    profiler.set_session_limits(Some(falling));
    assert_eq!(count(profiler.session()), 0);
    assert_eq!(profiler.session().limits(), limits());
    let session = profiler.session();
    for whole in [time, Frames::Session] {
        assert_eq!(session.frames(session.parts(&whole)).count, 40);
    }
    let empty = session.parts(&Frames::SessionSlowestPercent(1.0));
    assert_eq!(session.frames(empty).count, 0);
    let mut view = View::default();
    view.frame = bands;
    let title = query::report(&profiler, &view, None).title[0].clone();
    let wanted = "all frames since the band limits changed (0.0 % of time): none";
    assert!(title.ends_with(wanted), "{title}");
}

/// Changing the bands must not affect the session as a whole.
#[test]
fn changed_limits_keep_all_frames_of_the_session() {
    let mut profiler = profiler(40);
    let mut view = View::default();
    view.frame = Frames::Session;
    let before = query::report(&profiler, &view, None);
    profiler.set_session_limits(Some(limits()));
    let after = query::report(&profiler, &view, None);
    assert_eq!(before.rows, after.rows);
    assert_eq!(before.title, after.title);
}
