//! Saves the host's GL state, sets the state that the overlay needs, and restores the host's state afterward.
//!
//! This file is long because saving, setting and restoring are easiest to read together.
//!
//! ```text
//! save:    pause the host's transform feedback
//!          query each value the overlay's draw depends on; where it differs from what the
//!          overlay needs, set it
//! drop:    where it was set, set the queried value
//! ```
//!
//! If the host has declared a [`HostState`], nothing is queried. All values are set unconditionally before the draw,
//! and set to the declared values after it.
//!
//! The code follows three rules:
//!
//! * **Legal queries only.** Querying a value that the context's version lacks leaves an error in the host's queue.
//!   [`Caps`] detects what exists once, from the version and extensions. It never checks whether an entry point exists,
//!   since Mesa exports entry points that fail when called. Nothing here calls `glGetError`, which would consume the
//!   host's errors.
//! * **State that cannot affect an indexed triangle list is left alone.** This includes the depth function and mask
//!   (there is no depth test), scissor boxes, the cull side, viewports, and line and point sizes. It also includes
//!   textures bound to other units, and state that only fixed-function shading reads (lighting, fog, `TEXTURE_2D`).
//!   Dithering is also left alone: its effect is visible only below 8 bits per channel, where dithering is the host's
//!   choice.
//! * **One draw buffer only.** The first draw buffer without integer colors temporarily becomes draw buffer 0. In ES,
//!   where draw buffers have fixed positions, it can only be draw buffer 0. From GL 3.0 and ES 3.2 on, each draw buffer
//!   has its own blending and color mask, and a plain `glEnable(GL_BLEND)` changes all of them. The indexed calls used
//!   here set buffer 0, and the plain getters read buffer 0, so the other buffers keep their values. Removing the other
//!   buffers from `glDrawBuffers` protects their attachments from undefined colors.
//!
//! Nothing is drawn if drawing would do harm ([`painted_buffer`]). Drawing would do harm if the framebuffer is
//! incomplete or has only integer colors, or if the current program could not be made current again.
//!
//! The following state cannot be queried or handled here and is the host's responsibility:
//!
//! * Conditional rendering: the host's condition decides whether the overlay is visible.
//! * Active transform feedback before GL 4.0 without `ARB_transform_feedback2`. It can be neither detected nor paused,
//!   and drawing during it is an error.
//! * Active query objects: the host's occlusion and other queries count what the overlay draws.
//! * Multiple views (`OVR_multiview`), which are not drawn correctly, and `EXT_window_rectangles`, which clips the
//!   overlay like the host's own drawing.
//! * sRGB framebuffers in ES without `EXT_sRGB_write_control`: colors are encoded, so they appear brighter.
//! * A sampler object on unit 0 that a sharing context has deleted: `glow` cannot query whether it exists.
//! * The selected subroutines (GL 4.0), which every `glUseProgram` call resets according to the specification.
//! * State from some extensions: blending and color mask per draw buffer before GL 3.0 (`EXT_draw_buffers2`) and before
//!   ES 3.2 (`EXT_`/`OES_draw_buffers_indexed`), draw buffers before ES 3.0 (`EXT_draw_buffers`), and integer vertex
//!   attributes before GL 3.0 (`EXT_gpu_shader4`).
//! * In compatibility contexts, pixel transfer (`glPixelTransfer`, `glPixelMap`) and any render mode other than
//!   `GL_RENDER`.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// "Current" in this file's SAFETY comments: the context of `gl` is current on this thread, and `caps` was detected on
// that context. All unsafe functions here require this. `StateGuard` borrows `gl` and `caps`, and the caller makes no
// other context current before dropping it.

use glow::HasContext;

use attributes::AttributeGuard;
use host_state::HostState;
use iprof_process::session::sums::positions;

mod attributes;
mod caps;
pub(super) mod host_state;
mod unpack;

pub(crate) use attributes::{AttributeCalls, USED as ATTRIBUTES_USED};
pub(crate) use caps::Caps;
pub(crate) use unpack::UnpackGuard;

/// The maximum number of draw buffers that are saved. GL requires 8, and no known driver has more than 16.
const MAX_DRAW_BUFFERS: usize = 16;

/// Blending for colors that are not multiplied by alpha; the target's alpha accumulates coverage.
const BLEND_FUNC: [u32; 4] = [
    glow::SRC_ALPHA,
    glow::ONE_MINUS_SRC_ALPHA,
    glow::ONE,
    glow::ONE_MINUS_SRC_ALPHA,
];
const BLEND_EQUATION: [u32; 2] = [glow::FUNC_ADD; 2];

/// Returns the host's viewport: `[x, y, width, height]` in framebuffer pixels, y pointing up.
#[must_use]
pub(crate) unsafe fn viewport(gl: &glow::Context) -> [i32; 4] {
    let mut viewport = [0; 4];
    // SAFETY: current (contract); GL writes four integers.
    unsafe { gl.get_parameter_i32_slice(glow::VIEWPORT, &mut viewport) };
    viewport
}

/// Returns whether the y axis of clip space points down (`glClipControl`).
pub(crate) unsafe fn clips_upside_down(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract).
    caps.clip_control
        && unsafe { gl.get_parameter_i32(glow::CLIP_ORIGIN) } as u32 == glow::UPPER_LEFT
}

/// Returns whether an index may restart primitives in a way that cannot be turned off. Without `query`, returns whether
/// the context supports such restarts.
pub(crate) unsafe fn may_restart_primitives(gl: &glow::Context, caps: &Caps, query: bool) -> bool {
    /// `GL_PRIMITIVE_RESTART_NV`.
    const CLIENT_STATE: u32 = 0x8558;
    // SAFETY: current (contract).
    caps.client_restart && (!query || unsafe { gl.is_enabled(CLIENT_STATE) })
}

/// Returns whether draw buffer 0 is blended.
unsafe fn is_blended(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract). `glow` has no `glIsEnabledi`.
    unsafe {
        match caps.blends_if_any {
            true => gl.get_parameter_indexed_i32(glow::BLEND, 0) != 0,
            false => gl.is_enabled(glow::BLEND),
        }
    }
}

/// The draw buffer to paint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawBuffer {
    index: usize,
    /// The number of draw buffers that the framebuffer can have.
    count: usize,
}

/// Returns the draw buffer to paint. Returns `None` if a draw would leave an error in the host's queue, make the host
/// lose its program, or be invisible.
pub(crate) unsafe fn painted_buffer(gl: &glow::Context, caps: &Caps) -> Option<DrawBuffer> {
    // SAFETY: current (contract).
    unsafe {
        if caps.framebuffers
            && gl.check_framebuffer_status(caps.framebuffer_target()) != glow::FRAMEBUFFER_COMPLETE
        {
            return None;
        }
        let painted = first_with_colors(gl, caps)?;
        // A program that is deleted, or whose relink failed, lives only as long as it is current. Transform feedback
        // cannot continue without its program, either.
        let is_lost_when_changed =
            gl.get_parameter_program(glow::CURRENT_PROGRAM)
                .is_some_and(|program| {
                    !gl.is_program(program)
                        || !gl.get_program_link_status(program)
                        || gl.get_program_parameter_i32(program, glow::DELETE_STATUS) != 0
                });
        (!is_lost_when_changed).then_some(painted)
    }
}

/// Returns the first draw buffer that accepts a shader's floats.
///
/// The result of drawing to an integer buffer is undefined, and in WebGL it is an error. In ES only draw buffer 0 is
/// considered, since each of the other buffers has its own shader output.
unsafe fn first_with_colors(gl: &glow::Context, caps: &Caps) -> Option<DrawBuffer> {
    // SAFETY: current (contract). Querying the type of an attachment without an object would be an error, so such
    // attachments are skipped. Window framebuffers never have integer colors.
    unsafe {
        let count = caps.draw_buffers;
        if !caps.integer_framebuffers {
            return Some(DrawBuffer { index: 0, count });
        }
        let binding = glow::DRAW_FRAMEBUFFER_BINDING;
        if gl.get_parameter_framebuffer(binding).is_none() {
            // In ES the window's framebuffer has one draw buffer. Chrome reports more buffers, but setting them is an
            // error.
            let count = if caps.gles { count.min(1) } else { count };
            return Some(DrawBuffer { index: 0, count });
        }
        let takes_colors = |index: &usize| {
            let attachment = gl.get_parameter_i32(glow::DRAW_BUFFER0 + *index as u32) as u32;
            let parameter = |name| {
                let target = glow::DRAW_FRAMEBUFFER;
                gl.get_framebuffer_attachment_parameter_i32(target, attachment, name) as u32
            };
            attachment != glow::NONE
                && parameter(glow::FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE) != glow::NONE
                && !matches!(
                    parameter(glow::FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE),
                    glow::INT | glow::UNSIGNED_INT
                )
        };
        let candidates = if caps.gles { count.min(1) } else { count };
        let index = (0..candidates).find(takes_colors)?;
        Some(DrawBuffer { index, count })
    }
}

/// Saves and restores the host's state `times` times without drawing, to measure the cost.
///
/// # Safety
/// The context of `gl` is current.
#[allow(
    dead_code,
    unreachable_pub,
    reason = "tests call this for only one version of glow"
)]
pub unsafe fn keep_gl_state(gl: &glow::Context, times: u32, declared: Option<&HostState>) {
    // SAFETY: current (contract).
    unsafe {
        let caps = Caps::detect(gl, None);
        for _ in 0..times {
            let _host = match declared {
                Some(host) => StateGuard::declared(gl, &caps, host),
                None => {
                    std::hint::black_box(viewport(gl));
                    let Some(painted) = painted_buffer(gl, &caps) else {
                        continue;
                    };
                    std::hint::black_box(clips_upside_down(gl, &caps));
                    StateGuard::save(gl, &caps, painted)
                }
            };
        }
    }
}

/// Returns whether transform feedback is active and not paused.
unsafe fn is_feeding_back(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract).
    unsafe {
        caps.transform_feedback_pause
            && gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE)
            && !gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_PAUSED)
    }
}

/// The host's state while the overlay draws. Dropping the guard, even in a panic, restores everything.
///
/// While the guard is alive, texture unit 0 is active and has no sampler. The caller may bind any program, vertex
/// array, array buffer and 2D texture. Without vertex array objects, all arrays are off, and the caller may use the
/// attributes below [`ATTRIBUTES_USED`].
#[must_use = "if unused, the host's state is restored immediately"]
#[derive(Debug)]
pub(crate) struct StateGuard<'a> {
    gl: &'a glow::Context,
    caps: &'a Caps,
    /// Whether the fields below were queried from the context. If not, they are declared values to set after the draw.
    was_queried: bool,
    /// Bit `i` is set if `caps.switches[i]` was on.
    on: u64,
    scissor: bool,
    /// Whether `GL_MULTISAMPLE` was on. The overlay turns it on, so that slanted edges are smooth if the host's
    /// framebuffer is multisampled.
    multisample: bool,
    blend: bool,
    blend_func: [u32; 4],
    blend_equation: [u32; 2],
    color_mask: [bool; 4],
    /// The polygon modes for front and back faces.
    polygon_mode: [i32; 2],
    /// The host's draw buffers, valid if `hides_draw_buffers` is set.
    draw_buffers: [u32; MAX_DRAW_BUFFERS],
    painted: usize,
    hides_draw_buffers: bool,
    paused_transform_feedback: bool,
    program: Option<glow::Program>,
    vertex_array: Option<glow::VertexArray>,
    attributes: Option<AttributeGuard<'a>>,
    array_buffer: Option<glow::Buffer>,
    /// The element buffer binding; only in contexts without vertex arrays.
    element_buffer: Option<glow::Buffer>,
    active_texture: u32,
    texture: Option<glow::Texture>,
    sampler: Option<glow::Sampler>,
}

impl<'a> StateGuard<'a> {
    /// Saves the host's state and sets what the overlay needs to paint the draw buffer found by [`painted_buffer`].
    /// Does not allocate.
    ///
    /// # Safety
    /// The context of `gl` is current and stays current until the guard is dropped, and `caps` was detected on it.
    pub(crate) unsafe fn save(gl: &'a glow::Context, caps: &'a Caps, painted: DrawBuffer) -> Self {
        // SAFETY: current (contract); `Caps` records which names exist.
        unsafe {
            // Transform feedback is paused first, since changing the program while it is active is an error.
            let paused_transform_feedback = is_feeding_back(gl, caps);
            if paused_transform_feedback {
                gl.pause_transform_feedback();
            }

            let active_texture = gl.get_parameter_i32(glow::ACTIVE_TEXTURE) as u32;
            if active_texture != glow::TEXTURE0 {
                gl.active_texture(glow::TEXTURE0);
            }
            let mut state = Self {
                gl,
                caps,
                was_queried: true,
                on: 0,
                scissor: gl.is_enabled(glow::SCISSOR_TEST),
                multisample: !caps.multisample || gl.is_enabled(glow::MULTISAMPLE),
                blend: is_blended(gl, caps),
                blend_func: [
                    glow::BLEND_SRC_RGB,
                    glow::BLEND_DST_RGB,
                    glow::BLEND_SRC_ALPHA,
                    glow::BLEND_DST_ALPHA,
                ]
                .map(|name| gl.get_parameter_i32(name) as u32),
                blend_equation: [glow::BLEND_EQUATION_RGB, glow::BLEND_EQUATION_ALPHA]
                    .map(|name| gl.get_parameter_i32(name) as u32),
                color_mask: gl.get_parameter_bool_array(glow::COLOR_WRITEMASK),
                polygon_mode: [glow::FILL as i32; 2],
                draw_buffers: [glow::NONE; MAX_DRAW_BUFFERS],
                painted: painted.index,
                hides_draw_buffers: false,
                paused_transform_feedback,
                program: gl.get_parameter_program(glow::CURRENT_PROGRAM),
                vertex_array: None,
                attributes: None,
                array_buffer: gl.get_parameter_buffer(glow::ARRAY_BUFFER_BINDING),
                element_buffer: None,
                active_texture,
                texture: gl.get_parameter_texture(glow::TEXTURE_BINDING_2D),
                sampler: None,
            };
            for (i, &switch) in caps.switches.iter().enumerate() {
                state.on |= u64::from(gl.is_enabled(switch)) << i;
            }
            if caps.polygon_mode {
                gl.get_parameter_i32_slice(glow::POLYGON_MODE, &mut state.polygon_mode);
            }
            if caps.sampler_objects {
                state.sampler = gl.get_parameter_sampler(glow::SAMPLER_BINDING);
            }
            if caps.vertex_arrays {
                state.vertex_array = gl.get_parameter_vertex_array(glow::VERTEX_ARRAY_BINDING);
            } else {
                let binding = glow::ELEMENT_ARRAY_BUFFER_BINDING;
                state.element_buffer = gl.get_parameter_buffer(binding);
            }
            for (i, buffer) in state.draw_buffers[..painted.count].iter_mut().enumerate() {
                *buffer = gl.get_parameter_i32(glow::DRAW_BUFFER0 + i as u32) as u32;
            }
            state.hides_draw_buffers =
                painted.index > 0 || state.draw_buffers[1..].iter().any(|&b| b != glow::NONE);
            state.set_overlay_state();
            state
        }
    }

    /// Sets the state that the overlay needs without querying anything. Dropping the guard sets the `declared` state.
    /// GL rejects declared values that do not exist in the context. Does not allocate.
    ///
    /// # Safety
    /// The rules of `save` apply.
    pub(crate) unsafe fn declared(
        gl: &'a glow::Context,
        caps: &'a Caps,
        declared: &HostState,
    ) -> Self {
        let is_on = |switch: &u32| declared.enabled.contains(switch);
        let on = |on, (i, switch): (usize, &u32)| on | u64::from(is_on(switch)) << i;
        let mut draw_buffers = [glow::NONE; MAX_DRAW_BUFFERS];
        for (to, from) in draw_buffers[..caps.draw_buffers]
            .iter_mut()
            .zip(&declared.draw_buffers)
        {
            *to = *from;
        }
        let mut state = Self {
            gl,
            caps,
            was_queried: false,
            on: caps.switches.iter().enumerate().fold(0, on),
            scissor: is_on(&glow::SCISSOR_TEST),
            multisample: true,
            blend: is_on(&glow::BLEND),
            blend_func: declared.blend_func,
            blend_equation: declared.blend_equation,
            color_mask: declared.color_mask,
            polygon_mode: declared.polygon_mode.map(|mode| mode as i32),
            draw_buffers,
            painted: 0,
            hides_draw_buffers: draw_buffers[1..].iter().any(|&b| b != glow::NONE),
            paused_transform_feedback: false,
            program: declared.program,
            vertex_array: declared.vertex_array,
            attributes: None,
            array_buffer: declared.array_buffer,
            element_buffer: declared.element_buffer,
            active_texture: glow::TEXTURE0.saturating_add(declared.active_texture),
            texture: declared.texture,
            sampler: declared.sampler,
        };
        // SAFETY: current (contract).
        unsafe {
            gl.active_texture(glow::TEXTURE0);
            state.set_overlay_state();
        }
        state
    }

    /// Returns whether the overlay's value must be set, and the host's value later.
    fn differs<T: PartialEq>(&self, host: T, overlay: T) -> bool {
        !self.was_queried || host != overlay
    }

    /// Sets the overlay's values.
    ///
    /// # Safety
    /// `self` was just filled in, and nothing has been set yet.
    unsafe fn set_overlay_state(&mut self) {
        let gl = self.gl;
        // SAFETY: current; `self.caps` records which calls exist.
        unsafe {
            if self.hides_draw_buffers {
                gl.draw_buffers(&self.draw_buffers[self.painted..=self.painted]);
            }
            if self.was_queried {
                self.for_each_switch_that_was_on(|switch| gl.disable(switch));
            } else {
                self.caps.switches.iter().for_each(|&s| gl.disable(s));
            }
            if self.differs(self.scissor, false) {
                self.set_scissor(false);
            }
            if !self.multisample {
                gl.enable(glow::MULTISAMPLE);
            }
            if self.differs(self.blend, true) {
                self.set_blend(true);
            }
            if self.differs(self.blend_func, BLEND_FUNC) {
                self.set_blend_func(BLEND_FUNC);
            }
            if self.differs(self.blend_equation, BLEND_EQUATION) {
                self.set_blend_equation(BLEND_EQUATION);
            }
            if self.differs(self.color_mask, [true; 4]) {
                self.set_color_mask([true; 4]);
            }
            if self.caps.polygon_mode && self.differs(self.polygon_mode, [glow::FILL as i32; 2]) {
                gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL);
            }
            if self.caps.sampler_objects && self.differs(self.sampler, None) {
                gl.bind_sampler(0, None);
            }
            if let Some(attributes) = &self.caps.attributes {
                self.attributes = Some(AttributeGuard::save(gl, attributes, self.was_queried));
            }
        }
    }

    fn for_each_switch_that_was_on(&self, mut act: impl FnMut(u32)) {
        positions(self.on).for_each(|at| act(self.caps.switches[at]));
    }

    unsafe fn set_scissor(&self, on: bool) {
        // SAFETY: current.
        unsafe {
            match (self.caps.viewport_array, on) {
                (true, true) => self.gl.enable_draw_buffer(glow::SCISSOR_TEST, 0),
                (true, false) => self.gl.disable_draw_buffer(glow::SCISSOR_TEST, 0),
                (false, true) => self.gl.enable(glow::SCISSOR_TEST),
                (false, false) => self.gl.disable(glow::SCISSOR_TEST),
            }
        }
    }

    unsafe fn set_blend(&self, on: bool) {
        // SAFETY: current.
        unsafe {
            match (self.caps.indexed_enable, on) {
                (true, true) => self.gl.enable_draw_buffer(glow::BLEND, 0),
                (true, false) => self.gl.disable_draw_buffer(glow::BLEND, 0),
                (false, true) => self.gl.enable(glow::BLEND),
                (false, false) => self.gl.disable(glow::BLEND),
            }
        }
    }

    unsafe fn set_blend_func(&self, [src_rgb, dst_rgb, src_alpha, dst_alpha]: [u32; 4]) {
        let gl = self.gl;
        // SAFETY: current.
        unsafe {
            if self.caps.indexed_blend {
                gl.blend_func_separate_draw_buffer(0, src_rgb, dst_rgb, src_alpha, dst_alpha);
            } else {
                gl.blend_func_separate(src_rgb, dst_rgb, src_alpha, dst_alpha);
            }
        }
    }

    unsafe fn set_blend_equation(&self, [rgb, alpha]: [u32; 2]) {
        let gl = self.gl;
        // SAFETY: current. An advanced equation (`GL_MULTIPLY` …) applies to both color and alpha, and the calls for
        // separate equations reject it.
        unsafe {
            match (self.caps.indexed_blend, rgb == alpha) {
                (true, true) => gl.blend_equation_draw_buffer(0, rgb),
                (true, false) => gl.blend_equation_separate_draw_buffer(0, rgb, alpha),
                (false, true) => gl.blend_equation(rgb),
                (false, false) => gl.blend_equation_separate(rgb, alpha),
            }
        }
    }

    unsafe fn set_color_mask(&self, [red, green, blue, alpha]: [bool; 4]) {
        // SAFETY: current.
        unsafe {
            if self.caps.indexed_enable {
                self.gl.color_mask_draw_buffer(0, red, green, blue, alpha);
            } else {
                self.gl.color_mask(red, green, blue, alpha);
            }
        }
    }

    unsafe fn restore_polygon_mode(&self) {
        let [front, back] = self.polygon_mode.map(|mode| mode as u32);
        // SAFETY: current. Core contexts accept only FRONT_AND_BACK.
        unsafe {
            if self.caps.two_sided_polygon_mode {
                self.gl.polygon_mode(glow::FRONT, front);
                self.gl.polygon_mode(glow::BACK, back);
            } else {
                self.gl.polygon_mode(glow::FRONT_AND_BACK, front);
            }
        }
    }

    /// Restores the host's bindings, except for objects that a sharing context deleted while they were bound. Binding a
    /// deleted name is an error.
    unsafe fn restore_bindings(&mut self) {
        let gl = self.gl;
        // SAFETY: current.
        unsafe {
            // `painted_buffer` checked that the program can be made current again.
            gl.use_program(self.program);
            // Restoring the attributes changes the array buffer binding, so it comes before restoring that binding.
            self.attributes = None;
            if self.caps.vertex_arrays {
                gl.bind_vertex_array(self.vertex_array);
            }
            let was_queried = self.was_queried;
            if !self.caps.vertex_arrays {
                let buffer = self
                    .element_buffer
                    .filter(|&b| !was_queried || gl.is_buffer(b));
                gl.bind_buffer(glow::ELEMENT_ARRAY_BUFFER, buffer);
            }
            let buffer = self
                .array_buffer
                .filter(|&b| !was_queried || gl.is_buffer(b));
            gl.bind_buffer(glow::ARRAY_BUFFER, buffer);
            let texture = self.texture.filter(|&t| !was_queried || gl.is_texture(t));
            gl.bind_texture(glow::TEXTURE_2D, texture);
            if self.sampler.is_some() {
                gl.bind_sampler(0, self.sampler);
            }
            if self.active_texture != glow::TEXTURE0 {
                gl.active_texture(self.active_texture);
            }
        }
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        let gl = self.gl;
        // SAFETY: current, since `save`'s contract lasts until here.
        unsafe {
            self.restore_bindings();
            if self.caps.polygon_mode && self.polygon_mode != [glow::FILL as i32; 2] {
                self.restore_polygon_mode();
            }
            if self.color_mask != [true; 4] {
                self.set_color_mask(self.color_mask);
            }
            if self.blend_equation != BLEND_EQUATION {
                self.set_blend_equation(self.blend_equation);
            }
            if self.blend_func != BLEND_FUNC {
                self.set_blend_func(self.blend_func);
            }
            if !self.blend {
                self.set_blend(false);
            }
            if !self.multisample {
                gl.disable(glow::MULTISAMPLE);
            }
            if self.scissor {
                self.set_scissor(true);
            }
            self.for_each_switch_that_was_on(|switch| gl.enable(switch));
            if self.hides_draw_buffers {
                gl.draw_buffers(&self.draw_buffers[..self.caps.draw_buffers]);
            }
            // Transform feedback is resumed last, because it needs the program that was current when it began.
            if self.paused_transform_feedback {
                gl.resume_transform_feedback();
            }
        }
    }
}
