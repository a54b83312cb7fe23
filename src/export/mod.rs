//! Exporters: one file per output format. Each converts a [`Snapshot`](crate::Snapshot), a report or a
//! sampled profile, which are plain data, and writes it to an `io::Write`.

#[cfg(all(test, not(loom)))]
mod broken_tests;
mod call_sums;
mod callgrind;
#[cfg(feature = "csv")]
mod csv;
mod cycles;
mod file;
mod folded;
pub(crate) mod format;
#[cfg(any(feature = "csv", feature = "pprof"))]
mod fused;
mod gprof;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "html")]
mod html_frames;
mod idle;
#[cfg(feature = "json")]
mod json;
mod name;
mod nanoseconds;
#[cfg(all(unix, feature = "enable"))]
mod pipe;
#[cfg(feature = "pprof")]
mod pprof;
#[cfg(all(test, not(loom)))]
mod random_snapshots;
pub(crate) mod replace;
mod sampled;
mod snapshot_totals;
#[cfg(feature = "json")]
mod speedscope;
mod summary_line;
mod target;
mod text;
mod text_table;
mod thread_names;
mod time_unit;
#[cfg(feature = "json")]
mod trace;
mod tree;
mod truncate;
mod zone_list;
mod zone_names;

pub use file::WriteFileError;
#[cfg(feature = "json")]
pub use trace::write_trace_events;
