//! The files that call GL, compiled for `glow` 0.18.
//!
//! They are compiled once for each enabled version of `glow`, and refer to it as `glow` in their parent
//! module. [`super::glow_0_17`] is the other such module.

pub(crate) use ::glow;

#[path = "context_painter.rs"]
mod context_painter;
#[path = "painter.rs"]
mod painter;
#[path = "state/mod.rs"]
mod state;

pub(crate) use painter::Painter;
pub use state::keep_gl_state;
pub(crate) use state::viewport;
