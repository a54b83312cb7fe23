//! The one profiler of the program.

pub use iprof::*;
