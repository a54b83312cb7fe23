//! Tests for unusual GPU times: longer than their frame, late, missing, or never completed.

use super::gpu::*;
use super::gpu_model::*;
use super::programs::MS_PER_TICK;
use super::range::set_range;
use crate::query;
use crate::report::{ColumnId, Row};
use crate::view::View;
use iprof_gather::clock::Pair;
use iprof_gather::cost::ZoneCost;
use iprof_gather::gpu::{GpuLosses, GpuOrigin};
use iprof_process::Frames;
use iprof_process::Threads;
use iprof_process::gpu::MAX_WAITING;

/// Ends frames of 1,000 ns, each with one 100 ns GPU zone. Queries are read late or never.
fn frames(run: &mut Run, count: usize) {
    for _ in 0..count {
        run.step(0, Step::Begin(0));
        run.step(0, Step::Work(100));
        run.step(0, Step::Leave);
        run.step(0, Step::Pass(1_000));
        run.step(0, Step::Frame(true));
    }
}

/// The row for the time that isn't in any GPU zone.
const REST: &str = "(outside zones, idle)";

fn self_times(run: &Run, frame: u64) -> Vec<(String, f64)> {
    let mut view = View::default();
    view.frame = Frames::Number(frame);
    view.set_threads(Threads::One(GPU));
    view.idle_ranked = true;
    let report = query::report(&run.profiler, &view, None);
    let rows = report.rows.iter();
    let rows = rows.filter(|row| &*row.name != "(outside zones)");
    let time = |row: &Row| (row.name.to_string(), values(row)[0].round());
    rows.map(time).collect()
}

#[test]
fn work_longer_than_a_frame_lengthens_the_gpu_frame() {
    let mut run = Run::new();
    run.step(0, Step::Begin(0));
    run.step(0, Step::Work(1_500));
    frames(&mut run, 1);
    run.step(0, Step::Leave);
    frames(&mut run, 1);
    run.step(0, Step::Ready(9));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    let named = |times: &[(&str, f64)]| -> Vec<(String, f64)> {
        times
            .iter()
            .map(|(name, time)| (name.to_string(), *time))
            .collect()
    };
    // A zone that is open when a frame ends belongs to the frame in which the zone ends.
    assert_eq!(
        self_times(&run, 1),
        named(&[(REST, 900.0), ("a (2)", 100.0)])
    );
    assert_eq!(self_times(&run, 2), named(&[("a", 1_600.0)]));
    // The range's mean is computed from the same times.
    let mut view = View::default();
    view.set_threads(Threads::One(GPU));
    set_range(&mut view, &run.profiler, 1, 2);
    let report = query::report(&run.profiler, &view, None);
    assert_eq!((report.frame_ms / MS_PER_TICK).round(), 1_300.0);
}

#[test]
fn range_averages_the_frames_with_gpu_times() {
    let mut run = Run::new();
    frames(&mut run, 4);
    // Let the times of two frames arrive.
    run.step(0, Step::Ready(4));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    let mut view = View::default();
    set_range(&mut view, &run.profiler, 1, 4);
    let report = query::report(&run.profiler, &view, None);
    let row = report.rows.iter().find(|row| &*row.name == "a");
    let [.., gpu, count] = values(row.unwrap());
    assert_eq!((gpu.round(), count), (100.0, 1.0));
    view.set_threads(Threads::One(GPU));
    let report = query::report(&run.profiler, &view, None);
    let whole = |name: &str| {
        let row = report.rows.iter().find(|row| &*row.name == name);
        values(row.unwrap()).map(f64::round)
    };
    // Net times equal self times on the GPU, because recording takes no GPU time.
    run.profiler.add_cost_measurement(Some(ZoneCost {
        timed: 20.0,
        inside: 8.0,
        counted: 1.0,
    }));
    view.set_column(ColumnId::NetTime, true);
    let net = query::report(&run.profiler, &view, None);
    for row in &net.rows {
        assert_eq!(
            row.value(ColumnId::NetTime).unwrap(),
            row.value(ColumnId::SelfTime).unwrap()
        );
    }
    // The zone is ranked, but the rest of the frame is not.
    assert_eq!(whole("a"), [100.0, 100.0, 0.0, 1.0]);
    assert_eq!(whole("(idle)")[0], 900.0);
    assert_eq!(&*report.rows[0].name, "a");
}

/// Reading a query may make a driver flush its commands, so queries are read only after their frame has ended.
#[test]
fn queries_are_not_read_before_their_frame_ends() {
    let mut run = Run::new();
    frames(&mut run, 2);
    let submitter = &mut run.submitters[0];
    submitter.fake.ready = 4;
    for (before, read) in [(0, 0), (1, 2), (1, 2), (2, 4)] {
        submitter.ring.read_before(&mut submitter.fake, before);
        assert_eq!(
            submitter.fake.read, read,
            "queries should not be read before frame {before}"
        );
    }
}

/// Does the same as `step`, but without its check, which does not expect queries to be abandoned.
fn end_frame(run: &mut Run) {
    let records = run.records();
    let now = Pair::both(run.now);
    run.profiler.fetch_gpu(|news| run.post.end_frame(news));
    run.profiler.end_frame(&records, records[0], now, true);
}

#[test]
fn queries_that_never_complete_are_abandoned() {
    let mut run = Run::new();
    frames(&mut run, 1);
    // From here on the first context is lost, and the second one receives work.
    for _ in 0..MAX_WAITING {
        run.step(1, Step::Begin(1));
        run.step(1, Step::Work(10));
        run.step(1, Step::Leave);
        run.step(1, Step::Ready(2));
        run.step(1, Step::Read(0));
        run.step(1, Step::Pass(100));
        assert!(self_times(&run, 2).is_empty());
        end_frame(&mut run);
    }
    assert_eq!(self_times(&run, 1), [(REST.to_owned(), 1_000.0)]);
    let last = 1 + MAX_WAITING as u64;
    assert_eq!(
        self_times(&run, last),
        [(REST.to_owned(), 90.0), ("x::b".to_owned(), 10.0)]
    );
    // Nothing happens if the query completes late.
    run.step(0, Step::Ready(2));
    run.step(0, Step::Read(0));
    end_frame(&mut run);
    assert_eq!(self_times(&run, 1), [(REST.to_owned(), 1_000.0)]);
}

#[test]
fn late_gpu_times_count_toward_the_memory_limit() {
    for keeps_up in [false, true] {
        let mut run = Run::new();
        run.profiler.history_mut().set_longest(2);
        for _ in 0..60 {
            frames(&mut run, 1);
            if keeps_up {
                run.step(0, Step::Ready(2));
                run.step(0, Step::Read(1));
            }
        }
        let history = run.profiler.history();
        assert_eq!(history.bytes(), history.bytes_for_tests());
        let limit = history.bytes() / 2;
        run.profiler.history_mut().set_memory_limit(limit);
        run.frames.clear();
        for _ in 0..3 {
            run.step(0, Step::Ready(99));
            run.step(0, Step::Read(0));
            run.step(0, Step::Frame(true));
            run.frames.clear();
            let history = run.profiler.history();
            assert!(history.bytes() <= limit && history.len() > 3);
            assert_eq!(history.bytes(), history.bytes_for_tests());
        }
    }
}

#[test]
fn timestamp_counter_without_bits_records_nothing() {
    let mut run = Run::new();
    run.submitters[0].fake.now = 0;
    for _ in 0..60 {
        run.step(0, Step::Begin(0));
        run.step(0, Step::Leave);
        run.step(0, Step::Ready(2));
        run.step(0, Step::Read(0));
        run.step(0, Step::Pass(1_000));
        // The model expects every zone with queries to be measured.
        let asked = run.submitters[0].fake.timestamps.len();
        if asked == 32 {
            let origin = GpuOrigin {
                thread: run.submitters[0].thread.record(),
                node: 1,
                gpu_node: 1,
                begun_in: run.post.frame,
            };
            let submitter = &mut run.submitters[0];
            assert_eq!(submitter.ring.begin(&mut submitter.fake, origin), None);
            assert_eq!(submitter.fake.timestamps.len(), 32);
            break;
        }
        assert!(asked < 32);
    }
    run.step(0, Step::Frame(true));
    assert_eq!(run.post.losses, GpuLosses::default());
    assert_eq!(
        self_times(&run, 1),
        [(REST.to_owned(), run.frames[0].ticks as f64)]
    );
}

#[test]
fn leaked_guards_zone_ends_with_its_parent() {
    let mut run = Run::new();
    run.step(0, Step::Begin(0));
    run.step(0, Step::Begin(1));
    run.step(0, Step::Work(40));
    let submitter = &mut run.submitters[0];
    let [outer, inner] = [0, 1].map(|at: usize| submitter.on_gpu[at].unwrap().0);
    assert_eq!(submitter.ring.timeline.spans.ending_with(outer), 2);
    let frame = run.post.submit(2);
    submitter.ring.end(&mut submitter.fake, 2, frame);
    assert_eq!(submitter.ring.timeline.spans.ending_with(inner), 0);
    for zone in [1, 0] {
        submitter.zones[zone].end = Some(3 - zone);
        submitter.zones[zone].frame = Some(frame);
    }
    submitter.on_gpu.fill(None);
    run.step(0, Step::Pass(100));
    run.step(0, Step::Ready(9));
    run.step(0, Step::Read(0));
    run.step(0, Step::Frame(true));
    assert_eq!(
        self_times(&run, 1),
        [(REST, 60.0), ("x::b", 40.0), ("a", 0.0)].map(|(name, time)| (name.to_owned(), time))
    );
}

#[test]
fn gpu_is_listed_after_all_threads() {
    let mut run = Run::new();
    frames(&mut run, 1);
    // Sorted by name or number, the GPU would come before `render`.
    let threads = run.profiler.threads_in_order();
    let names: Vec<&str> = threads.iter().map(|thread| &*thread.name).collect();
    assert_eq!(names, ["main", "render", "GPU"]);
}
