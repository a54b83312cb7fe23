//! Tests for choosing frames (spikes, marks, the longest frame) and for scrolling the graph.

use crate::graph::Graph;
use crate::query::graph::GraphWork;
use crate::view::View;
use iprof_gather::clock::Pair;
use iprof_gather::scripted_thread::ScriptedThread;
use iprof_process::Frames;
use iprof_process::Profiler;

/// Records frames with the given lengths in milliseconds, some of them with a mark.
fn profiler(frames: &[(u64, Option<&str>)]) -> Profiler {
    let mut now = 1_000;
    let thread = ScriptedThread::begin("main", now);
    let pair = |now| Pair::both(now);
    let mut profiler = Profiler::new(pair(now));
    for (ms, mark) in frames {
        now += ms * 1_000_000;
        if let Some(mark) = mark {
            profiler.mark((*mark).into());
        }
        profiler.end_frame(&[thread.record()], thread.record(), pair(now), true);
    }
    profiler
}

fn at(view: &View) -> Option<u64> {
    match view.frames() {
        Frames::Number(number) => Some(number),
        _ => None,
    }
}

#[test]
fn keys_step_through_spikes_and_back_to_live() {
    let mut frames = [(10, None); 12];
    for spike in [3, 7, 12] {
        frames[spike - 1].0 = 40;
    }
    let profiler = profiler(&frames);
    let spikes = profiler.history().spikes();
    let mut view = View::default();
    let mut step = |direction| {
        view.step_to(profiler.history(), direction, &spikes);
        at(&view)
    };
    // The newest frame is a spike. Showing it is different from the live view.
    let wanted = [12, 7, 3, 3].map(Some);
    assert_eq!([step(-1), step(-1), step(-1), step(-1)], wanted);
    assert_eq!([step(1), step(1), step(1)], [7, 12, 12].map(Some));
    let mut now = View::default();
    now.step_to(profiler.history(), 1, &spikes);
    assert_eq!(
        at(&now),
        None,
        "a step from the live view should have no effect"
    );
}

#[test]
fn newest_marked_frame_and_longest_frame_are_found() {
    let profiler = profiler(&[
        (10, Some("level")),
        (30, None),
        (10, Some("level")),
        (20, Some("menu")),
        (10, None),
    ]);
    let mut view = View::default();
    let mut shown = |frames| (view.choose_frames(profiler.history(), &frames), at(&view));
    let marked = |name: &str| Frames::Marked(name.into());
    assert_eq!(shown(marked("level")), (true, Some(3)));
    assert_eq!(shown(marked("menu")), (true, Some(4)));
    let wanted = (false, Some(4));
    assert_eq!(
        shown(marked("credits")),
        wanted,
        "the view should not change if no frame has that mark"
    );
    assert_eq!(shown(Frames::Longest), (true, Some(2)));
}

#[test]
fn graph_marks_the_longest_frame() {
    let mut now = 1_000;
    let thread = ScriptedThread::begin("main", now);
    let mut profiler = Profiler::new(Pair::both(now));
    profiler.history_mut().set_capacity(8);
    profiler.history_mut().set_longest(2);
    let (mut work, mut graph) = (GraphWork::default(), Graph::default());
    let loading = [300, 900, 200];
    let playing = [
        10, 10, 50, 10, 50, 20, 10, 10, 90, 10, 10, 70, 10, 10, 10, 10, 10, 10, 10, 10, 80,
    ];
    for (at, ms) in loading.iter().chain(&playing).enumerate() {
        now += ms * 1_000_000;
        profiler.end_frame(&[thread.record()], thread.record(), Pair::both(now), true);
        // The graph is drawn only in some frames.
        if at % 3 == 1 {
            continue;
        }
        work.update(&profiler, &View::default(), false, &mut graph);
        let longest = profiler.history().longest().map_or(0, |frame| frame.number);
        assert_eq!(graph.longest, longest, "frame {}", at + 1);
        assert_eq!(
            graph.last_of_start_up,
            if at < 2 { 0 } else { 2 },
            "frame {}",
            at + 1
        );
    }
    profiler.reset(&[thread.record()], thread.record(), Pair::both(now));
    work.update(&profiler, &View::default(), false, &mut graph);
    assert_eq!((graph.longest, graph.last_of_start_up), (0, 0));
}

#[test]
fn frames_are_found_by_number_and_age() {
    let profiler = profiler(&[(10, None); 5]);
    let mut view = View::default();
    let mut shown = |frames| (view.choose_frames(profiler.history(), &frames), at(&view));
    for (back, number) in [(0, 5), (1, 4), (4, 1), (5, 1), (usize::MAX, 1)] {
        let wanted = (true, Some(number));
        assert_eq!(
            shown(Frames::Back(back)),
            wanted,
            "wrong frame for {back} frames back"
        );
    }
    for (number, nearest) in [(0, 1), (3, 3), (5, 5), (u64::MAX, 5)] {
        let wanted = (true, Some(nearest));
        assert_eq!(
            shown(Frames::Number(number)),
            wanted,
            "shown frame for number {number}"
        );
    }
    assert_eq!(shown(Frames::Live), (true, None));
}

#[test]
fn only_live_view_exists_before_first_frame() {
    let profiler = profiler(&[]);
    let mut view = View::default();
    for frames in [
        Frames::Back(0),
        Frames::Number(1),
        Frames::Range { first: 1, last: 2 },
        Frames::Longest,
        Frames::Marked("level".into()),
    ] {
        assert!(
            !view.choose_frames(profiler.history(), &frames),
            "{frames:?}"
        );
        assert_eq!(view, View::default());
    }
    assert!(view.choose_frames(profiler.history(), &Frames::Live));
}
