//! Helpers of the integration tests. Each test program uses some of them.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(unreachable_pub, reason = "it would be `pub` in a crate of its own")]

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
