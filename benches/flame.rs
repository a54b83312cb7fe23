//! The time of a flame graph of 10,000 call paths: to lay it out, vertices and all, in 1,280 by 300 px; and to build it
//! from what was recorded, which happens when the numbers on the screen change.
//!
//! `--runs N` is the number of frames, `--tsv FILE` adds the results to a table.

#[path = "shared/options.rs"]
mod options;
#[path = "shared/tree.rs"]
#[allow(dead_code, reason = "shared with other benches")]
mod tree;
#[path = "shared/tsv.rs"]
mod tsv;

use iprof::View;
use iprof::overlay::Layout;
use options::value_of;
use std::hint::black_box;
use std::time::Instant;
use tree::{Frame, call, count, levels};
use tsv::Tsv;

const RUNS: usize = 1_000;
/// Frames before: characters are met, buffers grow.
const WARM_UP: usize = 50;
const SIZE: [f32; 2] = [1280.0, 300.0];
const LAYOUT: &str = "layout";

fn main() -> std::io::Result<()> {
    let tree = levels(&[(10, 1); 4]);
    let view = View::new();
    for _ in 0..8 {
        call(&tree, Frame::All);
        iprof::update(true);
    }
    let mut flame = view.flame();
    assert!(flame.nodes().len() > count(&tree, false), "all call paths");
    println!("{} call paths", flame.nodes().len());
    let mut layout = Layout::new();
    let mut measured = [const { Vec::new() }; 2];
    for frame in 0..WARM_UP + options::runs(RUNS) {
        // The cursor lights another zone in each frame.
        flame.cursor = Some(frame % flame.nodes().len());
        let start = Instant::now();
        let mut drawing = layout.begin(SIZE);
        drawing.draw_flame(&flame, 0.0, 0.0, SIZE[0], SIZE[1]);
        let boxes = black_box(layout.draw_data().vertices().len());
        let laid_out = start.elapsed();
        assert!(boxes > 400, "{boxes} vertices");
        let start = Instant::now();
        black_box(view.flame());
        let built = start.elapsed();
        if frame >= WARM_UP {
            for (all, time) in measured.iter_mut().zip([laid_out, built]) {
                all.push(time.as_nanos() as f64 / 1e3);
            }
        }
    }
    let mut tsv = Tsv::new("flame", value_of("--tsv").as_deref())?;
    println!("{:<8} {:>12} {:>12}", "us", "minimum", "median");
    for (name, mut all) in [LAYOUT, "build"].into_iter().zip(measured) {
        all.sort_by(f64::total_cmp);
        let (minimum, median) = (all[0], all[all.len() / 2]);
        println!("{name:<8} {minimum:>12.1} {median:>12.1}");
        tsv.line(name, minimum, "us, minimum", LAYOUT, 1.0)?;
        tsv.line(name, median, "us, median", LAYOUT, 1.0)?;
    }
    Ok(())
}
