//! The formats whose writers need other crates. Without the feature `export`, `without_crates.rs` has these functions.

mod csv;
mod cycles;
mod fused;
mod gprof;
mod html;
mod html_frames;
mod json;
mod pprof;
mod report_table;
mod speedscope;
mod trace;
mod value;

pub(super) use csv::write as write_csv;
pub(super) use gprof::write as write_gprof;
pub(super) use html::write as write_html;
pub(super) use json::write as write_json;
pub(super) use pprof::write as write_pprof;
pub(super) use report_table::{write_csv as write_csv_report, write_json as write_json_report};
pub(super) use speedscope::write as write_speedscope;
pub(super) use trace::{write_compressed as write_compressed_trace, write_timeline as write_trace};

/// The feature that these formats need, if it is disabled.
pub(super) const MISSING_FEATURE: Option<&str> = None;
