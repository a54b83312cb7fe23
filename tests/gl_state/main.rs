//! Tests that the overlay leaves the host's GL state, errors and next frame unchanged. [`hosts`] lists hosts that set
//! various state. Each host is tested in every kind of context.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

// SAFETY comments rely on the fact that `Headless` makes its context current.

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
