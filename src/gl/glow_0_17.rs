//! The files that call GL, compiled for `glow` 0.17: see `glow_0_18.rs`.

#![cfg_attr(
    feature = "glow-0-18",
    allow(clippy::duplicate_mod, reason = "once for each glow")
)]

pub(crate) use ::glow_0_17 as glow;

#[path = "context_painter.rs"]
mod context_painter;
#[path = "painter.rs"]
mod painter;
#[path = "state/mod.rs"]
mod state;

pub(crate) use painter::Painter;
pub(crate) use state::viewport;
