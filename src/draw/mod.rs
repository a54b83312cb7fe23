//! From a report to pixels. (IProf: `prof_draw.c`.)
//!
//! A report or a graph becomes a list of textured rectangles ([`text`], [`bars`], with the glyphs
//! of [`font`]); that much is plain data and needs no GL. [`gl`] draws the list, [`state`] sees to
//! it that the host does not notice: they alone call GL.

mod atlas;
mod bars;
mod dialect;
mod error;
mod face;
mod font;
mod gl;
mod host_state;
mod list;
mod palette;
mod state;
mod text;
mod tooltip;

pub(crate) use atlas::AtlasImage;
pub(crate) use bars::BarsArea;
pub use error::GlError;
pub use face::FontError;
pub(crate) use font::Font;
pub(crate) use gl::Painter;
pub use host_state::{HostState, StateMode};
pub(crate) use list::{DrawList, Quad, Vertex};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use state::AttributeCalls;
pub use state::keep_gl_state;
pub(crate) use state::viewport;
pub(crate) use text::TextArea;
pub(crate) use tooltip::{Subject, Tooltip};
