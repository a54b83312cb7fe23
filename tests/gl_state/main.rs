//! The overlay leaves the host's GL state, errors and next frame unchanged. [`hosts`] has hosts that set some state.
//! Each is tested in each kind of context.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

// SAFETY comments rely on `Headless`, which makes its context current.

mod contexts;
mod cost;
mod declared;
mod draw_buffers;
mod host;
mod hosts;
mod matrix;
mod objects;
mod picture;
mod scene;
#[path = "../support/mod.rs"]
mod support;
mod unusual_targets;
