//! Measures three steps for flame graphs with 10,000 call paths: building the graph as plain data, laying it out as
//! vertices in 1,280 by 300 px, and drawing it as a program would.
//!
//! A program usually draws a flame graph that was built for an earlier frame. It rebuilds the graph when the numbers on
//! the screen change: averages, one frame, or a new call path. In some cases, each frame first fills the caches with
//! other data.
//!
//! In a tree of zones that each call ten others, most boxes in the lowest level are narrower than a pixel and are
//! folded. With 500 chains that take equal time and are 20 calls deep, every box that fits is drawn, so this case draws
//! the maximum number of boxes.
//!
//! `--runs N` sets the number of frames, and `--tsv FILE` adds the results to a table.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tree.rs"]
#[allow(dead_code, reason = "shared with other benches")]
mod tree;
#[path = "shared/tsv.rs"]
mod tsv;

use iprof::overlay::Overlay;
use iprof::{Flame, GraphZone, View};
use options::value_of;
use std::hint::black_box;
use std::time::Instant;
use tree::{Frame, Level, call, count, levels};
use tsv::Tsv;

const RUNS: usize = 1_000;
/// The number of frames that are recorded first. In an average over only a few frames, a single preempted zone may hide
/// all other zones.
const RECORDED: usize = 200;
/// The number of warm-up frames, in which characters are used for the first time and buffers grow.
const WARM_UP: usize = 50;
const SIZE: [f32; 2] = [1280.0, 300.0];
const LAYOUT: &str = "layout";

fn main() -> std::io::Result<()> {
    let tree = levels(&[(10, 1); 4]);
    let view = View::default();
    for _ in 0..RECORDED {
        end_frame(&tree);
    }
    let recorded = view.flame(&iprof::profiler());
    assert!(
        recorded.nodes.len() > count(&tree, false),
        "all call paths should be recorded"
    );
    let (folded, laid_out) = lay_out(recorded);
    let (unfolded, chains_laid_out) = lay_out(chains());
    let built = times(|_| drop(black_box(view.flame(&iprof::profiler()))));
    let as_shown = drawn(|_| ());
    iprof::configure(|config| config.refresh_rate = None);
    let anew = drawn(|_| ());
    let after_frame = drawn(|_| end_frame(&tree));
    iprof::move_frame(-1);
    let of_frame = drawn(|_| end_frame(&tree));
    iprof::set_frame(0);
    let of_new = drawn(|frame| {
        {
            iprof::zone_named!(&format!("call path {frame}"));
        }
        end_frame(&tree);
    });

    let mut tsv = Tsv::new("flame", value_of("--tsv").as_deref())?;
    println!(
        "{:<20} {:>8} {:>12} {:>12}",
        "us", "vertices", "minimum", "median"
    );
    for (name, vertices, mut all) in [
        (LAYOUT, folded, laid_out),
        ("layout, 500 chains", unfolded, chains_laid_out),
        ("build", folded, built),
        ("drawn as shown", folded, as_shown),
        ("drawn anew", folded, anew),
        ("anew, after a frame", folded, after_frame),
        ("anew, of one frame", folded, of_frame),
        ("anew, a new path", folded, of_new),
    ] {
        all.sort_by(f64::total_cmp);
        let (minimum, median) = (all[0], all[all.len() / 2]);
        println!("{name:<20} {vertices:>8} {minimum:>12.1} {median:>12.1}");
        tsv.line(name, minimum, "us, minimum", LAYOUT, 1.0)?;
        tsv.line(name, median, "us, median", LAYOUT, 1.0)?;
    }
    Ok(())
}

fn end_frame(tree: &[Level]) {
    call(tree, Frame::All);
    iprof::update(true);
}

/// Returns the times for drawing the default view's flame graph, each after a call to `before`.
fn drawn(mut before: impl FnMut(usize)) -> Vec<f64> {
    let mut overlay = Overlay::new();
    let frames = 0..WARM_UP + options::runs(RUNS);
    let times = frames.map(|frame| {
        before(frame);
        time(|| {
            let mut frame = overlay.begin(SIZE);
            frame.draw_default_flame(0.0, 0.0, SIZE[0], SIZE[1]);
            black_box(overlay.draw_data().vertices());
        })
    });
    times.skip(WARM_UP).collect()
}

fn chains() -> Flame {
    let mut flame = Flame::default();
    let root = flame.add(0, 0, 0.0, 1.0);
    flame.zones = (0..20)
        .map(|at| GraphZone::new(&format!("chain::{at}")))
        .collect();
    for _ in 0..500 {
        let mut caller = root;
        for zone in 0..20 {
            caller = flame.add(caller, zone, 1.0, 1.0);
        }
    }
    flame
}

fn lay_out(mut flame: Flame) -> (usize, Vec<f64>) {
    let mut overlay = Overlay::new();
    let mut vertices = 0;
    let times = times(|frame| {
        // The cursor highlights a different zone in each frame.
        flame.cursor = Some(frame % flame.nodes.len());
        let mut frame = overlay.begin(SIZE);
        frame.draw_flame(&flame, 0.0, 0.0, SIZE[0], SIZE[1]);
        vertices = black_box(overlay.draw_data().vertices().len());
    });
    assert!(vertices > 400, "{vertices} vertices");
    (vertices, times)
}

/// Returns the times in µs that `work` takes for each frame. `work` is given the frame's number.
fn times(mut work: impl FnMut(usize)) -> Vec<f64> {
    let frames = 0..WARM_UP + options::runs(RUNS);
    let times = frames.map(|frame| time(|| work(frame)));
    times.skip(WARM_UP).collect()
}

/// Returns the time in µs that `work` takes.
fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / 1e3
}
