//! iprof as a shared library, used by the program and its plugins.

pub use iprof::*;
