//! Saves, sets and restores the host's pixel unpacking parameters (how GL reads memory) for an upload
//! of glyphs.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind the SAFETY lines, "current", is that of `mod.rs`.

use glow::HasContext;

use super::Caps;

/// `GL_UNPACK_FLIP_Y_WEBGL`.
const UNPACK_FLIP_Y: u32 = 0x9240;

/// Parameter, the overlay's value and GL's initial value. Of the other `UNPACK_*` parameters, `LSB_FIRST`
/// is for bitmaps, the rest for 3D and compressed images.
const UNPACK: [(u32, i32, i32); 5] = [
    (glow::UNPACK_ALIGNMENT, 1, 4),
    // Not in ES 2.0.
    (glow::UNPACK_ROW_LENGTH, 0, 0),
    (glow::UNPACK_SKIP_ROWS, 0, 0),
    (glow::UNPACK_SKIP_PIXELS, 0, 0),
    // Desktop only.
    (glow::UNPACK_SWAP_BYTES, 0, 0),
];

/// The host's pixel unpacking while the overlay uploads a texture. This is a guard of its own because
/// uploads are rare: most frames save six queries.
#[must_use = "dropping it is what restores the host's state"]
#[derive(Debug)]
pub(crate) struct UnpackGuard<'a> {
    gl: &'a glow::Context,
    buffer: Option<glow::Buffer>,
    values: [i32; UNPACK.len()],
    /// How many entries of `UNPACK` the context knows.
    known: usize,
    /// WebGL only: `UNPACK_FLIP_Y_WEBGL`.
    flips: bool,
}

impl<'a> UnpackGuard<'a> {
    /// With `ask`, queries the values, and dropping the guard restores them; otherwise dropping it sets
    /// GL's initial values.
    ///
    /// # Safety
    /// As for [`super::StateGuard::save`].
    pub(crate) unsafe fn save(gl: &'a glow::Context, caps: &Caps, ask: bool) -> Self {
        let mut guard = Self {
            gl,
            buffer: None,
            values: UNPACK.map(|(_, _, initial)| initial),
            known: match (caps.gles, caps.unpack_rectangles) {
                (false, _) => UNPACK.len(),
                (true, true) => UNPACK.len() - 1,
                (true, false) => 1,
            },
            flips: false,
        };
        // SAFETY: current (contract).
        unsafe {
            if caps.unpack_buffer {
                if ask {
                    guard.buffer = gl.get_parameter_buffer(glow::PIXEL_UNPACK_BUFFER_BINDING);
                }
                if !ask || guard.buffer.is_some() {
                    gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
                }
            }
            for ((name, wanted, _), value) in
                UNPACK.into_iter().zip(&mut guard.values).take(guard.known)
            {
                if ask {
                    *value = gl.get_parameter_i32(name);
                }
                gl.pixel_store_i32(name, wanted);
            }
            if cfg!(all(target_family = "wasm", not(target_os = "emscripten"))) {
                guard.flips = ask && gl.get_parameter_bool(UNPACK_FLIP_Y);
                gl.pixel_store_bool(UNPACK_FLIP_Y, false);
            }
        }
        guard
    }
}

impl Drop for UnpackGuard<'_> {
    fn drop(&mut self) {
        let gl = self.gl;
        // SAFETY: current: `save`'s contract lasts until here.
        unsafe {
            for ((name, ..), value) in UNPACK.into_iter().zip(self.values).take(self.known) {
                gl.pixel_store_i32(name, value);
            }
            if self.flips {
                gl.pixel_store_bool(UNPACK_FLIP_Y, true);
            }
            if let Some(buffer) = self.buffer.filter(|&b| gl.is_buffer(b)) {
                gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, Some(buffer));
            }
        }
    }
}
