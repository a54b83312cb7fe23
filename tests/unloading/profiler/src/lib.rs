//! iprof as a shared library, which the program and its plugins have in common.

pub use iprof::*;
