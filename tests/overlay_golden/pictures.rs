//! Compares all golden pictures in OpenGL 3.3, and one of them in other versions.

use crate::on_versions;
use crate::scenes::{self, SIZE, Scene, frames, rows};
use crate::stage::picture;
use crate::support::headless::Kind;
use crate::support::image::{Image, Tolerance, assert_golden, assert_same};
use crate::support::painted::Painted;
use crate::support::versions::Version;
use iprof::GraphStyle;
use std::cell::Cell;

/// The tolerance for drivers other than llvmpipe, which drew the golden pictures. Rectangles and glyphs are on whole
/// pixels and use nearest-texel sampling, so their edges are the same with every driver.
pub(crate) const EXACT_EDGES: Tolerance = Tolerance {
    // Drivers blend in 8 bits or in floats, and round once per layer. Most pixels have two layers. Softpipe differs by
    // 1 in half of the pixels, by 2 in a few hundred, and by 3 in two pixels.
    per_channel: 2,
    pixels: 8,
};
/// The tolerance for slanted lines, whose edges are not on whole pixels. Softpipe draws 8 edge pixels differently.
const SLANTED_EDGES: Tolerance = Tolerance {
    pixels: 60,
    ..EXACT_EDGES
};

thread_local! {
    static KIND: Cell<Kind> = const { Cell::new(Kind::Gl33Core) };
}

fn check(scene: Scene) {
    let tolerance = if scene.is_slanted {
        SLANTED_EDGES
    } else {
        EXACT_EDGES
    };
    let drawn = picture(KIND.get(), SIZE, |overlay| {
        scene.begin(overlay);
        overlay.draw(|frame| (scene.draw)(frame));
    });
    if let Some(picture) = drawn {
        assert_golden(scene.name, &picture, tolerance);
    }
}

#[test]
fn report_shows_all_its_parts() {
    check(scenes::REPORT);
}

#[test]
fn columns_use_suitable_units() {
    check(scenes::UNITS);
}

#[test]
fn text_has_the_requested_size() {
    check(scenes::TEXT_SIZES);
}

#[test]
fn small_report_keeps_the_essentials() {
    check(scenes::SMALL_RECTANGLES);
}

#[test]
fn graph_shows_bars() {
    check(scenes::GRAPH_BARS);
}

#[test]
fn graph_shows_lines() {
    check(scenes::GRAPH_LINES);
}

#[test]
fn flame_graph_root_is_on_top() {
    check(scenes::FLAME);
}

#[test]
fn session_part_is_marked_above_its_buckets() {
    check(scenes::SESSION);
}

#[test]
fn report_and_graph_share_a_screen() {
    check(scenes::SCREEN);
}

#[test]
fn theme_changes_colors() {
    check(scenes::LIGHT);
}

#[test]
fn tooltip_is_drawn_over_everything() {
    check(scenes::TOOLTIP);
}

#[test]
fn virtual_screen_looks_the_same_in_any_window() {
    let draw = |overlay: &mut Painted| {
        overlay.draw(|frame| frame.draw_report(&rows(9, 4), 10.0, 10.0, 460.0, 160.0, 2));
        overlay.draw(|frame| frame.draw_graph(&frames(GraphStyle::Bars), 10.0, 190.0, 2.0, 4.0));
    };
    let size = [1280, 960];
    let Some(virtual_units) = picture(Kind::Gl33Core, size, |overlay| {
        overlay.set_screen(640.0, 480.0);
        draw(overlay);
    }) else {
        return;
    };
    let pixels = picture(Kind::Gl33Core, size, |overlay| {
        overlay.set_text_size(24.0);
        overlay.draw(|frame| frame.draw_report(&rows(9, 4), 20.0, 20.0, 920.0, 320.0, 2));
        overlay.draw(|frame| frame.draw_graph(&frames(GraphStyle::Bars), 20.0, 380.0, 4.0, 8.0));
    });
    let pixels: Image = pixels.expect("this kind of context was available before");
    assert_same(
        "virtual_screen_whole",
        &virtual_units,
        &pixels,
        Tolerance::EXACT,
    );
    // Compare only part of the picture to keep the file small.
    let part = virtual_units.cropped(640, 360);
    assert_golden("virtual_screen", &part, EXACT_EDGES);
}

/// Draws the same picture with a different version of GLSL. Each version runs in its own process.
fn draw_the_same(version: Version) {
    KIND.set(version.kind);
    check(scenes::SCREEN);
}

on_versions! { "pictures", draw_the_same;
    gl_21_draws_the_same: GL_21;
    gles_20_without_vertex_arrays_draws_the_same: GLES_20_BARE;
    gles_30_draws_the_same: GLES_30;
}
