//! The formats whose writers need other crates.

pub(super) mod csv;
mod cycles;
mod fused;
pub(super) mod gprof;
pub(super) mod html;
mod html_frames;
pub(super) mod json;
pub(super) mod pprof;
pub(super) mod report_table;
pub(super) mod speedscope;
pub(super) mod trace;
mod value;
