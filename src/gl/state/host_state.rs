//! The GL state that a host declares.

/// The GL state that a painter leaves behind after each frame, instead of querying and restoring the host's state: see
/// [`Painter::set_host_state`](crate::gl::Painter::set_host_state).
///
/// [`new`](HostState::new) returns the state of a new context: all capabilities disabled, no program, nothing bound.
/// That state is enough for hosts that set all of their state in each frame. Other hosts fill in the values that they
/// rely on after the overlay has been drawn.
///
/// ```no_run
/// # fn painter() -> iprof::gl::Painter { unimplemented!() }
/// # let (width, height) = (1280, 720);
/// use iprof::gl::{HostState, glow};
///
/// let mut state = HostState::new([0, 0, width, height]);
/// state.enabled = vec![glow::DEPTH_TEST, glow::CULL_FACE];
/// painter().set_host_state(Some(state));
/// ```
///
/// A host that declares its state also promises the following whenever the painter paints, because checking would
/// require queries:
///
/// * The viewport and the origin of clip space are the declared ones.
/// * The framebuffer is complete and has no integer colors.
/// * No transform feedback is active.
/// * `GL_MULTISAMPLE` is enabled, as in a new context. If it is not, a graph's lines are jagged.
/// * If state exists per draw buffer or per viewport, the host relies on the first one only.
///
/// The declared objects and enumeration values must exist in the context. They are passed to GL unchecked, and an
/// invalid value leaves an error in the host's queue. If your program uses a different version of `glow`, or none,
/// specify objects by number: `glow::NativeProgram(number)`, using this module's [`glow`](crate::gl::glow).
///
/// State that the painter changes but that has no field here is left at the values of a new context. A draw that
/// uploads glyphs leaves `GL_UNPACK_ALIGNMENT` at 4, the other `GL_UNPACK_…` values for 2D textures at 0, and no pixel
/// unpack buffer bound. In contexts without vertex array objects, all vertex attribute arrays are disabled, and
/// attributes 0, 1 and 2 keep the painter's pointers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostState {
    /// `GL_VIEWPORT`: x, y, width and height in framebuffer pixels, y pointing up. The painter does not change it.
    ///
    /// [`Painter::draw`](crate::gl::Painter::draw) begins its frames with this size. It draws nothing if the width or
    /// height is 0 or less.
    pub viewport: [i32; 4],
    /// `GL_CLIP_ORIGIN`: `GL_LOWER_LEFT`, unless the host calls `glClipControl`. The painter does not change it.
    pub clip_origin: u32,
    /// The capabilities to leave enabled after a draw.
    ///
    /// Any of `GL_BLEND`, `GL_SCISSOR_TEST`, `GL_DEPTH_TEST`, `GL_STENCIL_TEST`, `GL_CULL_FACE`, `GL_FRAMEBUFFER_SRGB`,
    /// `GL_PRIMITIVE_RESTART`, `GL_PRIMITIVE_RESTART_FIXED_INDEX`, `GL_RASTERIZER_DISCARD`, `GL_COLOR_LOGIC_OP`,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`, `GL_SAMPLE_ALPHA_TO_ONE`, `GL_SAMPLE_COVERAGE`, `GL_SAMPLE_MASK`,
    /// `GL_POLYGON_SMOOTH`, `GL_CLIP_DISTANCE0` and higher, `GL_ALPHA_TEST`, `GL_POLYGON_STIPPLE`, and with their
    /// extensions `GL_DEPTH_BOUNDS_TEST_EXT`, `GL_CONSERVATIVE_RASTERIZATION_NV` and
    /// `GL_CONSERVATIVE_RASTERIZATION_INTEL`.
    ///
    /// Capabilities from this list that exist in the context but are not in `enabled` are disabled. Other values are
    /// ignored, because the painter does not change them.
    pub enabled: Vec<u32>,
    /// The arguments of `glBlendFuncSeparate`, in its order.
    pub blend_func: [u32; 4],
    /// The equations of `glBlendEquationSeparate`: color and alpha.
    pub blend_equation: [u32; 2],
    /// `glColorMask`: red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// `glPolygonMode`: front and back. Core contexts have one mode for both. Ignored in ES.
    pub polygon_mode: [u32; 2],
    /// The host's list for `glDrawBuffers` if the host draws to several buffers at once. The painter draws only to the
    /// first buffer. A list with fewer than two buffers is ignored.
    pub draw_buffers: Vec<u32>,
    /// The program in use.
    pub program: Option<glow::Program>,
    /// The vertex array object. Ignored in contexts without vertex array objects.
    pub vertex_array: Option<glow::VertexArray>,
    /// The binding of `GL_ARRAY_BUFFER`.
    pub array_buffer: Option<glow::Buffer>,
    /// The binding of `GL_ELEMENT_ARRAY_BUFFER`. Ignored in contexts with vertex array objects, since each object has
    /// its own binding.
    pub element_buffer: Option<glow::Buffer>,
    /// The active texture unit, counted from 0.
    pub active_texture: u32,
    /// The 2D texture bound to unit 0, the only unit that the painter changes.
    pub texture: Option<glow::Texture>,
    /// The sampler bound to unit 0. Ignored in contexts without sampler objects.
    pub sampler: Option<glow::Sampler>,
}

impl HostState {
    /// Returns the state of a new context with this viewport: x, y, width and height in pixels.
    #[must_use]
    pub fn new(viewport: [i32; 4]) -> Self {
        Self {
            viewport,
            clip_origin: glow::LOWER_LEFT,
            enabled: Vec::new(),
            blend_func: [glow::ONE, glow::ZERO, glow::ONE, glow::ZERO],
            blend_equation: [glow::FUNC_ADD; 2],
            color_mask: [true; 4],
            polygon_mode: [glow::FILL; 2],
            draw_buffers: Vec::new(),
            program: None,
            vertex_array: None,
            array_buffer: None,
            element_buffer: None,
            active_texture: 0,
            texture: None,
            sampler: None,
        }
    }
}
