//! GPU zones in the context of the current overlay, for hosts that have no `glow` context to name.

use super::current::with_current;
use super::gpu_zones::SharedContext;
use crate::gl::gpu_context as context;
use crate::zone::Zone;
use crate::{OpenZone, RunTimeZone};
use std::fmt;

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
