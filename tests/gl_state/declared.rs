//! Checks that a draw with a declared `HostState` changes only documented state.

use super::objects::texture;
use crate::support::headless::Headless;
use crate::support::statedump::{Dump, changes};
use glow::HasContext;
use iprof::gl::HostState;

/// State that a draw with a declared `HostState` is documented to change, in addition to [`MAY_CHANGE_FIRST`]. Entries
/// are names in the state dump.
const MAY_CHANGE: &[&str] = &[
    "DEPTH_TEST",
    "STENCIL_TEST",
    "CULL_FACE",
    "FRAMEBUFFER_SRGB",
    "PRIMITIVE_RESTART",
    "PRIMITIVE_RESTART_FIXED_INDEX",
    "RASTERIZER_DISCARD",
    "COLOR_LOGIC_OP",
    "SAMPLE_ALPHA_TO_COVERAGE",
    "SAMPLE_ALPHA_TO_ONE",
    "SAMPLE_COVERAGE",
    "SAMPLE_MASK",
    "POLYGON_SMOOTH",
    "CLIP_DISTANCE0",
    "CLIP_DISTANCE1",
    "CLIP_DISTANCE2",
    "CLIP_DISTANCE3",
    "CLIP_DISTANCE4",
    "CLIP_DISTANCE5",
    "CLIP_DISTANCE6",
    "CLIP_DISTANCE7",
    "ALPHA_TEST",
    "POLYGON_STIPPLE",
    "POLYGON_MODE",
    "CURRENT_PROGRAM",
    "VERTEX_ARRAY_BINDING",
    "ARRAY_BUFFER_BINDING",
    "ELEMENT_ARRAY_BUFFER_BINDING",
    "ACTIVE_TEXTURE",
    "TEXTURE_BINDING_2D",
    "unit 0 TEXTURE_BINDING_2D",
    "unit 0 SAMPLER_BINDING",
    "PIXEL_UNPACK_BUFFER_BINDING",
    "UNPACK_ALIGNMENT",
    "UNPACK_ROW_LENGTH",
    "UNPACK_SKIP_ROWS",
    "UNPACK_SKIP_PIXELS",
    "UNPACK_SWAP_BYTES",
];

/// State that exists per draw buffer or per viewport. It may change only for the first draw buffer or viewport.
const MAY_CHANGE_FIRST: &[&str] = &[
    "BLEND",
    "SCISSOR_TEST",
    "BLEND_SRC_RGB",
    "BLEND_DST_RGB",
    "BLEND_SRC_ALPHA",
    "BLEND_DST_ALPHA",
    "BLEND_EQUATION_RGB",
    "BLEND_EQUATION_ALPHA",
    "COLOR_WRITEMASK",
];

/// Asserts that only documented state has changed, and that the changed state has the values of a new context.
pub(crate) fn assert_documented_changes(h: &Headless, before: &Dump, after: &Dump, new: &Dump) {
    let vertex_arrays = after.contains_key("VERTEX_ARRAY_BINDING");
    for line in changes(before, after) {
        let name = line
            .split(": ")
            .next()
            .expect("split returns at least one part")
            .to_owned();
        // With vertex array objects, attribute state belongs to an array that is no longer bound.
        let of_array = name.starts_with("attribute ") && !name.ends_with(" value")
            || name.starts_with("VERTEX_BINDING_")
            || name == "ELEMENT_ARRAY_BUFFER_BINDING" && vertex_arrays;
        if of_array && vertex_arrays {
            continue;
        }
        if of_array {
            let used = ["attribute 0 ", "attribute 1 ", "attribute 2 "];
            let is_used = used.iter().any(|used| name.starts_with(used));
            let is_off = name.ends_with("VERTEX_ATTRIB_ARRAY_ENABLED") && after[&name] == "[0.0]";
            assert!(is_off || is_used && !name.ends_with("ENABLED"), "{line}");
            continue;
        }
        let first = name.strip_suffix(" on").unwrap_or(&name);
        let first = first.strip_suffix("[0]").unwrap_or(&name);
        assert!(
            MAY_CHANGE.contains(&&*name) || MAY_CHANGE_FIRST.contains(&first),
            "not documented to change, on {:?}: {line}",
            h.kind
        );
        assert_eq!(
            after[&name], new[&name],
            "not the value of a new context: {line}"
        );
    }
    // Each draw is documented to change the blend state. On NVIDIA, `glIsEnabled(GL_BLEND)` reports whether blending is
    // enabled for any draw buffer.
    let blend = if new.contains_key("BLEND[0] on") {
        "BLEND[0] on"
    } else {
        "BLEND"
    };
    for name in ["CURRENT_PROGRAM", blend, "DEPTH_TEST", "ACTIVE_TEXTURE"] {
        assert_eq!(after[name], new[name], "{name}");
    }
}

/// Sets some state of every kind, and declares it.
pub(crate) fn set_and_declare(h: &Headless, state: &mut HostState) {
    let gl = &h.gl;
    let es = gl.version().is_embedded;
    state.enabled = vec![
        glow::BLEND,
        glow::SCISSOR_TEST,
        glow::DEPTH_TEST,
        glow::CULL_FACE,
        glow::STENCIL_TEST,
        glow::SAMPLE_ALPHA_TO_COVERAGE,
        glow::PRIMITIVE_RESTART_FIXED_INDEX,
        // The overlay never changes dithering.
        glow::DITHER,
    ];
    if !h.from((4, 3), (3, 0)) {
        state
            .enabled
            .retain(|&s| s != glow::PRIMITIVE_RESTART_FIXED_INDEX);
    }
    if !es {
        state.enabled.push(glow::COLOR_LOGIC_OP);
        state.polygon_mode = [glow::LINE; 2];
        state.draw_buffers = vec![glow::COLOR_ATTACHMENT0, glow::COLOR_ATTACHMENT1];
    }
    if h.is_compatible() {
        state.polygon_mode = [glow::LINE, glow::POINT];
    }
    state.blend_func = [glow::ONE, glow::DST_COLOR, glow::ZERO, glow::SRC_ALPHA];
    state.blend_equation = [glow::FUNC_SUBTRACT, glow::MAX];
    state.color_mask = [true, false, true, false];
    state.active_texture = 3;
    // SAFETY: the context is current.
    unsafe {
        for &switch in &state.enabled {
            gl.enable(switch);
        }
        let [a, b, c, d] = state.blend_func;
        gl.blend_func_separate(a, b, c, d);
        gl.blend_equation_separate(state.blend_equation[0], state.blend_equation[1]);
        let [r, g, b, a] = state.color_mask;
        gl.color_mask(r, g, b, a);
        if h.is_compatible() {
            gl.polygon_mode(glow::FRONT, state.polygon_mode[0]);
            gl.polygon_mode(glow::BACK, state.polygon_mode[1]);
        } else if !es {
            gl.polygon_mode(glow::FRONT_AND_BACK, state.polygon_mode[0]);
        }
        if !es {
            gl.draw_buffers(&state.draw_buffers);
        }
        texture(h);
        state.texture = gl.get_parameter_texture(glow::TEXTURE_BINDING_2D);
        let sampler = gl.create_sampler().expect("failed to create a sampler");
        state.sampler = Some(sampler);
        gl.bind_sampler(0, Some(sampler));
        gl.active_texture(glow::TEXTURE0 + state.active_texture);
        // These bindings were set by `scene::prepare`.
        state.program = gl.get_parameter_program(glow::CURRENT_PROGRAM);
        state.vertex_array = gl.get_parameter_vertex_array(glow::VERTEX_ARRAY_BINDING);
        state.array_buffer = gl.get_parameter_buffer(glow::ARRAY_BUFFER_BINDING);
        state.element_buffer = gl.get_parameter_buffer(glow::ELEMENT_ARRAY_BUFFER_BINDING);
    }
}
