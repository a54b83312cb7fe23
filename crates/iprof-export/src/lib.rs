//! [iprof](https://docs.rs/iprof)'s file formats, one module each. They write a [`Snapshot`](iprof_process::Snapshot)
//! or a report, both of which are plain data, to an `io::Write`.
//!
//! Use this crate through `iprof`, which takes the snapshots. Items that `iprof` doesn't re-export may change in any
//! release.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(test)]
mod broken_tests;
mod callgrind;
mod conversions;
#[cfg(feature = "file")]
mod file;
mod folded;
mod format;
mod names;
#[cfg(test)]
mod random_snapshots;
mod text_table;
mod totals;
mod tree;
mod truncate;
#[cfg(feature = "export")]
mod with_crates;
#[cfg(not(feature = "export"))]
#[path = "without_crates.rs"]
mod with_crates;

#[cfg(feature = "file")]
pub use file::{WriteFileError, write_file, write_file_with_frames};
pub use format::Format;
#[doc(hidden)]
pub use format::{find, name_of};
