//! An empty crate, used only for its dependencies.
