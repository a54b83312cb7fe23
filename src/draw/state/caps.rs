#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind the SAFETY line, "current", is that of `state.rs`.

use glow::HasContext;

use super::MAX_DRAW_BUFFERS;

/// `GL_ALPHA_TEST`, `GL_POLYGON_STIPPLE`: compatibility contexts only, not in `glow`.
const ALPHA_TEST: u32 = 0x0BC0;
const POLYGON_STIPPLE: u32 = 0x0B42;
/// `GL_DEPTH_BOUNDS_TEST_EXT`: discards by the stored depth, even with the depth test off.
const DEPTH_BOUNDS_TEST: u32 = 0x8890;
/// `GL_CONSERVATIVE_RASTERIZATION_NV`: fattens edges.
const CONSERVATIVE_RASTERIZATION: u32 = 0x9346;

const MAX_CLIP_DISTANCES: u32 = 16;

/// A version that the other family of GL never reaches.
const NEVER: (u32, u32) = (u32::MAX, 0);

/// What a context can be asked and told. Detected once, from its version and extensions.
#[derive(Debug)]
pub(crate) struct Caps {
    /// OpenGL ES (or WebGL), not desktop OpenGL.
    pub(crate) gles: bool,
    /// Major, minor.
    pub(crate) version: (u32, u32),
    /// Switches that must be off while the overlay draws, as far as this context knows them.
    pub(super) switches: Vec<u32>,
    /// Draw buffers that a framebuffer can have.
    pub(super) draw_buffers: usize,
    /// `glEnablei`, `glColorMaski`.
    pub(super) indexed_enable: bool,
    /// `glBlendFunci`, `glBlendEquationi`.
    pub(super) indexed_blend: bool,
    /// A scissor test for each viewport.
    pub(super) viewport_array: bool,
    pub(super) polygon_mode: bool,
    /// Front and back faces have polygon modes of their own.
    pub(super) two_sided_polygon_mode: bool,
    pub(super) sampler_objects: bool,
    pub(super) transform_feedback_pause: bool,
    pub(super) clip_control: bool,
}

impl Caps {
    /// # Safety
    /// The context of `gl` is current.
    pub(crate) unsafe fn detect(gl: &glow::Context) -> Self {
        let gles = gl.version().is_embedded;
        let version = (gl.version().major, gl.version().minor);
        let from = |desktop, es| version >= if gles { es } else { desktop };
        let has = |extension: &str| gl.supported_extensions().contains(extension);

        // SAFETY: current; each name exists from the version on that is asked for beside it.
        let (compatibility, clip_distances, draw_buffers) = unsafe {
            let profile = |gl: &glow::Context| gl.get_parameter_i32(glow::CONTEXT_PROFILE_MASK);
            let compatibility = !gles
                && (version < (3, 1)
                    || has("GL_ARB_compatibility")
                    || from((3, 2), NEVER)
                        && profile(gl) & glow::CONTEXT_COMPATIBILITY_PROFILE_BIT as i32 != 0);
            let clip_distances = from((3, 0), NEVER)
                || gles && (has("GL_EXT_clip_cull_distance") || has("GL_APPLE_clip_distance"));
            let limit = |known: bool, name| if known { gl.get_parameter_i32(name) } else { 0 };
            (
                compatibility,
                limit(clip_distances, glow::MAX_CLIP_DISTANCES) as u32,
                limit(from((2, 0), (3, 0)), glow::MAX_DRAW_BUFFERS) as usize,
            )
        };

        let mut switches = vec![
            glow::CULL_FACE,
            glow::DEPTH_TEST,
            glow::STENCIL_TEST,
            glow::SAMPLE_ALPHA_TO_COVERAGE,
            glow::SAMPLE_COVERAGE,
        ];
        let gated = [
            (!gles, glow::SAMPLE_ALPHA_TO_ONE),
            (
                gles && has("GL_EXT_multisample_compatibility"),
                glow::SAMPLE_ALPHA_TO_ONE,
            ),
            (!gles, glow::COLOR_LOGIC_OP),
            (!gles, glow::POLYGON_SMOOTH),
            (from((3, 2), (3, 1)), glow::SAMPLE_MASK),
            (
                from((3, 0), NEVER) || has("GL_EXT_sRGB_write_control"),
                glow::FRAMEBUFFER_SRGB,
            ),
            (from((3, 0), (3, 0)), glow::RASTERIZER_DISCARD),
            (from((3, 1), NEVER), glow::PRIMITIVE_RESTART),
            (from((4, 3), (3, 0)), glow::PRIMITIVE_RESTART_FIXED_INDEX),
            (compatibility, ALPHA_TEST),
            (compatibility, POLYGON_STIPPLE),
            (has("GL_EXT_depth_bounds_test"), DEPTH_BOUNDS_TEST),
            (has("GL_NV_conservative_raster"), CONSERVATIVE_RASTERIZATION),
        ];
        switches.extend(
            gated
                .iter()
                .filter(|(known, _)| *known)
                .map(|&(_, name)| name),
        );
        switches
            .extend((0..clip_distances.min(MAX_CLIP_DISTANCES)).map(|i| glow::CLIP_DISTANCE0 + i));
        debug_assert!(
            switches.len() <= u64::BITS as usize,
            "`HostState::on` has a bit for each"
        );

        Self {
            gles,
            version,
            switches,
            draw_buffers: draw_buffers.min(MAX_DRAW_BUFFERS),
            indexed_enable: from((3, 0), (3, 2)),
            indexed_blend: from((4, 0), (3, 2)),
            viewport_array: from((4, 1), NEVER)
                || !gles && has("GL_ARB_viewport_array")
                || from(NEVER, (3, 2)) && has("GL_OES_viewport_array"),
            polygon_mode: !gles,
            two_sided_polygon_mode: compatibility,
            sampler_objects: from((3, 3), (3, 0)) || !gles && has("GL_ARB_sampler_objects"),
            transform_feedback_pause: from((4, 0), (3, 0))
                || !gles && has("GL_ARB_transform_feedback2"),
            clip_control: from((4, 5), NEVER)
                || has(if gles {
                    "GL_EXT_clip_control"
                } else {
                    "GL_ARB_clip_control"
                }),
        }
    }
}
