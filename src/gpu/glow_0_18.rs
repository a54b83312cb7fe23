//! GPU zones of contexts of `glow` 0.18: the files that call GL, compiled once for each version.

use ::glow;

#[path = "context.rs"]
mod context;
#[path = "queries.rs"]
mod queries;
