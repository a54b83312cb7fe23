//! Empty, because only its dependencies matter.
