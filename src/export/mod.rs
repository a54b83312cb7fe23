//! Exporters: one file per output format. Each converts a [`Snapshot`](crate::Snapshot) or a report, which
//! are plain data, and writes it to an `io::Write`.

#[cfg(all(test, not(loom), feature = "export"))]
mod broken_tests;
mod call_sums;
mod callgrind;
#[cfg(feature = "export")]
mod csv;
#[cfg(feature = "export")]
mod cycles;
#[cfg(any(feature = "environment", feature = "export"))]
mod file;
mod folded;
pub(crate) mod format;
#[cfg(feature = "export")]
mod fused;
#[cfg(feature = "export")]
mod gprof;
#[cfg(feature = "export")]
mod html;
#[cfg(feature = "export")]
mod html_frames;
mod idle;
#[cfg(feature = "export")]
mod json;
mod names;
mod nanoseconds;
#[cfg(feature = "export")]
mod pprof;
#[cfg(all(test, not(loom)))]
mod random_snapshots;
#[cfg(any(feature = "environment", feature = "export"))]
mod replace;
#[cfg(feature = "export")]
mod report_table;
mod snapshot_totals;
#[cfg(feature = "export")]
mod speedscope;
mod text_table;
mod time_unit;
#[cfg(feature = "export")]
mod trace;
mod tree;
mod truncate;
#[cfg(feature = "export")]
mod value;
mod zone_list;

#[cfg(feature = "environment")]
pub(crate) use file::write_file_with_frames;
#[cfg(any(feature = "environment", feature = "export"))]
pub use file::{WriteFileError, write_file};
pub use format::Format;
