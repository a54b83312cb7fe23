//! Drawing: turns a report or a graph into pixels. (IProf: `prof_draw.c`.)
//!
//! A report or a graph becomes a list of textured rectangles ([`report_layout`], [`graph_layout`], with the glyphs of
//! [`font`]). That part is plain data and needs no GL. To draw, only three files call GL: `painter.rs` draws
//! the list, `state/` saves and restores the host's GL state, and `context_painter.rs` asks a context for both.
//! These files are compiled once for each version of `glow`, in [`glow_0_18`] and `glow_0_17`;
//! [`bound_painter`] has the interface that both versions share.

mod atlas;
mod attribute_calls;
mod bound_painter;
mod column_headers;
mod column_layout;
mod emphasis;
mod error;
mod face;
mod font;
#[cfg(feature = "glow-0-17")]
pub(crate) mod glow_0_17;
#[cfg(feature = "glow-0-18")]
pub(crate) mod glow_0_18;
mod graph_layout;
mod help_layout;
mod host_state;
mod legend;
mod list;
mod object_names;
mod palette;
mod report_layout;
mod row_groups;
mod shader_variant;
mod theme;
mod time_axis;
mod title_layout;
mod tooltip;
mod wrap;
mod zone_colors;

pub(crate) use atlas::AtlasImage;
pub(crate) use attribute_calls::AttributeCalls;
pub(crate) use bound_painter::{BoundPainter, PaintContext};
pub(crate) use column_headers::HeaderTarget;
pub use error::GlError;
pub use face::FontError;
pub(crate) use font::Font;
/// The version for contexts that only this crate uses.
#[cfg(all(feature = "glow-0-17", not(feature = "glow-0-18")))]
pub(crate) use glow_0_17::glow;
#[cfg(feature = "glow-0-18")]
pub(crate) use glow_0_18::glow;
#[cfg(feature = "glow-0-18")]
pub use glow_0_18::keep_gl_state;
pub(crate) use graph_layout::BarsArea;
pub(crate) use help_layout::HelpArea;
pub use host_state::{HostState, StateMode};
pub(crate) use list::{DrawList, Quad, Vertex};
pub use object_names::{Buffer, Program, Sampler, Texture, VertexArray};
pub(crate) use report_layout::ReportArea;
pub use theme::Theme;
pub(crate) use tooltip::{Subject, Tooltip};
