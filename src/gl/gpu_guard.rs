//! The guard of a block's GPU zone: enters the zone on the CPU and in the GL commands, and leaves both when it
//! is dropped.

use super::gpu_context as context;
use crate::Zone;
use crate::gather::local::{Guard, Site, enter};
use std::thread::LocalKey;

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

impl std::fmt::Debug for GpuGuard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
