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
//! | `guard.rs` | an open GPU zone; this thread's rings; which contexts may be called |
//!
//! What comes of it is handed on as plain data, by [`gather::gpu`](crate::gather::gpu). How it gets
//! into frames and averages is for `process`, which never sees GL.

mod guard;
mod queries;
mod ring;

pub use guard::{GpuGuard, gpu_enter};
pub(crate) use guard::{collect, vouch_for};
#[cfg(all(test, not(loom), feature = "enable"))]
pub(crate) use ring::{Queries, Ring};
