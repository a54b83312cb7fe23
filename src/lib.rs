//! iprof
#![cfg_attr(not(feature = "enable"), allow(dead_code))]

mod clock;
mod export;
mod gather;
mod graph;
mod macros;
mod process;
mod report;
mod sync;
mod zone;

pub use graph::{Bar, Graph, GraphStyle, GraphZone, Segment};
pub use process::*;
pub use report::{Column, MAX_VALUES, Prefix, Record, Recursion, Report, ReportMode, RowKey, Unit};
pub use zone::Zone;

/// What the macros call. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    pub use crate::gather::local::{Guard, Matching, Site, begin, end, enter, tally};
}
