//! Tests the overlay on unusual framebuffers, viewports and contexts.

use super::host::{CLEAR, SIZE, knows};
use super::hosts::HOSTS;
use super::objects::second_attachment;
use super::picture::{clean_picture, graph, paint, report};
use super::scene::prepare;
use crate::on_versions;
use crate::support::headless::{Headless, Kind, Target, in_old_gl, renderbuffer};
use crate::support::image::{Tolerance, assert_same};
use crate::support::painted::Painted;
use crate::support::statedump::{changes, dump};
use crate::support::versions::Version;
use glow::HasContext;
use iprof::GraphStyle;
use iprof::gl::HostState;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

#[test]
fn only_the_first_draw_buffer_is_painted() {
    for kind in [Kind::Gl33Core, Kind::Gl45Core, Kind::Gles30, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        h.clear(CLEAR);
        let blank = h.read();
        second_attachment(&h, glow::RGBA8);
        paint(&h, None);
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
fn picture_stays_inside_the_hosts_viewport() {
    let Some(h) = Headless::new(
        Kind::Gl33Core,
        Target::new(SIZE.width + 30, SIZE.height + 20),
    ) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: the context is current.
    unsafe { h.gl.viewport(10, 5, SIZE.width, SIZE.height) };
    paint(&h, None);
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
fn picture_is_the_same_in_every_kind_of_context() {
    // Blending may round differently, by one step. Rasterizers also differ at the edges of slanted lines.
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
fn incomplete_framebuffer_is_skipped_without_gl_error() {
    for kind in [Kind::Gl45Core, Kind::Gles32] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        // SAFETY: the context is current.
        unsafe {
            let empty =
                h.gl.create_framebuffer()
                    .expect("failed to create a framebuffer");
            for framebuffer in [Some(empty), None] {
                h.gl.bind_framebuffer(glow::FRAMEBUFFER, framebuffer);
                let before = dump(&h);
                h.take_log();
                paint(&h, None);
                // Mesa logs the reason for a framebuffer's status whenever the status is queried.
                let mut log = h.take_log();
                log.retain(|line| !line.contains("FBO incomplete"));
                assert_eq!(log, Vec::<String>::new());
                assert_eq!(h.take_error(), glow::NO_ERROR);
                assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
            }
        }
    }
}

/// Binds a framebuffer with an unsigned integer format, filled with one value.
fn integers(h: &Headless) {
    let gl = &h.gl;
    // SAFETY: the context is current.
    unsafe {
        let framebuffer = gl
            .create_framebuffer()
            .expect("failed to create a framebuffer");
        gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
        let Target { width, height, .. } = h.target;
        let colors = renderbuffer(gl, glow::RGBA8UI, width, height, 0);
        let (target, at) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
        gl.framebuffer_renderbuffer(target, at, glow::RENDERBUFFER, Some(colors));
        gl.clear_buffer_u32_slice(glow::COLOR, 0, &[7; 4]);
    }
}

#[test]
fn integer_framebuffer_is_skipped_without_gl_error() {
    for kind in [
        Kind::Gl30,
        Kind::Gl33Core,
        Kind::Gl45Compat,
        Kind::Gles30,
        Kind::Gles32,
    ] {
        let Some(h) = Headless::new(kind, SIZE) else {
            return;
        };
        integers(&h);
        let before = dump(&h);
        h.take_log();
        paint(&h, None);
        assert_eq!(h.take_log(), Vec::<String>::new());
        assert_eq!(h.take_error(), glow::NO_ERROR);
        assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
        let mut pixels = vec![0; SIZE.width as usize * SIZE.height as usize * 16];
        // SAFETY: the context is current, and there is room for four integers per pixel.
        unsafe {
            h.gl.read_pixels(
                0,
                0,
                SIZE.width,
                SIZE.height,
                glow::RGBA_INTEGER,
                glow::UNSIGNED_INT,
                glow::PixelPackData::Slice(Some(&mut pixels)),
            );
        }
        assert_eq!(h.take_error(), glow::NO_ERROR);
        let sevens = 7_u32.to_ne_bytes();
        assert!(pixels.chunks_exact(4).all(|p| p == sevens), "{kind:?}");
    }
}

/// `glow` panics when a function is missing. Here, that happens in the middle of a draw.
fn panic_in_a_draw(version: Version) {
    let Some(h) = Headless::new(version.kind, SIZE) else {
        return;
    };
    let _ = prepare(&h);
    for host in HOSTS.iter().filter(|host| knows(&h, host)) {
        if host.name.contains("scissor") || host.name.contains("attributes") {
            (host.set)(&h);
        }
    }
    let loader = |name: &CStr| match name.to_bytes() {
        b"glDrawElements" | b"glDrawArrays" => std::ptr::null(),
        _ => Headless::address(name),
    };
    // SAFETY: the context is current.
    let mut overlay = unsafe { Painted::from_loader(loader) }.expect("failed to create an overlay");
    for state in [None, Some(HostState::new([0, 0, SIZE.width, SIZE.height]))] {
        let restores = state.is_none();
        overlay.set_host_state(state);
        let before = dump(&h);
        h.take_log();
        let draw = AssertUnwindSafe(|| {
            overlay.draw(|frame| frame.draw_report(&report("abc"), 4.0, 4.0, 152.0, 70.0, 2));
        });
        catch_unwind(draw).expect_err("there is no call to draw by");
        assert_eq!(h.take_log(), Vec::<String>::new());
        let after = dump(&h);
        if restores {
            assert_eq!(changes(&before, &after), Vec::<String>::new());
        } else {
            assert_eq!(after["CURRENT_PROGRAM"], "[0]");
            assert_eq!(after["BLEND"], "false");
        }
    }
    overlay.destroy();
}

on_versions! { "unusual_targets", panic_in_a_draw;
    panic_keeps_the_state_of_gl_21: GL_21_BARE;
    panic_keeps_the_state_of_gl_45: GL_45_COMPAT;
    panic_keeps_the_state_of_gles_30: GLES_30;
}

#[test]
fn drawing_into_empty_area_has_no_visible_effect() {
    let Some(h) = Headless::new(Kind::Gl45Core, SIZE) else {
        return;
    };
    h.clear(CLEAR);
    let blank = h.read();
    // SAFETY: the context is current.
    let mut overlay =
        unsafe { Painted::new(Arc::clone(&h.gl)) }.expect("failed to create an overlay");
    let before = dump(&h);
    overlay.draw(|frame| frame.draw_report(&report("abc"), 4.0, 4.0, 152.0, 3.0, 2));
    overlay.draw(|frame| frame.draw_graph(&graph(GraphStyle::Bars), 4.0, 118.0, 6.0, 0.6));
    // SAFETY: the context is current.
    unsafe { h.gl.viewport(0, 0, SIZE.width, 0) };
    overlay.draw(|frame| frame.draw_report(&report("abc"), 4.0, 4.0, 152.0, 70.0, 2));
    // SAFETY: the context is current.
    unsafe { h.gl.viewport(0, 0, SIZE.width, SIZE.height) };
    overlay.destroy();
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(changes(&before, &dump(&h)), Vec::<String>::new());
    assert_same("gl_state-empty", &h.read(), &blank, Tolerance::EXACT);
}

#[test]
fn outdated_context_is_rejected_with_a_message() {
    let mesa = [
        ("MESA_GL_VERSION_OVERRIDE", "2.0"),
        ("MESA_GLSL_VERSION_OVERRIDE", "110"),
    ];
    if !in_old_gl(
        "unusual_targets::outdated_context_is_rejected_with_a_message",
        &mesa,
    ) {
        return;
    }
    let Some(h) = Headless::new(Kind::Gl20, SIZE) else {
        return;
    };
    if !h.is_mesa() {
        println!("skipped: this driver gives no context that is too old");
        return;
    }
    // SAFETY: the context is current.
    let error = unsafe { Painted::new(Arc::clone(&h.gl)) }.expect_err("GL 2.0 is too old");
    assert!(error.to_string().contains("\"2.0 Mesa"), "{error}");
    assert_eq!(h.take_log(), Vec::<String>::new());
    assert_eq!(h.take_error(), glow::NO_ERROR);
}
