//! Tests the flame graph against the oracle, and tests a view's flame graph settings.

use super::comparisons::{Comparison, comparisons};
use super::diff::naive_median;
use super::oracle::{ByStack, IDLE_OUTSIDE, Moments, Stack, value_of};
use super::programs::{self, MS_PER_TICK, Run};
use super::scene::{ART, SOLVE, Script, TYPICAL_FRAME, typical_scene, view};
use super::sums::{THREADS, close, zone_of_name};
use crate::flame::{CallPath, Flame, FlameStep};
use crate::query::flame::FlameWork;
use crate::report::ReportMode;
use crate::view::{Baseline, View};
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;
use std::collections::BTreeMap;

pub(super) fn flame_of(profiler: &Profiler, view: &View) -> Flame {
    let mut flame = Flame::default();
    FlameWork::default().update(profiler, view, &mut flame);
    flame
}

/// Returns a node's stack, using the oracle's zone numbers.
fn stack_of(flame: &Flame, node: usize) -> Stack {
    let path = flame.path(node);
    let zones = path.zones().iter();
    let named = zones.map(|zone| zone_of_name(&flame.zones[*zone as usize].name));
    std::iter::once(0).chain(named).collect()
}

/// Returns each call path's time including callees, and its entries. Idle zones have no time unless they are ranked.
fn by_path(run: &Run, moments: &Moments, is_ranked: bool) -> ByStack<[f64; 2]> {
    let indices = run.profiler.indices();
    let zones = 1..indices.zone_count() as u32;
    let idle = zones.filter(|zone| !is_ranked && indices.is_idle(*zone));
    let idle: Vec<usize> = idle.map(|zone| zone_of_name(indices.name(zone))).collect();
    let mut sums = ByStack::<[f64; 2]>::default();
    for (stack, (time, entries)) in &moments.0 {
        if stack.contains(&IDLE_OUTSIDE) {
            continue;
        }
        let is_idle = idle.contains(stack.last().expect("every stack should contain the root"));
        for length in 1..=stack.len() {
            let sum = value_of(&mut sums, &stack[..length]);
            sum[0] += if is_idle { 0.0 } else { *time };
            sum[1] += if length == stack.len() { *entries } else { 0.0 };
        }
    }
    sums
}

/// Checks that a view's flame graph contains the times and entries of all of the oracle's stacks, as far as times can
/// be known, and that its sums are consistent.
pub(super) fn check_flame(run: &Run, view: &View, naive: &[&Moments; 2], doubts: &[&Moments; 2]) {
    for is_ranked in [false, true] {
        let mut view = view.clone();
        view.idle_ranked = is_ranked;
        let flame = flame_of(&run.profiler, &view);
        check_sums(&flame);
        let which = usize::from(is_ranked);
        let (naive, doubts) = (
            by_path(run, naive[which], is_ranked),
            by_path(run, doubts[which], is_ranked),
        );
        let mut shown = ByStack::default();
        for (at, node) in flame.nodes.iter().enumerate() {
            assert!(
                shown.insert(stack_of(&flame, at), node).is_none(),
                "the stack should have only one node"
            );
        }
        for (stack, [time, entries]) in &naive {
            let is_known = doubts.get(stack).is_none_or(|doubt| doubt[0] == 0.0);
            match shown.get(stack) {
                Some(node) => {
                    let got = node.time * flame.unit_ms / MS_PER_TICK;
                    assert!(
                        close(got, *time) || !is_known,
                        "{stack:?}: got {got}, wanted {time}"
                    );
                    // On some threads, time outside zones has no entries.
                    let is_root = stack.len() == 1;
                    assert!(is_root || close(node.entries, *entries), "{stack:?}");
                }
                None => assert!(time * MS_PER_TICK < 1.01e-7 || !is_known, "{stack:?}"),
            }
        }
    }
}

/// Checks that each node's time is the sum of its self time and its children's times, and that nodes are sorted by
/// line.
fn check_sums(flame: &Flame) {
    // Times are whole ticks, or milliseconds of averages, which lack time that has faded.
    let least = if flame.unit_ms == 1.0 { 1e-5 } else { 0.0 };
    for (at, node) in flame.nodes.iter().enumerate() {
        let children: Vec<usize> = flame.children(at).collect();
        let sum: f64 = children.iter().map(|child| flame.nodes[*child].time).sum();
        let whole = node.self_time + sum;
        assert!(
            (whole - node.time).abs() <= least,
            "the parts sum to {whole} in {node:?}"
        );
        for child in children {
            let child = &flame.nodes[child];
            assert!(
                child.time > 0.0 && child.parent as usize == at && child.depth == node.depth + 1
            );
        }
    }
    let depths: Vec<u32> = flame.nodes.iter().map(|node| node.depth).collect();
    assert!(depths.is_sorted(), "nodes are not sorted by line");
}

/// Returns the oracle's time by call path in a frame, in ticks, summed over these threads.
fn frame_by_path(
    run: &Run,
    frame: usize,
    threads: &[usize],
    is_ranked: bool,
) -> BTreeMap<Stack, f64> {
    let mut moments = Moments::default();
    for at in threads {
        let of_thread = &run.frames[frame].threads[*at];
        match is_ranked {
            true => moments.merge(of_thread),
            false => moments.merge(&of_thread.in_lists(*at)),
        }
    }
    let paths = by_path(run, &moments, is_ranked).into_iter();
    paths.map(|(stack, [time, _])| (stack, time)).collect()
}

/// Checks a comparison's flame graph. The baseline time of each call path, in ticks, must be `of_frames` of its times
/// in the baseline's frames. The total change must be the root's change.
fn check_compared(run: &Run, compared: &Comparison, idle: u8, of_frames: impl Fn(Vec<f64>) -> f64) {
    let cases: [(Threads, &[usize]); 3] = [
        (Threads::All, &[0, 1, 2]),
        (Threads::One(ThreadId(0)), &[0]),
        (Threads::Group(ThreadId(1)), &[1, 2]),
    ];
    for (at, (threads, all)) in cases.into_iter().enumerate() {
        let is_ranked = usize::from(idle) >> at & 1 == 1;
        let mut view = View::default();
        compared.show(&mut view, threads);
        view.idle_ranked = is_ranked;
        let flame = flame_of(&run.profiler, &view);
        let of_frame = |frame: &usize| frame_by_path(run, *frame, all, is_ranked);
        let before: Vec<BTreeMap<Stack, f64>> = compared.before.iter().map(of_frame).collect();
        for (node, of) in flame.nodes.iter().enumerate() {
            let stack = stack_of(&flame, node);
            let times = before.iter().map(|paths| paths.get(&stack));
            let times = times.map(|time| time.copied().unwrap_or(0.0)).collect();
            let (got, wanted) = (of.before_ms / MS_PER_TICK, of_frames(times));
            let what = || format!("{stack:?} {got} {wanted} in {view:#?}");
            assert!(close(got, wanted), "{}", what());
        }
        let ticks = compared
            .before
            .iter()
            .map(|at| run.frames[*at].ticks as f64);
        let frame = of_frames(ticks.collect());
        let root = flame.nodes[0];
        let (now, was) = (root.time * flame.unit_ms, root.before_ms);
        let least = (was * 0.1).max(frame * MS_PER_TICK * 1e-7);
        let wanted = (now - was).abs().max(least);
        assert!((flame.whole_change_ms - wanted).abs() < 1e-9, "{wanted}");
    }
}

/// Like [`check_compared`], but for sampled times. The reference is the flame graphs of the individual baseline frames.
fn check_compared_sampled(run: &Run, compared: &Comparison, threads: Threads) {
    let mut view = View::default();
    compared.show(&mut view, threads);
    let flame = flame_of(&run.profiler, &view);
    let of_frame = |frame: &usize| {
        let mut view = View::default();
        view.set_threads(threads);
        view.frame = Frames::Number((run.forgotten + frame) as u64 + 1);
        flame_of(&run.profiler, &view)
    };
    let before: Vec<Flame> = compared.before.iter().map(of_frame).collect();
    for (at, node) in flame.nodes.iter().enumerate() {
        let path = flame.path(at);
        let times = before.iter().map(|flame| match flame.follow(&path) {
            (at, found) if found == path.zones().len() => flame.nodes[at].time * flame.unit_ms,
            _ => 0.0,
        });
        let (got, wanted) = (node.before_ms, mean(times.collect()));
        let is_same = close(got / MS_PER_TICK, wanted / MS_PER_TICK);
        assert!(
            is_same,
            "got {got}, wanted {wanted} for {node:?} in {view:#?}"
        );
    }
}

fn mean(times: Vec<f64>) -> f64 {
    times.iter().sum::<f64>() / times.len().max(1) as f64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 4, ..programs::config() })]

    #[test]
    fn baseline_times_match_its_frames(
        program in programs::program(THREADS),
        pick in any::<u16>(),
        idle in any::<u8>(),
    ) {
        let mut run = programs::run(THREADS, &program);
        programs::declare_idle(&mut run, idle);
        let pick = usize::from(pick);
        for compared in comparisons(&run, pick) {
            check_compared(&run, &compared, idle, mean);
        }
        let now = pick % run.frames.len();
        let first = now.saturating_sub(30);
        let last = (now + 30).min(run.frames.len() - 1);
        let compared = Comparison {
            frame: Frames::Number((run.forgotten + now) as u64 + 1),
            now: vec![now],
            baseline: Baseline::Median,
            before: (first..=last).filter(|at| *at != now).collect(),
        };
        // If there is no other frame, the baseline is an average, which fades.
        if !compared.before.is_empty() {
            check_compared(&run, &compared, idle, naive_median);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: programs::config().cases / 4, ..programs::config() })]

    #[test]
    fn sampled_baseline_times_are_frame_means(
        program in programs::timed_program(THREADS),
        pick in any::<u16>(),
    ) {
        let run = programs::run(THREADS, &program);
        for compared in comparisons(&run, pick.into()) {
            for threads in [Threads::All, Threads::One(ThreadId(0))] {
                check_compared_sampled(&run, &compared, threads);
            }
        }
    }
}

fn node_of(flame: &Flame, names: &[&str]) -> usize {
    let zone = |name: &&str| {
        let zones = &mut flame.zones.iter();
        zones
            .position(|zone| &*zone.name == *name)
            .expect("the zone should be recorded") as u32
    };
    let path = CallPath::of(names.iter().map(zone));
    let (node, found) = flame.follow(&path);
    assert_eq!(found, names.len());
    node
}

#[test]
fn each_call_path_has_a_baseline_time() {
    const SLOW: Script<'_> = &[(&SOLVE, 2, 900), (&ART, 3, 80)];
    let mut scene = typical_scene();
    let before = scene.profiler.frames();
    scene.frame(SLOW);
    let mut view = view();
    assert_eq!(flame_of(&scene.profiler, &view).whole_change_ms, 0.0);
    view.set_baseline(Baseline::Frames(Frames::Number(before)));
    let flame = flame_of(&scene.profiler, &view);
    let changes = [&["step"][..], &["step", "physics::solve"], &["step", "Art"]].map(|names| {
        let node = &flame.nodes[node_of(&flame, names)];
        (node.time * flame.unit_ms * 1e3 - node.before_ms * 1e3).round()
    });
    assert_eq!(changes, [-20.0, 600.0, -400.0]);
    // The total change is at least a tenth of the baseline's time.
    assert!((flame.whole_change_ms - 0.1).abs() < 1e-9, "{flame:?}");
    assert!(flame.title.contains("vs. frame"), "{}", flame.title);
    // All of the frames that the median is taken over were the same.
    for _ in 0..9 {
        scene.frame(TYPICAL_FRAME);
    }
    scene.frame(SLOW);
    view.set_baseline(Baseline::Median);
    let flame = flame_of(&scene.profiler, &view);
    let solve = &flame.nodes[node_of(&flame, &["step", "physics::solve"])];
    assert!((solve.before_ms - 0.3).abs() < 1e-9, "{solve:?}");
}

#[test]
fn zoom_is_restored_when_its_path_reappears() {
    let mut scene = typical_scene();
    let first = scene.profiler.frames();
    let mut view = view();
    let flame = flame_of(&scene.profiler, &view);
    let art = node_of(&flame, &["step", "Art"]);
    view.set_flame_cursor(flame.path(art));
    view.zoom_flame();
    let flame = flame_of(&scene.profiler, &view);
    assert_eq!((flame.zoomed, flame.cursor), (art, Some(art)));
    assert_eq!(flame.selected, Some(flame.nodes[art].zone));
    scene.frame(&[(&SOLVE, 1, 50)]);
    let flame = flame_of(&scene.profiler, &view);
    assert_eq!(
        (flame.zoomed, flame.cursor),
        (node_of(&flame, &["step"]), None)
    );
    view.frame = Frames::Number(first);
    let flame = flame_of(&scene.profiler, &view);
    assert_eq!((flame.zoomed, flame.cursor), (art, Some(art)));
    view.unzoom_flame();
    assert!(!view.is_flame_zoomed());
}

#[test]
fn flame_graph_and_report_share_a_cursor_zone() {
    let scene = typical_scene();
    let mut view = view();
    let zone = |view: &View| {
        let flame = flame_of(&scene.profiler, view);
        flame
            .selected
            .map(|zone| flame.zones[zone as usize].name.to_string())
    };
    assert_eq!(zone(&view), None);
    scene.act_on_row(&mut view, "Art", |_, _| {});
    assert_eq!(zone(&view).as_deref(), Some("Art"));
    // Moving the flame graph's cursor also moves the report's cursor.
    let flame = flame_of(&scene.profiler, &view);
    view.walk_flame(&flame, FlameStep::Callee);
    assert_eq!(zone(&view), None, "the root should select no zone");
    for step in [FlameStep::Callee, FlameStep::Callee, FlameStep::Left] {
        let flame = flame_of(&scene.profiler, &view);
        view.walk_flame(&flame, step);
    }
    assert_eq!(zone(&view).as_deref(), Some("physics::phase::narrow"));
    let report = scene.report(&view);
    assert_eq!(super::scene::cursor(&report), "physics::phase::narrow");
    // Moving the report's cursor also moves the flame graph's cursor.
    scene.act_on_row(&mut view, "step", |_, _| {});
    assert_eq!(zone(&view).as_deref(), Some("step"));
    scene.act_on_row(&mut view, "Art", |view, report| view.select(report));
    assert_eq!(view.report_mode, ReportMode::CallGraph);
    assert_eq!(zone(&view).as_deref(), Some("Art"));
}

/// The root represents everything shown, not only time outside zones.
#[test]
fn root_is_named_after_the_shown_threads() {
    let threads = ["main", "worker-1", "worker-2"].map(|name| ScriptedThread::begin(name, 0));
    let records = threads.each_ref().map(ScriptedThread::record);
    let mut profiler = Profiler::new(Pair::both(0));
    for thread in &threads {
        thread.enter(&SOLVE, 0);
        thread.leave(500);
    }
    profiler.end_frame(&records, records[0], Pair::both(1_000), true);
    let mut view = view();
    for (threads, name) in [
        (Threads::All, "all 3 threads"),
        (Threads::Frame, "main"),
        (Threads::One(ThreadId(2)), "worker-2"),
        (Threads::Group(ThreadId(1)), "worker (2 threads)"),
        (Threads::One(ThreadId(9)), "no such thread"),
    ] {
        view.set_threads(threads);
        let flame = flame_of(&profiler, &view);
        if let Some(root) = flame.nodes.first() {
            assert!(
                root.self_time.is_sign_positive(),
                "the root's self time should not be shown as -0.0"
            );
        }
        assert_eq!(flame.root_name, name, "{threads:?}");
        assert_eq!(flame.name(0), name);
        assert!(flame.title.contains(name), "{}", flame.title);
    }
    let scene = typical_scene();
    let flame = flame_of(&scene.profiler, &super::scene::view());
    assert_eq!(
        flame.root_name, "main",
        "the root should be named after the single thread"
    );
}
