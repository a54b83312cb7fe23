//! Guests in odd places: what else must hold wherever the overlay draws.

use super::host::{CLEAR, SIZE};
use super::objects::second_attachment;
use super::picture::{clean_picture, graph, paint, report};
use crate::support::headless::{Headless, Kind, Target, in_old_gl};
use crate::support::image::{Tolerance, assert_same};
use crate::support::statedump::{changes, dump};
use glow::HasContext;
use iprof::GraphStyle;
use iprof::gl::{Overlay, StateMode};
use std::sync::Arc;

#[test]
fn only_the_first_draw_buffer_is_painted() {
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        h.clear(CLEAR);
        let blank = h.read();
        second_attachment(&h);
        paint(&h, StateMode::Restore);
        let second = h.read_attachment(h.framebuffer, glow::COLOR_ATTACHMENT1);
        assert_same(
            &format!("gl_state-{kind:?}-second"),
            &second,
            &blank,
            Tolerance::EXACT,
        );
    }
}

#[test]
fn the_picture_keeps_inside_the_hosts_viewport() {
    let Some(h) = Headless::new(
        Kind::Gl33Core,
        Target::new(SIZE.width + 30, SIZE.height + 20),
    ) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: current.
    unsafe { h.gl.viewport(10, 5, SIZE.width, SIZE.height) };
    paint(&h, StateMode::Restore);
    let (picture, clean) = (h.read(), clean_picture(Kind::Gl33Core, SIZE));
    let top = (SIZE.height + 20 - 5 - SIZE.height) as u32;
    for y in 0..picture.height {
        for x in 0..picture.width {
            let inside = (10..10 + SIZE.width as u32).contains(&x)
                && (top..top + SIZE.height as u32).contains(&y);
            let expected = if inside {
                clean.pixel(x - 10, y - top)
            } else {
                blank.pixel(x, y)
            };
            assert_eq!(picture.pixel(x, y), expected, "at {x}, {y}");
        }
    }
}

#[test]
fn the_picture_is_the_same_on_every_kind_of_context() {
    // One step for rounding in blending; the edges of slanted lines are the rasteriser's.
    let tolerance = Tolerance {
        per_channel: 1,
        pixels: 24,
    };
    if Headless::new(Kind::Gl33Core, SIZE).is_none() {
        return;
    }
    let expected = clean_picture(Kind::Gl33Core, SIZE);
    for kind in [
        Kind::Gl33Compat,
        Kind::Gl45Core,
        Kind::Gl45Compat,
        Kind::Gles30,
        Kind::Gles32,
    ] {
        let name = format!("gl_state-{kind:?}-clean");
        assert_same(&name, &clean_picture(kind, SIZE), &expected, tolerance);
    }
}

#[test]
fn an_incomplete_framebuffer_gets_neither_picture_nor_error() {
    for kind in [Kind::Gl45Core, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        // SAFETY: current.
        unsafe {
            let empty = h.gl.create_framebuffer().expect("a framebuffer");
            for framebuffer in [Some(empty), None] {
                h.gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
                let before = dump(&h);
                h.take_log();
                paint(&h, StateMode::Restore);
                // Mesa explains to whoever asks for the status why it is what it is.
                let mut log = h.take_log();
                log.retain(|line| !line.contains("FBO incomplete"));
                assert_eq!(log, Vec::<String>::new());
                assert_eq!(h.take_error(), glow::NO_ERROR);
                assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
            }
        }
    }
}

#[test]
fn a_picture_without_room_changes_nothing_that_can_be_seen() {
    let Some(h) = Headless::new(Kind::Gl45Core, SIZE) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: current.
    let mut overlay = unsafe { Overlay::new(Arc::clone(&h.gl)) }.expect("an overlay");
    let before = dump(&h);
    overlay.draw_report(&report("abc"), 4.0, 4.0, 152.0, 3.0, 2);
    overlay.draw_graph(&graph(GraphStyle::Bars), 4.0, 118.0, 6.0, 0.6);
    // SAFETY: current.
    unsafe { h.gl.viewport(0, 0, SIZE.width, 0) };
    overlay.draw_report(&report("abc"), 4.0, 4.0, 152.0, 70.0, 2);
    // SAFETY: current.
    unsafe { h.gl.viewport(0, 0, SIZE.width, SIZE.height) };
    overlay.destroy();
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
    assert_same("gl_state-empty", &h.read(), &blank, Tolerance::EXACT);
}

#[test]
fn a_context_that_is_too_old_is_refused_in_words() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "2.0"),
        ("MESA_GLSL_VERSION_OVERRIDE", "110"),
    ];
    if !in_old_gl(
        "odd_places::a_context_that_is_too_old_is_refused_in_words",
        &mesa,
    ) {
        return;
    }
    let Some(h) = Headless::new(Kind::GlAny, SIZE) else {
        return;
    };
    // SAFETY: current.
    let error = unsafe { Overlay::new(Arc::clone(&h.gl)) }.expect_err("GL 2.0 is too old");
    assert!(error.to_string().contains("\"2.0 Mesa"), "{error}");
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(h.take_error(), glow::NO_ERROR);
}
