//! The files that speak GL, by way of `glow` 0.17: see `glow_0_18.rs`.

#![cfg_attr(
    feature = "gl",
    allow(clippy::duplicate_mod, reason = "once for each glow")
)]

pub(crate) use ::glow_0_17 as glow;

#[path = "gl.rs"]
mod gl;
#[path = "guest.rs"]
mod guest;
#[path = "state/mod.rs"]
mod state;

pub(crate) use gl::Painter;
pub(crate) use state::viewport;
