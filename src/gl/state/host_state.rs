//! The GL state that a host declares.

/// The GL state that a painter leaves after each frame, where it queries nothing: see
/// [`Painter::set_host_state`](crate::gl::Painter::set_host_state).
///
/// [`new`](HostState::new) is the state of a new context: every switch off, no program, nothing bound. It
/// suffices for a host that sets its state anew in each frame. Other hosts set the values that they rely
/// on: the draw ends with them.
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
/// Whenever the painter paints, the host promises the following, which the painter cannot know without a
/// query:
///
/// * the viewport is the one declared here, and so is the origin of clip space;
/// * the framebuffer is complete, and its colors are not integers;
/// * no transform feedback is active;
/// * `GL_MULTISAMPLE` is on, as in a new context: otherwise the lines of a graph are not smooth;
/// * of state that exists per draw buffer or per viewport, the host relies on the first only.
///
/// The declared objects and enumeration values must exist in the context. They are passed to GL
/// unchecked, and an invalid one leaves an error in the host's queue. A host with another version of `glow`, or none, names an
/// object by its number: `glow::NativeProgram(number)`, with the [`glow`](crate::gl::glow) of this module.
///
/// State that the painter changes and that has no field here is left as in a new context: a draw that
/// uploads glyphs leaves `GL_UNPACK_ALIGNMENT` at 4, the other `GL_UNPACK_…` values for 2D textures at 0,
/// and no pixel unpack buffer. In contexts without vertex array objects, all vertex attribute arrays are
/// off, and the pointers of attributes 0, 1 and 2 are the painter's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostState {
    /// `GL_VIEWPORT`: x, y, width and height in px of the framebuffer, y upwards.
    /// [`Painter::draw`](crate::gl::Painter::draw) begins its frames for this size. Not changed. With a width or height of 0 or
    /// less, it draws nothing.
    pub viewport: [i32; 4],
    /// `GL_CLIP_ORIGIN`: `GL_LOWER_LEFT`, unless the host calls `glClipControl`. Not changed.
    pub clip_origin: u32,
    /// What the draw leaves enabled: any of `GL_BLEND`, `GL_SCISSOR_TEST`, `GL_DEPTH_TEST`,
    /// `GL_STENCIL_TEST`, `GL_CULL_FACE`, `GL_FRAMEBUFFER_SRGB`, `GL_PRIMITIVE_RESTART`,
    /// `GL_PRIMITIVE_RESTART_FIXED_INDEX`, `GL_RASTERIZER_DISCARD`, `GL_COLOR_LOGIC_OP`,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`, `GL_SAMPLE_ALPHA_TO_ONE`, `GL_SAMPLE_COVERAGE`,
    /// `GL_SAMPLE_MASK`, `GL_POLYGON_SMOOTH`, `GL_CLIP_DISTANCE0` and the following, `GL_ALPHA_TEST`,
    /// `GL_POLYGON_STIPPLE`, and by their extensions `GL_DEPTH_BOUNDS_TEST_EXT`,
    /// `GL_CONSERVATIVE_RASTERIZATION_NV` and `GL_CONSERVATIVE_RASTERIZATION_INTEL`. Of these, those that
    /// the context has and that are not listed are left disabled; others that are listed are ignored,
    /// for the painter does not change them.
    pub enabled: Vec<u32>,
    /// The factors of `glBlendFuncSeparate`, in its order.
    pub blend_func: [u32; 4],
    /// The equations of `glBlendEquationSeparate`: color, alpha.
    pub blend_equation: [u32; 2],
    /// `glColorMask`: red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// `glPolygonMode`: front, back. Core contexts have one for both. Ignored in ES.
    pub polygon_mode: [u32; 2],
    /// The host's list of `glDrawBuffers`, if the host draws to several at once: the painter draws to the
    /// first only. A list with fewer than two is not touched.
    pub draw_buffers: Vec<u32>,
    /// The program in use.
    pub program: Option<glow::Program>,
    /// The vertex array object. Ignored in contexts without them.
    pub vertex_array: Option<glow::VertexArray>,
    /// The binding of `GL_ARRAY_BUFFER`.
    pub array_buffer: Option<glow::Buffer>,
    /// The binding of `GL_ELEMENT_ARRAY_BUFFER`. Ignored in contexts with vertex array objects, each of
    /// which has its own.
    pub element_buffer: Option<glow::Buffer>,
    /// The active texture unit, from 0.
    pub active_texture: u32,
    /// The 2D texture on texture unit 0, the only unit that the painter changes.
    pub texture: Option<glow::Texture>,
    /// The sampler on texture unit 0. Ignored in contexts without sampler objects.
    pub sampler: Option<glow::Sampler>,
}

impl HostState {
    /// The state of a new context with this viewport: x, y, width and height in px.
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
