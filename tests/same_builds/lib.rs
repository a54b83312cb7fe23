//! This crate is empty, because only its dependencies matter.
