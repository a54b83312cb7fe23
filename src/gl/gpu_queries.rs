//! The GL calls of GPU zones: creates, stamps, reads and deletes timestamp queries.
//!
//! A timestamp query (`GL_TIMESTAMP`) is never active, so it does not interfere with the host's queries:
//! active ones stay active and count as before. The only host state that affects reading results is a bound
//! query buffer; it is unbound and restored.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariants behind the SAFETY lines of this file:
// "current": the context of `GlQueries::gl` is current on this thread, which is the contract of
// `GlQueries::new`. "ours": queries come from `make` of the same context, and only `delete` deletes them.

use glow::HasContext;
use iprof_gather::gpu::ring::Queries;

/// `GL_GPU_DISJOINT_EXT`.
const GPU_DISJOINT: u32 = 0x8FBB;

/// The timer query capabilities of a context, detected once from its version and extensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimerCaps {
    /// It reports whether its clock was interrupted.
    has_disjoint: bool,
    /// It supports query buffers, to which results would be written.
    has_query_buffer: bool,
}

impl TimerCaps {
    /// `None` if the context has no timer queries.
    pub(super) fn detect(gl: &glow::Context) -> Option<TimerCaps> {
        if cfg!(all(target_family = "wasm", not(target_os = "emscripten"))) {
            // Chromium has EXT_disjoint_timer_query_webgl2, but its clock has no bits for timestamps
            // (GL_TIMESTAMP), only for differences (GL_TIME_ELAPSED). These do not work for nested zones,
            // or while a query of the host's is active.
            return None;
        }
        let version = gl.version();
        let from = |major, minor| (version.major, version.minor) >= (major, minor);
        let has = |extension: &str| gl.supported_extensions().contains(extension);
        let is_timed = match version.is_embedded {
            true => has("GL_EXT_disjoint_timer_query"),
            false => from(3, 3) || has("GL_ARB_timer_query"),
        };
        is_timed.then(|| TimerCaps {
            has_disjoint: version.is_embedded,
            has_query_buffer: !version.is_embedded
                && (from(4, 4) || has("GL_ARB_query_buffer_object")),
        })
    }
}

/// A context that is current as long as this value lives.
pub(super) struct GlQueries<'gl> {
    gl: &'gl glow::Context,
    caps: TimerCaps,
    /// The host's query buffer, to be bound again; `None` before it was queried, 0 for no buffer.
    buffer: Option<u32>,
}

impl<'gl> GlQueries<'gl> {
    /// # Safety
    ///
    /// The context of `gl` is current on this thread as long as this value lives.
    pub(super) unsafe fn new(gl: &'gl glow::Context, caps: TimerCaps) -> GlQueries<'gl> {
        GlQueries {
            gl,
            caps,
            buffer: None,
        }
    }

    /// Unbinds the query buffer, so that results are written to memory.
    fn unbind_buffer(&mut self) {
        if self.buffer.is_some() || !self.caps.has_query_buffer {
            return;
        }
        // SAFETY: current; both are known where `has_query_buffer` is.
        unsafe {
            let bound = self.gl.get_parameter_i32(glow::QUERY_BUFFER_BINDING);
            self.buffer = Some(bound as u32);
            if bound != 0 {
                self.gl.bind_buffer(glow::QUERY_BUFFER, None);
            }
        }
    }
}

impl Drop for GlQueries<'_> {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.and_then(std::num::NonZeroU32::new) {
            // SAFETY: current; the buffer was bound there.
            unsafe {
                self.gl
                    .bind_buffer(glow::QUERY_BUFFER, Some(native_buffer(buffer)));
            }
        }
    }
}

#[cfg(not(all(target_family = "wasm", not(target_os = "emscripten"))))]
fn native_buffer(name: std::num::NonZeroU32) -> glow::Buffer {
    glow::NativeBuffer(name)
}

#[cfg(all(target_family = "wasm", not(target_os = "emscripten")))]
fn native_buffer(_: std::num::NonZeroU32) -> glow::Buffer {
    unreachable!("there are no timer queries")
}

impl Queries for GlQueries<'_> {
    type Query = glow::Query;

    fn make(&mut self) -> Option<glow::Query> {
        // SAFETY: current.
        unsafe { self.gl.create_query() }.ok()
    }

    fn stamp(&mut self, query: glow::Query) {
        // SAFETY: current; ours.
        unsafe { self.gl.query_counter(query, glow::TIMESTAMP) }
    }

    fn read(&mut self, query: glow::Query) -> Option<u64> {
        self.unbind_buffer();
        // SAFETY: current; ours, and stamped, or there would be nothing to read.
        unsafe {
            let ready = |gl: &glow::Context| {
                gl.get_query_parameter_u32(query, glow::QUERY_RESULT_AVAILABLE) != 0
            };
            ready(self.gl).then(|| self.gl.get_query_parameter_u64(query, glow::QUERY_RESULT))
        }
    }

    fn delete(&mut self, query: glow::Query) {
        // SAFETY: current; ours.
        unsafe { self.gl.delete_query(query) }
    }

    fn was_disjoint(&mut self) -> bool {
        // SAFETY: current; known with the extension that `has_disjoint` stands for.
        self.caps.has_disjoint && unsafe { self.gl.get_parameter_i32(GPU_DISJOINT) } != 0
    }
}
