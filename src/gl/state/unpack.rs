//! Saves, sets and restores the host's pixel unpacking parameters around glyph uploads. These parameters control how GL
//! reads memory.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// In this file's SAFETY comments, "current" means the same as in `mod.rs`.

use glow::HasContext;

use super::Caps;

/// `GL_UNPACK_FLIP_Y_WEBGL`.
const UNPACK_FLIP_Y: u32 = 0x9240;

/// Each parameter, with the overlay's value and GL's initial value. The other `UNPACK_*` parameters do not matter:
/// `LSB_FIRST` is for bitmaps, the rest are for 3D and compressed images.
const UNPACK: [(u32, i32, i32); 5] = [
    (glow::UNPACK_ALIGNMENT, 1, 4),
    // ES 2.0 lacks this parameter.
    (glow::UNPACK_ROW_LENGTH, 0, 0),
    (glow::UNPACK_SKIP_ROWS, 0, 0),
    (glow::UNPACK_SKIP_PIXELS, 0, 0),
    // Only desktop GL has this parameter.
    (glow::UNPACK_SWAP_BYTES, 0, 0),
];

/// Saves the host's pixel unpacking state while the overlay uploads a texture. This guard is separate from
/// `StateGuard`, because most frames upload nothing and can skip its six queries.
#[must_use = "if unused, the host's state is restored immediately"]
#[derive(Debug)]
pub(crate) struct UnpackGuard<'a> {
    gl: &'a glow::Context,
    buffer: Option<glow::Buffer>,
    values: [i32; UNPACK.len()],
    /// The number of `UNPACK` entries that the context supports.
    known: usize,
    /// The host's `UNPACK_FLIP_Y_WEBGL`; only in WebGL.
    flips: bool,
}

impl<'a> UnpackGuard<'a> {
    /// Sets the overlay's values. With `query`, queries the host's values and restores them when the guard is dropped.
    /// Without `query`, dropping the guard sets GL's initial values.
    ///
    /// # Safety
    /// The rules of [`super::StateGuard::save`] apply.
    pub(crate) unsafe fn save(gl: &'a glow::Context, caps: &Caps, query: bool) -> Self {
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
                if query {
                    guard.buffer = gl.get_parameter_buffer(glow::PIXEL_UNPACK_BUFFER_BINDING);
                }
                if !query || guard.buffer.is_some() {
                    gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
                }
            }
            for ((name, wanted, _), value) in
                UNPACK.into_iter().zip(&mut guard.values).take(guard.known)
            {
                if query {
                    *value = gl.get_parameter_i32(name);
                }
                gl.pixel_store_i32(name, wanted);
            }
            if cfg!(all(target_family = "wasm", not(target_os = "emscripten"))) {
                guard.flips = query && gl.get_parameter_bool(UNPACK_FLIP_Y);
                gl.pixel_store_bool(UNPACK_FLIP_Y, false);
            }
        }
        guard
    }
}

impl Drop for UnpackGuard<'_> {
    fn drop(&mut self) {
        let gl = self.gl;
        // SAFETY: current, since `save`'s contract lasts until here.
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
