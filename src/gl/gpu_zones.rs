//! GPU zones in GL contexts, those of painters and those that the host names: enables and disables them, enters a zone on the CPU and
//! in the GL commands, and leaves both.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on.

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

/// A context by way of the host's own pointer to it.
pub(super) type SharedContext = Rc<dyn Deref<Target = glow::Context>>;

/// A context whose GPU zones are measured as long as this value lives.
pub(super) struct WithGpuZones(SharedContext);

impl WithGpuZones {
    /// # Safety
    ///
    /// As for [`enable_gpu_zones`], until the value is dropped.
    pub(super) unsafe fn new(gl: SharedContext) -> WithGpuZones {
        // SAFETY: the contract is the same; the context does not move, since it is held.
        unsafe { context::enable(&gl) };
        WithGpuZones(gl)
    }

    pub(super) fn shared(&self) -> &SharedContext {
        &self.0
    }
}

impl Drop for WithGpuZones {
    fn drop(&mut self) {
        context::disable(&self.0);
    }
}

/// Enables [`gpu_zone!`](crate::gpu_zone!) in the context of `gl`, in a program that creates no painter for
/// this `glow` context, or for longer than the painter lives. Calls no GL.
///
/// `gl` is an `Rc`, an `Arc` or a `Box` of a context, or a reference to a static one. It is kept as long as
/// the program runs, or until [`disable_gpu_zones`] is called on this thread: a context is identified by
/// its address, where no other context may be.
///
/// # Safety
///
/// Until then, the context must be current on the calling thread where a GPU zone of this `gl` begins and
/// ends, and where [`collect_gpu_times`] is called with it. `gl` derefs to the same context each time, as
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
    let keep = |contexts: &RefCell<Vec<ManuallyDrop<WithGpuZones>>>| {
        let mut contexts = contexts.borrow_mut();
        if !contexts.iter().any(|known| is_at(&known.0, &gl)) {
            // SAFETY: the caller's promise is the same.
            contexts.push(ManuallyDrop::new(unsafe { WithGpuZones::new(gl) }));
        }
    };
    // After the thread's locals are destroyed, nothing is measured on it.
    let _past_the_end = WITH_GPU_ZONES.try_with(keep);
}

/// Reverts [`enable_gpu_zones`], which was called on this thread, and drops the context handle: before a
/// context is destroyed, for example. Open zones and times that are not known yet are discarded; their
/// queries stay in the context unused. Calls no GL, so the context need not be current.
///
/// A painter that was created for this `gl` continues to measure.
pub fn disable_gpu_zones(gl: &glow::Context) {
    let take = |contexts: &RefCell<Vec<ManuallyDrop<WithGpuZones>>>| {
        let mut contexts = contexts.borrow_mut();
        let is_it = |known: &ManuallyDrop<WithGpuZones>| is_at(&known.0, gl);
        let at = contexts.iter().position(is_it)?;
        Some(contexts.swap_remove(at))
    };
    // Dropped without a borrow: the value belongs to the host, and its destructor may do anything.
    if let Ok(Some(context)) = WITH_GPU_ZONES.try_with(take) {
        drop(ManuallyDrop::into_inner(context));
    }
}

thread_local! {
    /// Contexts that were enabled on this thread. They are not dropped with the thread, since dropping a
    /// context may call GL, and no context is current when a thread ends.
    static WITH_GPU_ZONES: RefCell<Vec<ManuallyDrop<WithGpuZones>>> =
        const { RefCell::new(Vec::new()) };
}

fn is_at(shared: &SharedContext, gl: &glow::Context) -> bool {
    std::ptr::eq::<glow::Context>(&***shared, gl)
}

/// Reads the available times of the GPU zones of `gl`, of all frames that have ended: for a program that
/// continues to update but draws nothing; otherwise the next GPU zone does this. It does not wait, though
/// the driver may flush its queued commands.
///
/// Only zones of the calling thread are read. If the host has not promised that the context is current, as
/// by [`enable_gpu_zones`], nothing is read and no GL is called.
pub fn collect_gpu_times(gl: &glow::Context) {
    if IS_ENABLED {
        context::collect(gl);
    }
}

/// An open GPU zone that the host holds as a value, made by [`enter_gpu_zone`]. Dropping it, also by unwinding, closes the
/// zone. It keeps the context of the painter in which it was entered.
///
/// It belongs to the thread that opened it, hence is not `Send`.
#[must_use = "dropping it closes the zone"]
pub struct OpenGpuZone {
    /// The context, and the zone's id there; `None` if the GPU's time is not measured.
    on_gpu: Option<(SharedContext, u64)>,
    /// Closed last, so that the CPU's time includes the GL calls.
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

/// Enters a zone on the CPU and in the GL commands of the context of this thread's current painter, as
/// [`gpu_zone!`](crate::gpu_zone!) does in a `glow` context: for hosts whose painter was made by
/// [`init_from_loader`](super::init_from_loader), and for zones whose names are known only at run time. The context must be
/// current here and where the returned value is dropped, as [`Painter::new`](super::Painter::new) says.
///
/// Without a current overlay, or while it draws, only the CPU's time is measured. If its painter is
/// [destroyed](super::Painter::destroy) or dropped while the zone is open, the GPU's time is discarded.
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

/// An open GPU zone of [`gpu_zone!`](crate::gpu_zone!), for the rest of a block. Dropping it, also by unwinding, closes the
/// zone. It borrows the host's context and is entered from a site, which makes it fast: what a host holds as a value is
/// [`OpenGpuZone`](crate::gl::OpenGpuZone). These two are to each other as the guard of `zone!` and
/// [`OpenZone`](crate::OpenZone).
///
/// It belongs to the thread that opened it, so it is not `Send`.
#[must_use]
pub struct GpuGuard<'gl> {
    /// The context, and the zone's id in the ring; `None` if the zone is not measured.
    open: Option<(&'gl glow::Context, u64)>,
    /// Closed last, so that the CPU zone includes the GL calls.
    _on_cpu: Guard,
}

impl fmt::Debug for GpuGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuGuard").finish_non_exhaustive()
    }
}

/// Enters `zone` from the site of `key`, on the CPU and in the commands of `gl`.
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
