//! From a report to pixels. (IProf: `prof_draw.c`.)
//!
//! A report or a graph becomes a list of textured rectangles ([`text`], [`bars`], with the glyphs
//! of [`font`]); that much is plain data and needs no GL. `gl.rs` draws the list, `state/` sees to
//! it that the host does not notice: they alone call GL. They are there once for each version of
//! `glow`, in [`glow_0_18`] and `glow_0_17`; what is common to both is in [`canvas`].

mod atlas;
mod attribute_calls;
mod bars;
mod canvas;
mod dialect;
mod error;
mod face;
mod font;
#[cfg(feature = "glow-0-17")]
pub(crate) mod glow_0_17;
#[cfg(feature = "gl")]
pub(crate) mod glow_0_18;
mod host_state;
mod list;
mod names;
mod palette;
mod text;
mod tooltip;

pub(crate) use atlas::AtlasImage;
pub(crate) use attribute_calls::AttributeCalls;
pub(crate) use bars::BarsArea;
pub(crate) use canvas::{Canvas, PaintContext};
pub use error::GlError;
pub use face::FontError;
pub(crate) use font::Font;
/// The one that contexts are made of which nobody else sees.
#[cfg(all(feature = "glow-0-17", not(feature = "gl")))]
pub(crate) use glow_0_17::glow;
#[cfg(feature = "gl")]
pub(crate) use glow_0_18::glow;
#[cfg(feature = "gl")]
pub use glow_0_18::keep_gl_state;
pub use host_state::{HostState, StateMode};
pub(crate) use list::{DrawList, Quad, Vertex};
pub use names::{Buffer, Program, Sampler, Texture, VertexArray};
pub(crate) use text::TextArea;
pub(crate) use tooltip::{Subject, Tooltip};
