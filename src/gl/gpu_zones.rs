//! GPU zones in GL contexts. A context's zones are measured if a painter uses it or if the host enables them.

#![allow(unsafe_code)] // Relies on the host's promise about its GL context.

use super::current::with_current;
use crate::gather::IS_ENABLED;
use crate::gather::local::{Guard, Site, enter};
use crate::gl::gpu_context as context;
use crate::zone::Zone;
use crate::{OpenZone, RunTimeZone};
use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::rc::Rc;
use std::thread::LocalKey;

/// The host's own pointer to its context.
pub(super) type SharedContext = Rc<dyn Deref<Target = glow::Context>>;

/// A context whose GPU zones are measured while this value lives.
pub(super) struct EnabledGpuContext(SharedContext);

impl EnabledGpuContext {
    /// # Safety
    ///
    /// The rules of [`enable_gpu_zones`] apply until the value is dropped.
    pub(super) unsafe fn new(gl: SharedContext) -> EnabledGpuContext {
        // SAFETY: this function has the same contract. The context does not move because `gl` keeps it in place.
        unsafe { context::enable(&gl) };
        EnabledGpuContext(gl)
    }

    pub(super) fn shared(&self) -> &SharedContext {
        &self.0
    }
}

impl Drop for EnabledGpuContext {
    fn drop(&mut self) {
        context::disable(&self.0);
    }
}

/// Enables [`gpu_zone!`](crate::gpu_zone!) in the context of `gl`. Call this if the program creates no painter for this
/// `glow` context, or if the zones should outlive the painter. Makes no GL calls.
///
/// `gl` is an `Rc`, an `Arc` or a `Box` of a context, or a reference to a static one. Contexts are identified by their
/// address, so `gl` is kept until [`disable_gpu_zones`] is called on this thread, or until the program ends.
///
/// # Safety
///
/// While zones are enabled, the context must be current on the calling thread whenever a GPU zone with this `gl` begins
/// or ends, and whenever [`collect_gpu_times`] is called with it. `gl` must deref to the same context each time, as
/// `Rc`, `Arc`, `Box` and references do.
///
/// ```no_run
/// # fn context() -> glow::Context { unimplemented!() }
/// let gl = std::rc::Rc::new(context());
/// // SAFETY: it is the only context of this program, and made current on this thread.
/// unsafe { iprof::gl::enable_gpu_zones(gl.clone()) };
/// iprof::gpu_zone!(gl, "everything");
/// ```
pub unsafe fn enable_gpu_zones(gl: impl Deref<Target = glow::Context> + 'static) {
    let gl: SharedContext = Rc::new(gl);
    let keep = |contexts: &RefCell<Vec<ManuallyDrop<EnabledGpuContext>>>| {
        let mut contexts = contexts.borrow_mut();
        if !contexts.iter().any(|known| is_same_context(&known.0, &gl)) {
            // SAFETY: this function has the same contract.
            contexts.push(ManuallyDrop::new(unsafe { EnabledGpuContext::new(gl) }));
        }
    };
    // Nothing is measured on a thread whose locals have been destroyed.
    let _fails_at_thread_end = ENABLED_CONTEXTS.try_with(keep);
}

/// Reverts a call to [`enable_gpu_zones`] on this thread and drops the pointer to the context. Call it before you
/// destroy the context, for example.
///
/// Open zones and pending GPU times are discarded. Their queries stay in the context, unused. Makes no GL calls, so the
/// context doesn't have to be current. If a painter was created for this `gl`, its zones are still measured.
pub fn disable_gpu_zones(gl: &glow::Context) {
    let take = |contexts: &RefCell<Vec<ManuallyDrop<EnabledGpuContext>>>| {
        let mut contexts = contexts.borrow_mut();
        let is_it = |known: &ManuallyDrop<EnabledGpuContext>| is_same_context(&known.0, gl);
        let at = contexts.iter().position(is_it)?;
        Some(contexts.swap_remove(at))
    };
    // Dropped after the borrow has ended: the value belongs to the host, and its destructor may do anything.
    if let Ok(Some(context)) = ENABLED_CONTEXTS.try_with(take) {
        drop(ManuallyDrop::into_inner(context));
    }
}

thread_local! {
    /// The contexts that were enabled on this thread. They are not dropped with the thread: dropping a context may call
    /// GL, and no context is current when a thread ends.
    static ENABLED_CONTEXTS: RefCell<Vec<ManuallyDrop<EnabledGpuContext>>> =
        const { RefCell::new(Vec::new()) };
}

fn is_same_context(shared: &SharedContext, gl: &glow::Context) -> bool {
    std::ptr::eq::<glow::Context>(&***shared, gl)
}

/// Reads the GPU times that are available in the context `gl` for frames that have ended. Normally the next GPU zone
/// does this, so only programs that keep updating without drawing need to call it.
///
/// Does not wait for results, but the driver may flush its queued commands. Reads only the calling thread's zones. Does
/// nothing, and makes no GL calls, unless the host has promised that the context is current, for example with
/// [`enable_gpu_zones`].
pub fn collect_gpu_times(gl: &glow::Context) {
    if IS_ENABLED {
        context::collect(gl);
    }
}

/// An open GPU zone held as a value, created by [`enter_gpu_zone`]. Dropping it, even while unwinding, closes the zone.
/// The value keeps the zone's context alive.
///
/// The zone belongs to the thread that opened it, so this is not `Send`.
#[must_use = "if unused, the zone closes immediately"]
pub struct OpenGpuZone {
    /// The context and the zone's id in it, or `None` if GPU time is not measured.
    on_gpu: Option<(SharedContext, u64)>,
    /// Closed last, so that the CPU time includes the GL calls.
    _on_cpu: OpenZone,
}

impl fmt::Debug for OpenGpuZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenGpuZone").finish_non_exhaustive()
    }
}

impl Drop for OpenGpuZone {
    fn drop(&mut self) {
        if let Some((gl, id)) = self.on_gpu.take() {
            context::end(&gl, id);
        }
    }
}

/// Enters a zone on the CPU and in the GL commands of the current painter's context.
///
/// Use it instead of [`gpu_zone!`](crate::gpu_zone!) if the painter was created by
/// [`init_from_loader`](super::init_from_loader), or if zone names are known only at run time. The painter's context
/// must be current here and when the returned value is dropped: see [`Painter::new`](super::Painter::new).
///
/// If there is no current overlay, or if it is currently drawing, only CPU time is measured. If the painter is
/// [destroyed](super::Painter::destroy) or dropped while the zone is open, the GPU time is discarded.
///
/// ```no_run
/// # fn loader(_: &std::ffi::CStr) -> *const std::ffi::c_void { std::ptr::null() }
/// iprof::define_zone!(SHADOWS, "shadows");
///
/// // SAFETY: the context is current on this thread, and stays so.
/// unsafe { iprof::gl::init_from_loader(loader) }?;
/// // each frame:
/// {
///     let _open = iprof::gl::enter_gpu_zone(&SHADOWS);
///     // GL calls
/// }
/// # Ok::<(), iprof::gl::GlError>(())
/// ```
pub fn enter_gpu_zone(zone: impl Into<&'static Zone>) -> OpenGpuZone {
    let zone = zone.into();
    let on_cpu = RunTimeZone::of(zone).enter();
    let on_gpu = on_cpu.node().and_then(|node| {
        let gl = with_current(|_, painter| painter.context())?;
        let id = context::begin(&gl, node, zone)?;
        Some((gl, id))
    });
    OpenGpuZone {
        on_gpu,
        _on_cpu: on_cpu,
    }
}

/// A GPU zone opened by [`gpu_zone!`](crate::gpu_zone!) for the rest of a block. Dropping it, even while unwinding,
/// closes the zone.
///
/// The guard borrows the host's context and is entered through a site, which is fast. To hold a zone as a value, use
/// [`OpenGpuZone`](crate::gl::OpenGpuZone), the counterpart of [`OpenZone`](crate::OpenZone). The zone belongs to the
/// thread that opened it, so this is not `Send`.
#[must_use]
pub struct GpuGuard<'gl> {
    /// The context and the zone's id in the ring, or `None` if GPU time is not measured.
    open: Option<(&'gl glow::Context, u64)>,
    /// Closed last, so that the CPU time includes the GL calls.
    _on_cpu: Guard,
}

impl fmt::Debug for GpuGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuGuard").finish_non_exhaustive()
    }
}

/// Enters `zone` through `key`'s site, on the CPU and in `gl`'s commands.
#[allow(missing_docs)]
pub fn gpu_enter<'gl>(
    key: &'static LocalKey<Site>,
    zone: &'static Zone,
    gl: &'gl glow::Context,
) -> GpuGuard<'gl> {
    let on_cpu = enter(key, zone);
    let id = on_cpu
        .node()
        .and_then(|node| context::begin(gl, node, zone));
    let open = id.map(|id| (gl, id));
    GpuGuard {
        open,
        _on_cpu: on_cpu,
    }
}

impl Drop for GpuGuard<'_> {
    fn drop(&mut self) {
        if let Some((gl, id)) = self.open {
            context::end(gl, id);
        }
    }
}
