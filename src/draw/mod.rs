//! Layout: turns a report, a graph or the help into textured rectangles. (IProf: `prof_draw.c`.)
//!
//! [`report_layout`], [`graph_layout`] and the other layouts produce plain data, using glyphs from [`font`]. No
//! renderer is needed to create or test it.

mod atlas;
mod colors;
mod column_layout;
mod face;
mod flame_layout;
mod font;
mod graph_layout;
pub(crate) mod help;
mod help_layout;
mod legend;
mod list;
pub mod overlay;
mod report_layout;
mod row_groups;
mod theme;
mod time_axis;
mod title_layout;
mod tooltip;

pub use atlas::AtlasRect;
pub(crate) use atlas::{AtlasImage, SIZE as ATLAS_SIZE};
pub(crate) use column_layout::HeaderTarget;
pub use face::FontError;
pub(crate) use flame_layout::FlameArea;
pub(crate) use font::Font;
pub(crate) use graph_layout::{BarsArea, GRAPH_MARGIN};
pub(crate) use help_layout::HelpArea;
pub use list::Vertex;
pub(crate) use list::{CORNERS, Quad, is_within};
pub(crate) use report_layout::ReportArea;
pub use theme::Theme;
pub(crate) use tooltip::{Subject, Tooltip};
