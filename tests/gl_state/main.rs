//! The overlay leaves the host's GL state, errors and next frame unchanged.
//!
//! A row of [`hosts`] is a host that has set something. Each is run on each kind of context.

#![cfg(feature = "gl")]
#![allow(unsafe_code, reason = "every GL call is unsafe")]

// The invariant behind the SAFETY lines: "current": `Headless`'s own.

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
