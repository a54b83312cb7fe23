//! Exporters: one file per output format. Each converts a [`Snapshot`](crate::Snapshot), a report or a
//! sampled profile, which are plain data, and writes it to an `io::Write`.

#[cfg(all(test, not(loom), feature = "files"))]
mod broken_tests;
mod call_sums;
#[cfg(feature = "files")]
mod callgrind;
#[cfg(feature = "csv")]
mod csv;
#[cfg(feature = "files")]
mod cycles;
#[cfg(feature = "files")]
mod file;
mod folded;
#[cfg(feature = "files")]
pub(crate) mod format;
#[cfg(any(feature = "csv", feature = "pprof"))]
mod fused;
#[cfg(feature = "files")]
mod gprof;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "html")]
mod html_frames;
#[cfg(feature = "files")]
mod idle;
#[cfg(feature = "json")]
mod json;
mod names;
mod nanoseconds;
#[cfg(feature = "pprof")]
mod pprof;
#[cfg(all(test, not(loom)))]
mod random_snapshots;
#[cfg(feature = "files")]
pub(crate) mod replace;
#[cfg(any(feature = "csv", feature = "json"))]
mod report_table;
mod snapshot_totals;
#[cfg(feature = "json")]
mod speedscope;
mod text_table;
mod time_unit;
#[cfg(feature = "json")]
mod trace;
mod tree;
mod truncate;
#[cfg(any(feature = "html", feature = "json"))]
mod value;
mod zone_list;

#[cfg(feature = "files")]
pub use file::WriteFileError;
#[cfg(feature = "json")]
pub use trace::write_trace_events;
