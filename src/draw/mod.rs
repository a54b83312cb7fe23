//! From a report to pixels. (IProf: `prof_draw.c`.)
//!
//! A report or a graph becomes a list of textured rectangles ([`text`], [`bars`], with the glyphs
//! of [`font`]); that much is plain data and needs no GL. [`gl`] draws the list, [`state`] sees to
//! it that the host does not notice: they alone call GL.

mod atlas;
mod bars;
mod error;
mod font;
mod gl;
mod list;
mod palette;
mod state;
mod text;
mod tooltip;

pub(crate) use atlas::AtlasImage;
pub(crate) use bars::BarsArea;
pub use error::GlError;
pub(crate) use font::Font;
pub(crate) use gl::Painter;
pub(crate) use list::{DrawList, Vertex};
pub(crate) use state::viewport;
pub(crate) use text::TextArea;
pub(crate) use tooltip::{Subject, Tooltip};
