//! GPU zones: what the GPU did between two places in the host's GL commands.
//!
//! Where a GPU zone begins and where it ends, a query is put among the host's commands that asks the
//! GPU for the time when it gets there. Frames later the answers are there, and are read; nobody ever
//! waits for them.
//!
//! | file | noun |
//! |---|---|
//! | `ring.rs` | the queries of one context on one thread, and the zones that they stand for |
//! | `queries.rs` | the GL calls |
//! | `context.rs` | this thread's rings; which contexts are enabled |
//! | `guard.rs` | an open GPU zone |
//!
//! `queries.rs` and `context.rs` are there once for each version of `glow`.
//!
//! What comes of it is handed on as plain data, by [`gather::gpu`](crate::gather::gpu). How it gets
//! into frames and averages is for `process`, which never sees GL.

#![allow(unsafe_code, reason = "states the host's promise about its GL context")]

#[cfg(feature = "glow-0-17")]
mod glow_0_17;
#[cfg(feature = "gl")]
mod glow_0_18;
mod guard;
mod ring;

use crate::Zone;
use crate::gather::local::Guard;

pub use guard::{GpuGuard, gpu_enter};
#[cfg(all(test, not(loom), feature = "enable"))]
pub(crate) use ring::{Queries, Ring};

/// A `glow` context, of whatever version.
#[allow(missing_docs)]
pub trait GpuContext {
    /// Itself, through whatever derefs to it.
    #[doc(hidden)]
    fn as_gpu_context(&self) -> &dyn GpuContext;

    /// From here on GPU zones of this context may be measured, until it is [disabled](Self::disable) as
    /// often as it was enabled.
    ///
    /// # Safety
    ///
    /// Until then it stays where it is in memory; and it is current on the calling thread whenever a GPU
    /// zone of it begins or ends, when its results are [collected](GpuContext::collect), and when its
    /// queries are [deleted](GpuContext::delete_queries).
    #[doc(hidden)]
    unsafe fn enable(&self);

    /// Takes back one [`enable`](Self::enable). Calls no GL.
    #[doc(hidden)]
    fn disable(&self);

    /// Gives up what is under way on this thread, and deletes its queries.
    #[doc(hidden)]
    fn delete_queries(&self);

    /// Begins a zone on the GPU, unless it is not recorded on the processor.
    #[doc(hidden)]
    fn begin(&self, on_processor: &Guard, zone: &'static Zone) -> Option<u64>;

    /// Ends it.
    #[doc(hidden)]
    fn end(&self, zone: u64);

    /// Reads what is ready of all frames that have ended.
    #[doc(hidden)]
    fn collect(&self);
}
