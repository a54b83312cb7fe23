//! The files that speak GL, by way of `glow` 0.18.
//!
//! They are compiled once for each version of `glow` that is asked for, and know no more of it than
//! that the module they are in calls it `glow`. [`super::glow_0_17`] is the other such module.

pub(crate) use ::glow;

#[path = "gl.rs"]
mod gl;
#[path = "guest.rs"]
mod guest;
#[path = "state/mod.rs"]
mod state;

pub(crate) use gl::Painter;
pub use state::keep_gl_state;
pub(crate) use state::viewport;
