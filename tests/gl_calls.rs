//! Uses a fake GL to test which GL calls the overlay makes.

#![cfg(feature = "gl")]
#![allow(
    unsafe_code,
    reason = "overlays require the promise that their context is current"
)]

#[path = "support/fake_gl.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod fake_gl;
#[path = "support/painted.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod painted;

use fake_gl::{
    address, is_question, lose, set_back_everywhere, set_version, take_calls, take_formats,
};
use iprof::gl::{GlError, HostState};
use iprof::{ColumnId, Flame, GraphZone, Report, Row};
use painted::Painted;
use std::ffi::CStr;
use std::num::NonZeroU32;

/// One GL version for each set of capabilities that the overlay distinguishes.
const VERSIONS: [&CStr; 8] = [
    c"2.1 of no driver",
    c"3.0 of no driver",
    c"3.1 of no driver",
    c"3.3 of no driver",
    c"4.5 of no driver",
    c"OpenGL ES 2.0 of no driver",
    c"OpenGL ES 3.0 of no driver",
    c"OpenGL ES 3.2 of no driver",
];

fn overlay() -> Result<Painted, GlError> {
    // SAFETY: the functions of `fake_gl` need no context.
    unsafe { Painted::from_loader(address) }
}

/// Draws two pictures with new glyphs, and then the recorded measurements.
fn draw(overlay: &mut Painted) {
    for (name, size) in [("abc", 12.0), ("xyz", 20.0)] {
        let mut report = Report::default();
        report.columns = vec![ColumnId::SelfTime];
        report.rows = vec![Row::new(name, [(ColumnId::SelfTime, 1.5)])];
        overlay.set_text_size(size);
        overlay.draw(|frame| frame.draw_report(&report, 10.0, 10.0, 300.0, 200.0, 2));
    }
    // The measurements include GPU times from earlier frames.
    for _ in 0..3 {
        iprof::update(true);
        overlay.draw(|frame| frame.draw_default(10.0, 10.0, 300.0, 200.0, 2));
        overlay.draw(|frame| frame.draw_default_graph(10.0, 200.0, 2.0, 4.0));
    }
}

/// The number of draws in [`draw`] that draw something.
const DRAWS: usize = if cfg!(feature = "enable") { 8 } else { 2 };

fn count(calls: &[&str], name: &str) -> usize {
    calls.iter().filter(|call| **call == name).count()
}

#[test]
fn declared_state_avoids_all_gl_queries() {
    for version in VERSIONS {
        set_version(version);
        let mut overlay = overlay().expect("failed to create an overlay");
        let mut state = HostState::new([0, 0, 640, 480]);
        state.enabled = vec![glow::DEPTH_TEST, glow::BLEND, glow::SCISSOR_TEST];
        state.program = NonZeroU32::new(9).map(glow::NativeProgram);
        state.array_buffer = NonZeroU32::new(8).map(glow::NativeBuffer);
        state.texture = NonZeroU32::new(7).map(glow::NativeTexture);
        state.draw_buffers = vec![glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1];
        overlay.set_host_state(Some(state));
        take_calls();
        draw(&mut overlay);
        let calls = take_calls();
        let questions: Vec<_> = calls.iter().filter(|call| is_question(call)).collect();
        assert!(questions.is_empty(), "{version:?}: {questions:?}");
        assert_eq!(
            count(&calls, "glDrawElements"),
            DRAWS,
            "{version:?}: {calls:?}"
        );
        assert!(calls.contains(&"glTexImage2D"), "{version:?}: {calls:?}");

        // Check that this test would detect queries.
        overlay.set_host_state(None);
        draw(&mut overlay);
        let calls = take_calls();
        let questions = calls.iter().filter(|call| is_question(call)).count();
        assert!(questions > 20, "{version:?}: {questions} in {calls:?}");
        assert_eq!(
            count(&calls, "glDrawElements"),
            DRAWS,
            "{version:?}: {calls:?}"
        );
    }
}

fn flame(frame: u32) -> Flame {
    let mut flame = Flame::default();
    flame.title = "frame 0123456789".into();
    flame.zones = ["physics", "render", "sound"].map(GraphZone::new).into();
    for at in 0..200_u32 {
        let caller = (at * 7 + frame) % at.max(1) / 3;
        flame.add(
            caller as usize,
            at % 3,
            f64::from((at + frame) % 5 + 1),
            1.0,
        );
    }
    flame.cursor = Some(frame as usize);
    flame
}

#[test]
fn flame_graph_takes_one_upload_and_one_draw_call() {
    for version in VERSIONS {
        set_version(version);
        let mut overlay = overlay().expect("failed to create an overlay");
        // The first six frames upload glyphs, and later frames reuse them.
        for frame in 0..12 {
            let flame = flame(frame % 6);
            take_calls();
            overlay.draw(|frame| frame.draw_flame(&flame, 10.0, 10.0, 600.0, 200.0));
            let calls = take_calls();
            let counted = [
                "glDrawElements",
                "glBufferSubData",
                "glTexImage2D",
                "glTexSubImage2D",
            ];
            let counts = counted.map(|name| count(&calls, name));
            assert_eq!(counts[..2], [1, 1], "{version:?}: {calls:?}");
            if frame >= 6 {
                assert_eq!(counts[2..], [0, 0], "{version:?}, frame {frame}: {calls:?}");
            }
        }
        // Without enough space, nothing is drawn.
        overlay.draw(|frame| frame.draw_flame(&flame(7), 10.0, 10.0, 0.0, 200.0));
        assert_eq!(count(&take_calls(), "glDrawElements"), 0, "{version:?}");
    }
}

/// If the overlay left the host's arrays enabled, its draw call could read past the end of one of them.
#[test]
fn host_arrays_are_disabled_without_vertex_arrays() {
    for version in [c"2.1 of no driver", c"OpenGL ES 2.0 of no driver"] {
        set_version(version);
        for state in [None, Some(HostState::new([0, 0, 640, 480]))] {
            let mut overlay = overlay().expect("failed to create an overlay");
            overlay.set_host_state(state);
            take_calls();
            draw(&mut overlay);
            let calls = take_calls();
            let first = calls.split(|call| *call == "glDrawElements").next();
            let first = first.expect("split returns at least one part");
            // The fake GL has 16 arrays and reports all of them as enabled.
            assert_eq!(count(first, "glDisableVertexAttribArray"), 16, "{first:?}");
            assert_eq!(count(first, "glEnableVertexAttribArray"), 3, "{first:?}");
        }
    }
}

/// The default framebuffer has only one draw buffer, even if GL also reports a value for others. Setting those others
/// is an error.
#[test]
fn es_default_framebuffer_keeps_its_draw_buffers() {
    set_back_everywhere(true);
    for version in VERSIONS {
        set_version(version);
        let mut overlay = overlay().expect("failed to create an overlay");
        take_calls();
        draw(&mut overlay);
        let calls = take_calls();
        if version.to_bytes().starts_with(b"OpenGL ES") {
            assert_eq!(count(&calls, "glDrawBuffers"), 0, "{version:?}");
        }
        assert_eq!(count(&calls, "glDrawElements"), DRAWS, "{version:?}");
    }
    set_back_everywhere(false);
}

/// In WebGL, a shader's status and log are lost when it is deleted, even while it is attached.
#[test]
fn shader_status_is_read_before_deletion() {
    for version in VERSIONS {
        set_version(version);
        take_calls();
        overlay().expect("failed to create an overlay");
        let mut calls = take_calls();
        calls.retain(|call| ["glCompileShader", "glGetShaderiv", "glDeleteShader"].contains(call));
        // Each of the two shaders causes these calls.
        let expected = ["glCompileShader", "glGetShaderiv", "glDeleteShader"].repeat(2);
        assert_eq!(calls, expected, "{version:?}");
    }
}

/// Tests with a fake GL, because Mesa wouldn't detect mistakes: it also accepts formats that are newer than the
/// context.
#[test]
fn texture_formats_exist_in_each_version() {
    for version in VERSIONS {
        set_version(version);
        take_formats();
        draw(&mut overlay().expect("failed to create an overlay"));
        let old = [c"2.1 of no driver", c"OpenGL ES 2.0 of no driver"].contains(&version);
        let format = if old {
            [glow::LUMINANCE; 2]
        } else {
            [glow::R8, glow::RED]
        };
        let formats = take_formats();
        assert!(!formats.is_empty());
        assert!(formats.chunks(2).all(|f| f == format), "{version:?}");
    }
}

#[test]
fn drop_makes_no_gl_calls_and_destroy_deletes_all() {
    for version in VERSIONS {
        set_version(version);
        let mut first = overlay().expect("failed to create an overlay");
        draw(&mut first);
        let mut second = overlay().expect("failed to create an overlay");
        draw(&mut second);
        let created = take_calls();
        drop(first);
        assert_eq!(take_calls(), [""; 0], "{version:?}");
        second.destroy();
        let deleted = take_calls();
        for (make, delete) in [
            ("glGenVertexArrays", "glDeleteVertexArrays"),
            ("glGenBuffers", "glDeleteBuffers"),
            ("glGenTextures", "glDeleteTextures"),
            ("glCreateProgram", "glDeleteProgram"),
        ] {
            let (created, deleted) = (count(&created, make), count(&deleted, delete));
            assert_eq!(created, 2 * deleted, "{version:?}: {make}");
        }
    }
}

#[test]
fn drawing_on_a_lost_context_is_harmless() {
    for version in VERSIONS {
        // Once a context is lost, it stays lost on its thread.
        let lost = std::thread::spawn(move || {
            set_version(version);
            let mut restoring = overlay().expect("failed to create an overlay");
            let mut declaring = overlay().expect("failed to create an overlay");
            let state = HostState::new([0, 0, 640, 480]);
            declaring.set_host_state(Some(state));
            draw(&mut restoring);
            draw(&mut declaring);
            lose();
            for overlay in [&mut restoring, &mut declaring] {
                draw(overlay);
                let _ = overlay.hit(20.0, 20.0);
            }
            assert_eq!(overlay().err(), Some(GlError::NoContext), "{version:?}");
            restoring.destroy();
            drop(declaring);
        });
        lost.join().expect("the thread panicked");
    }
}

#[test]
fn creating_overlay_on_lost_context_fails() {
    set_version(c"3.3 of no driver");
    // SAFETY: the functions of `fake_gl` need no context.
    let gl = unsafe { glow::Context::from_loader_function_cstr(address) };
    lose();
    // SAFETY: the functions of `fake_gl` need no context.
    let error = unsafe { Painted::new(Box::new(gl)) }.expect_err("it is lost");
    assert!(matches!(error, GlError::Create { .. }), "{error:?}");
}

#[test]
fn loader_without_functions_is_an_error() {
    // SAFETY: the functions of `fake_gl` need no context.
    let error = unsafe { Painted::from_loader(|_| std::ptr::null()) };
    assert_eq!(error.err(), Some(GlError::NoContext));
}

#[test]
fn overlay_needs_vertex_arrays_or_a_loader() {
    for version in VERSIONS {
        set_version(version);
        // SAFETY: the functions of `fake_gl` need no context.
        let gl = unsafe { glow::Context::from_loader_function_cstr(address) };
        // SAFETY: the functions of `fake_gl` need no context.
        let result = unsafe { Painted::new(Box::new(gl)) };
        let old = [c"2.1 of no driver", c"OpenGL ES 2.0 of no driver"].contains(&version);
        match result {
            Ok(_) => assert!(!old, "{version:?}"),
            Err(error) => assert!(old && error == GlError::NeedsLoader, "{version:?}: {error}"),
        }
    }
}

#[test]
fn gl_before_2_1_is_rejected_with_a_message() {
    for version in [c"1.1.0", c"1.4 of no driver", c"2.0 of no driver"] {
        set_version(version);
        let error = overlay().expect_err("it is too old");
        let name = version.to_str().expect("the version should be UTF-8");
        assert!(error.to_string().contains(name), "{error}");
    }
}
