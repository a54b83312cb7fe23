//! Tests that `update` allocates nothing once all call stacks are known and the history is full.

#![cfg(feature = "enable")]

#[path = "support/allocations.rs"]
mod allocations;

use allocations::allocations;
use std::sync::Mutex;

/// Runs one test at a time, because timing is global.
static ALONE: Mutex<()> = Mutex::new(());

fn work(depth: u32) {
    iprof::zone!(work);
    if depth > 0 {
        work(depth - 1);
        iprof::zone!(part);
        work(depth - 1);
    }
}

#[test]
fn update_allocates_nothing_in_the_steady_state() {
    let _alone = ALONE.lock();
    const HISTORY: usize = 8;
    iprof::configure(|config| config.history = HISTORY);
    // Don't keep the longest frames. A kept frame also keeps its memory, and the frame that replaces it may have less
    // memory.
    iprof::configure(|config| config.longest_frames = 0);
    // A second thread stays inside zones the whole time.
    let (begun, wait) = std::sync::mpsc::channel();
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let worker = std::thread::spawn(move || {
        iprof::zone!(worker);
        iprof::zone!(job);
        work(3);
        begun.send(()).unwrap();
        ended.recv().unwrap();
    });
    wait.recv().unwrap();
    // After four times as many frames as the history holds, each slot of the ring buffer has held the largest frame.
    let mut allocated = 0;
    for frame in 0..10 * HISTORY {
        work(if frame % 3 == 0 { 4 } else { 6 });
        let of_frame = allocations(|| iprof::update(true));
        if frame >= 4 * HISTORY {
            allocated += of_frame;
        }
    }
    assert_eq!(allocated, 0);
    end.send(()).unwrap();
    worker.join().unwrap();
}

#[test]
fn recording_allocates_only_for_new_stacks() {
    let _alone = ALONE.lock();
    let record = || {
        work(5);
        iprof::begin!(pair);
        iprof::counter!(counted);
        iprof::end!(pair);
    };
    assert!(
        allocations(record) > 0,
        "registering the thread should allocate"
    );
    assert_eq!(allocations(record), 0);
    iprof::set_timing(iprof::Timing::SAMPLED);
    // The first zone makes the thread switch to the new mode.
    work(0);
    assert_eq!(allocations(record), 0);
    iprof::set_timing(iprof::Timing::Exact);
    work(0);
    assert_eq!(allocations(record), 0);
}

/// Returns the number of allocations in each drawn frame, once lists have grown to their final size. Frames that need a
/// new glyph are left out, because a preempted frame may show its time in a new unit.
#[cfg(feature = "overlay")]
fn allocations_of_frames(
    overlay: &mut iprof::overlay::Overlay,
    depth: u32,
    mut draw: impl FnMut(&mut iprof::overlay::Frame<'_>),
) -> Vec<usize> {
    let of_frame = |_| {
        work(depth);
        iprof::update(true);
        let glyphs = overlay.draw_data().atlas_version();
        let allocated = allocations(|| draw(&mut overlay.begin([640.0, 480.0])));
        (overlay.draw_data().atlas_version() == glyphs).then_some(allocated)
    };
    let of_frames: Vec<usize> = (0..100).map(of_frame).skip(50).flatten().collect();
    assert!(of_frames.len() > 25, "most frames should need no new glyph");
    of_frames
}

#[cfg(feature = "overlay")]
#[test]
fn graph_layout_allocates_nothing() {
    let _alone = ALONE.lock();
    let mut overlay = iprof::overlay::Overlay::new();
    let mut view = iprof::View::default();
    iprof::configure(|config| config.history = 8);
    iprof::configure(|config| config.longest_frames = 0);
    for part in [None, Some(iprof::Frames::SessionBands(0, 7))] {
        for zoom in [1.0, 1e-9] {
            overlay.act(&mut view, iprof::Action::ZoomGraph(zoom));
            if let Some(part) = &part {
                view.show_frames(&iprof::profiler(), part.clone());
            }
            let of_frames = allocations_of_frames(&mut overlay, 3, |frame| {
                frame.draw_graph(&view, 10.0, 10.0, 2.0, 4.0);
            });
            let allocated: usize = of_frames.iter().sum();
            assert_eq!(allocated, 0, "{part:?} {zoom}");
            overlay.act(&mut view, iprof::Action::ZoomGraph(2.0));
        }
    }
}

/// Like reports, the flame graph is rebuilt ten times per second. Rebuilding it allocates a few lists of threads and
/// texts, regardless of the number of call stacks. All other frames draw the existing flame graph.
#[cfg(feature = "overlay")]
#[test]
fn flame_graph_layout_allocates_nothing() {
    const A_FEW: usize = 12;
    let _alone = ALONE.lock();
    iprof::configure(|config| config.history = 8);
    iprof::configure(|config| config.longest_frames = 0);
    let largest = |depth: u32, rate: Option<f32>| {
        iprof::configure(|config| config.refresh_rate = rate);
        let (mut overlay, view) = (iprof::overlay::Overlay::new(), iprof::View::default());
        let of_frames = allocations_of_frames(&mut overlay, depth, |frame| {
            frame.draw_flame(&view, 10.0, 10.0, 600.0, 200.0);
        });
        of_frames.into_iter().max().unwrap_or_default()
    };
    let seldom = Some(0.001);
    for depth in [2, 8] {
        assert_eq!(largest(depth, seldom), 0);
        let rebuilt = largest(depth, None);
        assert!((1..=A_FEW).contains(&rebuilt), "{rebuilt}");
    }
    iprof::configure(|config| config.refresh_rate = Some(10.0));
}
