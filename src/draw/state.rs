//! The guest's manners: the host's GL state is saved, set to what the overlay needs, and put back.
//!
//! ```text
//! save:    pause the host's transform feedback
//!          ask for each value the overlay's draw depends on; where it differs from what the
//!          overlay needs, set it
//! drop:    where it was set, set what was asked
//! ```
//!
//! Three rules:
//!
//! * **Only legal questions.** Asking for a value that the context's version does not have leaves an
//!   error in the host's queue. [`Caps`] decides once, by version and extension, never by whether an
//!   entry point is there (Mesa hands out entry points it refuses to run). Nobody here calls
//!   `glGetError`: that would take the host's errors away.
//! * **What cannot reach one triangle list is left alone**: depth function and mask (no depth test),
//!   scissor boxes, cull side, viewports, line and point sizes, the bindings of other texture units.
//!   Dithering too: it shows below 8 bits a channel only, and there it is the host's taste.
//! * **Draw buffer 0 only.** From GL 3.0 and ES 3.2 on, blending and colour mask exist per draw
//!   buffer, and a plain `glEnable(GL_BLEND)` sets all. The indexed calls set buffer 0, and the plain
//!   getters read buffer 0, so the others keep what they have. Their attachments are kept from
//!   undefined colours by taking them off `glDrawBuffers` for the time being.
//!
//! What no query can tell, and hence is the host's part:
//!
//! * conditional rendering: the overlay shows or not, as the host's condition says;
//! * an active transform feedback on GL 3.3 without `ARB_transform_feedback2`. It can be neither seen
//!   nor paused, and drawing there is an error: do not;
//! * queries: what the overlay draws is counted by the host's open queries;
//! * the framebuffer's kind: integer colours and several views (`OVR_multiview`) are not drawn on
//!   right. `EXT_window_rectangles` clip the overlay like the host;
//! * a sampler object on unit 0 that a sharing context has deleted: `glow` cannot ask whether it lives;
//! * a program that is no program any more once it is not current, because the host has deleted it or
//!   a relink failed: after the overlay no program is current;
//! * the choice of subroutines (GL 4.0), which every `glUseProgram` resets, as the specification has it;
//! * before ES 3.2, blending per draw buffer by `EXT_`/`OES_draw_buffers_indexed`; in compatibility
//!   contexts, pixel transfer (`glPixelTransfer`, `glPixelMap`) and a render mode other than `GL_RENDER`.
//!
//! Save and restore, without a draw between: 0.3 µs where the host has set nothing, 0.6 to 0.9 µs for
//! the host that has set everything. Mesa 22.3 llvmpipe on an AMD EPYC virtual machine with another
//! build running, release build, best of 9 runs of 20,000, November 2026.
//!
//! GL 2.1 to 3.2 and ES 2.0 are not drawn on yet. What they will need here: flags for vertex array
//! objects (else: the element buffer and each attribute used) and for `UNPACK_ROW_LENGTH`,
//! `TRANSFORM_FEEDBACK_ACTIVE`, `DRAW_BUFFERi`, which ES 2.0 lacks. The other gates already say from
//! which version on.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind every SAFETY line of this file:
// "current": the context of `gl` is current on this thread, and it is the one that `caps` was
// detected on. `Caps::detect` and `HostState::save` have it as their contract, and `HostState`
// borrows both, so it lasts until the drop: the caller makes no other context current meanwhile.

use glow::HasContext;

mod caps;

pub(crate) use caps::Caps;

/// As many draw buffers as are looked after. GL asks for 8; no driver is known to have more.
const MAX_DRAW_BUFFERS: usize = 16;

/// Straight alpha on colour; on alpha, what covers what.
const BLEND_FUNC: [u32; 4] = [
    glow::SRC_ALPHA,
    glow::ONE_MINUS_SRC_ALPHA,
    glow::ONE,
    glow::ONE_MINUS_SRC_ALPHA,
];
const BLEND_EQUATION: [u32; 2] = [glow::FUNC_ADD; 2];

/// The host's viewport, `[x, y, width, height]` in px of the framebuffer, y upwards: the overlay is
/// laid out for it and drawn through it.
///
/// # Safety
/// The context of `gl` is current.
#[must_use]
pub(crate) unsafe fn viewport(gl: &glow::Context) -> [i32; 4] {
    let mut viewport = [0; 4];
    // SAFETY: current (contract); the value is four integers wide.
    unsafe { gl.get_parameter_i32_slice(glow::VIEWPORT, &mut viewport) };
    viewport
}

/// Whether clip space has its y axis downwards (`glClipControl`).
///
/// # Safety
/// As for [`HostState::save`].
pub(crate) unsafe fn clips_upside_down(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract).
    caps.clip_control
        && unsafe { gl.get_parameter_i32(glow::CLIP_ORIGIN) } as u32 == glow::UPPER_LEFT
}

/// Whether a draw would leave an error in the host's queue: the framebuffer is incomplete, or a
/// transform feedback is active that could not be resumed, its program being deleted or broken.
///
/// # Safety
/// As for [`HostState::save`].
pub(crate) unsafe fn refuses_drawing(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract).
    unsafe {
        if gl.check_framebuffer_status(glow::DRAW_FRAMEBUFFER) != glow::FRAMEBUFFER_COMPLETE {
            return true;
        }
        // Paused or not: the host may mean to resume it.
        caps.transform_feedback_pause
            && gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE)
            && gl
                .get_parameter_program(glow::CURRENT_PROGRAM)
                .is_some_and(|program| {
                    !gl.get_program_link_status(program)
                        || gl.get_program_parameter_i32(program, glow::DELETE_STATUS) != 0
                })
    }
}

/// Whether a transform feedback is active and not paused.
///
/// # Safety
/// As for [`HostState::save`].
unsafe fn is_feeding_back(gl: &glow::Context, caps: &Caps) -> bool {
    // SAFETY: current (contract).
    unsafe {
        caps.transform_feedback_pause
            && gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_ACTIVE)
            && !gl.get_parameter_bool(glow::TRANSFORM_FEEDBACK_PAUSED)
    }
}

/// The host's state while the overlay draws. Dropping it, be it by a panic, puts everything back.
///
/// While it lives, texture unit 0 is active and has no sampler; the caller may bind a program, a
/// vertex array, an array buffer and a 2D texture as it likes.
#[must_use = "dropping it is what restores the host's state"]
#[derive(Debug)]
pub(crate) struct HostState<'a> {
    gl: &'a glow::Context,
    caps: &'a Caps,
    /// Bit `i`: `caps.switches[i]` was on.
    on: u64,
    scissor: bool,
    blend: bool,
    blend_func: [u32; 4],
    blend_equation: [u32; 2],
    color_mask: [bool; 4],
    /// Front, back.
    polygon_mode: [i32; 2],
    /// The host's list; looked at when `hides_draw_buffers`.
    draw_buffers: [u32; MAX_DRAW_BUFFERS],
    hides_draw_buffers: bool,
    paused_transform_feedback: bool,
    program: Option<glow::Program>,
    vertex_array: Option<glow::VertexArray>,
    array_buffer: Option<glow::Buffer>,
    active_texture: u32,
    texture: Option<glow::Texture>,
    sampler: Option<glow::Sampler>,
}

impl<'a> HostState<'a> {
    /// Saves the host's state and sets what the overlay needs. Allocates nothing.
    ///
    /// # Safety
    /// The context of `gl` is current, stays so until the drop, and is the one `caps` was detected on.
    pub(crate) unsafe fn save(gl: &'a glow::Context, caps: &'a Caps) -> Self {
        // SAFETY: current (contract); `Caps` says which names exist.
        unsafe {
            // First, since changing the program under an active one is an error.
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
                on: 0,
                scissor: gl.is_enabled(glow::SCISSOR_TEST),
                blend: gl.is_enabled(glow::BLEND),
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
                hides_draw_buffers: false,
                paused_transform_feedback,
                program: gl.get_parameter_program(glow::CURRENT_PROGRAM),
                vertex_array: gl.get_parameter_vertex_array(glow::VERTEX_ARRAY_BINDING),
                array_buffer: gl.get_parameter_buffer(glow::ARRAY_BUFFER_BINDING),
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
            for (i, buffer) in state.draw_buffers[..caps.draw_buffers]
                .iter_mut()
                .enumerate()
            {
                *buffer = gl.get_parameter_i32(glow::DRAW_BUFFER0 + i as u32) as u32;
            }
            state.hides_draw_buffers = state.draw_buffers[1..].iter().any(|&b| b != glow::NONE);
            state.neutralise();
            state
        }
    }

    /// # Safety
    /// `self` was just filled in: nothing of it is set yet.
    unsafe fn neutralise(&self) {
        let gl = self.gl;
        // SAFETY: current; `self.caps` says which calls exist.
        unsafe {
            if self.hides_draw_buffers {
                gl.draw_buffers(&self.draw_buffers[..1]);
            }
            self.for_each_switch_that_was_on(|switch| gl.disable(switch));
            if self.scissor {
                self.set_scissor(false);
            }
            if !self.blend {
                self.set_blend(true);
            }
            if self.blend_func != BLEND_FUNC {
                self.set_blend_func(BLEND_FUNC);
            }
            if self.blend_equation != BLEND_EQUATION {
                self.set_blend_equation(BLEND_EQUATION);
            }
            if self.color_mask != [true; 4] {
                self.set_color_mask([true; 4]);
            }
            if self.polygon_mode != [glow::FILL as i32; 2] {
                gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL);
            }
            if self.sampler.is_some() {
                gl.bind_sampler(0, None);
            }
        }
    }

    fn for_each_switch_that_was_on(&self, mut act: impl FnMut(u32)) {
        let mut on = self.on;
        while on != 0 {
            act(self.caps.switches[on.trailing_zeros() as usize]);
            on &= on - 1;
        }
    }

    /// # Safety
    /// As for [`HostState::save`].
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

    /// # Safety
    /// As for [`HostState::save`].
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

    /// # Safety
    /// As for [`HostState::save`].
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

    /// # Safety
    /// As for [`HostState::save`].
    unsafe fn set_blend_equation(&self, [rgb, alpha]: [u32; 2]) {
        let gl = self.gl;
        // SAFETY: current. An advanced equation (`GL_MULTIPLY` …) holds for both, and the calls for
        // separate ones refuse it.
        unsafe {
            match (self.caps.indexed_blend, rgb == alpha) {
                (true, true) => gl.blend_equation_draw_buffer(0, rgb),
                (true, false) => gl.blend_equation_separate_draw_buffer(0, rgb, alpha),
                (false, true) => gl.blend_equation(rgb),
                (false, false) => gl.blend_equation_separate(rgb, alpha),
            }
        }
    }

    /// # Safety
    /// As for [`HostState::save`].
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

    /// # Safety
    /// As for [`HostState::save`].
    unsafe fn restore_polygon_mode(&self) {
        let [front, back] = self.polygon_mode.map(|mode| mode as u32);
        // SAFETY: current. Core contexts take nothing but FRONT_AND_BACK.
        unsafe {
            if self.caps.two_sided_polygon_mode {
                self.gl.polygon_mode(glow::FRONT, front);
                self.gl.polygon_mode(glow::BACK, back);
            } else {
                self.gl.polygon_mode(glow::FRONT_AND_BACK, front);
            }
        }
    }

    /// Binds the host's objects again, save those that have lost their name meanwhile: deleted while
    /// bound, by the host or by a context that shares with it. Binding such a name is an error.
    ///
    /// # Safety
    /// As for [`HostState::save`].
    unsafe fn restore_bindings(&self) {
        let gl = self.gl;
        // SAFETY: current.
        unsafe {
            gl.use_program(
                self.program
                    .filter(|&p| gl.is_program(p) && gl.get_program_link_status(p)),
            );
            gl.bind_vertex_array(self.vertex_array);
            gl.bind_buffer(
                glow::ARRAY_BUFFER,
                self.array_buffer.filter(|&b| gl.is_buffer(b)),
            );
            gl.bind_texture(glow::TEXTURE_2D, self.texture.filter(|&t| gl.is_texture(t)));
            if self.sampler.is_some() {
                gl.bind_sampler(0, self.sampler);
            }
            if self.active_texture != glow::TEXTURE0 {
                gl.active_texture(self.active_texture);
            }
        }
    }
}

impl Drop for HostState<'_> {
    fn drop(&mut self) {
        let gl = self.gl;
        // SAFETY: current: `save`'s contract lasts until here.
        unsafe {
            self.restore_bindings();
            if self.polygon_mode != [glow::FILL as i32; 2] {
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
            if self.scissor {
                self.set_scissor(true);
            }
            self.for_each_switch_that_was_on(|switch| gl.enable(switch));
            if self.hides_draw_buffers {
                gl.draw_buffers(&self.draw_buffers[..self.caps.draw_buffers]);
            }
            // Last: resuming is legal only under the program it was begun with.
            if self.paused_transform_feedback {
                gl.resume_transform_feedback();
            }
        }
    }
}

/// How a texture upload reads memory, and what the overlay needs of it. Of the rest of `UNPACK_*`,
/// `LSB_FIRST` is for bitmaps, the others for 3D and compressed images.
const UNPACK: [(u32, i32); 5] = [
    (glow::UNPACK_ALIGNMENT, 1),
    (glow::UNPACK_ROW_LENGTH, 0),
    (glow::UNPACK_SKIP_ROWS, 0),
    (glow::UNPACK_SKIP_PIXELS, 0),
    // Desktop only, hence last.
    (glow::UNPACK_SWAP_BYTES, 0),
];

/// The host's pixel unpacking, while the overlay uploads a texture. A guard of its own, for uploads
/// are rare: it saves each frame six queries.
#[must_use = "dropping it is what restores the host's state"]
#[derive(Debug)]
pub(crate) struct HostUnpack<'a> {
    gl: &'a glow::Context,
    buffer: Option<glow::Buffer>,
    values: [i32; UNPACK.len()],
    known: usize,
}

impl<'a> HostUnpack<'a> {
    /// # Safety
    /// As for [`HostState::save`].
    pub(crate) unsafe fn save(gl: &'a glow::Context, caps: &Caps) -> Self {
        let known = UNPACK.len() - usize::from(caps.gles);
        // SAFETY: current (contract).
        unsafe {
            let buffer = gl.get_parameter_buffer(glow::PIXEL_UNPACK_BUFFER_BINDING);
            if buffer.is_some() {
                gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
            }
            let mut values = [0; UNPACK.len()];
            for ((name, wanted), value) in UNPACK.into_iter().zip(&mut values).take(known) {
                *value = gl.get_parameter_i32(name);
                gl.pixel_store_i32(name, wanted);
            }
            Self {
                gl,
                buffer,
                values,
                known,
            }
        }
    }
}

impl Drop for HostUnpack<'_> {
    fn drop(&mut self) {
        // SAFETY: current: `save`'s contract lasts until here.
        unsafe {
            for ((name, _), value) in UNPACK.into_iter().zip(self.values).take(self.known) {
                self.gl.pixel_store_i32(name, value);
            }
            if let Some(buffer) = self.buffer.filter(|&b| self.gl.is_buffer(b)) {
                self.gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, Some(buffer));
            }
        }
    }
}
