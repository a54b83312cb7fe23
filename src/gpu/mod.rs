//! GPU zones: measure the time that the GPU takes for a part of the host's GL commands.
//!
//! At the beginning and at the end of a GPU zone, a timestamp query is inserted into the host's commands.
//! The GPU writes its time when it reaches the query. The results are read when they are available, usually
//! frames later; nothing ever waits for them.
//!
//! | file | contents |
//! |---|---|
//! | `spans.rs` | zones from their submission until their times are known: nesting, self times |
//! | `timeline.rs` | hands them in: for `gpu_zone!`, and for programs that measure the GPU by themselves |
//! | `ring.rs` | the queries of one GL context on one thread, which measure the zones of a timeline |
//! | `queries.rs` | the GL calls |
//! | `context.rs` | this thread's rings; which contexts are enabled |
//! | `guard.rs` | an open GPU zone |
//! | `named_context.rs` | which context a zone names, and the compile error if it is none |
//!
//! `queries.rs` and `context.rs` are compiled once for each version of `glow`.
//!
//! The results are passed on as plain data by [`gather::gpu`](crate::gather::gpu). `process` adds them to
//! frames and averages, and never calls GL.

#![allow(unsafe_code, reason = "states the host's promise about its GL context")]

#[cfg(feature = "glow-0-17")]
mod glow_0_17;
#[cfg(feature = "glow-0-18")]
mod glow_0_18;
#[cfg(feature = "_gl")]
mod guard;
#[cfg(feature = "_gl")]
mod named_context;
#[cfg(feature = "_gl")]
mod ring;
mod spans;
mod timeline;

#[cfg(feature = "_gl")]
use {crate::Zone, crate::gather::local::Guard};

#[cfg(feature = "_gl")]
pub use guard::{GpuGuard, gpu_enter};
#[cfg(feature = "_gl")]
pub use named_context::{IsContext, IsNoContext, Named, PointsToContext, PointsToPointer};
#[cfg(all(test, not(loom), feature = "enable", feature = "_gl"))]
pub(crate) use ring::{Queries, Ring};
pub use timeline::{GpuTimeline, GpuZone};

/// A `glow` context of any supported version.
#[cfg(feature = "_gl")]
#[diagnostic::on_unimplemented(
    message = "iprof was not built for a context of type `{Self}`",
    note = "glow 0.18 needs iprof's feature `glow-0-18`; glow 0.17 needs `glow-0-17`",
    note = "for other versions, or without glow, hand in the times of GPU zones: `iprof::GpuTimeline`"
)]
#[allow(missing_docs)]
pub trait GpuContext {
    /// The context itself, also through smart pointers.
    #[doc(hidden)]
    fn as_gpu_context(&self) -> &dyn GpuContext;

    /// Allows GPU zones of this context to be measured, until it is [disabled](Self::disable) as often as
    /// it was enabled.
    ///
    /// # Safety
    ///
    /// Until then the context must not move in memory; and it must be current on the calling thread
    /// whenever a GPU zone of it begins or ends, when its results are [collected](GpuContext::collect), and
    /// when its queries are [deleted](GpuContext::delete_queries).
    #[doc(hidden)]
    unsafe fn enable(&self);

    /// Reverts one [`enable`](Self::enable). Calls no GL.
    #[doc(hidden)]
    fn disable(&self);

    /// Discards the measurements in progress on this thread, and deletes its queries.
    #[doc(hidden)]
    fn delete_queries(&self);

    /// Begins a zone on the GPU, unless the zone is not recorded on the CPU.
    #[doc(hidden)]
    fn begin(&self, on_cpu: &Guard, zone: &'static Zone) -> Option<u64>;

    /// Ends a zone.
    #[doc(hidden)]
    fn end(&self, zone: u64);

    /// Reads the available results of all frames that have ended.
    #[doc(hidden)]
    fn collect(&self);
}
