//! Draws as the host does, both before the overlay is painted and in the next frame.

use super::host::CLEAR;
use super::objects::program;
use crate::support::headless::Headless;
use crate::support::image::Image;
use glow::HasContext;

/// The corners of a triangle strip, as x, y and color.
const STRIP: [[f32; 6]; 4] = [
    [-0.9, -0.9, 0.9, 0.1, 0.2, 1.0],
    [0.9, -0.9, 0.2, 0.8, 0.1, 0.4],
    [-0.9, 0.9, 0.1, 0.3, 0.9, 0.7],
    [0.9, 0.9, 0.7, 0.7, 0.2, 1.0],
];

/// The render target for the host's next frame. A separate target is used because a scissor box or color mask would
/// preserve parts of the old picture.
pub(crate) struct NextFrame(glow::Renderbuffer);

/// Clears the picture, and creates the program and attributes used in each frame, in a vertex array object if the
/// context supports them.
pub(crate) fn prepare(h: &Headless) -> NextFrame {
    let next = h.new_colors();
    h.swap_colors(next);
    h.clear(CLEAR);
    h.swap_colors(h.colors);
    h.clear(CLEAR);
    let program = program(h, false);
    let gl = &h.gl;
    // SAFETY: the context is current, and the offsets are within the buffer.
    unsafe {
        gl.use_program(Some(program));
        if h.from((3, 0), (3, 0)) {
            let array = gl
                .create_vertex_array()
                .expect("failed to create a vertex array");
            gl.bind_vertex_array(Some(array));
        }
        let buffer = gl.create_buffer().expect("failed to create a buffer");
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
        let bytes: Vec<u8> = STRIP
            .as_flattened()
            .iter()
            .flat_map(|f| f.to_ne_bytes())
            .collect();
        gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
        for (index, size, offset) in [(0, 2, 0), (1, 4, 8)] {
            gl.enable_vertex_attrib_array(index);
            gl.vertex_attrib_pointer_f32(index, size, glow::FLOAT, false, 24, offset);
        }
    }
    NextFrame(next)
}

/// Draws the host's next frame, and returns its picture and errors.
pub(crate) fn next_frame(h: &Headless, next: &NextFrame) -> (Image, Vec<u32>) {
    let gl = &h.gl;
    h.swap_colors(next.0);
    // SAFETY: the context is current, and no enabled array ends before the fourth vertex.
    unsafe {
        gl.clear_color(0.7, 0.1, 0.3, 0.9);
        gl.clear(glow::COLOR_BUFFER_BIT | glow::DEPTH_BUFFER_BIT | glow::STENCIL_BUFFER_BIT);
        gl.draw_arrays(glow::POINTS, 0, 4);
        gl.draw_arrays(glow::TRIANGLE_STRIP, 0, 4);
    }
    let errors = std::iter::from_fn(|| Some(h.take_error()).filter(|&e| e != glow::NO_ERROR));
    let errors = errors.take(9).collect();
    settle(h);
    (h.read(), errors)
}

/// Turns off state that would affect reading pixels back.
pub(crate) fn settle(h: &Headless) {
    let pausable = h.from((4, 0), (3, 0))
        || h.gl
            .supported_extensions()
            .contains("GL_ARB_transform_feedback2");
    // SAFETY: the context is current.
    unsafe {
        if pausable && h.gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE) {
            h.gl.end_transform_feedback();
        }
        if h.from((3, 0), (99, 0)) {
            h.gl.disable(glow::FRAMEBUFFER_SRGB);
        }
    }
}
