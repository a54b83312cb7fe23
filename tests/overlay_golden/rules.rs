//! Checks properties that all of the overlay's pictures share.

use crate::scenes::{everything, frames, rows};
use crate::stage::{assert_quiet, default_view, draw_background, overlay, picture, stage};
use crate::support::headless::{Headless, Kind};
use crate::support::image::{Image, Tolerance, assert_same};
use crate::support::painted::Painted;
use glow::HasContext;
use iprof::GraphStyle;
use iprof::gl::{Painter, init, init_from_loader, make_current, with_current};
use iprof::overlay::Overlay;
use std::sync::Arc;

const SIZE: [i32; 2] = [320, 200];

/// Asserts that the picture differs from the background only inside the rectangle. Returns whether any pixel differs.
#[track_caller]
fn assert_inside(what: &str, picture: &Image, ground: &Image, rect: [f32; 4]) -> bool {
    let mut any = false;
    for y in 0..picture.height {
        for x in 0..picture.width {
            let (at_x, at_y) = (x as f32 + 0.5, y as f32 + 0.5);
            let inside = at_x >= rect[0] && at_x < rect[2] && at_y >= rect[1] && at_y < rect[3];
            let differs = picture.pixel(x, y) != ground.pixel(x, y);
            assert!(inside || !differs, "{what}: pixel {x}, {y} is outside");
            any |= differs;
        }
    }
    any
}

#[test]
fn report_stays_inside_its_rectangle() {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let ground = h.read();
    let mut overlay = overlay(&h);
    let mut drawn = 0;
    for text_size in [1.0, 9.0, 12.0, 24.0, 1000.0] {
        overlay.set_text_size(text_size);
        for [x, y, w, height] in [
            [20.0, 30.0, 200.0, 130.0],
            [20.5, 30.4, 33.3, 150.0],
            [10.0, 10.0, 5.0, 180.0],
            [10.0, 10.0, 1.0, 180.0],
            [0.3, 10.0, 0.2, 180.0],
            [10.0, 10.0, 300.0, 17.0],
            [10.0, 10.0, 300.0, 3.0],
            [-100.0, -50.0, 300.0, 120.0],
            [250.0, 150.0, 400.0, 400.0],
            [5.0, 5.0, 310.0, 190.0],
        ] {
            for report in [everything(), rows(3, 1), rows(40, 39)] {
                draw_background(&h);
                overlay.draw(|frame| frame.draw_report(&report, x, y, w, height, 4));
                let rect = [x, y, x + w, y + height].map(f32::round);
                let what = format!("{text_size} px in {rect:?}");
                drawn += u32::from(assert_inside(&what, &h.read(), &ground, rect));
            }
        }
    }
    assert!(drawn > 60, "only {drawn} pictures show something");
    overlay.destroy();
    assert_quiet(&h);
}

#[test]
fn graph_stays_inside_its_rectangle() {
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let ground = h.read();
    let mut overlay = overlay(&h);
    let mut drawn = 0;
    for text_size in [1.0, 12.0, 24.0, 60.0] {
        overlay.set_text_size(text_size);
        for style in [GraphStyle::Bars, GraphStyle::Lines] {
            let graph = frames(style);
            for [x, y, per_frame, per_ms] in [
                [10.0, 10.0, 1.0, 2.0],
                [10.4, 10.6, 0.3, 3.3],
                [290.0, 20.0, 4.0, 1.0],
                [20.0, 150.0, 5.0, 7.0],
                [-50.0, -20.0, 1.0, 3.0],
                [40.0, 20.0, 0.01, 3.0],
                [10.0, 10.0, 1e6, 1e6],
            ] {
                draw_background(&h);
                overlay.draw(|frame| frame.draw_graph(&graph, x, y, per_frame, per_ms));
                // The time axis labels are seven and a half characters wide.
                let width = graph.capacity as f32 * per_frame + 5.0 * text_size.max(6.0);
                let rect = [x.round(), y.round(), x.round() + width, SIZE[1] as f32];
                let what = format!("{style:?} at {x}, {y}, {per_frame} px a frame");
                drawn += u32::from(assert_inside(&what, &h.read(), &ground, rect));
            }
        }
    }
    assert!(drawn > 20, "only {drawn} pictures show something");
    overlay.destroy();
    assert_quiet(&h);
}

#[test]
fn invalid_numbers_draw_nothing() {
    let Some(h) = stage(Kind::Gles30, SIZE) else {
        return;
    };
    let ground = h.read();
    let mut overlay = overlay(&h);
    let (report, graph) = (everything(), frames(GraphStyle::Bars));
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in 0..4 {
            let mut numbers = [10.0, 10.0, 200.0, 100.0];
            numbers[at] = odd;
            let [x, y, w, height] = numbers;
            overlay.draw(|frame| frame.draw_report(&report, x, y, w, height, 2));
            overlay.draw(|frame| frame.draw_graph(&graph, x, y, w, height));
        }
    }
    for odd in [0.0, -0.0, -1.0, -1e30, f32::MIN] {
        overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, odd, 100.0, 2));
        overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 200.0, odd, 2));
        overlay.draw(|frame| frame.draw_graph(&graph, 10.0, 10.0, odd, 2.0));
        overlay.draw(|frame| frame.draw_graph(&graph, 10.0, 10.0, 2.0, odd));
    }
    // These positions are off the screen.
    for far in [1e9, -1e9, f32::MAX, f32::MIN] {
        overlay.draw(|frame| frame.draw_report(&report, far, 10.0, 200.0, 100.0, 2));
        overlay.draw(|frame| frame.draw_report(&report, 10.0, far, 200.0, 100.0, 2));
        overlay.draw(|frame| frame.draw_graph(&graph, 10.0, far, 2.0, 2.0));
    }
    assert_same("odd_numbers", &h.read(), &ground, Tolerance::EXACT);

    // With these arguments, the calls just have to draw something.
    overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 1e30, 1e30, 2));
    overlay.draw(|frame| frame.draw_graph(&graph, -1e9, 10.0, 1e30, 1e30));
    let mut odd = rows(6, 2);
    for (row, value) in odd
        .rows
        .iter_mut()
        .zip([f64::NAN, f64::INFINITY, -1e300, 1e300, -0.0])
    {
        for column in iprof::ColumnId::ALL {
            row.set_value(*column, iprof::Value::exact(value));
        }
        row.heat = value as f32;
        row.indent = u32::MAX;
    }
    odd.columns = [odd.columns.clone(), odd.columns.clone()].concat();
    overlay.draw(|frame| frame.draw_report(&odd, 10.0, 10.0, 300.0, 150.0, u32::MAX));
    let mut odd = frames(GraphStyle::Lines);
    odd.capacity = usize::MAX;
    odd.zones.truncate(3);
    for bar in &mut odd.bars {
        bar.ms = f64::NAN;
        bar.segments[1].ms = f32::NAN;
        bar.segments[0].ms = f32::INFINITY;
    }
    overlay.draw(|frame| frame.draw_graph(&odd, 10.0, 10.0, 2.0, 2.0));
    odd.style = GraphStyle::Bars;
    overlay.draw(|frame| frame.draw_graph(&odd, 10.0, 10.0, 2.0, 2.0));
    overlay.destroy();
    assert_quiet(&h);
}

#[test]
fn invalid_sizes_change_nothing() {
    let draw = |overlay: &mut Painted| {
        overlay.draw(|frame| frame.draw_report(&everything(), 10.0, 10.0, 300.0, 150.0, 2))
    };
    let Some(expected) = picture(Kind::Gl33Core, SIZE, draw) else {
        return;
    };
    let with_odd_sizes = picture(Kind::Gl33Core, SIZE, |overlay| {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -3.0, 0.0] {
            overlay.set_text_size(odd);
            overlay.set_screen(640.0, 480.0);
            overlay.set_screen(odd, 480.0);
            overlay.set_screen(640.0, 480.0);
            overlay.set_screen(640.0, odd);
        }
        draw(overlay);
    });
    let with_odd_sizes = with_odd_sizes.expect("this kind of context was available before");
    assert_same("odd_sizes", &with_odd_sizes, &expected, Tolerance::EXACT);
}

#[test]
fn precision_is_clamped() {
    let with = |precision| {
        picture(Kind::Gl33Core, SIZE, |overlay| {
            overlay.draw(|frame| frame.draw_report(&rows(8, 2), 5.0, 5.0, 310.0, 150.0, precision));
        })
    };
    let Some(one) = with(1) else { return };
    let others = [2, 4, 0, 5, u32::MAX]
        .map(|precision| with(precision).expect("this kind of context was available before"));
    let [two, four, zero, five, most] = others;
    assert!(one != two && two != four);
    assert_same("precision_0", &zero, &one, Tolerance::EXACT);
    assert_same("precision_5", &five, &four, Tolerance::EXACT);
    assert_same("precision_max", &most, &four, Tolerance::EXACT);
}

fn draw_both(Painted { overlay, painter }: &mut Painted) {
    draw_both_by(overlay, painter);
}

fn draw_both_by(overlay: &mut Overlay, painter: &mut Painter) {
    painter.draw(overlay, |frame| {
        frame.draw_report(&everything(), 10.0, 10.0, 300.0, 100.0, 2);
    });
    painter.draw(overlay, |frame| {
        frame.draw_graph(&frames(GraphStyle::Bars), 10.0, 115.0, 1.0, 2.0);
    });
}

#[test]
fn loader_works_like_a_glow_context() {
    for kind in [Kind::Gl33Core, Kind::Gl45Compat, Kind::Gles30] {
        let Some(expected) = picture(kind, SIZE, draw_both) else {
            return;
        };
        let h = stage(kind, SIZE).expect("this kind of context was available before");
        // SAFETY: the context is current, and the loader is EGL's.
        let overlay = unsafe { Painted::from_loader(Headless::address) };
        let mut overlay = overlay.expect("failed to create an overlay");
        draw_both(&mut overlay);
        overlay.destroy();
        assert_quiet(&h);
        assert_same("from_loader", &h.read(), &expected, Tolerance::EXACT);
    }
}

#[test]
fn nothing_is_drawn_without_current_overlay() {
    assert!(make_current(None).is_none());
    assert_eq!(with_current(|_, _| ()), None);
    iprof::set_screen(640.0, 480.0);
    iprof::draw_gl(10.0, 10.0, 300.0, 200.0, 2);
    iprof::draw_graph_gl(10.0, 10.0, 2.0, 4.0);
    assert_eq!(iprof::hit(20.0, 20.0), None);
}

#[test]
fn current_overlay_draws_like_any_other() {
    let Some(expected) = picture(Kind::Gl33Core, SIZE, draw_both) else {
        return;
    };
    let h = stage(Kind::Gl33Core, SIZE).expect("this kind of context was available before");
    for from_loader in [false, true] {
        draw_background(&h);
        // SAFETY: the context is current, and the loader is EGL's.
        unsafe {
            if from_loader {
                init_from_loader(Headless::address).expect("failed to create an overlay");
            } else {
                init(Arc::clone(&h.gl)).expect("failed to create an overlay");
            }
        }
        assert_eq!(with_current(draw_both_by), Some(()));
        assert_same("current", &h.read(), &expected, Tolerance::EXACT);
        assert_eq!(
            iprof::hit(100.0, 102.0),
            with_current(|overlay, _| overlay.hit(100.0, 102.0)).flatten()
        );
        let (_, painter) = make_current(None).expect("an overlay should be current");
        painter.destroy();
        assert_eq!(with_current(|_, _| ()), None);
    }
    assert_quiet(&h);
}

/// The numbers differ between runs, so there is no golden picture of this report.
#[test]
fn free_functions_draw_the_default_view() {
    let _alone = default_view();
    let Some(h) = stage(Kind::Gl33Core, SIZE) else {
        return;
    };
    let ground = h.read();
    // SAFETY: the context is current.
    unsafe { init(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
    for _ in 0..3 {
        iprof::zone!(something);
        iprof::update(true);
    }
    let draws: [(fn(), [f32; 4]); 3] = [
        (
            || iprof::draw_gl(20.0, 20.0, 280.0, 150.0, 2),
            [20.0, 20.0, 300.0, 170.0],
        ),
        (
            || iprof::draw_graph_gl(30.0, 40.0, 1.0, 2.0),
            [30.0, 40.0, 320.0, 200.0],
        ),
        (
            || iprof::draw_flame_gl(30.0, 40.0, 200.0, 100.0),
            [30.0, 40.0, 230.0, 140.0],
        ),
    ];
    for (draw, rect) in draws {
        draw_background(&h);
        draw();
        let drawn = assert_inside("free", &h.read(), &ground, rect);
        assert_eq!(drawn, cfg!(feature = "enable"), "in {rect:?}");
    }
    make_current(None)
        .expect("failed to create an overlay")
        .1
        .destroy();
    assert_quiet(&h);
}

#[test]
fn destroyed_overlay_leaves_no_gl_objects() {
    let Some(h) = stage(Kind::Gl45Core, SIZE) else {
        return;
    };
    let objects = || -> usize {
        (1..200)
            .filter_map(std::num::NonZeroU32::new)
            .map(|name| {
                // SAFETY: the context is current, and these functions accept any name.
                unsafe {
                    usize::from(h.gl.is_texture(glow::NativeTexture(name)))
                        + usize::from(h.gl.is_buffer(glow::NativeBuffer(name)))
                        + usize::from(h.gl.is_program(glow::NativeProgram(name)))
                        + usize::from(h.gl.is_shader(glow::NativeShader(name)))
                }
            })
            .sum()
    };
    let before = objects();
    let mut overlay = overlay(&h);
    draw_both(&mut overlay);
    assert!(objects() > before);
    overlay.destroy();
    assert_eq!(objects(), before);
    assert_quiet(&h);
}
