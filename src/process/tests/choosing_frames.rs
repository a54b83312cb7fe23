//! Tests of choosing a frame: spikes, marks, the longest one; and of scrolling the graph.

use crate::clock::Pair;
use crate::gather::scripted::ScriptedThread;
use crate::process::frame::profiler::Profiler;
use crate::process::view::View;

/// Frames of that many milliseconds, some of them marked.
fn profiler(frames: &[(u64, Option<&str>)]) -> Profiler {
    let mut now = 1_000;
    let thread = ScriptedThread::begin("main", now);
    let pair = |now| Pair::both(now);
    let mut profiler = Profiler::new(pair(now));
    for (ms, mark) in frames {
        now += ms * 1_000_000;
        profiler.pending_marks.extend(mark.map(Into::into));
        profiler.update(&[thread.record()], thread.record(), pair(now), true);
    }
    profiler
}

fn at(view: &View) -> Option<u64> {
    view.frame_number()
}

#[test]
fn spikes_are_stepped_through_from_the_live_view_into_the_past_and_back() {
    let mut frames = [(10, None); 12];
    for spike in [3, 7, 12] {
        frames[spike - 1].0 = 40;
    }
    let profiler = profiler(&frames);
    let spikes = profiler.history.spikes();
    let mut view = View::new();
    let mut step = |direction| {
        view.step_to_in(&profiler, direction, &spikes);
        at(&view)
    };
    // The newest frame is a spike, and differs from the live view.
    let wanted = [12, 7, 3, 3].map(Some);
    assert_eq!([step(-1), step(-1), step(-1), step(-1)], wanted);
    assert_eq!([step(1), step(1), step(1)], [7, 12, 12].map(Some));
    let mut now = View::new();
    now.step_to_in(&profiler, 1, &spikes);
    assert_eq!(at(&now), None, "nothing is newer than the live view");
}

#[test]
fn the_newest_frame_with_a_mark_and_the_longest_frame_are_found() {
    let profiler = profiler(&[
        (10, Some("level")),
        (30, None),
        (10, Some("level")),
        (20, Some("menu")),
        (10, None),
    ]);
    let mut view = View::new();
    view.set_frame_marked_in(&profiler, "level");
    assert_eq!(at(&view), Some(3));
    view.set_frame_marked_in(&profiler, "menu");
    assert_eq!(at(&view), Some(4));
    view.set_frame_marked_in(&profiler, "credits");
    assert_eq!(at(&view), Some(4), "no frame has that mark");
    view.set_frame_worst_in(&profiler);
    assert_eq!(at(&view), Some(2));
}

#[test]
fn the_graph_scrolls_from_the_newest_frame_to_the_oldest() {
    let mut view = View::new();
    let mut scroll = |bars| {
        view.scroll_graph_in(10, bars);
        view.graph_scrolled
    };
    assert_eq!([scroll(-3), scroll(1), scroll(5)], [3, 2, 0]);
    assert_eq!([scroll(-9), scroll(-1), scroll(i32::MIN)], [9, 9, 9]);
    assert_eq!(scroll(i32::MAX), 0);
    view.scroll_graph_in(0, -5);
    assert_eq!(view.graph_scrolled, 0);
}
