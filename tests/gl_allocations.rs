//! Tests that the overlay allocates nothing on Rust's heap after setup. Allocations by the driver don't count.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

#[path = "support/allocations.rs"]
mod allocations;
mod support;

use allocations::allocations;
use iprof::overlay::PointerEvent;
use iprof::{
    Bar, ColumnId, Expansion, Flame, Graph, GraphStyle, GraphZone, Report, Row, Segment, Value,
};
use std::sync::Arc;
use support::headless::{Headless, Kind, Target};
use support::painted::Painted;

/// Returns a report whose numbers and rows change from frame to frame. Only the first frame adds new characters.
fn report(frame: u32) -> Report {
    let mut report = Report::default();
    report.title = vec!["0123456789 title".into()];
    report.warnings = vec!["a warning that is too long to fit, whatever the width of it".into()];
    report.columns = vec![
        ColumnId::SelfTime,
        ColumnId::NetTime,
        ColumnId::HierarchicalTime,
        ColumnId::Count,
        ColumnId::StandardError,
    ];
    for at in 0..60 {
        let value = f64::from((at * 37 + frame * 1_117) % 1000) * 23.7;
        // Different rows are marked as sampled in each frame, and some of them have no error.
        let error = f64::from((at + frame) % 3);
        let mut row = Row::new("µ a_zone", [(ColumnId::Count, value / 3.0)]);
        row.expansion =
            [Expansion::Leaf, Expansion::Collapsed, Expansion::Expanded][at as usize % 3];
        row.indent = at % 4;
        row.location = Some(("0123456789/file.rs", at + frame));
        row.heat = at as f32 / 60.0;
        row.cursor = at == (frame * 17) % 60;
        for (column, times) in [
            (ColumnId::SelfTime, 1.0),
            (ColumnId::NetTime, 0.9),
            (ColumnId::HierarchicalTime, 2.0),
        ] {
            row.set_value(column, Value::sampled(value * times, error));
        }
        if error > 0.0 {
            row.set_value(ColumnId::StandardError, Value::exact(error));
        }
        report.rows.push(row);
    }
    report
}

fn graph(frame: u32, style: GraphStyle) -> Graph {
    let names = ["physics", "render", "sound"];
    let bars = (frame..frame + 200).map(|at| {
        let segments = (0..3).map(|zone| Segment {
            zone,
            ms: (at % 7) as f32 * 3.0,
        });
        Bar::new(at.into(), segments.collect())
    });
    let mut graph = Graph::default();
    graph.style = style;
    graph.title = "frames".into();
    graph.zones = names.map(GraphZone::new).into();
    graph.bars = bars.collect();
    graph.capacity = 200;
    graph.cursor = Some(u64::from(frame) + 20);
    graph.range = Some((u64::from(frame) + 30, u64::from(frame) + 50));
    graph
}

/// Returns a flame graph in which some call paths are folded.
fn flame(frame: u32) -> Flame {
    let mut flame = Flame::default();
    flame.title = "a frame".into();
    flame.zones = ["physics", "render", "sound"].map(GraphZone::new).into();
    for at in 0..300_u32 {
        let caller = (at * 7 + frame) % at.max(1) / 3;
        flame.add(caller as usize, at % 3, f64::from(at * frame % 11), 1.0);
    }
    flame.zoomed = frame as usize % 3;
    flame.cursor = Some(frame as usize);
    flame.selected = Some(frame % 3);
    flame
}

#[test]
fn drawing_allocates_nothing_in_the_steady_state() {
    let _alone = MEASUREMENTS.lock();
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles32] {
        let Some(h) = Headless::new(kind, Target::new(640, 480)) else {
            return;
        };
        // SAFETY: `h`'s context is current.
        let mut overlay =
            unsafe { Painted::new(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
        overlay.set_screen(320.0, 240.0);
        overlay.set_text_size(6.0);
        // The pointer is first over the rows, and later over the bars.
        for (frame, y) in (0..24).map(|at| (at % 12, if at < 12 { 60.0 } else { 190.0 })) {
            let report = report(frame);
            let styles = [GraphStyle::Bars, GraphStyle::Lines];
            let graphs = styles.map(|style| graph(frame, style));
            let flame = flame(frame);
            let x = 250.0 + frame as f32;
            // After `update` and `finish`, the queries for GPU times can be reused.
            iprof::update(true);
            // SAFETY: as above.
            unsafe { glow::HasContext::finish(&*h.gl) };
            let allocations = allocations(|| {
                overlay.pointer(PointerEvent::Moved { x, y });
                overlay.draw(|frame| {
                    frame.draw_report(&report, 5.0, 5.0, 310.0, 110.0, 2);
                    for graph in &graphs {
                        frame.draw_graph(graph, 5.0, 125.0, 1.5, 2.0);
                    }
                    frame.draw_flame(&flame, 5.0, 125.0, 310.0, 110.0);
                    frame.draw_tooltip();
                });
            });
            // In the first frames, new characters are added, and the list grows to its final size.
            assert!(
                frame < 6 || allocations == 0,
                "{allocations} in frame {frame} on {kind:?}"
            );
        }
        overlay.destroy();
    }
}

/// Runs one test at a time, because the measurements are global.
static MEASUREMENTS: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// The program's own measurements stay unchanged on screen for a while, but they are drawn in every frame.
#[cfg(feature = "enable")]
#[test]
fn drawing_unchanged_numbers_allocates_nothing() {
    let _alone = MEASUREMENTS.lock();
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(640, 480)) else {
        return;
    };
    iprof::configure(|config| config.refresh_rate = Some(1e-3));
    iprof::configure(|config| config.history = 8);
    iprof::configure(|config| config.longest_frames = 0);
    // SAFETY: `h`'s context is current.
    let mut overlay =
        unsafe { Painted::new(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
    // A second overlay shows the host's own view.
    let mut view = iprof::View::default();
    view.filter = "draws".to_owned();
    // SAFETY: as above.
    let mut other =
        unsafe { Painted::new(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
    for frame in 0..200 {
        iprof::zone!("draws: a frame");
        iprof::update(true);
        // Wait for the GPU, so that every frame receives the same number of results. SAFETY: as above.
        unsafe { glow::HasContext::finish(&*h.gl) };
        let allocations = allocations(|| {
            overlay.draw(|frame| {
                frame.draw_default(5.0, 5.0, 310.0, 210.0, 2);
                frame.draw_default_graph(5.0, 220.0, 2.0, 4.0);
                frame.draw_default_flame(5.0, 330.0, 310.0, 140.0);
            });
            other.draw(|frame| {
                frame.draw_report(&view, 325.0, 5.0, 310.0, 210.0, 2);
                frame.draw_graph(&view, 325.0, 220.0, 2.0, 4.0);
                frame.draw_flame(&view, 325.0, 330.0, 310.0, 140.0);
            });
        });
        if frame == 0 {
            assert!(allocations > 0, "the first frame should allocate");
        } else if frame > 150 {
            assert_eq!(allocations, 0, "in frame {frame}");
        }
    }
    overlay.destroy();
    other.destroy();
}

/// Measures GPU zones, reads their results, and adds the results to frames.
#[test]
#[cfg(feature = "enable")]
fn gpu_zones_allocate_nothing_in_the_steady_state() {
    let _alone = MEASUREMENTS.lock();
    const HISTORY: usize = 8;
    let Some(h) = Headless::new(Kind::Gl33Core, Target::new(64, 64)) else {
        return;
    };
    // SAFETY: `h`'s context is current.
    unsafe { iprof::gl::enable_gpu_zones(h.gl.clone()) };
    iprof::configure(|config| config.history = HISTORY);
    iprof::configure(|config| config.longest_frames = 0);
    let mut allocated = 0;
    for frame in 0..20 * HISTORY {
        let of_frame = allocations(|| {
            {
                iprof::gpu_zone!(h.gl, outer);
                for _ in 0..5 {
                    iprof::gpu_zone!(h.gl, "inner");
                    h.clear([0.0; 4]);
                }
            }
            // Keep the number of frames in flight constant from the start. SAFETY: as above.
            unsafe { glow::HasContext::finish(&*h.gl) };
            iprof::update(true);
        });
        if frame >= 10 * HISTORY {
            allocated += of_frame;
        }
    }
    assert_eq!(allocated, 0);
    let report = iprof::report();
    assert!(report.columns.contains(&ColumnId::GpuTime), "{report:?}");
}
