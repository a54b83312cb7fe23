//! iprof
#![cfg_attr(not(feature = "enable"), allow(dead_code))]

mod clock;
#[cfg(feature = "gl")]
mod draw;
mod export;
mod gather;
mod graph;
mod macros;
#[cfg(feature = "gl")]
mod overlay;
mod process;
mod report;
mod sync;
mod zone;

pub use graph::{Bar, Graph, GraphStyle, GraphZone, Segment};
#[cfg(feature = "gl")]
pub use overlay::{draw_gl, draw_graph_gl, hit, set_screen};
pub use process::*;
pub use report::{Column, MAX_VALUES, Prefix, Record, Recursion, Report, ReportMode, RowKey, Unit};
pub use zone::Zone;

/// The overlay for the host's OpenGL frame.
#[cfg(feature = "gl")]
pub mod gl {
    pub use crate::draw::GlError;
    pub use crate::overlay::{Hit, Overlay, init, init_from_loader, make_current, with_current};
}

/// What the macros call. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::gather::local::{Guard, Matching, Site, begin, end, enter, tally};
}
