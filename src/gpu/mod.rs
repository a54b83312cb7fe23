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
//!
//! The results are passed on as plain data by [`gather::gpu`](crate::gather::gpu). `process` adds them to
//! frames and averages, and never calls GL.

#[cfg(feature = "gl")]
pub(crate) mod context;
#[cfg(feature = "gl")]
mod guard;
#[cfg(feature = "gl")]
mod queries;
#[cfg(feature = "gl")]
mod ring;
mod spans;
mod timeline;

#[cfg(feature = "gl")]
pub use guard::{GpuGuard, gpu_enter};
#[cfg(all(test, not(loom), feature = "gl"))]
pub(crate) use ring::{Queries, Ring};
pub use timeline::{GpuTimeline, GpuZone};
