//! Tests GPU times in any program against a naive model, from a ring of scripted queries through to reports.

use super::gpu_model::*;
use super::oracle::{IDLE_OUTSIDE, Moments, RowId, Sums};
use super::programs::{self, MS_PER_TICK};
use super::sums::{close, row_id};
use crate::query;
use crate::report::{ColumnId, Recursion, Report, ReportMode, Row, Section};
use crate::view::View;
use iprof_gather::gpu::GpuLosses;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::builder::thread_at;
use iprof_process::indices::ZoneKey;
use iprof_process::moving_average::FOLLOW_90;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// Returns a row's self, hierarchical and GPU time in ticks, and its entries.
pub(super) fn values(row: &Row) -> [f64; 4] {
    let value = |column| row.number(column);
    let [own, hier, gpu] = [
        ColumnId::SelfTime,
        ColumnId::HierarchicalTime,
        ColumnId::GpuTime,
    ]
    .map(value);
    let ticks = [own, hier, gpu].map(|ms| ms / MS_PER_TICK);
    [ticks[0], ticks[1], ticks[2], value(ColumnId::Count)]
}

/// Averages below this many ticks are hidden.
const FADED: f64 = 0.101;

fn compare<K: Ord + std::fmt::Debug>(
    report: &Report,
    key: impl Fn(&Row) -> K,
    cpu: &BTreeMap<K, Sums>,
    gpu: &BTreeMap<K, Sums>,
    by: usize,
) {
    let shown: BTreeMap<K, [f64; 4]> = report
        .rows
        .iter()
        .map(|row| (key(row), values(row)))
        .collect();
    assert_eq!(
        shown.len(),
        report.rows.len(),
        "each row should occur only once"
    );
    for key in cpu.keys().chain(gpu.keys()) {
        let [own, hier, count] = cpu.get(key).copied().unwrap_or_default();
        let wanted_gpu = gpu.get(key).map_or(0.0, |sums| sums[by]);
        match shown.get(key) {
            Some(got) => {
                assert!(
                    close(got[0], own) && close(got[1], hier),
                    "wrong times for {key:?}: {got:?}"
                );
                assert!(
                    close(got[3], count),
                    "{key:?}: got {got:?}, wanted {count} entries"
                );
                let is_faded = got[2] == 0.0 && wanted_gpu <= FADED;
                assert!(
                    close(got[2], wanted_gpu) || is_faded,
                    "{key:?}: got {got:?}, wanted GPU time {wanted_gpu}"
                );
            }
            None => {
                let all = hier.max(wanted_gpu);
                assert!(
                    all <= FADED && count < 1.01e-4,
                    "{key:?} should have a row: {all} ticks, {count} entries"
                );
            }
        }
    }
    for (key, got) in &shown {
        let is_known = cpu.contains_key(key) || gpu.contains_key(key);
        assert!(
            is_known || *got == [0.0; 4],
            "{key:?} should have no row: {got:?}"
        );
    }
    let has_column = report.columns.contains(&ColumnId::GpuTime);
    assert_eq!(has_column, shown.values().any(|got| got[2] > 0.0));
}

/// The moments as recorded, and the moments as lists of zones show them.
type PlainAndListed<'m> = [&'m Moments; 2];

/// Checks every mode of a view: CPU times, and the GPU times submitted by each row.
pub(super) fn check(
    profiler: &Profiler,
    view: &View,
    [cpu, cpu_in_lists]: PlainAndListed<'_>,
    [gpu, gpu_in_lists]: PlainAndListed<'_>,
) {
    for recursion in [Recursion::Flatten, Recursion::Spread] {
        let mut view = view.clone();
        view.recursion = recursion;
        view.idle_ranked = true;
        let lists = [cpu_in_lists, gpu_in_lists].map(|moments| moments.by_row(recursion).flat());
        let modes = [(0, ReportMode::SelfTime), (1, ReportMode::HierarchicalTime)];
        let [_, all] = modes.map(|(by, mode)| {
            view.report_mode = mode;
            let report = query::report(profiler, &view, None);
            compare(&report, row_id, &lists[0], &lists[1], by);
            report
        });
        let by_row = [cpu, gpu].map(|moments| moments.by_row(recursion));
        view.report_mode = ReportMode::CallGraph;
        let is_zone = |row: &&Row| row_id(row).0 != IDLE_OUTSIDE;
        for row in all.rows.iter().filter(is_zone) {
            view.set_selected(ZoneKey {
                zone: row.key.zone,
                level: row.key.level,
            });
            let report = query::report(profiler, &view, None);
            let [cpu, gpu] = by_row
                .each_ref()
                .map(|moments| moments.call_graph(row_id(row)));
            let key = |row: &Row| (row.key.section, row_id(row));
            compare(&report, key, &cpu, &gpu, 1);
            // The callers must sum to the zone.
            let sum = |section| {
                let rows = report.rows.iter().filter(|r| r.key.section == section);
                rows.map(|row| values(row)[2]).sum::<f64>()
            };
            let (callers, selected) = (sum(Section::Caller), sum(Section::Selected));
            let faded = FADED * report.rows.len() as f64;
            assert!(row_id(row).0 == 0 || (callers - selected).abs() <= faded);
        }
        view.report_mode = ReportMode::CallTree;
        let report = query::report(profiler, &view, None);
        let [cpu, gpu] = by_row.map(|moments| -> BTreeMap<RowId, Sums> {
            let chains = moments.callee_paths(None).into_iter();
            // Only the root and its children are expanded.
            let chains = chains.filter(|(chain, _)| chain.len() <= 2);
            chains
                .map(|(chain, sums)| (*chain.last().unwrap(), sums))
                .collect()
        });
        compare(&report, row_id, &cpu, &gpu, 1);
    }
}

/// Checks views of each thread, of all threads, and of the GPU.
fn check_all(run: &Run, view: &View, cpu: &[Moments], by_thread: &[Moments], gpu: &Moments) {
    let mut view = view.clone();
    let (mut all_cpu, mut all_gpu) = (Moments::default(), Moments::default());
    let mut in_lists = [(); 2].map(|()| Moments::default());
    for at in 0..THREADS {
        view.set_threads(Threads::One(ThreadId(RECORDS[at])));
        let [cpu_in_lists, gpu_in_lists] = [&cpu[at], &by_thread[at]].map(|of| of.in_lists(at));
        let of_cpu = [&cpu[at], &cpu_in_lists];
        check(
            &run.profiler,
            &view,
            of_cpu,
            [&by_thread[at], &gpu_in_lists],
        );
        in_lists[0].merge(&cpu_in_lists);
        in_lists[1].merge(&gpu_in_lists);
        all_cpu.merge(&cpu[at]);
        all_gpu.merge(&by_thread[at]);
    }
    view.set_threads(Threads::All);
    let [cpu_in_lists, gpu_in_lists] = &in_lists;
    check(
        &run.profiler,
        &view,
        [&all_cpu, cpu_in_lists],
        [&all_gpu, gpu_in_lists],
    );
    for threads in [Threads::One(GPU), Threads::Group(GPU)] {
        view.set_threads(threads);
        let in_lists = gpu.in_lists(GPU.0 as usize);
        let none = Moments::default();
        check(&run.profiler, &view, [gpu, &in_lists], [&none; 2]);
        // The self times add up to the frame time in the title, so no time exceeds it.
        let report = query::report(&run.profiler, &view, None);
        let title = format!("{:.2} ms/frame", gpu.total() * MS_PER_TICK + 0.0);
        assert!(
            report.title[0].starts_with(&title),
            "{:?} {title}",
            report.title
        );
        assert!(report.title[0].contains("  GPU  "));
    }
}

/// Runs a program until all GPU times have arrived.
pub(super) fn run_to_the_end(program: &[(usize, Step)]) -> Run {
    let mut run = Run::new();
    for &(at, step) in program {
        run.step(at, step);
    }
    // Let the remaining times arrive. Open zones remain open.
    run.step(0, Step::Pass(1));
    run.step(0, Step::Frame(true));
    for at in 0..THREADS {
        run.step(at, Step::Ready(usize::MAX >> 1));
        run.step(at, Step::Read(0));
    }
    run.step(0, Step::Pass(1));
    run.step(0, Step::Frame(true));
    run
}

fn check_program(program: &[(usize, Step)]) {
    let mut run = run_to_the_end(program);
    let mut seen = Vec::new();
    for frame in &run.frames {
        let (by_thread, gpu) = run.gpu_moments(frame);
        let mut view = View::default();
        view.frame = Frames::Number(frame.number);
        check_all(&run, &view, &frame.threads, &by_thread, &gpu);
        seen.push((frame.ticks, by_thread, gpu));
    }
    // All times have arrived, so the newest frame has GPU times.
    let mut view = View::default();
    view.average = crate::Average::Newest;
    let (_, by_thread, gpu) = seen.last().unwrap();
    check_all(
        &run,
        &view,
        &run.frames.last().unwrap().threads,
        by_thread,
        gpu,
    );
    for (slot, t90) in FOLLOW_90.into_iter().enumerate() {
        view.average = crate::Average::ALL[slot + 1];
        let mut averages = [(); 2 * THREADS + 1].map(|()| Moments::default());
        for (number, ((ticks, by_thread, gpu), frame)) in seen.iter().zip(&run.frames).enumerate() {
            let seconds = *ticks as f64 * MS_PER_TICK * 1e-3;
            let old = match number < 3 {
                true => 0.0,
                false => 0.1f64.powf(seconds / t90),
            };
            let new = frame.threads.iter().chain(by_thread).chain([gpu]);
            for (average, new) in averages.iter_mut().zip(new) {
                average.blend(old, new, 1.0 - old);
            }
        }
        let (cpu, rest) = averages.split_at(THREADS);
        check_all(&run, &view, cpu, &rest[..THREADS], &rest[THREADS]);
    }
    // Check the means of all frames, in history and in the session, and of some frames.
    if let [first, .., last] = &run.frames[..] {
        let everything: Vec<usize> = (0..run.frames.len()).collect();
        let mut choices: Vec<(Frames, Vec<usize>)> = [
            Frames::Range {
                first: first.number,
                last: last.number,
            },
            Frames::Session,
            Frames::SessionTime(Duration::ZERO, Duration::MAX),
        ]
        .map(|frames| (frames, everything.clone()))
        .into();
        // Also check a band, frames longer than a limit, and the complements of both.
        let ms = |at: &usize| run.frames[*at].ticks as f64 * MS_PER_TICK;
        let exceeds = |at: &usize, limit: &Duration| ms(at) > limit.as_secs_f64() * 1e3;
        let band = |at: &usize| limits().iter().filter(|limit| exceeds(at, limit)).count();
        let of_band = band(&(everything.len() / 2));
        let (inside, outside) = everything.iter().partition(|at| band(at) == of_band);
        let part = Frames::SessionBands(of_band, of_band);
        choices.push((part.clone(), inside));
        choices.push((part.complement(), outside));
        let middle = Duration::from_nanos(run.frames[everything.len() / 2].ticks);
        let (longer, others) = everything.iter().partition(|at| exceeds(at, &middle));
        let set = Frames::LongerThan(middle);
        choices.push((set.clone(), longer));
        choices.push((set.complement(), others));
        for (frames, members) in choices {
            if members.is_empty() {
                continue;
            }
            let mut means = [(); 2 * THREADS + 1].map(|()| Moments::default());
            for at in &members {
                let ((_, by_thread, gpu), frame) = (&seen[*at], &run.frames[*at]);
                let all = frame.threads.iter().chain(by_thread).chain([gpu]);
                for (mean, moments) in means.iter_mut().zip(all) {
                    mean.blend(1.0, moments, 1.0 / members.len() as f64);
                }
            }
            let (cpu, rest) = means.split_at(THREADS);
            view.frame = frames;
            check_all(&run, &view, cpu, &rest[..THREADS], &rest[THREADS]);
        }
    }
    check_snapshot(&mut run);
    check_losses(&run);
    check_graph(&run, seen.iter().map(|(_, _, gpu)| gpu.total()));
}

/// Checks that the GPU data in a snapshot matches the sums over all frames, which are all remembered.
fn check_snapshot(run: &mut Run) {
    let mut sums = BTreeMap::new();
    for frame in run.profiler.history().iter() {
        for delta in frame.deltas_of(GPU.0) {
            let sum: &mut (u64, u64) = sums.entry(delta.node as usize).or_default();
            *sum = (sum.0 + delta.ticks, sum.1 + delta.entries);
        }
    }
    let thread = thread_at(&mut run.profiler, GPU.0 as usize, None);
    assert_eq!((&*thread.name, thread.has_ended), ("GPU", false));
    for (at, node) in thread.nodes.iter().enumerate() {
        let sum = sums.get(&at).copied().unwrap_or_default();
        assert_eq!((node.ticks, node.entries), sum);
    }
    assert!(sums.keys().all(|at| *at < thread.nodes.len()));
}

/// Checks that the bars are as high as the GPU's frames, no matter when the times arrived.
fn check_graph(run: &Run, ticks: impl Iterator<Item = f64>) {
    let bars = run.graph.0.bars.iter();
    let shown: Vec<f64> = bars.map(|bar| bar.ms / MS_PER_TICK).collect();
    let ticks: Vec<f64> = ticks.collect();
    assert_eq!(shown.len(), ticks.len());
    let alike = shown.iter().zip(&ticks).all(|(a, b)| close(*a, *b));
    assert!(alike, "bars {shown:?}, wanted ticks {ticks:?}");
    // In the session graph, bars are means over the frames that have GPU times.
    let mut view = View::default();
    view.set_threads(Threads::One(GPU));
    let session = view.session_graph(&run.profiler);
    let bars = session.bars.iter().zip(&session.buckets);
    let sum: f64 = bars.map(|(bar, bucket)| bar.ms * bucket.count as f64).sum();
    let all: f64 = ticks.iter().sum();
    assert!(
        close(sum / MS_PER_TICK, all),
        "bars sum to {sum}, wanted {all}"
    );
}

fn check_losses(run: &Run) {
    let (mut disjoint, mut implausible) = (0, 0);
    for submitter in &run.submitters {
        let timestamps = &submitter.fake.timestamps;
        let has_bits = timestamps[..submitter.fake.read].iter().any(|ns| *ns != 0);
        for zone in &submitter.zones {
            let Some(end) = zone.end.filter(|end| *end < submitter.fake.read) else {
                continue;
            };
            if submitter.fake.invalid[zone.begin] || submitter.fake.invalid[end] {
                disjoint += 1;
            } else if !submitter.is_known(zone, None) && has_bits {
                implausible += 1;
            }
        }
    }
    let wanted = GpuLosses {
        overflowed: run.overflowed[1],
        implausible,
        disjoint,
        unknown_context: 0,
    };
    assert_eq!(run.post.losses, wanted);
    let warnings = query::report(&run.profiler, &View::default(), None).warnings;
    let warns = warnings
        .iter()
        .any(|line| line.contains("too many GPU zones in flight"));
    assert_eq!(
        warns,
        run.overflowed[1] > run.overflowed[0],
        "unexpected warnings: {warnings:?}"
    );
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn gpu_times_belong_to_the_submitting_frames(program in program()) {
        check_program(&program);
    }
}
