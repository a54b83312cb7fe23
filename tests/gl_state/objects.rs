//! What hosts make and set.

use super::host::CLEAR;
use crate::support::headless::{Headless, Target, renderbuffer};
use glow::HasContext;

pub(crate) fn enable(h: &Headless, name: u32) {
    // SAFETY: current.
    unsafe { h.gl.enable(name) };
}

pub(crate) fn has(h: &Headless, extension: &str) -> bool {
    h.gl.supported_extensions().contains(extension)
}

pub(crate) fn buffer(h: &Headless, target: u32) -> glow::Buffer {
    // SAFETY: current.
    unsafe {
        let buffer = h.gl.create_buffer().expect("a buffer");
        h.gl.bind_buffer(target, Some(buffer));
        h.gl.buffer_data_u8_slice(target, &[0x5A; 1024], glow::STATIC_DRAW);
        buffer
    }
}

/// A texture on the active unit.
pub(crate) fn texture(h: &Headless) {
    // SAFETY: current.
    unsafe {
        let texture = h.gl.create_texture().expect("a texture");
        h.gl.bind_texture(glow::TEXTURE_2D, Some(texture));
        let pixels = glow::PixelUnpackData::Slice(Some(&[0x80; 16]));
        let (rgba, byte) = (glow::RGBA, glow::UNSIGNED_BYTE);
        h.gl.tex_image_2d(
            glow::TEXTURE_2D,
            0,
            glow::RGBA8 as i32,
            2,
            2,
            0,
            rgba,
            byte,
            pixels,
        );
    }
}

/// A second colour attachment, cleared like the first, and both drawn to.
pub(crate) fn second_attachment(h: &Headless) {
    let Target {
        width,
        height,
        samples,
        ..
    } = h.target;
    // SAFETY: current.
    unsafe {
        let buffer = renderbuffer(&h.gl, glow::RGBA8, width, height, samples);
        h.gl.framebuffer_renderbuffer(
            glow::FRAMEBUFFER,
            glow::COLOR_ATTACHMENT1,
            glow::RENDERBUFFER,
            Some(buffer),
        );
        h.gl.draw_buffers(&[glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1]);
        h.gl.clear_buffer_f32_slice(glow::COLOR, 1, &CLEAR);
    }
}

/// A program of the host's, with an output that transform feedback can catch.
pub(crate) fn program(h: &Headless, separable: bool) -> glow::Program {
    let gl = &h.gl;
    let version = if gl.version().is_embedded {
        "300 es"
    } else {
        "330 core"
    };
    let per_vertex = if gl.version().is_embedded {
        ""
    } else if separable {
        "#extension GL_ARB_separate_shader_objects : enable\nout gl_PerVertex { vec4 gl_Position; };\n"
    } else {
        ""
    };
    // SAFETY: current.
    unsafe {
        let program = gl.create_program().expect("a program");
        for (stage, text) in [
            (
                glow::VERTEX_SHADER,
                format!(
                    "#version {version}\n{per_vertex}\
                     out vec4 caught; void main() {{ caught = vec4(1.0); gl_Position = caught; }}"
                ),
            ),
            (
                glow::FRAGMENT_SHADER,
                format!(
                    "#version {version}\nprecision mediump float;\n\
                     out vec4 color; void main() {{ color = vec4(1.0, 0.0, 1.0, 1.0); }}"
                ),
            ),
        ] {
            let shader = gl.create_shader(stage).expect("a shader");
            gl.shader_source(shader, &text);
            gl.compile_shader(shader);
            assert!(
                gl.get_shader_compile_status(shader),
                "{}",
                gl.get_shader_info_log(shader)
            );
            gl.attach_shader(program, shader);
        }
        gl.transform_feedback_varyings(program, &["caught"], glow::INTERLEAVED_ATTRIBS);
        if separable {
            (h.raw.program_parameter)(program.0.get(), glow::PROGRAM_SEPARABLE, 1);
        }
        gl.link_program(program);
        assert!(
            gl.get_program_link_status(program),
            "{}",
            gl.get_program_info_log(program)
        );
        program
    }
}

pub(crate) fn feed_back(h: &Headless) {
    let program = program(h, false);
    let buffer = buffer(h, glow::TRANSFORM_FEEDBACK_BUFFER);
    // SAFETY: current.
    unsafe {
        h.gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(buffer));
        h.gl.use_program(Some(program));
        h.gl.begin_transform_feedback(glow::POINTS);
    }
}
