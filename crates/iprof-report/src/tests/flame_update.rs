//! Tests that an updated flame graph equals a newly built one, although it reuses data from the previous graph.

use super::flame::flame_of;
use super::programs;
use super::scene::{ART, SOLVE, view};
use super::sums::THREADS;
use crate::flame::Flame;
use crate::query::flame::FlameWork;
use crate::view::Average;
use crate::view::{Baseline, View};
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;
use iprof_process::{ThreadId, Threads};
use proptest::prelude::*;

fn change(view: &mut View, flame: &Flame, frames: u64, pick: u32) {
    let [what, which, node] = [pick % 5, pick / 5 % 32, pick / 160].map(|n| n as usize);
    let threads = [
        Threads::All,
        Threads::One(ThreadId(0)),
        Threads::One(ThreadId(1)),
        Threads::Group(ThreadId(1)),
        Threads::One(ThreadId(2)),
    ];
    let number = frames.saturating_sub(which as u64 / 8);
    let chosen = [
        Frames::Live,
        Frames::Number(number),
        Frames::Range {
            first: number / 2,
            last: number,
        },
        Frames::Slowest(2),
        Frames::Slowest(1).complement(),
        Frames::Session,
        Frames::SessionSlowestPercent(50.0),
    ];
    let baselines = [
        Baseline::None,
        Baseline::Frames(Frames::Number(number)),
        Baseline::Rest,
        Baseline::Median,
        Baseline::Average,
        Baseline::Frames(Frames::Slowest(1)),
        Baseline::Frames(Frames::Session),
    ];
    match what {
        0 => view.set_threads(threads[which % threads.len()]),
        1 => view.frame = chosen[which % chosen.len()].clone(),
        2 => view.set_baseline(baselines[which % baselines.len()].clone()),
        3 => {
            view.average = Average::ALL[which % Average::ALL.len()];
            view.idle_ranked = which / 8 % 2 == 1;
        }
        _ => {
            view.set_flame_cursor(flame.path(node % flame.nodes.len()));
            view.zoom_flame();
        }
    }
}

proptest! {
    #![proptest_config(programs::config())]

    #[test]
    fn updated_flame_graph_equals_a_new_one(
        program in prop_oneof![programs::program(THREADS), programs::timed_program(THREADS)],
        picks in prop::collection::vec(any::<u32>(), 1..60),
        idle in any::<u8>(),
    ) {
        let (mut work, mut flame, mut view) = <(FlameWork, Flame, View)>::default();
        let mut picks = picks.into_iter().cycle();
        programs::run_watched(THREADS, &program, |_| {}, |profiler| {
            programs::declare_idle_in(profiler, idle);
            // Use the previous frame's view first, so that only the program has changed.
            for _ in 0..3 {
                work.update(profiler, &view, &mut flame);
                assert_eq!(flame, flame_of(profiler, &view), "{view:#?}");
                change(&mut view, &flame, profiler.frames(), picks.next().expect("each frame should have a pick"));
            }
        });
    }
}

#[test]
fn updated_flame_graph_includes_new_threads() {
    let threads = ["main", "worker-1", "worker-2"].map(|name| ScriptedThread::begin(name, 0));
    let records = threads.each_ref().map(ScriptedThread::record);
    let mut profiler = Profiler::new(Pair::both(0));
    let (mut work, mut flame) = <(FlameWork, Flame)>::default();
    let view = view();
    for count in 1..=threads.len() {
        for (at, thread) in threads[..count].iter().enumerate() {
            let now = count as u64 * 1_000 + at as u64;
            thread.enter(if at == 1 { &ART } else { &SOLVE }, now);
            thread.leave(now + 100);
        }
        let now = Pair::both((count as u64 + 1) * 1_000);
        profiler.end_frame(&records[..count], records[0], now, true);
        work.update(&profiler, &view, &mut flame);
        assert_eq!(flame, flame_of(&profiler, &view));
        assert_eq!(flame.nodes.len(), 1 + count.min(2), "{count} threads");
    }
}
