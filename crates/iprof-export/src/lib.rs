//! The file formats of [iprof](https://docs.rs/iprof): one file per format. Each converts a [`Snapshot`](iprof_process::Snapshot)
//! or a report, which are plain data, and writes it to an `io::Write`.
//!
//! Programs use it through `iprof`, which takes the snapshots. Everything here that is not re-exported there may change in any
//! release.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
mod broken_tests;
mod call_sums;
mod callgrind;
#[cfg(feature = "file")]
mod file;
mod folded;
mod format;
mod idle;
mod names;
mod nanoseconds;
#[cfg(test)]
mod random_snapshots;
mod snapshot_totals;
mod text_table;
mod time_unit;
mod tree;
mod truncate;
#[cfg(feature = "export")]
mod with_crates;
#[cfg(not(feature = "export"))]
#[path = "without_crates.rs"]
mod with_crates;
mod zone_list;

#[cfg(feature = "file")]
pub use file::{WriteFileError, write_file, write_file_with_frames};
pub use format::Format;
#[doc(hidden)]
pub use format::{find, name_of};
