//! Helpers for the integration tests. Each test program uses some of them.

#![allow(dead_code, reason = "each test program uses only part of this module")]
#![allow(
    unreachable_pub,
    reason = "these items would be public in a separate crate"
)]

pub mod headless;
pub mod image;
pub mod keyboard;
pub mod own_program;
pub mod painted;
pub mod program;
pub mod report_text;
pub mod statedump;
pub mod versions;
pub mod window;
