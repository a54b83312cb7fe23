//! The golden pictures, the same for GL and for GL ES.

use crate::on_versions;
use crate::scenes::{comparison, everything, frames, rows, units};
use crate::stage::picture;
use crate::support::headless::{Kind, in_old_gl};
use crate::support::image::{Image, Tolerance, assert_golden, assert_same};
use crate::support::versions::Version;
use iprof::GraphStyle;
use iprof::gl::Overlay;
use std::cell::RefCell;

/// How far a driver may be from the pictures, which llvmpipe drew. Rectangles and glyphs lie on
/// whole pixels and are sampled to the nearest texel, so their edges are the same with every driver.
pub(crate) const EXACT_EDGES: Tolerance = Tolerance {
    // Blending is done in 8 bits or in floats, and rounded each time that something is on top of
    // something: as a rule twice. Softpipe is 1 off on half of the pixels, 2 on some hundred,
    per_channel: 2,
    // and 3 on two.
    pixels: 8,
};
/// The edges of slanted lines are not on whole pixels: 8 are softpipe's own.
const SLANTED_EDGES: Tolerance = Tolerance {
    pixels: 60,
    ..EXACT_EDGES
};

const SIZE: [i32; 2] = [640, 360];

thread_local! {
    /// The kinds of context to draw in.
    static KINDS: RefCell<Vec<Kind>> = RefCell::new(vec![Kind::Gl33Core, Kind::Gles30]);
}

/// Compares what `draw` draws, on each kind of context, with one golden picture.
fn check(name: &str, tolerance: Tolerance, draw: fn(&mut Overlay)) {
    for kind in KINDS.with_borrow(Vec::clone) {
        let Some(picture) = picture(kind, SIZE, draw) else {
            return;
        };
        assert_golden(name, &picture, tolerance);
    }
}

#[test]
fn a_report_shows_everything_it_has() {
    check("report", EXACT_EDGES, |overlay| {
        overlay.draw_report(&everything(), 10.0, 10.0, 620.0, 340.0, 2);
    });
}

#[test]
fn columns_have_units_that_fit() {
    check("units", EXACT_EDGES, |overlay| {
        overlay.draw_report(&units(), 10.0, 10.0, 620.0, 160.0, 2);
        overlay.draw_report(&comparison(), 10.0, 180.0, 620.0, 160.0, 3);
    });
}

#[test]
fn text_has_the_size_that_is_asked_for() {
    check("text_sizes", EXACT_EDGES, |overlay| {
        overlay.set_text_size(9.0);
        overlay.draw_report(&rows(12, 3), 8.0, 8.0, 244.0, 150.0, 2);
        overlay.set_text_size(12.0);
        overlay.draw_report(&rows(8, 3), 260.0, 8.0, 372.0, 150.0, 3);
        overlay.set_text_size(24.0);
        overlay.draw_report(&rows(12, 3), 8.0, 166.0, 624.0, 186.0, 1);
    });
}

#[test]
fn a_small_report_keeps_what_matters() {
    check("small_rectangles", EXACT_EDGES, |overlay| {
        let report = everything();
        let mut x = 8.0;
        for width in [12.0, 40.0, 90.0, 150.0, 260.0] {
            let mut y = 8.0;
            for height in [10.0, 22.0, 40.0, 76.0, 130.0] {
                overlay.draw_report(&report, x, y, width, height, 2);
                y += height + 12.0;
            }
            x += width + 14.0;
        }
    });
}

#[test]
fn a_graph_has_bars() {
    check("graph_bars", EXACT_EDGES, |overlay| {
        overlay.draw_graph(&frames(GraphStyle::Bars), 10.0, 10.0, 4.0, 7.0);
    });
}

#[test]
fn a_graph_has_lines() {
    check("graph_lines", SLANTED_EDGES, |overlay| {
        overlay.draw_graph(&frames(GraphStyle::Lines), 10.0, 10.0, 4.0, 17.0);
    });
}

#[test]
fn report_and_graph_share_a_screen() {
    check("screen", EXACT_EDGES, |overlay| {
        overlay.draw_report(&rows(9, 4), 10.0, 10.0, 460.0, 170.0, 2);
        overlay.draw_graph(&frames(GraphStyle::Bars), 10.0, 190.0, 2.0, 3.0);
    });
}

#[test]
fn a_screen_of_640_by_480_looks_the_same_on_any_window() {
    let draw = |overlay: &mut Overlay| {
        overlay.draw_report(&rows(9, 4), 10.0, 10.0, 460.0, 160.0, 2);
        overlay.draw_graph(&frames(GraphStyle::Bars), 10.0, 190.0, 2.0, 4.0);
    };
    for kind in KINDS.with_borrow(Vec::clone) {
        let Some(virtual_units) = picture(kind, [1280, 960], |overlay| {
            overlay.set_screen(640.0, 480.0);
            draw(overlay);
        }) else {
            return;
        };
        let pixels = picture(kind, [1280, 960], |overlay| {
            overlay.set_text_size(24.0);
            overlay.draw_report(&rows(9, 4), 20.0, 20.0, 920.0, 320.0, 2);
            overlay.draw_graph(&frames(GraphStyle::Bars), 20.0, 380.0, 4.0, 8.0);
        });
        let pixels: Image = pixels.expect("there was a context a moment ago");
        assert_same(
            "virtual_screen_whole",
            &virtual_units,
            &pixels,
            Tolerance::EXACT,
        );
        // The golden picture is a part of it, to be small.
        let part = virtual_units.cropped(640, 360);
        assert_golden("virtual_screen", &part, EXACT_EDGES);
    }
}

/// The golden pictures in the process of a version.
fn draw_the_same(version: Version) {
    KINDS.set(vec![version.kind]);
    a_report_shows_everything_it_has();
    columns_have_units_that_fit();
    text_has_the_size_that_is_asked_for();
    a_small_report_keeps_what_matters();
    a_graph_has_bars();
    a_graph_has_lines();
    report_and_graph_share_a_screen();
    a_screen_of_640_by_480_looks_the_same_on_any_window();
}

on_versions! { "pictures", draw_the_same;
    gl_21_draws_the_same: GL_21;
    gl_21_without_vertex_arrays_draws_the_same: GL_21_BARE;
    gl_30_draws_the_same: GL_30;
    gl_31_draws_the_same: GL_31;
    gl_32_core_draws_the_same: GL_32_CORE;
    gl_32_compatibility_draws_the_same: GL_32_COMPAT;
    gl_33_core_draws_the_same: GL_33_CORE;
    gl_41_core_draws_the_same: GL_41_CORE;
    gl_45_core_draws_the_same: GL_45_CORE;
    gl_45_compatibility_draws_the_same: GL_45_COMPAT;
    gles_20_draws_the_same: GLES_20;
    gles_20_without_vertex_arrays_draws_the_same: GLES_20_BARE;
    gles_30_draws_the_same: GLES_30;
    gles_31_draws_the_same: GLES_31;
    gles_32_draws_the_same: GLES_32;
}

/// Softpipe shares no rasterizer with llvmpipe.
#[test]
fn another_rasterizer_draws_the_same() {
    let mesa = [("GALLIUM_DRIVER", "softpipe")];
    if in_old_gl("pictures::another_rasterizer_draws_the_same", &mesa) {
        KINDS.set(vec![Kind::Gl21, Kind::Gl33Core, Kind::Gles30]);
        a_report_shows_everything_it_has();
        a_small_report_keeps_what_matters();
        text_has_the_size_that_is_asked_for();
        a_graph_has_bars();
        a_graph_has_lines();
        a_screen_of_640_by_480_looks_the_same_on_any_window();
    }
}
