//! An open GPU zone.

use super::GpuContext;
use crate::Zone;
use crate::gather::local::{Guard, Site, enter};
use std::thread::LocalKey;

/// An open GPU zone. Closes it when dropped, be it by unwinding.
///
/// It belongs to the thread that opened it, hence is not `Send`.
#[must_use]
pub struct GpuGuard<'gl> {
    /// The context, and what the ring calls the zone; none if it is not measured.
    open: Option<(&'gl dyn GpuContext, u64)>,
    /// Closed after that: so the zone on the processor has the GL calls in it.
    _on_processor: Guard,
}

impl std::fmt::Debug for GpuGuard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GpuGuard").finish_non_exhaustive()
    }
}

/// Enters `zone` from the site of `key`, on the processor and in the commands of `gl`.
#[allow(missing_docs)]
pub fn gpu_enter<'gl>(
    key: &'static LocalKey<Site>,
    zone: &'static Zone,
    gl: &'gl dyn GpuContext,
) -> GpuGuard<'gl> {
    let on_processor = enter(key, zone);
    let open = gl.begin(&on_processor, zone).map(|id| (gl, id));
    GpuGuard {
        open,
        _on_processor: on_processor,
    }
}

impl Drop for GpuGuard<'_> {
    fn drop(&mut self) {
        if let Some((gl, id)) = self.open {
            gl.end(id);
        }
    }
}
