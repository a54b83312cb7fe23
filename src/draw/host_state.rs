use super::glow;
use super::names::{Buffer, Program, Sampler, Texture, VertexArray};

/// What the overlay does about the host's GL state: see
/// [`Overlay::set_state_mode`](crate::gl::Overlay::set_state_mode).
///
/// # In a browser
///
/// There is no [`Restore`](StateMode::Restore) in a browser: `glow` cannot tell which objects of the host's
/// are bound, and each of the questions takes the page's process a round trip to the one that draws. An
/// overlay begins there with [`Declared`](StateMode::Declared) and a new [`HostState`], but for the viewport,
/// which it asks for as long as no mode is set. So a host that sets program, vertex array, buffers, textures and
/// switches anew in each frame need not do anything. Another declares what it relies on.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum StateMode {
    /// The overlay asks for each piece of state that its drawing changes, and puts it back. It
    /// draws right, and leaves everything as it was, whatever the host has set.
    ///
    /// This is the default. It takes some 50 questions for a draw, a few microseconds with most
    /// drivers. One that queues calls for a thread of its own has to empty its queue before it can
    /// answer the first.
    #[default]
    Restore,
    /// The overlay asks nothing. It draws right whatever the host has set, and leaves behind what
    /// the host declares.
    Declared(HostState),
}

/// What the overlay leaves behind of the GL state that it changes, in [`StateMode::Declared`].
///
/// [`new`](HostState::new) leaves what a new context has: every switch off, no program, nothing
/// bound. A host that sets its state anew in each frame needs no more. Another says which values it
/// relies on: the draw ends with them.
///
/// ```no_run
/// # fn overlay() -> iprof::gl::Overlay { unimplemented!() }
/// # let (width, height) = (1280, 720);
/// use iprof::gl::{HostState, StateMode};
///
/// let mut state = HostState::new([0, 0, width, height]);
/// state.switches_on = vec![glow::DEPTH_TEST, glow::CULL_FACE];
/// overlay().set_state_mode(StateMode::Declared(state));
/// ```
///
/// The host promises what cannot be seen without a question, whenever the overlay draws:
///
/// * the viewport is the one declared here, and so is the origin of clip space;
/// * the framebuffer is complete, and its colours are not integers;
/// * no transform feedback is active;
/// * `GL_MULTISAMPLE` is on, as it is in a new context: otherwise the lines of a graph are not smooth;
/// * of the state that exists per draw buffer or per viewport, only the first is the host's concern.
///
/// What is declared must exist in the context: the names of objects, the values of enumerations. It
/// is passed on to GL as it is, and an error there is one in the host's queue.
///
/// What the overlay changes and this does not name is left as a new context has it: a draw that
/// uploads glyphs leaves `GL_UNPACK_ALIGNMENT` at 4, the rest of the `GL_UNPACK_…` that 2D textures go
/// by at 0, and no pixel unpack buffer. In contexts without vertex array objects all vertex attribute
/// arrays are off, and the pointers of attributes 0, 1 and 2 are the overlay's.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HostState {
    /// `GL_VIEWPORT`: x, y, width and height in px of the framebuffer, y upwards. The overlay lays
    /// itself out for it and does not change it. With a width or height of 0 or less, nothing is drawn.
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
    /// for the overlay does not change them.
    pub switches_on: Vec<u32>,
    /// The factors of `glBlendFuncSeparate`, in its order.
    pub blend_func: [u32; 4],
    /// The equations of `glBlendEquationSeparate`: colour, alpha.
    pub blend_equation: [u32; 2],
    /// `glColorMask`: red, green, blue, alpha.
    pub color_mask: [bool; 4],
    /// `glPolygonMode`: front, back. Core contexts have one for both. Ignored in ES.
    pub polygon_mode: [u32; 2],
    /// The list that `glDrawBuffers` has, if the host draws to several at once: the overlay draws
    /// to the first alone. With fewer than two, the host's list is not touched.
    pub draw_buffers: Vec<u32>,
    /// The program in use.
    pub program: Option<Program>,
    /// The vertex array object. Ignored where there are none.
    pub vertex_array: Option<VertexArray>,
    /// What is bound to `GL_ARRAY_BUFFER`.
    pub array_buffer: Option<Buffer>,
    /// What is bound to `GL_ELEMENT_ARRAY_BUFFER`. Ignored where there are vertex array objects,
    /// each of which has its own.
    pub element_buffer: Option<Buffer>,
    /// The active texture unit, from 0.
    pub active_texture: u32,
    /// The 2D texture on texture unit 0, the only one whose texture changes.
    pub texture: Option<Texture>,
    /// The sampler on texture unit 0. Ignored where there are none.
    pub sampler: Option<Sampler>,
}

impl HostState {
    /// The state of a new context with this viewport: x, y, width and height in px.
    #[must_use]
    pub fn new(viewport: [i32; 4]) -> Self {
        Self {
            viewport,
            clip_origin: glow::LOWER_LEFT,
            switches_on: Vec::new(),
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
