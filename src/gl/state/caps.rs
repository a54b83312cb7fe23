//! Detects, from a context's version and extensions, which GL features the overlay can use and which state it must
//! save, set and restore.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// In this file's SAFETY comments, "current" means the same as in `mod.rs`.

use glow::HasContext;

use super::MAX_DRAW_BUFFERS;
use super::attributes::AttributeCalls;
use super::attributes::AttributeCaps;

/// `GL_ALPHA_TEST` and `GL_POLYGON_STIPPLE` exist only in compatibility contexts and are not in `glow`.
const ALPHA_TEST: u32 = 0x0BC0;
const POLYGON_STIPPLE: u32 = 0x0B42;
/// `GL_DEPTH_BOUNDS_TEST_EXT`, which discards fragments by the stored depth, even with the depth test off.
const DEPTH_BOUNDS_TEST: u32 = 0x8890;
/// `GL_CONSERVATIVE_RASTERIZATION_NV`, which widens edges.
const CONSERVATIVE_RASTERIZATION: u32 = 0x9346;
const CONSERVATIVE_RASTERIZATION_INTEL: u32 = 0x83FE;

const MAX_CLIP_DISTANCES: u32 = 16;

/// A version lower than any version that the overlay supports.
const ALWAYS: (u32, u32) = (0, 0);
/// A version that this kind of GL (desktop or ES) never reaches.
const NEVER: (u32, u32) = (u32::MAX, 0);

/// A context's capabilities, detected once from its version and extensions.
#[derive(Debug)]
pub(crate) struct Caps {
    /// Whether this is OpenGL ES or WebGL rather than desktop OpenGL.
    pub(crate) gles: bool,
    pub(crate) version: (u32, u32),
    /// Whether there are vertex array objects. If there are none, `attributes` is set if a loader was given, or is
    /// `None` with `glow` alone.
    pub(crate) vertex_arrays: bool,
    pub(crate) attributes: Option<AttributeCaps>,
    /// Whether there are single-channel red textures. Otherwise luminance textures are used.
    pub(crate) red_textures: bool,
    /// Whether `GL_TEXTURE_MAX_LEVEL` exists.
    pub(crate) texture_levels: bool,
    /// Whether indices can have 32 bits.
    pub(crate) wide_indices: bool,
    pub(crate) named_outputs: bool,
    pub(super) framebuffers: bool,
    /// Whether draw and read framebuffers are separate.
    pub(super) draw_framebuffer: bool,
    pub(super) integer_framebuffers: bool,
    pub(super) unpack_buffer: bool,
    /// Whether `GL_UNPACK_ROW_LENGTH` and `GL_UNPACK_SKIP_…` exist.
    pub(super) unpack_rectangles: bool,
    /// The capabilities that exist in this context and that must be off while the overlay draws.
    pub(super) switches: Vec<u32>,
    pub(super) draw_buffers: usize,
    /// Whether `glEnablei` and `glColorMaski` exist.
    pub(super) indexed_enable: bool,
    /// Whether `glIsEnabled(GL_BLEND)` returns true if any draw buffer is blended, rather than if the first is. In that
    /// case `glGetIntegeri_v` returns the first buffer's state; other drivers may reject `GL_BLEND` in that call.
    pub(super) blends_if_any: bool,
    /// Whether `glBlendFunci` and `glBlendEquationi` exist.
    pub(super) indexed_blend: bool,
    /// Whether each viewport has its own scissor test.
    pub(super) viewport_array: bool,
    /// Whether `GL_MULTISAMPLE` can be turned off.
    pub(super) multisample: bool,
    pub(super) polygon_mode: bool,
    /// Whether front and back faces have separate polygon modes.
    pub(super) two_sided_polygon_mode: bool,
    pub(super) sampler_objects: bool,
    pub(super) transform_feedback_pause: bool,
    pub(super) clip_control: bool,
    /// Whether primitive restart is a client state, which `glow` has no function to query.
    pub(super) client_restart: bool,
}

impl Caps {
    /// Detects the capabilities. `calls` are the functions found by a loader, if there is one.
    ///
    /// # Safety
    /// The context of `gl` is current, and `calls` were loaded for it.
    pub(crate) unsafe fn detect(gl: &glow::Context, calls: Option<AttributeCalls>) -> Self {
        let gles = gl.version().is_embedded;
        let version = (gl.version().major, gl.version().minor);
        let from = |desktop, es| version >= if gles { es } else { desktop };
        let has = |extension: &str| gl.supported_extensions().contains(extension);

        // SAFETY: current; each name is queried only in versions that have it.
        let (compatibility, clip_distances, draw_buffers) = unsafe {
            let has_bit = |name, bit: u32| gl.get_parameter_i32(name) as u32 & bit != 0;
            // A forward-compatible 3.0 context must not be queried for features that it removed.
            let forward = glow::CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT;
            let profile = glow::CONTEXT_COMPATIBILITY_PROFILE_BIT;
            let compatibility = !gles
                && match version {
                    (..=2, _) => true,
                    (3, 0) => !has_bit(glow::CONTEXT_FLAGS, forward),
                    (3, 1) => has("GL_ARB_compatibility"),
                    _ => has_bit(glow::CONTEXT_PROFILE_MASK, profile),
                };
            // Before 3.0 these are called clip planes, with the same values.
            let clip_distances =
                !gles || has("GL_EXT_clip_cull_distance") || has("GL_APPLE_clip_distance");
            let limit = |known: bool, name| if known { gl.get_parameter_i32(name) } else { 0 };
            (
                compatibility,
                limit(clip_distances, glow::MAX_CLIP_DISTANCES) as u32,
                limit(from(ALWAYS, (3, 0)), glow::MAX_DRAW_BUFFERS) as usize,
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
            (
                from((3, 2), (3, 1)) || has("GL_ARB_texture_multisample"),
                glow::SAMPLE_MASK,
            ),
            (
                from((3, 0), NEVER)
                    || has("GL_ARB_framebuffer_sRGB")
                    || has("GL_EXT_framebuffer_sRGB")
                    || has("GL_EXT_sRGB_write_control"),
                glow::FRAMEBUFFER_SRGB,
            ),
            (
                from((3, 0), (3, 0)) || has("GL_EXT_transform_feedback"),
                glow::RASTERIZER_DISCARD,
            ),
            (from((3, 1), NEVER), glow::PRIMITIVE_RESTART),
            // WebGL always has this capability enabled and defines no constant for it.
            (
                from((4, 3), (3, 0))
                    && !cfg!(all(target_family = "wasm", not(target_os = "emscripten"))),
                glow::PRIMITIVE_RESTART_FIXED_INDEX,
            ),
            (compatibility, ALPHA_TEST),
            (compatibility, POLYGON_STIPPLE),
            (has("GL_EXT_depth_bounds_test"), DEPTH_BOUNDS_TEST),
            (has("GL_NV_conservative_raster"), CONSERVATIVE_RASTERIZATION),
            (
                has("GL_INTEL_conservative_rasterization"),
                CONSERVATIVE_RASTERIZATION_INTEL,
            ),
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
            "more switches than bits in `StateGuard::on`"
        );

        let mut caps = Self {
            gles,
            version,
            vertex_arrays: from((3, 0), (3, 0))
                || has(if gles {
                    "GL_OES_vertex_array_object"
                } else {
                    "GL_ARB_vertex_array_object"
                }),
            attributes: None,
            red_textures: from((3, 0), (3, 0)),
            texture_levels: from(ALWAYS, (3, 0)),
            wide_indices: from(ALWAYS, (3, 0)) || has("GL_OES_element_index_uint"),
            named_outputs: from((3, 0), NEVER),
            framebuffers: from((3, 0), ALWAYS) || has("GL_ARB_framebuffer_object"),
            draw_framebuffer: from((3, 0), (3, 0)) || has("GL_ARB_framebuffer_object"),
            integer_framebuffers: from((3, 0), (3, 0)),
            unpack_buffer: from(ALWAYS, (3, 0)) || has("GL_NV_pixel_buffer_object"),
            unpack_rectangles: from(ALWAYS, (3, 0)) || has("GL_EXT_unpack_subimage"),
            switches,
            draw_buffers: draw_buffers.min(MAX_DRAW_BUFFERS),
            indexed_enable: from((3, 0), (3, 2)),
            // NVIDIA's driver 580 behaves like this in both OpenGL and OpenGL ES.
            blends_if_any: from((3, 0), (3, 2)) && gl.version().vendor_info.starts_with("NVIDIA"),
            indexed_blend: from((4, 0), (3, 2)),
            viewport_array: from((4, 1), NEVER)
                || !gles && has("GL_ARB_viewport_array")
                || from(NEVER, (3, 2)) && has("GL_OES_viewport_array"),
            multisample: !gles || has("GL_EXT_multisample_compatibility"),
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
            client_restart: !from((3, 1), ALWAYS) && has("GL_NV_primitive_restart"),
        };
        if let Some(calls) = calls.filter(|_| !caps.vertex_arrays) {
            // SAFETY: current (contract).
            caps.attributes = Some(unsafe { AttributeCaps::detect(gl, calls, &caps) });
        }
        caps
    }

    pub(super) fn framebuffer_target(&self) -> u32 {
        if self.draw_framebuffer {
            glow::DRAW_FRAMEBUFFER
        } else {
            glow::FRAMEBUFFER
        }
    }
}
