//! Getting data out: one file per format. Each takes plain data and a writer.

mod sampled;
mod text;
