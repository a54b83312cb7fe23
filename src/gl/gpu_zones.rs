//! Enables and disables GPU zones in GL contexts: those of painters, and those that the host names.

#![allow(unsafe_code)] // Passes the host's promise about its GL context on.

use crate::gather::IS_ENABLED;
use crate::gl::gpu_context as context;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::rc::Rc;

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
