//! Getting data out: one file per format. Each takes plain data and a writer.

mod callgrind;
#[cfg(feature = "csv")]
mod csv;
mod cut;
mod cycles;
mod file;
mod folded;
pub(crate) mod format;
mod gprof;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "json")]
mod json;
mod name;
#[cfg(all(unix, feature = "enable"))]
mod pipe;
mod place;
#[cfg(feature = "pprof")]
mod pprof;
mod recorded;
pub(crate) mod replace;
mod sampled;
#[cfg(all(test, not(loom)))]
mod samples;
#[cfg(feature = "json")]
mod speedscope;
mod text;
mod totals;
#[cfg(feature = "json")]
mod trace;
mod tree;
mod walk;
mod whole;

pub use file::WriteFileError;
#[cfg(feature = "json")]
pub use trace::write_trace_events;
