//! GPU zones of contexts of `glow` 0.17: see `glow_0_18.rs`.

#![cfg_attr(
    feature = "glow-0-18",
    allow(clippy::duplicate_mod, reason = "once for each glow")
)]

use ::glow_0_17 as glow;

#[path = "context.rs"]
mod context;
#[path = "queries.rs"]
mod queries;
