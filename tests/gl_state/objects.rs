//! Creates and binds GL objects as hosts do.

use super::host::CLEAR;
use crate::support::headless::{Headless, Target, renderbuffer};
use glow::HasContext;

pub(crate) fn enable(h: &Headless, name: u32) {
    // SAFETY: the context is current.
    unsafe { h.gl.enable(name) };
}

pub(crate) fn has(h: &Headless, extension: &str) -> bool {
    h.gl.supported_extensions().contains(extension)
}

pub(crate) fn buffer(h: &Headless, target: u32) -> glow::Buffer {
    // SAFETY: the context is current.
    unsafe {
        let buffer = h.gl.create_buffer().expect("failed to create a buffer");
        h.gl.bind_buffer(target, Some(buffer));
        h.gl.buffer_data_u8_slice(target, &[0x5A; 1024], glow::STATIC_DRAW);
        buffer
    }
}

pub(crate) fn texture(h: &Headless) {
    // SAFETY: the context is current.
    unsafe {
        let texture = h.gl.create_texture().expect("failed to create a texture");
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

/// Adds a second color attachment, cleared like the first one, and selects both as draw buffers.
pub(crate) fn second_attachment(h: &Headless, format: u32) {
    let Target {
        width,
        height,
        samples,
        ..
    } = h.target;
    // SAFETY: the context is current.
    unsafe {
        let buffer = renderbuffer(&h.gl, format, width, height, samples);
        h.gl.framebuffer_renderbuffer(
            glow::FRAMEBUFFER,
            glow::COLOR_ATTACHMENT1,
            glow::RENDERBUFFER,
            Some(buffer),
        );
        h.gl.draw_buffers(&[glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1]);
        match format {
            glow::RGBA8UI => h.gl.clear_buffer_u32_slice(glow::COLOR, 1, &[7; 4]),
            _ => h.gl.clear_buffer_f32_slice(glow::COLOR, 1, &CLEAR),
        }
    }
}

/// Sets attributes, and binds an array buffer and an element buffer.
pub(crate) fn attributes(h: &Headless) {
    buffer(h, glow::ARRAY_BUFFER);
    for i in 0..6 {
        // SAFETY: the context is current.
        unsafe {
            h.gl.enable_vertex_attrib_array(i);
            h.gl.vertex_attrib_pointer_f32(i, 3, glow::SHORT, true, 24, 2 * i as i32);
        }
        divisor(h, i, i);
    }
    buffer(h, glow::ARRAY_BUFFER);
    buffer(h, glow::ELEMENT_ARRAY_BUFFER);
}

pub(crate) fn divisor(h: &Headless, index: u32, divisor: u32) {
    if h.from((3, 3), (3, 0)) {
        // SAFETY: the context is current.
        unsafe { h.gl.vertex_attrib_divisor(index, divisor) };
    } else if has(h, "GL_ARB_instanced_arrays") {
        // SAFETY: the context is current.
        unsafe { (h.raw.vertex_attrib_divisor_arb)(index, divisor) };
    }
}

/// Creates a program that reads a position from attribute 0 and a color from attribute 1. It has an output for
/// transform feedback if the context supports that.
pub(crate) fn program(h: &Headless, separable: bool) -> glow::Program {
    let gl = &h.gl;
    let es = gl.version().is_embedded;
    let modern = h.from((3, 0), (3, 0));
    let version = match (es, modern) {
        (true, true) => "300 es",
        (true, false) => "100",
        (false, true) => ["130", "330 core"][usize::from(h.from((3, 3), (99, 0)))],
        (false, false) => "120",
    };
    // GL 3.1 and 3.2 contexts may reject older versions of GLSL.
    let version = match version {
        "130" if h.from((3, 2), (99, 0)) => "150",
        "130" if h.from((3, 1), (99, 0)) => "140",
        _ => version,
    };
    let per_vertex = if es || !separable {
        ""
    } else {
        "#extension GL_ARB_separate_shader_objects : enable\nout gl_PerVertex { vec4 gl_Position; };\n"
    };
    let [input, output, fragment_output, color] = if modern {
        ["in", "out", "out vec4 color;", "color"]
    } else {
        ["attribute", "varying", "", "gl_FragColor"]
    };
    let from_vertex = ["varying", "in"][usize::from(modern)];
    let precision = ["", "precision mediump float;"][usize::from(es)];
    // SAFETY: the context is current.
    unsafe {
        let program = gl.create_program().expect("failed to create a program");
        for (stage, text) in [
            (
                glow::VERTEX_SHADER,
                format!(
                    "#version {version}\n{per_vertex}\
                     {input} vec4 place; {input} vec4 tint; {output} vec4 caught;\
                     void main() {{ caught = tint; gl_Position = place; }}"
                ),
            ),
            (
                glow::FRAGMENT_SHADER,
                format!(
                    "#version {version}\n{precision}\
                     {from_vertex} vec4 caught; {fragment_output}\
                     void main() {{ {color} = vec4(caught.rgb, 0.5); }}"
                ),
            ),
        ] {
            let shader = gl.create_shader(stage).expect("failed to create a shader");
            gl.shader_source(shader, &text);
            gl.compile_shader(shader);
            assert!(
                gl.get_shader_compile_status(shader),
                "{}",
                gl.get_shader_info_log(shader)
            );
            gl.attach_shader(program, shader);
        }
        gl.bind_attrib_location(program, 0, "place");
        gl.bind_attrib_location(program, 1, "tint");
        if modern {
            gl.transform_feedback_varyings(program, &["caught"], glow::INTERLEAVED_ATTRIBS);
        }
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
    // SAFETY: the context is current.
    unsafe {
        h.gl.bind_buffer_base(glow::TRANSFORM_FEEDBACK_BUFFER, 0, Some(buffer));
        h.gl.use_program(Some(program));
        h.gl.begin_transform_feedback(glow::POINTS);
    }
}
