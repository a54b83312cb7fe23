//! Tests that sampled times are marked in reports and are within their stated error.

use crate::measured::*;
use iprof::{ColumnId, Report, ReportMode, Row, ThreadId, Threads, Timing, Unit, View};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Spins in each of three zones for the given number of microseconds. Returns the times measured by `Instant`, in
/// milliseconds.
pub(crate) fn work_in_three_zones(part: [u64; 3]) -> [f64; 3] {
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
/// The duration of one round on an idle machine.
const ROUND_MS: f64 = 0.5;

/// The actual times, in milliseconds.
#[derive(Default)]
struct Truth {
    all: f64,
    parts: [f64; 3],
    /// The three zones' times, the frame time and the stalled time. They are weighted as in the fast average, in which
    /// weights drop to a tenth within 0.8 s.
    average: [f64; 5],
    frames: u64,
    /// The total time during which the thread was preempted.
    stalled: f64,
}

impl Truth {
    fn add(&mut self, frame_ms: f64, parts: [f64; 3]) {
        // Until the third frame, the newest frame replaces the average.
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

/// Checks that a report's rows and text mark all times as sampled.
fn check_marks(report: &Report) {
    let [.., column] = &report.columns[..] else {
        panic!("the report has no columns");
    };
    assert_eq!(*column, ColumnId::StandardError);
    for zone in PARTS {
        let Some(row) = find(report, zone) else {
            continue;
        };
        assert!(row.value(ColumnId::StandardError).unwrap().number > 0.0);
        for column in &report.columns {
            let is_time = column.unit() == Unit::Milliseconds && *column != ColumnId::StandardError;
            let is_sampled = row.value(*column).unwrap().is_sampled();
            assert_eq!(is_sampled, is_time, "{column:?}: {row:?}");
        }
        let mut text = String::new();
        report.push_value(row, report.columns[0], 2, &mut text);
        assert!(text.starts_with('~'), "{text}");
    }
    // A counter has no time, and therefore no error either.
    if let Some(row) = find(report, "things") {
        let values = report
            .columns
            .iter()
            .filter_map(|column| row.value(*column));
        assert!(
            values.into_iter().all(|value| !value.is_sampled()),
            "{row:?}"
        );
    }
    let mut text = Vec::new();
    report
        .write(&mut text, 2)
        .expect("writing to a Vec cannot fail");
    let text = String::from_utf8(text).expect("reports are UTF-8");
    assert!(text.contains("\u{b1} ms"), "{text}");
    let sampled = |line: &&str| PARTS.iter().any(|zone| line.contains(zone));
    let times = if report.columns.contains(&ColumnId::NetTime) {
        3
    } else {
        2
    };
    for line in text.lines().filter(sampled) {
        assert_eq!(line.matches('~').count(), times, "{line}");
    }
}

/// Returns every kind of report for a thread. `frame` is the number of the newest frame.
fn all_kinds_of_reports(thread: ThreadId, frame: u64) -> Vec<Report> {
    let mut views = Vec::new();
    for threads in [Threads::All, Threads::One(thread), Threads::Group(thread)] {
        views.push(view(threads, frame));
        for &average in iprof::Average::ALL {
            let mut view = View::default();
            view.set_threads(threads);
            view.average = average;
            views.push(view.clone());
            view.set_column(ColumnId::NetTime, true);
            views.push(view);
        }
    }
    let mut reports = Vec::new();
    for mut view in views {
        reports.push(view.report(&iprof::profiler()));
        view.report_mode = ReportMode::HierarchicalTime;
        reports.push(view.report(&iprof::profiler()));
        let is_part = |row: &Row| &*row.name == "parts";
        let at = view
            .report(&iprof::profiler())
            .rows
            .iter()
            .position(is_part);
        view.act(
            &iprof::profiler(),
            iprof::Action::SetCursor(at.expect("the row should be shown")),
        );
        view.act(&iprof::profiler(), iprof::Action::Select);
        reports.push(view.report(&iprof::profiler()));
    }
    reports
}

#[test]
fn sampled_times_are_marked_and_within_their_error() {
    let _alone = alone();
    // Microseconds per round. The split is 60%, 30% and 10% on this thread, and the reverse on the worker.
    const MINE: [u64; 3] = [300, 150, 50];
    const THEIRS: [u64; 3] = [50, 150, 300];
    iprof::set_timing(Timing::SAMPLED);
    iprof::update(true);
    let frame_of = |part: [u64; 3]| {
        let mut sum = [0.0; 3];
        for _ in 0..ROUNDS {
            let took = work_in_three_zones(part);
            (0..3).for_each(|at| sum[at] += took[at]);
        }
        sum
    };
    let (start_frame, frame_starts) = mpsc::channel::<()>();
    let (send_times, measured_times) = mpsc::channel();
    let worker = std::thread::Builder::new().name("theirs".into());
    let run = move || {
        for () in frame_starts {
            let _ = send_times.send(frame_of(THEIRS));
        }
    };
    let worker = worker.spawn(run).expect("failed to start a thread");

    let mut truths = [Truth::default(), Truth::default()];
    let mut frames = Vec::new();
    let start = Instant::now();
    // A frame takes 10 ms. In two seconds, about 2,000 samples are taken per thread.
    while start.elapsed() < Duration::from_secs(2) {
        start_frame.send(()).expect("the worker has ended");
        let mine = frame_of(MINE);
        let theirs = measured_times.recv().expect("the worker has ended");
        iprof::update(true);
        let main = main_thread();
        let frame = newest_frame();
        let frame_ms = view(Threads::One(main), frame)
            .graph(&iprof::profiler())
            .bars
            .back()
            .map(|bar| bar.ms);
        let frame_ms = frame_ms.expect("the newest frame should have a bar");
        truths[0].add(frame_ms, mine);
        truths[1].add(frame_ms, theirs);
        // Run these checks from the first few frames on, even if some zones haven't been sampled yet. The frame in
        // which the reports are built is discarded.
        if frames.len() % 40 == 3 {
            for thread in [main, running("theirs")] {
                all_kinds_of_reports(thread, frame)
                    .iter()
                    .for_each(check_marks);
            }
            let title = &iprof::report().title[1];
            assert!(title.starts_with("sampled at 1000 Hz"), "{title}");
            assert!(title.contains("  overhead "), "{title}");
            iprof::update(false);
        }
        frames.push(frame);
    }
    check_times(&frames.iter().copied().collect(), main_thread());

    for (thread, truth) in [main_thread(), running("theirs")].into_iter().zip(truths) {
        let average = |average: iprof::Average| {
            let mut view = View::default();
            view.set_threads(Threads::One(thread));
            view.average = average;
            view.report(&iprof::profiler())
        };
        let (quick, slow) = (average(iprof::Average::Fast), average(iprof::Average::Slow));
        let part = |report: &Report, zone: &str| {
            let whole = value(report, "(outside zones)", ColumnId::HierarchicalTime);
            let error = find(report, zone)
                .expect("the row should be shown")
                .value(iprof::ColumnId::SelfTime)
                .unwrap()
                .standard_error;
            (
                value(report, zone, ColumnId::SelfTime) / whole,
                error / whole,
            )
        };
        let reports: Vec<Report> = frames
            .iter()
            .map(|frame| view(Threads::One(thread), *frame).report(&iprof::profiler()))
            .collect();
        for (at, zone) in PARTS.iter().enumerate() {
            // A result is off by more than four standard errors about once in 16,000 runs. The tolerance adds 0.5% of
            // the frame time for the difference between the clocks. On a busy machine, the sampler is also preempted,
            // so preempted time may be attributed to any zone.
            let (found, error) = part(&quick, zone);
            // Errors in this range correspond to a thousand samples, or to a hundred samples if the sampler is often
            // preempted.
            assert!((0.001..0.1).contains(&error), "{zone}: {error}");
            let wanted = truth.average[at] / truth.average[3];
            let busy = truth.average[4] / truth.average[3];
            let off = (found - wanted).abs();
            let right = off < 4.0 * error + 0.005 + busy;
            assert!(right, "{zone}: {found} {wanted} {error} {busy}");

            // The frames' sampled times must sum to the actual times. The frames contain all samples, so their standard
            // error equals the standard error of the slow average. The slow average itself can't be compared, because
            // it still contains the first frame.
            let (_, error) = part(&slow, zone);
            let sum: f64 = reports
                .iter()
                .map(|report| value(report, zone, ColumnId::SelfTime))
                .sum();
            let (found, wanted) = (sum / truth.all, truth.parts[at] / truth.all);
            let busy = truth.stalled / truth.all;
            let off = (found - wanted).abs();
            let right = off < 4.0 * error + 0.005 + busy;
            assert!(right, "{zone}: {found} {wanted} {error} {busy}");

            for report in &reports {
                assert_eq!(value(report, zone, ColumnId::Count), ROUNDS as f64);
                assert!(
                    find(report, zone)
                        .expect("the zone should have a row")
                        .value(iprof::ColumnId::SelfTime)
                        .unwrap()
                        .standard_error
                        > 0.0
                );
            }
        }
        for report in &reports {
            assert_eq!(value(report, "things", ColumnId::Count), ROUNDS as f64);
            assert_eq!(value(report, "between", ColumnId::Count), ROUNDS as f64);
        }
    }
    drop(start_frame);
    worker.join().expect("the thread panicked");
    assert_eq!(faults(), [""; 0]);
}
