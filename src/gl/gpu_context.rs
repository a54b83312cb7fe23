//! The enabled contexts, and each thread's timer queries (`Ring`) for each context.
//!
//! A timestamp query (`GL_TIMESTAMP`) is never active, so the host's active queries are not disturbed. Reading results
//! depends on only one piece of host state: if a query buffer is bound, it is unbound and later bound again.

#![allow(unsafe_code, reason = "every GL call is unsafe")]

// Terms used in this file's SAFETY comments:
// "enabled": `enabled_id` found the context's address. By the contract of `enable`, the context has not moved since
// it was enabled, and it is current on this thread.
// "current": the context of `GlQueries::gl` is current on this thread, as `GlQueries::new` requires.
// "ours": queries come from `make` in the same context, and only `delete` deletes them.

use crate::Zone;
use crate::gather::ThreadRecord;
use crate::gather::gpu::{GpuLosses, with_mailbox};
use crate::sync::{Mutex, lock};
use glow::HasContext;
use iprof_gather::gpu::ring::{MAX_IN_FLIGHT, Queries, Ring};
use std::cell::RefCell;

/// The maximum number of contexts per thread. Beyond it, the least recently used context and its queries are dropped.
const MAX_RINGS: usize = 8;

/// The enabled contexts. Each context's host has promised that the context is current whenever it is passed to this
/// module.
static ENABLED: Mutex<Enabled> = Mutex::new(Enabled {
    contexts: Vec::new(),
    last_id: 0,
});

#[derive(Default)]
struct Enabled {
    contexts: Vec<EnabledContext>,
    last_id: u64,
}

/// A context, identified by its address. The caller of `enable` keeps it at that address until it is disabled, so no
/// other context can have the same address.
struct EnabledContext {
    address: usize,
    /// Unique, even if a later context has the same address.
    id: u64,
    /// The number of calls to `enable` that have not been reverted.
    times: usize,
}

fn address(gl: &glow::Context) -> usize {
    std::ptr::from_ref(gl).addr()
}

/// Returns the context's id, or `None` if the context is not enabled.
fn enabled_id(gl: &glow::Context) -> Option<u64> {
    let address = address(gl);
    let enabled = lock(&ENABLED);
    let has = |context: &&EnabledContext| context.address == address;
    Some(enabled.contexts.iter().find(has)?.id)
}

thread_local! {
    /// The contexts used on this thread, with the most recently used one last.
    static RINGS: RefCell<Vec<ThreadContext>> = const { RefCell::new(Vec::new()) };
}

struct ThreadContext {
    /// The context's [`EnabledContext::id`].
    context: u64,
    caps: Option<TimerCaps>,
    ring: Ring<glow::Query>,
}

/// Calls `f` with this thread's state for the enabled context `id`.
///
/// Returns `None` if called from within `f`, for example by a driver's debug callback, or if the thread's locals have
/// been destroyed.
fn with_thread_context<R>(
    id: u64,
    gl: &glow::Context,
    f: impl FnOnce(&mut ThreadContext) -> R,
) -> Option<R> {
    let with = |rings: &RefCell<Vec<ThreadContext>>| {
        let mut rings = rings.try_borrow_mut().ok()?;
        match rings.iter().rposition(|known| known.context == id) {
            Some(at) => {
                let last = rings.len() - 1;
                if at < last {
                    rings[at..].rotate_left(1);
                }
            }
            None => {
                if rings.len() == MAX_RINGS {
                    rings.remove(0);
                }
                rings.push(ThreadContext {
                    context: id,
                    caps: TimerCaps::detect(gl),
                    ring: Ring::new(MAX_IN_FLIGHT),
                });
            }
        }
        rings.last_mut().map(f)
    };
    RINGS.try_with(with).ok().flatten()
}

/// Drops this thread's state for a context that is no longer enabled. Other threads drop their state when they end or
/// use other contexts.
fn forget(id: u64) {
    let _fails_at_thread_end = RINGS.try_with(|rings| {
        let mut rings = rings.try_borrow_mut().ok()?;
        let at = rings.iter().position(|known| known.context == id)?;
        Some(rings.remove(at))
    });
}

/// Enables the measurement of GPU zones in this context. Each call needs a matching call to [`disable`](disable).
///
/// # Safety
///
/// While the context is enabled, it must not move in memory. It must be current on the calling thread whenever a GPU
/// zone in it begins or ends, when its results are [collected](collect), and when its queries are
/// [deleted](delete_queries).
pub(crate) unsafe fn enable(gl: &glow::Context) {
    let address = address(gl);
    let mut enabled = lock(&ENABLED);
    let Enabled { contexts, last_id } = &mut *enabled;
    match contexts.iter_mut().find(|known| known.address == address) {
        Some(context) => context.times += 1,
        None => {
            *last_id += 1;
            contexts.push(EnabledContext {
                address,
                id: *last_id,
                times: 1,
            });
        }
    }
}

/// Reverts one call to [`enable`]. Makes no GL calls.
pub(crate) fn disable(gl: &glow::Context) {
    let address = address(gl);
    let mut enabled = lock(&ENABLED);
    let contexts = &mut enabled.contexts;
    let Some(at) = contexts.iter().position(|known| known.address == address) else {
        return;
    };
    contexts[at].times -= 1;
    let gone = (contexts[at].times == 0).then(|| contexts.swap_remove(at).id);
    drop(enabled);
    if let Some(id) = gone {
        forget(id);
    }
}

/// Discards this thread's unfinished measurements and deletes its queries.
pub(crate) fn delete_queries(gl: &glow::Context) {
    let Some(id) = enabled_id(gl) else { return };
    with_thread_context(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        known.ring.give_up();
        known.ring.delete(&mut queries);
        known.ring.timeline.deliver();
    });
}

/// Begins a GPU zone. On the CPU, the zone is open as `thread`'s `node`.
pub(crate) fn begin(
    gl: &glow::Context,
    (thread, node): (&'static ThreadRecord, u32),
    zone: &'static Zone,
) -> Option<u64> {
    let Some(id) = enabled_id(gl) else {
        let mut losses = GpuLosses {
            unknown_context: 1,
            ..GpuLosses::default()
        };
        with_mailbox(|mailbox| mailbox.deliver(&mut Vec::new(), &mut losses));
        return None;
    };
    let begun = with_thread_context(id, gl, |known| {
        let caps = known.caps?;
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let (frame, origin) = known.ring.timeline.origin(thread, node, zone);
        if known.ring.is_due_in(frame) {
            known
                .ring
                .read_before(&mut queries, frame.saturating_sub(1));
        }
        let id = known.ring.begin(&mut queries, origin?);
        known.ring.timeline.deliver();
        id
    });
    begun.flatten()
}

pub(crate) fn end(gl: &glow::Context, zone: u64) {
    let Some(id) = enabled_id(gl) else { return };
    with_thread_context(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let (zones, frame) = known.ring.timeline.submit(zone);
        known.ring.end(&mut queries, zones, frame);
    });
}

/// Reads the available results of all frames that have ended.
pub(crate) fn collect(gl: &glow::Context) {
    let Some(id) = enabled_id(gl) else { return };
    with_thread_context(id, gl, |known| {
        let Some(caps) = known.caps else { return };
        // SAFETY: enabled.
        let mut queries = unsafe { GlQueries::new(gl, caps) };
        let frame = with_mailbox(|mailbox| mailbox.frame);
        known.ring.read_before(&mut queries, frame);
        known.ring.timeline.deliver();
    });
}

/// `GL_GPU_DISJOINT_EXT`.
const GPU_DISJOINT: u32 = 0x8FBB;

/// A context's timer query capabilities, detected once from its version and extensions.
#[derive(Clone, Copy, Debug)]
struct TimerCaps {
    /// Whether the context reports that its clock was interrupted.
    has_disjoint: bool,
    /// Whether the context supports query buffers. If a query buffer is bound, results are written to that buffer.
    has_query_buffer: bool,
}

impl TimerCaps {
    /// Returns `None` if the context has no timer queries.
    fn detect(gl: &glow::Context) -> Option<TimerCaps> {
        if cfg!(all(target_family = "wasm", not(target_os = "emscripten"))) {
            // Chromium has EXT_disjoint_timer_query_webgl2, but without timestamps (GL_TIMESTAMP has 0 bits). Elapsed
            // times (GL_TIME_ELAPSED) do not work for nested zones, or while the host has an active query.
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

/// A context that is current while this value lives.
struct GlQueries<'gl> {
    gl: &'gl glow::Context,
    caps: TimerCaps,
    /// The host's query buffer, to be restored. `None` if the binding has not been read yet, 0 if no buffer is bound.
    buffer: Option<u32>,
}

impl<'gl> GlQueries<'gl> {
    /// # Safety
    ///
    /// The context of `gl` is current on this thread while this value lives.
    unsafe fn new(gl: &'gl glow::Context, caps: TimerCaps) -> GlQueries<'gl> {
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
        // SAFETY: current; contexts with `has_query_buffer` support both names.
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
            // SAFETY: current; the buffer was bound there before.
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
        // SAFETY: current; ours. A timestamp was requested for the query, since the ring reads no other queries.
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
        // SAFETY: current; contexts with `has_disjoint` support the name.
        self.caps.has_disjoint && unsafe { self.gl.get_parameter_i32(GPU_DISJOINT) } != 0
    }
}
